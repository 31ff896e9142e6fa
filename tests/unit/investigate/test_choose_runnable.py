"""Which study is run where the kernel does not let us."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from tests.golden_files import Hear

from whyfast.investigate.context import runnable
from whyfast.judge.confounds import find_confounds
from whyfast.model.errors import UserError
from whyfast.model.study import Study
from whyfast.study.load import load_study

STUDIES = Path(__file__).resolve().parents[3] / "studies"


@pytest.fixture
def study() -> Study:
    return load_study(STUDIES / "bpf-tail-call")


def test_where_bpf_is_permitted_the_study_stays(study: Study) -> None:
    assert runnable(study, lambda: "") is study


def test_where_it_is_not_the_vm_runs_the_same_chains_and_says_so(
    study: Study, golden: Hear
) -> None:
    other = runnable(study, lambda: "not permitted")
    assert other.name == "bpf-tail-call-vm"
    golden(other.stands_for)
    assert [b.name for b in other.benchmarks] == [b.name for b in study.benchmarks]
    confound = find_confounds(other, (), (), ())[0]
    assert (confound.kind, confound.severity) == ("stand-in", "warning")
    golden(confound.text)


def test_without_a_stand_in_it_is_an_error(study: Study) -> None:
    with pytest.raises(UserError, match="cannot be run: not permitted"):
        runnable(replace(study, otherwise=""), lambda: "not permitted")


def test_a_study_without_bpf_is_not_asked() -> None:
    def never() -> str:
        raise AssertionError

    vm = load_study(STUDIES / "bpf-tail-call-vm")
    assert runnable(vm, never) is vm
