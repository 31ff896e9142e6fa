"""A fresh copy of a program's file for each process, so that its physical pages are drawn anew.

The pages of a program's file stay where they are for as long as the file is cached: for hours. What
they collide with in a physically indexed cache is drawn once then, for all blocks of a run.
"""

from __future__ import annotations

import contextlib
import mmap
import os
import random
import secrets
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from whyfast.measure.invocation import Invocation, InvocationFailed, Runner, Sample

#: Pages that each page of a copy is drawn from. With 4, none of a copy of 1,668 pages was one of
#: the copy before; see :func:`scattered_copy`.
DRAWN_FROM = 4


def name_of_copy(program: Path) -> Path:
    """Where copies of that program stand: beside it, as it may look for its files there. All such
    names are equally longer; a file that begins with a dot is no part of a build."""
    return program.with_name(f".{program.name}.{secrets.token_hex(4)}")


def scattered_copy(original: Path, copy: Path, rng: random.Random) -> None:
    """Copy a file to pages of memory from all over. OSError.

    The kernel hands out the page that was freed last. So each page of the copy is written just
    after a random page of a large private mapping was given back. Whole, a file gets stretches of
    up to 64 kB or more, and a copy of a copy much the same ones again and again.
    """
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
    """A runner each of whose processes runs a fresh copy of its program.

    ``files`` maps a variant to the original and the place of the copy for each of its layouts, from
    layout 0 on; ``inner`` starts what stands at the places of the copies.
    """

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
