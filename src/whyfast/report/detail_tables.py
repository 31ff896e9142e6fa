"""The tables behind the main one: benchmarks, dispatch, functions, builds, phases."""

from __future__ import annotations

from collections.abc import Iterable

from whyfast.model.build import Build
from whyfast.model.result import Result
from whyfast.model.verdict import Levels, Suite, Verdict
from whyfast.report.compare_table import run_benchmark_table
from whyfast.report.names import listed, printable, shown
from whyfast.report.numbers import format_e_value, format_seconds, ratio_text
from whyfast.report.summary_table import NOTHING, verdict_cell
from whyfast.report.table import Cell, Column, Table
from whyfast.report.times import median_times

SUITE = "geometric mean"
SHORT = 12  # hex digits of a digest that tell builds apart


def benchmark_tables(result: Result) -> tuple[Table, ...]:
    """One table a baseline: every benchmark, then the suite, for every variant."""
    table = run_benchmark_table if result.about == "runs" else _benchmark_table
    return tuple(table(result, name) for name in result.study.baselines)


def _benchmark_table(result: Result, baseline: str) -> Table:
    times = median_times(result.blocks)
    suites = {s.verdict.variant: s for s in result.suites if s.verdict.baseline == baseline}
    columns: tuple[Column, ...] = (
        Column("benchmark"),
        Column("variant"),
        Column("verdict"),
        Column("time", "right"),
        Column("blocks", "right"),
        Column("e-value", "right"),
        Column("suite without it"),
    )
    if not suites:
        columns = columns[:-1]
    rows = []
    for verdict in _in_order(result, baseline):
        name = verdict.benchmark or SUITE
        time = times.get((name, verdict.variant)) if verdict.benchmark else None
        without = NOTHING
        suite = suites.get(verdict.variant)
        if suite is not None and verdict.benchmark and verdict.benchmark in suite.influence:
            without = _without(suite, verdict.benchmark)
        row = [
            Cell(printable(name)),
            Cell(printable(verdict.variant)),
            verdict_cell(verdict),
            NOTHING if time is None else Cell(format_seconds(time)),
            Cell(str(verdict.blocks)),
            Cell(format_e_value(verdict.log_e)),
            without,
        ]
        rows.append(tuple(row[: len(columns)]))
    return Table(f"Each benchmark against {printable(baseline)}", columns, tuple(rows), fixed=2)


def _without(suite: Suite, benchmark: str) -> Cell:
    """The mean without that benchmark, with as many digits as the mean itself has."""
    ratio, whole = suite.influence[benchmark], suite.verdict
    scale = ratio / whole.ratio
    return Cell(ratio_text(ratio, whole.low * scale, whole.high * scale).factor)


def _in_order(result: Result, baseline: str) -> Iterable[Verdict]:
    """By benchmark as the study lists them, the suite last."""
    mine = [v for v in result.verdicts if v.baseline == baseline and v.benchmark is not None]
    listed = [b.name for b in result.study.benchmarks]
    known = {name: i for i, name in enumerate(listed)}
    yield from sorted(mine, key=lambda v: known.get(v.benchmark or "", len(known)))
    yield from (s.verdict for s in result.suites if s.verdict.baseline == baseline)


def dispatch_table(result: Result) -> Table | None:
    """How each build dispatches; None when no build was looked at for that."""
    rows = []
    for found in result.evidence:
        facts = found.dispatch
        if facts is None:
            continue
        rows.append(
            (
                Cell(printable(found.variant)),
                Cell(facts.style),
                Cell(facts.form),
                Cell(str(facts.indirect_jumps)),
                Cell("unknown" if facts.targets is None else str(facts.targets)),
                Cell(str(facts.functions)),
                Cell(f"{facts.instructions:,}".replace(",", " ")),
                Cell(f"{facts.size:,} B".replace(",", " ")),
                Cell(printable(facts.reason)),
            )
        )
    titles = ("variant", "style", "form")
    numbers = ("indirect jumps", "targets", "functions", "instructions", "size")
    columns = (
        *(Column(t) for t in titles),
        *(Column(t, "right") for t in numbers),
        Column("why this form"),
    )
    return Table("How each build dispatches", columns, tuple(rows)) if rows else None


