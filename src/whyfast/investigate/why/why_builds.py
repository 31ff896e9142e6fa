"""Why one build takes longer than another on a benchmark: the same account as of two commands.

The benchmark is run as a command that does a fixed amount of work. One that takes turns finds its
grants in a file and leaves after them; a harness is told a number of iterations.
"""

from __future__ import annotations

import math
import shlex
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from whyfast.formats.opt_records import (
    MissedOptimisation,
    read_clang_record,
    read_gcc_record,
    read_go_record,
)
from whyfast.investigate.ab_run import Command, Options, command_arguments, run_ab
from whyfast.investigate.building import build
from whyfast.investigate.context import RunContext
from whyfast.investigate.counting import BuildCounter, scratch_folder
from whyfast.investigate.services import Silent
from whyfast.investigate.why.why_inquiry import AccountLimits
from whyfast.investigate.why.why_run import explain_difference
from whyfast.measure.count import CountingTask
from whyfast.measure.tools import CannotCount
from whyfast.measure.turns import TURN_VARIABLE, read_answer
from whyfast.model.build import Build
from whyfast.model.errors import UserError
from whyfast.model.study import EvidenceSpec, Study
from whyfast.model.variant import Benchmark, RunnerName
from whyfast.model.verdict import Verdict
from whyfast.model.why import Account
from whyfast.why.remarks import with_records

#: Seconds of work in one run of the slower build, about: enough samples in a few runs, and short
#: under a simulator. Less where the time for the account is limited.
WORK, SHORT_WORK = 0.15, 0.05

#: Seconds of timing whole runs of both builds, for how their time is split; less likewise.
TIMING, SHORT_TIMING = 6.0, 3.0

#: Runs of a harness with one iteration, of which the fastest is its start.
STARTS = 3

#: For an account that nobody asked for, at the end of a check.
BESIDE = AccountLimits(seconds=10.0, total=12.0)

#: Seconds that such an account takes, about: its steps, of which the last may take as long again,
#: timing, and building again.
MOST_BESIDE = SHORT_TIMING + 2.5 * BESIDE.total

#: The flag by which a compiler writes down or prints what it did.
RECORD = {
    "clang": "-fsave-optimization-record",
    "gcc": "-fsave-optimization-record",
    "go ": "-gcflags=-m=2",
}

#: Seconds of building both sides up to which they are built with it, and the causes that its
#: record tells of.
RECORD_SECONDS, RECORDED = 60.0, ("vectorisation", "inlining")

#: How harnesses are told a number of iterations. Google's knows it since version 1.8; Criterion
#: has no word for it.
ITERATIONS: dict[RunnerName, str] = {
    "go": "-test.benchtime={}x",
    "google-benchmark": "--benchmark_min_time={}x",
}


@dataclass(frozen=True)
class BuildSide:
    """One build: ``task`` is how the study runs it, ``folder`` holds its grants and answers."""

    task: CountingTask
    folder: Path
    runner: RunnerName

    @property
    def answers(self) -> Path:
        return self.folder / f"{self.task.variant}-answers"

    def words(self, loops: int, env: dict[str, str]) -> tuple[str, ...]:
        """A command that does that many loops and ends."""
        run = self.task.run
        plain = (*run.enter, *run.command)
        if self.task.turns:
            grants = self.folder / f"{self.task.variant}-grants"
            grants.write_text(f"{loops}\n")
            script = f'{TURN_VARIABLE}=8,9 exec "$@" 8<"$0" 9>{shlex.quote(str(self.answers))}'
            plain = ("sh", "-c", script, str(grants), *plain)
        elif self.runner in ITERATIONS:
            option = ITERATIONS[self.runner].format(loops)
            name = option.split("=")[0]
            plain = (*(w for w in plain if w.split("=")[0] != name), option)
        more = [f"{k}={v}" for k, v in run.env.items() if env.get(k) != v]
        return ("env", *more, *plain) if more else plain

    def seconds(self, loops: int, env: dict[str, str]) -> float:
        """How long the work takes, by its own clock or else with its start. Raises CannotCount."""
        argv = self.words(loops, env)
        began = time.monotonic()
        done = self.task.run.under("no tool", argv, env)
        took = time.monotonic() - began
        if done.status:
            lines = done.output.strip().splitlines() or [f"exit code {done.status}"]
            raise CannotCount(f"{self.task.variant} failed as a command: {lines[-1]:.200}")
        if not self.task.turns:
            return took
        lines = self.answers.read_text().splitlines()
        try:
            return read_answer(lines[1])[0]
        except (IndexError, ValueError) as error:
            raise CannotCount(
                f"{self.task.variant} answered no turn from a file: {error}"
            ) from None


def explain_builds(
    context: RunContext[Study],
    benchmark: Benchmark,
    verdict: Verdict,
    limits: AccountLimits | None = None,
) -> Account | None:
    """The account of a decided verdict on a benchmark; None, with a note, where there cannot be
    one."""
    launcher, env = context.services.launcher, dict(context.services.env)
    if verdict.outcome not in ("faster", "slower") or launcher.find("sh") is None:
        return None
    observer, limits = context.observer, limits or AccountLimits()
    observer.phase("explain")
    try:
        fixed = benchmark.kind.countable or benchmark.runner in ITERATIONS
        if not fixed or context.question.in_vms:
            raise CannotCount(f"a {benchmark.runner} benchmark has no fixed amount of work")
        with scratch_folder(context.home) as folder:
            return _account(context, benchmark, verdict, limits, folder, env)
    except (CannotCount, UserError) as error:
        observer.note(f"no account of the difference on {benchmark.name}: {error}")
        return None


