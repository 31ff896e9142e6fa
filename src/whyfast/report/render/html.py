"""A document as one HTML file that needs nothing but itself, and as JSON."""

from __future__ import annotations

import base64
import gzip
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import Any

from jinja2 import Environment, FunctionLoader
from markupsafe import Markup, escape

from whyfast import __version__
from whyfast.model.codec import dump, encode
from whyfast.model.why import Frame
from whyfast.report import document as doc
from whyfast.report import formatting as fmt
from whyfast.report.sections.side_by_side import folded

#: Longer tables of detail and lists begin folded, or with their first entries only.
MANY_ROWS = 12
MANY_ITEMS = 6
#: Wider tables, in letters, have the detail of a cell beneath it; longer cells are prose.
_WIDE, _WORDY = 95, 40

#: Longer tables are drawn on demand; so are groups for the record with more letters of HTML.
PACKED_ROWS, PACKED_LETTERS = 200, 8_000
#: Shorter texts, in letters, are not worth packing.
_PLAIN = 4_000

#: Which file of assets draws a kind of plot, where the file is not called like it.
_PLOT_FILES = {
    **dict.fromkeys(("intervals", "machines", "placement"), "ratios"),
    **dict.fromkeys(("raw", "timeline"), "values"),
    "releases": "slopes",
}
_CODE = re.compile(r"`([^`]+)`")


class Packs:
    """What the page holds beside its text, one ``<script>`` of data each: JSON as it is, or gzip in
    base64, which the browser inflates. Made while the text is rendered."""

    def __init__(self) -> None:
        self.every: list[tuple[str, Markup]] = []

    def data(self, data: object) -> int:
        """The number of a pack of plain data."""
        text = script_json(data)
        return self.html(text) if len(text) > _PLAIN else self._add("application/json", text)

    def html(self, text: Markup) -> int:
        """The number of a pack of HTML."""
        # Without the time of day, so that the same result makes the same file.
        whole = gzip.compress(text.encode(), 9, mtime=0)
        return self._add("text/plain", Markup(base64.b64encode(whole).decode()))

    def _add(self, kind: str, text: Markup) -> int:
        self.every.append((kind, text))
        return len(self.every) - 1


def render_html(document: doc.Document) -> str:
    """Text and tables without JavaScript, plots with it. The file may be mailed, archived or
    published as it is: it opens no connection, and no script runs in it but its own."""
    plots = [p for s in document.sections for p in _plots(s.blocks)]
    kinds = dict.fromkeys(_PLOT_FILES.get(plot.kind, plot.kind) for plot in plots)
    scripts: list[str] = []
    if document.sections:
        parts = [_asset(f"{name}.js") for name in ("charts", "figures", "tables", *kinds)]
        scripts = ["\n".join(parts)]
    page = _environment().get_template("page.html")
    packs = Packs()
    return page.render(
        document=document,
        number={id(plot): packs.data(plot.data) for plot in plots},
        later={id(plot): packs.data(plot.later()) for plot in plots if plot.later is not None},
        packs=packs,
        scripts=[Markup(script) for script in scripts],
        policy=Markup(_policy(scripts)),
        style=Markup(_asset("report.css")),
        version=__version__,
    )


def script_json(data: object) -> Markup:
    """JSON for a ``<script type="application/json">``: nothing in it can end the element."""
    dumped = json.dumps(_seen(data), ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return Markup(dumped.replace("<", "\\u003c"))


def prose(sentence: str) -> Markup:
    """A sentence; what stands in backticks becomes code."""
    parts = [escape(fmt.escape_controls(part)) for part in _CODE.split(sentence)]
    return Markup("").join(
        Markup("<code>{}</code>").format(part) if i % 2 else part for i, part in enumerate(parts)
    )


def _plots(blocks: Iterable[doc.Block]) -> Iterator[doc.Plot]:
    for block in blocks:
        if isinstance(block, doc.Plot):
            yield block
        elif isinstance(block, doc.Group):
            yield from _plots(block.blocks)


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=FunctionLoader(_asset),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        # Every text is made visible, but for HTML, whose texts are already.
        finalize=lambda value: fmt.escape_controls(value) if type(value) is str else value,
    )
    environment.filters["prose"] = prose
    environment.globals.update(
        id=id,
        kind=lambda block: type(block).__name__,
        is_code=lambda value: bool(re.search(r"[/=_]|^-|^[0-9a-f]{16,}$", value)),
        table_class=_table_class,
        bars_svg=bars_svg,
        flame_svg=flame_svg,
        amount=fmt.amount_text,
        folded=folded,
        many_rows=MANY_ROWS,
        many_items=MANY_ITEMS,
        packed_rows=PACKED_ROWS,
        packed_letters=PACKED_LETTERS,
    )
    return environment


@cache
def _asset(name: str) -> str:
    return (files("whyfast.report") / "assets" / name).read_text(encoding="utf-8")


def _seen(data: Any) -> Any:
    """The same with every text made visible."""
    if isinstance(data, str):
        return fmt.escape_controls(data)
    if isinstance(data, dict):
        return {_seen(key): _seen(value) for key, value in data.items()}
    if isinstance(data, (list, tuple)):
        # Most of the data are lists of numbers.
        plain = not data or isinstance(data[0], (int, float))
        return data if plain else [_seen(value) for value in data]
    return data


def _table_class(table: doc.Table) -> str:
    """How a table makes do with the room that there is: ``stack`` shows the rows as blocks on a
    phone, ``wordy`` gives prose in the last column its room, ``two-lines`` puts details beneath."""
    columns = list(zip(*table.rows, strict=True))
    widths = [max(len(c.text) + len(c.detail) for c in column) for column in columns]
    classes = ["two-lines"] if sum(widths) > _WIDE and max(widths[:-1], default=0) < _WIDE else []
    classes += ["wordy"] if widths and max(len(c.text) for c in columns[-1]) > _WORDY else []
    return " ".join(["scroll stack", *classes])


