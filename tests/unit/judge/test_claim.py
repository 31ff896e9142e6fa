"""Which variants could have been the baseline of a claim."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from whyfast.judge.comparisons import claim_pairs, plausible_baselines
from whyfast.model.evidence import DispatchFacts, Evidence
from whyfast.model.study import BuildSpec, Claim, Source, Study
from whyfast.model.variant import Variant

CLAIM = Claim("new-tail", "new")
STUDY = Study(
    name="demo",
    title="demo",
    folder=Path("demo"),
    baselines=("old",),
    margin=0.01,
    source=Source("path", "src", Path("demo/src")),
    build=BuildSpec((), "vm"),
    variants=(
        Variant("old", "path:clang-18"),
        Variant("old twin", "path:clang-18", twin_of="old"),
        Variant("new", "path:clang-19"),
        Variant("mended", "path:clang-19", ("-mllvm", "-x")),
        Variant("new-tail", "path:clang-19", ("-DTAIL",)),
        Variant("newer-tail", "path:clang-22", ("-DTAIL",)),
        Variant("only-read", "path:clang-22", evidence_only=True),
    ),
    benchmarks=(),
    claim=CLAIM,
)


def _evidence() -> list[Evidence]:
    return [
        Evidence(
            v.name,
            "x86-64",
            DispatchFacts(
                "tail-call" if "tail" in v.name else "loop", "replicated", 9, 9, 9, 9, 9, ""
            ),
            (),
        )
        for v in STUDY.variants
    ]


def test_all_measured_variants_that_do_not_make_the_change() -> None:
    assert plausible_baselines(STUDY, CLAIM, _evidence()) == ("old", "mended")


def test_the_pairs_to_judge() -> None:
    assert claim_pairs(STUDY, _evidence()) == (
        ("new-tail", "new"),
        ("new-tail", "old"),
        ("new-tail", "mended"),
    )
    assert claim_pairs(replace(STUDY, claim=None), _evidence()) == ()
