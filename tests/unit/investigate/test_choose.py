"""A study restricted to what is wanted of it. Which study is run where the kernel does not let us.
Commands and their parameters, spelled out."""

from dataclasses import replace
from pathlib import Path

import pytest
from tests.golden_files import Hear, refusal
from tests.unit.build.example import study as example

from whyfast.investigate.ab_run import expand
from whyfast.investigate.study_run import Choice, chosen, runnable
from whyfast.judge.confounds import find_confounds
from whyfast.model.cost import CostsSpec
from whyfast.model.errors import UserError
from whyfast.model.study import Claim, EvidenceSpec, MeasureSpec, Quick, Study
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


def test_quick_limits_everything_beside_building(study: Study) -> None:
    evidence = EvidenceSpec(counters="simulation")
    built = replace(study, evidence=evidence, costs=CostsSpec(build=True))
    assert chosen(built, Choice()).longest == {}
    assert chosen(built, Choice(quick=True, costs=True)).longest == {
        "measuring": 30.0,
        "counting": 15.0,  # and of costs
        "building again": 30.0,
    }
    assert chosen(study, Choice(quick=True)).longest == {"measuring": 30.0}


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
    golden(refusal(UserError, lambda: chosen(study, choice)))


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


def lines(*scan: str) -> list[str]:
    return [c.line for c in expand(["p {n}"], [], [], [("n", *scan)])]


def test_every_combination_in_order() -> None:
    found = expand(["a {x} {y}", "b {y}"], ["first"], [("x", "1,2"), ("y", "u,v")])
    assert [(c.name, c.line) for c in found] == [
        ("first", "a 1 u"),
        ("a 1 v", "a 1 v"),
        ("a 2 u", "a 2 u"),
        ("a 2 v", "a 2 v"),
        ("b u", "b u"),
        ("b v", "b v"),
    ]


def test_a_line_that_comes_again_is_numbered() -> None:
    assert [c.name for c in expand(["p", "p", "p"], [])] == ["p", "p (2)", "p (3)"]


def test_scans_count_in_decimals() -> None:
    assert lines("0.1", "0.3", "0.1") == ["p 0.1", "p 0.2", "p 0.3"]
    assert lines("3", "1", "-1") == ["p 3", "p 2", "p 1"]
    assert lines("5", "5", "1") == ["p 5"]


def test_scans_write_no_exponents() -> None:
    assert lines("1e2", "3e2", "1e2") == ["p 100", "p 200", "p 300"]


NO_NUMBER = "--parameter-scan n: MIN, MAX and STEP must be numbers"
NO_RANGE = "is not a range of at most 100 values"


@pytest.mark.parametrize(
    ("lists", "scans", "message"),
    [
        ([], [("n", "nan", "1", "1")], NO_NUMBER),
        ([], [("n", "1", "nan", "1")], NO_NUMBER),
        ([], [("n", "1", "2", "0")], NO_NUMBER),
        ([], [("n", "one", "2", "1")], NO_NUMBER),
        ([], [("n", "0", "1e999999", "1e-999999")], NO_NUMBER),
        ([], [("n", "inf", "inf", "1")], NO_NUMBER),
        ([], [("n", "1", "2", "-1")], NO_RANGE),
        ([], [("n", "0", "100", "1")], NO_RANGE),
        ([], [("n", "0", "inf", "1")], NO_RANGE),
        ([("n", "1,2")], [("n", "1", "2", "1")], "parameter n: is given twice"),
        ([("m", "1,2")], [], r"no command mentions \{m\}"),
    ],
)
def test_impossible_parameters_are_refused(
    lists: list[tuple[str, ...]], scans: list[tuple[str, ...]], message: str
) -> None:
    with pytest.raises(UserError, match=message):
        expand(["p {n}"], [], lists, scans)


def test_too_many_are_refused() -> None:
    lists = [(v, ",".join("0123456789")) for v in "xyz"]
    with pytest.raises(UserError, match="that makes 1000 commands; at most 100 can be compared"):
        expand(["{x} {y} {z}"], [], lists)
