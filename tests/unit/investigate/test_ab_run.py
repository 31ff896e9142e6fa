"""Commands against each other, in an outside that is a double from end to end."""

import math
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
from tests.golden_files import Hear, refusal
from tests.unit.investigate.doubles import Watcher, World, own, ratios
from tests.unit.measure.doubles import fails_at
from tests.unit.measure.tools import Replay, said

from whyfast.cli.results import exit_code
from whyfast.investigate.ab_run import EMPTY_RUNS, ROUNDS, Command, Options, run_ab
from whyfast.judge.eprocess import confidence_interval
from whyfast.judge.ratios import pair_ratios
from whyfast.measure.commands import ProbeRun
from whyfast.measure.invocation import InvocationFailed, LaunchArguments, Sample
from whyfast.measure.tools import Finished
from whyfast.model.errors import UserError
from whyfast.model.result import Result
from whyfast.model.study import Commands as CommandsAsked
from whyfast.store.samples import SampleStore

COMMANDS = (Command("old", "old x"), Command("new", "new x"))
OPTIONS = Options(budget=200.0, setup="up", cleanup="down", prepare="ready")
TIMES = {"old": 1.0, "new": 1.1, "true": 0.01}


@dataclass
class Bench:
    """Programs that are all installed.

    ``done`` is what was run beside the measured turns, ``given`` the arguments of first runs.
    ``probe`` answers for first runs, ``aside`` is called for commands that are not measured.
    """

    folder: Path
    world: World = field(default_factory=World)
    watcher: Watcher = field(default_factory=Watcher)
    done: list[str] = field(default_factory=list)
    given: list[LaunchArguments] = field(default_factory=list)
    probe: Callable[[str], ProbeRun] = lambda name: ProbeRun(False, 0.1, 0.1)
    aside: Callable[[str], None] = lambda name: None
    perf: Callable[[Sequence[str]], Finished] | None = None

    def __post_init__(self) -> None:
        self.world.script = ratios(TIMES)
        tools = ("old", "new", "up", "down", "ready", "true")
        self.world.launcher = Replay({name: lambda argv: said() for name in tools})

    def run(
        self, options: Options = OPTIONS, commands: Sequence[Command] = COMMANDS, **other: Any
    ) -> Result:
        if self.perf is not None:
            self.world.launcher.answers = {**self.world.launcher.answers, "perf": self.perf}
        services = self.world.services(probe=self._probe, aside=self._aside, **other)
        return run_ab(commands, options, own(self.folder), self.watcher, services=services)

    def _probe(self, arguments: LaunchArguments, variant: str, offer: bool) -> ProbeRun:
        self.done.append(f"first {variant}")
        self.given.append(arguments)
        run = self.probe(variant)
        self.world.clock.seconds += run.seconds
        return run

    def _aside(
        self, command: tuple[str, ...], *, env: Mapping[str, str], timeout: float, what: str
    ) -> None:
        self.done.append(command[0])
        self.aside(command[0])

    def fail(self, name: str, reason: str, output: str = "", status: int | None = None) -> None:
        """Let the command of that name, or first runs, fail."""

        def fail(given: str) -> Any:
            if name in (given, "first"):
                raise InvocationFailed(reason, output=output, status=status)
            return None

        if name == "first":
            self.probe = fail
        else:
            self.aside = fail


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


