"""A whole run of a study, in an outside that is a double from end to end.

A real program that crashes one run in sixty.
"""

import json
import sqlite3
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
from tests.golden_files import Hear, refusal
from tests.unit.build.example import study as example
from tests.unit.build.example import write_source
from tests.unit.investigate.doubles import Watcher, World, own, ratios
from tests.unit.measure.doubles import FakeClock, FakeRunner, fails_at

from whyfast.cli.main import main
from whyfast.cli.results import exit_code
from whyfast.investigate.study_run import run_study
from whyfast.measure.invocation import LaunchArguments
from whyfast.model.build import Build, BuildFailure
from whyfast.model.errors import UserError
from whyfast.model.result import Result
from whyfast.model.study import EvidenceSpec, MeasureSpec, Study
from whyfast.model.variant import Benchmark, RunnerName, Variant
from whyfast.store.samples import SampleStore


@dataclass
class Bench:
    """One study in one home, run again and again."""

    folder: Path
    world: World = field(default_factory=World)
    watcher: Watcher = field(default_factory=Watcher)

    def study(self, **fields: Any) -> Study:
        variants = tuple(Variant(n, "path:cc", cflags=(f"-D{n}",)) for n in ("a", "b", "c"))
        plain = replace(
            example(write_source(self.folder)),
            baselines=("a",),
            variants=variants,
            benchmarks=(Benchmark("fib", "command", ("{program}",)),),
            measure=MeasureSpec(budget=300.0, turns=2),
        )
        return replace(plain, **fields)

    def run(
        self, *, fresh: bool = False, services: dict[str, Any] | None = None, **fields: Any
    ) -> Result:
        self.watcher.heard.clear()
        return run_study(
            self.study(**fields),
            own(self.folder),
            self.watcher,
            services=self.world.services(**(services or {})),
            fresh=fresh,
        )


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


def test_the_stages_come_in_order_and_lead_to_verdicts(bench: Bench) -> None:
    bench.world.script = ratios({"a": 1.0, "b": 1.1, "c": 1.0})
    result = bench.run()
    assert bench.watcher.phases == ["toolchains", "build", "explain", "measure", "judge"]
    assert bench.world.built == ["a", "b", "c"]
    assert [(v.variant, v.outcome) for v in result.judged.verdicts] == [
        ("b", "slower"),
        ("c", "same"),
    ]
    assert result.judged.verdicts[0].ratio == pytest.approx(1.1)
    assert result.judged.about == "binaries"
    assert result.recorded.complete
    assert (result.question, result.recorded.failures) == (bench.study(), ())
    assert result.recorded.seconds == {"prepare": 0.0, "measure": bench.world.clock.seconds}


def test_once_all_is_decided_measuring_ends_before_the_budget(bench: Bench) -> None:
    bench.world.script = ratios({"a": 1.0, "b": 1.5, "c": 0.5})
    bench.run(measure=MeasureSpec(budget=1e6, turns=2))
    assert bench.world.clock.seconds < 1000


def test_each_process_runs_a_copy_of_its_own_where_the_study_says_so(bench: Bench) -> None:
    bench.world.script = ratios({"a": 1.0, "b": 1.5, "c": 0.5})
    seen: dict[str, Path] = {}

    def runner(name: RunnerName, arguments: LaunchArguments) -> FakeRunner:
        seen.update({v: Path(argv[0]) for v, argv in arguments.commands.items()})
        return bench.world.runner(name, arguments)

    result = bench.run(
        services={"runner": runner}, measure=MeasureSpec(budget=300.0, turns=2, copies=True)
    )
    assert len(result.judged.verdicts) == 2
    for build in result.recorded.builds:
        assert isinstance(build, Build)
        copy = seen[build.variant]
        assert copy.parent == build.program.parent
        assert copy.name.startswith(f".{build.program.name}.")
        assert not copy.exists()


def test_a_build_that_fails_leaves_the_others(bench: Bench) -> None:
    bench.world.broken = ["b"]
    result = bench.run()
    assert [type(b).__name__ for b in result.recorded.builds] == ["Build", "BuildFailure", "Build"]
    assert "b: step 1 failed: exit code 1" in bench.watcher.heard
    assert {v.variant for v in result.judged.verdicts} == {"c"}
    assert set(result.recorded.blocks[0].values) == {"a", "c"}


