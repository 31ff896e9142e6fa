"""The protocol between a fleet and its transport, its events, and which hosts fit."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from whyfast.fleet.messages import HostFacts


@dataclass(frozen=True)
class Joined:
    """A host has connected, or again, without a task."""

    host: str


@dataclass(frozen=True)
class Gone:
    """A host has disconnected or is silent for long; its task is lost. ``why``: the reason."""

    host: str
    why: str


@dataclass(frozen=True)
class Answered:
    """The answer of a host to its task, unchecked."""

    host: str
    answer: object


@dataclass(frozen=True)
class LeftUnanswered:
    """The task of a host ended without an answer. ``why``: the reason."""

    host: str
    why: str


Event = Joined | Gone | Answered | LeftUnanswered


class Cluster(Protocol):
    """Hosts by name, each with at most one task."""

    def next(self, timeout: float) -> Event | None:
        """The next event; None without one within ``timeout`` seconds."""

    def hand(self, host: str, task: bytes, data: bytes = b"") -> None:
        """Give a host a task; an event reports the answer, or that there is none."""


#: Architecture, processor and C library, equal for machines of one kind.
Kind = tuple[str, str, str]


def unfit(facts: HostFacts, here: HostFacts) -> str:
    """Why a host cannot run builds of this machine (``here``); empty when it probably can.

    Programs that were linked against a C library run with the same or a later one.
    """
    if facts.whyfast != here.whyfast:
        return f"whyfast {facts.whyfast}; expected {here.whyfast}, as here"
    if minor(facts.python) != minor(here.python):
        return f"Python {facts.python}; expected {minor(here.python)}, as here"
    if facts.architecture != here.architecture:
        return (
            f"architecture {facts.architecture}; expected {here.architecture}, as here; run "
            "whyfast on such a machine and merge the results with whyfast merge"
        )
    same = facts.libc.split(" ")[0] == here.libc.split(" ")[0]
    if not same or _version(facts.libc) < _version(here.libc):
        has, wanted = facts.libc or "unknown", here.libc or "the one here"
        return f"C library {has}; programs built here need {wanted} or later"
    return ""


def kind_of(facts: HostFacts) -> Kind:
    """Architecture, processor and C library."""
    return (facts.architecture, str(facts.environment.get("cpu_model", "")), facts.libc)


def most_common_kind(hosts: Mapping[str, HostFacts]) -> Kind:
    """The kind of most hosts; among equally frequent ones that of the first host by name."""
    kinds = Counter(kind_of(hosts[name]) for name in sorted(hosts))
    return kinds.most_common(1)[0][0]


def minor(python: str) -> str:
    """The first two numbers of a version of Python."""
    return ".".join(python.split(".")[:2])


def _version(libc: str) -> tuple[int, ...]:
    return tuple(int(n) for n in re.findall(r"\d+", libc))
