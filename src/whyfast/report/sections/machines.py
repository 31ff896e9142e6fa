"""Machines side by side: verdicts, plots, benchmarks, dispatch, builds, facts; the summary."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from whyfast.judge.machines import FEWEST
from whyfast.model.build import Build
from whyfast.model.result import MachineResult, Merged
from whyfast.model.verdict import Verdict
from whyfast.report import document as doc
from whyfast.report import formatting as fmt
from whyfast.report.answer import answer_of
from whyfast.report.sections import over_machines
from whyfast.report.sections.certainty import warnings_of
from whyfast.report.sections.dispatching import jumps_cell, kind_cell
from whyfast.report.sections.distribution import plottable, point
from whyfast.report.sections.main_table import IDENTICAL, time_caption, verdict_cell
from whyfast.report.sections.timeline import when

_SHORT = 12
_PROVENANCE = (
    "For how each was built, see the report of its machine: run `whyfast report` on the file that "
    "it came from."
)


def overall_table(merged: Merged, *, pooled: bool = True) -> doc.Table | None:
    """A row for each comparison, a column for each machine, and one for others if ``pooled``."""
    every = over_machines.over_machines(merged)
    pooled = pooled and any(o.pooled for o in every)
    baselines = list(dict.fromkeys(o.baseline for o in every))
    several = len(baselines) > 1
    rows = [
        (
            *(o.variant, o.baseline),
            *_verdict_cells(merged, o.variant, None, o.verdicts, o.identical),
            None if o.pooled is None else verdict_cell(o.pooled),
        )
        for o in every
    ]
    heads = ("variant", "against" if several else None)
    against = f" against {baselines[0]}" if len(baselines) == 1 else ""
    caption = f"{time_caption(merged.question)}{against}, on each machine"
    return _by_column(caption, heads, merged, rows, over_machines.POOLED if pooled else None)


def _by_column(
    caption: str,
    heads: Sequence[str | None],
    merged: Merged,
    rows: Iterable[doc.Row],
    after: str | None = None,
) -> doc.Table | None:
    """A table with a column for each machine after those of ``heads``, which stay."""
    names = [m.machine.name for m in merged.machines]
    whole = doc.table(caption, (*heads, *names, after), rows, fixed=len(heads))
    if whole is None:
        return None
    last = whole.fixed + len(names)
    columns = (replace(c, machine=whole.fixed <= i < last) for i, c in enumerate(whole.columns))
    return replace(whole, columns=tuple(columns))


def _verdict_cells(
    merged: Merged,
    variant: str,
    benchmark: str | None,
    verdicts: Mapping[str, Verdict],
    identical: Sequence[str] = (),
) -> Iterator[doc.Cell]:
    """For each machine the verdict, or why it has none."""
    reasons = {
        lack.machine: lack.reason
        for lack in reversed(merged.lacking)
        if lack.variant == variant and lack.benchmark in (None, benchmark)
    }
    known = {name: verdict_cell(v) for name, v in verdicts.items()}
    known |= dict.fromkeys(identical, IDENTICAL)
    for name in (m.machine.name for m in merged.machines):
        yield known.get(name) or doc.Cell(doc.NOTHING.text, reasons.get(name, ""))


def benchmark_machine_section(merged: Merged) -> doc.ReportSection | None:
    """Each benchmark of a suite, a table for each comparison."""
    if len(merged.question.benchmarks) < 2:
        return None
    groups = [
        doc.group(f"{o.variant} against {o.baseline}", _each(merged, o.variant, o.baseline))
        for o in over_machines.over_machines(merged)
    ]
    return doc.detail("benchmarks", "Each benchmark", *groups, hint="Each benchmark: with -v.")


def _each(merged: Merged, variant: str, baseline: str) -> doc.Table | None:
    pair = (variant, baseline)
    verdicts: dict[str | None, dict[str, Verdict]] = {}
    for m in merged.machines:
        for v in m.result.judged.verdicts:
            if (v.variant, v.baseline) == pair:
                verdicts.setdefault(v.benchmark, {})[m.machine.name] = v
    mine = (p for p in merged.pooled if (p.variant, p.baseline) == pair and p.benchmark is not None)
    pooled = {p.benchmark: verdict_cell(p) for p in mine}
    rows = [
        (b.name, *_verdict_cells(merged, variant, b.name, verdicts[b.name]), pooled.get(b.name))
        for b in merged.question.benchmarks
        if b.name in verdicts
    ]
    caption = f"{variant} against {baseline}, each benchmark"
    return _by_column(
        caption, ("benchmark",), merged, rows, over_machines.POOLED if pooled else None
    )


def pooled_section(merged: Merged) -> doc.ReportSection | None:
    """The mean over machines, or why there is none."""
    if len(merged.machines) < 2:
        return None
    title = "Machines like these"
    if not merged.pooled:
        why = "too few machines have enough blocks."
        if len(merged.machines) < FEWEST:
            why = f"that takes at least {FEWEST} machines."
        return doc.section("pooled", title, doc.note(f"There is no mean over machines: {why}"))
    single, pairs = len(merged.question.benchmarks) == 1, over_machines.compared_pairs(merged)
    rows = [
        (
            *(p.variant, p.baseline, verdict_cell(p)),
            doc.Cell(fmt.percent(round(p.tau, 4)), number=p.tau),
            over_machines.expected_interval(p),
            p.machines,
        )
        for p in merged.pooled
        if (single or p.benchmark is None) and (p.variant, p.baseline) in pairs
    ]
    columns = (
        *("variant", "against", "mean over machines"),
        *(*doc.right("between machines"), "a further machine", *doc.right("machines")),
    )
    means = doc.table("Means over machines, the machine as a random effect", columns, rows, fixed=2)
    return doc.section("pooled", title, means, doc.note(_POOLING))


_POOLING = (
    "This treats the machines as a random sample of their kind, which they are not: read it as a "
    "summary. Between machines: the standard deviation of the logarithm of the ratio beyond "
    "measurement error. Unlike the intervals of single machines, these assume normally distributed "
    "differences, and do not cover a kind of machine that is absent here."
)


def machine_table(merged: Merged) -> doc.Table | None:
    """What each machine is, with what it compiled, and how much it measured."""
    rows = [
        (
            m.machine.name,
            over_machines.cpu_text(facts := m.machine.facts) or None,
            facts.get("cpus"),
            doc.Cell(facts.get("system", doc.NOTHING.text), facts.get("os", "")),
            "yes" if facts.get("hypervisor") else "no",
            fmt.join(dict.fromkeys(compilers)) or None,
            doc.number_cell(len(m.result.recorded.blocks)),
            len(warnings_of(m.result.judged.confounds)),
            when(m.result.recorded.started),
            fmt.quoted(m.sources),
        )
        for m in merged.machines
        for compilers in [(f"{t.name} {t.version}".strip() for t in m.result.recorded.toolchains)]
    ]
    columns = (
        *("machine", "CPU", *doc.right("CPUs"), "system", "virtual?", "compilers"),
        *(*doc.right("blocks", "warnings"), "measured", "from"),
    )
    return doc.table("The machines", columns, rows, by_machine=True)


def dispatch_machine_section(merged: Merged) -> doc.ReportSection | None:
    """The indirect jumps of every program on every machine."""

    def cell(m: MachineResult, variant: str) -> doc.Cell | None:
        for e in m.result.found.evidence:
            if e.variant == variant and e.dispatch is not None:
                kind, jumps = kind_cell(e.dispatch), jumps_cell(e.dispatch)
                number = f", {jumps.text} indirect jumps" if jumps else ""
                return doc.Cell(f"{kind.text}{number}", kind.detail)
        return None

    title = "How they dispatch"
    return doc.section("dispatch", title, _by_variant(merged, f"{title}, on each machine", cell))


def builds_machine_section(merged: Merged) -> doc.ReportSection | None:
    """The program of every variant on every machine, and where to read how it was made."""

    def cell(m: MachineResult, variant: str) -> doc.Cell | None:
        versions = {t.name: t.version for t in m.result.recorded.toolchains}
        wanted = {v.name: v.toolchain for v in m.result.question.variants}
        for b in m.result.recorded.builds:
            if b.variant == variant and isinstance(b, Build):
                version = versions.get(wanted.get(variant, ""), "")
                return doc.Cell(b.program_sha256[:_SHORT], version)
        return None

    programs = _by_variant(merged, "Programs, by digest, and what compiled them", cell)
    return doc.detail("builds", "The builds", programs, doc.note(_PROVENANCE) if programs else None)


def _by_variant(
    merged: Merged, caption: str, cell: Callable[[MachineResult, str], doc.Cell | None]
) -> doc.Table | None:
    names = [v.name for v in merged.question.variants]
    rows = [(name, *(cell(m, name) for m in merged.machines)) for name in names]
    return _by_column(caption, ("variant",), merged, [row for row in rows if any(row[1:])])


def each_machine_section(merged: Merged) -> doc.ReportSection | None:
    """What each says by itself, and its environment."""
    groups = []
    for m in merged.machines:
        answer, name = answer_of(m.result), m.machine.name
        texts = doc.sentences([f"{fmt.quote(name)}: {answer.headline}", *answer.sentences])
        environments = {
            f"session {s.id}, started {when(s.started)}": s.environment
            for s in m.result.recorded.sessions
        }
        groups.append(doc.group(name, texts, doc.FactTree(environments)))
    return doc.detail("each", "Each machine by itself", *groups)


def machine_plot(merged: Merged) -> doc.Plot | None:
    """For each comparison a row for each machine with its interval, and the mean over machines."""
    margin = merged.question.margin
    figures = [_figure(o, margin) for o in over_machines.over_machines(merged)]
    names = [
        {"name": m.machine.name, "about": over_machines.cpu_text(m.machine.facts)}
        for m in merged.machines
    ]
    data = {"margin": margin, "machines": names, "figures": figures}
    return doc.Plot("machines", data) if any(f["points"] for f in figures) else None


def _figure(o: over_machines.OverMachines, margin: float) -> dict[str, Any]:
    known = {name: v for name, v in o.verdicts.items() if plottable(v.ratio)}
    points = [point(v, name, fmt.verdict(v, margin)) for name, v in known.items()]
    pooled = None
    if (p := o.pooled) is not None:
        expect = [x if plottable(x) else None for x in (p.expect_low, p.expect_high)]
        pooled = {
            **point(p, over_machines.POOLED, over_machines.pooled_sentence(p, margin)),
            "expect": expect,
        }
    verdicts = "; ".join(f"{fmt.quote(str(p['name']))} {p['text']}" for p in points)
    title = f"{o.variant} against {o.baseline}"
    return {"title": title, "label": f"{title}: {verdicts}.", "points": points, "pooled": pooled}


# The summary.

#: Up to this number of machines each has a column, more have rows.
_COLUMNS = 4
#: How many warnings are quoted.
_QUOTED = 2


def machines_summary(merged: Merged) -> doc.Summary:
    """The findings, the table of verdicts without intervals, what to distrust."""
    few = len(merged.machines) <= _COLUMNS
    table = overall_table(merged, pooled=False)
    if table is not None:
        table = (table if few else _by_row(table, merged)).without_details()
    return doc.Summary(
        findings=tuple(over_machines.machine_sentences(merged)[1:]),
        table=table,
        care=tuple(_care(merged)),
        more="intervals, benchmarks and each machine by itself: -v, or --html FILE.",
        row="comparison" if few else "machine",
    )


def _by_row(table: doc.Table, merged: Merged) -> doc.Table:
    """A row for each machine with its CPU, which gives way first, then the later comparisons."""
    titles = [" / ".join(cell.text for cell in row[: table.fixed]) for row in table.rows]
    heads = enumerate(("machine", *titles, "CPU"))
    verdicts = zip(*(row[table.fixed :] for row in table.rows), strict=True)
    pairs = zip((m.machine for m in merged.machines), verdicts, strict=True)
    rows = tuple(
        (doc.Cell(m.name), *v, doc.Cell(over_machines.cpu_text(m.facts))) for m, v in pairs
    )
    return doc.Table(
        table.caption, tuple(doc.Column(t, drop=max(0, i - 1)) for i, t in heads), rows
    )


def _care(merged: Merged) -> Iterator[str]:
    """What differs between the machines, what is missing, and how many warnings each has."""
    warnings = warnings_of(merged.confounds)[:_QUOTED]
    yield from (fmt.sentence(c.text) for c in warnings)
    lacking = dict.fromkeys((lack.machine, lack.variant) for lack in merged.lacking)
    yield from (f"{fmt.quote(m)} has no {fmt.quote(v)}." for m, v in list(lacking)[:_QUOTED])
    severe = (
        (m.machine.name, len(warnings_of(m.result.judged.confounds))) for m in merged.machines
    )
    if numbers := [f"{fmt.quote(name)} {number}" for name, number in severe if number]:
        yield f"Warnings of the machines themselves: {', '.join(numbers)}."
    if rest := len(merged.confounds) - len(warnings):
        yield f"{fmt.pluralize(rest, 'further note')} on what differs between the machines."
