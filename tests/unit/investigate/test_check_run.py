"""Checks of changes in a real repository, in an outside that builds and measures nothing real."""

import json
import subprocess
from dataclasses import replace
from typing import Any

import pytest
from tests.golden_files import Hear, refusal
from tests.unit.fleet.stand_in import Builder, StandIn
from tests.unit.investigate.conftest import HOT, STUDY, TRACED, Bench, found
from tests.unit.investigate.doubles import World, own, ratios
from tests.unit.measure.doubles import fails_at

from whyfast.build.source import obtain
from whyfast.cli.runs import check_exit_code as exit_code
from whyfast.fleet.replicate import Sharded
from whyfast.formats.whyfast_result import is_check_log, read_check_log
from whyfast.investigate import beside_program, check_run
from whyfast.investigate.check_run import GOES_ON, Request, ask
from whyfast.measure.harnesses import NO_BENCHMARK
from whyfast.model.build import Build
from whyfast.model.code import ChangeCoverage, CodeComparison, FunctionChange
from whyfast.model.errors import UserError
from whyfast.model.result import Result
from whyfast.report.document import Sentences, Table
from whyfast.report.pages.results import (
    LINES,
    check_markdown,
    check_page,
    github_annotations,
    log_line,
)
from whyfast.report.result_json import from_json, to_json
from whyfast.study.library import FILL_IN


def _tables(result: Result) -> tuple[Table, ...]:
    """What the answer shows of benchmarks."""
    shown = [s for s in check_page(result).sections if s.name == "benchmarks"]
    return tuple(b for s in shown for b in s.blocks if isinstance(b, Table))


def _sentences(result: Result) -> tuple[str, ...]:
    blocks = [b for s in check_page(result).sections for b in s.blocks]
    return tuple(i.text for b in blocks if isinstance(b, Sentences) for i in b.items)


def test_a_benchmark_whose_file_the_head_lacks_is_not_run(bench: Bench) -> None:
    bench.change_study('"{program}", "2"', '"{program}", "{source}/later.js"')
    result = bench.run()
    assert [v.benchmark for v in result.judged.verdicts] == ["one"]
    assert any("two" in note and "later.js" in note for note in found(result).notes)
    bench.write("later.js", "0")
    assert [v.benchmark for v in bench.run().judged.verdicts] == ["one", "two"]


def test_a_benchmark_whose_file_the_head_lacks_is_that_of_the_study(bench: Bench) -> None:
    bench.change_study('"{program}", "2"', '"{program}", "{source}/later.js"')
    bench.repository.commit("x")
    bench.write("later.js", "0")
    result = bench.run("HEAD~1..HEAD")
    assert result.question.benchmarks[1].command == ("{program}", "{study}/later.js")
    notes = found(result).notes
    assert any("later.js" in note and "study's folder" in note for note in notes)


def test_both_sides_are_built_and_measured_in_turns(bench: Bench) -> None:
    result = bench.run()
    assert bench.world.built == ["base", "head"]
    assert [(v.benchmark, v.outcome) for v in result.judged.verdicts] == [
        ("one", "slower"),
        ("two", "slower"),
    ]
    page = check_page(result)
    one, two = "10.0 % slower on one [10.0, 10.0] %", "10.0 % slower on two"
    assert page.headline.startswith(f"{one} and {two}")
    # Nothing was simulated, so there is no column of instructions.
    table = _tables(result)[0]
    assert [c.title for c in table.columns] == ["benchmark", "verdict", "difference", "executes"]
    assert (exit_code(result, "slower"), exit_code(result, None)) == (3, 0)


def test_a_check_that_runs_out_of_time_goes_on_and_ends_once_it_is_decided(bench: Bench) -> None:
    bench.takes({"base": 20.0, "head": 22.0})
    first = bench.run()
    assert {v.outcome for v in first.judged.verdicts} == {"undecided"}
    assert first.recorded.complete
    assert exit_code(first, "slower") == 0
    assert GOES_ON in _sentences(first)

    second = bench.run()
    taken = len(first.recorded.blocks)
    assert taken > 0
    assert f"resuming: {taken} blocks are already taken" in bench.watcher.heard
    assert second.recorded.blocks[:taken] == first.recorded.blocks
    assert len(second.recorded.blocks) > taken

    last, runs = second, 2
    while GOES_ON in _sentences(last):
        last, runs = bench.run(), runs + 1
        assert runs < 20
    assert {v.outcome for v in last.judged.verdicts} == {"slower"}
    assert last.recorded.run == first.recorded.run
    assert bench.run().recorded.run != first.recorded.run


