"""A made-up result of 32 benchmarks, 11 measured variants and 9 of which only the code was read."""

import json
import math
from dataclasses import replace

from tests.unit.example_blocks import block
from tests.unit.report.example import STARTED, sample_result
from tests.unit.report.parts import changed

from whyfast.model.build import Toolchain
from whyfast.model.evidence import DispatchFacts, Evidence
from whyfast.model.result import Result
from whyfast.model.sample import Block
from whyfast.model.study import Claim
from whyfast.model.variant import Benchmark, Variant
from whyfast.model.verdict import Outcome, Suite, VarianceComponents, Verdict
from whyfast.report.result_json import dump_result, from_json

MARGIN = 0.01
NAMES = (
    "asyncio_tcp_ssl", "async_generators", "bm_richards_super", "chaos", "comprehensions",
    "coverage", "crypto_pyaes", "deepcopy_reduce", "deltablue", "django_template", "dulwich_log",
    "fannkuch", "float", "generators", "hexiom", "html5lib", "json_dumps", "json_loads",
    "logging_format", "mako", "meteor_contest", "nbody", "nqueens", "pathlib",
    "pickle_pure_python", "pidigits", "pyflate", "raytrace", "regex_compile",
    "scimark_sparse_mat_mult", "spectral_norm", "unpickle_pure_python",
)  # fmt: skip
#: Slowness of each measured variant against the first, without what a benchmark adds.
MEASURED = {
    "clang18": 1.0, "clang19": 1.17, "clang19-taildup": 0.998, "clang19-tc": 1.003,
    "clang19-nocg": 1.15, "clang18-nocg": 1.01, "gcc14": 1.02, "gcc16": 1.01, "gcc16-tc": 0.97,
    "clang22": 0.99, "clang22-tc": 0.96,
}  # fmt: skip
ONLY_READ = (*(f"clang{n}" for n in (11, 13, 14, 15, 16, 17, 20, 21)), "gcc9")
BASELINES = ("clang18", "clang19")


def big_result() -> Result:
    return from_json(json.loads(dump_result(_made())))


def _log(benchmark: int, variant: str) -> float:
    slow = math.log(MEASURED[variant])
    wave = math.sin(1 + benchmark * 1.7 + list(MEASURED).index(variant))
    return 0.0 if variant == "clang18" else slow + 0.03 * wave


def _word(low: float, high: float) -> Outcome:
    if low > 0:
        return "slower"
    if high < 0:
        return "faster"
    return "same" if max(-low, high) < math.log1p(MARGIN) else "undecided"


def _verdict(
    variant: str, baseline: str, benchmark: str | None, log: float, half: float
) -> Verdict:
    low, high = log - half, log + half
    ends = (math.exp(log), math.exp(low), math.exp(high))
    outcome = _word(low, high)
    return Verdict(variant, baseline, benchmark, outcome, *ends, 0.99, 20.0, 30)


def _made() -> Result:
    plain = sample_result()
    variants = (
        *(Variant(name, f"debian:{name.split('-')[0]}") for name in MEASURED),
        *(Variant(name, f"debian:{name}", evidence_only=True) for name in ONLY_READ),
    )
    study = replace(
        plain.question,
        variants=variants,
        baselines=BASELINES,
        benchmarks=tuple(Benchmark(n, "pyperf", ("{program}", f"{n}.py")) for n in NAMES),
        claim=Claim("clang19-tc", "clang19"),
    )
    verdicts, suites, levels = [], [], []
    for baseline in BASELINES:
        for variant in (v for v in MEASURED if v != baseline):
            logs = {n: _log(i, variant) - _log(i, baseline) for i, n in enumerate(NAMES)}
            verdicts += [
                _verdict(variant, baseline, n, log, 0.008 + 0.004 * math.sin(5 * log))
                for n, log in logs.items()
            ]
            total = sum(logs.values())
            influence = {n: math.exp((total - x) / (len(logs) - 1)) for n, x in logs.items()}
            mean = _verdict(variant, baseline, None, total / len(logs), 0.004)
            suites.append(Suite(mean, influence))
            if baseline == "clang18":
                levels += [
                    VarianceComponents(variant, baseline, n, 0.01, 0.004, None, 3) for n in NAMES
                ]
    evidence = tuple(_evidence(v.name) for v in variants)
    return changed(
        plain,
        question=study,
        toolchains=tuple(_toolchain(v.toolchain) for v in variants),
        builds=(),
        blocks=tuple(_block(i, n) for i, n in enumerate(NAMES)),
        verdicts=tuple(verdicts),
        suites=tuple(suites),
        components=tuple(levels),
        evidence=evidence,
    )


def _evidence(name: str) -> Evidence:
    merged = name in ("clang19", "clang19-nocg", "clang20")
    tails = name.endswith("-tc")
    facts = DispatchFacts(
        "tail-call" if tails else "loop",
        "merged" if merged else "replicated",
        1 if merged else 246,
        228,
        232 if tails else 1,
        17030,
        66947,
        "246 indirect jumps in _PyEval_EvalFrameDefault; 228 targets in its absolute jump table; "
        "most handlers end in a dispatch of their own",
    )
    return Evidence(name, "x86-64", facts, ())


def _toolchain(name: str) -> Toolchain:
    version = name.removeprefix("debian:").replace("clang", "clang ").replace("gcc", "gcc ")
    return Toolchain(
        name, "debian", f"{version}.1.0", "x86_64-linux-gnu", "c" * 64, ("cc",), frozenset()
    )


def _block(index: int, benchmark: str) -> Block:
    values = {name: (10 * 0.0012 * (index + 1) * math.exp(_log(index, name)),) for name in MEASURED}
    return block(values, benchmark=benchmark, loops=10, started=STARTED + index)
