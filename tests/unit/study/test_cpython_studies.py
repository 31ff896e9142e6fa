"""The two studies of CPython, which share a file."""

from pathlib import Path

import pytest

from whyfast.model.study import Study
from whyfast.study.load import load_study

STUDIES = Path(__file__).resolve().parents[3] / "studies"


@pytest.fixture
def plain() -> Study:
    """Built with -O3."""
    return load_study(STUDIES / "cpython-tail-call")


@pytest.fixture
def optimised() -> Study:
    """Built with profile-guided and link-time optimisation."""
    return load_study(STUDIES / "cpython-tail-call-pgo")


def test_they_differ_in_how_they_build_and_in_nothing_else(plain: Study, optimised: Study) -> None:
    assert plain.source.sha256 == optimised.source.sha256
    assert plain.benchmarks == optimised.benchmarks
    assert plain.quick == optimised.quick
    assert (plain.baselines, plain.claim) == (optimised.baselines, optimised.claim)
    assert plain.build.steps != optimised.build.steps
    measured = {v.name for v in plain.measured}
    assert {v.name for v in optimised.variants} < measured


def test_quick_has_what_the_headline_needs(plain: Study) -> None:
    assert plain.claim is not None
    assert {*plain.baselines, plain.claim.variant, plain.claim.baseline} <= {*plain.quick.variants}
    assert len(plain.quick.benchmarks) == 10
    assert len(plain.benchmarks) == 34


def test_every_variant_with_tail_calls_says_so(plain: Study) -> None:
    for variant in plain.variants:
        tail = "--with-tail-call-interp" in variant.configure
        assert tail == variant.name.endswith("-tc")
        assert tail == (variant.expect.get("dispatch") == "tail-call")
        assert not tail or variant.requires == ("musttail", "preserve_none")


def test_the_flag_reaches_the_linker_that_generates_the_code(optimised: Study) -> None:
    raised = optimised.variant("clang19-taildup")
    assert raised.cflags == ("-O3", "-mllvm", "-tail-dup-pred-size=5000")
    assert raised.ldflags == ("-fuse-ld=lld", "-Wl,-mllvm,-tail-dup-pred-size=5000")
    assert raised.configure == ("--with-lto=thin",)
    assert raised.packages == ("libclang-rt-19-dev",)
    assert optimised.variant("gcc14").configure == ("--with-lto",)
