"""Two or more commands against each other, with no study file.

Start at :func:`run_ab`; :func:`expand` spells out commands with parameters.
"""

from __future__ import annotations

import itertools
import math
import os
import re
import shlex
import statistics
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import TYPE_CHECKING

from whyfast.investigate.context import RunContext
from whyfast.investigate.first_runs import FirstRuns, first_runs, peaks_in_rounds, with_output
from whyfast.investigate.known_runners import refuse_runners
from whyfast.investigate.recording import measure_blocks, recording
from whyfast.investigate.services import Observer, Services
from whyfast.measure.campaign import BenchmarkRun
from whyfast.measure.invocation import InvocationFailed, LaunchArguments
from whyfast.measure.tools import ToolRun, with_input
from whyfast.model.cost import VariantCost
from whyfast.model.errors import UserError
from whyfast.model.sample import WAITED
from whyfast.model.study import Commands, MeasureSpec
from whyfast.model.variant import Benchmark, Variant, distinct_names
from whyfast.store.home import Home

if TYPE_CHECKING:
    from whyfast.judge.judge_run import Quantities
    from whyfast.model.result import Recorded, Result
    from whyfast.model.verdict import Confound

#: The one benchmark of a comparison of commands, and of programs that take turns.
BENCHMARK, LOOP = "whole run", "loop"

#: Shell syntax, a variable set for the command included; patterns of file names, which may be meant
#: as they are; and quoted text, in which there is neither.
_SHELL_SYNTAX = re.compile(r"[|&;<>()`$\n]|^\s*[A-Za-z_]\w*=")
_PATTERNS = re.compile(r"[*?\[]|(?:^|\s)~")
_QUOTED = re.compile(r"""\\.|'[^']*'|"(?:\\.|[^"\\$`])*\"""", re.DOTALL)

#: Default timeout in seconds of ``--setup`` and ``--cleanup``.
ASIDE_TIMEOUT = 600.0

#: Runs of an empty program, which measure the cost of starting a process.
EMPTY_RUNS = 15

#: From this share of a command's time on, the cost of starting it is reported.
START_MATTERS = 0.2

#: No verdict on up to :data:`MOST` commands takes more blocks at the least: only a budget below
#: that many loads the judge before the first block.
MOST_NEEDED = 32

#: Rounds of counting, each one run of every command: a few more than a verdict needs.
ROUNDS = 12


@dataclass(frozen=True)
class Command:
    """One side: its name in reports, and its command line."""

    name: str
    line: str


@dataclass(frozen=True)
class Options:
    """How to run the commands. ``baseline`` is a name (None: the first command).

    ``shell``: None for ``sh`` where a command line has shell syntax, empty for no shell. ``setup``
    runs once before the first run, ``cleanup`` once after the last, ``prepare`` before every run;
    they are not measured. Times in seconds; ``timeout`` is for one run, None: the budget. ``runs``:
    the number of blocks, decided or not; a block is one run of each command.
    ``costs``: count what each does beside taking time. ``rough``: measure until a cause can be
    looked for, and nothing but time.
    """

    budget: float = 60.0
    runs: int | None = None
    margin: float = 0.01
    baseline: str | None = None
    shell: str | None = None
    stdin: str = os.devnull
    ignore_failure: bool = False
    warmup: int = 0
    prepare: str | None = None
    setup: str | None = None
    cleanup: str | None = None
    timeout: float | None = None
    turns_offered: bool = True
    costs: bool = False
    rough: bool = False


