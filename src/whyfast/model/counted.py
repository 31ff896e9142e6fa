"""What every build did for the same work: counters and hot functions of one benchmark."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from whyfast.model.counters import SOURCES, Counts, Source
from whyfast.model.hot import HotFunction, Overlap


@dataclass(frozen=True)
class Counted:
    """One benchmark, counted in every build apart from the timed runs.

    ``work`` says what was counted, the same for all; ``loops`` how many loops that was by each
    source, nothing where it was run whole. ``counts`` has one entry a build, without its profile.
    ``hot`` compares the functions of the builds named in ``profiled``, in that order;
    their profiles are of ``event`` (instructions or samples), of that ``source`` and made by
    ``tool``. ``overlaps`` say how these functions share the instruction cache.
    """

    benchmark: str
    work: str
    counts: tuple[Counts, ...]
    profiled: tuple[str, ...] = ()
    event: str = ""
    source: Source = "simulated"
    tool: str = ""
    hot: tuple[HotFunction, ...] = ()
    overlaps: tuple[Overlap, ...] = ()
    loops: Mapping[Source, int] = field(default_factory=dict)

    def instructions_a_loop(self, variant: str) -> tuple[float, Source] | None:
        """What that build executes in a loop, measured where the processor counts; None where it
        was run whole, or not counted."""
        found = next((c for c in self.counts if c.variant == variant), None)
        for source in SOURCES:
            loops = self.loops.get(source)
            for counter in found.counters if found and loops else ():
                same = counter.name == "instructions" and counter.source == source
                if same and counter.value is not None and loops:
                    return counter.value / loops, source
        return None


@dataclass(frozen=True)
class ChangedFunctions:
    """What a range of commits has to do with the hot functions of a build.

    ``statement`` is the fact in words. ``hot`` are the hot functions that it touches, ``functions``
    all that it touches (``name (file)``); ``outside``, ``not_compiled`` and ``other`` as in
    :class:`whyfast.explain.changed_functions.TouchedFunctions`. ``variant`` is the build whose
    debug information tells.
    """

    base: str
    head: str
    variant: str
    statement: str
    hot: tuple[str, ...]
    functions: tuple[str, ...]
    outside: tuple[str, ...] = ()
    not_compiled: tuple[str, ...] = ()
    other: tuple[str, ...] = ()
