"""The study of calls on two interpreters of this machine: what one lacks, what is said of both."""

import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from tests.interpreters import interpreters

from whyfast.investigate.services import Silent
from whyfast.investigate.study_run import run_study
from whyfast.model.build import Build
from whyfast.model.result import Result
from whyfast.report.sections.cost_by_parameter import figures_table
from whyfast.report.sections.each_benchmark import matrix_tables
from whyfast.store.home import Home
from whyfast.study.load import load_study

ROWS = ("getattr", "method-fastcall_keywords-3")
LACKING = "METH_FASTCALL came with 3.6"

OLD = next((i for i in interpreters() if i.version < (3,)), None)
NEW = next((i for i in reversed(interpreters()) if i.version >= (3, 11)), None)


pytestmark = pytest.mark.skipif(
    OLD is None or NEW is None, reason="needs CPython 2.7 and 3.11 or newer"
)


def run(folder: Path, *rows: str, counted: tuple[str, ...] = ()) -> Result:
    """These rows of the study on the old and the new interpreter; of ``counted`` the instructions
    are simulated, which takes half a minute each."""
    assert OLD is not None
    assert NEW is not None
    study = load_study("fastcall")
    old = replace(study.variants[0], name="old", python=f"path:{OLD.program}")
    counters = study.evidence.counters if counted else "nothing"
    study = replace(
        study,
        baselines=("old",),
        variants=(old, replace(old, name="new", python=f"path:{NEW.program}")),
        benchmarks=tuple(b for b in study.benchmarks if b.name in rows),
        measure=replace(study.measure, budget=5.0, turn=1e-4, turns=3),
        evidence=replace(study.evidence, counters=counters, counted=counted),
    )
    return run_study(study, Home(folder / "cache", folder / "data"), Silent(), fresh=True)


def test_a_row_that_one_side_lacks_is_empty_and_the_others_are_judged(tmp_path: Path) -> None:
    result = run(tmp_path, *ROWS)
    assert result.recorded.failed == ()
    assert [(f.benchmark, f.variant, f.reason) for f in result.recorded.lacking] == [
        ("method-fastcall_keywords-3", "old", LACKING)
    ]
    builds = {b.variant: b for b in result.recorded.builds if isinstance(b, Build)}
    assert builds["new"].provenance["interpreter"]["version"] == str(NEW)
    (table,) = matrix_tables(result)
    cells = {row[0].text: row[1:] for row in table.rows}
    assert (cells[ROWS[1]][0].text, cells[ROWS[1]][0].detail) == ("–", LACKING)
    assert cells["getattr"][0].text.endswith(" (*)")
    assert figures_table(result) is not None
    said = {(f.benchmark, f.variant, f.what): f for f in result.found.observed.figures}
    assert said["getattr", "new", "references a call"].number == 0
    assert said["getattr", "old", "instructions that call"].why


@pytest.mark.long
@pytest.mark.skipif(shutil.which("valgrind") is None, reason="needs valgrind")
def test_instructions_stand_beside_what_the_subject_says(tmp_path: Path) -> None:
    result = run(tmp_path, "getattr", counted=("getattr",))
    table = figures_table(result)
    assert table is not None
    (row,) = [r for r in table.rows if r[1].text.startswith("instructions a loop")]
    assert [cell.text for cell in row[2:]] != ["–", "–"]
