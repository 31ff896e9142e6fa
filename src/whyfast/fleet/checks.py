"""What must hold of a host before it is sent anything; each with its own message."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping

from whyfast.fleet.messages import HostFacts

#: Of what a fleet's machines of one kind are equal.
Kind = tuple[str, str, str]


def unfit(facts: HostFacts, own: HostFacts) -> str:
    """Why a host cannot run what was built here; empty when it can, as far as can be seen.

    Programs that were linked against a C library run with the same or a later one.
    """
    if facts.whyfast != own.whyfast:
        return f"it has whyfast {facts.whyfast} and {own.whyfast} is wanted, as here"
    if _minor(facts.python) != _minor(own.python):
        return f"it runs on Python {facts.python} and {_minor(own.python)} is wanted, as here"
    if facts.architecture != own.architecture:
        return (
            f"it is {facts.architecture} and the builds are for {own.architecture}; run whyfast on "
            "such a machine and whyfast merge the results"
        )
    if _name(facts.libc) != _name(own.libc) or _version(facts.libc) < _version(own.libc):
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


def _minor(python: str) -> str:
    return ".".join(python.split(".")[:2])


def _name(libc: str) -> str:
    return libc.split(" ")[0]


def _version(libc: str) -> tuple[int, ...]:
    return tuple(int(n) for n in re.findall(r"\d+", libc))