def run_ab(
    commands: Sequence[Command],
    options: Options,
    home: Home,
    observer: Observer,
    *,
    services: Services | None = None,
) -> Result:
    """Measure the commands until every comparison is decided or the budget is used.

    UserError for a command that cannot be run or fails in its first run.
    """
    context = RunContext(_question(commands, options), home, observer, services or Services())
    if options.turns_offered:
        refuse_runners([c.line for c in commands])
    arguments = command_arguments(commands, options, context.services)
    start, ended = 0.0, False
    counted: Sequence[Quantities] = ()
    peaks: Sequence[Quantities] = ()
    observer.phase("measure")
    with _set_up(options, context) as left_over:
        seed = int(context.services.new_id()[:12], 16)
        firsts = first_runs(
            arguments,
            context.services,
            offer=options.turns_offered and options.stdin == os.devnull,
            warmup=options.warmup,
            ignore_failure=options.ignore_failure,
            seed=seed,
        )
        turns = firsts.take_turns
        # Turns when every command takes them, whole runs otherwise.
        benchmark = Benchmark(LOOP, "turn", ()) if turns else Benchmark(BENCHMARK, "command", ())
        context = replace(context, question=replace(context.question, benchmarks=(benchmark,)))
        cost = firsts.round_cost
        if cost * MOST_NEEDED > options.budget and cost * (needed := firsts.needed()) > (
            options.budget
        ):
            context.observer.note(
                f"a run of each took {cost:.3g} s, and a verdict takes {needed}: likely too much "
                f"for the budget of {options.budget:.4g} s; --budget "
                f"{math.ceil(1.1 * cost * needed)}s would do for a clear difference"
            )
        with recording(context, None) as run:  # commands may change between sessions
            if not turns:
                start = _start_cost(context.services)
            entry = _entry(context, arguments, firsts, options)
            if entry.calibration is not None:
                run.add_calibration(entry.calibration)
            began = context.services.clock.monotonic()
            ended = measure_blocks(
                context,
                run,
                [entry],
                MeasureSpec(options.budget),
                None if (runs := options.runs) is None else lambda e: len(e.blocks) >= runs,
                (lambda session: firsts.block(entry.name, session, seed)) if firsts.dear else None,
                rough=options.rough,
            )
            left = options.budget - (context.services.clock.monotonic() - began)
            # Rounds of counting that fit in what is left of the budget, or in a tenth of it.
            fit = max(left, options.budget / 10) / max(firsts.round_cost, 1e-3)
            rounds = int(min(ROUNDS, fit)) if min(ROUNDS, fit) >= firsts.needed() else 0
            if turns or options.rough:
                rounds = 0
            if rounds and firsts.small:
                peaks = peaks_in_rounds(
                    arguments, context.services, run.run.id, rounds, options.margin
                )
            if rounds and options.stdin == os.devnull:
                from whyfast.measure.perf import count_in_rounds

                runs_of = _tool_runs(arguments, context.services, arguments.timeout)
                counted = count_in_rounds(runs_of, int(run.run.id[:8], 16), rounds)
    from whyfast.investigate.costs import command_costs, command_sizes  # read programs
    from whyfast.judge.judge_run import judge_metrics, judge_run  # loads numpy
    from whyfast.measure.count import TIMEOUT
    from whyfast.model.result import Found, Result

    observer.phase("judge")
    judged = judge_run(
        context.question, run.recorded, (), ended=ended and not run.recorded.failures
    )
    events = next(iter(counted[0].values())) if counted else ()  # of all commands the same
    metrics = judge_metrics({BENCHMARK: counted}, events, context.question)
    metrics += judge_metrics({BENCHMARK: peaks}, ("maxrss",) if peaks else (), context.question)
    confounds = _start_matters(run.recorded, start)
    judged = replace(
        judged,
        metrics=(*judged.metrics, *metrics),
        confounds=(*left_over, *confounds, *judged.confounds),
    )
    words = {name: argv[:1] for name, argv in arguments.commands.items()}
    find = context.services.launcher.find
    costs, growth = command_sizes(
        context.question, words, {argv[0]: find(argv[0]) for argv in words.values()}
    )
    for name in arguments.commands if peaks else ():
        peak = statistics.median(sides[name]["maxrss"] for sides in peaks)
        costs += (VariantCost("peak-memory", name, peak, BENCHMARK),)
    if options.costs:
        observer.phase("count")
        counting = _tool_runs(arguments, context.services, TIMEOUT)
        costs += command_costs(benchmark.name, counting, home, context.services, observer.step)
    return Result(context.question, run.recorded, judged, Found(costs=costs, growth=growth))


def _question(commands: Sequence[Command], options: Options) -> Commands:
    names = [c.name for c in commands]
    if len(commands) < 2:
        raise UserError("expected at least two commands to compare")
    if options.baseline is not None and options.baseline not in names:
        raise UserError(
            f"--baseline: unknown command {options.baseline!r}; available: {', '.join(names)}"
        )
    return Commands(
        baselines=(options.baseline or names[0],),
        margin=options.margin,
        budget=options.budget,
        shell=_shell([c.line for c in commands], options),
        variants=tuple(Variant(c.name, about=c.line if c.name != c.line else "") for c in commands),
        benchmarks=(),
    )


