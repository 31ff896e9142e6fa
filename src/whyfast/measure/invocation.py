"""The seam between the order of turns and the programs that take them.

Each process starts with an environment and a path of random length. Both lie above the stack and
move it, which alone can change the speed of a program (Mytkowicz et al., ASPLOS 2009). The path is
an argument too, of which programs keep copies, so its length moves what lies on their heaps: a
placement that can be varied even in programs that cannot be linked again."""

from __future__ import annotations

import contextlib
import mmap
import os
import random
import secrets
import shutil
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from whyfast.measure.accounts import ThreadTally
from whyfast.measure.process import Child, TooMuchOutput, Usage, describe_status
from whyfast.model.sample import RunFailure


class Clock:
    """The operating system's clocks; scripted in tests."""

    def now(self) -> float:
        """Seconds since the epoch."""
        return time.time()

    def monotonic(self) -> float:
        """Seconds on a clock that never goes back."""
        return time.monotonic()


#: The environment variable whose length is drawn at random.
PAD_VARIABLE = "WHYFAST_PAD"

#: What makes a path longer and leaves it the path of the same file.
_DOT = "/."
#: The path gets an even number of bytes, from 0 to 62.
_STEP, _LENGTHS = 64, 32


@dataclass(frozen=True)
class LaunchArguments:
    """Of all processes of one benchmark.

    ``commands`` maps a variant to its argument vector, ``layouts`` to those of its layouts 1, 2 …,
    ``programs`` to the place in all of them of a path that may be written longer. ``timeout`` is
    seconds for one value, ``check`` the result that each must come with. ``packages`` is a folder
    of Python packages for interpreters that have none. ``prepare`` runs before each value of a
    command and is not measured. ``traced``: whole runs are for their peak memory, also where that
    is below whyfast's own, and not for their time. ``shared`` says with how many words of a command
    a program begins from which the variant is forked (:mod:`whyfast.measure.forks`); absent: it is
    started."""

    commands: Mapping[str, tuple[str, ...]]
    env: Mapping[str, str]
    timeout: float
    check: str | None = None
    layouts: Mapping[str, Sequence[tuple[str, ...]]] = field(default_factory=dict)
    programs: Mapping[str, int] = field(default_factory=dict)
    packages: Path | None = None
    stdin: str = os.devnull
    ignore_failure: bool = False
    prepare: tuple[str, ...] | None = None
    traced: bool = False
    shared: Mapping[str, int] = field(default_factory=dict)

    def process(
        self, variant: str, pad: int, layout: int
    ) -> tuple[dict[str, str], tuple[str, ...]]:
        """Environment and argument vector of a variant in a layout, ``pad`` bytes longer."""
        command = self.commands[variant] if layout == 0 else self.layouts[variant][layout - 1]
        return padded_process(self.env, command, self.programs.get(variant), pad)


def padded(env: Mapping[str, str], pad: int) -> dict[str, str]:
    """``env`` with a variable of ``pad`` bytes added."""
    return {**env, PAD_VARIABLE: "x" * pad}


def padded_process(
    env: Mapping[str, str], argv: Sequence[str], program: int | None, pad: int
) -> tuple[dict[str, str], tuple[str, ...]]:
    """Environment and argument vector that are together ``pad`` bytes longer. ``program`` is the
    place in ``argv`` of the path that may be written longer (``/a/././b`` is ``/a/b``); None, or a
    word that is no absolute path, leaves all to the environment. The share of the path follows from
    the high bits of ``pad``, so that it tells nothing of where in a cache line or on a vector
    boundary the stack begins."""
    words = list(argv)
    if program is not None and words[program].startswith("/"):
        dots = pad // _STEP % _LENGTHS
        folder, _, name = words[program].rpartition("/")
        words[program] = f"{folder}{_DOT * dots}/{name}"
        pad -= dots * len(_DOT)
    return padded(env, pad), tuple(words)


@dataclass(frozen=True)
class Sample:
    """One value: ``seconds`` for the loops granted, and what came with it. ``check`` is the result
    that the program reported, to be compared between variants; ``extra`` holds further quantities
    of the same turn (``user``, ``maxrss`` …), in SI units."""

    seconds: float
    check: str | None = None
    extra: Mapping[str, float] = field(default_factory=dict)


class Invocation(Protocol):
    """One process (or command) of one variant, alive during one block."""

    def turn(self, loops: int) -> Sample:
        """Run the workload ``loops`` times, alone, and say how long it took. Raises
        :class:`InvocationFailed`."""

    @property
    def threads(self) -> int:
        """How many threads were seen at work at one time so far; 1 where nothing is known."""

    @property
    def peak_memory(self) -> float | None:
        """The most bytes of memory that it has had until now; None where turns say it, or nothing
        does."""

    def close(self) -> None:
        """End the process; never raises, may be called twice."""


class Runner(Protocol):
    """Starts invocations for one benchmark."""

    #: whether one value may hold several loops of the workload
    loops_vary: bool

    def enter(self, variant: str, *, cpu: int | None, pad: int, layout: int = 0) -> Invocation:
        """Start the variant's process, pinned to ``cpu`` (None: anywhere). ``pad`` bytes are added
        to its environment, which moves its stack; ``layout`` says which of its layouts runs, 0 for
        the build as linked. Raises :class:`InvocationFailed` when it does not come up."""


