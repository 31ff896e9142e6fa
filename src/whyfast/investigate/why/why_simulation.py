"""Both sides simulated: calls and instructions, and where those leave something, misses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from whyfast.explain.executed import LoadedFiles
from whyfast.formats.profiles import SimulatedProfile
from whyfast.investigate.why.why_inquiry import Inquiry
from whyfast.measure.count import count_calls
from whyfast.measure.perf import SampledRun
from whyfast.measure.simulate import Cache, Geometry, choose_valgrind, read_geometry
from whyfast.measure.tools import CannotCount
from whyfast.why.account import Gathered, make_account, view_of
from whyfast.why.causes import misses_alike
from whyfast.why.counts import (
    FAR,
    LAST_PAGES,
    PAGES,
    SECOND_LEVEL,
    SECOND_LEVEL_CYCLES,
    counts_by_function,
    objects_of,
)
from whyfast.why.functions import Names
from whyfast.why.groups import FunctionGroup, SideCode

#: Share of the difference from which a function is looked into.
MATTERS = 0.1

#: Bytes of a page.
PAGE = 4096

#: Shares of the difference from which on misses are asked for: of functions without a cause, and of
#: those whose cause has a rule that looks at misses, or comes after those of misses.
UNNAMED, OPEN = 0.2, 0.5
AFTER = ("vectorisation", "spills", "more-calls", "more-work")


def misses_may_tell(found: Gathered) -> bool:
    """Whether calls and instructions leave much open of what certainly takes longer: functions that
    have no cause, or take longer by more than their further instructions, of a cause that misses
    might replace."""
    keys = _keys(found)
    unnamed = open_ = 0.0
    for group in found.groups:
        share = group.time.difference / found.whole.difference
        if group.time.low <= 0:
            continue
        if group.name not in keys:
            unnamed += share
        elif keys[group.name] in AFTER and not view_of(group, found).further_work:
            open_ += share
    return unnamed > UNNAMED or open_ > OPEN


def _keys(found: Gathered) -> dict[str, str]:
    """The keys of the causes by the functions that they name."""
    return {name: cause.key for cause in make_account(found).causes for name in cause.items}


class SimulatedSides:
    """Fills in the counts of ``sides``, of which ``sampled`` runs are known already."""

    def __init__(
        self,
        inquiry: Inquiry,
        sides: Mapping[str, SideCode],
        sampled: Sequence[SampledRun],
        files: LoadedFiles,
    ) -> None:
        self._inquiry, self._sides, self._sampled, self._files = inquiry, sides, sampled, files
        #: Seconds that another simulation with caches may take; 0: there was none.
        self._again = 0.0

    def count(self, takes: float, *, caches: bool) -> Names | None:
        """Simulate both sides, in about ``takes`` seconds; the names that fit all objects, None
        where it failed, which is noted."""
        asked, sides = self._inquiry, self._sides
        what = "nothing was" if sides["fast"].counts is None else "caches and branches were not"
        takes *= asked.busy
        timeout = min(2 * takes + 15 * asked.busy, 2 * max(asked.left, 0.0))
        if takes > asked.left:
            asked.found.limits.append(f"{what} simulated: there was no time left for it")
            return None
        asked.observer.step(f"simulating both sides (about {takes:.0f} s)")
        geometry = read_geometry(asked.services.system) if caches else None
        profiles = self._simulated(geometry, timeout, what)
        if profiles is None:
            return None
        self._again = timeout if caches else 0.0
        asked.found.processes |= any(len(profile) > 1 for profile in profiles.values())
        objects = {side: objects_of(profiles[side]) for side in sides}
        for run in self._sampled:
            objects[run.side] |= {f.object for s in run.stacks for f in s[:1]}
        names = Names(objects, self._files)
        for side, code in sides.items():
            code.counts = counts_by_function(profiles[side], names)
        return names

    def _simulated(
        self, geometry: Geometry | None, timeout: float, what: str
    ) -> dict[str, list[SimulatedProfile]] | None:
        """The profiles of both sides; None where they fail, which is noted: ``what`` simulated."""
        asked, services = self._inquiry, self._inquiry.services
        try:
            valgrind = choose_valgrind(
                services.launcher,
                asked.arguments.env,
                asked.home,
                rooted=False,
                note=asked.observer.step,
                newer=services.valgrind,
            )
            runs = {side: asked.tool_run(side, timeout) for side in asked.commands}
            return count_calls(runs, geometry, valgrind)
        except CannotCount as error:
            asked.found.limits.append(f"{what} simulated: {error}")
            return None

    def count_finer(self, names: Names) -> None:
        """Counts misses of the second level, and those of them on other pages, where those of the
        first do not differ, but may carry what does: Callgrind knows two levels, of which the first
        is then the second, and the last has pages for lines."""
        found, system = self._inquiry.found, self._inquiry.services.system
        geometry, second = read_geometry(system), read_geometry(system, 2).last
        timeout = min(self._again, max(self._inquiry.left, 0.0))

        def unnamed(cycles: float) -> list[FunctionGroup]:
            least, keys = MATTERS * found.whole.difference, _keys(found)
            groups = [g for g in found.groups if g.time.difference > least and g.name not in keys]
            return [g for g in groups if misses_alike(view_of(g, found), cycles)]

        if timeout <= 0 or not unnamed(FAR):
            return
        self._inquiry.observer.step(f"simulating {SECOND_LEVEL}, and those on other pages")
        pages = Cache("pages", LAST_PAGES * PAGE, 16, PAGE)
        finer = replace(geometry, l1d=second or geometry.l1d, last=pages)
        if (profiles := self._simulated(finer, timeout, "further caches were not")) is None:
            return
        counts = [counts_by_function(profiles[side], names) for side in ("fast", "slow")]
        for quantity, cycles, event in (
            (SECOND_LEVEL, SECOND_LEVEL_CYCLES, "L1 data misses"),
            (PAGES, FAR, "last-level misses"),
        ):
            if quantity == SECOND_LEVEL and second in (None, geometry.last):
                continue  # which is known already
            for group in unnamed(cycles):
                keys = [m.key for m in group.members]
                fast, slow = (sum(c.of(key, event) for key in keys) for c in counts)
                group.counted[quantity] = fast, slow
