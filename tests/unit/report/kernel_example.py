"""A result that counts instructions under two kernels, small enough to know by heart."""

from pathlib import Path

from tests.unit.example_blocks import block
from tests.unit.report.parts import result_of

from whyfast.judge.lines import judge_counts, judge_lines
from whyfast.model.build import Boot, BuildFailure, Kernel
from whyfast.model.result import Result
from whyfast.model.sample import Block, RunFailure
from whyfast.model.study import BuildSpec, Source, Study
from whyfast.model.variant import Benchmark, Parameter, Variant

HERE = Path("/nowhere")
#: Instructions of one loop with so many tail calls: 60 and 12 each, or 40 and 18 each.
COUNTS = {"5.10-off": (60, 12), "6.12-off": (40, 18)}
CALLS = (0, 1, 4)


def kernel(version: str) -> Kernel:
    name = f"linux-image-{version}-amd64"
    return Kernel(
        f"debian:linux-{version}", version, name, f"{version}-1", "sid", "aa", HERE, "ab" * 32
    )


def kernel_result(*, second: int = 0, parameter: bool = True) -> Result:
    """Two boots each; ``second`` instructions more in the second of 6.12. Without ``parameter``
    the benchmarks have nothing to do with each other."""
    benchmarks = tuple(
        Benchmark(
            f"calls-{n}",
            "turn",
            ("{program}",),
            parameter=Parameter("calls", "tail call", n) if parameter else None,
        )
        for n in CALLS
    )
    variants = tuple(
        Variant(
            name,
            "path:gcc",
            kernel=f"debian:linux-{name.partition('-')[0]}",
            boot=("spectre_v2=off",),
            axes={"kernel": name.partition("-")[0], "spectre_v2": "off"},
        )
        for name in (*COUNTS, "9.9-off")
    )
    study = Study(
        name="kernels",
        title="What does a tail call cost?",
        folder=HERE,
        baselines=("5.10-off",),
        margin=0.01,
        source=Source("path", ".", HERE),
        build=BuildSpec((), ""),
        variants=variants,
        benchmarks=benchmarks,
    )
    names = tuple(COUNTS)
    blocks = tuple(_block(n, index, second) for index in (0, 1) for n in CALLS)
    return result_of(
        study,
        run="r",
        started=0.0,
        sessions=(),
        toolchains=(),
        builds=(BuildFailure("9.9-off", "not-buildable", "the archive has no debian:linux-9.9"),),
        blocks=blocks,
        failures=(RunFailure("calls-4", "6.12-off", "gave no answer in time", "", ()),),
        verdicts=judge_counts(
            blocks,
            benchmarks=[b.name for b in benchmarks],
            variants=names,
            baselines=["5.10-off"],
            margin=0.01,
        ),
        suites=(),
        evidence=(),
        confounds=(),
        about="counts",
        complete=True,
        slopes=judge_lines(blocks, benchmarks=benchmarks, variants=names, baseline="5.10-off"),
        boots=tuple(
            Boot(
                (name,),
                index,
                "instructions",
                kernel(name.partition("-")[0] + ".7"),
                "quiet spectre_v2=off",
                "QEMU 7.2.22",
                "cc",
                {"spectre_v2": "Vulnerable"},
                2.00006,
                0.25,
                20439,
            )
            for index in (0, 1)
            for name in names
        ),
    )


def _block(calls: int, index: int, second: int) -> Block:
    values = {
        name: (float(start + each * calls + (second if index and name != "5.10-off" else 0)),)
        for name, (start, each) in COUNTS.items()
    }
    return block(values, benchmark=f"calls-{calls}", index=index, cpu=None, loops=1)
