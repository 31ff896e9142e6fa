"""The layers of an account in their order, with tools that are doubles."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.unit.investigate.doubles import NoSystem, own
from tests.unit.investigate.why.two_programs import (
    OLD,
    TABLE,
    Programs,
    Times,
    reads,
    strace,
)
from tests.unit.measure.tools import Replay, said

from whyfast.formats.profiles import StackFrame
from whyfast.investigate.ab_run import EMPTY_RUNS, Options
from whyfast.investigate.why import why_layers
from whyfast.investigate.why.why_inquiry import AccountLimits, Inquiry
from whyfast.investigate.why.why_trials import Trials
from whyfast.measure.commands import ProbeRun
from whyfast.measure.invocation import InvocationFailed, LaunchArguments, Sample
from whyfast.measure.perf import SampledRun
from whyfast.measure.tools import Finished
from whyfast.model.errors import UserError
from whyfast.model.why import Cause, Change
from whyfast.why.account import Gathered, make_account
from whyfast.why.runtimes.protocol import Findings, RuntimeProgram
from whyfast.why.runtimes.python import CPython
from whyfast.why.surroundings import Factor, Surroundings


@pytest.mark.parametrize("new", [OLD, (1.001, 0.901, 0.0)])
def test_equal_programs_end_with_the_verdict(tmp_path: Path, new: Times) -> None:
    programs = Programs(tmp_path, new, strace=strace)
    account = programs.why()
    assert (account.causes, account.items, account.limits) == ((), (), ())
    assert not account.undecided
    assert programs.called == []
    assert "account" not in programs.watcher.phases


def test_kernel_time_is_traced_and_its_cause_named(tmp_path: Path) -> None:
    programs = Programs(tmp_path, (2.0, 0.9, 1.0), strace=strace)
    account = programs.why()
    assert (account.fast, account.slow) == ("old", "new")
    assert account.time.difference == pytest.approx(1.0)
    (cause,) = account.causes
    assert (cause.key, cause.items, cause.basis) == ("system-calls", ("write",), "counted")
    assert cause.share == pytest.approx(1.0)
    assert account.items[0].callers == ("write", "main")
    assert account.limits == ()
    assert set(programs.called) == {"strace"}
    assert programs.watcher.phases == ["measure", "judge", "account"]


@pytest.mark.parametrize(
    ("call", "runtime", "tried"),
    [("futex", False, True), ("wait4", False, False), ("futex", True, False)],
)
def test_one_cpu_is_tried_for_the_programs_own_threads_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str, runtime: bool, tried: bool
) -> None:
    if runtime:
        claim_all(monkeypatch, idles=("epoll_pwait",))
    programs = Programs(
        tmp_path, (2.0, 1.3, 0.6), strace=reads(400, call), taskset=lambda argv: said()
    )
    programs.times |= dict.fromkeys(("fast", "slow", "fast, changed", "slow, changed"), OLD)
    programs.explained(threads=2)
    assert ("trying: all threads on one CPU" in programs.watcher.heard) is tried


@pytest.mark.parametrize(("ends", "keys"), [(True, ["system-calls"]), (False, [])])
def test_as_many_calls_are_asked_for_their_bytes(
    tmp_path: Path, ends: bool, keys: list[str]
) -> None:
    def strace(argv: Sequence[str]) -> Finished:
        new = "new" in argv
        text = TABLE.format("0.900000" if new else "0.100000", 300)
        if "-s0" in argv:
            if not ends:
                raise TimeoutError
            text = f'write(1, "", 9) = {90_000 if new else 9}\n'
        Path(argv[argv.index("-o") + 1]).write_text(text)
        return said()

    programs = Programs(tmp_path, (2.0, 0.9, 1.0), strace=strace)
    assert [c.key for c in programs.why().causes] == keys


@pytest.mark.parametrize(("changed", "share"), [((1.1, 0.9, 0.1), 0.8), ((1.5, 0.9, 0.5), None)])
def test_what_mends_page_faults_is_tried(
    tmp_path: Path, changed: Times, share: float | None
) -> None:
    slow = (1.5, 0.9, 0.5)
    programs = Programs(tmp_path, slow)
    programs.faults["new"] = 400_000.0
    programs.times |= {"fast": OLD, "slow": slow, "fast, changed": OLD, "slow, changed": changed}
    programs.tools["env"] = lambda argv: said()
    (cause,) = programs.why().causes
    assert (cause.key, cause.basis) == ("page-faults", "measured")
    assert (cause.trial and round(cause.trial.share, 3)) == share
    if cause.trial:
        assert cause.trial.what == "freed memory kept (glibc.malloc)"
    huge = "trying: huge pages (glibc.malloc.hugetlb=1)" in programs.watcher.heard
    assert huge is (share is None)  # where the first trial mends it, none other is made


@pytest.mark.parametrize(("listed", "tried"), [("libjemalloc.so.2", True), ("libz.so.1", False)])
def test_another_allocator_is_the_first_that_is_installed(
    tmp_path: Path, listed: str, tried: bool
) -> None:
    programs = Programs(tmp_path, OLD)
    programs.times |= dict.fromkeys(("fast", "slow", "fast, changed"), OLD)
    programs.times |= {"slow": (2.0, 1.9, 0.0), "slow, changed": OLD}
    row = f"\t{listed} (libc6,x86-64) => /lib/{listed}\n"
    tools = {"ldconfig": lambda argv: replace(said(), stdout=row), "env": lambda argv: said()}
    programs.world.launcher = Replay(
        {**tools, **dict.fromkeys(("old", "new"), lambda argv: said())}
    )
    services = programs.world.services(probe=lambda *given: ProbeRun(False, 0.1, 0.1))
    commands = {"fast": ("old", "x"), "slow": ("new", "x")}
    time = Change(1.0, 2.0, 0.9, 1.1)
    found = Gathered("fast", "slow", 2.0, 1.9, 2.1, time, {"user": time})
    cause = Cause("allocation", "it allocates", 0.9, 0.8, 1.0, (), "counted")
    arguments = LaunchArguments(commands, {}, 60.0)
    asked = Inquiry(found, arguments, AccountLimits(), own(tmp_path), programs.watcher, services)
    Trials(asked).run(replace(make_account(found), causes=(cause,), explained=0.9))
    shown = [(t.what, t.share, t.command) for _, t in found.mended]
    what = "another allocator (libjemalloc.so.2)"
    assert shown == ([(what, 1.0, f"env LD_PRELOAD=/lib/{listed}")] if tried else [])


@pytest.mark.parametrize("fails", [False, True])
def test_an_input_that_the_other_program_refuses_is_no_trial(tmp_path: Path, fails: bool) -> None:
    def probe(arguments: LaunchArguments, name: str, offer: bool) -> ProbeRun:
        if fails and "changed" in name and not arguments.ignore_failure:
            raise InvocationFailed("exit code 1")
        return ProbeRun(False, 0.1, 0.1)

    programs = Programs(tmp_path, OLD)
    programs.times |= dict.fromkeys(("fast", "slow, changed"), OLD)
    programs.times |= dict.fromkeys(("slow", "fast, changed"), (2.0, 1.9, 0.0))
    programs.world.launcher = Replay(dict.fromkeys(("old", "new"), lambda argv: said()))
    commands = {"fast": ("old", "x"), "slow": ("new", "of=x")}
    time = Change(1.0, 2.0, 0.9, 1.1)
    factor = Factor("input", "its argument is `of=x`", ("old", "of=x"), ("new", "x"))
    found = Gathered("fast", "slow", 2.0, 1.9, 2.1, time, {"user": time})
    found.around = Surroundings((factor,))
    services = programs.world.services(probe=probe)
    arguments = LaunchArguments(commands, {}, 60.0)
    asked = Inquiry(found, arguments, AccountLimits(), own(tmp_path), programs.watcher, services)
    Trials(asked).run(make_account(found))
    assert [round(t.share, 3) for _, t in found.tried] == ([] if fails else [1.0])
    assert [limit.startswith("not tried: the input") for limit in found.limits] == [True] * fails


class Loaded(NoSystem):
    def __init__(self, load: str) -> None:
        self.load = load

    def read(self, name: str) -> str | None:
        return self.load if name == "proc/loadavg" else None


@pytest.mark.parametrize(
    ("load", "threads", "processes", "call", "of_cpu"),
    [
        ("2.00 1 1", 4, 1, "futex", True),
        ("2.00 1 1", 4, 1, "read", False),  # not for one another
        ("2.00 1 1", 1, 2, "read", True),  # what the other process writes
        ("2.00 1 1", 1, 2, "fsync", False),
        ("0.90 1 1", 1, 2, "read", False),
        ("0.90 1 1", 4, 1, "futex", False),
        ("2.00 1 1", 1, 1, "futex", False),
    ],
)
def test_what_may_have_waited_for_a_cpu_is_accounted_by_cpu_time(
    tmp_path: Path, load: str, threads: int, processes: int, call: str, of_cpu: bool
) -> None:
    programs = Programs(
        tmp_path, (2.0, 1.3, 0.0), strace=reads(400, call, processes)
    )  # 0.4 s more CPU time, 0.6 s more waiting
    account = programs.explained(threads, system=Loaded(load))
    assert account is not None
    assert account.of_cpu == of_cpu


@pytest.mark.parametrize(
    ("load", "seconds"), [("0.20 1 1", 10.0), ("2.50 1 1", 25.0), ("9.00 1 1", 40.0), ("", 10.0)]
)
def test_an_account_has_more_time_on_a_busy_machine(
    tmp_path: Path, load: str, seconds: float
) -> None:
    programs = Programs(tmp_path, OLD)
    services = programs.world.services(system=Loaded(load))
    found = Gathered("fast", "slow", 2.0, 1.9, 2.1, Change(1.0, 2.0, 0.9, 1.1), {})
    arguments = LaunchArguments({"fast": ("old",), "slow": ("new",)}, {}, 60.0)
    limits = AccountLimits(total=10.0)
    asked = Inquiry(found, arguments, limits, own(tmp_path), programs.watcher, services)
    assert asked.left == pytest.approx(seconds)


@pytest.mark.parametrize(
    ("limits", "seconds"),
    [(AccountLimits(), 150.0), (AccountLimits(50.0), 210.0), (AccountLimits(0.0, 10.0), 20.0)],
)
def test_no_tool_runs_beyond_the_end_of_an_account(
    tmp_path: Path, limits: AccountLimits, seconds: float
) -> None:
    given: list[float] = []

    class Slow(Replay):
        def run(self, argv: Sequence[str], *, timeout: float, **other: Any) -> Finished:
            given.append(timeout)
            return said()

    programs = Programs(tmp_path, OLD)
    programs.world.launcher = Slow({})
    found = Gathered("fast", "slow", 2.0, 1.9, 2.1, Change(2.0, 3.0, 0.9, 1.1), {})
    arguments = LaunchArguments({"fast": ("old",), "slow": ("new",)}, {}, 60.0)
    services = programs.world.services(system=Loaded("0.1 1 1"))
    asked = Inquiry(found, arguments, limits, own(tmp_path), programs.watcher, services)
    asked.tool_run("slow", 1000.0).under("a tool", ["new"], {})
    assert given == [pytest.approx(seconds)]


class Compiler(CPython):
    """A runtime that claims every program and explains nothing."""

    def claims(self, program: object) -> bool:
        return True

    def explain(self, sides: object) -> Findings:
        return Findings()


def claim_all(monkeypatch: pytest.MonkeyPatch, **attributes: object) -> None:
    runtime = Compiler()
    for name, value in attributes.items():
        setattr(runtime, name, value)
    monkeypatch.setattr(why_layers, "RUNTIMES", (runtime,))
    program = RuntimeProgram(("old",), 0, Path("old"))
    monkeypatch.setattr(why_layers, "program_of", lambda *given: program)


@pytest.mark.parametrize(("compiles", "limits"), [(True, 1), (False, 2)])
def test_what_a_runtime_compiles_is_not_simulated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, compiles: bool, limits: int
) -> None:
    claim_all(monkeypatch, compiles=compiles)
    account = Programs(tmp_path, (3.0, 2.9, 0.0)).why(simulate=1e6)
    assert len(account.limits) == limits  # neither perf nor, where it is wanted, Valgrind is there


@pytest.mark.parametrize(("idles", "keys"), [((), ["sleep"]), (("nanosleep",), [])])
def test_a_runtime_sleeps_for_its_own_threads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, idles: tuple[str, ...], keys: list[str]
) -> None:
    claim_all(monkeypatch, idles=idles)
    programs = Programs(tmp_path, (3.0, 1.7, 0.0), strace=reads(400, "nanosleep"))
    account = programs.why()
    assert [c.key for c in account.causes] == keys
    assert bool([i for i in account.items if i.name == "nanosleep"]) is bool(keys)


@pytest.mark.parametrize(("idles", "keys"), [((), ["locks"]), (("futex",), [])])
def test_a_runtime_wakes_its_own_threads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, idles: tuple[str, ...], keys: list[str]
) -> None:
    claim_all(monkeypatch, idles=idles)
    programs = Programs(tmp_path, (3.0, 1.7, 1.3), strace=reads(4_000_000, "futex"))
    assert [c.key for c in programs.why().causes] == keys


def test_an_undecided_verdict_is_told_apart_from_the_same(tmp_path: Path) -> None:
    times = itertools.cycle([1.0, 1.3, 0.8, 1.2, 0.7, 1.1, 1.4, 0.9])
    programs = Programs(tmp_path, OLD)
    steady = programs.world.script

    def wild(variant: str, loops: int, before: int) -> Sample:
        programs.times["new"] = (next(times), 0.9, 0.0)
        return steady(variant, loops, before)

    programs.world.script = wild
    assert programs.why(Options(budget=60.0, runs=12)).undecided


@pytest.mark.parametrize(("more", "of_cpu"), [(0, True), (400, False)])
def test_waiting_for_the_same_calls_is_left_out_where_cpu_time_differs(
    tmp_path: Path, more: int, of_cpu: bool
) -> None:
    programs = Programs(
        tmp_path, (2.0, 1.3, 0.0), strace=reads(more)
    )  # 0.4 s more CPU time, 0.6 s more waiting
    account = programs.why()
    assert account.of_cpu is of_cpu
    assert [c.key for c in account.causes] == ([] if of_cpu else ["io-wait"])
    assert account.time.difference == pytest.approx(0.4 if of_cpu else 1.0)


def test_the_slower_side_is_described_whichever_comes_first(tmp_path: Path) -> None:
    programs = Programs(tmp_path, (0.5, 0.45, 0.0))
    account = programs.why()
    assert (account.fast, account.slow) == ("new", "old")
    assert account.ratio == pytest.approx(2.0)
    assert account.low <= 2.0 <= account.high


def test_what_is_missing_is_a_limit_and_no_error(tmp_path: Path) -> None:
    account = Programs(tmp_path, (3.0, 1.9, 1.0)).why(simulate=1e6)
    assert account.causes == ()
    traced, sampled, simulated = account.limits
    assert "strace is not installed" in traced
    assert "perf is not installed" in sampled
    assert "nothing was simulated: valgrind is not installed" in simulated


@pytest.mark.parametrize(("slow", "times"), [((2.0, 2.01, 1.99), 1), ((1.5, 3.5, 1.0), 2)])
def test_no_more_is_sampled_where_the_difference_is_plain(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    slow: tuple[float, ...],
    times: int,
) -> None:
    taken: list[int] = []

    def sample(commands: object, n: int, around: object, **how: object) -> list[SampledRun]:
        if not how["callers"]:
            taken.append(n)
        frame = StackFrame("work", 0, "/x/new", 16)
        sides = [("fast", 0.9) for _ in slow] + [("slow", x) for x in slow]
        return [SampledRun(side, {(frame,): x}, 3000) for side, x in sides]

    monkeypatch.setattr(why_layers, "sample_in_turns", sample)
    Programs(tmp_path, (2.0, 1.9, 0.0)).why()
    assert (taken[0], len(taken)) == (3, times)


def test_tools_get_the_standard_input_of_the_commands(tmp_path: Path) -> None:
    data = tmp_path / "my data"
    data.touch()
    programs = Programs(tmp_path, (2.0, 0.9, 1.0), strace=strace)
    programs.why(Options(budget=60.0, stdin=str(data)))
    for call in programs.world.launcher.calls:
        if Path(call[0]).name == "strace":
            assert call[-6:-2] == ("sh", "-c", f"exec \"$@\" <'{data}'", "sh")


def test_interrupted_in_a_layer_there_is_the_account_until_then(tmp_path: Path) -> None:
    def interrupted(argv: Sequence[str]) -> Finished:
        if argv[1] == "record":
            raise KeyboardInterrupt
        return said()

    programs = Programs(tmp_path, (3.0, 1.9, 1.0), strace=strace, perf=interrupted)
    account = programs.why(Options(budget=60.0))
    assert not account.complete
    assert [c.key for c in account.causes] == ["system-calls"]
    assert "interrupted" in account.limits[-1]


def test_interrupted_while_measuring_no_layer_runs(tmp_path: Path) -> None:
    programs = Programs(tmp_path, (2.0, 0.9, 1.0), strace=strace)
    programs.world.interrupts = EMPTY_RUNS + 14
    account = programs.why()
    assert not account.complete
    assert programs.called == []
    assert account.causes == ()


def test_a_standard_input_that_is_not_there_is_bad_input(tmp_path: Path) -> None:
    options = replace(Options(budget=60.0), stdin=str(tmp_path / "absent"))
    with pytest.raises(UserError, match=r"--input .*absent: not a readable file"):
        Programs(tmp_path, OLD).why(options)