def test_set_up_first_runs_measuring_counting_cleanup_and_the_verdict(bench: Bench) -> None:
    def count(argv: Sequence[str]) -> Finished:
        bench.done.append("count")
        line = '{{"counter-value" : "{}", "event" : "{}:u", "pcnt-running" : 100.00}}'
        Path(argv[argv.index("-o") + 1]).write_text(line.format(1000, "instructions"))
        return said()

    bench.perf = count
    result = bench.run()
    assert bench.done == [
        *("up", "ready", "first new", "ready", "first old"),  # in an order drawn at random
        *["count"] * (2 * ROUNDS),
        "down",
    ]
    assert bench.watcher.phases == ["measure", "judge"]
    (verdict,) = result.judged.verdicts
    assert (verdict.variant, verdict.baseline, verdict.outcome) == ("new", "old", "slower")
    (counted,) = result.judged.metrics
    assert (counted.metric, counted.outcome, counted.blocks) == ("instructions", "same", ROUNDS)
    assert result.judged.about == "commands"
    assert result.question.benchmarks[0].runner == "command"
    assert result.judged.confounds == ()
    assert len(bench.world.runners) == 2
    assert bench.world.runners[0].turns == {"true": EMPTY_RUNS}


def test_the_cost_of_starting_is_named_where_it_matters(bench: Bench) -> None:
    bench.world.script = ratios({**TIMES, "true": 0.5})
    first = bench.run().judged.confounds[0]
    assert (first.kind, set(first.variants)) == ("process-start", {"new", "old"})
    held_up, usual = Sample(0.5, None, {"waited": 0.49}), ratios(TIMES)
    bench.world.script = lambda v, *how: held_up if v == "true" else usual(v, *how)
    assert bench.run().judged.confounds == ()


def test_programs_that_all_take_turns_do_so_and_are_not_counted_whole(bench: Bench) -> None:
    bench.probe = lambda name: ProbeRun(takes_turns=True)
    bench.world.script = ratios({n: t / 1000 for n, t in TIMES.items()})
    result = bench.run(replace(OPTIONS, budget=2.0))
    assert result.question.benchmarks[0].runner == "turn"
    assert len(bench.world.runners) == 1
    assert result.recorded.blocks[0].cpu == 0
    assert not any("perf" in call[0] for call in bench.world.launcher.calls)


@pytest.mark.parametrize("new", [(1.9, 1), (1.0, 2)], ids=["several CPUs", "two threads on one"])
def test_a_command_that_is_parallel_is_not_pinned(bench: Bench, new: tuple[float, int]) -> None:
    bench.probe = lambda name: ProbeRun(False, 1.0, *(new if name == "new" else (1.0, 1)))
    assert bench.run().recorded.blocks[0].cpu is None


def test_threads_that_show_while_measuring_release_it_and_restart(bench: Bench) -> None:
    def late(variant: str, loops: int, before: int) -> Sample:
        if before == 6:
            bench.world.runners[-1].threads["new"] = 2
        return Sample(TIMES[variant])

    bench.world.script = late
    result = bench.run()
    assert {b.cpu for b in result.recorded.blocks} == {None}
    assert result.recorded.blocks[0].index > 0
    assert result.judged.verdicts[0].blocks == len(result.recorded.blocks)
    assert (
        "whole run: new has 2 threads at work; measuring begins anew with all CPUs free to use"
        in bench.watcher.heard
    )


def test_a_variable_of_one_command_does_not_cost_it_the_start_of_env(bench: Bench) -> None:
    answers = bench.world.launcher.answers
    bench.world.launcher.answers = {**answers, "env": lambda argv: said()}
    bench.run(commands=[Command("old", "old x"), Command("new", "env A=1 old x")])
    assert bench.given[0].commands == {
        "old": ("env", "old", "x"),
        "new": ("env", "A=1", "old", "x"),
    }


def slow(name: str) -> ProbeRun:
    return ProbeRun(False, {"old": 10.0, "new": 10.1}[name], 0.0)


def test_first_runs_of_slow_commands_are_the_first_block(bench: Bench) -> None:
    bench.probe = slow
    bench.world.script = ratios({"old": 10.0, "new": 10.1, "true": 0.01})
    result = bench.run(replace(OPTIONS, budget=101.0))
    first, *rest = result.recorded.blocks
    assert first.values == {"new": (10.1,), "old": (10.0,)}
    assert [b.index for b in result.recorded.blocks] == [0, 1, 2, 3, 4]
    assert {b.cpu for b in result.recorded.blocks} == {None}
    assert bench.world.runners[-1].turns == {"old": 4, "new": 4}  # none to calibrate
    assert sum(b.seconds for b in rest) == pytest.approx(80.4)
    assert result.judged.verdicts[0].blocks == 5


