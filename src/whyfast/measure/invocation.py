"""The seam between the order of turns and the programs that take them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from whyfast.measure.process import Child
from whyfast.model.sample import RunFailure


@dataclass(frozen=True)
class Sample:
    """One value: ``seconds`` for the loops granted, and what came with it.

    ``check`` is the result that the program reported, to be compared between variants; ``extra``
    holds further quantities of the same turn (``user``, ``maxrss`` …), in SI units.
    """

    seconds: float
    check: str | None = None
    extra: Mapping[str, float] = field(default_factory=dict)


class Invocation(Protocol):
    """One process (or command) of one variant, alive during one block."""

    def turn(self, loops: int) -> Sample:
        """Run the workload ``loops`` times, alone, and say how long it took.

        Raises :class:`InvocationFailed`.
        """

    @property
    def threads(self) -> int:
        """How many threads were seen at work at one time so far; 1 where nothing is known."""

    def close(self) -> None:
        """End the process; never raises, may be called twice."""


class Runner(Protocol):
    """Starts invocations for one benchmark."""

    #: whether one value may hold several loops of the workload
    loops_vary: bool

    def enter(self, variant: str, *, cpu: int | None, pad: int, layout: int = 0) -> Invocation:
        """Start the variant's process, pinned to ``cpu`` (None: anywhere).

        ``pad`` bytes are added to its environment, which moves its stack; ``layout`` says which of
        its layouts runs, 0 for the build as linked. Raises
        :class:`InvocationFailed` when it does not come up.
        """


class InvocationFailed(Exception):
    """A process crashed, hung, or answered nonsense; nothing of its block may be counted.

    ``variant`` is set by whoever knows whose process it was. ``lacks``: nothing is wrong, the
    variant has no such benchmark and says why. ``status``: all that is wrong is how it ended.
    """

    variant: str | None = None

    def __init__(
        self,
        reason: str,
        *,
        output: str = "",
        command: tuple[str, ...] = (),
        lacks: bool = False,
        status: int | None = None,
    ) -> None:
        self.reason = reason
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
        raise InvocationFailed(
            f"could not be started: {error.strerror}", command=command
        ) from error
