"""Sections of merged machines: differences, means, the claim, missing results, warnings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from whyfast.judge.machines import FEWEST
from whyfast.model.result import MachineDifference, Merged
from whyfast.report.document import (
    Cell,
    ReportSection,
    Sentence,
    Sentences,
    Table,
    right,
    section,
    sentences,
    table,
)
from whyfast.report.formatting import (
    format_percent,
    join_words,
    plain_ratio_text,
    quote,
    ratio_text,
)
from whyfast.report.sections.claim_audit import audit_headline, audit_intervals
from whyfast.report.sections.main_table import verdict_cell
from whyfast.report.sections.over_machines import audits, compared_pairs

#: The heading of what is pooled.
POOLED = "machines like these"


def difference_sections(merged: Merged) -> tuple[ReportSection | None, ReportSection | None]:
    """What differs between machines, and by how much: as a whole, and on single benchmarks."""
    if len(merged.machines) < 2:
        return None, None
    single = len(merged.question.benchmarks) == 1
    whole = [d for d in merged.differences if single or d.benchmark is None]
    made = _differences(merged, "Comparisons that differ between machines", whole)
    each = [] if single else [d for d in merged.differences if d.benchmark is not None]
    more = _differences(merged, "Single benchmarks that differ between machines", each)
    return (
        section(
            "differences",
            "Where machines differ",
            made or _NO_DIFFERENCE,
            sentences([_DIFFERENCES], aside=True),
        ),
        section("each-difference", "On which benchmarks they differ", more, importance="detail"),
    )


def _differences(
    merged: Merged, caption: str, differences: Sequence[MachineDifference]
) -> Table | None:
    pairs = compared_pairs(merged)
    single = all(d.benchmark is None for d in differences) or len(merged.question.benchmarks) == 1
    rows = [
        (
            *(d.variant, d.baseline, *(() if single else (d.benchmark,))),
            Cell(text.value, text.interval, None, d.ratio),
            *(join_words(d.groups[-1]), join_words(d.groups[0])),
            "; ".join(join_words(g) for g in (*d.groups[1:-1], d.between) if g) or None,
        )
        for d in differences
        if (d.variant, d.baseline) in pairs
        for text in [plain_ratio_text(d.ratio, d.low, d.high)]
    ]
    names = ("variant", "against", *(() if single else ("benchmark",)))
    columns = (*names, "ratio higher by", "on", "than on", "in between")
    return table(caption, columns, rows, fixed=len(names))


_NO_DIFFERENCE = sentences(["No comparison is shown to differ between machines."])
_DIFFERENCES = (
    "A difference is reported where the intervals of two machines do not overlap, at a level at "
    "which all of them hold together with 99 % confidence; different outcomes alone show nothing. "
    "Only ratios are compared, each measured on one machine, never times."
)


def pooled_section(merged: Merged) -> ReportSection | None:
    """The mean over machines; why there is none below five."""
    if len(merged.machines) < 2:
        return None
    if not merged.pooled:
        why = "too few machines have enough blocks."
        if len(merged.machines) < FEWEST:
            why = f"how far machines lie apart takes at least {FEWEST} of them."
        reason = sentences([f"There is no mean over machines: {why}"], aside=True)
        return section("pooled", "Machines like these", reason)
    single, pairs = len(merged.question.benchmarks) == 1, compared_pairs(merged)
    rows = [
        (
            *(p.variant, p.baseline, verdict_cell(p)),
            Cell(format_percent(round(p.tau, 4)), number=p.tau),
            (plain_ratio_text if p.outcome == "same" else ratio_text)(
                p.ratio, p.expect_low, p.expect_high
            ).interval,
            p.machines,
        )
        for p in merged.pooled
        if (single or p.benchmark is None) and (p.variant, p.baseline) in pairs
    ]
    columns = (
        *("variant", "against", "mean over machines"),
        *(*right("between machines"), "a further machine", *right("machines")),
    )
    made = table("Means over machines, the machine as a random effect", columns, rows, fixed=2)
    return section("pooled", "Machines like these", made, sentences([_POOLING], aside=True))


_POOLING = (
    "This treats the machines as a random sample of their kind, which they are not: read it as a "
    "summary. Between machines: the standard deviation of the logarithm of the ratio beyond "
    "measurement error. Unlike the intervals of single machines, these assume normally distributed "
    "differences, and do not cover a kind of machine that is absent here."
)


def claim_section(merged: Merged) -> ReportSection | None:
    """The audit of the claim, machine by machine."""
    margin = merged.question.margin
    rows = [
        (name, Cell(audit_headline(audit, margin), "".join(audit_intervals(audit, margin))))
        for name, audit in audits(merged).items()
    ]
    made = table("The claim, audited on each machine", ("machine", "what the audit says"), rows)
    return section("claim", "The claim", replace(made, by_machine=True) if made else None)


def lacking_section(merged: Merged) -> ReportSection | None:
    """What some machine has no result of."""
    texts = (
        f"{quote(lack.machine)} has no {quote(lack.variant)}"
        f"{f' on {quote(lack.benchmark)}' if lack.benchmark else ''}: {lack.reason}."
        for lack in merged.lacking
    )
    return section("lacking", "What is missing", sentences(texts))


def care_section(merged: Merged) -> ReportSection | None:
    """What differs between the machines beside them, and the machines' own warnings."""
    items = [Sentence(c.text, c.severity) for c in merged.confounds]
    for m in merged.machines:
        warnings = [c for c in m.result.judged.confounds if c.severity == "warning"]
        items += [Sentence(f"{quote(m.machine.name)}: {c.text}", "warning") for c in warnings]
    block = Sentences(tuple(items)) if items else None
    return section("confounds", "Read with care", block, importance="answer")