def test_what_slow_first_runs_waited_for_is_no_part_of_the_block(bench: Bench) -> None:
    bench.probe = lambda name: replace(slow(name), waited={"old": 2.0, "new": 1.0}[name])
    bench.world.script = ratios({"old": 8.0, "new": 9.1, "true": 0.01})
    first = bench.run(replace(OPTIONS, budget=101.0)).recorded.blocks[0]
    assert first.values == {"new": (pytest.approx(9.1),), "old": (8.0,)}
    assert first.extra == {"new": {"waited": (1.0,)}, "old": {"waited": (2.0,)}}


def test_what_a_slow_command_takes_is_said_in_advance(bench: Bench, golden: Hear) -> None:
    bench.probe = slow
    bench.run(replace(OPTIONS, budget=100.0))
    golden(bench.watcher.heard[1])
    bench.watcher.heard.clear()
    bench.run(replace(OPTIONS, budget=200.0))
    assert not any("too much" in said for said in bench.watcher.heard)


def test_one_run_of_each_is_all_that_a_small_budget_pays_for(bench: Bench) -> None:
    bench.probe = slow
    result = bench.run(replace(OPTIONS, budget=20.0))
    assert len(result.recorded.blocks) == 1
    assert bench.done.count("first old") == bench.done.count("first new") == 1
    assert not any("perf" in call[0] for call in bench.world.launcher.calls)


def test_as_many_runs_as_asked_for_decided_or_not(bench: Bench) -> None:
    result = bench.run(replace(OPTIONS, runs=23, budget=1e6))
    assert len(result.recorded.blocks) == 23
    assert {len(b.order) for b in result.recorded.blocks} == {1}


@pytest.mark.parametrize(
    ("options", "turns", "looked_again"),
    [
        (Options(budget=60.0, margin=0.001), False, True),
        (Options(runs=28, margin=0.001), False, True),
        (Options(budget=1.5, margin=1e-5), True, False),  # how many turns follows from the blocks
    ],
)
def test_what_a_budget_leaves_undecided_is_looked_at_once_more_for_good(
    bench: Bench, options: Options, turns: bool, looked_again: bool
) -> None:
    rng = random.Random(5)
    bench.probe = lambda name: ProbeRun(turns, 1.0, 1.0)
    second = 1e-3 if turns else 1.0
    bench.world.script = lambda name, loops, before: Sample(
        loops * second * math.exp(rng.gauss(0, 0.01))
    )
    result = bench.run(options)
    (verdict,) = result.judged.verdicts
    assert verdict.confidence == 0.99
    assert verdict.blocks == len(result.recorded.blocks) > 9
    series = pair_ratios(result.recorded.blocks, [("new", "old")])["new", "old"]
    anytime = confidence_interval(series, 0.01 if turns else 0.005)
    assert (verdict.low > math.exp(anytime[0] + 1e-6)) == looked_again


def test_an_interrupted_one_is_not_looked_at_once_more(bench: Bench) -> None:
    rng = random.Random(5)
    bench.world.script = lambda name, loops, before: Sample(math.exp(rng.gauss(0, 0.01)))
    bench.world.interrupts = EMPTY_RUNS + 40
    result = bench.run(replace(OPTIONS, margin=0.001))
    assert not result.recorded.complete
    (verdict,) = result.judged.verdicts
    series = pair_ratios(result.recorded.blocks, [("new", "old")])["new", "old"]
    ends = confidence_interval(series, 0.005)
    assert (verdict.low, verdict.high) == pytest.approx((math.exp(ends[0]), math.exp(ends[1])))
    assert verdict.confidence == 0.99


