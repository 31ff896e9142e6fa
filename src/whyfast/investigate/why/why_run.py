"""Why one command takes longer than another: both measured, then looked into layer by layer."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from whyfast.investigate.ab_run import Command, Options, command_arguments, run_ab
from whyfast.investigate.services import Observer, Services
from whyfast.investigate.why.why_inquiry import AccountLimits, Inquiry
from whyfast.investigate.why.why_layers import Layers, account_for_cpu
from whyfast.investigate.why.why_trials import Trials
from whyfast.measure.invocation import LaunchArguments
from whyfast.measure.tools import Launcher
from whyfast.model.result import Result
from whyfast.model.study import Commands
from whyfast.model.verdict import Verdict
from whyfast.model.why import Account
from whyfast.store.home import Home
from whyfast.why.account import Gathered, make_account, next_command
from whyfast.why.remarks import records_of, with_flags
from whyfast.why.split import certainly_more, cpu_time, split, without_noise
from whyfast.why.surroundings import (
    Surroundings,
    compare_surroundings,
    libraries_differ,
    parse_invocation,
    parse_ldd,
    with_libraries,
)

#: The next command where nothing tells more about the largest cause.
PAGE = "whyfast report ab --html why.html  # functions, calls and code on one page"

UNDECIDED_WALL = "wall time is undecided, it varied too much: all shares are of CPU time"


def explain_commands(
    commands: Sequence[Command],
    options: Options,
    limits: AccountLimits,
    home: Home,
    observer: Observer,
    *,
    services: Services | None = None,
) -> Result:
    """Measure two commands, then account for their difference.

    UserError for a command that cannot be run or fails in its first run.
    """
    services = services or Services()
    result = run_ab(
        commands,
        replace(options, turns_offered=False, rough=True),
        home,
        observer,
        services=services,
    )
    arguments = command_arguments(commands, options, services)
    account = explain_difference(result, arguments, limits, home, observer, services)
    return _with_account(result, account)


def why_again(
    result: Result,
    options: Options,
    limits: AccountLimits,
    home: Home,
    observer: Observer,
    *,
    services: Services | None = None,
) -> Result:
    """Account for the difference in a result of ``ab``: its first command against the second.

    UserError where a command is no longer there.
    """
    services = services or Services()
    question = result.question
    assert isinstance(question, Commands)
    lines = [Command(v.name, v.about or v.name) for v in question.variants]
    options = replace(options, shell=question.shell or None)
    arguments = command_arguments(lines, options, services)
    if any(b.kind.takes_turns for b in question.benchmarks):  # of which there is no CPU time
        return explain_commands(lines[:2], options, limits, home, observer, services=services)
    account = explain_difference(result, arguments, limits, home, observer, services)
    return _with_account(result, account)


def _with_account(result: Result, account: Account | None) -> Result:
    if account is not None and account.costs and not account.next_command:
        account = replace(account, next_command=PAGE)
    return replace(result, found=replace(result.found, account=account))


def explain_difference(
    result: Result,
    arguments: LaunchArguments,
    limits: AccountLimits,
    home: Home,
    observer: Observer,
    services: Services,
) -> Account | None:
    """The account of the first comparison of commands; None where nothing was measured."""
    verdict = next(iter(result.judged.verdicts), None)
    if verdict is None:
        return None
    fast, slow = _sides(verdict)
    wall, parts = split(result.recorded.blocks, fast, slow)
    whole = without_noise(wall, parts)
    low, high = _bounds(verdict)
    found = Gathered(fast, slow, max(verdict.ratio, 1 / verdict.ratio), low, high, whole, parts)
    if not result.recorded.complete:
        return replace(make_account(found), complete=False)
    cpu = cpu_time(parts)
    if verdict.outcome == "undecided" and certainly_more(cpu):
        account_for_cpu(found, cpu, UNDECIDED_WALL)
    elif verdict.outcome in ("same", "undecided") or whole.difference <= 0:
        return replace(make_account(found), undecided=verdict.outcome == "undecided")
    if not found.of_cpu and whole is not wall:
        found.limits.append(
            "waiting varied more than it differed: shares are of the difference in CPU time"
        )
    try:
        inquiry = Inquiry(found, arguments, limits, home, observer, services)
        layers = Layers(inquiry)
        found.around = _surroundings(found, arguments, services.launcher, result.recorded.started)
        layers.run(result)
        Trials(inquiry).run(make_account(found))
        account = make_account(found)
        programs = [_programs(arguments.commands[n], services.launcher) for n in (fast, slow)]
        if programs[0] != programs[1]:  # what the compilers recorded
            account = with_flags(account, *(records_of(p, layers.files) for p in programs))
    except KeyboardInterrupt:
        found.limits.append("interrupted: causes are those that were found until then")
        return replace(make_account(found), complete=False)
    words = arguments.commands[fast], arguments.commands[slow]
    return replace(account, next_command=next_command(account, *words))


def _programs(command: Sequence[str], launcher: Launcher) -> list[str]:
    """The files that its words name, as samples have them."""
    return [os.path.realpath(path) for word in command if (path := launcher.find(word))]


def _surroundings(
    found: Gathered, arguments: LaunchArguments, launcher: Launcher, began: float
) -> Surroundings:
    """What differs around the programs, libraries among it."""
    sides = arguments.commands[found.fast], arguments.commands[found.slow]
    around = compare_surroundings(*sides, arguments.env, Path(), began)
    if around.same_program or around.factors:
        fast, slow = (_libraries(command, arguments.env, launcher) for command in sides)
        if fast and slow:
            return with_libraries(around, *sides, libraries_differ(fast, slow))
    return around


def _libraries(
    command: Sequence[str], env: Mapping[str, str], launcher: Launcher
) -> dict[str, Path]:
    """By ldd; none of static programs, scripts, and where there is no ldd."""
    parts = parse_invocation(command, env)
    ldd, program = launcher.find("ldd"), parts and launcher.find(parts.program)
    if ldd is None or parts is None or not program:
        return {}
    try:
        env = {**env, **parts.variables}
        return parse_ldd(launcher.run([ldd, program], env=env, timeout=10).stdout)
    except (TimeoutError, OSError):
        return {}


def _sides(verdict: Verdict) -> tuple[str, str]:
    slower = verdict.ratio >= 1
    if slower:
        return verdict.baseline, verdict.variant
    return verdict.variant, verdict.baseline


def _bounds(verdict: Verdict) -> tuple[float, float]:
    ends = verdict.low, verdict.high
    if verdict.ratio >= 1:
        return ends
    return tuple(1 / x if x else math.inf for x in reversed(ends))  # type: ignore[return-value]
