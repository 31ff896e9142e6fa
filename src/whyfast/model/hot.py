"""The functions that a program spends its instructions or time in, and where they lie."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class CodePlace:
    """Where the pieces of one function lie in one build. ``address`` and ``size`` in bytes, of the
    largest piece and of all together; ``section`` is the largest piece's.

    ``lines``, ``pages`` and ``sets`` are how many cache lines, 4-KiB pages and sets of the L1
    instruction cache the code spans. ``crowded`` is how many of its sets cannot hold the lines of
    all hot functions that fall on them.
    """

    address: int
    size: int
    section: str
    lines: int
    pages: int
    sets: int
    crowded: int


@dataclass(frozen=True)
class HotFunction:
    """One function of the source in every build, in their order; None where a build lacks it.

    ``costs`` are in the main event of the profile (instructions or samples), without callees;
    ``shares`` are of the build's whole run, from 0 to 1. ``object`` is a library, empty for the
    program itself. ``misses`` are the branches mispredicted in it; empty where they are not known.
    """

    name: str
    object: str
    costs: tuple[float | None, ...]
    shares: tuple[float | None, ...]
    places: tuple[CodePlace | None, ...]
    misses: tuple[float | None, ...] = ()


@dataclass(frozen=True)
class Overlap:
    """How the hot functions of one build share the L1 instruction cache.

    ``lines`` and ``pages`` are what they span together, ``capacity`` the lines that the cache
    holds. ``fullest`` is the largest number of their lines that fall on one set of ``ways``, and
    ``crowded`` the number of ``sets`` with more lines than ways.
    """

    variant: str
    functions: int
    lines: int
    pages: int
    capacity: int
    ways: int
    sets: int
    fullest: int
    crowded: int


@dataclass(frozen=True)
class Heat:
    """What a profile that was recorded elsewhere says of functions, by their names in the source.

    ``shares`` of the whole run, from 0 to 1, without callees; ``source`` is the profile's name, and
    ``hot`` the share from which on a function counts as hot.
    """

    source: str
    shares: Mapping[str, float]
    hot: float

    def of(self, name: str) -> float:
        """The share of a function, 0 where the profile has none of it."""
        return self.shares.get(name, 0.0)

    def is_hot(self, name: str) -> bool:
        """Whether it is worth looking at."""
        return self.of(name) >= self.hot