def test_a_failing_first_run_ends_it_with_cleanup_alone(bench: Bench, golden: Hear) -> None:
    bench.fail("first", "exit code 3", "one\ntwo\n", status=3)
    golden(refusal(UserError, lambda: bench.run()))
    assert bench.done[-1] == "down"
    assert not own(bench.folder).database.exists()


def test_what_ignoring_codes_would_not_help_is_not_advised(bench: Bench, golden: Hear) -> None:
    bench.fail("first", "still running after 1 s")
    golden(refusal(UserError, lambda: bench.run()))


def test_a_cleanup_that_fails_is_told_beside_what_was_measured(bench: Bench) -> None:
    bench.fail("down", "--cleanup: exit code 1", "no such file\n")
    result = bench.run()
    assert [v.outcome for v in result.judged.verdicts] == ["slower"]
    (first, *_) = result.judged.confounds
    assert (first.kind, first.text) == (
        "cleanup",
        "after the last run, --cleanup: exit code 1 (no such file)",
    )
    assert exit_code(result, None) == 1


@pytest.mark.parametrize(
    "options",
    [Options(setup="absent x"), Options(cleanup="absent x"), Options(prepare="absent x")],
    ids=["setup", "cleanup", "prepare"],
)
def test_an_absent_program_is_reported_before_any_run(bench: Bench, options: Options) -> None:
    with pytest.raises(UserError, match="program not found: 'absent'") as raised:
        bench.run(options)
    option = next(o for o in ("setup", "cleanup", "prepare") if getattr(options, o))
    assert raised.value.where == f"--{option}"
    assert bench.done == []


@pytest.mark.parametrize(
    ("line", "shell"),
    [
        ("old | wc", "sh"),
        ("old > /dev/null", "sh"),
        ("old $HOME", "sh"),
        ('old "$HOME"', "sh"),
        ("LC_ALL=C old", "sh"),
        ("old --size=1", ""),
        ("old \"a|b\" '$c;'", ""),
        (r"old \; \|", ""),
        (r'old "\"|"', ""),
    ],
)
def test_shell_syntax_outside_of_quotes_is_run_by_sh(bench: Bench, line: str, shell: str) -> None:
    """All commands alike: starting a shell takes time."""
    commands = (Command("old", line), COMMANDS[1])
    result = bench.run(Options(budget=5), commands)
    assert isinstance(result.question, CommandsAsked)
    assert result.question.shell == shell
    given = bench.given[0].commands
    assert given["new"] == (("sh", "-c", "new x") if shell else ("new", "x"))
    if shell:
        assert given["old"] == ("sh", "-c", line)
        with pytest.raises(UserError, match="-N runs no shell"):
            bench.run(Options(shell=""), commands)


@pytest.mark.parametrize(("shell", "expected"), [(None, "sh"), ("", "")])
@pytest.mark.parametrize("word", ["*.txt", "[ab]", "a?", "~/a"])
def test_patterns_of_file_names_are_for_a_shell_unless_there_is_none(
    bench: Bench, shell: str | None, expected: str, word: str
) -> None:
    commands = (Command("old", f"old {word}"), COMMANDS[1])
    result = bench.run(Options(budget=5, shell=shell), commands)
    assert isinstance(result.question, CommandsAsked)
    assert result.question.shell == expected


@pytest.mark.parametrize(("given", "runs"), [(None, 5.0), (80.0, 80.0)])
def test_no_run_outlives_budget_or_timeout(bench: Bench, given: float | None, runs: float) -> None:
    bench.run(Options(budget=5, timeout=given))
    assert [arguments.timeout for arguments in bench.given] == [runs, runs]


def test_a_set_up_that_fails_is_cleaned_up_after(bench: Bench) -> None:
    bench.fail("up", "--setup: exit code 1")
    with pytest.raises(UserError, match="--setup: exit code 1"):
        bench.run()
    assert bench.done == ["up", "down"]


