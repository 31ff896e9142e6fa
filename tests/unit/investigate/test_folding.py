"""Builds that are the same program are measured once."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.golden_files import Hear
from tests.unit.build.example import study as example
from tests.unit.build.example import write_source
from tests.unit.investigate.doubles import Watcher, World, own, ratios
from tests.unit.report.parts import as_terminal

from whyfast.build.recipe import Recipe
from whyfast.investigate.study_run import run_study
from whyfast.model.build import Build, BuildOutcome
from whyfast.model.result import Result
from whyfast.model.study import Claim, MeasureSpec
from whyfast.model.variant import Benchmark, Variant
from whyfast.report.answer import answer_of
from whyfast.report.sections.main_table import summary_table
from whyfast.store.builds import BuildStore
from whyfast.store.files import sha256_of

#: Which program each commit makes.
PROGRAMS = {"c1": "x", "c2": "y", "c3": "y", "c4": "y", "c5": "z"}
TIMES = {"c1": 1.0, "c2": 1.1, "c3": 1.1, "c4": 1.1, "c5": 1.2}


class Bench:
    def __init__(self, folder: Path) -> None:
        self.folder, self.watcher, self.world = folder, Watcher(), World(script=ratios(TIMES))
        self.beside: dict[str, str] = {}

    def build(
        self, recipes: Sequence[Recipe], store: BuildStore, note: Callable[[str], None]
    ) -> list[BuildOutcome]:
        made: list[BuildOutcome] = []
        for one, recipe in zip(self.world.build(recipes, store, note), recipes, strict=True):
            assert isinstance(one, Build)
            name = PROGRAMS.get(one.variant, one.variant)
            record = {**one.provenance, "program": recipe.program}
            one.program.write_text(name)
            sha256 = sha256_of(one.program)
            made.append(replace(one, program_sha256=sha256, provenance=record))
            if one.variant in self.beside:
                one.program.with_name("lib.py").write_text(self.beside[one.variant])
        return made

    def run(self, **fields: Any) -> Result:
        variants = tuple(Variant(n, "path:cc", cflags=(f"-D{n}",)) for n in PROGRAMS)
        study = replace(
            example(write_source(self.folder)),
            **{
                "baselines": ("c1",),
                "variants": variants,
                "benchmarks": (Benchmark("fib", "command", ("{program}",)),),
                "measure": MeasureSpec(budget=300.0, turns=2),
                **fields,
            },
        )
        services = self.world.services(build=self.build)
        return run_study(study, own(self.folder), self.watcher, services=services)


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


def test_one_is_measured_for_all_and_the_table_has_one_row(bench: Bench) -> None:
    result = bench.run()
    assert result.recorded.same == {"c3": "c2", "c4": "c2"}
    assert "c2 = c3 = c4: byte-identical, so c2 is measured for all" in bench.watcher.heard
    assert {frozenset(b.values) for b in result.recorded.blocks} == {
        frozenset(TIMES) - {"c3", "c4"}
    }
    assert [v.variant for v in result.judged.verdicts] == ["c2", "c5"]
    table = summary_table(result)
    assert table is not None
    assert [(row[0].text, row[0].detail) for row in table.rows] == [
        ("c1", ""),
        ("c2 = c3 = c4", "byte-identical"),
        ("c5", ""),
    ]
    said = "c2, c3 and c4 are identical byte for byte; measured once, as c2."
    assert said in answer_of(result).sentences
    assert "c2 = c3 = c4" in as_terminal(result, 100)
    assert not [c for c in result.judged.confounds if c.kind == "identical-programs"]


def test_baselines_and_sides_of_the_claim_stand_for_others(bench: Bench) -> None:
    result = bench.run(baselines=("c4",), claim=Claim("c1", "c3"))
    assert result.recorded.same == {"c2": "c4", "c3": "c4"}
    result = bench.run(baselines=("c5",), claim=Claim("c1", "c3"))
    assert result.recorded.same == {"c2": "c3", "c4": "c3"}


def test_a_baseline_that_is_another_one_has_no_column_of_its_own(bench: Bench) -> None:
    result = bench.run(baselines=("c2", "c3"))
    assert {v.baseline for v in result.judged.verdicts} == {"c2"}
    table = summary_table(result)
    assert table is not None
    assert [c.title for c in table.columns] == ["variant", "time", "against c2"]


def test_what_could_be_read_beside_the_program_keeps_them_apart(bench: Bench) -> None:
    bench.beside = {"c2": "a", "c3": "a", "c4": "b"}
    result = bench.run()
    assert result.recorded.same == {"c3": "c2"}
    said = "c2 and c4 have equal programs, but differ in lib.py; both are measured"
    assert said in bench.watcher.heard


def test_another_interpreter_or_other_words_keep_them_apart(bench: Bench) -> None:
    variants = (
        Variant("c1", "path:cc"),
        Variant("c2", "path:cc", cflags=("-Da",), run=("--jit",)),
        Variant("c3", "path:cc", cflags=("-Db",)),
        Variant("c5", "path:cc", cflags=("-Dc",)),
    )
    assert bench.run(variants=variants, claim=None).recorded.same == {}


def test_where_all_are_one_nothing_is_measured(bench: Bench, golden: Hear) -> None:
    variants = tuple(Variant(n, "path:cc", cflags=(f"-D{n}",)) for n in ("c2", "c3", "c4"))
    result = bench.run(variants=variants, baselines=("c3",))
    assert result.recorded.blocks == ()
    assert bench.world.runners == []
    golden(answer_of(result).headline)


def test_along_an_axis_each_pair_is_of_those_that_were_measured(bench: Bench) -> None:
    variants = tuple(
        Variant(n, "path:cc", cflags=(f"-D{n}",), axes={"commit": commit, "way": way})
        for n, commit, way in (
            ("c1", "old", "goto"),
            ("c2", "old", "switch"),
            ("c5", "new", "goto"),
            ("c3", "new", "switch"),
        )
    )
    result = bench.run(
        variants=variants, baselines=("c2", "c3"), along={"way": "switch"}, claim=None
    )
    assert result.recorded.same == {"c3": "c2"}
    assert [(v.variant, v.baseline) for v in result.judged.verdicts] == [("c1", "c2"), ("c5", "c2")]
    assert [i.baselines for i in result.judged.interactions] == [("c2", "c2")]
    assert "same" in as_terminal(result, 100)


def test_where_every_pair_is_one_program_nothing_is_measured(bench: Bench) -> None:
    variants = tuple(
        Variant(n, "path:cc", cflags=(f"-D{n}",), axes={"commit": commit, "cc": cc})
        for n, commit, cc in (("c2", "old", "gcc"), ("c3", "new", "gcc"), ("c1", "old", "tcc"))
    )
    result = bench.run(variants=variants, baselines=("c2", "c1"), along={"commit": "old"})
    assert result.recorded.same == {"c3": "c2"}
    assert bench.world.runners == []