def test_without_a_baseline_nothing_is_measured_and_kept(bench: Bench, golden: Hear) -> None:
    bench.world.broken = ["a"]
    golden(refusal(UserError, lambda: bench.run()))
    assert bench.world.runners == []
    assert not own(bench.folder).database.exists()


def test_another_baseline_takes_its_place(bench: Bench) -> None:
    bench.world.broken = ["a"]
    result = bench.run(baselines=("a", "b"))
    assert {(v.variant, v.baseline) for v in result.judged.verdicts} == {("c", "b")}


def test_a_baseline_that_is_lost_half_way(bench: Bench) -> None:
    bench.world.script = fails_at("a", 8)
    result = bench.run(baselines=("a", "b"))
    (failure,) = result.recorded.failures
    assert (failure.variant, failure.reason) == ("a", "exit code 3")
    assert "a failed: exit code 3" in bench.watcher.heard
    sides = [set(b.values) for b in result.recorded.blocks]
    assert sides[0] == {"a", "b", "c"}
    assert sides[-1] == {"b", "c"}
    assert {(v.variant, v.baseline) for v in result.judged.verdicts} == {
        *(("b", "a"), ("c", "a")),
        *(("a", "b"), ("c", "b")),
    }
    # From now on the second is what the others are measured against.
    assert {v.blocks for v in result.judged.verdicts if v.variant == "c"} == {
        len(sides),
        sum("a" in side for side in sides),
    }


def test_the_only_baseline_lost_ends_the_measuring(bench: Bench) -> None:
    bench.world.script = fails_at("a", 8)
    result = bench.run()
    assert {"a"} <= {f.variant for f in result.recorded.failures}
    assert result.recorded.complete
    assert bench.world.clock.seconds < 100
    assert bench.world.runners[0].open == []


def test_interrupted_while_it_measures_it_goes_on(bench: Bench) -> None:
    bench.world.script = ratios({"a": 1.0, "b": 1.1, "c": 1.0})
    bench.world.interrupts = 40
    first = bench.run()
    assert not first.recorded.complete
    kept = first.recorded.blocks
    assert len(kept) == 6  # three turns to calibrate, and six in each block
    assert bench.world.runners[0].open == []
    assert bench.watcher.phases[-1] == "judge"

    second = bench.run()
    assert "resuming: 6 blocks are already taken" in bench.watcher.heard
    assert second.recorded.complete
    assert second.recorded.run == first.recorded.run
    assert second.recorded.blocks[:6] == kept
    assert [b.index for b in second.recorded.blocks] == list(range(len(second.recorded.blocks)))
    assert len(second.recorded.sessions) == 2

    third = bench.run()
    assert third.recorded.run != first.recorded.run


def test_fresh_means_not_to_go_on(bench: Bench) -> None:
    bench.world.interrupts = 40
    first = bench.run()
    second = bench.run(fresh=True)
    assert second.recorded.run != first.recorded.run
    assert not any(said.startswith("resuming") for said in bench.watcher.heard)


def test_a_budget_that_was_used_up_can_be_raised_for_the_next_run(bench: Bench) -> None:
    bench.world.interrupts = 40
    first = bench.run(measure=MeasureSpec(budget=500.0, turns=2))
    second = bench.run(measure=MeasureSpec(budget=900.0, turns=2))
    assert second.recorded.run == first.recorded.run
    other = bench.run(measure=MeasureSpec(budget=900.0, turns=3))
    assert other.recorded.run != first.recorded.run


@pytest.mark.parametrize("phase", ["toolchains", "build", "explain", "measure", "judge"])
def test_an_interrupt_outside_of_recording_is_passed_on(bench: Bench, phase: str) -> None:
    bench.watcher.interrupt = phase
    with pytest.raises(KeyboardInterrupt):
        bench.run()
    # The builds are there, and whatever was measured is, too.
    bench.watcher.interrupt = ""
    assert bench.run().recorded.complete


def interrupted(*arguments: object) -> Any:
    raise KeyboardInterrupt


def test_an_interrupt_while_a_step_runs(bench: Bench) -> None:
    with pytest.raises(KeyboardInterrupt):
        bench.run(services={"build": interrupted})
    assert not own(bench.folder).database.exists()


ASKING = Benchmark("fib", "command", ("{program}",), distribution=("{program}", "histogram"))


