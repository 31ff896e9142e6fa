"""How the processes of each kind of runner are started. A new kind is one line here, one record in
:mod:`whyfast.model.runner_kind`, and one file where it is started in a way of its own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from whyfast.measure.commands import CommandRunner
from whyfast.measure.invocation import Runner
from whyfast.measure.launch_arguments import LaunchArguments
from whyfast.measure.pyperf_runner import as_workers
from whyfast.measure.turns import TurnRunner
from whyfast.model.runner_kind import RunnerName
from whyfast.store.home import Home

#: Brings a folder, telling what it does; CannotBuildHere when it cannot be had.
Fetch = Callable[[Home, Callable[[str], None]], Path]


@dataclass(frozen=True)
class RunnerMaker:
    """``make`` gives a runner for arguments that ``adapt`` made of a study's.

    ``packages`` brings the folder of Python packages that it needs, ``why_not`` says why this
    machine or user cannot run it; empty when it can (None: any can). ``to_see`` gives the commands
    with which a simulator sees what it executes, the shortest first; by itself that is the command.
    """

    make: Callable[[LaunchArguments], Runner]
    adapt: Callable[[LaunchArguments], LaunchArguments] = lambda arguments: arguments
    packages: Fetch | None = None
    why_not: Callable[[], str] | None = None
    to_see: Callable[[tuple[str, ...]], tuple[tuple[str, ...], ...]] | None = None


def _harness(name: RunnerName) -> RunnerMaker:
    return RunnerMaker(partial(_harness_runner, name), to_see=partial(_harness_to_see, name))


def _harness_runner(name: RunnerName, arguments: LaunchArguments) -> Runner:
    from whyfast.measure.harnesses import HARNESSES, HarnessRunner

    return HarnessRunner(HARNESSES[name], arguments)


def _harness_to_see(name: RunnerName, command: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
    from whyfast.measure.harnesses import HARNESSES, to_see

    return to_see(command, harness=HARNESSES[name])


def _pyperf(home: Home, tell: Callable[[str], None]) -> Path:
    from whyfast.toolchain.python_packages import pyperf_folder

    return pyperf_folder(home, tell)


def _why_no_bpf() -> str:
    from whyfast.measure.bpf import why_no_bpf

    return why_no_bpf()


MAKERS: dict[RunnerName, RunnerMaker] = {
    "turn": RunnerMaker(TurnRunner),
    "command": RunnerMaker(CommandRunner),
    "pyperf": RunnerMaker(TurnRunner, adapt=as_workers, packages=_pyperf),
    "bpf": RunnerMaker(TurnRunner, why_not=_why_no_bpf),
    "go": _harness("go"),
    "google-benchmark": _harness("google-benchmark"),
    "criterion": _harness("criterion"),
}


def make_runner(name: RunnerName, arguments: LaunchArguments) -> Runner:
    """A runner of that kind."""
    maker = MAKERS[name]
    return maker.make(maker.adapt(arguments))