def _policy(scripts: Sequence[str]) -> str:
    """Only these very scripts may run, and nothing may be loaded from anywhere."""
    hashes = " ".join(
        f"'sha256-{base64.b64encode(sha256(s.encode()).digest()).decode()}'" for s in scripts
    )
    return (
        f"default-src 'none'; script-src {hashes or repr('none')}; style-src 'unsafe-inline'; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )


# JSON, for commands without data of their own.


def dump_document(document: doc.Document) -> str:
    """The JSON text, see docs/report.md."""
    sections = [
        {**encode(section), "blocks": [_block(block) for block in section.blocks]}
        for section in document.sections
    ]
    return dump("document", {**encode(document), "sections": sections})


def _block(block: doc.Block) -> dict[str, Any]:
    if isinstance(block, doc.Plot):
        block = replace(block, later=None)
    data = {"block": type(block).__name__.lower(), **encode(block)}
    if isinstance(block, doc.CodeSides):
        # The two listings are in the rows already.
        data["rows"] = data.pop("difference")["rows"]
    data.pop("later", None)
    if isinstance(block, doc.Group):
        data["blocks"] = [_block(inner) for inner in block.blocks]
    return data


# Pictures of an account as SVG: bars that divide a difference, and a differential flame graph.
# Places across are per cent of the page, so that text keeps its size on a phone; every box is an
# svg of its own, which cuts off what it has no room for.

#: Heights in pixels of a bar with its gap, of a bar, and of a row of the flame graph.
_STEP, _BAR, _ROW = 38, 30, 19

#: Colours of causes, in the style sheet: ``.c0`` and so on.
COLOURS = 6

#: Rows of the flame graph; what is narrower than this share of the width is not drawn.
_DEEPEST, _NARROWEST = 60, 0.002

_BOX = Markup(
    '<svg x="{x:.3f}%" y="{y}" width="{width:.3f}%" height="{height}"><title>{title}</title>'
    '<rect class="{kind}" width="100%" height="100%"{more}/><text x="5" y="{base}">{text}</text>'
    "</svg>"
)
_WHOLE = Markup(
    '<svg class="{kind}" width="100%" height="{height}" role="img" aria-label="{label}">'
)


def bars_svg(block: doc.ShareBars) -> Markup:
    """The bars above each other, each as wide as the page."""
    boxes = [box for i, (_, parts) in enumerate(block.bars) for box in _bar(parts, i * _STEP)]
    texts = [f"by {title}: {', '.join(map(_part_text, parts))}" for title, parts in block.bars]
    return _picture("bars", _STEP * len(block.bars), f"The difference {'; '.join(texts)}", boxes)


def _bar(parts: tuple[doc.BarPart, ...], y: int) -> Iterator[Markup]:
    total = max(1.0, sum(part.share for part in parts))
    start = 0.0
    for number, part in enumerate(parts):
        width = 100 * part.share / total
        yield _BOX.format(
            x=start,
            y=y,
            width=width,
            height=_BAR,
            title=fmt.escape_controls(_part_text(part)),
            kind="rest" if part.rest else f"c{number % COLOURS if y == 0 else 'p'}",
            more="",
            base=20,
            text=fmt.escape_controls(part.name),
        )
        start += width


def _part_text(part: doc.BarPart) -> str:
    return f"{part.name}, {100 * part.share:.0f} %"


def _picture(kind: str, height: int, label: str, boxes: Iterable[Markup]) -> Markup:
    head = _WHOLE.format(kind=kind, height=height, label=fmt.escape_controls(label))
    return head + Markup("").join(boxes) + Markup("</svg>")


def flame_svg(block: doc.FlameGraph) -> Markup:
    """The call tree, outermost function on top; what the slow side does not call has no width."""
    root = block.root
    boxes = list(_flames(root, block, 0.0, 0)) if root.slow > 0 else []
    depth = 1 + max((level for level, _ in boxes), default=0)
    label = f"Call tree of {block.slow}: {block.caption}"
    return _picture("flames", depth * _ROW, label, (box for _, box in boxes))


def _flames(
    frame: Frame, block: doc.FlameGraph, start: float, level: int
) -> Iterator[tuple[int, Markup]]:
    width = frame.slow / block.root.slow
    if width < _NARROWEST or level >= _DEEPEST:
        return
    difference = frame.slow - frame.fast
    most = max(abs(block.root.slow - block.root.fast), 1e-12)
    strength = 0.1 + 0.55 * min(1.0, abs(difference) / most)
    yield (
        level,
        _BOX.format(
            x=100 * start,
            y=level * _ROW,
            width=100 * width,
            height=_ROW - 1,
            title=fmt.escape_controls(_frame_text(frame, block)),
            kind="more" if difference >= 0 else "less",
            more=Markup(' fill-opacity="{:.2f}"').format(strength),
            base=13,
            text=fmt.escape_controls(frame.name),
        ),
    )
    for child in frame.children:
        yield from _flames(child, block, start, level + 1)
        start += child.slow / block.root.slow


def _frame_text(frame: Frame, block: doc.FlameGraph) -> str:
    fast = frame.fast - sum(c.fast for c in frame.children)
    slow = frame.slow - sum(c.slow for c in frame.children)
    itself = ", ".join(fmt.seconds(max(0.0, seconds)) for seconds in (fast, slow))
    share = 100 * frame.slow / block.root.slow
    return (
        f"{frame.name}: {block.fast} {fmt.seconds(frame.fast)}, {block.slow} "
        f"{fmt.seconds(frame.slow)} ({share:.0f} %); itself {itself}"
    )
