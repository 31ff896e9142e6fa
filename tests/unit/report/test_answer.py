"""What the answer says, in which order, and how strongly."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.golden_files import check_golden, paragraphs
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
from whyfast.model.evidence import Evidence, FailedExpectation
from whyfast.model.sample import RunFailure
from whyfast.model.study import Study
from whyfast.model.verdict import Suite
from whyfast.report.answer import answer_of

TAIL, GOTO18, GOTO19, TAILDUP = (
    "clang19-tail", "clang18-goto", "clang19-goto", "clang19-goto-taildup",
)  # fmt: skip
#: The gain that is claimed.
GAIN = suite(TAIL, GOTO19, "faster", 1 / 2.1, 1 / 2.2, 1 / 2.0)


def _said(
    study: Study, suites: tuple[Suite, ...] = (), evidence: tuple[Evidence, ...] = (), **more: Any
) -> tuple[str, ...]:
    given = {"verdicts": (), "suites": suites, "evidence": evidence, **more}
    answer = answer_from(study, **given)
    return (answer.headline, *answer.sentences)


def _without_claim() -> Study:
    return replace(sample_study(), claim=None, baselines=(GOTO18,))


def _claimed(*suites: Suite) -> tuple[str, ...]:
    return _said(sample_study(), suites)


def _same_change_elsewhere() -> tuple[str, ...]:
    study = sample_study()
    control = replace(study.variant(TAIL), name="clang20-tail")
    study = replace(study, variants=(*study.variants, control), baselines=(GOTO19,))
    return _said(study, (GAIN, suite("clang20-tail", TAIL, "same", 1.0, 0.998, 1.002)))


def _undecided() -> tuple[str, ...]:
    one = suite(GOTO19, GOTO18, "undecided", 1.02, 0.97, 1.08)
    detail = replace(one.verdict, detectable=1.06, seconds_to_margin=150.0)
    return _said(_without_claim(), (replace(one, verdict=detail),))


def _replicated_in_vain() -> tuple[str, ...]:
    """Another variant with a dispatch of its own for each handler is as slow as the merged one."""
    study, evidence = _without_claim(), sample_evidence()
    flags = ("-O2", "-DDISPATCH=goto", "-x")
    other = replace(study.variant(TAILDUP), name="clang19-goto-x", cflags=flags)
    study = replace(study, variants=(*study.variants, other))
    facts = replace(next(e for e in evidence if e.variant == TAILDUP), variant=other.name)
    equal = suite(other.name, GOTO19, "same", 1.0, 0.99, 1.01)
    return _said(study, (*SUITES, equal), (*evidence, facts))


def _failures() -> tuple[str, ...]:
    output = "x\n/a/b/vm: can't open '/b/c/f.py'\n\n"
    crash = RunFailure("sieve", GOTO18, "it ended by signal 11", output, ())
    log = Path("d" * 64, "log.txt")
    build = BuildFailure(GOTO19, "failed", "step 1 ended with 1", log)
    return _said(_without_claim(), builds=(build,), failures=(crash, crash))


def _identical() -> tuple[str, ...]:
    first, second = sample_builds()[:2]
    assert isinstance(first, Build)
    assert isinstance(second, Build)
    control = replace(second, program_sha256=first.program_sha256)
    return _said(_without_claim(), builds=(first, control))


def _only_read() -> tuple[str, ...]:
    study = sample_study()
    variants = tuple(replace(v, evidence_only=True) for v in study.variants)
    return _said(replace(study, variants=variants), (), sample_evidence())


def _unmet(
    *failed_expectations: FailedExpectation, baselines: tuple[str, ...] = ()
) -> tuple[str, ...]:
    study = sample_study()
    lost = {u.variant for u in failed_expectations if u.found}
    kept = tuple(s for s in SUITES if not {s.verdict.variant, s.verdict.baseline} & lost)
    study = replace(study, baselines=baselines or study.baselines)
    return _said(study, kept, sample_evidence(), failed_expectations=failed_expectations)


WRONG_TAIL = FailedExpectation(TAIL, "dispatch", "tail-call", "loop", "168 jumps")
WRONG_BASELINE = FailedExpectation(GOTO18, "dispatch", "merged", "replicated", "168 jumps")
NO_WITNESS = tuple(e for e in sample_evidence() if e.variant != TAILDUP)

ANSWERS: dict[str, Callable[[], tuple[str, ...]]] = {
    "gain that is the same elsewhere": lambda: _claimed(
        GAIN, suite(TAIL, GOTO18, "same", 1.001, 0.998, 1.004)
    ),
    "gain that is a loss elsewhere": lambda: _claimed(
        GAIN, suite(TAIL, GOTO18, "slower", 1.05, 1.03, 1.07)
    ),
    "gain that holds": lambda: _claimed(
        GAIN, suite(TAIL, GOTO18, "faster", 1 / 1.9, 1 / 2.0, 1 / 1.8)
    ),
    "gain that is undecided elsewhere": lambda: _claimed(
        GAIN, suite(TAIL, GOTO18, "undecided", 1 / 1.5, 1 / 2.5, 1 / 0.9)
    ),
    # Another build by the same compiler differs least, even if a third leaves less.
    "the fairest baseline that leaves nothing": lambda: _claimed(
        *SUITES, suite(TAIL, TAILDUP, "undecided", 1.01, 0.998, 1.021)
    ),
    "claim that does not hold": lambda: _claimed(suite(TAIL, GOTO19, "slower", 1.04, 1.02, 1.06)),
    "claim without its pair": _claimed,
    "claim where nothing was to be measured": _only_read,
    "a variant with the claimed change is no baseline": _same_change_elsewhere,
    "no witness": lambda: _said(_without_claim(), SUITES[:1], NO_WITNESS),
    "witness not judged against the slow one": lambda: _said(
        _without_claim(), SUITES[:3], sample_evidence()
    ),
    "replicated in vain": _replicated_in_vain,
    "merged and yet faster": lambda: _said(
        _without_claim(),
        (suite(GOTO19, GOTO18, "faster", 1 / 1.2, 1 / 1.3, 1 / 1.1),),
        sample_evidence(),
    ),
    "undecided": _undecided,
    "one benchmark stands for the suite": lambda: _said(
        _without_claim(),
        verdicts=(verdict(GOTO19, GOTO18, "slower", 2.0, 1.9, 2.1, benchmark="sieve"),),
    ),
    "failures and failed builds": _failures,
    "byte-identical builds": _identical,
    "wrong side of the claim": lambda: _unmet(WRONG_TAIL),
    "wrong main baseline": lambda: _unmet(WRONG_BASELINE),
    "wrong only baseline": lambda: _unmet(WRONG_BASELINE, baselines=(GOTO18,)),
    "expectation that could not be checked": lambda: _unmet(
        replace(WRONG_TAIL, found=None, reason="no such function")
    ),
}


@pytest.mark.golden
def test_answers() -> None:
    check_golden("report", "answers.md", paragraphs({name: say() for name, say in ANSWERS.items()}))


@pytest.mark.parametrize(
    "difference",
    [{"cflags": ("-DFAST",)}, {"revision": "v2"}, {"run": ("--jit",)}, {"sysctl": {"net.a": "1"}}],
)
def test_a_witness_of_another_source_or_run_shows_nothing(difference: dict[str, Any]) -> None:
    study = _without_claim()
    variants = tuple(replace(v, **difference) if v.name == TAILDUP else v for v in study.variants)
    said = _said(replace(study, variants=variants), SUITES, sample_evidence())
    assert not any(TAILDUP in s and "168" in s for s in said)
    assert any(TAILDUP in s and "168" in s for s in _said(study, SUITES, sample_evidence()))


def test_two_commands_need_one_sentence() -> None:
    assert answer_of(ab_result()).sentences == ()


def test_an_incomplete_run_says_so_first() -> None:
    whole, part = (answer_of(sample_result(complete=c)).headline for c in (True, False))
    assert part != whole
    assert part.endswith(whole)


def test_notes_are_no_warnings() -> None:
    notes = tuple(c for c in sample_confounds() if c.severity == "note")
    assert _said(_without_claim(), confounds=notes)[1:] == ()
