"""What a report shows, as plain data that the terminal, Markdown, HTML and JSON render alike: a
headline and sections of sentences, tables, code, facts, plots. Texts are plain, with code between
backticks; renderers make them harmless."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from whyfast.model.verdict import Outcome
from whyfast.report import formatting as fmt

if TYPE_CHECKING:
    from whyfast.model.code import CodeDifference
    from whyfast.model.why import CountedCode, Frame

#: How much a section matters: it is part of the ``answer``; it stands in every report (``main``);
#: it is for who asks for more (``detail``: -v, unfolded elsewhere); or it is kept for the record,
#: where there is room for everything (``record``: HTML and JSON).
Importance = Literal["answer", "main", "detail", "record"]
Align = Literal["left", "right"]
T = TypeVar("T")


@dataclass(frozen=True)
class Cell:
    """``text`` is what matters, ``detail`` what may go on a second line or be dimmed. ``outcome``
    colours the cell; the text says the same, so that colour is never needed. ``number`` is what a
    table can be sorted by; of an outcome it is the ratio."""

    text: str
    detail: str = ""
    outcome: Outcome | None = None
    number: float | None = None


NOTHING = Cell("–")


@dataclass(frozen=True)
class Column:
    """A heading and the alignment of its cells. Where a table would be too wide, columns are left
    out, those with the largest ``drop`` first; columns with 0 stay. ``machine``: the title is a
    machine, and readers can hide the column."""

    title: str
    align: Align = "left"
    drop: int = 0
    machine: bool = False


@dataclass(frozen=True)
class Table:
    """Rows under headings; the first cell of a row names it. ``fixed``: how many leading columns
    are repeated when a table is cut to fit. ``short``: what a short report shows, nothing without
    rows. Where a reader can choose baseline and benchmarks, it follows: ``against`` is the baseline
    of all rows, ``of`` the variant; ``overall``: each row is a variant, its cells verdicts over all
    benchmarks; ``by_machine``: the first cell names a machine."""

    caption: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    fixed: int = 1
    short: Table | None = None
    against: str = ""
    of: str = ""
    overall: bool = False
    by_machine: bool = False

    def shown(self, verbose: bool) -> Table:
        """What a report shows: all of it, or what is there for a short one."""
        return self if verbose else self.short or self

    def narrower(self) -> Table | None:
        """The table without the columns that give way first; None where all stay."""
        most = max(column.drop for column in self.columns)
        kept = [i for i, column in enumerate(self.columns) if column.drop < most]
        return self.only(kept) if most else None

    def without_details(self) -> Table:
        """The table with what matters of each cell only."""
        rows = tuple(tuple(replace(cell, detail="") for cell in row) for row in self.rows)
        return replace(self, rows=rows)

    def only(self, keep: Sequence[int]) -> Table:
        """The table with those columns only, the fixed ones among them."""
        return replace(
            self,
            columns=tuple(self.columns[i] for i in keep),
            rows=tuple(tuple(row[i] for i in keep) for row in self.rows),
        )


@dataclass(frozen=True)
class Sentence:
    """``label`` stands in front (``warning``); the lines of ``more`` belong to it. ``link`` is the
    name of the place in the document to link to."""

    text: str
    label: str = ""
    more: tuple[str, ...] = ()
    link: str = ""


@dataclass(frozen=True)
class Sentences:
    """A list; ``aside``: what explains the rest, in small print."""

    items: tuple[Sentence, ...]
    aside: bool = False


@dataclass(frozen=True)
class CodeBlock:
    """Lines to be copied as they are; ``language`` as in Markdown (``toml``, ``sh``)."""

    lines: tuple[str, ...]
    language: str = "text"


@dataclass(frozen=True)
class FactTree:
    """Plain JSON data by name, shown as nested terms."""

    values: Mapping[str, Any]


def fact_text(value: object) -> str:
    """A value of a :class:`FactTree` that has no others in it."""
    items = value if isinstance(value, (list, tuple)) else [value]
    return " ".join("unknown" if item is None else str(item) for item in items) or "none"


@dataclass(frozen=True)
class Plot:
    """Plain data for a plot of that ``kind``, which a file in assets draws. ``without`` names an
    alternative for readers without JavaScript. ``later`` computes further data, which takes time
    and which only HTML needs."""

    kind: str
    data: Any
    without: str = "The plots need JavaScript; the tables say the same."
    later: Callable[[], Any] | None = None


@dataclass(frozen=True)
class CodeSides:
    """A function of builds ``a`` and ``b``, side by side. ``name`` is the target of links, and
    ``caption`` its difference in a line."""

    name: str
    a: str
    b: str
    difference: CodeDifference
    caption: str

    @property
    def title(self) -> str:
        """Both builds and the difference."""
        return f"{self.a} → {self.b}: {self.caption}"


@dataclass(frozen=True)
class BarPart:
    """A piece of a bar: its ``share`` of the whole, from 0 to 1. ``rest``: it is what is left."""

    name: str
    share: float
    rest: bool = False


@dataclass(frozen=True)
class ShareBars:
    """Ways to divide one whole, one bar for each, with its title. A table says the same."""

    bars: tuple[tuple[str, tuple[BarPart, ...]], ...]


@dataclass(frozen=True)
class FlameGraph:
    """A call tree of two sides called ``fast`` and ``slow``. A table says the same."""

    caption: str
    root: Frame
    fast: str
    slow: str


@dataclass(frozen=True)
class CountedSides:
    """A function of both sides, each instruction with how often it ran."""

    caption: str
    fast: str
    slow: str
    code: CountedCode


@dataclass(frozen=True)
class Group:
    """Blocks under a title, folded where possible. ``name`` is the target of links."""

    title: str
    blocks: tuple[Block, ...]
    name: str = ""


Block = (
    Table
    | Sentences
    | CodeBlock
    | FactTree
    | Plot
    | CodeSides
    | ShareBars
    | FlameGraph
    | CountedSides
    | Group
)


@dataclass(frozen=True)
class ReportSection:
    """``name`` is the target of links; ``hint``, in a short report, how to see what it leaves
    out."""

    name: str
    title: str
    blocks: tuple[Block, ...]
    importance: Importance = "main"
    hint: str = ""


@dataclass(frozen=True)
class Summary:
    """The answer on one screen. ``findings``: the most important first; the last go where there is
    little room. ``table``: each row a ``row``; the last go, or those with the largest of ``ranks``.
    ``care``: what to distrust; ``more``: how to see the rest; ``commands``: to be copied.
    ``headline`` replaces the document's; ``bars``: the title of the column whose ratios are
    drawn."""

    findings: tuple[str, ...]
    table: Table | None
    ranks: tuple[int, ...] = ()
    care: tuple[str, ...] = ()
    more: str = "all details: -v, or --html FILE."
    row: str = "variant"
    headline: str = ""
    commands: tuple[str, ...] = ()
    bars: str = ""


@dataclass(frozen=True)
class Document:
    """``kind``: the command that shows it; ``title``: the question, if any; ``headline``: the
    answer; ``about``: date and sources; ``heading``: the kind of page, in HTML; ``summary``: what a
    short report on a terminal has in place of the sections."""

    kind: str
    title: str
    headline: str
    sections: tuple[ReportSection, ...]
    about: tuple[str, ...] = ()
    heading: str = ""
    summary: Summary | None = None


def with_short(whole: Table | None, short: Table | None) -> Table | None:
    """The table, of which a short report has ``short`` where that is another."""
    return whole if whole is None or short in (None, whole) else replace(whole, short=short)


Row = Sequence[Cell | str | int | None]


class _Right(str):
    """The heading of a column of numbers."""


def right(*titles: str) -> tuple[str, ...]:
    """Headings of columns of numbers, for :func:`table`."""
    return tuple(_Right(title) for title in titles)


def table(
    caption: str,
    columns: Iterable[str | None],
    rows: Iterable[Row],
    *,
    fixed: int = 1,
    drops: Mapping[str, int] | None = None,
    **about: Any,
) -> Table | None:
    """A table of texts, whole numbers (None: an empty cell) and cells; None without rows. A column
    that is None is left out with its cells. ``drops`` has the :attr:`Column.drop` of titles.
    ``about``: further fields of the table."""
    heads = {i: title for i, title in enumerate(columns) if title is not None}
    shown = tuple(
        Column(str(c), "right" if isinstance(c, _Right) else "left", (drops or {}).get(c, 0))
        for c in heads.values()
    )
    cells = tuple(tuple(_cell(row[i]) for i in heads) for row in rows)
    fixed = sum(i < fixed for i in heads)
    return Table(caption, shown, cells, fixed, **about) if cells else None


def value_cell(value: float | None, text: Callable[[float], str]) -> Cell | None:
    """What ``text`` makes of a value, to be sorted by that; None where there is none."""
    return None if value is None else Cell(text(value), number=value)


def seconds_cell(seconds: float | None) -> Cell | None:
    """A time, None where there is none."""
    return value_cell(seconds, fmt.seconds)


def number_cell(number: int | None, unit: str = "") -> Cell | None:
    """A whole number with its thousands apart: ``1,234 B``; None where there is none."""
    return value_cell(number, f"{{:,}}{unit}".format)


def _cell(value: Cell | str | int | None) -> Cell:
    if isinstance(value, int):
        return Cell(str(value), number=value)
    return Cell(value) if isinstance(value, str) else value or NOTHING


def sentences(texts: Iterable[str], *, aside: bool = False) -> Sentences | None:
    """A list of sentences, None without any."""
    items = tuple(map(Sentence, texts))
    return Sentences(items, aside) if items else None


def code_block(lines: Sequence[str], language: str = "text") -> CodeBlock | None:
    """Lines to be copied, None without any."""
    return CodeBlock(tuple(lines), language) if lines else None


def note(text: str) -> Sentences:
    """What explains the rest, in small print."""
    return Sentences((Sentence(text),), aside=True)


def group(title: str, *blocks: Block | None) -> Block | None:
    """A group of the blocks that are there, None without any; a single table has its own title."""
    present: tuple[Block, ...] = _present(blocks)
    if len(present) == 1 and isinstance(present[0], Table):
        return present[0]
    return Group(title, present) if present else None


def _present(items: Iterable[T | None]) -> tuple[T, ...]:
    return tuple(item for item in items if item is not None)


def section(
    name: str, title: str, *blocks: Block | None, importance: Importance = "main", hint: str = ""
) -> ReportSection | None:
    """A section of the blocks that are there, None without any."""
    present: tuple[Block, ...] = _present(blocks)
    return ReportSection(name, title, present, importance, hint) if present else None


#: A section for who asks for more.
detail = partial(section, importance="detail")


def document(
    kind: str,
    *sections: ReportSection | None,
    title: str = "",
    headline: str = "",
    about: Sequence[str] = (),
    heading: str = "",
    summary: Summary | None = None,
) -> Document:
    """A document of the sections that are there."""
    present = _present(sections)
    return Document(kind, title, headline, present, tuple(about), heading, summary)
