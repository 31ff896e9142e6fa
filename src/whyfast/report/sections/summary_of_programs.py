"""What differs between programs, in a line: the form of their dispatch, and how many functions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from whyfast.explain.functions import (
    FunctionDifference,
    FunctionTotals,
    compare_functions,
    unmatched_functions,
)
from whyfast.model.counters import Heat
from whyfast.model.evidence import DispatchFacts, Evidence
from whyfast.report.document import Cell, Row, Summary, Table, right, table
from whyfast.report.formatting import join_words, quote, sentence

#: So many functions are named.
_NAMED = 3


@dataclass(frozen=True)
class Looked:
    """A program that was looked at: its functions, and how its interpreter dispatches, if it is
    one."""

    program: Evidence
    dispatch: DispatchFacts | None = None


def programs_headline(
    found: Sequence[Looked], heat: Heat | None = None, changed: Sequence[int] | None = None
) -> str:
    """The first program against each other one; with ``heat``, how many of the functions that
    differ are hot. ``changed``: of each other one in how many functions instructions differ; None
    where they were not compared."""
    first, *others = found
    numbers: Sequence[int | None] = [None] * len(others) if changed is None else changed
    return " ".join(
        f"{_dispatch(first, other)}{_functions(first, other, heat, number)}."
        for other, number in zip(others, numbers, strict=True)
    )


def _dispatch(a: Looked, b: Looked) -> str:
    """What can be said of both, as far as both dispatch."""
    one, other = a.dispatch, b.dispatch
    if one is None or other is None or "unknown" in (one.form, other.form):
        return ""
    if "none" in (one.form, other.form):
        return ""
    here, there = quote(a.program.variant), quote(b.program.variant)
    form, jumps = _form(one), [_jumps(one.indirect_jumps), _jumps(other.indirect_jumps)]
    if (one.style, one.form) != (other.style, other.form):
        return (
            f"The dispatch is {_form(other)} in {there}: {jumps[1]}, where {here}, {form}, has "
            f"{one.indirect_jumps:,}; "
        )
    if jumps[0] == jumps[1]:
        return f"{here} and {there} dispatch alike ({form}, {jumps[0]}); "
    return f"Both dispatch alike ({form}), by {jumps[0]} in {here} and {jumps[1]} in {there}; "


def _form(facts: DispatchFacts) -> str:
    return f"{facts.form} tail calls" if facts.style == "tail-call" else facts.form


def _jumps(number: int) -> str:
    return "1 indirect jump" if number == 1 else f"{number:,} indirect jumps"


def _functions(a: Looked, b: Looked, heat: Heat | None, changed: int | None) -> str:
    compared = compare_functions(a.program, b.program)
    differing = [d.name for d in compared if d.differs]
    if not compared:
        here, there = quote(a.program.variant), quote(b.program.variant)
        return f"{here} and {there} have no function in common"
    both = f"{len(compared):,} functions" if len(compared) > 1 else "1 function"
    if not differing:
        said = f"no count differs between the {both} in both"
        if changed is None:
            return f"{said}; --diff compares their instructions"
        if changed == 0:
            return f"{said}, nor any instruction but for addresses and registers"
        return f"{said}, but the instructions of {changed:,} do"
    hot = _hot(differing, heat)
    if len(differing) <= _NAMED:
        verb = "differs" if len(differing) == 1 else "differ"
        return f"{join_words(differing)} {verb}, of {both} in both{hot}"
    return f"{len(differing):,} of {both} in both differ{hot}"


def _hot(differing: Sequence[str], heat: Heat | None) -> str:
    if heat is None:
        return ""
    number = sum(map(heat.is_hot, differing))
    some = f"{number:,} of them hot" if number else "none of them hot"
    if len(differing) == 1:
        some = "and is hot" if number else "and is not hot"
    return f", {some} according to {quote(heat.source)}"


# ---- The first screen of programs side by side: what differs, where most, what cannot be seen.

#: What gives way where there is little room, the largest first.
_DROPS = {
    "calls": 2,
    "bytes": 1,
    "targets": 1,
    "indirect calls": 3,
    "tail jumps": 4,
}


def programs_screen(
    found: Sequence[Looked],
    candidates: Table | None,
    said: Sequence[str] = (),
    care: Sequence[str] = (),
    heat: Heat | None = None,
) -> Summary:
    """Of several programs the functions that differ, the most relevant first; of one, or where
    none differs, its ``candidates``. ``said`` are findings, ``care`` what is to be known of the
    files. With ``heat`` the hottest functions go first."""
    first, *others = (one.program for one in found)
    differing = [(other, d) for other in others for d in compare_functions(first, other)]
    differing = [(other, d) for other, d in differing if d.differs]
    if heat is not None:
        differing.sort(key=lambda pair: -heat.of(pair[1].name))
    made = candidates
    if differing:
        made = _difference_table(first, differing, len(others), heat)
    if made is not None:
        heads = (replace(c, drop=_DROPS.get(c.title, 0)) for c in made.columns)
        made = replace(made, columns=tuple(heads))
    only = [text for other in others if (text := _only(first, other))]
    return Summary(
        said=(*said, *only),
        table=made,
        ranks=tuple(range(len(made.rows))) if made else (),
        care=tuple(map(sentence, care)),
        row="function",
    )


def _difference_table(
    first: Evidence,
    differing: Sequence[tuple[Evidence, FunctionDifference]],
    others: int,
    heat: Heat | None,
) -> Table | None:
    rows: list[Row] = [
        (
            d.name,
            *((share_cell(heat, d.name),) if heat else ()),
            *((other.variant,) if others > 1 else ()),
            *(_change(d, what) for what in ("indirect_jumps", "instructions", "size")),
            _change(d, "direct_calls"),
        )
        for other, d in differing
    ]
    which = (*(right("of the run") if heat else ()), *(("in",) if others > 1 else ()))
    names = right("indirect jumps", "instructions", "bytes", "calls")
    heading = quote(first.variant) if others > 1 else f"{quote(first.variant)} → "
    heading += "" if others > 1 else quote(differing[0][0].variant)
    caption = "Functions that differ, from" if others > 1 else "Functions that differ,"
    return table(f"{caption} {heading}", ("function", *which, *names), rows)


def share_cell(heat: Heat, name: str) -> Cell:
    """The share of the run that a function takes, nothing where the profile has none of it."""
    share = heat.of(name)
    return Cell(f"{100 * share:.1f} %" if share else "", number=share)


def _change(d: FunctionDifference, what: str) -> Cell:
    a, b = _number(d.a, what), _number(d.b, what)
    return Cell(f"{a:,}" if a == b else f"{a:,} → {b:,}", number=b - a)


def _number(of: FunctionTotals, what: str) -> int:
    number: int = getattr(of, what)
    return number


def _only(a: Evidence, b: Evidence) -> str:
    """How many functions one of the two has alone."""
    counts = [
        (program, len(names))
        for program, names in zip((a, b), unmatched_functions(a, b), strict=True)
    ]
    parts = [f"{number:,} only in {quote(program.variant)}" for program, number in counts if number]
    return f"Further functions: {', '.join(parts)}." if parts else ""
