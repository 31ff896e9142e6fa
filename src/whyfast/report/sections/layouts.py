"""Placement or change: differences, fixes and the A/A control over random layouts; and profile or
change, over builds that were trained again."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any, TypeVar

from whyfast.model.result import Result
from whyfast.model.study import Question
from whyfast.model.verdict import Draw, Fix, FixOutcome, Placement, PlacementOutcome, Verdict
from whyfast.report import document as doc
from whyfast.report import formatting as fmt
from whyfast.report.sections.distribution import interval_data, plottable
from whyfast.report.sections.main_table import SUITE, verdict_cell

T = TypeVar("T", Placement, Fix)

#: What each word is called where there is room for no sentence.
_CAUSES: dict[PlacementOutcome, str] = {"change": "the change", "neither": "no difference"}
_SPREADS: dict[FixOutcome, str] = {"larger": "increased", "none": "no spread"}


def _cause(p: Placement) -> str:
    placed = "profile" if p.over == "profiles" else "placement"
    return placed if p.outcome == "placement" else _CAUSES.get(p.outcome, p.outcome)


#: What the programs are that no draw has moved.
_FIRST: dict[Draw, str] = {"layouts": "as linked", "profiles": "as first trained"}


def _over(p: Placement) -> str:
    return f"over {fmt.pluralize(p.layouts, p.over[:-1])}"


def placement_sentences(
    placements: Iterable[Placement], study: Question, fixes: Collection[str] = ()
) -> list[str]:
    """One sentence for each variant against the main baseline, and one on the spread. About the
    suite where there is one, else about each benchmark. Variants in ``fixes`` have sentences of
    their own, and none here if there are others."""
    controls = {v.name for v in study.variants if v.control_of}
    sentences, spreads, luck = [], [], []
    by_draw = fmt.grouped(
        (p.over, p) for p in placements if p.linked.baseline in study.baselines[:1]
    )
    for over in _FIRST:
        overall = _overall(by_draw.get(over, []))
        changes = [p for p in overall if p.linked.variant not in controls]
        # A fix is what a study is about only where there is nothing else.
        changes = [p for p in changes if p.linked.variant not in fixes] or changes
        sentences += [_sentence(p, study.margin) for p in changes]
        luck += [p.outcome != "change" for p in changes]
        spreads += _spread_sentence(overall)
    if len(spreads) == 1 and luck == [True]:  # how far it goes is part of the answer
        return [f"{sentences[0][:-1]}; {spreads[0][:1].lower()}{spreads[0][1:]}"]
    return [*sentences, *spreads]


def _overall(judged: Sequence[T]) -> list[T]:
    """Of the suite where there is one, of each benchmark otherwise."""
    every = [(x.linked.benchmark if isinstance(x, Placement) else x.benchmark, x) for x in judged]
    return [x for benchmark, x in every if benchmark is None] or list(judged)


def spread_text(spread: float, high: float = math.inf) -> str:
    """A standard deviation of log time in per cent; where none is seen its upper limit."""
    if spread > 0:
        return fmt.rough(math.expm1(spread))
    return f"under {fmt.rough(math.expm1(high))}" if 0 < high < math.inf else "none seen"


def spread_detail(p: Placement) -> str:
    """``at most 2.8 %``, where a spread is seen and bounded; else empty."""
    if not 0 < p.spread < p.spread_high < math.inf:
        return ""
    return f"at most {fmt.rough(math.expm1(p.spread_high))}"


def _spread_sentence(overall: Sequence[Placement]) -> list[str]:
    """What drawn placement does to a build, and whose own placement is far from that."""
    known = [p for p in overall if math.isfinite(p.spread)]
    if not known:
        return []
    most, over = max(known, key=lambda p: p.spread), _over(max(known, key=lambda p: p.layouts))
    cause = "Random placement" if known[0].over == "layouts" else "Training again"
    detail = f", {bound}" if (bound := spread_detail(most)) else ""
    by = f"{spread_text(most.spread)} (one standard deviation {over}{detail})"
    if most.spread <= 0:
        least = max(p.spread_high for p in known)
        by = f"{spread_text(0, least) if least < math.inf else 'less than the noise'}, {over}"
    text = f"{cause} changes the time of a build by {by}"
    if far := [fmt.quote(p.linked.variant) for p in known if _rare(p)]:
        base = fmt.quote(known[0].linked.baseline)
        first, drawn = _FIRST[known[0].over], known[0].over[:-1]
        text += (
            f"; {first}, {fmt.has(far, 'is', 'are')} further from {base} than any random {drawn}"
        )
    return [f"{text}."]


def _rare(p: Placement) -> bool:
    """Whether the pair as linked surely lies outside of all drawn pairs of layouts."""
    return p.outcome in ("placement", "both") and (
        math.log(p.linked.low) > max(p.points, default=math.inf)
        or math.log(p.linked.high) < min(p.points, default=-math.inf)
    )


def _sentence(p: Placement, margin: float) -> str:
    name, base = fmt.quote(p.linked.variant), fmt.quote(p.linked.baseline)
    text, plain = fmt.text_of(p.linked), fmt.plain_text_of(p.linked)
    linked = f"{name} is {text.than(base)} {text.interval}"
    over, varied, first = _over(p), fmt.verdict_text(p.varied), _FIRST[p.over]
    as_first = fmt.verdict_text(p.linked)
    luck = "placement" if p.over == "layouts" else "the profile"
    same = f"{name} is the same as {base} within {fmt.percent(margin)}"
    match p.outcome:
        case "placement":
            return f"{linked} {first}, but {varied} {over}: {luck}, not the change."
        case "change":
            return f"{name} is {varied} {over} and {as_first} {first}: it is the change."
        case "both":
            return (
                f"{linked} {first}, and {varied} {over}: the difference over {p.over} is the "
                f"change, the rest is {luck}."
            )
        case "neither":
            return f"{same}, {first} ({plain}) and {over} ({varied})."
        case _ if p.linked.outcome == "same":
            return f"{same} {first} ({plain}); {over} it is undecided ({varied})."
        case _:
            return (
                f"{linked} {first}, and {varied} {over}: whether that is the change or {luck} "
                "is undecided."
            )


def control_sentences(result: Result) -> Iterator[str]:
    """What whyfast says about the baseline against itself in another layout."""
    for v in result.question.variants:
        verdict = result.judged.overall(v.name, v.control_of) if v.control_of else None
        if verdict is not None:
            yield (
                f"A/A control: {fmt.quote(verdict.baseline)} against the same objects in another "
                f"layout is {fmt.verdict(verdict, result.question.margin)}."
            )


def fix_sentences(
    fixes: Sequence[Fix], placements: Sequence[Placement], study: Question
) -> list[str]:
    """One sentence for each fix: its verdicts as linked, and whether layouts still change the time.
    Of the suite where there is one, of each benchmark otherwise."""
    texts, margin = [], study.margin
    placements = [p for p in placements if p.over == "layouts"]
    for fix in _overall(fixes):
        text = f"{fmt.quote(fix.variant)}, a fix of {fmt.quote(fix.of)},"
        if fix.benchmark is not None and len(study.benchmarks) > 1:
            text = f"{fmt.quote(fix.benchmark)}: {text}"
        every = _as_linked(fix, placements)
        if linked := [fmt.verdict(v, margin, "clause") for _, _, v in every if v is not None]:
            text += f" is {fmt.join(linked)} as linked"
        for p in placements:  # what the fix does to the code beside placing it
            v = p.varied
            if (v.benchmark, v.variant, v.baseline) == (fix.benchmark, fix.variant, fix.of):
                text += f", and {fmt.verdict(v, margin, 'clause')} {_over(p)}"
        texts.append(f"{text}; {_spread(fix, margin)}.")
    return texts


def _as_linked(
    fix: Fix, placements: Sequence[Placement]
) -> Iterator[tuple[str, Verdict | None, Verdict | None]]:
    """Each baseline, and the verdicts against it without and with the fix; None against itself."""
    linked = {(v.benchmark, v.variant, v.baseline): v for v in (p.linked for p in placements)}
    for end in dict.fromkeys(p.linked.baseline for p in placements):
        without = linked.get((fix.benchmark, fix.of, end))
        with_fix = linked.get((fix.benchmark, fix.variant, end))
        if without or with_fix:
            yield end, without, with_fix


def _spread(fix: Fix, margin: float) -> str:
    layouts = fmt.pluralize(fix.layouts, "layout")
    if not math.isfinite(fix.spread):
        return (
            "its effect on the spread over layouts is unknown: that needs three variants and "
            f"eight blocks of each kind; there were {layouts}"
        )
    figures = f"{spread_text(fix.without)} without it, {spread_text(fix.spread)} with it"
    over = "the spread over layouts"
    texts: dict[FixOutcome, str] = {
        "removed": f"it removed {over}: {figures}",
        "reduced": f"it reduced {over} but may not have removed it: {figures}",
        "larger": f"it increased {over}: {figures}",
        "none": f"layouts change neither by {fmt.percent(margin)} or more ({figures}), so there "
        "was no spread to remove",
        "undecided": f"whether it removed {over} is undecided after {layouts}: {figures}",
    }
    return texts[fix.outcome]


def placement_section(result: Result) -> doc.ReportSection | None:
    """The tables and the plot, where layouts or profiles were drawn."""
    shown = placement_table(result), placement_plot(result), fix_table(result)
    return doc.section("placement", "Placement or change", *shown)


def placement_table(result: Result) -> doc.Table | None:
    """A row for each pair and kind of draw; a long report has each benchmark too."""
    every = result.judged.placements
    short = [p for over in _FIRST for p in _overall([p for p in every if p.over == over])]
    return doc.with_short(_placement_table(every), _placement_table(short))


def _placement_table(placements: Sequence[Placement]) -> doc.Table | None:
    named = len({p.linked.benchmark for p in placements}) > 1
    kinds = [over for over in _FIRST if any(p.over == over for p in placements)]
    rows, seen = [], set()
    for p in placements:
        v = p.linked
        if (p.over, v.benchmark, v.variant, v.baseline) in seen:  # said from the other side
            continue
        seen.add((p.over, v.benchmark, v.baseline, v.variant))
        rows.append(
            (
                *(v.variant, v.baseline, v.benchmark or "all", p.over, _cause(p)),
                *(verdict_cell(v), verdict_cell(p.varied)),
                doc.Cell(spread_text(p.spread, p.spread_high), spread_detail(p), number=p.spread)
                if math.isfinite(p.spread)
                else None,
            )
        )
    names = ("variant", "against", "benchmark" if named else None)
    drawn = "drawn" if len(kinds) > 1 else None
    first = _FIRST[kinds[0]] if len(kinds) == 1 else "as built"
    over = f"over {kinds[0]}" if len(kinds) == 1 else "over these"
    columns = (*names, drawn, "cause", first, over, *doc.right("spread"))
    what = {"layouts": "Placement", "profiles": "Profile"}
    counts = [max((p for p in placements if p.over == k), key=lambda p: p.layouts) for k in kinds]
    caption = f"{' or '.join(what[k] for k in kinds)} or change, {', '.join(map(_over, counts))}"
    return doc.table(caption, columns, rows, fixed=4)


def fix_table(result: Result) -> doc.Table | None:
    """A row for each fix and baseline, in a long report also for each benchmark; None without."""
    every, placements = result.judged.fixes, result.judged.placements
    return doc.with_short(_fix_table(every, placements), _fix_table(_overall(every), placements))


def _fix_table(fixes: Sequence[Fix], placements: Sequence[Placement]) -> doc.Table | None:
    named = len({f.benchmark for f in fixes}) > 1

    def spread(fix: Fix) -> doc.Cell | None:
        """What the fix did to it; without the fix and with it."""
        if not math.isfinite(fix.spread):
            return None
        figures = f"{spread_text(fix.without)} → {spread_text(fix.spread)}"
        none = fix.spread <= 0 and fix.without <= 0
        return doc.Cell(_SPREADS.get(fix.outcome, fix.outcome), "none seen" if none else figures)

    rows = [
        (
            *(fix.variant, fix.of, end, fix.benchmark or "all"),
            *(None if v is None else verdict_cell(v) for v in (without, with_fix)),
            spread(fix),
        )
        for fix in fixes
        for end, without, with_fix in _as_linked(fix, placements)
    ]
    names = ("fix", "of", "against", "benchmark" if named else None)
    columns = (*names, "without it", "with it", "spread over layouts")
    return doc.table("Fixes as linked, and their spread over layouts", columns, rows, fixed=4)


def placement_plot(result: Result) -> doc.Plot | None:
    """One figure for each pair, with a row for the mean and each benchmark; all ratios of time.
    The variant of a claim has the first."""
    margin, claim = result.question.margin, result.question.claim
    claimed = claim.variant if claim else ""
    placements = sorted(result.judged.placements, key=lambda p: p.linked.variant != claimed)
    pairs = fmt.grouped(((p.linked.baseline, p.over, p.linked.variant), p) for p in placements)
    figures = fmt.grouped(
        (baseline, _figure(each, margin)) for (baseline, *_), each in pairs.items()
    )
    ordered = [name for name in result.question.baselines if name in figures]
    baselines = [{"name": name, "figures": figures[name]} for name in ordered]
    return doc.Plot("placement", {"margin": margin, "baselines": baselines}) if placements else None


def _figure(placements: Sequence[Placement], margin: float) -> dict[str, Any]:
    first, alone = placements[0], len(placements) == 1
    title = f"{fmt.quote(first.linked.variant)} against {fmt.quote(first.linked.baseline)}"
    texts, rows = [], []
    for p in placements:
        name, as_first, over = p.linked.benchmark or SUITE, _FIRST[p.over], _over(p)
        figures = f"{as_first} {fmt.verdict(p.linked, margin)}"
        figures += f", {over} {fmt.verdict(p.varied, margin)}: {_cause(p)}"
        texts.append(figures if alone else f"{fmt.quote(name)}: {figures}")
        rows.append(
            {
                "name": "" if alone else name,
                "linked": _interval(p.linked, margin, as_first),
                "varied": _interval(p.varied, margin, over),
                "points": [math.exp(x) for x in p.points if math.isfinite(x)],
            }
        )
    return {
        "title": f"{title}: {_cause(first)}",
        "label": f"{title}. {'; '.join(texts)}.",
        "rows": rows,
    }


def _interval(verdict: Verdict, margin: float, what: str) -> dict[str, Any] | None:
    text = f"{what}: {fmt.verdict(verdict, margin)}"
    return {**interval_data(verdict), "text": text} if plottable(verdict.ratio) else None
