"""Builds that are the same program are measured once. Which benchmarks execute what has changed,
with counts that nothing has run for."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest
from tests.golden_files import Hear
from tests.unit.build.example import study as example
from tests.unit.build.example import write_source
from tests.unit.investigate.doubles import Watcher, World, own, ratios
from tests.unit.report.parts import as_terminal

from whyfast.build.recipe import Recipe
from whyfast.investigate.change_reach import _reach
from whyfast.investigate.counting import BuildCounter
from whyfast.investigate.study_run import run_study
from whyfast.measure.harnesses import LONG, ONCE
from whyfast.model.build import Build, BuildOutcome
from whyfast.model.code import ChangeCoverage, CodeComparison, FunctionChange
from whyfast.model.counters import Counts, FunctionCost, Profile
from whyfast.model.result import Result
from whyfast.model.study import Claim, MeasureSpec
from whyfast.model.variant import Benchmark, RunnerName, Variant
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
        self, recipes: Sequence[Recipe], store: BuildStore, *given: Any
    ) -> list[BuildOutcome]:
        made: list[BuildOutcome] = []
        for one, recipe in zip(self.world.build(recipes, store, *given), recipes, strict=True):
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


HOT = FunctionChange("hot", "changed", (10, 12))
TRACED = CodeComparison(False, False, (HOT,), (), traced=True)
NAMES: dict[str, dict[str, str]] = {"base": {}, "head": {}}


class Counter:
    """Answers with the functions that a way of running executes."""

    def __init__(self, executed: dict[int, tuple[str, ...]]) -> None:
        self.executed = executed
        self.asked: list[int] = []

    def seen(self, benchmark: Benchmark, way: int) -> list[Counts]:
        self.asked.append(way)
        functions = tuple(FunctionCost(f, "p", {"Ir": 5.0}) for f in self.executed[way])
        profile = Profile("callgrind", "simulated", ("Ir",), functions, {"Ir": 9.0})
        return [Counts(side, (), (), profile, ()) for side in ("base", "head")]


def _reached(
    counter: Any, runner: RunnerName = "go", code: CodeComparison = TRACED
) -> ChangeCoverage:
    benchmark = Benchmark("one", runner, ("{program}",))
    return _reach(cast("BuildCounter", counter), benchmark, NAMES, code)


@pytest.mark.parametrize("runner", ["go", "google-benchmark", "criterion"])
def test_one_iteration_shows_that_a_harness_executes_it(runner: RunnerName) -> None:
    counter = Counter({ONCE: ("main", "hot")})
    # Iterations are not counted: they are of no defined work.
    assert _reached(counter, runner) == ChangeCoverage("one", ("hot",), "", None)
    assert counter.asked == [ONCE]


def test_what_takes_other_numbers_of_instructions_comes_first() -> None:
    costs = {"base": {"busy": 900.0, "hot": 5.0}, "head": {"busy": 900.0, "hot": 9.0}}

    def seen(benchmark: Benchmark, way: int) -> list[Counts]:
        made = []
        for side, side_costs in costs.items():
            functions = tuple(FunctionCost(n, "p", {"Ir": cost}) for n, cost in side_costs.items())
            profile = Profile("callgrind", "simulated", ("Ir",), functions, {"Ir": 999.0})
            made.append(Counts(side, (), (), profile, ()))
        return made

    counter = Counter({})
    counter.seen = seen  # type: ignore[method-assign]
    code = CodeComparison(False, False, (FunctionChange("busy", "changed", (8, 8)), HOT), ())
    assert _reached(counter, code=code).executes == ("hot", "busy")


DATA = CodeComparison(False, False, (HOT,), ("the data in x differs",))


@pytest.mark.parametrize(
    ("executed", "code", "expected"),
    [
        ({ONCE: ("main",), LONG: ("main", "hot")}, TRACED, (("hot",), "")),
        ({ONCE: ("main",), LONG: ("main",)}, TRACED, ((), "")),
        ({ONCE: ("main",)}, DATA, (None, "the data in x differs")),
    ],
    ids=["another iteration may", "else it is placement", "not where the answer would not hold"],
)
def test_what_one_iteration_does_not_execute_is_run_for_long(
    executed: dict[int, tuple[str, ...]],
    code: CodeComparison,
    expected: tuple[tuple[str, ...] | None, str],
) -> None:
    counter = Counter(executed)
    reach = _reached(counter, code=code)
    assert reach == ChangeCoverage("one", *expected, None)
    assert reach.placement_only == (expected[0] == ())
    assert counter.asked == list(executed)


def test_a_benchmark_that_runs_in_the_kernel_is_not_simulated() -> None:
    counter = Counter({})
    assert _reached(counter, "bpf") == ChangeCoverage(
        "one", None, "a bpf benchmark cannot be simulated"
    )
    assert counter.asked == []