def _account(
    context: RunContext[Study],
    benchmark: Benchmark,
    verdict: Verdict,
    limits: AccountLimits,
    folder: Path,
    env: dict[str, str],
) -> Account:
    wanted = (verdict.baseline, verdict.variant)
    tasks = BuildCounter(context, folder, benchmark.timeout).tasks(benchmark)
    sides = [BuildSide(t, folder, benchmark.runner) for t in tasks if t.variant in wanted]
    if len(sides) != 2:
        raise CannotCount("both builds have to be run here")
    sides.sort(key=lambda side: wanted.index(side.task.variant))
    slow = sides[verdict.ratio >= 1]
    short = limits.total < math.inf
    loops = loops_of(slow, env, SHORT_WORK if short else WORK) if _repeats(slow) else 1
    lines = [Command(s.task.variant, shlex.join(s.words(loops, env))) for s in sides]
    options = Options(
        budget=SHORT_TIMING if short else TIMING,
        shell="",
        turns_offered=False,
        timeout=benchmark.timeout,
        warmup=1,
    )
    context.observer.step(f"timing whole runs of {wanted[0]} and {wanted[1]} on {benchmark.name}")
    measured = run_ab(lines, options, context.home, Silent(), services=context.services)
    judged = replace(measured.judged, verdicts=(verdict,))
    rooted = any(t.root for t in context.toolchains)
    account = explain_difference(
        replace(measured, judged=judged),
        command_arguments(lines, options, context.services),
        replace(limits, seconds=0) if rooted else limits,
        context.home,
        context.observer,
        context.services,
    )
    if account is None or not account.costs:
        raise CannotCount("whole runs of the builds do not show it")
    account = _with_records(context, account, min(RECORD_SECONDS, limits.total / 2))
    several = len(context.question.benchmarks) > 1
    return replace(account, benchmark=benchmark.name if several else "")


def _with_records(context: RunContext[Study], account: Account, most: float) -> Account:
    """With what the compiler did not do for the slower build, by a second build of both that has
    it written down, where the first took at most so many seconds and the compiler is GCC, Clang
    or Go's."""
    names = (account.fast, account.slow)
    builds = {b.variant: b for b in context.usable if b.variant in names}
    took = sum(float(b.provenance.get("seconds", 0.0)) for b in builds.values())
    toolchains = {t.name: t for t in context.toolchains}
    both = [v for v in context.question.variants if v.name in names]
    used = [toolchains.get(v.toolchain) for v in both]
    compilers = {_recorder(t.version) if t else "" for t in used}
    about = any(c.key in RECORDED for c in account.causes)
    if not about or took > most or len(compilers) != 1 or "" in compilers:
        return account
    context.observer.step("building again for the compiler's remarks")
    compiler = compilers.pop()
    flag = RECORD[compiler]
    source = context.question.source
    if source.repository is not None:  # of which the sides may be other revisions
        source = replace(source, folder=source.repository)
    study = replace(
        context.question,
        source=source,
        variants=tuple(replace(v, cflags=(*v.cflags, flag)) for v in both),
        baselines=(account.fast,),
        evidence=EvidenceSpec(),
        measure=replace(context.question.measure, layouts=0),
        claim=None,
    )
    try:
        again = build(replace(context, question=study, observer=Silent()))
    except UserError as error:
        context.observer.note(f"no remarks of the compiler: {error}")
        return account
    missed: dict[str, list[MissedOptimisation]] = {name: [] for name in names}
    for made in again.builds:
        if isinstance(made, Build):
            folder = context.home.builds / made.digest
            for path in sorted(folder.rglob("*.opt-record.json.gz")):
                missed[made.variant] += read_gcc_record(path)
            for path in sorted(folder.rglob("*.opt.yaml")):
                missed[made.variant] += read_clang_record(path)
            if compiler == "go ":
                missed[made.variant] += read_go_record((folder / "log.txt").read_text("utf-8"))
    return with_records(account, missed[account.fast], missed[account.slow], compiler.strip())


def _recorder(version: str) -> str:
    """The compiler that writes such a record; empty for another."""
    return next((name for name in RECORD if name in version.lower()), "")


def _repeats(side: BuildSide) -> bool:
    return side.task.turns or side.runner in ITERATIONS


def loops_of(side: BuildSide, env: dict[str, str], work: float = WORK) -> int:
    """As many as take that many seconds, about. Raises CannotCount."""
    start = 0.0 if side.task.turns else min(side.seconds(1, env) for _ in range(STARTS))
    loops = 1
    while (seconds := side.seconds(loops, env) - start) < work / 2 and loops < 2**40:
        loops *= max(2, min(1000, round(work / max(seconds, 1e-9))))
    return loops


def largest(verdicts: Iterable[Verdict], without: Sequence[str] = ()) -> Verdict | None:
    """The decided verdict on a benchmark with the largest difference, those ``without`` aside."""
    decided = [
        v
        for v in verdicts
        if v.outcome in ("faster", "slower") and v.benchmark and v.benchmark not in without
    ]
    return max(decided, key=lambda v: max(v.ratio, 1 / v.ratio), default=None)