def test_interrupted_while_it_measures_it_shows_what_there_is_and_is_over(bench: Bench) -> None:
    bench.world.interrupts = EMPTY_RUNS + 9
    first = bench.run()
    assert not first.recorded.complete
    assert len(first.recorded.blocks) == 4  # of two runs each
    assert len(first.judged.verdicts) == 1
    assert bench.done[-1] == "down"
    assert bench.world.runners[-1].open == []
    store = SampleStore(own(bench.folder).database)
    assert [run.finished is None for run in store.runs()] == [False]
    store.close()
    second = bench.run()
    assert second.recorded.run != first.recorded.run


def test_interrupted_while_it_counts_the_verdict_is_there(bench: Bench) -> None:
    def interrupt(argv: Sequence[str]) -> Finished:
        raise KeyboardInterrupt

    bench.perf = interrupt
    result = bench.run()
    assert not result.recorded.complete
    assert [v.outcome for v in result.judged.verdicts] == ["slower"]
    assert result.judged.metrics == ()
    assert bench.done[-1] == "down"


@pytest.mark.parametrize("where", ["up", "ready", "first"])
def test_an_interrupt_before_measuring_is_passed_on_after_cleanup(bench: Bench, where: str) -> None:
    def interrupt(name: str) -> Any:
        if name == where or where == "first":
            raise KeyboardInterrupt
        return None

    if where == "first":
        bench.probe = interrupt
    else:
        bench.aside = interrupt
    with pytest.raises(KeyboardInterrupt):
        bench.run()
    assert bench.done[-1] == "down"
    assert not own(bench.folder).database.exists()


def test_a_command_that_fails_half_way_leaves_what_was_measured(bench: Bench) -> None:
    bench.world.script = fails_at("new", 6)
    result = bench.run()
    (failure,) = result.recorded.failures
    assert (failure.variant, failure.reason) == ("new", "exit code 3")
    assert result.recorded.complete
    assert len(result.recorded.blocks) == 6  # the first run has told what calibrating would


@pytest.mark.parametrize("fails", [False, True])
def test_of_a_command_that_failed_no_further_runs_are_promised(bench: Bench, fails: bool) -> None:
    def script(variant: str, loops: int, before: int) -> Sample:
        if fails and variant == "new" and before >= 8:
            raise InvocationFailed("exit code 3")
        return Sample(1 + (before * (ord(variant[0]) % 7) % 5) / 10)

    bench.world.script = script
    (verdict,) = bench.run(replace(OPTIONS, runs=12)).judged.verdicts
    assert verdict.outcome == "undecided"
    assert (verdict.seconds_to_margin is None) == fails


def test_a_disk_that_fills_up_is_one_error_after_cleanup(bench: Bench) -> None:
    class Full(SampleStore):
        def __init__(self, path: Path) -> None:
            super().__init__(path)
            (pages,) = self._db.execute("PRAGMA page_count").fetchone()
            self._db.execute(f"PRAGMA max_page_count = {pages}")

    # Never decided, so that there is much to keep.
    bench.world.script = lambda variant, loops, before: Sample(1 + before * ord(variant[0]) % 7)
    with pytest.raises(UserError, match="results database: database or disk is full"):
        bench.run(store=Full)
    assert bench.done[-1] == "down"


@pytest.mark.parametrize(
    ("commands", "options", "message"),
    [
        (COMMANDS[:1], Options(), "at least two commands"),
        (COMMANDS, Options(baseline="x"), "--baseline: unknown command 'x'"),
        ((COMMANDS[0], Command("no", "no")), Options(), "'no': program not found: 'no'"),
        ((COMMANDS[0], Command("", "")), Options(), "an empty command"),
        ((COMMANDS[0], Command("'", "'")), Options(), "not a command line"),
    ],
)
def test_what_cannot_be_compared_is_said_before_anything_runs(
    bench: Bench, commands: tuple[Command, ...], options: Options, message: str
) -> None:
    with pytest.raises(UserError, match=message):
        bench.run(options, commands)
    assert (bench.watcher.heard, bench.done) == ([], [])
