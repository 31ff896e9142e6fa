"""A made-up result in the shape of the tail-call story: the baseline of a claim is broken."""

import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from tests.unit.example_blocks import block
from tests.unit.report.parts import changed, result_of

from whyfast.model.build import Build, BuildFailure, BuildOutcome, Toolchain
from whyfast.model.evidence import DispatchFacts, Evidence, FunctionFacts
from whyfast.model.result import Result
from whyfast.model.sample import Block, RunFailure, Session
from whyfast.model.study import BuildSpec, Claim, Commands, Source, Study
from whyfast.model.variant import Benchmark, Variant
from whyfast.model.verdict import Confound, Outcome, Suite, Verdict

TAILDUP = ("-mllvm", "-tail-dup-pred-size=5000")
BENCHMARKS = ("sieve", "fib", "nbody", "sort", "mandel", "hash")
STARTED = 1_760_000_000.0

#: Ratio of each measured variant to clang18-goto, without noise.
SLOWNESS = {
    "clang18-goto": 1.0,
    "clang19-goto": 2.14,
    "clang19-goto-taildup": 1.001,
    "clang19-tail": 0.99,
}
VARIANTS = tuple(SLOWNESS)


def verdict(
    variant: str,
    baseline: str,
    outcome: Outcome,
    ratio: float,
    low: float,
    high: float,
    *,
    benchmark: str | None = None,
    blocks: int = 24,
) -> Verdict:
    """A verdict at 95 % with a plain evidence value."""
    return Verdict(variant, baseline, benchmark, outcome, ratio, low, high, 0.95, 12.0, blocks)


def suite(
    variant: str, baseline: str, outcome: Outcome, ratio: float, low: float, high: float
) -> Suite:
    """A suite verdict; leaving any benchmark out changes the mean by 0.2 % or less."""
    shares = {name: ratio * (1 + 0.0004 * i) for i, name in enumerate(BENCHMARKS)}
    return Suite(verdict(variant, baseline, outcome, ratio, low, high), shares)


SUITES = (
    suite("clang19-goto", "clang18-goto", "slower", 2.14, 2.10, 2.19),
    suite("clang19-goto-taildup", "clang18-goto", "same", 1.001, 0.998, 1.004),
    suite("clang19-tail", "clang18-goto", "faster", 1 / 1.012, 1 / 1.018, 1 / 1.006),
    suite("clang18-goto", "clang19-goto", "faster", 1 / 2.14, 1 / 2.19, 1 / 2.10),
    suite("clang19-goto-taildup", "clang19-goto", "faster", 1 / 2.13, 1 / 2.18, 1 / 2.08),
    suite("clang19-tail", "clang19-goto", "faster", 1 / 2.16, 1 / 2.21, 1 / 2.12),
)


def sample_study() -> Study:
    """Two baselines, one claim, five variants of which gcc12-tail cannot be built."""
    goto = ("-O2", "-DDISPATCH=goto")
    tail = ("-O2", "-DDISPATCH=tail")
    return Study(
        name="tail-call",
        title="Is the tail-call interpreter faster than computed goto?",
        folder=Path("/studies/tail-call"),
        baselines=("clang18-goto", "clang19-goto"),
        margin=0.01,
        source=Source("subject", "ebpf-vm", Path("/subjects/ebpf-vm")),
        build=BuildSpec(("{cc} {cflags} -o {program} {source}/vm.c {ldflags}",), "vm"),
        variants=(
            Variant("clang18-goto", "debian:clang-18", goto),
            Variant("clang19-goto", "debian:clang-19", goto),
            Variant("clang19-goto-taildup", "debian:clang-19", (*goto, *TAILDUP)),
            Variant(
                "clang19-tail",
                "debian:clang-19",
                tail,
                requires=("musttail", "preserve_none"),
                expect={"dispatch": "tail-call"},
            ),
            Variant("gcc12-tail", "path:gcc", tail, requires=("musttail",)),
        ),
        benchmarks=tuple(
            Benchmark(name, "turn", ("{program}", f"{name}.bin"), check="42") for name in BENCHMARKS
        ),
        claim=Claim("clang19-tail", "clang19-goto"),
    )


def sample_evidence() -> tuple[Evidence, ...]:
    """168 replicated jumps everywhere but in clang19-goto, which has 6 merged ones."""
    return tuple(
        Evidence(
            name,
            "x86-64",
            DispatchFacts(
                "tail-call" if name == "clang19-tail" else "loop",
                "merged" if name == "clang19-goto" else "replicated",
                6 if name == "clang19-goto" else 168,
                172,
                172 if name == "clang19-tail" else 1,
                4100,
                16_384,
                "168 of 172 targets end in a dispatch of their own",
            ),
            (
                FunctionFacts(
                    "vm_run", 0x401000, 16_384, ".text", 4100, 168, 12, 3, 2, (("abort", 12),)
                ),
            ),
        )
        for name in VARIANTS
    )