def test_another_change_does_not_go_on_with_what_was_measured_of_this(bench: Bench) -> None:
    bench.takes({"base": 20.0, "head": 22.0})
    first = bench.run()
    bench.write("main.c", "other\n")
    assert bench.run().recorded.run != first.recorded.run


def test_a_check_with_a_failure_begins_anew(bench: Bench) -> None:
    bench.world.script = fails_at("head", 1, 20.0)
    first = bench.run()
    assert first.recorded.failures
    assert GOES_ON not in _sentences(first)
    assert bench.run().recorded.run != first.recorded.run


def test_a_change_of_several_commits_that_is_slower_is_one_to_search(bench: Bench) -> None:
    assert not [s for s in _sentences(bench.run()) if "whyfast search" in s]
    bench.git("checkout", "-q", "-b", "work")
    for text in ("two", "three"):
        bench.write("main.c", text)
        bench.repository.commit(text)
    result = bench.run()
    check = found(result)
    said = (
        f"`whyfast search whyfast.toml --good {check.base[:12]} --bad {check.head[:12]} "
        "--benchmark one` finds which of the 2 commits did it."
    )
    assert said in _sentences(result)
    bench.takes({"base": 1.0, "head": 1.0})
    assert not [s for s in _sentences(bench.run()) if "whyfast search" in s]


def test_the_repository_is_left_as_it_was(bench: Bench) -> None:
    def state() -> str:
        words = ["git", "-C", str(bench.repo), "status", "--short", "--branch"]
        return subprocess.run(words, capture_output=True, text=True, check=True).stdout

    before = state()
    bench.run()
    assert state() == before


def test_equal_builds_are_not_measured(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, golden: Hear
) -> None:
    same = CodeComparison(True, True, traced=True)
    monkeypatch.setattr(check_run, "same_builds", lambda *sides: same)
    result = bench.run()
    assert bench.world.runners == []
    golden(check_page(result).headline)
    assert _tables(result) == ()
    assert exit_code(result, "slower") == 0


@pytest.mark.parametrize("runs", [("hot",), ()], ids=["one does", "none does"])
def test_what_runs_no_changed_code_of_python_is_not_measured(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, golden: Hear, runs: tuple[str, ...]
) -> None:
    bench.change_study('"path:cc"', '"path:python3"')
    bench.repository.commit("in Python")
    bench.write("main.c", "later")
    reaches = [ChangeCoverage("one", runs), ChangeCoverage("two", ())]
    monkeypatch.setattr(check_run, "with_functions", lambda *sides: TRACED)
    monkeypatch.setattr(check_run, "reached_in_python", lambda *given: reaches)
    result = bench.run()
    assert {b.benchmark for b in result.recorded.blocks} == ({"one"} if runs else set())
    golden(check_page(result).headline, *_sentences(result))
    assert exit_code(result, "slower") == (3 if runs else 0)


@pytest.mark.usefixtures("traced")
def test_what_runs_no_changed_code_comes_last_and_fails_nothing(bench: Bench, golden: Hear) -> None:
    result = bench.run()
    order = [b.benchmark for b in result.recorded.blocks]
    assert order == sorted(order)
    golden(check_page(result).headline)
    table = _tables(result)[0]
    cells = {row[0].text: (row[3].text, row[4].text) for row in table.rows}
    assert cells == {
        "one": ("hot", "+3.00 %"),
        "two": ("none: placement only", "+0.00 %"),
        "geometric mean": ("", ""),
    }


@pytest.mark.usefixtures("traced")
def test_on_a_fleet_what_runs_changed_code_is_measured_first_too(bench: Bench) -> None:
    times = ratios({"base": 1.0, "head": 1.1})
    bench.world = Builder(script=times)
    hosts = {name: World(script=times) for name in ("ash", "elm")}
    result = bench.run(elsewhere=Sharded(StandIn(bench.world, bench.folder, hosts)))
    assert {v.outcome for v in result.judged.verdicts} == {"slower"}
    assert result.recorded.complete
    order = [b.benchmark for b in result.recorded.blocks]
    assert order == sorted(order)
    host = {s.id: s.environment["machine"] for s in result.recorded.sessions}
    for name in ("one", "two"):  # neither is compared over hosts
        assert len({host[b.session] for b in result.recorded.blocks if b.benchmark == name}) == 1
    assert set(host.values()) <= {"ash", "elm"}