class InvocationFailed(Exception):
    """A process crashed, hung, or answered nonsense; nothing of its block may be counted.
    ``variant`` is set by whoever knows whose process it was. ``lacks``: nothing is wrong, the
    variant has no such benchmark and says why. ``status``: all that is wrong is how it ended."""

    def __init__(
        self,
        reason: str,
        *,
        variant: str | None = None,
        output: str = "",
        command: tuple[str, ...] = (),
        lacks: bool = False,
        status: int | None = None,
    ) -> None:
        self.reason = reason
        self.variant = variant
        self.lacks = lacks
        self.output = output
        self.command = command
        self.status = status
        super().__init__(reason)

    def as_failure(self, benchmark: str, variant: str) -> RunFailure:
        """The record that is kept and reported."""
        return RunFailure(benchmark, variant, self.reason, self.output, self.command, self.lacks)


def started(command: tuple[str, ...], **how: Any) -> Child:
    """A process of an invocation; for ``how`` see :class:`Child`. Raises InvocationFailed."""
    try:
        return Child(command, **how)
    except OSError as error:
        reason = f"could not be started: {error.strerror}"
        raise InvocationFailed(reason, command=command) from error


@contextmanager
def running(command: tuple[str, ...], **how: Any) -> Iterator[Child]:
    """:func:`started`, and ended in every case. InvocationFailed also where it prints too much."""
    child = started(command, **how)
    try:
        yield child
    except TooMuchOutput as error:
        output = child.output_tail()
        raise InvocationFailed(str(error), output=output, command=command) from None
    finally:
        child.kill()


def completed(
    child: Child,
    command: tuple[str, ...],
    timeout: float,
    *,
    tally: ThreadTally | None = None,
    ignore_failure: bool = False,
    late: str = "",
) -> Usage:
    """Wait for the end of a process. InvocationFailed when it fails, or still runs after
    ``timeout`` seconds, which ``late`` says in words."""
    usage = child.wait(timeout, tally=tally)
    if usage is not None and (ignore_failure or not child.status):
        return usage
    late = late or f"still running after {timeout:g} s"
    reason = late if child.status is None else describe_status(child.status)
    output = child.output_tail()
    raise InvocationFailed(reason, output=output, command=command, status=child.status)


# A fresh copy of a program's file for each process, so that its physical pages are drawn anew. The
# pages of a program's file stay where they are for as long as the file is cached: for hours. What
# they collide with in a physically indexed cache is drawn once then, for all blocks of a run.

#: Pages that each page of a copy is drawn from. With 4, none of a copy of 1,668 pages was one of
#: the copy before; see :func:`scattered_copy`.
DRAWN_FROM = 4


def name_of_copy(program: Path) -> Path:
    """Where copies of that program stand: beside it, as it may look for its files there. All such
    names are equally longer; a file that begins with a dot is no part of a build."""
    return program.with_name(f".{program.name}.{secrets.token_hex(4)}")


def scattered_copy(original: Path, copy: Path, rng: random.Random) -> None:
    """Copy a file to pages of memory from all over. OSError. The kernel hands out the page that was
    freed last. So each page of the copy is written just after a random page of a large private
    mapping was given back. Whole, a file gets stretches of up to 64 kB or more, and a copy of a
    copy much the same ones again and again."""
    data, page = original.read_bytes(), mmap.PAGESIZE
    starts = range(0, len(data), page)
    count = len(starts) * DRAWN_FROM
    with contextlib.ExitStack() as stack:
        pages = stack.enter_context(mmap.mmap(-1, max(1, count) * page, flags=mmap.MAP_PRIVATE))
        with contextlib.suppress(OSError):  # a kernel without huge pages
            pages.madvise(mmap.MADV_NOHUGEPAGE)
        for i in range(count):
            pages[i * page] = 1  # takes it
        file = stack.enter_context(copy.open("wb", buffering=0))
        for start, given in zip(starts, rng.sample(range(count), len(starts)), strict=True):
            pages.madvise(mmap.MADV_DONTNEED, given * page, page)
            file.write(data[start : start + page])
    shutil.copystat(original, copy)


@dataclass
class CopyRunner:
    """A runner each of whose processes runs a fresh copy of its program. ``files`` maps a variant
    to the original and the place of the copy for each of its layouts, from layout 0 on; ``inner``
    starts what stands at the places of the copies."""

    inner: Runner
    files: Mapping[str, Sequence[tuple[Path, Path]]]

    def __post_init__(self) -> None:
        self.loops_vary = self.inner.loops_vary

    def enter(self, variant: str, *, cpu: int | None, pad: int, layout: int = 0) -> Invocation:
        """Make the copy and start one process of it."""
        original, copy = self.files[variant][layout]
        try:
            scattered_copy(original, copy, random.Random())  # no seed gives the same pages again
            inner = self.inner.enter(variant, cpu=cpu, pad=pad, layout=layout)
        except BaseException as error:  # also of an interrupt
            copy.unlink(missing_ok=True)
            if isinstance(error, OSError):
                reason = f"its program could not be copied: {error.strerror}"
                raise InvocationFailed(reason) from error
            raise
        return _Copied(inner, copy)


@dataclass
class _Copied:
    """An invocation that takes its program with it when it ends."""

    inner: Invocation
    copy: Path

    def turn(self, loops: int) -> Sample:
        return self.inner.turn(loops)

    @property
    def threads(self) -> int:
        return self.inner.threads

    @property
    def peak_memory(self) -> float | None:
        return self.inner.peak_memory

    def close(self) -> None:
        try:
            self.inner.close()
        finally:
            with contextlib.suppress(OSError):
                os.unlink(self.copy)
