"""What the answer says, in which order, and how strongly."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.unit.report.example import (
    SUITES,
    ab_result,
    sample_builds,
    sample_confounds,
    sample_evidence,
    sample_result,
    sample_study,
    suite,
    verdict,
)
from tests.unit.report.parts import answer_from

from whyfast.model.build import Build, BuildFailure
from whyfast.model.evidence import Evidence
from whyfast.model.sample import RunFailure
from whyfast.model.study import Study
from whyfast.model.verdict import Suite
from whyfast.report.answer import answer_of


def _said(
    study: Study, suites: tuple[Suite, ...], evidence: tuple[Evidence, ...] = ()
) -> tuple[str, ...]:
    answer = answer_from(study, verdicts=(), suites=suites, evidence=evidence)
    return (answer.headline, *answer.sentences)


def _without_claim() -> Study:
    return replace(sample_study(), claim=None, baselines=("clang18-goto",))


def test_the_whole_story() -> None:
    answer = answer_of(sample_result())
    assert answer.headline == (
        "clang19-tail is 2.16x faster than clang19-goto, but 1.012x faster than clang18-goto: "
        "most of the gain is a slow baseline."
    )
    assert answer.sentences == (
        "In figures, clang19-tail is 2.16x faster [2.12, 2.21] against clang19-goto; "
        "1.012x faster [1.006, 1.018] against clang18-goto.",
        "clang19-goto is 2.14x slower than clang18-goto [2.10, 2.19]; its dispatch is merged "
        "(6 indirect jumps where clang18-goto has 168).",
        "The same source with `-mllvm -tail-dup-pred-size=5000` (clang19-goto-taildup) keeps 168 "
        "indirect jumps and is 2.13x faster than clang19-goto: the merging is what costs.",
        "clang19-goto-taildup (1.001x [0.998, 1.004]) is the same as clang18-goto within 1 %.",
        "gcc12-tail cannot be built here: its compiler has no musttail.",
        "Read this with care: 1 warning (virtual-machine) is listed below.",
    )


def test_a_gain_that_is_the_same_elsewhere_is_wholly_a_slow_baseline() -> None:
    suites = (
        suite("clang19-tail", "clang19-goto", "faster", 1 / 2.1, 1 / 2.2, 1 / 2.0),
        suite("clang19-tail", "clang18-goto", "same", 1.001, 0.998, 1.004),
    )
    assert _said(sample_study(), suites)[0] == (
        "clang19-tail is 2.10x faster than clang19-goto, but the same as clang18-goto within 1 %: "
        "the gain is a slow baseline."
    )


def test_a_gain_that_becomes_a_loss_elsewhere() -> None:
    suites = (
        suite("clang19-tail", "clang19-goto", "faster", 1 / 2.1, 1 / 2.2, 1 / 2.0),
        suite("clang19-tail", "clang18-goto", "slower", 1.05, 1.03, 1.07),
    )
    assert _said(sample_study(), suites)[0] == (
        "clang19-tail is 2.10x faster than clang19-goto, but 1.05x slower than clang18-goto: "
        "the gain is a slow baseline."
    )


def test_a_gain_that_holds() -> None:
    suites = (
        suite("clang19-tail", "clang19-goto", "faster", 1 / 2.1, 1 / 2.2, 1 / 2.0),
        suite("clang19-tail", "clang18-goto", "faster", 1 / 1.9, 1 / 2.0, 1 / 1.8),
    )
    assert _said(sample_study(), suites)[0] == (
        "clang19-tail is 2.10x faster than clang19-goto; the gain holds against both baselines, "
        "between 1.90x and 2.10x."
    )


def test_a_gain_that_is_undecided_elsewhere_is_neither() -> None:
    suites = (
        suite("clang19-tail", "clang19-goto", "faster", 1 / 2.1, 1 / 2.2, 1 / 2.0),
        suite("clang19-tail", "clang18-goto", "undecided", 1 / 1.5, 1 / 2.5, 1 / 0.9),
    )
    assert _said(sample_study(), suites)[0] == (
        "clang19-tail is 2.10x faster than clang19-goto; against clang18-goto it is undecided."
    )


def test_the_fairest_of_the_baselines_that_leave_nothing_is_named() -> None:
    """Another build by the same compiler differs least, even if a third leaves less."""
    suites = (
        *SUITES,
        suite("clang19-tail", "clang19-goto-taildup", "undecided", 1.01, 0.998, 1.021),
    )
    assert answer_from(sample_study(), verdicts=(), suites=suites).headline == (
        "clang19-tail is 2.16x faster than clang19-goto, but at most 1.002x faster than "
        "clang19-goto-taildup: the gain is a slow baseline."
    )


def test_a_claim_that_does_not_hold_at_all() -> None:
    suites = (suite("clang19-tail", "clang19-goto", "slower", 1.04, 1.02, 1.06),)
    assert _said(sample_study(), suites)[0] == (
        "The claim does not hold: clang19-tail is 1.04x slower than clang19-goto [1.02, 1.06]."
    )


def test_a_claim_without_its_pair() -> None:
    assert _said(sample_study(), ())[0] == (
        "The claim that clang19-tail beats clang19-goto could not be tested: "
        "there is no result for the pair."
    )


def test_a_variant_that_makes_the_claimed_change_is_no_baseline() -> None:
    study = sample_study()
    twin = replace(study.variant("clang19-tail"), name="clang20-tail")
    study = replace(study, variants=(*study.variants, twin), baselines=("clang19-goto",))
    suites = (
        suite("clang19-tail", "clang19-goto", "faster", 1 / 2.1, 1 / 2.2, 1 / 2.0),
        suite("clang20-tail", "clang19-tail", "same", 1.0, 0.998, 1.002),
    )
    assert _said(study, suites)[0] == (
        "clang19-tail is 2.10x faster than clang19-goto [2.00, 2.20]; "
        "no other baseline was measured."
    )


def test_without_a_witness_the_dispatch_only_goes_with_it() -> None:
    evidence = tuple(e for e in sample_evidence() if e.variant != "clang19-goto-taildup")
    assert _said(_without_claim(), SUITES[:1], evidence) == (
        "clang19-goto is 2.14x slower than clang18-goto [2.10, 2.19]; this goes with a difference "
        "in the machine code: its dispatch is merged (6 indirect jumps where clang18-goto has "
        "168).",
    )


def test_a_witness_that_changes_the_source_shows_nothing() -> None:
    study = _without_claim()
    variants = tuple(
        replace(v, cflags=(*v.cflags, "-DFAST")) if v.name.endswith("taildup") else v
        for v in study.variants
    )
    said = _said(replace(study, variants=variants), SUITES, sample_evidence())
    assert not any("what costs" in s for s in said)


@pytest.mark.parametrize(
    "difference", [{"revision": "v2"}, {"run": ("--jit",)}, {"sysctl": {"net.a": "1"}}]
)
def test_a_witness_that_is_of_another_source_or_run_otherwise_shows_nothing(
    difference: dict[str, Any],
) -> None:
    study = _without_claim()
    variants = tuple(
        replace(v, **difference) if v.name.endswith("taildup") else v for v in study.variants
    )
    said = _said(replace(study, variants=variants), SUITES, sample_evidence())
    assert not any("what costs" in s for s in said)


def test_a_witness_that_was_not_judged_against_the_slow_one_is_about() -> None:
    said = _said(_without_claim(), SUITES[:3], sample_evidence())
    assert said[1] == (
        "The same source with `-mllvm -tail-dup-pred-size=5000` (clang19-goto-taildup) keeps 168 "
        "indirect jumps and is about 2.14x faster than clang19-goto: the merging is what costs."
    )


def test_merged_and_yet_faster() -> None:
    suites = (suite("clang19-goto", "clang18-goto", "faster", 1 / 1.2, 1 / 1.3, 1 / 1.1),)
    assert _said(_without_claim(), suites, sample_evidence()) == (
        "clang19-goto is 1.20x faster than clang18-goto [1.10, 1.30], although its dispatch is "
        "merged (6 indirect jumps where clang18-goto has 168).",
    )


def test_undecided_says_what_it_would_take() -> None:
    open_one = suite("clang19-goto", "clang18-goto", "undecided", 1.02, 0.97, 1.08)
    detail = replace(open_one.verdict, detectable=1.06, seconds_to_margin=150.0)
    assert _said(_without_claim(), (replace(open_one, verdict=detail),)) == (
        "No difference found between clang19-goto and clang18-goto: 1.02x [0.97, 1.08]; 6 % would "
        "have been found 9 times in 10; about 2 min 30 s more would tell 1 %.",
    )


def test_two_commands() -> None:
    answer = answer_of(ab_result())
    assert answer.headline == "'sleep 0.11' is 1.10x slower than 'sleep 0.10' [1.09, 1.11]."
    assert answer.sentences == ()


def test_the_only_benchmark_stands_for_the_suite() -> None:
    one = verdict("clang19-goto", "clang18-goto", "slower", 2.0, 1.9, 2.1, benchmark="sieve")
    answer = answer_from(_without_claim(), verdicts=(one,), suites=())
    assert answer.headline == "clang19-goto is 2.00x slower than clang18-goto [1.90, 2.10]."


def test_an_incomplete_run_says_so_first() -> None:
    assert answer_of(sample_result(complete=False)).headline.startswith(
        "The run is not complete. So far: clang19-tail is 2.16x faster"
    )


def test_failures_and_failed_builds() -> None:
    crash = RunFailure(
        "sieve",
        "clang18-goto",
        "it ended by signal 11",
        "x\n/a/b/vm: can't open '/b/c/f.py'\n\n",
        (),
    )
    answer = answer_from(
        _without_claim(),
        verdicts=(),
        suites=(),
        builds=(
            BuildFailure(
                "clang19-goto", "failed", "step 1 ended with 1", Path("d" * 64, "log.txt")
            ),
        ),
        failures=(crash, crash),
    )
    assert answer.headline == "There is no verdict: nothing could be compared."
    assert answer.sentences == (
        "The build of clang19-goto failed: step 1 ended with 1; its log: whyfast builds log "
        "dddddddddddd.",
        "sieve failed with clang18-goto (2 times): it ended by signal 11; it said: /a/b/vm: can't "
        "open '/b/c/f.py'.",
    )


def test_byte_identical_builds() -> None:
    first, second = sample_builds()[:2]
    assert isinstance(first, Build)
    assert isinstance(second, Build)
    twin = replace(second, program_sha256=first.program_sha256)
    answer = answer_from(_without_claim(), verdicts=(), suites=(), builds=(first, twin))
    assert answer.sentences == (
        "clang18-goto and clang19-goto are byte-identical: any difference between them is "
        "measurement error.",
    )


def test_notes_are_no_warnings() -> None:
    notes = tuple(c for c in sample_confounds() if c.severity == "note")
    answer = answer_from(_without_claim(), verdicts=(), suites=(), confounds=notes)
    assert answer.sentences == ()


def test_a_claim_is_not_audited_where_nothing_was_to_be_measured() -> None:
    study = sample_study()
    variants = tuple(replace(v, evidence_only=True) for v in study.variants)
    said = _said(replace(study, variants=variants), (), sample_evidence())
    assert said[0].startswith("Nothing was measured; ")
    assert not any("could not be tested" in sentence for sentence in said)
