"""A difference that is looked into: both commands, what was found so far, and how long it may
take."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

from whyfast.investigate.services import Observer, Services
from whyfast.measure.doctor import load_of
from whyfast.measure.invocation import LaunchArguments
from whyfast.measure.tools import LimitedLauncher, ToolRun, with_input
from whyfast.store.home import Home
from whyfast.why.account import Gathered

#: How many times as long everything may take at the most on a busy machine.
BUSIEST = 4.0

#: How many times the limit a simulation may take: its time is estimated from above at first, and
#: then by that without caches and branches.
PATIENT = 3.0

#: Seconds that all of an account may take at least, and runs of both sides, about, beside those
#: that are simulated.
LONGEST, RUNS = 150.0, 12


@dataclass(frozen=True)
class AccountLimits:
    """``seconds`` for one simulated run of both sides together; 0: nothing is simulated. ``total``
    for all that is looked at on an idle machine, after which no further step begins; a step that
    has begun may take as long again. No tool runs for longer than ``most`` says, on any machine."""

    seconds: float = 30.0
    total: float = math.inf

    def most(self, both: float) -> float:
        """Seconds after which every tool is stopped, of programs that take ``both`` seconds."""
        return max(LONGEST, PATIENT * self.seconds + RUNS * both)


@dataclass
class Inquiry:
    """What every layer works on. ``commands`` are those of the sides ``fast`` and ``slow``;
    ``busy`` is how many times as long things take on this machine; ``programs`` are those that one
    run executes, each of which a simulator loads anew."""

    found: Gathered
    arguments: LaunchArguments
    limits: AccountLimits
    home: Home
    observer: Observer
    services: Services
    programs: int = 1

    def __post_init__(self) -> None:
        given, found, services = self.arguments.commands, self.found, self.services
        self.commands = {"fast": given[found.fast], "slow": given[found.slow]}
        load = load_of(services.system) / max(1, len(services.cpus))
        self.busy = min(BUSIEST, max(1.0, load))
        clock, most = services.clock, self.limits.most(self.both)
        began, total = clock.monotonic(), self.limits.total * self.busy
        self._ends = began + min(total, most)
        launcher = LimitedLauncher(services.launcher, clock, began + min(2 * total, most))
        self.services = replace(services, launcher=launcher)

    @property
    def left(self) -> float:
        """Seconds until no further step begins."""
        return self._ends - self.services.clock.monotonic()

    @property
    def both(self) -> float:
        """Seconds of one run of each side."""
        return self.found.whole.fast + self.found.whole.slow

    @contextmanager
    def timed(self, step: str) -> Iterator[None]:
        """Add the time that the context takes to what the account cost."""
        began = self.services.clock.monotonic()
        try:
            yield
        finally:
            took = self.services.clock.monotonic() - began
            self.found.costs[step] = self.found.costs.get(step, 0.0) + took

    def tool_run(self, side: str, timeout: float) -> ToolRun:
        """One run of a side to be counted."""
        run = ToolRun(self.commands[side], self.services.launcher, self.arguments.env, timeout)
        return with_input(run, self.arguments.stdin)