def test_an_interrupt_while_programs_are_asked_leaves_a_run_to_go_on_with(bench: Bench) -> None:
    bench.world.launcher.answers = {"vm": interrupted}
    first = bench.run(benchmarks=(ASKING,))
    assert (first.recorded.complete, first.recorded.blocks) == (False, ())
    assert first.judged.verdicts == ()
    bench.world.launcher.answers = {}
    second = bench.run(benchmarks=(replace(ASKING, distribution=()),))
    assert second.recorded.run == first.recorded.run


def test_an_interrupt_while_it_counts_keeps_what_was_measured(bench: Bench) -> None:
    bench.world.launcher.answers = {"perf": interrupted}
    counting = EvidenceSpec(counters="hardware or simulation")
    first = bench.run(evidence=counting)
    assert not first.recorded.complete
    assert first.found.counted == ()
    assert first.judged.verdicts != ()
    measured = bench.world.clock.seconds
    bench.world.launcher.answers = {}
    second = bench.run(evidence=counting)
    assert bench.watcher.phases[-2:] == ["count", "judge"]
    assert second.recorded.complete
    assert second.recorded.blocks == first.recorded.blocks
    assert bench.world.clock.seconds == measured  # all was decided
    (counted,) = second.found.counted
    assert {c.notes for c in counted.counts} == {
        ("valgrind is not installed; and a newer one is not available: no network",)
    }


def test_a_disk_that_fills_up(bench: Bench, golden: Hear) -> None:
    class Small(SampleStore):
        """On a disk with little room."""

        def __init__(self, path: Path) -> None:
            super().__init__(path)
            (pages,) = self._db.execute("PRAGMA page_count").fetchone()
            self._db.execute(f"PRAGMA max_page_count = {pages + 4}")

    long = MeasureSpec(budget=900.0, turns=2, stop="budget")
    with pytest.raises(UserError) as raised:
        bench.run(services={"store": Small}, measure=long)
    database = own(bench.folder).database
    golden(str(raised.value))
    assert bench.world.runners[0].open == []
    with sqlite3.connect(database) as db:
        (kept,) = db.execute("SELECT count(*) FROM block").fetchone()
    heard = sum(said == "block of fib" for said in bench.watcher.heard)
    assert kept == heard > 0
    assert bench.run(measure=long).recorded.complete
    assert f"resuming: {kept} blocks are already taken" in bench.watcher.heard


def test_evidence_only_is_not_measured_and_waits_for_nobody(bench: Bench) -> None:
    variants = tuple(replace(v, evidence_only=True) for v in bench.study().variants)
    result = bench.run(variants=variants)
    assert bench.world.runners == []
    assert (result.recorded.complete, result.judged.verdicts) == (True, ())
    assert result.question.benchmarks == ()
    assert len(result.recorded.builds) == 3
    assert not (own(bench.folder).data / "measuring.lock").exists()


def test_a_study_in_place_of_another_says_so_first(bench: Bench, golden: Hear) -> None:
    bench.run(stands_for="x cannot be run here: no root")
    golden(bench.watcher.heard[0])


def test_what_cannot_be_made_here_is_no_failure_of_a_run(bench: Bench) -> None:
    variants = bench.study().variants
    wanting = replace(variants[1], requires=("musttail",))
    result = bench.run(variants=(variants[0], wanting, variants[2]))
    failed = result.recorded.builds[1]
    assert isinstance(failed, BuildFailure)
    assert (failed.kind, failed.reason) == ("not-buildable", "cc 1.0 has no musttail")


def test_a_program_that_crashes_at_times_keeps_what_was_measured_before(bench: Bench) -> None:
    crash = fails_at("b", 40)
    slower = ratios({"a": 1.0, "b": 1.2, "c": 1.0})

    def script(variant: str, loops: int, before: int) -> Any:
        crash(variant, loops, before)
        return slower(variant, loops, before)

    bench.world.script = script
    result = bench.run(measure=MeasureSpec(budget=300.0, turns=2, stop="budget"))
    held = [b for b in result.recorded.blocks if "b" in b.values]
    assert 9 <= len(held) < len(result.recorded.blocks)
    (failure,) = result.recorded.failed
    assert (failure.variant, failure.reason) == ("b", "exit code 3")
    said = {v.variant: v for v in result.judged.verdicts}
    assert (said["b"].outcome, said["b"].blocks) == ("slower", len(held))
    assert exit_code(result, None) == 1