def evidence_notes(result: Result) -> tuple[str, ...]:
    """What could not be seen in the programs, one line for all builds of which it is true."""
    missing: dict[tuple[str, ...], list[str]] = {}
    notes: dict[str, list[str]] = {}
    for found in result.evidence:
        if found.missing:
            missing.setdefault(found.missing, []).append(shown(found.variant))
        for note in found.notes:
            notes.setdefault(note, []).append(shown(found.variant))
    return (
        *(
            f"{listed(names)} {'has' if len(names) == 1 else 'have'} no function that matches "
            f"{' or '.join(patterns)}."
            for patterns, names in missing.items()
        ),
        *(f"{', '.join(names)}: {note}" for note, names in notes.items()),
    )


def function_table(result: Result) -> Table | None:
    """Every function that was looked at, build by build; None without any."""
    rows = [
        (
            Cell(printable(found.variant)),
            Cell(printable(f.name)),
            Cell(printable(f.section)),
            Cell(f"0x{f.address:x}"),
            *(
                Cell(str(n))
                for n in (
                    f.size,
                    f.instructions,
                    f.indirect_jumps,
                    f.direct_calls,
                    f.indirect_calls,
                    f.tail_jumps,
                )
            ),
        )
        for found in result.evidence
        for f in found.functions
    ]
    numbers = (
        "address",
        "bytes",
        "instructions",
        "indirect jumps",
        "direct calls",
        "indirect calls",
        "tail jumps",
    )
    columns = (
        Column("variant"),
        Column("function"),
        Column("section"),
        *(Column(t, "right") for t in numbers),
    )
    return Table("Functions", columns, tuple(rows), fixed=2) if rows else None


def build_table(result: Result) -> Table | None:
    """What became of each variant; None when nothing was built, as for two commands."""
    if not result.builds:
        return None
    toolchains = {v.name: v.toolchain for v in result.study.variants}
    versions = {t.name: t.version for t in result.toolchains}
    rows = []
    for build in result.builds:
        toolchain = toolchains.get(build.variant, "")
        version = versions.get(toolchain, "")
        start = (Cell(printable(build.variant)), Cell(printable(toolchain), printable(version)))
        if isinstance(build, Build):
            state = "reused" if build.reused else "built"
            program = build.program_sha256[:SHORT]
            rows.append((*start, Cell(state), Cell(build.digest[:SHORT]), Cell(program)))
        else:
            state = "not buildable" if build.kind == "not-buildable" else "failed"
            rows.append((*start, Cell(state, printable(build.reason)), NOTHING, NOTHING))
    columns = tuple(Column(t) for t in ("variant", "toolchain", "state", "inputs", "program"))
    return Table("Builds, with the digests of inputs and program", columns, tuple(rows))


def noise_table(result: Result) -> Table | None:
    """Where the noise of each comparison comes from, and how the benchmarks were measured."""
    if not result.levels:
        return None
    loops = {c.benchmark: c for c in result.calibrations}
    varied = any(x.layout is not None for x in result.levels)
    columns = [Column("benchmark"), Column("variant"), Column("value", "right")]
    columns += [Column("process", "right"), *([Column("layout", "right")] if varied else [])]
    columns += [Column("a block"), Column("set aside")]
    rows = []
    for x in result.levels:
        c = loops.get(x.benchmark)
        block = f"{c.turns} turns of {format_seconds(c.value)}" if c else f"{x.turns} turns"
        cells = [Cell(printable(x.benchmark)), Cell(printable(x.variant)), _deviation(x.value)]
        cells += [_deviation(x.process), *([_deviation(x.layout)] if varied else [])]
        rows.append((*cells, Cell(block), Cell(_set_aside(x))))
    title = (
        f"Noise of one ratio to {shown(result.levels[0].baseline)}: standard deviations by level"
    )
    return Table(title, tuple(columns), tuple(rows))


def _deviation(sigma: float | None) -> Cell:
    return Cell("–" if sigma is None else f"{sigma * 100:.2g} %")


def _set_aside(x: Levels) -> str:
    if x.drifts:
        return "no steady state"
    return f"first {x.unsteady} of {x.turns} values" if x.unsteady else "nothing"


def phase_table(result: Result) -> Table | None:
    """Wall time by phase; None when none was recorded."""
    if not result.seconds:
        return None
    rows = tuple((Cell(name), Cell(format_seconds(s))) for name, s in result.seconds.items())
    return Table("Time spent", (Column("phase"), Column("time", "right")), rows)
