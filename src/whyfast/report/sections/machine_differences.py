"""What is said over machines: differences, means, the claim, what is missing, what to distrust."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from whyfast.judge.machines import FEWEST
from whyfast.model.result import MachineDifference, Merged, Pooled
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
    pluralize,
    quote,
    ratio_text,
)
from whyfast.report.sections.claim_audit import audit_headline, audit_intervals
from whyfast.report.sections.over_machines import audits, compared_pairs

#: The heading of what is pooled.
POOLED = "machines like these"


def difference_sections(merged: Merged) -> tuple[ReportSection | None, ReportSection | None]:
    """What does not come out the same, and by how much: as a whole, and on single benchmarks."""
    if len(merged.machines) < 2:
        return None, None
    single = len(merged.question.benchmarks) == 1
    whole = [d for d in merged.differences if single or d.benchmark is None]
    made = _differences(merged, "Comparisons that do not come out the same", whole)
    each = [] if single else [d for d in merged.differences if d.benchmark is not None]
    more = _differences(merged, "Single benchmarks that do not come out the same", each)
    return (
        section(
            "differences",
            "Where machines differ",
            made or _NO_DIFFERENCE,
            sentences([_DIFFERENCES], aside=True),
        ),
        section("each-difference", "On which benchmarks they differ", more, importance="detail"),
    )


def _differences(merged: Merged, caption: str, found: Sequence[MachineDifference]) -> Table | None:
    pairs = compared_pairs(merged)
    single = all(d.benchmark is None for d in found) or len(merged.question.benchmarks) == 1
    rows = []
    for d in found:
        if (d.variant, d.baseline) in pairs:
            text = plain_ratio_text(d.ratio, d.low, d.high)
            middle = [join_words(names) for names in (*d.groups[1:-1], d.between) if names]
            rows.append(
                (
                    d.variant,
                    d.baseline,
                    *(() if single else (d.benchmark,)),
                    Cell(text.value, text.interval, None, d.ratio),
                    join_words(d.groups[-1]),
                    join_words(d.groups[0]),
                    "; ".join(middle) or None,
                )
            )
    columns = (
        *("variant", "against", *(() if single else ("benchmark",))),
        *("so much higher", "on", "than on", "in between"),
    )
    return table(caption, columns, rows, fixed=2 if single else 3)


_NO_DIFFERENCE = sentences(["No comparison is shown to come out otherwise on one machine."])
_DIFFERENCES = (
    "A difference is said where the intervals of two machines do not overlap, at a level at which "
    "all of them hold together with 99 % confidence; unequal words alone say nothing. What is "
    "compared are ratios, each measured on one machine, never times."
)


def pooled_section(merged: Merged) -> ReportSection | None:
    """The mean over machines; why there is none below five."""
    if len(merged.machines) < 2:
        return None
    if not merged.pooled:
        few = (
            f"Nothing is pooled over {pluralize(len(merged.machines), 'machine')}: how far machines "
            f"lie apart is known from {FEWEST} on."
        )
        none = "Nothing is pooled: too few machines have enough blocks."
        said = few if len(merged.machines) < FEWEST else none
        return section("pooled", "Machines like these", sentences([said], aside=True))
    single = len(merged.question.benchmarks) == 1
    whole = [p for p in merged.pooled if single or p.benchmark is None]
    made = _pooled(merged, whole)
    return section("pooled", "Machines like these", made, sentences([_POOLING], aside=True))


def _pooled(merged: Merged, found: Sequence[Pooled]) -> Table | None:
    pairs = compared_pairs(merged)
    rows = [
        (
            p.variant,
            p.baseline,
            pooled_cell(p),
            Cell(format_percent(round(p.tau, 4)), number=p.tau),
            (plain_ratio_text if p.outcome == "same" else ratio_text)(
                p.ratio, p.expect_low, p.expect_high
            ).interval,
            p.machines,
        )
        for p in found
        if (p.variant, p.baseline) in pairs
    ]
    columns = (
        *("variant", "against", "mean over machines"),
        *(*right("between machines"), "a further machine", *right("machines")),
    )
    return table("Means over machines, the machine as a random effect", columns, rows, fixed=2)


_POOLING = (
    "As if these machines had been drawn from all machines of their kind, which nobody did: take "
    "it for a summary. Between machines: the standard deviation of the logarithm of the ratio "
    "beyond what measuring explains. Unlike the intervals of each machine, these assume that "
    "machines differ normally: with few of them, a kind of machine that is not among them is not "
    "in the mean."
)


def claim_section(merged: Merged) -> ReportSection | None:
    """The audit of the claim, machine by machine."""
    margin = merged.question.margin
    rows = [
        (name, Cell(audit_headline(audit, margin), audit_intervals(audit, margin) or ""))
        for name, audit in audits(merged).items()
    ]
    made = table("The claim, audited on each machine", ("machine", "what the audit says"), rows)
    return section("claim", "The claim", replace(made, by_machine=True) if made else None)


def lacking_section(merged: Merged) -> ReportSection | None:
    """What some machine has no result of."""
    said = (
        f"{quote(lack.machine)} has no {quote(lack.variant)}"
        f"{f' on {quote(lack.benchmark)}' if lack.benchmark else ''}: {lack.reason}."
        for lack in merged.lacking
    )
    return section("lacking", "What is missing", sentences(said))


def care_section(merged: Merged) -> ReportSection | None:
    """What differs between the machines beside them, and the machines' own warnings."""
    items = [Sentence(c.text, c.severity) for c in merged.confounds]
    for m in merged.machines:
        own = [c for c in m.result.judged.confounds if c.severity == "warning"]
        items += [Sentence(f"{quote(m.machine.name)}: {c.text}", "warning") for c in own]
    said = Sentences(tuple(items)) if items else None
    return section("confounds", "Read with care", said, importance="answer")


def pooled_cell(p: Pooled | None) -> Cell | None:
    """The mean over machines as a cell, None when there is none."""
    if p is None:
        return None
    if p.outcome == "same":
        return Cell("same", str(plain_ratio_text(p.ratio, p.low, p.high)), "same", p.ratio)
    text = ratio_text(p.ratio, p.low, p.high)
    if p.outcome == "undecided":
        return Cell("undecided", str(text), "undecided", p.ratio)
    return Cell(text.factor, text.interval, p.outcome, p.ratio)