def command_arguments(
    commands: Sequence[Command], options: Options, services: Services
) -> LaunchArguments:
    """The launch arguments: all commands start alike, as starting a shell takes time. UserError for
    a command that cannot start."""
    if not os.access(options.stdin, os.R_OK):
        raise UserError("not a readable file", where=f"--input {options.stdin}")
    shell = _shell([c.line for c in commands], options)
    words = {c.name: _words(c.line, shell, services) for c in commands}
    if any(map(_sets_variables, words.values())):  # env itself takes time to start
        words = {n: v if _sets_variables(v) else ("env", *v) for n, v in words.items()}
    return LaunchArguments(
        words,
        services.env,
        options.budget if options.timeout is None else options.timeout,
        stdin=options.stdin,
        ignore_failure=options.ignore_failure,
        prepare=_aside_words("--prepare", options.prepare, options, services),
    )


def _sets_variables(argv: Sequence[str]) -> bool:
    """Whether a command is started by ``env`` for the sake of variables."""
    return len(argv) > 2 and argv[0] == "env" and "=" in argv[1].lstrip("-")


def _tool_runs(
    arguments: LaunchArguments, services: Services, timeout: float
) -> dict[str, ToolRun]:
    """The commands as runs under tools that count; ``timeout`` in seconds of one run."""
    return {
        name: with_input(ToolRun(argv, services.launcher, arguments.env, timeout), arguments.stdin)
        for name, argv in arguments.commands.items()
    }


def _shell(lines: Sequence[str], options: Options) -> str:
    """The shell of the command lines; empty for none. UserError where they need one that the user
    has excluded."""
    if options.shell:
        return options.shell
    for line in lines:
        bare = _QUOTED.sub("", line)
        syntax = _SHELL_SYNTAX.search(bare)
        if options.shell is None and (syntax or _PATTERNS.search(bare)):
            return "sh"
        if syntax:
            raise UserError(
                f"{line!r} has the shell syntax {syntax[0]!r}, but -N runs no shell; leave -N "
                "out, or choose a shell with --shell sh"
            )
    return ""


def _aside_words(
    option: str, line: str | None, options: Options, services: Services
) -> tuple[str, ...] | None:
    """The words of an option's command line. UserError about the option."""
    if line is None:
        return None
    try:
        return _words(line, _shell([line], options), services)
    except UserError as error:
        raise UserError(error.message, where=option) from None


def _words(line: str, shell: str, services: Services) -> tuple[str, ...]:
    """The words to execute for a command line; UserError when there is no such program."""
    if shell:
        return (*shlex.split(shell), "-c", line)
    try:
        argv = tuple(shlex.split(line))
    except ValueError as error:
        raise UserError(f"not a command line: {line!r}: {error}") from None
    if not argv:
        raise UserError("an empty command cannot be measured")
    if services.launcher.find(argv[0]) is None:
        raise UserError(
            f"{line!r}: program not found: {argv[0]!r}; for a shell builtin, use --shell sh"
        )
    return argv


@contextmanager
def _set_up(options: Options, context: RunContext[Commands]) -> Iterator[list[Confound]]:
    """Run ``--setup`` before the context and ``--cleanup`` after it. A failing setup is a
    UserError; a failing cleanup is noted and becomes a confound in the yielded list."""
    setup = _aside_words("--setup", options.setup, options, context.services)
    cleanup = _aside_words("--cleanup", options.cleanup, options, context.services)
    left_over: list[Confound] = []
    try:
        try:
            _aside(setup, "--setup", options, context.services)
        except InvocationFailed as failed:
            raise UserError(with_output(failed)) from None
        yield left_over
    finally:
        try:
            _aside(cleanup, "--cleanup", options, context.services)
        except InvocationFailed as failed:
            from whyfast.model.verdict import CLEANUP, Confound  # a dozen dataclasses

            context.observer.note(with_output(failed))
            left_over.append(Confound(CLEANUP, f"after the last run, {with_output(failed)}"))


def _aside(argv: tuple[str, ...] | None, what: str, options: Options, services: Services) -> None:
    if argv is not None:
        timeout = ASIDE_TIMEOUT if options.timeout is None else options.timeout
        services.aside(argv, env=services.env, timeout=timeout, what=what)


