"""Two or more commands against each other, with no study file."""

from __future__ import annotations

import os
import shlex
import shutil
import statistics
import uuid
from collections.abc import Sequence
from dataclasses import dataclass, replace

from whyfast.investigate.ab_counters import counter_verdicts
from whyfast.investigate.events import Observer
from whyfast.investigate.judging import judge_metrics
from whyfast.investigate.measuring import judged, measure_entries
from whyfast.investigate.prepare import Prepared
from whyfast.measure.campaign import BenchmarkRun
from whyfast.measure.clock import Clock, SystemClock
from whyfast.measure.commands import CommandRunner, run_aside
from whyfast.measure.invocation import InvocationFailed, Runner
from whyfast.measure.launch import SystemLauncher
from whyfast.measure.probe_run import ProbeRun, probe_run
from whyfast.measure.turns import TurnRunner
from whyfast.model.errors import UserError
from whyfast.model.question import Commands
from whyfast.model.result import Result
from whyfast.model.study import MeasureSpec
from whyfast.model.variant import Benchmark, Variant
from whyfast.model.verdict import Confound
from whyfast.store.home import Home
from whyfast.store.lock import exclusive
from whyfast.store.samples import Run, SampleStore

#: The one benchmark of a comparison of commands.
BENCHMARK = "whole run"

#: Runs of an empty program that tell what starting a process costs.
EMPTY_RUNS = 15

#: Share of a command's time from which the cost of starting it is worth naming.
START_MATTERS = 0.2

#: CPU time over wall time from which a command counts as running on several CPUs; pinning it to
#: one would measure something else.
SEVERAL_CPUS = 1.1


@dataclass(frozen=True)
class Command:
    """One side: the name that reports use, and what to run."""

    name: str
    line: str


@dataclass(frozen=True)
class Options:
    """How to run the commands; the first named ``baseline`` (None: the first command).

    ``shell`` is None for no shell. ``setup`` and ``cleanup`` run once a command, before its first
    and after its last run, ``prepare`` before every run; none of them is measured. Times in
    seconds.
    """

    budget: float = 60.0
    margin: float = 0.01
    baseline: str | None = None
    shell: str | None = None
    stdin: str = os.devnull
    ignore_failure: bool = False
    warmup: int = 0
    prepare: str | None = None
    setup: str | None = None
    cleanup: str | None = None
    timeout: float = 600.0
    turns_offered: bool = True


def argument_vector(line: str, shell: str | None) -> tuple[str, ...]:
    """What to execute for a command line; UserError when there is no such program."""
    if shell is not None:
        return (*shlex.split(shell), "-c", line)
    try:
        argv = tuple(shlex.split(line))
    except ValueError as error:
        raise UserError(f"{line!r} is no command line: {error}") from None
    if not argv:
        raise UserError("an empty command cannot be measured")
    if shutil.which(argv[0]) is None:
        raise UserError(
            f"{line!r}: no program {argv[0]!r} is found; for shell syntax use --shell sh"
        )
    return argv


def run_ab(
    commands: Sequence[Command],
    options: Options,
    home: Home,
    observer: Observer,
    *,
    clock: Clock | None = None,
) -> Result:
    """Measure the commands until every comparison is decided or the budget is used.

    UserError for a command that cannot be run or fails in its first run.
    """
    clock = clock or SystemClock()
    names = [c.name for c in commands]
    if len(commands) < 2:
        raise UserError("there must be at least two commands to compare")
    if options.baseline is not None and options.baseline not in names:
        raise UserError(f"--baseline {options.baseline!r} is none of: {', '.join(names)}")
    baseline = options.baseline or names[0]
    vectors = {c.name: argument_vector(c.line, options.shell) for c in commands}
    env = dict(os.environ)
    observer.phase("measure")
    try:
        _aside(options.setup, names, options, env, "--setup")
        firsts = {n: _first(vectors[n], env, options) for n in names}
        runner = _runner(vectors, firsts, env, options)
        question = _question(commands, baseline, options, runner.loops_vary)
        store = SampleStore(home.database)
        try:
            with exclusive(
                home.data / "measuring.lock",
                lambda: observer.note("waiting: another whyfast is measuring on this machine"),
            ):
                start = _start_cost(env) if not runner.loops_vary else 0.0
                result = _measured(question, store, runner, firsts, observer, clock)
        finally:
            store.close()
    finally:
        _aside(options.cleanup, names, options, env, "--cleanup")
    metrics = judge_metrics(
        result.recorded.blocks, variants=names, baseline=baseline, margin=options.margin
    )
    if not runner.loops_vary and result.recorded.complete and options.stdin == os.devnull:
        metrics += counter_verdicts(
            vectors,
            baseline=baseline,
            benchmark=BENCHMARK,
            margin=options.margin,
            launcher=SystemLauncher(),
            env=env,
            timeout=options.timeout,
            seed=int(result.recorded.run[:8], 16),
        )
    confounds = (*_start_matters(result, start), *result.judged.confounds)
    judged = replace(result.judged, metrics=metrics, confounds=confounds, about="commands")
    return replace(result, judged=judged)


