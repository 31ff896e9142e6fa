"""Raw measurements: blocks of values, and what went wrong while taking them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

#: Among what came with a value: the seconds that the run waited for a CPU that others had.
WAITED = "waited"


@dataclass(frozen=True)
class Block:
    """One round in which every variant of a benchmark has run, in fresh processes.

    ``values[variant][t]`` is the time of that variant's turn ``t`` in seconds for ``loops`` inner
    loops; all variants have the same number of turns. ``order[t]`` is the order in which the
    variants took turn ``t``, ``start_order`` the order in which the processes were started, both
    drawn from ``seed``. ``cpu`` is the CPU that all were pinned to, or None. ``started`` is seconds
    since the epoch, ``seconds`` the wall time that the block cost. ``warmups`` values were taken
    and thrown away before the first turn. ``layouts[variant]`` is the layout of the code that ran,
    0 (or absent) for the build as linked; ``profiles``: these are no layouts, but builds with
    another profile, which are numbered after them. ``extra[variant][name]`` are further quantities
    of the same turns; where :data:`WAITED` is among them it has been taken out of all values.
    ``threads[variant]`` is how many threads were seen at work at one time, 1 (or absent) where no
    more are known.
    """

    benchmark: str
    index: int
    seed: int
    session: str
    cpu: int | None
    loops: int
    warmups: int
    start_order: tuple[str, ...]
    order: tuple[tuple[str, ...], ...]
    values: Mapping[str, tuple[float, ...]]
    started: float
    seconds: float
    extra: Mapping[str, Mapping[str, tuple[float, ...]]] = field(default_factory=dict)
    layouts: Mapping[str, int] = field(default_factory=dict)
    threads: Mapping[str, int] = field(default_factory=dict)
    profiles: bool = False


@dataclass(frozen=True)
class Calibration:
    """How long a value and a block of one benchmark are, and what that rests on.

    ``loops`` of one value and ``turns`` of one block; ``value`` is the seconds of one value of the
    slowest variant, ``start`` the seconds that starting all processes takes. ``steps`` holds, for
    each number of loops tried, the seconds a loop took; empty when nothing was tried. ``cold`` is
    the share of a value that comes from starting cold, by variant; empty likewise.
    """

    benchmark: str
    loops: int
    turns: int
    value: float
    start: float
    steps: tuple[tuple[int, float], ...] = ()
    cold: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class RunFailure:
    """A benchmark process that crashed, hung, printed garbage or the wrong result. Nothing of the
    block it happened in is counted. ``output`` is the end of what it printed. ``lacks``: nothing is
    wrong, the variant has no such benchmark, and ``reason`` says why."""

    benchmark: str
    variant: str
    reason: str
    output: str
    command: tuple[str, ...]
    lacks: bool = False


@dataclass(frozen=True)
class Session:
    """One start of whyfast on one boot of one machine: the metadata of every block taken in it."""

    id: str
    started: float
    environment: Mapping[str, object]


# Reports of programs about themselves: code generated at run time, single runs, figures.

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
    ``what`` (``allocations a call``), or a ``text``; or ``why`` there is neither."""

    benchmark: str
    variant: str
    what: str
    number: float | None = None
    text: str = ""
    why: str = ""


@dataclass(frozen=True)
class Observed:
    """All of these; ``notes`` say what the programs did not yield."""

    images: tuple[JitImage, ...] = ()
    run_times: tuple[RunTimes, ...] = ()
    overheads: tuple[Overhead, ...] = ()
    notes: tuple[str, ...] = ()
    figures: tuple[Figure, ...] = ()