def _entry(
    context: RunContext[Commands], arguments: LaunchArguments, firsts: FirstRuns, options: Options
) -> BenchmarkRun:
    """The only benchmark of the campaign, its baseline first."""
    question = context.question
    (benchmark,), main = question.benchmarks, question.baselines[0]
    return BenchmarkRun(
        benchmark.name,
        context.services.runner(benchmark.runner, arguments),
        [main, *(v.name for v in question.variants if v.name != main)],
        question.baselines,
        pinned=firsts.pinned,
        turns=None if options.runs is None or firsts.take_turns else 1,
        calibration=firsts.calibration(benchmark.name),
    )


def _start_cost(services: Services) -> float:
    """The least seconds of a run of an empty program; 0 without such a program."""
    if services.launcher.find("true") is None:
        return 0.0
    runner = services.runner("command", LaunchArguments({"true": ("true",)}, services.env, 10.0))
    invocation = runner.enter("true", cpu=None, pad=0)
    samples = (invocation.turn(1) for _ in range(EMPTY_RUNS))
    return min(s.seconds - s.extra.get(WAITED, 0.0) for s in samples)


def _start_matters(recorded: Recorded, start: float) -> list[Confound]:
    from whyfast.model.verdict import Confound

    if not recorded.blocks or start <= 0:
        return []
    typical = {
        v: statistics.median(x for b in recorded.blocks for x in b.values.get(v, ()))
        for v in recorded.blocks[0].values
    }
    short = [v for v, seconds in typical.items() if start > START_MATTERS * seconds]
    if not short:
        return []
    share = max(min(1.0, start / typical[v]) for v in short)
    return [
        Confound(
            "process-start",
            f"starting an empty program takes {start * 1e3:.2f} ms here, {100 * share:.0f} % of "
            "what the quickest command takes; the ratio of the work alone is further from 1 than "
            "the ratio shown",
            "warning",
            tuple(short),
        )
    ]


#: The most commands of one comparison.
MOST = 100


def expand(
    lines: Sequence[str],
    names: Sequence[str],
    lists: Sequence[Sequence[str]] = (),
    scans: Sequence[Sequence[str]] = (),
) -> list[Command]:
    """Every command with every combination of parameter values.

    ``lists``: (variable, "a,b,c"); ``scans``: (variable, min, max, step). ``names`` are given to
    the results in order; the others are named by their command line. UserError for names that are
    too many or used twice, and for parameters that are given twice or that no command mentions.
    """
    parameters = {v: values.split(",") for v, values in lists}
    parameters.update({v: _scan(v, low, high, step) for v, low, high, step in scans})
    given = [v for v, *_ in (*lists, *scans)]
    for variable in parameters:
        if given.count(variable) > 1:
            raise UserError("is given twice", where=f"parameter {variable}")
        if not any(f"{{{variable}}}" in line for line in lines):
            raise UserError(f"no command mentions {{{variable}}}", where=f"parameter {variable}")
    used = [[v for v in parameters if f"{{{v}}}" in line] for line in lines]
    total = sum(math.prod(len(parameters[v]) for v in variables) for variables in used)
    if total > MOST:  # before they are made: there may be millions
        raise UserError(f"that makes {total} commands; at most {MOST} can be compared")
    expanded = []
    for line, variables in zip(lines, used, strict=True):
        for combination in itertools.product(*(parameters[v] for v in variables)):
            text = line
            for variable, value in zip(variables, combination, strict=True):
                text = text.replace(f"{{{variable}}}", value)
            expanded.append(text)
    return [
        Command(n, line) for n, line in zip(distinct_names(expanded, names), expanded, strict=True)
    ]


def _scan(variable: str, low: str, high: str, step: str) -> list[str]:
    where = f"--parameter-scan {variable}"
    try:
        first, last, by = Decimal(low), Decimal(high), Decimal(step)
        count = (last - first) / by
        fits = 0 <= count < MOST
    except ArithmeticError:  # no number, NaN, a step of 0, or beyond what a decimal can hold
        raise UserError("MIN, MAX and STEP must be numbers, STEP not 0", where=where) from None
    if not fits:
        raise UserError(
            f"{low} to {high} by {step} is not a range of at most {MOST} values", where=where
        )
    return [f"{first + by * i:f}" for i in range(int(count) + 1)]
