"""The tables behind the main ones: functions, builds, noise, phases."""

from __future__ import annotations

from whyfast.model.build import Build
from whyfast.model.result import Result
from whyfast.model.verdict import VarianceComponents
from whyfast.report.counted_table import counted_notes
from whyfast.report.names import listed, printable, sentence, shown
from whyfast.report.numbers import format_seconds
from whyfast.report.summary_table import NOTHING
from whyfast.report.table import Cell, Column, Table

SHORT = 12  # hex digits of a digest that tell builds apart


def evidence_notes(result: Result) -> tuple[str, ...]:
    """What could not be seen in the programs, one line for all builds of which it is true."""
    missing: dict[tuple[str, ...], list[str]] = {}
    notes: dict[str, list[str]] = {}
    for found in result.found.evidence:
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
        *counted_notes(result),
        *(sentence(note) for note in result.found.observed.notes),
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
        for found in result.found.evidence
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
    if not result.recorded.builds:
        return None
    toolchains = {v.name: v.toolchain for v in result.question.variants}
    versions = {t.name: t.version for t in result.recorded.toolchains}
    rows = []
    for build in result.recorded.builds:
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
    if not result.judged.components:
        return None
    loops = {c.benchmark: c for c in result.recorded.calibrations}
    varied = any(x.layout is not None for x in result.judged.components)
    columns = [Column("benchmark"), Column("variant"), Column("value", "right")]
    columns += [Column("process", "right"), *([Column("layout", "right")] if varied else [])]
    columns += [Column("a block"), Column("set aside")]
    rows = []
    for x in result.judged.components:
        c = loops.get(x.benchmark)
        block = f"{c.turns} turns of {format_seconds(c.value)}" if c else f"{x.turns} turns"
        cells = [Cell(printable(x.benchmark)), Cell(printable(x.variant)), _deviation(x.value)]
        cells += [_deviation(x.process), *([_deviation(x.layout)] if varied else [])]
        rows.append((*cells, Cell(block), Cell(_set_aside(x))))
    baseline = shown(result.judged.components[0].baseline)
    title = f"Noise of one ratio to {baseline}: standard deviations by level"
    return Table(title, tuple(columns), tuple(rows))


def _deviation(sigma: float | None) -> Cell:
    return Cell("–" if sigma is None else f"{sigma * 100:.2g} %")


def _set_aside(x: VarianceComponents) -> str:
    if x.drifts:
        return "no steady state"
    return f"first {x.unsteady} of {x.turns} values" if x.unsteady else "nothing"


def phase_table(result: Result) -> Table | None:
    """Wall time by phase; None when none was recorded."""
    if not result.recorded.seconds:
        return None
    rows = tuple(
        (Cell(name), Cell(format_seconds(s))) for name, s in result.recorded.seconds.items()
    )
    return Table("Time spent", (Column("phase"), Column("time", "right")), rows)
