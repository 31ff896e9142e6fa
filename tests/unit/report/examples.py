"""Made-up results, one for each thing that a report can hold."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from tests.unit.example_blocks import block
from tests.unit.report.example import ab_result, sample_result, sample_study, verdict
from tests.unit.report.example import sample_result as example
from tests.unit.report.parts import changed, result_of
from tests.unit.report.placement_example import PLACED, placement, placement_result

from whyfast.explain.code_diff import align
from whyfast.history.detect import detect
from whyfast.model.code import CodeLine, CodeListing, CodePair, ProgramCode
from whyfast.model.counters import CodePlace, Counted, Counter, Counts, HotFunction
from whyfast.model.counters import Source as CountedBy
from whyfast.model.evidence import Trouble
from whyfast.model.history import History, PointSeries, Timeline
from whyfast.model.result import Result
from whyfast.model.sample import Block, Figure, Observed, RunFailure
from whyfast.model.study import BuildSpec, Question, Source, Study
from whyfast.model.variant import Benchmark, Variant
from whyfast.model.verdict import Fix, FixOutcome, Interaction, Outcome, Suite, Verdict


def axes_question(*benchmarks: str) -> Question:
    return replace(
        sample_study(),
        baselines=("gcc-switch", "clang-switch"),
        along={"dispatch": "switch"},
        claim=None,
        variants=tuple(
            Variant(f"{c}-{d}", axes={"compiler": c, "dispatch": d})
            for c in ("gcc", "clang")
            for d in ("goto", "switch", "tail")
            if (c, d) != ("gcc", "tail")
        ),
        benchmarks=tuple(Benchmark(name, "turn", ("x",)) for name in benchmarks or ("fib",)),
    )


def axes_result(outcome: Outcome = "faster", ratio: float = 0.86) -> Result:
    between = verdict("gcc-goto", "clang-goto", outcome, ratio, ratio - 0.01, ratio + 0.01)
    return result_of(
        axes_question(),
        verdicts=(
            replace(
                verdict("gcc-goto", "gcc-switch", "faster", 1 / 1.14, 1 / 1.15, 1 / 1.13),
                benchmark="fib",
            ),
            replace(
                verdict("clang-goto", "clang-switch", "slower", 1.02, 1.01, 1.03), benchmark="fib"
            ),
            replace(
                verdict("clang-tail", "clang-switch", "same", 1.001, 0.999, 1.003), benchmark="fib"
            ),
        ),
        interactions=(
            Interaction(
                "compiler", replace(between, benchmark="fib"), ("gcc-switch", "clang-switch")
            ),
        ),
        blocks=(
            block(
                {
                    "gcc-switch": [0.003],
                    "clang-switch": [0.006],
                    "gcc-goto": [0.002],
                    "clang-goto": [0.006],
                }
            ),
        ),
    )


def metrics_result() -> Result:
    plain = ab_result()
    base, other = "sleep 0.10", "sleep 0.11"
    more = verdict(other, base, "slower", 1.5, 1.4, 1.6, benchmark="command")
    same = verdict(other, base, "same", 1.001, 0.998, 1.004, benchmark="command")
    extra = {base: {"user": (0.002,)}, other: {"user": (0.003,)}}
    return changed(
        plain,
        metrics=(replace(more, metric="user"), replace(same, metric="minor_faults")),
        blocks=tuple(replace(b, extra=extra) for b in plain.recorded.blocks),
    )


def listing(*texts: str) -> CodeListing:
    lines = []
    for i, text in enumerate(texts):
        flow = "indirect jump" if text.startswith("jmp q") else ""
        lines.append(CodeLine(text, text, flow, f"vm.c:{i}"))  # type: ignore[arg-type]
    return CodeListing("vm_run", tuple(lines))


EQUAL = tuple(f"mov r{i}" for i in range(12))


CODE_PAIR = CodePair(
    "old",
    "new",
    (align(listing(*EQUAL, "jmp qword ptr [rax]"), listing(*EQUAL, "jmp L1")),),
    others=2,
    only_in_b=("fresh",),
)


PLACE = CodePlace(0x1000, 640, ".text", 10, 1, 10, 2)


def counts_of(
    variant: str,
    events: Mapping[str, float | None] | None = None,
    source: CountedBy = "simulated",
    note: str = "",
) -> Counts:
    counters = tuple(Counter(n, v, "events", source, "tool 1.0") for n, v in (events or {}).items())
    notes = (note,) if note else ()
    return Counts(variant, ("/p",), counters, None, notes, failed=not counters)


def hot(name: str, costs: tuple[float, float], misses: tuple[float, float]) -> HotFunction:
    return HotFunction(name, "", costs, (0.5, 0.5), (PLACE, None), misses)


def counted_result(*counted: Counted) -> Result:
    return changed(example(), counted=counted)


def two_variants() -> tuple[str, str]:
    study = example().question
    other = next(v.name for v in study.variants if v.name != study.baselines[0])
    return study.baselines[0], other


def events(executed: float, missed: float, indirect: float) -> dict[str, float | None]:
    return {
        "instructions": executed,
        "branch-misses": missed,
        "indirect branches": 100_000,
        "indirect branch misses": indirect,
        "L1i misses": 0,
    }


def simulated(benchmark: str = "b") -> Counted:
    base, other = two_variants()
    return Counted(
        benchmark,
        "one turn of 1 loop",
        (
            counts_of(base, events(1_000_000, 10_000, 8_300)),
            counts_of(other, events(1_100_000, 40_000, 34_700)),
        ),
        profiled=(base, other),
        event="instructions",
        tool="tool 1.0",
        hot=(
            hot("vm_run", (900_000, 1_000_000), (9_000, 38_000)),
            hot("helper", (50_000, 50_000), (1_000, 2_000)),
        ),
    )


ONLY_READ = Variant("clang20", "debian:clang-20", evidence_only=True)


VARIED = verdict("hot", "before", "same", 1.0, 0.997, 1.003, benchmark="calls")


def fix_of(outcome: FixOutcome, spread: float = 0.002, without: float = 0.02) -> Fix:
    return Fix("hot", "after", "calls", outcome, spread, without, 0.05, 0.2, 16)


def fixes_result(fix: Fix) -> Result:
    """``hot`` is a fix of ``after``, against both ends."""
    linked = [
        verdict("hot", "before", "same", 1.001, 0.998, 1.004, benchmark="calls"),
        verdict("hot", "after", "faster", 1 / 1.64, 1 / 1.66, 1 / 1.62, benchmark="calls"),
    ]
    more = [placement("neither", v, replace(VARIED, baseline=v.baseline)) for v in linked]
    plain = placement_result()
    hot = replace(plain.question.variant("after"), name="hot", fixes="after")
    plain = replace(
        plain, question=replace(plain.question, variants=(*plain.question.variants, hot))
    )
    return changed(plain, placements=(PLACED, *more), fixes=(fix,))


NOISE = (1.004, 0.991, 1.012, 0.998, 1.003, 0.985, 1.009, 1.001, 0.994, 1.007)


VERSIONS = tuple(f"v{i}" for i in range(10))


def series(name: str, step: float = 1.0, machine: str = "") -> PointSeries:
    values = tuple(e * (step if i >= 5 else 1.0) for i, e in enumerate(NOISE))
    keys = {"machine": machine} if machine else {}
    return PointSeries(f"{name} on {machine}" if machine else name, values, keys, machine=machine)


def facts(kernel_from: int) -> tuple[dict[str, str], ...]:
    return tuple(
        {"platform": "6.1" if i < kernel_from else "6.12", "commit_id": f"{i}0aabbcc"}
        for i in range(10)
    )


def two_machines() -> History:
    """Ten benchmarks; on machine a all step, where its kernel changes; k on both."""
    many = [series(f"s{i}", 1.2, "a") for i in range(10)]
    same = [series(f"s{i}", 1.0, "b") for i in range(10)]
    known = {"a": facts(5), "b": facts(99)}
    return detect(Timeline(VERSIONS, (*many, *same), facts=known, study="mine"))


SAME_PLACED = verdict("after", "before", "same", 1.0, 0.997, 1.003, benchmark="calls")


OPEN_PLACED = verdict("after", "before", "undecided", 1.02, 0.98, 1.06, benchmark="calls")


TROUBLE = Trouble(
    "clang19-goto",
    "clang 19.1.7",
    "merged computed gotos",
    "6 indirect jumps for 172 handlers where clang18-goto (the same source by clang 18.1.8) has "
    "168",
    name="llvm-tail-duplication-limit",
    title="a limit leaves computed gotos merged",
    listed=True,
    flags=("-mllvm", "-tail-dup-pred-size=5000"),
    sources=("https://example.org/1",),
    toml=("[variant.x]", 'extends = "clang19-goto"'),
)


MATRIX_NAMES = ("map", "getattr", "fastcall")


#: Seconds of a loop by benchmark and variant; the oldest has no fastcall.
MATRIX_TIMES = {
    "map": {"old": 205e-6, "mid": 200e-6, "new": 168e-6},
    "getattr": {"old": 267e-9, "mid": 266e-9, "new": 150e-9},
    "fastcall": {"mid": 60e-9, "new": 30e-9},
}


LACKING = RunFailure("fastcall", "old", "METH_FASTCALL came with 3.6", "", (), lacks=True)


def matrix_verdict(
    variant: str, benchmark: str | None, outcome: Outcome, *numbers: float
) -> Verdict:
    ratio, low, high = numbers
    return Verdict(variant, "old", benchmark, outcome, ratio, low, high, 0.95, 9.0, 20)


def matrix_block(benchmark: str) -> Block:
    values = {v: (seconds * 10,) for v, seconds in MATRIX_TIMES[benchmark].items()}
    return block(values, benchmark=benchmark, loops=10)


def matrix_result(**more: object) -> Result:
    study = Study(
        name="fastcall",
        folder=Path("/study"),
        baselines=("old",),
        margin=0.01,
        source=Source("subject", "callconv", Path("/subject")),
        build=BuildSpec(("make",), "callconv.so"),
        variants=tuple(Variant(v, "path:gcc", python=f"pyenv:{v}") for v in ("old", "mid", "new")),
        benchmarks=tuple(Benchmark(name, "turn", ("{python}", name)) for name in MATRIX_NAMES),
    )
    verdicts = (
        matrix_verdict("mid", "map", "undecided", 0.975, 0.94, 1.01),
        matrix_verdict("new", "map", "faster", 0.82, 0.812, 0.828),
        matrix_verdict("mid", "getattr", "same", 0.998, 0.994, 1.002),
        matrix_verdict("new", "getattr", "faster", 0.56, 0.50, 0.63),
    )
    suites = (Suite(matrix_verdict("new", None, "faster", 0.68, 0.65, 0.71)),)
    return result_of(
        study,
        verdicts=verdicts,
        suites=suites,
        blocks=tuple(matrix_block(name) for name in MATRIX_NAMES),
        failures=(LACKING,),
        **more,
    )


STACK = "bytes of C stack a call"


def figures() -> Observed:
    stack = {
        ("map", "old"): 344,
        ("map", "new"): 936,
        ("getattr", "old"): 96,
        ("getattr", "new"): 96,
    }
    figures = [Figure(name, variant, STACK, number=n) for (name, variant), n in stack.items()]
    why = "instructions that specialise came with 3.11"
    figures += [
        Figure("map", "old", "instructions that call", why=why),
        Figure("map", "new", "instructions that call", text="CALL_PY_EXACT_ARGS"),
    ]
    return Observed(figures=tuple(figures))


def code_of(variant: str, jumps: int, functions: tuple[str, ...] = ("vm_run",)) -> ProgramCode:
    lines = (
        CodeLine("mov eax, ecx", "mov R32, R32"),
        *(CodeLine("jmp qword ptr [rax]", "jmp qword ptr [R64]", "indirect jump"),) * jumps,
    )
    return ProgramCode(variant, tuple(CodeListing(name, lines) for name in functions))


def code_result(*code: ProgramCode) -> Result:
    return changed(sample_result(), code=code)


THREE_CODES = (
    code_of("clang18-goto", 5),
    code_of("clang19-goto", 1),
    code_of("clang19-goto-taildup", 5),
)
