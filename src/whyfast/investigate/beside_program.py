"""What differs beside a program of machine code: files that it could read when it runs, such as
an interpreter's library in its own language, and sources of which it holds nothing."""

from __future__ import annotations

import ctypes
import os
import struct
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path

from whyfast.build.recipe import differing_files
from whyfast.explain.python_changes import of_the_package, with_functions
from whyfast.explain.same_builds import differ_to_read, not_linked, of_tests, unused_code
from whyfast.investigate.context import RunContext
from whyfast.investigate.counting import BuildCounter, scratch_folder
from whyfast.measure.harnesses import ONCE
from whyfast.measure.registry import MAKERS
from whyfast.measure.tools import CannotCount
from whyfast.model.code import Check, CodeComparison
from whyfast.model.study import Study
from whyfast.model.variant import Benchmark
from whyfast.study.project import some_names

#: Seconds that all benchmarks together may take at least, to be run once each.
_RUNS = 10.0


def with_files_opened(
    context: RunContext[Study], code: CodeComparison, timeout: float
) -> tuple[CodeComparison, tuple[str, ...]]:
    """The comparison of two programs with the files that differ beside them and that a benchmark
    opens in one run: changed functions of Python where nothing else differs, else reasons; and the
    names of those that none opens. ``timeout`` is of all runs, in seconds, or a little more."""
    builds = context.usable
    parts = len(Path(context.question.build.program).parts)
    folders = [b.program.parents[parts - 1] for b in builds]
    timeout = max(timeout, _RUNS)
    names = differ_to_read((folders[0], folders[1]), differing_files(builds[0], builds[1]))
    if not names:
        return code, ()
    opened: dict[str, list[str]] = {}
    reasons = list(code.reasons)
    watch = [_with_compiled(folder, names) for folder in folders]
    with scratch_folder(context.home) as scratch:
        counter = BuildCounter(context, scratch, timeout)
        clock = context.services.clock
        end = clock.monotonic() + timeout
        for benchmark in context.question.benchmarks:
            context.observer.step(f"which files that differ {benchmark.name} opens")
            counter.timeout = max(0.1, end - clock.monotonic())
            try:
                for name in _opened(counter, benchmark, watch):
                    opened.setdefault(name, []).append(benchmark.name)
            except (OSError, CannotCount) as error:  # a timeout is one; it may not take turns
                shown = some_names([_shown(n) for n in names], 3)
                reasons.append(f"{shown} may be read by {benchmark.name}: {error}")
                break
    left = tuple(_shown(n) for n in names if n not in opened and (folders[0] / n).exists())
    if not opened and len(reasons) == len(code.reasons):
        return code, left
    in_python = code.same and not reasons and all(n.endswith(".py") for n in opened)
    for name, by in opened.items():
        who = "" if in_python else f", which {some_names(by, 3)} opens"
        reasons.append(f"the file {_shown(name)} differs{who}")
    changed = replace(code, identical=False, same=False, traced=False, reasons=tuple(reasons))
    return (with_functions(changed, folders[0], folders[1]) if in_python else changed), left


def _shown(name: str) -> str:
    return name.removeprefix("src/")  # where the source is copied to


def _with_compiled(folder: Path, names: Sequence[str]) -> dict[Path, str]:
    """The files that are there, and what Python keeps of them and reads in their place."""
    found = {}
    for name in names:
        file = folder / name
        compiled = file.parent.glob(f"__pycache__/{file.stem}.*") if file.suffix == ".py" else ()
        found.update({path: name for path in (file, *compiled) if path.is_file()})
    return found


def _opened(
    counter: BuildCounter, benchmark: Benchmark, watch: Sequence[dict[Path, str]]
) -> set[str]:
    """What one run of each build opens. OSError where that cannot be seen to its end."""
    found = set[str]()
    to_see = MAKERS[benchmark.runner].to_see
    for task, files in zip(counter.tasks(benchmark), watch, strict=True):
        run = task.granted(1, 1) if task.turns else task.run
        if to_see:
            run = replace(run, command=to_see(run.command)[ONCE])
        with watched(files) as opened:
            done = run.launcher.run(
                [*run.enter, *run.command], env=run.env, timeout=counter.timeout
            )
            found |= opened()
        if done.status:
            raise OSError(f"it ends with exit code {done.status}")
    return found


def with_unused(check: Check, context: RunContext[Study], unopened: Sequence[str]) -> Check:
    """With the sources that differ, but of which the program that is timed holds and, as those
    ``unopened``, reads nothing, or nothing else than before."""
    program = Path(context.question.build.program)
    inner = context.question.source.inner
    sources = [r.source for r in context.recipes]
    base, head = (source.files for source in sources)
    folders = [b.program.parents[len(program.parts) - 1] for b in context.usable]
    differ = sorted(n for n in {*base, *head} if base.get(n) != head.get(n))
    found = not_linked([(folder, program) for folder in folders], {*base, *head}, differ)
    found += tuple(n for n in unopened if n in {*base, *head} and not of_tests(n))
    if found:
        return replace(check, not_linked=tuple(str(Path(inner, name)) for name in found))
    unused = unused_code(sources[0].folder, sources[1].folder, differ)
    what = "in more than comments: what the program holds of it is the same"
    if context.question.in_python:
        unused = tuple(of_the_package(differ))
        what = "in comments, docstrings, names of variables or values that nothing reads"
    if not unused:
        return check
    names = some_names([str(Path(inner, name)) for name in unused], 3)
    verb = "differs" if len(unused) == 1 else "differ"
    note = f"{names} {verb} {what}."
    return replace(check, notes=(*check.notes, note))


# Which of some files are opened meanwhile, by anybody: the kernel notes it (``inotify``), whatever
# program it is, and whether or not the file system keeps dates of reading.

#: From ``<sys/inotify.h>``: the file was opened, as it also is when it is executed; and the flags
#: of a queue that does not wait and that no program inherits. A queue may overflow.
_OPEN, _NO_WAIT, _OVERFLOW = 0x20, os.O_NONBLOCK | os.O_CLOEXEC, 0x4000
#: What stands before the name in each event: watch, mask, cookie, length of the name.
_EVENT = struct.Struct("iIII")


@contextmanager
def watched(files: Mapping[Path, str]) -> Iterator[Callable[[], set[str]]]:
    """The names of those of the ``files`` that were opened since the last call, links followed.
    OSError where they cannot be watched, or where more was opened than the kernel keeps."""
    library = ctypes.CDLL(None, use_errno=True)
    queue = _checked(library.inotify_init1(_NO_WAIT))
    try:
        names = {}
        for file, name in files.items():
            names[_checked(library.inotify_add_watch(queue, os.fsencode(file), _OPEN))] = name

        def opened() -> set[str]:
            found = set[str]()
            with suppress(BlockingIOError):
                while data := os.read(queue, 1 << 16):
                    while data:
                        watch, mask, _, length = _EVENT.unpack_from(data)
                        data = data[_EVENT.size + length :]
                        if mask & _OVERFLOW:
                            raise OSError("too many files were opened to be told")
                        if watch in names and mask & _OPEN:
                            found.add(names[watch])
            return found

        yield opened
    finally:
        os.close(queue)


def _checked(result: int) -> int:
    if result < 0:
        raise OSError(ctypes.get_errno(), "inotify")
    return result
