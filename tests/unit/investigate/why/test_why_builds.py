"""Benchmarks of builds as commands with a fixed amount of work, and which of them have none."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tests.unit.investigate.doubles import Watcher, World, own

from whyfast.investigate.context import RunContext
from whyfast.investigate.why.why_builds import WORK, BuildSide, explain_builds, largest, loops_of
from whyfast.measure.count import CountingTask
from whyfast.measure.tools import CannotCount, Launcher, ToolRun
from whyfast.model.study import Study
from whyfast.model.variant import Benchmark, RunnerName
from whyfast.model.verdict import Outcome, Verdict
from whyfast.study.load import load_study

#: A program that takes turns: a loop takes a thousandth of a second.
TURNS = """\
#!/bin/sh
in=${WHYFAST_TURN%,*} out=${WHYFAST_TURN#*,}
eval "echo ready 1 >&$out"
while eval "read loops <&$in"; do
    [ -z "$1" ] || { eval "echo error $1 >&$out"; exit 3; }
    eval "echo $((loops / 1000)).$(printf %03d $((loops % 1000))) 7 >&$out"
done
echo left
"""


def side(folder: Path, *arguments: str, runner: RunnerName = "turn") -> BuildSide:
    program = folder / "program"
    program.write_text(TURNS)
    program.chmod(0o755)
    run = ToolRun((str(program), *arguments), Launcher(), {**os.environ, "EXTRA": "1"}, 60.0)
    return BuildSide(CountingTask("fast", run, turns=runner == "turn"), folder, runner)


def verdict(
    outcome: Outcome = "slower", ratio: float = 1.5, benchmark: str | None = "one"
) -> Verdict:
    return Verdict("head", "base", benchmark, outcome, ratio, ratio, ratio, 0.99, 0.0, 9)


def test_a_program_that_takes_turns_runs_as_a_command(tmp_path: Path) -> None:
    fast = side(tmp_path)
    env = dict(os.environ)
    words = fast.words(42, env)
    # What the benchmark needs beside the environment of all is before the command.
    assert words[:2] == ("env", "EXTRA=1")
    done = Launcher().run(words, env=env, timeout=60.0)
    assert (done.status, done.stdout) == (0, "left\n")
    assert fast.answers.read_text() == "ready 1\n0.042 7\n"


def test_as_many_loops_as_the_work_takes(tmp_path: Path) -> None:
    assert loops_of(side(tmp_path), dict(os.environ)) == round(WORK / 0.001)


def test_the_start_of_a_harness_is_no_work(tmp_path: Path) -> None:
    harness = side(tmp_path, runner="go")
    # Starts for 0.2 s, and takes a microsecond an iteration.
    Path(harness.task.run.command[0]).write_text(
        '#!/bin/sh\nn=${1#-test.benchtime=}; n=${n%x}; sleep 0.2; sleep $(printf "%d.%06d" '
        "$((n / 1000000)) $((n % 1000000)))\n"
    )
    assert loops_of(harness, dict(os.environ)) >= WORK / 2 / 1e-6 / 4


def test_a_program_that_fails_without_whyfast_is_named(tmp_path: Path) -> None:
    with pytest.raises(CannotCount, match="fast failed as a command"):
        loops_of(side(tmp_path, "bad"), dict(os.environ))


def test_harnesses_are_told_a_number_of_iterations(tmp_path: Path) -> None:
    words = side(tmp_path, "-test.bench=X", "-test.benchtime=1s", runner="go").words(7, {})
    assert words[-2:] == ("-test.bench=X", "-test.benchtime=7x")


def test_the_largest_decided_difference_is_explained() -> None:
    verdicts = [
        verdict("slower", 1.5, "one"),
        verdict("faster", 0.5, "two"),
        verdict("undecided", 9.0, "three"),
        verdict("slower", 9.0, None),
        verdict("slower", 8.0, "moved"),
    ]
    chosen = largest(verdicts, ["moved"])
    assert chosen is not None
    assert chosen.benchmark == "two"
    assert largest(verdicts[2:4]) is None


@pytest.fixture
def context(tmp_path: Path) -> RunContext[Study]:
    (tmp_path / "study.toml").write_text(
        '[study]\ntitle = "t"\nbaseline = "base"\n[source]\npath = "."\n'
        '[build]\nsteps = ["true"]\nprogram = "vm"\n'
        '[variant.base]\ntoolchain = "path:cc"\n[variant.head]\ntoolchain = "path:cc"\n'
        '[benchmarks.one]\nrunner = "command"\ncommand = ["{program}"]\n[evidence]\nwhy = true\n'
    )
    study = load_study(tmp_path / "study.toml")
    assert study.evidence.why
    services = World().services(launcher=Launcher(), env=dict(os.environ))
    return RunContext(study, own(tmp_path), Watcher(), services)


def test_what_is_not_decided_is_not_explained(context: RunContext[Study]) -> None:
    assert explain_builds(context, context.question.benchmarks[0], verdict("same", 1.0)) is None
    assert isinstance(context.observer, Watcher)
    assert context.observer.heard == []


def test_a_benchmark_without_a_fixed_amount_of_work_is_told(context: RunContext[Study]) -> None:
    criterion = Benchmark("one", "criterion", ("{program}",))
    assert explain_builds(context, criterion, verdict()) is None
    assert isinstance(context.observer, Watcher)
    assert context.observer.heard == [
        "# explain",
        "no account of the difference on one: a criterion benchmark has no fixed amount of work",
    ]
