"""What programs say about themselves beside their values: code made at run time, single runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

#: How one program goes on to the next: a jump to its very address; a jump through a register or
#: memory; the same by way of code that keeps the processor from predicting it (a retpoline); not
#: compiled, or not to be seen.
JumpForm = Literal["direct", "indirect", "thunk", "interpreted", "unknown"]


@dataclass(frozen=True)
class ImageProgram:
    """One program as compiled at run time. ``exits`` are the ways out of it that are no returns,
    in words; ``listing`` its instructions as text, where kept."""

    number: int
    address: int
    size: int
    instructions: int
    form: JumpForm
    exits: tuple[str, ...] = ()
    listing: tuple[str, ...] = ()


@dataclass(frozen=True)
class JitImage:
    """The programs of one variant and how they follow one another; ``reason`` says what ``form``
    rests on."""

    variant: str
    form: JumpForm
    reason: str
    programs: tuple[ImageProgram, ...]


@dataclass(frozen=True)
class RunTimes:
    """How long single runs took: ``counts[i]`` of them from ``starts[i]`` on, in seconds, to below
    ``starts[i] + widths[i]``; a width of 0 means without an upper bound."""

    benchmark: str
    variant: str
    starts: tuple[float, ...]
    widths: tuple[float, ...]
    counts: tuple[int, ...]


@dataclass(frozen=True)
class Overhead:
    """What a way of timing costs by itself: ``seconds`` for ``what``."""

    family: str
    what: str
    seconds: float


@dataclass(frozen=True)
class Figure:
    """What a loop of a benchmark does beside taking time, as the program says: a ``number`` of
    ``what`` (``allocations a call``), or a ``word``; or ``why`` it cannot say."""

    benchmark: str
    variant: str
    what: str
    number: float | None = None
    word: str = ""
    why: str = ""


@dataclass(frozen=True)
class Observed:
    """All of it; ``notes`` say what could not be had."""

    images: tuple[JitImage, ...] = ()
    run_times: tuple[RunTimes, ...] = ()
    overheads: tuple[Overhead, ...] = ()
    notes: tuple[str, ...] = ()
    figures: tuple[Figure, ...] = ()
