"""The seam between what a fleet is asked and what carries it there; tests have a stand-in."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from whyfast.fleet.messages import HostFacts


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


#: Of what a fleet's machines of one kind are equal.
Kind = tuple[str, str, str]


def unfit(facts: HostFacts, own: HostFacts) -> str:
    """Why a host cannot run what was built here; empty when it can, as far as can be seen.

    Programs that were linked against a C library run with the same or a later one.
    """
    if facts.whyfast != own.whyfast:
        return f"it has whyfast {facts.whyfast}; expected {own.whyfast}, as here"
    if minor(facts.python) != minor(own.python):
        return f"it runs on Python {facts.python}; expected {minor(own.python)}, as here"
    if facts.architecture != own.architecture:
        return (
            f"it is {facts.architecture} and the builds are for {own.architecture}; run whyfast on "
            "such a machine and whyfast merge the results"
        )
    same = facts.libc.split(" ")[0] == own.libc.split(" ")[0]
    if not same or _version(facts.libc) < _version(own.libc):
        has, wanted = facts.libc or "another C library", own.libc or "another"
        return f"it has {has} and programs built here need {wanted} or later"
    return ""


def kind_of(facts: HostFacts) -> Kind:
    """Architecture, processor and C library."""
    return (facts.architecture, str(facts.environment.get("cpu_model", "")), facts.libc)


def most_common_kind(hosts: Mapping[str, HostFacts]) -> Kind:
    """That of the most hosts; of equally many, that of the first by name."""
    kinds = Counter(kind_of(hosts[name]) for name in sorted(hosts))
    return kinds.most_common(1)[0][0]


def minor(python: str) -> str:
    """The first two numbers of a version of Python."""
    return ".".join(python.split(".")[:2])


def _version(libc: str) -> tuple[int, ...]:
    return tuple(int(n) for n in re.findall(r"\d+", libc))
