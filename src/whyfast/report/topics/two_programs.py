"""What differs between programs, in a line: the form of their dispatch, and how many functions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from whyfast.explain.function_differences import compare_functions
from whyfast.model.evidence import DispatchFacts, Evidence
from whyfast.model.hot import Heat
from whyfast.report.names import listed, shown

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
    here, there = shown(a.program.variant), shown(b.program.variant)
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
        here, there = shown(a.program.variant), shown(b.program.variant)
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
        return f"{listed(differing)} {verb}, of {both} in both{hot}"
    return f"{len(differing):,} of {both} in both differ{hot}"


def _hot(differing: Sequence[str], heat: Heat | None) -> str:
    if heat is None:
        return ""
    number = sum(map(heat.is_hot, differing))
    some = f"{number:,} of them hot" if number else "none of them hot"
    if len(differing) == 1:
        some = "and is hot" if number else "and is not hot"
    return f", {some} according to {shown(heat.source)}"
