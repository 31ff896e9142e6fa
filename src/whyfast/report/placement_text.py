"""Placement or change, and the baseline's twin, in sentences."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Sequence

from whyfast.model.question import Question
from whyfast.model.verdict import Placement, Verdict
from whyfast.report.comparisons import Comparisons
from whyfast.report.names import listed, shown
from whyfast.report.numbers import format_percent, format_verdict, plain_ratio_text, ratio_text


def placement_sentences(
    placements: Iterable[Placement], study: Question, fixes: Collection[str] = ()
) -> list[str]:
    """One sentence for each variant against the main baseline, and one on the spread.

    The suite speaks where there is one, the only benchmark otherwise. Variants in ``fixes`` have
    sentences of their own, and none here if there are others.
    """
    main = study.baselines[0] if study.baselines else None
    twins = {v.name for v in study.variants if v.twin_of}
    overall = overall_placements([p for p in placements if p.linked.baseline == main])
    changes = [p for p in overall if p.linked.variant not in twins]
    # A fix is what a study is about only where there is nothing else.
    changes = [p for p in changes if p.linked.variant not in fixes] or changes
    sentences = [_sentence(p, study.margin) for p in changes]
    return [*sentences, *_spread_sentence(overall)]


def overall_placements(placements: Sequence[Placement]) -> list[Placement]:
    """Of the suite where there is one, of each benchmark otherwise."""
    suites = [p for p in placements if p.linked.benchmark is None]
    return suites or list(placements)


def spread_text(spread: float) -> str:
    """A standard deviation of the log time in per cent, with two digits."""
    if spread <= 0:
        return "none seen"
    return f"{math.expm1(spread) * 100:.2g} %"


def _spread_sentence(overall: Sequence[Placement]) -> list[str]:
    """What drawn placement does to a build, and whose own placement is far from that."""
    known = [p for p in overall if math.isfinite(p.spread)]
    if not known:
        return []
    most, layouts = max(p.spread for p in known), max(p.layouts for p in known)
    said = (
        f"Drawn at random, placement moves the time of a build by {spread_text(most)} (one "
        f"standard deviation over {layouts} layouts)"
        if most > 0
        else f"Over {layouts} layouts drawn at random, placement moves the time of a build by less "
        "than the noise"
    )
    far = [shown(p.linked.variant) for p in known if _rare(p)]
    if not far:
        return [f"{said}."]
    is_are = "is" if len(far) == 1 else "are"
    base = shown(known[0].linked.baseline)
    return [
        f"{said}; as linked, {listed(far)} {is_are} further from {base} than any drawn layout was."
    ]


def _rare(p: Placement) -> bool:
    """Whether the pair as linked surely lies outside of all drawn pairs of layouts."""
    return p.word in ("placement", "both") and (
        math.log(p.linked.low) > max(p.points, default=math.inf)
        or math.log(p.linked.high) < min(p.points, default=-math.inf)
    )


def _sentence(p: Placement, margin: float) -> str:
    name, base = shown(p.linked.variant), shown(p.linked.baseline)
    linked = _against(p.linked, base)
    varied = f"{_short(p.varied)} over {p.layouts} layouts"
    if p.word == "placement":
        return f"{name} is {linked} as linked, but {varied}: placement, not the change."
    if p.word == "change":
        return f"{name} is {varied} and {_short(p.linked)} as linked: it is the change."
    if p.word == "both":
        return (
            f"{name} is {linked} as linked, and {varied}: what remains over layouts is the change, "
            "the rest is placement."
        )
    if p.word == "neither":
        return (
            f"{name} is the same as {base} within {format_percent(margin)}, as linked "
            f"({plain_ratio_text(p.linked.ratio, p.linked.low, p.linked.high)}) and over "
            f"{p.layouts} layouts ({_short(p.varied)})."
        )
    if p.linked.word == "same":
        plain = plain_ratio_text(p.linked.ratio, p.linked.low, p.linked.high)
        return (
            f"{name} is the same as {base} within {format_percent(margin)} as linked ({plain}); "
            f"over {p.layouts} layouts it is undecided ({_short(p.varied)})."
        )
    return (
        f"{name} is {linked} as linked, and {varied}: whether that is the change or placement is "
        "undecided."
    )


def _against(v: Verdict, base: str) -> str:
    text = ratio_text(v.ratio, v.low, v.high)
    return f"{text.value} {text.direction} than {base} {text.interval}"


def _short(v: Verdict) -> str:
    if v.word == "same":
        return str(plain_ratio_text(v.ratio, v.low, v.high))
    return str(ratio_text(v.ratio, v.low, v.high))


def twin_sentence(study: Question, comparisons: Comparisons) -> list[str]:
    """What whyfast says about the baseline against itself in another layout."""
    said = []
    for twin in (v for v in study.variants if v.twin_of):
        verdict = comparisons.of(twin.name, twin.twin_of or "")
        if verdict is not None:
            said.append(
                f"whyfast's own false-alarm meter: {shown(twin.twin_of or '')} against its twin, "
                f"the same objects in another layout, is "
                f"{format_verdict(verdict, study.margin)}."
            )
    return said