@pytest.mark.parametrize(
    ("instructions", "although"),
    [
        ((100.0, 103.0), ""),
        ((100.0, 100.0), ", but the number of instructions on one is unchanged"),
        ((100.0, 97.0), ", but 3 % fewer instructions run on one: it may be placement"),
    ],
)
def test_instructions_that_speak_against_the_cause_are_told(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, instructions: tuple[float, float], although: str
) -> None:
    data = FunctionChange("far", "changed", (10, 10), True)
    cold = replace(HOT, name="cold")
    code = CodeComparison(False, False, (cold, replace(HOT, name="hot.isra.0"), data), ("a", "b"))
    monkeypatch.setattr(check_run, "same_builds", lambda *sides: code)
    reaches = tuple(ChangeCoverage(n, ("hot",), "", instructions) for n in ("one", "two"))
    monkeypatch.setattr(check_run, "reached_by", lambda *given: reaches)
    result = bench.run()
    assert check_page(result).headline.endswith(f"; `hot.isra.0` now calls `peek`{although}.")
    said = _sentences(result)
    assert "2 functions changed: `hot.isra.0` and `cold`." in said  # what is executed comes first
    assert "Counts as changed: a; b." in said
    assert "1 function more has the same instructions and refers to data that differs." in said


@pytest.mark.parametrize(("more", "where"), [((100.0, 100.0), ""), ((100.0, 102.0), " on one")])
def test_which_run_as_many_instructions_is_told_where_others_run_more(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, more: tuple[float, float], where: str
) -> None:
    bench.takes({"base": 1.0, "head": 1.02})
    reaches = (
        ChangeCoverage("one", ("hot",), "", (100.0, 100.0)),
        ChangeCoverage("two", ("hot",), "", more),
    )
    monkeypatch.setattr(check_run, "reached_by", lambda *given: reaches)
    head, *_ = check_page(bench.run()).headline.split(" and placement alone can make as much, ")
    assert head == f"As many instructions run as before{where}"


@pytest.mark.usefixtures("traced")
def test_a_difference_by_placement_alone_fails_nothing(bench: Bench) -> None:
    bench.takes({"base": 1.0, "head": 1.0})
    assert exit_code(bench.run(), "slower") == 0


@pytest.mark.usefixtures("traced")
def test_the_comment_is_short_and_folds_the_instructions_away(bench: Bench) -> None:
    text = check_markdown(bench.run())
    assert text.count("\n") <= LINES
    assert text.startswith("**10.0 % slower on one")
    assert (
        "<details><summary>hot now calls peek</summary>\n\n```diff\n-a\n+b\n```\n\n</details>\n"
        in text
    )


@pytest.mark.usefixtures("traced")
def test_the_result_survives_json_and_a_log(bench: Bench) -> None:
    result = bench.run()
    again = from_json(json.loads(json.dumps(to_json(result))))
    assert again.found.check == result.found.check
    line = log_line(result)
    assert line.count("\n") == 1
    assert is_check_log(line)
    timeline = read_check_log(line + line, "log")
    assert [s.name for s in timeline.series] == ["one", "two"]
    assert timeline.series[0].values == pytest.approx((1.1, 1.1))


def test_annotations_escape_what_github_would_read(bench: Bench, golden: Hear) -> None:
    result = bench.run()
    first, *rest = github_annotations(result, failed=True)
    assert first.startswith("::error title=whyfast::10.0 %25 slower on one")
    golden(*rest)


def test_benchmarks_of_one_side_are_named_and_the_rest_judged(bench: Bench) -> None:
    bench.change_study("[benchmarks.two]", "[benchmarks.three]")
    result = bench.run()
    assert {v.benchmark for v in result.judged.verdicts} == {"one"}
    said = _sentences(result)
    assert "Only in the head, not compared: three." in said
    assert "Only in the base, not compared: two." in said


def test_flags_of_the_study_are_those_of_each_side(bench: Bench) -> None:
    bench.change_study('"path:cc"', '"path:cc"\ncflags = ["-O3"]')
    base, head = bench.run().question.variants
    assert (base.cflags, head.cflags) == ((), ("-O3",))


