"""What a terminal of some width shows of a page, and results that fill more than one screen."""

from collections.abc import Sequence
from pathlib import Path

from tests.unit.example_blocks import block
from tests.unit.report.example import verdict
from tests.unit.report.parts import printed, result_of

from whyfast.model.code import ChangeCoverage, Check, CodeComparison, FunctionChange
from whyfast.model.evidence import Evidence, FunctionFacts
from whyfast.model.result import Result
from whyfast.model.sample import Block
from whyfast.model.study import BuildSpec, Commands, Recordings, Source, Study
from whyfast.model.variant import Benchmark, Variant
from whyfast.model.verdict import Confound, Outcome, Suite, Verdict
from whyfast.report.document import Document
from whyfast.report.render.summary_lines import LINES

CONFOUNDS = (
    Confound("host", "different host: h (main); k (pr)"),
    Confound("load", "the machine was busy: load 2.2 per CPU"),
    Confound("names", "the files name no compiler", "note"),
)


def shown(page: Document, width: int) -> list[str]:
    """Its lines, without what fills them up."""
    return [line.rstrip() for line in printed(page, width).splitlines()]


def fits(lines: Sequence[str], width: int) -> bool:
    """Whether a screen of that width holds them, and the prompt."""
    return len(lines) < LINES and max(map(len, lines)) <= width


def spread(number: int) -> list[tuple[Outcome, float]]:
    """Verdicts from faster to slower, the middle undecided."""
    ratios = [0.8 + 0.4 * i / max(number - 1, 1) for i in range(number)]
    return [
        ("undecided" if abs(r - 1) < 0.05 else "slower" if r > 1 else "faster", r) for r in ratios
    ]


def judged(head: str, base: str, benchmarks: Sequence[str]) -> tuple[Verdict, ...]:
    """One verdict a benchmark."""
    return tuple(
        verdict(head, base, outcome, ratio, ratio - 0.06, ratio + 0.06, benchmark=name)
        for name, (outcome, ratio) in zip(benchmarks, spread(len(benchmarks)), strict=True)
    )


def mean(head: str, base: str, outcome: Outcome, ratio: float) -> Suite:
    """The geometric mean with an interval of 2 %."""
    return Suite(verdict(head, base, outcome, ratio, ratio - 0.01, ratio + 0.01))


def blocks(
    times: dict[str, float], benchmark: str = "whole run", number: int = 8
) -> tuple[Block, ...]:
    """Blocks of single runs that take a little longer each."""
    return tuple(
        block(
            {name: (time * (1 + i / 1000),) for name, time in times.items()},
            benchmark=benchmark,
            index=i,
            loops=1,
        )
        for i in range(number)
    )


def commands(names: Sequence[str], verdicts: Sequence[Verdict], times: dict[str, float]) -> Result:
    """What ``whyfast ab`` finds of those commands, the first the baseline."""
    question = Commands(
        baselines=(names[0],),
        margin=0.01,
        budget=60.0,
        variants=tuple(map(Variant, names)),
        benchmarks=(Benchmark("whole run", "command", ()),),
    )
    return result_of(
        question,
        about="commands",
        verdicts=tuple(verdicts),
        blocks=blocks(times),
        confounds=CONFOUNDS,
    )


def recordings(names: Sequence[str], benchmarks: Sequence[str]) -> Result:
    """What ``whyfast compare`` finds of those files, the first the base."""
    question = Recordings(
        baselines=(names[0],),
        margin=0.01,
        variants=tuple(map(Variant, names)),
        benchmarks=tuple(Benchmark(n, "command", ()) for n in benchmarks),
    )
    words: list[tuple[Outcome, float]] = [("slower", 1.04), ("faster", 0.9), ("undecided", 1.001)]
    heads = [(n, *words[i % 3]) for i, n in enumerate(names[1:])]
    return result_of(
        question,
        about="runs",
        verdicts=tuple(v for n in names[1:] for v in judged(n, names[0], benchmarks)),
        suites=tuple(mean(n, names[0], outcome, ratio) for n, outcome, ratio in heads),
        confounds=(
            Confound("session-drift", "the runs were not interleaved, and so on at length"),
            *CONFOUNDS,
        ),
    )


def checked(benchmarks: Sequence[str], *, same: bool = False) -> Result:
    """What ``whyfast check`` finds of a change of one function."""
    hot = FunctionChange("hot", "changed", (10, 12), True, ("peek",))
    code = CodeComparison(False, same, () if same else (hot,), (), traced=True)
    check = Check(
        *("a" * 40, "b" * 40, "main", "the working tree", code),
        reaches=tuple(ChangeCoverage(n, ("hot",), "", (100.0, 103.0)) for n in benchmarks),
        commits=3,
        search="whyfast search . --good main --bad HEAD",
    )
    build = BuildSpec(("cc",), "p")
    question = Study(
        name="check",
        baselines=("base",),
        margin=0.01,
        folder=Path("/s"),
        source=Source("subject", "s", Path("/s")),
        build=build,
        variants=(Variant("base"), Variant("head")),
        benchmarks=tuple(Benchmark(n, "command", ()) for n in benchmarks),
    )
    verdicts = () if same else judged("head", "base", benchmarks)
    return result_of(
        question, about="binaries", verdicts=verdicts, check=check, confounds=CONFOUNDS
    )


def program(name: str, functions: int, size: int) -> Evidence:
    """Functions of growing size, the last with an indirect jump for each 100 bytes of ``size``."""
    jumps = [0] * (functions - 1) + [size // 100]
    facts = tuple(
        FunctionFacts(
            *(f"function_{i}", 64 * i, size + i * (size - 100), ".text", 20 + i),
            *(jumps[i], 2, 0, 0),
        )
        for i in range(functions)
    )
    return Evidence(name, "x86-64", None, facts, notes=("stripped: some functions have no names",))
