"""Which one change, made to both sides, tells whether a suspected mechanism carries the difference.

A trial runs four commands in the same blocks: both sides plain, and both with the change. The share
of the difference that goes with it is measured like everything else.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from whyfast.model.sample import Block
from whyfast.model.why import Cause, Intervention, SourcePlace
from whyfast.why.groups import FunctionGroup
from whyfast.why.split import change_of


@dataclass(frozen=True)
class Experiment:
    """A change: words in front of the command and variables. ``key`` is the cause that it speaks
    for if the difference goes; ``needs`` is a program that must be installed, ``preload`` C code of
    a library to be loaded first, ``libraries`` names of installed ones of which the first that is
    there is loaded first. ``when`` is what suggests it: ``threads`` or ``floats``, or ``cause``: a
    cause of this key, which then is known, and the trial tells only how much the change mends.
    """

    key: str
    what: str
    when: str
    words: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)
    needs: str = ""
    preload: str = ""
    libraries: tuple[str, ...] = ()

    @property
    def mends(self) -> bool:
        """Whether it mends a cause that is known, instead of speaking for one."""
        return self.when == "cause"


#: Flush-to-zero and denormals-are-zero for all threads, which inherit it from the first.
FLUSH_TO_ZERO = """\
__attribute__((constructor)) static void flush(void) {
    __builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() | 0x8040);
}
"""

EXPERIMENTS = (
    Experiment(
        "threads", "all threads on one CPU", "threads", ("taskset", "-c", "{cpu}"), needs="taskset"
    ),
    Experiment(
        "denormals",
        "subnormal numbers flushed to zero",
        "floats",
        needs="cc",
        preload=FLUSH_TO_ZERO,
    ),
    Experiment(
        "allocation",
        "another allocator",
        "cause",
        libraries=("libmimalloc.so.2", "libjemalloc.so.2", "libtcmalloc_minimal.so.4"),
    ),
    Experiment(  # which glibc returns to the kernel from 128 kB on
        "page-faults",
        "freed memory kept (glibc.malloc)",
        "cause",
        env={"GLIBC_TUNABLES": "glibc.malloc.mmap_max=0:glibc.malloc.trim_threshold=1099511627776"},
    ),
    Experiment(  # from glibc 2.35 on, where the kernel gives huge pages to those that ask for them
        "page-faults",
        "huge pages (glibc.malloc.hugetlb=1)",
        "cause",
        env={"GLIBC_TUNABLES": "glibc.malloc.hugetlb=1"},
    ),
    Experiment(
        "start-up", "symbols bound at the start (LD_BIND_NOW=1)", "cause", env={"LD_BIND_NOW": "1"}
    ),
)

#: Share of the difference that a cause carries from which on it is worth trying to mend.
MENDED = 0.3

#: Share that a trial must take away at the least, its interval's lower end, to name a cause.
GONE = 0.3

#: Names of the commands of a trial: the sides, and the sides with the change.
CHANGED = {"fast": "fast, changed", "slow": "slow, changed"}


def judge_trial(
    what: str, blocks: Sequence[Block], command: str = "", *, swapped: bool = False
) -> Intervention | None:
    """The share of the difference in seconds that goes with a change; what both changed sides
    take longer cancels. ``swapped``: each changed side has what the other side had, so that the
    difference of what carries it turns round. None of fewer than three blocks."""
    shares = []
    for block in blocks:
        times = {name: float(np.median(v)) for name, v in block.values.items()}
        if {"fast", "slow", *CHANGED.values()} <= times.keys():
            plain = times["slow"] - times["fast"]
            changed = times[CHANGED["slow"]] - times[CHANGED["fast"]]
            if plain > 0:
                shares.append((1 - changed / plain) / (2 if swapped else 1))
    if len(shares) < 3:
        return None
    change = change_of([0.0] * len(shares), shares, paired=True)
    return Intervention(what, change.slow, change.low, change.high, len(shares), command)


def suggested(
    groups: Sequence[FunctionGroup], threads: int, left: float, causes: Sequence[Cause] = ()
) -> list[Experiment]:
    """What is worth trying: ``left`` is the share that ``causes`` do not explain so far."""
    wanted, known = set(), {c.key for c in causes if c.share >= MENDED}
    if threads > 1:
        wanted.add("threads")
    if left > LEFT and any(_floats(g) for g in groups):
        wanted.add("floats")
    return [e for e in EXPERIMENTS if e.when in wanted or (e.mends and e.key in known)]


def waits_first(groups: Sequence[FunctionGroup]) -> bool:
    """Whether what takes longest beyond the fast side is waiting for other threads: a runtime's own
    threads tell nothing else."""
    return next((g.kind for g in groups if g.time.difference > 0), "") in ("locks", "threads")


#: Share of the difference from which on what is left is worth a trial; of instructions that must be
#: arithmetic on floats for that of subnormal numbers.
LEFT, FLOATS = 0.2, 0.1


#: Times as many atomic instructions from which on they are themselves the difference.
MORE_ATOMICS = 1.5


def _floats(group: FunctionGroup) -> bool:
    slow = group.executed.get("slow")
    if slow is None or not slow.total or group.time.difference <= 0:
        return False
    vector = sum(w for kind, w in slow.kinds.items() if kind.startswith("vector "))
    vector -= slow.kinds["wide move"]
    return (vector + slow.kinds["x87"]) / slow.total >= FLOATS


def with_trial(
    causes: Sequence[Cause], tried: Sequence[tuple[Experiment, Intervention]]
) -> list[Cause]:
    """The causes, each with what mends it for certain."""
    shown = {e.key: t for e, t in tried if t.low >= GONE}
    return [replace(c, trial=shown[c.key]) if c.key in shown else c for c in causes]


def _locks(group: FunctionGroup) -> bool:
    """Whether a function takes locks of its own, by exchanges, or executes atomic instructions that
    the other side does not: additions that both have wait for a cache line only."""
    fast, slow = (group.executed[side].kinds for side in ("fast", "slow"))
    return slow["exchange"] > 0 or slow["atomic"] > MORE_ATOMICS * fast["atomic"]


def cause_of_trial(
    experiment: Experiment, trial: Intervention, groups: Sequence[FunctionGroup]
) -> Cause | None:
    """The cause that a trial shows, with the functions that it labels; None where the difference
    stays."""
    if trial.low < GONE:
        return None
    most = [g for g in groups if g.time.difference > 0][:3]
    key, why = experiment.key, ""
    if key == "threads":
        locked = any(g.kind == "locks" or g.name in ("_init", "?") or _locks(g) for g in most)
        key = "locks" if locked else "false-sharing"
        why = "threads wait for one lock" if locked else "threads write to one cache line"
    elif key == "denormals":
        why = "it computes with subnormal numbers"
    text = f"{why}, in `{most[0].name}`" if most else why
    return Cause(
        key,
        text,
        trial.share,
        trial.low,
        trial.high,
        tuple(g.name for g in most),
        "measured",
        SourcePlace(most[0].main.key.name) if most else SourcePlace(),
        trial=trial,
    )
