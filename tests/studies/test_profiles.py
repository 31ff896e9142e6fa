"""A study that trains its variants again, with a real compiler."""

from dataclasses import replace
from pathlib import Path

import pytest
from tests.unit.investigate.doubles import Watcher, own

from whyfast.investigate.study_run import Choice, chosen, run_study
from whyfast.judge.ratios import as_linked, over_profiles
from whyfast.model.errors import UserError
from whyfast.model.result import Result
from whyfast.report.sections.layouts import placement_sentences, placement_table
from whyfast.study.load import load_study

#: How often the training takes either branch is what it is told.
SOURCE = """
#include <stdlib.h>
int main(int argc, char **argv)
{
    int often = argc > 1 ? atoi(argv[1]) : 5;
    volatile unsigned s = 1;
    for (unsigned i = 0; i < 2000; i++) {
        if ((int)(i % 10) < often) { s = s * 3 + i; s ^= s >> 3; s += argc; }
        else { s = s / 7 + i; s ^= s << 2; s -= argc; }
    }
    return s == 3;
}
"""
STUDY = """
[study]
title = "Is -O2 faster?"
baseline = ["o1"]
[source]
path = "src"
[build]
steps = [
  "{{cc}} {{cflags}} -fprofile-generate -c -o p.o {{source}}/p.c",
  "{{cc}} -fprofile-generate -o train p.o && GCOV_PREFIX=$PWD GCOV_PREFIX_STRIP=99 ./train {often}",
  "{{cc}} {{cflags}} -fprofile-use -c -o p.o {{source}}/p.c && {{cc}} -o {{program}} p.o",
]
program = "p"
[variant.o1]
toolchain = "path:gcc"
cflags = ["-O1", "-freorder-blocks"]
[variant.o2]
toolchain = "path:gcc"
cflags = ["-O2"]
{more}
[benchmarks.run]
command = ["{{program}}"]
[measure]
budget = "{budget}"
stop = "budget"
turns = 1
profiles = 10
"""


def _run(folder: Path, often: str, budget: str, more: str = "") -> tuple[Result, list[str]]:
    (folder / "src").mkdir()
    (folder / "src" / "p.c").write_text(SOURCE)
    (folder / "study.toml").write_text(STUDY.format(often=often, budget=budget, more=more))
    watcher = Watcher()
    return run_study(load_study(folder), own(folder), watcher), watcher.heard


def test_verdicts_are_over_programs_that_were_trained_again(tmp_path: Path) -> None:
    result, _ = _run(tmp_path, "{profile}", "10m")  # ends when all are used
    blocks = result.recorded.blocks
    drawn = over_profiles(blocks)
    for variant in ("o1", "o2"):
        assert sorted(b.layouts[variant] for b in drawn) == [*range(1, 11)]
    assert len(as_linked(blocks)) in (10, 11)
    assert result.judged.about == "change"
    (placement,) = result.judged.placements
    assert (placement.over, placement.layouts) == ("profiles", 10)
    (verdict,) = result.judged.verdicts
    assert verdict.ratio == placement.varied.ratio
    said = " ".join(placement_sentences(result.judged.placements, result.question))
    assert "over 10 profiles" in said
    assert "layout" not in said
    table = placement_table(result)
    assert table is not None
    assert "over profiles" in [column.title for column in table.columns]


def test_a_training_that_never_differs_draws_nothing_and_says_so(tmp_path: Path) -> None:
    result, heard = _run(tmp_path, "3", "1s")
    assert any(text.startswith("no other profiles:") for text in heard)
    assert over_profiles(result.recorded.blocks) == []
    assert result.judged.about == "binaries"


def test_a_variant_that_training_leaves_as_it_is_is_trained_twice(tmp_path: Path) -> None:
    plain = '[variant.plain]\ntoolchain = "path:gcc"\ncflags = ["-O2", "-fno-branch-probabilities"]'
    _, heard = _run(tmp_path, "{profile}", "1s", plain)
    assert sum(text.startswith("building plain") for text in heard) == 3
    assert sum(text.startswith("building o1") for text in heard) == 11


def test_too_few_profiles_for_a_verdict_are_refused_before_anything_is_built(
    tmp_path: Path,
) -> None:
    (tmp_path / "src").mkdir()
    text = STUDY.format(often="{profile}", budget="1s", more="")
    for profiles, refused in ((8, True), (9, False)):
        study = text.replace("profiles = 10", f"profiles = {profiles}")
        (tmp_path / "study.toml").write_text(study)
        if refused:
            with pytest.raises(UserError, match="at least 9 here"):
                chosen(load_study(tmp_path), Choice())
        else:
            assert chosen(load_study(tmp_path), Choice()).measure.profiles == profiles


def test_too_few_layouts_for_a_verdict_are_refused_too() -> None:
    """The comparisons of this one share the error, so each takes more blocks."""
    study = load_study(Path(__file__).resolve().parents[2] / "studies" / "quickjs-2026")
    for layouts, refused in ((13, True), (14, False)):
        few = replace(study, measure=replace(study.measure, layouts=layouts))
        if refused:
            with pytest.raises(UserError, match="at least 14 here"):
                chosen(few, Choice())
        else:
            assert chosen(few, Choice()).measure.layouts == layouts