def test_steps_that_differ_are_said(bench: Bench) -> None:
    bench.change_study('"cp {source}', '"true", "cp {source}')
    assert (
        "The steps of the build differ; both sides are built by those of the head."
        in _sentences(bench.run())
    )


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (["tests/a.c", "README.md"], True),
        (["lib/test/a.c", "x/parse_test.c", ".github/ci.yml"], True),
        (["tests/a.c", "lib/a.c"], False),
        (["contest/a.c"], False),
        (["unit_tests/a.c", "test.c"], True),
    ],
)
def test_that_only_tests_have_changed_is_said(bench: Bench, names: list[str], said: bool) -> None:
    every_file = "find {source} -name '*.c' | sort | xargs cat > {program}"
    bench.change_study("cp {source}/main.c {program}", every_file)
    bench.write("main.c", "before")
    bench.repository.commit("study")
    for name in names:
        bench.write(name, "other")
    assert any("Only tests" in note for note in found(bench.run()).notes) == said


def test_a_file_that_the_system_cannot_run_is_no_program_in_which_nothing_changed(
    bench: Bench,
) -> None:
    class Objects(World):
        def _build(self, *made: Any) -> Any:
            build = super()._build(*made)
            assert isinstance(build, Build)
            build.program.chmod(0o644)
            return build

    bench.world = Objects()
    with pytest.raises(UserError, match="'vm' is no program") as error:
        bench.run()
    assert "cp {source}/main.c {program}" in error.value.message


def test_equal_programs_without_the_file_that_differs_do_not_show_that_nothing_changed(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(check_run, "same_builds", lambda *sides: CodeComparison(True, True))
    assert check_page(bench.run()).headline.startswith("Nothing that runs has changed")
    monkeypatch.setattr(beside_program, "not_linked", lambda builds, names, differ: tuple(differ))
    result = bench.run()
    assert found(result).not_linked == ("main.c",)
    assert "`main.c`" in check_page(result).headline


def test_a_benchmark_that_fails_is_named(bench: Bench) -> None:
    bench.world.script = fails_at("head", 1)
    result = bench.run()
    assert "one and two failed in head: exit code 3." in _sentences(result)
    assert exit_code(result, None) == 1


@pytest.mark.parametrize("side", ["base", "head"])
def test_a_benchmark_that_the_change_adds_or_removes_is_no_failure(bench: Bench, side: str) -> None:
    bench.world.script = fails_at(side, 0, reason=NO_BENCHMARK)
    result = bench.run()
    assert {(f.variant, f.lacks) for f in result.recorded.failures} == {(side, True)}
    assert exit_code(result, None) == 0


@pytest.mark.parametrize("side", ["base", "head"])
def test_a_side_that_does_not_build_is_named(bench: Bench, side: str) -> None:
    bench.world.broken = [side]
    with pytest.raises(UserError) as caught:
        bench.run()
    name = {"base": "merge base with main", "head": "the working tree"}[side]
    assert str(caught.value).startswith(f"{side} ({name}, ")
    assert str(caught.value).endswith(") does not build: step 1 failed: exit code 1")


def test_no_study(bench: Bench, golden: Hear) -> None:
    (bench.repo / "whyfast.toml").unlink()
    golden(refusal(UserError, lambda: bench.run()))


def test_a_project_in_a_folder_of_the_repository(bench: Bench, golden: Hear) -> None:
    bench.write("lib/whyfast.toml", STUDY.replace("main.c", "lib.c"))
    bench.write("lib/lib.c", "before")
    deep = bench.repo / "lib" / "deep"
    deep.mkdir()
    bench.git("add", "-A")
    with pytest.raises(UserError, match="has no folder lib at"):  # the base lacks it
        bench.run("HEAD..", repo=deep)
    bench.git("commit", "-qm", "lib")
    bench.write("lib/lib.c", "after")
    asked = ask(Request(deep, "HEAD..", budget=300.0), own(bench.folder), bench.watcher)
    source = obtain(asked.study.source, own(bench.folder), bench.watcher.note)
    assert (source.folder / "lib.c").read_text() == "after"
    golden(*asked.study.build.steps)


def test_a_study_of_another_source(bench: Bench) -> None:
    bench.change_study("[build]", '[source]\nsubject = "ebpf-vm"\n\n[build]')
    with pytest.raises(UserError, match=r"\[source\] is not the repository that is checked"):
        bench.run()


def test_a_benchmark_that_is_to_be_filled_in(bench: Bench) -> None:
    bench.change_study("steps = [", f'steps = ["# {FILL_IN}", ')
    with pytest.raises(UserError, match="still to be filled in"):
        bench.run()


def test_a_base_without_the_study(bench: Bench) -> None:
    bench.git("rm", "-q", "--cached", "whyfast.toml")
    bench.git("commit", "-qm", "without")
    result = bench.run()
    assert {v.benchmark for v in result.judged.verdicts} == {"one", "two"}
    assert "The base has no study file; the head's is used for both." in _sentences(result)
