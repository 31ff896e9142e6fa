"""Which benchmarks of its study a check measures: those whose files are there, of many those that
execute what has changed, and of whole runs those that the budget has time for."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace

from whyfast.build.revisions import Range, called
from whyfast.explain.python_changes import MODULE
from whyfast.investigate.change_reach import first_runs_reach
from whyfast.investigate.context import RunContext
from whyfast.investigate.measuring import launch_arguments
from whyfast.investigate.recording import OpenRun
from whyfast.judge.decide import ALPHA
from whyfast.judge.power import needed_blocks
from whyfast.measure.harnesses import HARNESSES, NO_BENCHMARK
from whyfast.measure.invocation import InvocationFailed
from whyfast.model.code import ChangeCoverage, Check, CodeComparison
from whyfast.model.result import Recorded
from whyfast.model.study import Study
from whyfast.model.variant import Benchmark
from whyfast.study.project import MOST, some_names


def with_files(
    context: RunContext[Study], change: Range
) -> tuple[RunContext[Study], tuple[str, ...]]:
    """With the study's own files for those of commands that the head does not have, as a study may
    be newer than what it is asked about; without benchmarks whose files are nowhere. Notes on
    both."""
    question = context.question
    taken: dict[str, list[str]] = {}
    absent: dict[str, list[str]] = {}
    benchmarks = []
    for benchmark in question.benchmarks:
        words = list(benchmark.command)
        for place, word in enumerate(words):
            name = word.removeprefix("{source}/").partition("::")[0]
            if not word.startswith("{source}/") or (question.source.folder / name).exists():
                continue
            if (question.folder / name).exists():
                words[place] = "{study}/" + word.removeprefix("{source}/")
                taken.setdefault(name, []).append(benchmark.name)
            else:
                absent.setdefault(name, []).append(benchmark.name)
        benchmarks.append(replace(benchmark, command=tuple(words)))
    notes = []
    head = called(change.head_name, change.head)
    if taken:
        what = "is that" if len(taken) == 1 else "are those"
        notes.append(f"{some_names([*taken], 3)} {what} of the study's folder, as {head} has none.")
    for name, without in absent.items():
        verb = "is" if len(without) == 1 else "are"
        notes.append(f"{some_names(without, 3)} {verb} not run: {head} has no {name}.")
    lost = {name for names in absent.values() for name in names}
    left = tuple(b for b in benchmarks if b.name not in lost)
    return replace(context, question=replace(question, benchmarks=left)), tuple(notes)


def chosen(
    context: RunContext[Study], code: CodeComparison, timeout: float
) -> tuple[RunContext[Study], tuple[str, ...]]:
    """Of many benchmarks with a harness the first that execute what has changed when they run once,
    in at most ``timeout`` seconds in all, and a note on the others. Where none does or none can be
    run so, the first of all: longer runs tell more."""
    question = context.question
    listed = [b for b in question.benchmarks if b.runner in HARNESSES]
    if len(listed) <= MOST or context.question.in_python:
        return context, ()
    reached = first_runs_reach(context, listed, code, timeout)
    return _with_the_first(context, listed, reached)


def _with_the_first(
    context: RunContext[Study], listed: Sequence[Benchmark], reached: Collection[str]
) -> tuple[RunContext[Study], tuple[str, ...]]:
    """Of those ``listed`` the first that are ``reached``, and a note on the others."""
    question = context.question
    taken = [b for b in listed if b.name in reached][:MOST] or listed[:MOST]
    others = [b.name for b in listed if b.name in reached and b not in taken]
    if reached:
        note = f"Of {len(listed)} benchmarks {len(reached)} execute what has changed when run once"
        note += f"; not measured of these: {some_names(others)}." if others else "."
    else:
        note = f"Of {len(listed)} benchmarks the first {MOST} are measured: none is known to "
        note += "execute what has changed."
    kept = tuple(b for b in question.benchmarks if b in taken or b not in listed)
    return replace(context, question=replace(question, benchmarks=kept)), (note,)


def chosen_in_python(
    context: RunContext[Study], reaches: Sequence[ChangeCoverage]
) -> tuple[RunContext[Study], tuple[ChangeCoverage, ...], tuple[str, ...]]:
    """The same for benchmarks of Python, of which ``reaches`` says what they execute. Those that
    execute nothing of what has changed are left out of the question, however few there are: unlike
    machine code they run as before, wherever the rest lies."""
    idle = {r.benchmark for r in reaches if r.placement_only}
    benchmarks = tuple(b for b in context.question.benchmarks if b.name not in idle)
    context = replace(context, question=replace(context.question, benchmarks=benchmarks))
    if len(benchmarks) <= MOST:
        return context, tuple(reaches), ()
    known = {r.benchmark for r in reaches if r.executes and not r.executes[0].endswith(MODULE)}
    known = known or {r.benchmark for r in reaches if r.executes}  # on import alone
    context, notes = _with_the_first(context, benchmarks, known)
    kept = {*idle, *(b.name for b in context.question.benchmarks)}
    return context, tuple(r for r in reaches if r.benchmark in kept), notes


def without_one_sided(recorded: Recorded, names: Mapping[str, str]) -> Recorded:
    """With benchmarks that a variant, which is called as ``names`` says, does not have no longer as
    failures: the change may have added or removed them."""
    lacks = "does not have it, or nothing matches its filter"
    failures = tuple(
        replace(f, lacks=True, reason=f"{names.get(f.variant, f.variant)} {lacks}")
        if f.reason == NO_BENCHMARK
        else f
        for f in recorded.failures
    )
    return replace(recorded, failures=failures)


def groups(context: RunContext[Study], check: Check) -> Iterator[tuple[Benchmark, ...]]:
    """First what executes changed code, then what only its place can make differ."""
    last = {r.benchmark for r in check.reaches if r.placement_only}
    benchmarks = context.question.benchmarks
    yield tuple(b for b in benchmarks if b.name not in last)
    yield tuple(b for b in benchmarks if b.name in last)


def affordable(
    context: RunContext[Study], run: OpenRun, check: Check
) -> tuple[RunContext[Study], tuple[str, ...]]:
    """The benchmarks for which the budget has time, and a note on the others: whole runs of seconds
    each would all stay undecided. First come those that execute changed code, of which most."""
    question = context.question
    whole = [b for group in groups(context, check) for b in group if b.runner == "command"]
    taken = {b.benchmark for b in run.blocks()}
    left, out = question.measure.budget, list[str]()
    # Twice what a verdict needs at least, of a run of each side.
    runs = 2 * 2 * needed_blocks(ALPHA)
    for place, benchmark in enumerate(sorted(whole, key=lambda b: -_moved_by(check, b.name))):
        if benchmark.name in taken:
            continue
        if left > 0 and len(whole) > 1:
            arguments = launch_arguments(context, benchmark, context.prefixes)
            with suppress(InvocationFailed):  # which is measured, and reported then
                left -= (
                    runs * context.services.probe(arguments, context.baselines[0], False).seconds
                )
        if left <= 0 and place:
            out.append(benchmark.name)
    if not out:
        return context, ()
    note = (
        f"Not measured, as their runs are too long for {question.measure.budget:.0f} s: "
        f"{some_names(out)}; a longer --budget has time for them."
    )
    kept = tuple(b for b in question.benchmarks if b.name not in out)
    return replace(context, question=replace(question, benchmarks=kept)), (note,)


def _moved_by(check: Check, benchmark: str) -> float:
    """How much the change is known to do there: 0 to 1 of the instructions, below 0 nothing."""
    reach = check.reach(benchmark)
    if reach is None or reach.placement_only:
        return -1.0 if reach else 0.0
    base, head = reach.instructions or (0.0, 0.0)
    return abs(head - base) / max(base, head, 1.0)
