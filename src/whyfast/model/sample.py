"""Raw measurements: blocks of values, and what went wrong while taking them; and what another tool
measured, the values of one file by the process that yielded them."""

from __future__ import annotations

import re
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


# What another tool measured: units beside times, and which of them are better when higher.

_RATE = re.compile(r"/(s|sec|second|min)$|^(rps|qps|fps|ips|bps|iops|ops)$|[-_ ]per[-_ ]sec(ond)?$")


def rate(unit: str) -> bool:
    """Whether a unit says how much is done in a time, so that higher is better: ``MB/s``,
    ``ops/sec``, ``qps``."""
    return _RATE.search(unit.lower()) is not None


#: Times are always kept in this unit; pyperf files may also hold ``byte`` and ``integer``.
SECOND = "second"

#: Where the session that stands for a recording in a result keeps the mean over processes of each
#: benchmark, in seconds.
MEAN_SECONDS = "mean_seconds"
#: And of each quantity beside speed, in its unit.
MEAN_AMOUNTS = "mean_amounts"

MetadataValue = str | float | tuple[str, ...]
"""One fact about a run: text, a number, or the several texts it had within one file."""


@dataclass(frozen=True)
class Series:
    """All values of one benchmark in one file, warm-ups left out.

    ``processes[i]`` are the values of process ``i`` in the order taken, in ``unit``, for one inner
    loop; no process is empty. ``process_known`` is False when the file does not say which process
    a value came from: then all values stand as one process. ``sampled`` is True when each value
    stands for a process, though one process yielded them all.

    ``higher``: more of the unit is better. ``exact``: every value should be the same.

    Where one file holds several subjects (commands, variants), ``subject`` is the one that ran, and
    ``task`` what it ran, which the subjects share.
    """

    benchmark: str
    unit: str
    processes: tuple[tuple[float, ...], ...]
    process_known: bool = True
    sampled: bool = False
    higher: bool = False
    exact: bool = False
    subject: str = ""
    task: str = ""


@dataclass(frozen=True)
class Recording:
    """One file, or folder, that a tool wrote.

    ``name`` tells it apart in reports, ``source`` is where it was read from, ``tool`` is the format
    it was in. ``metadata`` holds what the file says about the subject and the machine as a whole;
    ``started`` and ``ended`` are seconds since the epoch (as local time when the file names no time
    zone), None when the file has no dates. ``left_out`` says in words what was not read.
    """

    name: str
    source: str
    tool: str
    series: Mapping[str, Series]
    metadata: Mapping[str, MetadataValue] = field(default_factory=dict)
    started: float | None = None
    ended: float | None = None
    left_out: tuple[str, ...] = ()
