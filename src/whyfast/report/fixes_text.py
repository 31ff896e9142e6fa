"""What a fix of placement does, in a sentence each: as linked, and to the spread over layouts."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from whyfast.model.question import Question
from whyfast.model.verdict import Fix, Placement, Verdict
from whyfast.report.names import count, listed, shown
from whyfast.report.numbers import format_percent, plain_ratio_text, ratio_text
from whyfast.report.placement_text import spread_text


def fix_sentences(
    fixes: Sequence[Fix], placements: Sequence[Placement], study: Question
) -> list[str]:
    """One sentence a fix: with it against each baseline as linked, and whether layouts still move
    it. Of the suite where there is one, of each benchmark otherwise."""
    said = []
    for fix in overall_fixes(fixes):
        start = f"{shown(fix.variant)}, a fix of {shown(fix.of)},"
        if fix.benchmark is not None and len(study.benchmarks) > 1:
            start = f"{shown(fix.benchmark)}: {start}"
        linked = [_against(v) for _, _, v in as_linked(fix, placements) if v is not None]
        effect = f" is {listed(linked)} as linked" if linked else ""
        said.append(f"{start}{effect}{_varied(fix, placements)}; {_spread(fix, study.margin)}.")
    return said


def overall_fixes(fixes: Sequence[Fix]) -> list[Fix]:
    """Of the suite where there is one, of each benchmark otherwise."""
    suites = [f for f in fixes if f.benchmark is None]
    return suites or list(fixes)


def as_linked(
    fix: Fix, placements: Sequence[Placement]
) -> Iterator[tuple[str, Verdict | None, Verdict | None]]:
    """Each baseline, and the verdicts against it without and with the fix; None against itself."""
    found = {
        (p.linked.benchmark, p.linked.variant, p.linked.baseline): p.linked for p in placements
    }
    for end in dict.fromkeys(p.linked.baseline for p in placements):
        without = found.get((fix.benchmark, fix.of, end))
        with_fix = found.get((fix.benchmark, fix.variant, end))
        if without or with_fix:
            yield end, without, with_fix


def _against(v: Verdict) -> str:
    base = shown(v.baseline)
    if v.word == "same":
        return f"the same as {base} ({plain_ratio_text(v.ratio, v.low, v.high)})"
    text = ratio_text(v.ratio, v.low, v.high)
    open_ = " (undecided)" if v.word == "undecided" else ""
    return f"{text.value} {text.direction} than {base} {text.interval}{open_}"


def _varied(fix: Fix, placements: Sequence[Placement]) -> str:
    """What the fix does to the code beside placing it."""
    for p in placements:
        v = p.varied
        if (v.benchmark, v.variant, v.baseline) == (fix.benchmark, fix.variant, fix.of):
            return f", and {_against(v)} over {count(p.layouts, 'layout')}"
    return ""


def _spread(fix: Fix, margin: float) -> str:
    if not math.isfinite(fix.spread):
        return (
            "what it does to the spread over layouts cannot be said: that takes three variants and "
            f"eight blocks of each kind, and there were {count(fix.layouts, 'layout')}"
        )
    without, with_fix = spread_text(fix.without), spread_text(fix.spread)
    figures = f"{without} without it, {with_fix} with it"
    match fix.word:
        case "removed":
            return f"it removed the spread over layouts: {figures}"
        case "reduced":
            return f"it reduced the spread over layouts but did not surely remove it: {figures}"
        case "larger":
            return f"it made the spread over layouts larger: {figures}"
        case "none":
            return (
                f"layouts move neither by as much as {format_percent(margin)} ({figures}), so that "
                "there was no spread to remove"
            )
        case _:
            return (
                f"whether it removed the spread over layouts is undecided after "
                f"{count(fix.layouts, 'layout')}: {figures}"
            )
