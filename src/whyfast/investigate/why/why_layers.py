"""The layers of an account, the cheapest first: each fills in what it can see of both sides."""

from __future__ import annotations

import contextlib
import math
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from whyfast.explain.executed import LoadedFiles
from whyfast.formats.profiles import SimulatedProfile
from whyfast.investigate.services import Observer, Services
from whyfast.measure.count import INTERPRETED, LOADING, PLAIN_SLOWDOWN, SLOWDOWN, count_calls
from whyfast.measure.doctor.system import load_of
from whyfast.measure.invocation import LaunchArguments
from whyfast.measure.perf import SampledRun, sample_in_turns
from whyfast.measure.runtimes import RuntimeRuns
from whyfast.measure.simulate import Cache, Geometry, choose_valgrind, read_geometry
from whyfast.measure.tools import (
    CannotCount,
    ToolRun,
    TracedRun,
    callers_of,
    moved_bytes,
    trace_calls,
    with_input,
)
from whyfast.model.result import Result
from whyfast.model.why import Change, Item, Part
from whyfast.store.home import Home
from whyfast.why.account import Gathered, make_account, view_of
from whyfast.why.causes import label, misses_alike
from whyfast.why.counts import (
    FAR,
    LAST_PAGES,
    PAGES,
    SECOND_LEVEL,
    SECOND_LEVEL_CYCLES,
    counts_by_function,
    modelled_times,
    objects_of,
)
from whyfast.why.functions import (
    FunctionTime,
    Names,
    call_tree,
    callers,
    function_times,
)
from whyfast.why.groups import SideCode, group_functions
from whyfast.why.hot_code import counted_code, place_of
from whyfast.why.kernel import (
    kernel_items,
    moves_alike,
    purpose,
    supported,
    waiting_items,
    waits_more,
    with_bytes,
    with_callers,
    within_program,
)
from whyfast.why.runtimes.go import Go
from whyfast.why.runtimes.java import Java
from whyfast.why.runtimes.node import NodeJs
from whyfast.why.runtimes.protocol import (
    Findings,
    Runtime,
    RuntimeProgram,
    Sides,
    program_of,
    runtime_of,
    take_over,
)
from whyfast.why.runtimes.python import CPython
from whyfast.why.split import certainly_more, cpu_time, crew

#: Share of the difference from which a part of the time is looked into.
MATTERS = 0.1

#: Where waiting differs, but nothing that it could be for, and CPU time is at least this share of
#: the difference, or :data:`MATTERS` of it on a busy machine.
IDLE_CPU = 0.25
IDLE = "it waited longer for no more than the other side waits for: all shares are of CPU time"

#: Runnable threads a CPU from which on what waits may only wait until another one gets a CPU.
CROWDED = 1.5
QUEUED = "it waited for a CPU behind other programs: all shares are of CPU time"

#: Share of the difference that a runtime's tools must explain for nothing to be simulated.
ENOUGH = 0.8

#: How many times as long as it may take at first a simulation may take that is still needed: its
#: time is estimated from above at first, and then by that without caches and branches.
PATIENT, SLOWDOWNS = 3.0, (SLOWDOWN, PLAIN_SLOWDOWN)

#: Asked in this order which of them runs the programs.
RUNTIMES: tuple[Runtime, ...] = (CPython(), NodeJs(), Java(), Go())

#: Bytes of a page.
PAGE = 4096

#: Runs of each side under the sampler, at least and at most, and seconds that they may take.
ROUNDS, SAMPLING_SECONDS = (3, 12), 6.0

#: How many times as long everything may take at the most on a busy machine.
BUSIEST = 4.0


@dataclass(frozen=True)
class AccountLimits:
    """``seconds`` for one simulated run of both sides together; 0: nothing is simulated. ``total``
    for all that is looked at on an idle machine, after which no further step begins; a step that
    has begun may take as long again."""

    seconds: float = 30.0
    total: float = math.inf


def account_for_cpu(found: Gathered, cpu: Change, why: str) -> None:
    """From here on the account is of the difference in CPU time."""
    ratios = (cpu.fast + x for x in (cpu.difference, cpu.low, cpu.high))
    found.ratio, found.low, found.high = (x / cpu.fast for x in ratios)
    found.whole, found.of_cpu = cpu, True
    found.limits.append(why)


