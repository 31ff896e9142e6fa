"""The kinds of runners: how a benchmark yields values, and what follows from it.

How the processes of each are started is in :mod:`whyfast.measure.registry`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

RunnerName = Literal["turn", "command", "pyperf", "bpf", "go", "google-benchmark", "criterion"]


@dataclass(frozen=True)
class RunnerKind:
    """``takes_turns``: one process yields all values of a block, a turn each; it is bound to the
    CPU of its block, and may warm up. Else every value is a process of its own.

    ``says_ready``: it says so once it is set up, before its first turn, so that settings of the
    kernel can be held that long. ``checks``: its values may come with a result. ``countable``: its
    work is done in the process itself, where counters see it. ``boots``: it runs under other
    kernels, where there is the program alone.
    """

    name: RunnerName
    takes_turns: bool = True
    says_ready: bool = False
    checks: bool = False
    countable: bool = True
    boots: bool = False


RUNNER_KINDS: dict[RunnerName, RunnerKind] = {
    kind.name: kind
    for kind in (
        RunnerKind("turn", says_ready=True, checks=True, boots=True),
        RunnerKind("command", takes_turns=False),
        RunnerKind("pyperf"),
        # Its loops run inside of the kernel.
        RunnerKind("bpf", says_ready=True, checks=True, countable=False),
        # They run as many iterations as fit in a time.
        RunnerKind("go", takes_turns=False, countable=False),
        RunnerKind("google-benchmark", takes_turns=False, countable=False),
        RunnerKind("criterion", takes_turns=False, countable=False),
    )
}
