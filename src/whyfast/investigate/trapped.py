"""Which changed functions a benchmark enters, seen by a run with a trap at the start of each.

Unlike under a simulator it runs at full speed, as long as for a value that is measured. Traps are
in copies of programs, beside these.
"""

from __future__ import annotations

import re
import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path

from whyfast.explain.functions import base_name
from whyfast.explain.objects.elf import open_elf
from whyfast.explain.program import load
from whyfast.explain.same_builds import machine_code
from whyfast.investigate.context import RunContext
from whyfast.investigate.counting import BuildCounter, scratch_folder
from whyfast.measure import entered
from whyfast.measure.count import CountingTask
from whyfast.measure.harnesses import (
    HARNESSES,
    NO_BENCHMARK,
    ONCE,
    Harness,
    reported,
    to_see,
    with_words,
)
from whyfast.measure.tools import CannotCount, Finished, ToolRun
from whyfast.model.code import CodeComparison
from whyfast.model.errors import UserError
from whyfast.model.study import Study
from whyfast.model.variant import Benchmark

#: ``int3`` of x86-64, whose programs alone are compared by functions.
_TRAP = 0xCC

#: Seconds for a benchmark that runs once.
_ONCE_TAKES = 5.0


def functions_entered(
    benchmark: Benchmark,
    tasks: Sequence[CountingTask],
    programs: Mapping[str, Path],
    inner: Path,
    code: CodeComparison,
) -> tuple[str, ...] | None:
    """The changed functions that runs of all builds enter, by name, the first that are entered
    first; None where that cannot be seen. CannotCount where a build has no such benchmark.

    ``programs`` are by variant, ``inner`` is their path in their builds.
    """
    harness = HARNESSES.get(benchmark.runner)
    if not code.reached or not (harness or benchmark.kind.countable):
        return None
    met, known = dict[str, None](), set[str]()
    alone = True  # else a library may have functions of these names
    for task in tasks:
        program = programs[task.variant]
        alone &= _alone(program.parents[len(inner.parts) - 1], inner)
        words = task.run.command
        run = replace(task.run, command=with_words(words, harness) if harness else words)
        try:
            with _trapped(program, code) as (copy, traps):
                known.update(*traps.values())
                run = replace(run, command=_running(run.command, program, copy))
                if task.turns:
                    run = replace(task, run=run).granted(1, 1)
                met.update(_entered(run, harness, program, copy, traps))
        except (UserError, OSError):  # a timeout is one
            return None
    changed = {base_name(f.name) for f in code.reached}
    sees_all = alone and changed <= known
    return tuple(n for n in met if n in changed) if met or sees_all else None


def _running(command: Sequence[str], program: Path, copy: Path) -> tuple[str, ...]:
    """The command with the copy in the place of the program, also within a word for a shell."""
    name = re.compile(re.escape(str(program)) + r"(?![\w./-])")
    return tuple(name.sub(lambda _: str(copy), word) for word in command)


def first_runs_reach(
    context: RunContext[Study],
    benchmarks: Sequence[Benchmark],
    code: CodeComparison,
    timeout: float,
) -> list[str]:
    """The names of those that do not end well when the head runs each once, with traps in what has
    changed, in at most ``timeout`` seconds in all; none where that cannot be tried."""
    head = context.usable[-1]
    inner = Path(context.question.build.program)
    folder = head.program.parents[len(inner.parts) - 1]
    # Where other things have changed, too, those that execute changed functions still go first.
    if not code.reached or not _alone(folder, inner):
        return []
    clock, found = context.services.clock, list[str]()
    context.observer.step(f"which of {len(benchmarks)} benchmarks execute the change")
    with scratch_folder(context.home) as scratch:
        try:
            with _trapped(head.program, code) as (copy, _):
                counter = BuildCounter(context, scratch, timeout)
                end = clock.monotonic() + timeout
                for benchmark in benchmarks:
                    counter.timeout = min(_ONCE_TAKES, end - clock.monotonic())
                    if counter.timeout <= 0:
                        break
                    run = next(t for t in counter.tasks(benchmark) if t.variant == head.variant).run
                    harness = HARNESSES[benchmark.runner]
                    words = to_see(run.command, harness)[ONCE]
                    run = replace(run, command=_running(words, head.program, copy))
                    with suppress(TimeoutError):
                        if _finished(run, harness).status:
                            found.append(benchmark.name)
        except (UserError, OSError):
            return []
    return found


def _entered(
    run: ToolRun,
    harness: Harness | None,
    program: Path,
    copy: Path,
    traps: Mapping[int, tuple[str, ...]],
) -> dict[str, None]:
    """The names of the traps that the run comes to. OSError where it does not end well, or does not
    run the copy; CannotCount where no benchmark has run."""
    original = program.read_bytes()
    with run.folder() as folder:
        table, found = Path(folder, "traps"), Path(folder, "found")
        table.write_text("".join(f"{place} {original[place]}\n" for place in traps))
        tracer = (sys.executable, "-I", "-S", entered.__file__, copy.name, str(table), str(found))
        status = _finished(replace(run, enter=(*tracer, *run.enter)), harness, timed=True).status
        ran, *places = found.read_text().splitlines() or [""]
    if status or ran != "ran":
        raise OSError(f"it ends with exit code {status}")
    return {name: None for place in places for name in traps[int(place)]}


def _finished(run: ToolRun, harness: Harness | None, *, timed: bool = False) -> Finished:
    """The end of the run. OSError, a timeout is one; CannotCount where it was to be ``timed`` and
    no benchmark has run."""
    with tempfile.TemporaryDirectory(dir=run.scratch) as results:
        env = dict(run.env)
        if harness and harness.folder:
            env[harness.folder] = harness.into.format(results)
        done = run.launcher.run([*run.enter, *run.command], env=env, timeout=run.timeout)
        silent = harness and timed and not done.status
        if harness and silent and not reported(harness, Path(results), done.stdout):
            raise CannotCount(NO_BENCHMARK)
        return done


def _alone(folder: Path, program: Path) -> bool:
    """Whether the program names none of the libraries that were built with it: those of macros run
    in the compiler of Rust."""
    parts = machine_code(folder, program)
    if not parts:
        return False
    text = (folder / program).read_bytes()
    stems = {Path(name).name.partition(".so")[0] for name in parts if name != str(program)}
    return not any(stem.encode() in text for stem in stems)


@contextmanager
def _trapped(
    program: Path, code: CodeComparison
) -> Iterator[tuple[Path, dict[int, tuple[str, ...]]]]:
    """A copy of the program, for a while, in which no changed function can run, and the places of
    its traps in the file, with the names of functions there. UserError where one lacks."""
    changed = {base_name(f.name): f.kind for f in code.reached}
    elf = open_elf(program)
    blob = bytearray(elf.blob)
    traps: dict[int, tuple[str, ...]] = {}
    for function in load(program).functions:
        names = tuple({base_name(name) for name in function.names} & changed.keys())
        for section in elf.sections:
            inside = section.address <= function.address < section.address + section.size
            if names and inside and section.executable:
                place = section.offset + function.address - section.address
                blob[place] = _TRAP
                traps[place] = names
    missing = {n for n, kind in changed.items() if kind == "changed"}.difference(*traps.values())
    if missing:
        raise UserError(f"has no function {min(missing)}", where=program)
    copy = program.with_name(f"{program.name}.trapped")
    try:
        copy.write_bytes(blob)
        shutil.copymode(program, copy)
        yield copy, traps
    finally:
        copy.unlink(missing_ok=True)
