"""The layers of an account, the cheapest first: each fills in what it can see of both sides."""

from __future__ import annotations

import contextlib
import math
import os
from collections.abc import Sequence
from dataclasses import replace

from whyfast.explain.executed import LoadedFiles
from whyfast.investigate.why.why_inquiry import PATIENT, Inquiry
from whyfast.investigate.why.why_simulation import MATTERS, SimulatedSides, misses_may_tell
from whyfast.measure.count import INTERPRETED, LOADING, PLAIN_SLOWDOWN, SLOWDOWN
from whyfast.measure.perf import SampledRun, sample_in_turns
from whyfast.measure.runtimes import RuntimeRuns
from whyfast.measure.tools import (
    CannotCount,
    TracedRun,
    callers_of,
    moved_bytes,
    trace_calls,
)
from whyfast.model.result import Result
from whyfast.model.why import Change, Item, Part
from whyfast.why.account import Gathered
from whyfast.why.counts import modelled_times
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
    touching,
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
    Sides,
    program_of,
    runtime_of,
    take_over,
)
from whyfast.why.runtimes.python import CPython
from whyfast.why.split import certainly_more, change_of, cpu_time, crew

#: Where waiting differs, but nothing that it could be for, and CPU time is at least this share of
#: the difference, or :data:`MATTERS` of it on a busy machine.
IDLE_CPU = 0.25
IDLE = "it waited longer for no more than the other side waits for: all shares are of CPU time"

#: Runnable threads a CPU from which on what waits may only wait until another one gets a CPU.
CROWDED = 1.5
QUEUED = "it waited for a CPU behind other programs: all shares are of CPU time"

#: Share of the difference that a runtime's tools must explain for nothing to be simulated.
ENOUGH = 0.8

#: With caches and branches, and without. Up to so many seconds those are counted at once.
SLOWDOWNS, AT_ONCE = (SLOWDOWN, PLAIN_SLOWDOWN), 4.0

#: Page faults whose stacks are taken, about.
FAULTS = 1000

#: Asked in this order which of them runs the programs.
RUNTIMES: tuple[Runtime, ...] = (CPython(), NodeJs(), Java(), Go())

#: Runs of each side under the sampler, at least and at most, and seconds that they may take.
ROUNDS, SAMPLING_SECONDS = (3, 12), 6.0

#: No more are taken where so many samples show both sides' difference to that share of it.
PLAIN, SAMPLES = 0.1, 1000


def account_for_cpu(found: Gathered, cpu: Change, why: str) -> None:
    """From here on the account is of the difference in CPU time."""
    ratios = (cpu.fast + x for x in (cpu.difference, cpu.low, cpu.high))
    found.ratio, found.low, found.high = (x / cpu.fast for x in ratios)
    found.whole, found.of_cpu = cpu, True
    found.limits.append(why)