def sample_builds() -> tuple[BuildOutcome, ...]:
    """Four builds with a short provenance, and one that gcc cannot do."""
    built = tuple(
        Build(
            name,
            f"{i:x}" * 64,
            Path(f"/builds/{name}/vm"),
            f"{i + 8:x}" * 64,
            {
                "variant": name,
                "toolchain": {"name": name.split("-")[0], "version": "1.2.3"},
                "commands": ['cd "$(mktemp -d)"', f"clang -O2 -o vm vm.c # {name}"],
            },
            reused=i % 2 == 0,
        )
        for i, name in enumerate(VARIANTS)
    )
    reason = "its compiler has no musttail"
    return (*built, BuildFailure("gcc12-tail", "not-buildable", reason))


def sample_blocks(blocks: int = 8, turns: int = 5) -> tuple[Block, ...]:
    """Deterministic values: a slow drift over blocks, a small ripple over turns."""
    made = []
    for b, benchmark in enumerate(BENCHMARKS):
        for index in range(blocks):
            base = 0.001 * (b + 1) * (1 + 0.02 * math.sin(index))
            values = {
                name: tuple(
                    base * slow * 10 * (1 + 0.004 * math.sin(7 * t + 3 * i + index))
                    for t in range(turns)
                )
                for i, (name, slow) in enumerate(SLOWNESS.items())
            }
            made.append(
                block(
                    values,
                    benchmark=benchmark,
                    index=index,
                    seed=1000 * b + index,
                    cpu=index % 2,
                    loops=10,
                    start_order=_rotated(VARIANTS, index),
                    order=tuple(_rotated(VARIANTS, index + t) for t in range(turns)),
                    started=STARTED + 60 * b + index,
                    seconds=0.9,
                )
            )
    return tuple(made)


def _rotated(names: tuple[str, ...], by: int) -> tuple[str, ...]:
    by %= len(names)
    return names[by:] + names[:by]


def sample_verdicts() -> tuple[Verdict, ...]:
    """One verdict a benchmark for each suite, scattered a little around it."""
    return tuple(
        replace(
            s.verdict,
            benchmark=name,
            ratio=s.verdict.ratio * (1 + shift),
            low=s.verdict.low * (1 + 1.2 * shift - 0.002),
            high=s.verdict.high * (1 + 1.2 * shift + 0.002),
        )
        for s in SUITES
        for name, shift in zip(BENCHMARKS, (-0.003, 0.001, 0.002, -0.001, 0.0, 0.003), strict=True)
    )


def sample_confounds() -> tuple[Confound, ...]:
    """A warning about the machine and a note about two builds."""
    return (
        Confound("virtual-machine", "This is a virtual machine: neighbours share its CPUs."),
        Confound(
            "compiler",
            "clang18-goto and clang19-goto differ in the compiler as well as in dispatch.",
            "note",
            ("clang18-goto", "clang19-goto"),
        ),
    )


def sample_result(
    *,
    blocks: Sequence[Block] | None = None,
    failures: Sequence[RunFailure] = (),
    complete: bool = True,
) -> Result:
    study, builds = sample_study(), sample_builds()
    verdicts, evidence, confounds = sample_verdicts(), sample_evidence(), sample_confounds()
    return result_of(
        study,
        run="2025-10-09-a1b2",
        started=STARTED,
        sessions=(
            Session(
                "s1",
                STARTED,
                {"kernel": "6.1.0", "cpu": {"model": "Example CPU", "count": 2}, "governor": None},
            ),
        ),
        toolchains=(
            Toolchain(
                "debian:clang-19",
                "debian",
                "19.1.7",
                "x86_64-linux-gnu",
                "c" * 64,
                ("clang-19",),
                frozenset({"computed-goto", "musttail"}),
            ),
        ),
        builds=builds,
        blocks=tuple(blocks) if blocks is not None else sample_blocks(),
        failures=tuple(failures),
        verdicts=verdicts,
        suites=SUITES,
        evidence=evidence,
        confounds=confounds,
        about="binaries",
        complete=complete,
        seconds={"build": 12.3, "measure": 61.0, "judge": 0.4},
    )


def ab_result(outcome: Outcome = "slower", ratio: float = 1.1) -> Result:
    """Two commands and one benchmark, as ``whyfast ab`` has them: no suite, no evidence."""
    base, other = "sleep 0.10", "sleep 0.11"
    question = Commands(
        baselines=(base,),
        margin=0.01,
        budget=60.0,
        variants=(Variant(base), Variant(other)),
        benchmarks=(Benchmark("command", "command", ()),),
    )
    verdicts = (
        verdict(other, base, outcome, ratio, ratio - 0.01, ratio + 0.01, benchmark="command"),
    )
    blocks = tuple(
        block(
            {base: (0.1 + i / 1e4,), other: (0.11 + i / 1e4,)},
            benchmark="command",
            index=i,
            cpu=0,
            loops=1,
            started=STARTED + i,
        )
        for i in range(5)
    )
    return changed(
        sample_result(),
        question=question,
        builds=(),
        toolchains=(),
        blocks=blocks,
        verdicts=verdicts,
        suites=(),
        evidence=(),
        confounds=(),
        about="commands",
    )
