"""A made-up result of a study over chain lengths: a setting of the kernel makes jumps slow."""

from dataclasses import replace

from tests.unit.report.example import sample_result
from tests.unit.report.parts import changed

from whyfast.model.result import Result
from whyfast.model.sample import ImageProgram, JitImage, JumpForm, Observed, Overhead, RunTimes
from whyfast.model.variant import Benchmark, Parameter, Variant
from whyfast.model.verdict import Coefficient, Line, LinePoint

LENGTHS = (0, 5, 33)
HARDEN = "net.core.bpf_jit_harden"
VARIANTS = (
    Variant("static", "path:gcc", run=("--index", "static"), sysctl={HARDEN: "0"}),
    Variant("hardened", "path:gcc", run=("--index", "static"), sysctl={HARDEN: "2"}),
    Variant("harden-1", "path:gcc", run=("--index", "static"), sysctl={HARDEN: "1"}),
)
BENCHMARKS = tuple(
    Benchmark(f"calls-{n}", "bpf", ("{program}",), parameter=Parameter("calls", "tail call", n))
    for n in LENGTHS
)


def estimate(ns: float, *, bounded: bool = True) -> Coefficient:
    """With an interval of 2 % to either side."""
    if not bounded:
        return Coefficient(ns * 1e-9, None, None)
    return Coefficient(ns * 1e-9, ns * 0.98e-9, ns * 1.02e-9)


def line(variant: str, slope: float, ratio: Coefficient | None) -> Line:
    """From 15 ns on."""
    points = tuple(LinePoint(n, estimate(15 + slope * n), 0.021, 0.004, 20) for n in LENGTHS)
    return Line(
        family="calls",
        name="tail call",
        variant=variant,
        points=points,
        slope=estimate(slope),
        intercept=estimate(15),
        slope_ratio=ratio,
        departure=-1.5e-9,
        departure_at=33,
        passes=20,
        confidence=0.95,
    )


def image(variant: str, form: JumpForm, way_out: str) -> JitImage:
    """Of one program, with a listing of one line."""
    program = ImageProgram(0, 0x1000, 84, 25, form, (way_out,), (f"+0x47  jmp {variant}",))
    return JitImage(variant, form, "3 of 3 go on", (program,))


LINES = (
    line("static", 0.8, None),
    line("hardened", 16.0, Coefficient(20.0, 19.5, 20.5)),
    line("harden-1", 0.8, Coefficient(1.001, 0.99, 1.01)),
)
IMAGES = (
    image("static", "direct", "+0x47: a direct jump to program 1 + 0xc"),
    image("hardened", "thunk", "+0x84: a jump to __x86_indirect_thunk_rcx"),
    image("harden-1", "direct", "+0x47: a direct jump to program 1 + 0xc"),
)
RUN_TIMES = tuple(
    RunTimes(f"calls-{n}", v.name, (24e-9, 25e-9, 266e-6), (1e-9, 1e-9, 0.0), (900, 99, 1))
    for n in LENGTHS
    for v in VARIANTS
)
OBSERVED = Observed(IMAGES, RUN_TIMES, (Overhead("calls", "one system call", 610e-9),), ())


def slope_result() -> Result:
    base = sample_result()
    study = replace(
        base.question, baselines=("static",), variants=VARIANTS, benchmarks=BENCHMARKS, claim=None
    )
    result = changed(
        base,
        question=study,
        builds=(),
        blocks=(),
        verdicts=(),
        suites=(),
        evidence=(),
        confounds=(),
        slopes=LINES,
        observed=OBSERVED,
    )
    return changed(result)
