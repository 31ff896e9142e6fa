"""Which one change, made to both sides, tells whether a suspected mechanism carries the difference.

A trial runs four commands in the same blocks: both sides plain, and both with the change. The share
of the difference that goes with it is measured like everything else.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from whyfast.model.sample import Block
from whyfast.model.why import Trial
from whyfast.why.split import change_of


@dataclass(frozen=True)
class Experiment:
    """A change: words in front of the command and variables. ``key`` is the cause that it speaks
    for if the difference goes; ``needs`` is a program that must be installed, ``preload`` C code of
    a library to be loaded first. ``when`` is what suggests it: ``threads``, ``floats``, ``memory``.
    """

    key: str
    what: str
    when: str
    words: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)
    needs: str = ""
    preload: str = ""


#: Flush-to-zero and denormals-are-zero for all threads, which inherit it from the first.
FLUSH_TO_ZERO = """\
__attribute__((constructor)) static void flush(void) {
    __builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() | 0x8040);
}
"""

EXPERIMENTS = (
    Experiment("threads", "all threads on one CPU", "threads", ("taskset", "-c", "{cpu}"), needs="taskset"),
    Experiment(
        "denormals", "subnormal numbers flushed to zero", "floats", needs="cc", preload=FLUSH_TO_ZERO
    ),
    Experiment(
        "page-faults",
        "memory kept between allocations",
        "memory",
        env={"GLIBC_TUNABLES": "glibc.malloc.mmap_threshold=1073741824:glibc.malloc.trim_threshold=4294967296"},
    ),
    Experiment(
        "start-up", "all symbols bound at the start", "binding", env={"LD_BIND_NOW": "1"}
    ),
)

#: Names of the commands of a trial: the sides, and the sides with the change.
CHANGED = {"fast": "fast, changed", "slow": "slow, changed"}


def judge_trial(experiment: Experiment, blocks: Sequence[Block], command: str = "") -> Trial | None:
    """The share of the difference (of logarithms of time) that goes with the change, by block; None
    of fewer than three blocks."""
    shares = []
    for block in blocks:
        times = {name: float(np.median(v)) for name, v in block.values.items()}
        if {"fast", "slow", *CHANGED.values()} <= times.keys():
            plain = math.log(times["slow"] / times["fast"])
            changed = math.log(times[CHANGED["slow"]] / times[CHANGED["fast"]])
            if plain:
                shares.append(1 - changed / plain)
    if len(shares) < 3:
        return None
    change = change_of([0.0] * len(shares), shares, paired=True)
    return Trial(experiment.what, change.slow, change.low, change.high, len(shares), command)