def _aside(
    line: str | None, names: Sequence[str], options: Options, env: dict[str, str], what: str
) -> None:
    if line is None:
        return
    for _ in names:
        try:
            run_aside(
                argument_vector(line, options.shell), env=env, timeout=options.timeout, what=what
            )
        except InvocationFailed as failed:
            raise UserError(_said(failed)) from None


def _first(argv: tuple[str, ...], env: dict[str, str], options: Options) -> ProbeRun:
    """The first run, which also warms caches; then the warm-ups asked for."""
    try:
        for _ in range(options.warmup + 1):
            if options.prepare is not None:
                run_aside(
                    argument_vector(options.prepare, options.shell),
                    env=env,
                    timeout=options.timeout,
                    what="--prepare",
                )
            first = probe_run(
                argv,
                env=env,
                timeout=options.timeout,
                stdin=options.stdin,
                ignore_failure=options.ignore_failure,
                offer=options.turns_offered and options.stdin == os.devnull,
            )
    except InvocationFailed as failed:
        hint = "" if options.ignore_failure else "; use --ignore-failure to measure it all the same"
        raise UserError(f"{shlex.join(argv)}: {_said(failed)}{hint}") from None
    return first


def _said(failed: InvocationFailed) -> str:
    output = failed.output.strip().splitlines()
    return failed.reason + (f" ({output[-1].strip()})" if output else "")


def _runner(
    vectors: dict[str, tuple[str, ...]],
    firsts: dict[str, ProbeRun],
    env: dict[str, str],
    options: Options,
) -> Runner:
    """Turns when every command takes them, whole runs otherwise."""
    if all(f.takes_turns for f in firsts.values()):
        return TurnRunner(vectors, env=env, timeout=options.timeout)
    prepare = (
        {n: argument_vector(options.prepare, options.shell) for n in vectors}
        if options.prepare is not None
        else None
    )
    return CommandRunner(
        vectors,
        env=env,
        timeout=options.timeout,
        ignore_failure=options.ignore_failure,
        stdin=options.stdin,
        prepare=prepare,
    )


def _question(
    commands: Sequence[Command], baseline: str, options: Options, turns: bool
) -> Commands:
    return Commands(
        baselines=(baseline,),
        margin=options.margin,
        budget=options.budget,
        variants=tuple(Variant(c.name, about=c.line if c.name != c.line else "") for c in commands),
        benchmarks=(Benchmark(BENCHMARK, "turn" if turns else "command", ()),),
    )


def _measured(
    question: Commands,
    store: SampleStore,
    runner: Runner,
    firsts: dict[str, ProbeRun],
    observer: Observer,
    clock: Clock,
) -> Result:
    run = Run(uuid.uuid4().hex, uuid.uuid4().hex, question.name, clock.now(), None)
    store.begin(run)
    baseline = question.baselines[0]
    names = [baseline, *(v.name for v in question.variants if v.name != baseline)]
    single = all(f.cpu_seconds <= SEVERAL_CPUS * f.seconds for f in firsts.values())
    entry = BenchmarkRun(BENCHMARK, runner, list(names), question.baselines, pinned=single)
    complete = measure_entries(
        question.margin, MeasureSpec(question.budget), store, run, [entry], observer, clock
    )
    store.finish(run.id, clock.now())  # commands can change under our feet: ab never resumes
    observer.phase("judge")
    return judged(
        question, Prepared(), store, run, complete=complete, variants=names, baselines=[baseline]
    )


def _start_cost(env: dict[str, str]) -> float:
    """The least seconds that an empty program takes from start to end; 0 where there is none."""
    if shutil.which("true") is None:
        return 0.0
    player = CommandRunner({"true": ("true",)}, env=env, timeout=10.0).enter(
        "true", cpu=None, pad=0
    )
    return min(player.turn(1).seconds for _ in range(EMPTY_RUNS))


def _start_matters(result: Result, start: float) -> list[Confound]:
    if not result.recorded.blocks or start <= 0:
        return []
    typical = {
        v: statistics.median(x for b in result.recorded.blocks for x in b.values.get(v, ()))
        for v in result.recorded.blocks[0].values
    }
    short = [v for v, seconds in typical.items() if start > START_MATTERS * seconds]
    if not short:
        return []
    share = max(min(1.0, start / typical[v]) for v in short)
    return [
        Confound(
            "process-start",
            f"starting an empty program takes {start * 1e3:.2f} ms here, {share:.0%} of the "
            f"time of {shlex.quote(min(short, key=typical.__getitem__))}; the ratio of the work "
            "alone is further from 1 than the ratio shown",
            "warning",
            tuple(short),
        )
    ]