class Layers:
    """Fills what was gathered, layer by layer."""

    def __init__(
        self,
        found: Gathered,
        arguments: LaunchArguments,
        limits: AccountLimits,
        home: Home,
        observer: Observer,
        services: Services,
    ) -> None:
        self._found, self._arguments, self._limits = found, arguments, limits
        self._home, self._observer, self._services = home, observer, services
        self._commands = {
            "fast": arguments.commands[found.fast],
            "slow": arguments.commands[found.slow],
        }
        self.files = LoadedFiles()
        self._seed = int(services.new_id()[:12], 16)
        load = load_of(services.system) / max(1, len(services.cpus))
        #: Seconds that another simulation with caches may take; 0: there was none.
        self._simulation = 0.0
        self._compiles = False
        #: Programs that one run executes, each of which a simulator loads anew.
        self._programs = 1
        self._busy = min(BUSIEST, max(1.0, load))
        self._sides: dict[str, SideCode] = {}
        #: What was sampled, in one run with stacks, and the functions' times in it.
        self._runs: list[SampledRun] = []
        self._unwound: list[SampledRun] = []
        self._times: list[FunctionTime] = []
        self._ends = services.clock.monotonic() + limits.total * self._busy

    @property
    def left(self) -> float:
        """Seconds until no further step begins."""
        return self._ends - self._services.clock.monotonic()

    def run(self, result: Result) -> None:
        found = self._found
        self._observer.phase("account")
        found.threads = max(
            (n for b in result.recorded.blocks for n in b.threads.values()), default=1
        )
        found.crews = (
            crew(result.recorded.blocks, found.fast),
            crew(result.recorded.blocks, found.slow),
        )
        if self._matters("kernel") or self._matters("waiting"):
            self._timed("system calls", lambda: self._kernel(result))
        if self._matters("user"):
            self._timed("functions", self._functions)

    def _matters(self, part: Part) -> bool:
        change = self._found.split[part]
        if part == "waiting" and self._found.of_cpu:
            return False
        certain = change.low > 0 or not math.isfinite(change.low)
        return certain and change.difference > MATTERS * self._found.whole.difference

    def _timed(self, name: str, layer: Callable[[], None]) -> None:
        clock = self._services.clock
        began = clock.monotonic()
        layer()
        self._found.costs[name] = clock.monotonic() - began

    def _tool_run(self, side: str, timeout: float) -> ToolRun:
        run = ToolRun(self._commands[side], self._services.launcher, self._arguments.env, timeout)
        return with_input(run, self._arguments.stdin)

    def _kernel(self, result: Result) -> None:
        found = self._found
        traced: tuple[TracedRun, TracedRun] | None = None
        self._observer.step("tracing system calls")
        timeout = min(self.left, max(10.0, 20 * found.whole.slow + self._limits.seconds))
        try:
            # Threads that wait for one another do so less on one CPU.
            one = self._services.cpus[-1] if found.threads == 1 else None
            fast, slow = (
                replace(self._tool_run(side, timeout), cpu=one) for side in ("fast", "slow")
            )
            waits = self._matters("waiting")
            traced = trace_calls(fast, waits=waits), trace_calls(slow, waits=waits)
            self._programs = max(1, *(run.number("execve") for run in traced))
            found.processes |= any(run.number(n) for run in traced for n in ("wait4", "waitid"))
        except CannotCount as error:
            found.limits.append(f"system calls were not traced: {error}")
        faults = _faults(result, found.fast), _faults(result, found.slow)
        items: list[Item] = []
        if self._matters("kernel"):
            items += kernel_items(found.split["kernel"], found.whole, traced, faults)
        if self._matters("waiting"):
            items += waiting_items(found.split["waiting"], found.whole, traced)
        cpu = cpu_time(found.split)
        crowded = self._busy >= CROWDED and (found.threads > 1 or self._programs > 1)
        within = within_program(self._programs > 1) if crowded else ()
        reasons = [i for i in items if waits_more(i) and not {purpose(i), i.name} & {*within}]
        idle = self._matters("waiting") and not reasons
        least = MATTERS if self._busy >= CROWDED else IDLE_CPU
        if idle and certainly_more(cpu) and cpu.difference > least * found.whole.difference:
            # A busy machine, or a virtual one whose processors were taken away.
            items = [i for i in items if i.part != "waiting"]
            account_for_cpu(found, cpu, QUEUED if crowded else IDLE)
            items = [replace(i, share=i.time.difference / cpu.difference) for i in items]
        names = [i.name for i in items if i.share > MATTERS and i.name != "page faults"]
        if traced is not None and names:
            items = with_callers(items, callers_of(slow, names), SideCode("slow"))
            alike = [i.name for i in items if i.name in names and moves_alike(i, traced)]
            if alike:
                with contextlib.suppress(CannotCount):  # their numbers alone are no cause
                    items = with_bytes(items, *(moved_bytes(run, alike) for run in (fast, slow)))
        found.items = [*found.items, *items]

    def _functions(self) -> None:
        found, user = self._found, self._found.split["user"]
        self._observer.step("sampling both sides")
        try:
            self._runs = self._sampled()
            self._unwound = self._sample(1, callers=True)
        except CannotCount as error:
            found.limits.append(f"user time was not sampled: {error}")
        names = Names({"fast": set(), "slow": set()}, self.files)
        if self._runs:
            self._times, found.slowdown, names = function_times(
                self._runs, "fast", "slow", user, self.files
            )
        env = self._arguments.env
        programs = {side: program_of(argv, env) for side, argv in self._commands.items()}
        paths = {side: str(p.path) if p else "" for side, p in programs.items()}
        self._sides = {s: SideCode(s, files=self.files, program=p) for s, p in paths.items()}
        findings = self._runtime(programs, self._runs)
        known = [i.share for i in found.items if i.share > 0 and supported(i)]
        if sum(c.share for c in findings.causes) + sum(known) >= ENOUGH or self._compiles:
            self._group(names, findings)
            return
        longest = max(user.fast, user.slow) * (INTERPRETED if found.interpreted else 1.0)
        full, plain = (s * longest + LOADING * self._programs for s in SLOWDOWNS)
        limit, clock = self._limits.seconds, self._services.clock
        caches, possible = full <= limit, plain <= PATIENT * limit
        began, counted = clock.monotonic(), None
        if caches or possible:
            counted = self._counts(names, full if caches else plain, caches=caches)
        took = (clock.monotonic() - began) / self._busy
        self._group(counted or names, findings)
        if possible and (caches or counted is None or make_account(found).explained >= ENOUGH):
            return
        if counted is not None:
            full = took * SLOWDOWNS[0] / SLOWDOWNS[1]
            if full <= PATIENT * limit:
                if (counted := self._counts(names, full, caches=True)) is not None:
                    self._group(counted, findings)
                return
        if limit:
            what = "nothing was" if not possible else "caches and branches were not"
            found.limits.append(
                f"{what} simulated: it would take about {full:.0f} s; allow it with "
                f"--simulate {full * 1.5:.0f}s, or use a smaller input"
            )

    def _group(self, names: Names, findings: Findings) -> None:
        """What functions take and do, with what was counted of them."""
        found, (fast, slow) = self._found, (self._sides[side] for side in ("fast", "slow"))
        if fast.counts is not None and slow.counts is not None:
            found.calls, found.counted = (fast.counts, slow.counts), True
            if not self._runs:
                counts = {"fast": fast.counts, "slow": slow.counts}
                self._times = modelled_times(counts, found.split["user"])
                found.modelled = True
        unwound = self._unwound
        stacks = {side: callers(unwound, side, names) for side in self._sides}
        found.frames = call_tree(unwound, "fast", "slow", names) if unwound else None
        found.groups = group_functions(self._times, found.whole, fast, slow, stacks)
        for group in found.groups:
            group.place = place_of(group, slow)
        self._finer(names)
        found.code = counted_code(found.groups, found.whole, fast, slow)
        found.given = take_over(findings, found.groups, found.items, found.split)

    def _runtime(
        self, programs: Mapping[str, RuntimeProgram | None], sampled: Sequence[SampledRun]
    ) -> Findings:
        """What the tools of the language's runtime say, where both sides have one and the same."""
        found = self._found
        runtime = runtime_of(list(programs.values()), RUNTIMES)
        known = {side: p for side, p in programs.items() if p is not None}
        if runtime is None:
            return Findings()
        found.interpreted, found.own_threads = not isinstance(runtime, Go), bool(runtime.idles)
        self._compiles = runtime.compiles
        if "futex" in runtime.idles:
            found.threads = 1
        found.items = [i for i in found.items if i.part != "waiting" or i.name not in runtime.idles]
        began = self._services.clock.monotonic()
        runs = RuntimeRuns(
            {side: self._tool_run(side, 60.0) for side in known},
            {"fast": found.whole.fast, "slow": found.whole.slow},
            self._seed,
            self._arguments.stdin,
            sampled,
            self._observer.step,
        )
        try:
            findings = runtime.explain(Sides(known, runs, found.whole, found.split, found.fast))
        except CannotCount as error:
            findings = Findings(limits=(f"{runtime.name} was not asked: {error}",))
        found.limits.extend(findings.limits)
        found.costs[runtime.name] = self._services.clock.monotonic() - began
        return findings

    def _rounds(self) -> int:
        both = self._found.whole.fast + self._found.whole.slow
        return int(min(ROUNDS[1], max(ROUNDS[0], SAMPLING_SECONDS / max(both, 1e-3))))

    def _sampled(self) -> list[SampledRun]:
        """The least number of rounds, then as many as there is time for: on a busy machine they
        take longer than the programs."""
        clock, least = self._services.clock, ROUNDS[0]
        began = clock.monotonic()
        runs = self._sample(least, seed=self._seed)
        took = clock.monotonic() - began
        room = (min(SAMPLING_SECONDS, self.left) - took) / max(took / least, 1e-3)
        more = min(self._rounds() - least, int(room))
        return runs + self._sample(more, seed=self._seed + 1) if more > 0 else runs

    def _sample(self, rounds: int, *, callers: bool = False, seed: int = 0) -> list[SampledRun]:
        both = self._found.whole.fast + self._found.whole.slow
        runs = sample_in_turns(
            self._commands,
            rounds,
            self._tool_run("slow", 60 + 20 * rounds * both),
            seed=seed,
            stdin=self._arguments.stdin or os.devnull,
            callers=callers,
        )
        failed = next((r for r in runs if r.status > 0), None)
        if failed is not None and not self._arguments.ignore_failure:
            name = self._found.slow if failed.side == "slow" else self._found.fast
            raise CannotCount(f"{name} ended with exit code {failed.status} under perf")
        return runs

    def _counts(self, names: Names, takes: float, *, caches: bool) -> Names | None:
        """Simulate both sides, in about ``takes`` seconds; the names that fit all objects, None
        where it failed, which is noted."""
        found, sides = self._found, self._sides
        what = "nothing was" if sides["fast"].counts is None else "caches and branches were not"
        timeout = min((2 * takes + 15) * self._busy, 2 * max(self.left, 0.0))
        if takes * self._busy > self.left:
            found.limits.append(f"{what} simulated: there was no time left for it")
            return None
        self._observer.step(f"simulating both sides (about {takes * self._busy:.0f} s)")
        geometry = read_geometry(self._services.system) if caches else None
        profiles = self._simulated(geometry, timeout, what)
        if profiles is None:
            return None
        self._simulation = timeout if caches else 0.0
        found.processes |= any(len(profile) > 1 for profile in profiles.values())
        objects = {side: objects_of(profiles[side]) for side in sides}
        for run in self._runs:
            objects[run.side] |= {f.object for s in run.stacks for f in s[:1]}
        names = Names(objects, self.files)
        for side, code in sides.items():
            code.counts = counts_by_function(profiles[side], names)
        return names

    def _simulated(
        self, geometry: Geometry | None, timeout: float, what: str
    ) -> dict[str, list[SimulatedProfile]] | None:
        """The profiles of both sides; None where they fail, which is noted: ``what`` simulated."""
        services = self._services
        try:
            valgrind = choose_valgrind(
                services.launcher,
                self._arguments.env,
                self._home,
                rooted=False,
                note=self._observer.step,
                newer=services.valgrind,
            )
            runs = {side: self._tool_run(side, timeout) for side in self._commands}
            return count_calls(runs, geometry, valgrind)
        except CannotCount as error:
            self._found.limits.append(f"{what} simulated: {error}")
            return None

    def _finer(self, names: Names) -> None:
        """Counts misses of the second level where those of the first do not differ, but may carry
        what does, and then those on other pages: Callgrind knows two levels, of which the last one
        is then the second, or has pages for lines."""
        found, system = self._found, self._services.system
        geometry = read_geometry(system)
        pages = replace(geometry, last=Cache("pages", LAST_PAGES * PAGE, 16, PAGE))
        for quantity, cycles, finer in (
            (SECOND_LEVEL, SECOND_LEVEL_CYCLES, read_geometry(system, 2)),
            (PAGES, FAR, pages),
        ):
            least = MATTERS * found.whole.difference
            views = [view_of(g, found) for g in found.groups if g.time.difference > least]
            groups = [v.group for v in views if misses_alike(v, cycles) and label(v) is None]
            timeout = min(self._simulation, max(self.left, 0.0))
            if not groups or timeout <= 0 or finer == geometry:
                continue
            self._observer.step(f"simulating {quantity}")
            if (profiles := self._simulated(finer, timeout, f"{quantity} were not")) is None:
                return
            counts = [counts_by_function(profiles[side], names) for side in ("fast", "slow")]
            for group in groups:
                keys = [m.key for m in group.members]
                fast, slow = (sum(c.of(key, "last-level misses") for key in keys) for c in counts)
                group.counted[quantity] = fast, slow


def _faults(result: Result, side: str) -> float:
    values = [
        x for b in result.recorded.blocks for x in b.extra.get(side, {}).get("minor_faults", ())
    ]
    return sum(values) / len(values) if values else 0.0
