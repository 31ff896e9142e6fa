"""Machines side by side: verdicts, differences, what is pooled, dispatch, builds, the machines."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

from whyfast.model.build import Build
from whyfast.model.merged import MachineResult, Merged
from whyfast.model.verdict import Verdict
from whyfast.report.answer import answer_of
from whyfast.report.document import (
    NOTHING,
    Block,
    Cell,
    FactTree,
    ReportSection,
    Row,
    Table,
    group,
    number_cell,
    right,
    section,
    sentences,
    table,
)
from whyfast.report.names import listed, shown
from whyfast.report.topics.certainty import when
from whyfast.report.topics.dispatching import jumps_cell, kind_cell
from whyfast.report.topics.machine_differences import POOLED, pooled_cell
from whyfast.report.topics.over_machines import (
    OverMachines,
    cpu_text,
    over_machines,
)
from whyfast.report.topics.summary import SUITE, verdict_cell

_SHORT = 12
#: Of two variants that are one program on a machine.
IDENTICAL = Cell("same", "byte-identical", "same", 1.0)


def overall_table(merged: Merged) -> Table | None:
    """A comparison a row, a machine a column; from five machines on what others may do."""
    every = over_machines(merged)
    pooled = any(o.pooled for o in every)
    several = len({o.baseline for o in every}) > 1
    rows = [
        (
            o.variant,
            *((o.baseline,) if several else ()),
            *(
                IDENTICAL
                if m.machine.name in o.identical
                else _cell(merged, m, o.variant, None, o.verdicts.get(m.machine.name))
                for m in merged.machines
            ),
            *((pooled_cell(o.pooled),) if pooled else ()),
        )
        for o in every
    ]
    heads = ("variant", *(("against",) if several else ()))
    after = (POOLED,) if pooled else ()
    return _by_column(overall_caption(merged, every), heads, merged, rows, after)


def overall_caption(merged: Merged, every: Sequence[OverMachines]) -> str:
    """What the verdicts of ``every`` comparison are about, with the baseline if it is one."""
    names = [b.name for b in merged.question.benchmarks]
    on = f" on {names[0]}" if len(names) == 1 else f", {SUITE} of {len(names)} benchmarks"
    baselines = list(dict.fromkeys(o.baseline for o in every))
    against = f" against {baselines[0]}" if len(baselines) == 1 else ""
    return f"Time{on}{against}, on each machine"


def _by_column(
    caption: str,
    heads: Sequence[str],
    merged: Merged,
    rows: Iterable[Row],
    after: Sequence[str] = (),
) -> Table | None:
    """A table with a column a machine after those of ``heads``, which stay."""
    names = [m.machine.name for m in merged.machines]
    made = table(caption, (*heads, *names, *after), rows, fixed=len(heads))
    if made is None:
        return None
    first, last = len(heads), len(heads) + len(names)
    columns = (replace(c, machine=first <= i < last) for i, c in enumerate(made.columns))
    return replace(made, columns=tuple(columns))


def _cell(
    merged: Merged, one: MachineResult, variant: str, benchmark: str | None, v: Verdict | None
) -> Cell:
    if v is not None:
        return verdict_cell(v)
    for lack in merged.lacking:
        own = (lack.machine, lack.variant) == (one.machine.name, variant)
        if own and lack.benchmark in (None, benchmark):
            return Cell(NOTHING.text, lack.reason)
    return NOTHING


def benchmark_machine_section(merged: Merged) -> ReportSection | None:
    """Each benchmark of a suite, a table a comparison."""
    if len(merged.question.benchmarks) < 2:
        return None
    pairs = [(o.variant, o.baseline) for o in over_machines(merged)]
    groups = [
        group(f"{variant} against {baseline}", _each(merged, variant, baseline))
        for variant, baseline in pairs
    ]
    return section(
        "benchmarks",
        "Each benchmark",
        *groups,
        importance="detail",
        hint="Each benchmark: with -v.",
    )


def _each(merged: Merged, variant: str, baseline: str) -> Table | None:
    found = {
        (m.machine.name, v.benchmark): v
        for m in merged.machines
        for v in m.result.judged.verdicts
        if (v.variant, v.baseline) == (variant, baseline)
    }
    pooled = {
        p.benchmark: p
        for p in merged.pooled
        if (p.variant, p.baseline) == (variant, baseline) and p.benchmark is not None
    }
    rows = [
        (
            b.name,
            *(
                _cell(merged, m, variant, b.name, found.get((m.machine.name, b.name)))
                for m in merged.machines
            ),
            *((pooled_cell(pooled.get(b.name)),) if pooled else ()),
        )
        for b in merged.question.benchmarks
        if any(name == b.name for _, name in found)
    ]
    caption = f"{variant} against {baseline}, each benchmark"
    return _by_column(caption, ("benchmark",), merged, rows, (POOLED,) if pooled else ())


def machine_table(merged: Merged) -> Table | None:
    """What each machine is, with what it compiled, and how much it measured."""
    rows = [
        (
            m.machine.name,
            cpu_text(facts := m.machine.facts) or None,
            facts.get("cpus"),
            Cell(facts.get("system", NOTHING.text), facts.get("os", "")),
            "virtual" if facts.get("hypervisor") else "itself",
            listed(list(dict.fromkeys(_compilers(m)))) or None,
            number_cell(len(m.result.recorded.blocks)),
            sum(c.severity == "warning" for c in m.result.judged.confounds),
            when(m.result.recorded.started),
            listed([shown(source) for source in m.sources]),
        )
        for m in merged.machines
    ]
    columns = (
        *("machine", "CPU", *right("CPUs"), "system", "virtual?", "compilers"),
        *(*right("blocks", "warnings"), "measured", "from"),
    )
    made = table("The machines", columns, rows)
    return replace(made, by_machine=True) if made else None


def _compilers(m: MachineResult) -> Iterator[str]:
    for t in m.result.recorded.toolchains:
        yield f"{t.name} {t.version}".strip()


def dispatch_machine_section(merged: Merged) -> ReportSection | None:
    """The indirect jumps of every program on every machine."""

    def cell(m: MachineResult, variant: str) -> Cell | None:
        for e in m.result.found.evidence:
            if e.variant == variant and e.dispatch is not None:
                kind, jumps = kind_cell(e.dispatch), jumps_cell(e.dispatch)
                number = f", {jumps.text} indirect jumps" if jumps else ""
                return Cell(f"{kind.text}{number}", kind.detail)
        return None

    made = _by_variant(merged, "How they dispatch, on each machine", cell)
    return section("dispatch", "How they dispatch", made)


def builds_machine_section(merged: Merged) -> ReportSection | None:
    """The program of every variant on every machine, and where to read how it was made."""

    def cell(m: MachineResult, variant: str) -> Cell | None:
        versions = {t.name: t.version for t in m.result.recorded.toolchains}
        wanted = {v.name: v.toolchain for v in m.result.question.variants}
        for b in m.result.recorded.builds:
            if b.variant == variant and isinstance(b, Build):
                version = versions.get(wanted.get(variant, ""), "")
                return Cell(b.program_sha256[:_SHORT], version)
        return None

    made = _by_variant(merged, "Programs, by digest, and what compiled them", cell)
    said = sentences([_PROVENANCE], aside=True) if made else None
    return section("builds", "The builds", made, said, importance="detail")


_PROVENANCE = (
    "How each was built stands in the report of its machine: `whyfast report` of the file that it "
    "came from."
)


def _by_variant(
    merged: Merged, caption: str, cell: Callable[[MachineResult, str], Cell | None]
) -> Table | None:
    rows = []
    for variant in merged.question.variants:
        cells = [cell(m, variant.name) for m in merged.machines]
        if any(cells):
            rows.append((variant.name, *cells))
    return _by_column(caption, ("variant",), merged, rows)


def each_machine_section(merged: Merged) -> ReportSection | None:
    """What each says by itself, and its environment."""
    groups: list[Block | None] = []
    for m in merged.machines:
        answer = answer_of(m.result)
        environments = {
            f"session {s.id}, started {when(s.started)}": s.environment
            for s in m.result.recorded.sessions
        }
        groups.append(
            group(
                m.machine.name,
                sentences([f"{shown(m.machine.name)}: {answer.headline}", *answer.sentences]),
                FactTree(environments),
            )
        )
    return section("each", "Each machine by itself", *groups, importance="detail")
