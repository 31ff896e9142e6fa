"""A study restricted to what is wanted of it.

Which study is run where the kernel does not let us.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from tests.golden_files import Hear
from tests.unit.build.example import study as example

from whyfast.investigate.study_run import Choice, chosen, runnable
from whyfast.judge.confounds import find_confounds
from whyfast.model.errors import UserError
from whyfast.model.study import Claim, MeasureSpec, Quick, Study
from whyfast.model.variant import Benchmark, Variant
from whyfast.study.load import load_study


@pytest.fixture
def study(tmp_path: Path) -> Study:
    """Four variants, three benchmarks, and a quick look at two of each."""
    return replace(
        example(tmp_path / "subject"),
        variants=tuple(Variant(n, "path:cc") for n in ("base", "a", "b", "c")),
        benchmarks=tuple(Benchmark(n, "command", ("{program}",)) for n in ("x", "y", "z")),
        measure=MeasureSpec(budget=100.0),
        claim=Claim("a", "b"),
        quick=Quick(("c",), ("x", "z"), 30.0),
    )


def _names(study: Study) -> tuple[list[str], list[str], float]:
    return (
        [v.name for v in study.variants],
        [b.name for b in study.benchmarks],
        study.measure.budget,
    )


def test_nothing_asked_for_is_all(study: Study) -> None:
    assert chosen(study, Choice()) == study


@pytest.mark.parametrize(
    ("choice", "expected"),
    [
        (Choice(only=("a",), benchmarks=("y",), budget=7.0), (["base", "a", "b"], ["y"], 7.0)),
        (Choice(quick=True), (["base", "c"], ["x", "z"], 30.0)),
        (
            Choice(only=("b",), benchmarks=("y",), budget=7.0, quick=True),
            (["base", "b"], ["y"], 7.0),
        ),
    ],
    ids=["the claim's baseline stays", "quick", "what is named goes before quick"],
)
def test_a_choice(
    study: Study, choice: Choice, expected: tuple[list[str], list[str], float]
) -> None:
    assert _names(chosen(study, choice)) == expected


def test_a_claim_about_what_is_left_out_goes(study: Study) -> None:
    assert chosen(study, Choice(only=("c",))).claim is None
    assert chosen(study, Choice(only=("a",))).claim == Claim("a", "b")


def test_quick_without_a_word_of_the_study_is_a_fifth_of_the_budget(study: Study) -> None:
    plain = chosen(replace(study, quick=Quick()), Choice(quick=True))
    assert _names(plain) == (["base", "a", "b", "c"], ["x", "y", "z"], 20.0)


def test_evidence_only_measures_nothing(study: Study) -> None:
    found = chosen(replace(study, control=True), Choice(evidence_only=True))
    assert [v.name for v in found.variants] == ["base", "a", "b", "c"]
    assert found.measured == ()
    assert not found.control


@pytest.mark.parametrize("choice", [Choice(only=("bass",)), Choice(benchmarks=("q",))])
def test_unknown_names(study: Study, choice: Choice, golden: Hear) -> None:
    with pytest.raises(UserError) as raised:
        chosen(study, choice)
    golden(str(raised.value))


STUDIES = Path(__file__).resolve().parents[3] / "studies"


@pytest.fixture
def chains() -> Study:
    return load_study(STUDIES / "bpf-tail-call")


def test_where_bpf_is_permitted_the_study_stays(chains: Study) -> None:
    assert runnable(chains, lambda: "") is chains


def test_where_it_is_not_the_vm_runs_the_same_chains_and_says_so(
    chains: Study, golden: Hear
) -> None:
    other = runnable(chains, lambda: "not permitted")
    assert other.name == "bpf-tail-call-vm"
    golden(other.stands_for)
    assert [b.name for b in other.benchmarks] == [b.name for b in chains.benchmarks]
    confound = find_confounds(other, (), (), ())[0]
    assert (confound.kind, confound.severity) == ("stand-in", "warning")
    golden(confound.text)


def test_without_a_stand_in_it_is_an_error(chains: Study) -> None:
    with pytest.raises(UserError, match="cannot be run: not permitted"):
        runnable(replace(chains, otherwise=""), lambda: "not permitted")


def test_a_study_without_bpf_is_not_asked() -> None:
    def never() -> str:
        raise AssertionError

    vm = load_study(STUDIES / "bpf-tail-call-vm")
    assert runnable(vm, never) is vm