@pytest.mark.parametrize("how", ["written over", "another in its place", "a link", "gone"])
def test_a_program_changed_meanwhile_makes_no_verdict(bench: Bench, how: str, golden: Hear) -> None:
    plain, other = ratios({"a": 1.0, "b": 1.2, "c": 1.0}), bench.folder / "other"
    other.write_text("another")
    changed: list[Path] = []

    def script(variant: str, loops: int, before: int) -> Any:
        if variant == "b" and before == 1 and not changed:
            programs = (bench.folder / "cache" / "builds").glob("*/work/vm")
            program = next(p for p in programs if p.read_text() == "b")
            changed.append(program)
            if how == "written over":
                program.write_text("another")
            else:
                program.unlink()
            if how == "another in its place":
                other.rename(program)
            elif how == "a link":
                program.symlink_to(other)
        return plain(variant, loops, before)

    bench.world.script = script
    with pytest.raises(UserError) as caught:
        bench.run(measure=MeasureSpec(budget=60.0, turns=2, stop="budget"))
    assert changed
    golden(str(caught.value))


class SteppedClock(FakeClock):
    """Somebody sets the wall clock after two seconds of measuring."""

    def __init__(self, step: float) -> None:
        super().__init__()
        self._step = step

    def now(self) -> float:
        return super().now() + (self._step if self.seconds > 2.0 else 0.0)


@pytest.mark.parametrize("step", [-3600.0, 3600.0])
def test_a_step_of_the_clock_while_measuring_does_not_matter(tmp_path: Path, step: float) -> None:
    found = []
    for name, clock in (("even", FakeClock()), ("stepped", SteppedClock(step))):
        (tmp_path / name).mkdir()
        bench = Bench(tmp_path / name, World(clock=clock))
        bench.world.script = ratios({"a": 1.0, "b": 1.2, "c": 1.0})
        result = bench.run(measure=MeasureSpec(budget=60.0, turns=2, stop="budget"))
        blocks = [(b.benchmark, b.index, b.order, b.values) for b in result.recorded.blocks]
        found.append((blocks, result.judged.verdicts, bench.watcher.heard, clock.seconds))
        assert clock.seconds > 20.0
    assert found[0] == found[1]
    assert len(found[0][0]) == 8


def test_what_programs_leave_running_is_told_once(bench: Bench) -> None:
    counts = iter([7, 0, 1, 2])  # 7 of what ran before measuring
    bench.world.script = ratios({"a": 1.0, "b": 1.1, "c": 1.0})
    bench.run(services={"left": lambda: next(counts, 3)})
    told = [text for text in bench.watcher.heard if "still running" in str(text)]
    assert len(told) == 1
    assert "fib: 1 process was still running in other sessions" in str(told[0])


CRASHY = """\
#!/bin/sh
read n < runs
n=$((n + 1))
echo $n > runs
[ $((n % 60)) != 0 ] || kill -SEGV $$
"""


def test_what_it_did_before_it_crashed_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("WHYFAST_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    Path("runs").write_text("0\n")
    Path("fine").write_text(CRASHY.replace("runs", "others").replace("kill -SEGV $$", ":"))
    Path("others").write_text("0\n")
    Path("crashy").write_text(CRASHY)
    for name in ("fine", "crashy"):
        Path(name).chmod(0o755)
    # Its margin is so small that nothing is decided in sixty runs.
    words = ["ab", "./fine", "./crashy", "--budget", "10m", "--margin", "0.001%"]
    assert main([*words, "--json", "result.json"]) == 1
    found = json.loads(Path("result.json").read_text())["data"]
    kept = [b["values"] for b in found["recorded"]["blocks"]]
    # It is not timed again; its threads may be looked at once more.
    assert int(Path("runs").read_text()) <= 61
    # Blocks are whole. Some of the 59 runs told how long one takes.
    assert all(len(values["./crashy"]) == len(values["./fine"]) for values in kept)
    assert 1 <= sum(len(values["./crashy"]) for values in kept) <= 59
    assert "./crashy failed on 'whole run': killed by SIGSEGV." in found["answer"]["sentences"]
    assert "./crashy failed on whole run: killed by SIGSEGV" in capsys.readouterr().err