class Layers:
    """Fills what was gathered, layer by layer."""

    def __init__(self, inquiry: Inquiry) -> None:
        self._inquiry, self._found = inquiry, inquiry.found
        self.files = LoadedFiles()
        self._seed = int(inquiry.services.new_id()[:12], 16)
        env = inquiry.arguments.env
        self._programs = {s: program_of(argv, env) for s, argv in inquiry.commands.items()}
        #: Which runtime executes both, if one does.
        self._runtime = runtime_of(list(self._programs.values()), RUNTIMES)
        self._sides: dict[str, SideCode] = {}
        #: What was sampled, in one run with stacks, and the functions' times in it.
        self._runs: list[SampledRun] = []
        self._unwound: list[SampledRun] = []
        self._times: list[FunctionTime] = []

    def run(self, result: Result) -> None:
        found = self._found
        self._inquiry.observer.phase("account")
        if self._runtime is not None:
            found.interpreted = not isinstance(self._runtime, Go)
            found.own_threads = bool(self._runtime.idles)
        found.threads = max(
            (n for b in result.recorded.blocks for n in b.threads.values()), default=1
        )
        found.crews = (
            crew(result.recorded.blocks, found.fast),
            crew(result.recorded.blocks, found.slow),
        )
        if self._matters("kernel") or self._matters("waiting"):
            with self._inquiry.timed("system calls"):
                self._kernel(result)
        if self._matters("user"):
            self._functions()

    def _matters(self, part: Part) -> bool:
        change = self._found.split[part]
        if part == "waiting" and self._found.of_cpu:
            return False
        certain = change.low > 0 or not math.isfinite(change.low)
        return certain and change.difference > MATTERS * self._found.whole.difference

    def _kernel(self, result: Result) -> None:
        found, asked = self._found, self._inquiry
        traced: tuple[TracedRun, TracedRun] | None = None
        asked.observer.step("tracing system calls")
        timeout = min(asked.left, max(10.0, 20 * found.whole.slow + asked.limits.seconds))
        try:
            # Threads that wait for one another do so less on one CPU.
            one = asked.services.cpus[-1] if found.threads == 1 else None
            fast, slow = (
                replace(asked.tool_run(side, timeout), cpu=one) for side in ("fast", "slow")
            )
            waits = self._matters("waiting")
            traced = trace_calls(fast, waits=waits), trace_calls(slow, waits=waits)
            asked.programs = max(1, *(run.number("execve") for run in traced))
            found.processes |= any(run.number(n) for run in traced for n in ("wait4", "waitid"))
        except CannotCount as error:
            found.limits.append(f"system calls were not traced: {error}")
        faults = _faults(result, found.fast), _faults(result, found.slow)
        items: list[Item] = []
        idles = self._runtime.idles if self._runtime else ()
        if self._matters("kernel"):
            items += kernel_items(found.split["kernel"], found.whole, traced, faults, idles)
        if self._matters("waiting"):
            items += waiting_items(found.split["waiting"], found.whole, traced, idles)
        cpu = cpu_time(found.split)
        crowded = asked.busy >= CROWDED and (found.threads > 1 or asked.programs > 1)
        within = within_program(asked.programs > 1) if crowded else ()
        reasons = [i for i in items if waits_more(i) and not {purpose(i), i.name} & {*within}]
        idle = self._matters("waiting") and not reasons
        least = MATTERS if asked.busy >= CROWDED else IDLE_CPU
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
        if any(i.name == "page faults" and i.share > MATTERS for i in items):
            with contextlib.suppress(CannotCount):
                stack = touching(
                    self._sample(1, sides=["slow"], faults=1 + int(faults[1]) // FAULTS)
                )
                items = with_callers(items, {"page faults": stack}, SideCode("slow"))
        found.items = [*found.items, *items]

    def _functions(self) -> None:
        found, user, asked = self._found, self._found.split["user"], self._inquiry
        asked.observer.step("sampling both sides")
        names = Names({"fast": set(), "slow": set()}, self.files)
        with asked.timed("functions"):
            try:
                self._runs = self._sampled()
                self._unwound = self._sample(1, callers=True)
            except CannotCount as error:
                found.limits.append(f"user time was not sampled: {error}")
            if self._runs:
                self._times, found.slowdown, names = function_times(
                    self._runs, "fast", "slow", user, self.files
                )
        paths = {side: str(p.path) if p else "" for side, p in self._programs.items()}
        self._sides = {s: SideCode(s, files=self.files, program=p) for s, p in paths.items()}
        findings = self._asked_runtime()
        known = [i.share for i in found.items if i.share > 0 and supported(i)]
        if sum(c.share for c in findings.causes) + sum(known) >= ENOUGH or (
            self._runtime is not None and self._runtime.compiles
        ):
            self._group(names, findings)
        else:
            with asked.timed("simulated counts"):
                self._simulated(names, findings)

    def _simulated(self, names: Names, findings: Findings) -> None:
        """Calls and instructions, then caches and branches where those may tell more."""
        found, asked, user = self._found, self._inquiry, self._found.split["user"]
        longest = max(user.fast, user.slow) * (INTERPRETED if found.interpreted else 1.0)
        full, plain = (s * longest + LOADING * asked.programs for s in SLOWDOWNS)
        limit, clock = asked.limits.seconds, asked.services.clock
        # Without samples time is modelled, also by misses.
        at_once = full <= (min(limit, AT_ONCE) if self._runs else limit)
        possible = at_once or plain <= PATIENT * limit
        simulation = SimulatedSides(asked, self._sides, self._runs, self.files)
        began, counted = clock.monotonic(), None
        if possible:
            counted = simulation.count(full if at_once else plain, caches=at_once)
        took = (clock.monotonic() - began) / asked.busy
        self._group(counted or names, findings, simulation)
        if possible and (at_once or counted is None or not misses_may_tell(found)):
            return
        if counted is not None:
            full = took * SLOWDOWNS[0] / SLOWDOWNS[1]
            if full <= PATIENT * limit:
                if (counted := simulation.count(full, caches=True)) is not None:
                    self._group(counted, findings, simulation)
                return
        if limit:
            what = "nothing was" if not possible else "caches and branches were not"
            found.limits.append(
                f"{what} simulated: it would take about {full:.0f} s; allow it with "
                f"--simulate {full * 1.5:.0f}s, or use a smaller input"
            )

    def _group(
        self, names: Names, findings: Findings, simulation: SimulatedSides | None = None
    ) -> None:
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
        if simulation is not None:
            simulation.count_finer(names)
        found.code = counted_code(found.groups, found.whole, fast, slow)
        found.given = take_over(findings, found.groups, found.items, found.split)

    def _asked_runtime(self) -> Findings:
        """What the tools of the language's runtime say, where both sides have one and the same."""
        found, asked, runtime = self._found, self._inquiry, self._runtime
        known = {side: p for side, p in self._programs.items() if p is not None}
        if runtime is None:
            return Findings()
        if "futex" in runtime.idles:
            found.threads = 1
        runs = RuntimeRuns(
            {side: asked.tool_run(side, 60.0) for side in known},
            {"fast": found.whole.fast, "slow": found.whole.slow},
            self._seed,
            self._runs,
            asked.observer.step,
        )
        with asked.timed(runtime.name):
            try:
                findings = runtime.explain(Sides(known, runs, found.whole, found.split, found.fast))
            except CannotCount as error:
                findings = Findings(limits=(f"{runtime.name} was not asked: {error}",))
        found.limits.extend(findings.limits)
        return findings

    def _sampled(self) -> list[SampledRun]:
        """The least number of rounds; where those leave the difference open, as many more as there
        is time for: on a busy machine they take longer than the programs."""
        asked, (least, most) = self._inquiry, ROUNDS
        began = asked.services.clock.monotonic()
        runs = self._sample(least, seed=self._seed)
        took = asked.services.clock.monotonic() - began
        seconds = [[r.seconds for r in runs if r.side == side] for side in ("fast", "slow")]
        change = change_of(*seconds)
        plain = change.high - change.low <= 2 * PLAIN * change.difference
        if plain and sum(r.samples for r in runs) >= SAMPLES:
            return runs
        room = (min(SAMPLING_SECONDS, asked.left) - took) / max(took / least, asked.both, 1e-3)
        more = min(most - least, int(room))
        return runs + self._sample(more, seed=self._seed + 1) if more > 0 else runs

    def _sample(
        self,
        rounds: int,
        sides: Sequence[str] = ("fast", "slow"),
        *,
        callers: bool = False,
        faults: int = 0,
        seed: int = 0,
    ) -> list[SampledRun]:
        runs = sample_in_turns(
            {side: self._inquiry.commands[side] for side in sides},
            rounds,
            self._inquiry.tool_run("slow", 60 + 20 * rounds * self._inquiry.both),
            seed=seed,
            stdin=self._inquiry.arguments.stdin or os.devnull,
            callers=callers or faults > 0,
            faults=faults,
        )
        failed = next((r for r in runs if r.status > 0), None)
        if failed is not None and not self._inquiry.arguments.ignore_failure:
            name = self._found.slow if failed.side == "slow" else self._found.fast
            raise CannotCount(f"{name} ended with exit code {failed.status} under perf")
        return runs


def _faults(result: Result, side: str) -> float:
    values = [
        x for b in result.recorded.blocks for x in b.extra.get(side, {}).get("minor_faults", ())
    ]
    return sum(values) / len(values) if values else 0.0
