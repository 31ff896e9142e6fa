"""The seam between what a fleet is asked and what carries it there; tests have a stand-in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True)
class Joined:
    """A host is there, or there again, with nothing in hand."""

    host: str


@dataclass(frozen=True)
class Gone:
    """A host is gone or has not been heard of for long; what it had in hand is lost. ``why`` in
    words."""

    host: str
    why: str


@dataclass(frozen=True)
class Answered:
    """What a host answered to the task in hand, as it came."""

    host: str
    answer: object


@dataclass(frozen=True)
class LeftUnanswered:
    """The task in hand ended on its host without an answer; ``why`` in words."""

    host: str
    why: str


Event = Joined | Gone | Answered | LeftUnanswered


class Cluster(Protocol):
    """Hosts by name, each with at most one task in hand."""

    def next(self, timeout: float) -> Event | None:
        """What happened next; None when nothing has within ``timeout`` seconds."""

    def hand(self, host: str, task: bytes, data: bytes = b"") -> None:
        """Give a host a task; an event tells what came of it, :class:`Gone` among them."""
