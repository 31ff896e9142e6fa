"""The stage that finds out which benchmarks execute what a change has changed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from whyfast.explain.functions import base_name
from whyfast.explain.program import load
from whyfast.investigate.counting import BuildCounter, scratch_folder
from whyfast.investigate.work import Work
from whyfast.measure.harnesses import LONG, ONCE
from whyfast.measure.registry import MAKERS
from whyfast.model.check import CodeComparison, Reach
from whyfast.model.counters import Counts, Profile
from whyfast.model.errors import UserError
from whyfast.model.study import Study
from whyfast.model.variant import Benchmark


def reached_by(work: Work[Study], code: CodeComparison, timeout: float) -> tuple[Reach, ...]:
    """One entry a benchmark, by a run of both builds under a simulator, ``timeout`` seconds each.

    Nothing is raised for what cannot be simulated. Nothing is run where no function is known to
    have changed, as then it cannot be told who executes it.
    """
    benchmarks = work.question.benchmarks
    if not code.reached:
        why = "what has changed is not machine code with names"
        return tuple(Reach(b.name, None, why) for b in benchmarks)
    try:
        names = {b.variant: _names(b.program) for b in work.usable}
    except UserError as error:
        return tuple(Reach(b.name, None, error.message) for b in benchmarks)
    with scratch_folder(work.home) as folder:
        counter = BuildCounter(work, {}, folder, timeout)
        return tuple(_reach(counter, b, names, code) for b in benchmarks)


def _reach(
    counter: BuildCounter,
    benchmark: Benchmark,
    names: Mapping[str, Mapping[str, str]],
    code: CodeComparison,
) -> Reach:
    if benchmark.kind.countable:
        return _reach_of(benchmark, counter.simulated(benchmark)[0], names, code)
    if MAKERS[benchmark.runner].to_see is None:
        return Reach(benchmark.name, None, f"a {benchmark.runner} benchmark cannot be simulated")
    # Once shows what most changes are about. That something is not executed takes as many
    # iterations as are measured: inputs may differ from one to the next.
    seen = _reach_of(benchmark, counter.seen(benchmark, ONCE), names, code)
    if seen.placement_only:
        seen = _reach_of(benchmark, counter.seen(benchmark, LONG), names, code)
    return replace(seen, instructions=None)


def _reach_of(
    benchmark: Benchmark,
    counts: list[Counts],
    names: Mapping[str, Mapping[str, str]],
    code: CodeComparison,
) -> Reach:
    broken = next((c for c in counts if c.profile is None or c.failed), None)
    if broken is not None or not counts:
        notes = broken.notes if broken else ()
        return Reach(benchmark.name, None, notes[0] if notes else "it was not simulated")
    changed = {base_name(f.name) for f in code.reached}
    sides = [_own(c.profile, names[c.variant]) for c in counts if c.profile is not None]
    costs = {n: [s.get(n, 0.0) for s in sides] for s in sides for n in s if n in changed}
    # What takes more or fewer instructions than before says most of why.
    executed = tuple(
        sorted(costs, key=lambda n: (min(costs[n]) - max(costs[n]), -max(costs[n]), n))
    )
    instructions = _instructions(counts)
    if not executed and not code.traced:
        return Reach(benchmark.name, None, "; ".join(code.reasons), instructions)
    return Reach(benchmark.name, executed, "", instructions)


def _own(profile: Profile, names: Mapping[str, str]) -> dict[str, float]:
    """Self cost by the name that the program puts first; libraries' functions by their own."""
    costs: dict[str, float] = {}
    for function in profile.functions:
        plain = base_name(function.name.split("'")[0])
        name = names.get(plain, plain)
        costs[name] = costs.get(name, 0.0) + function.costs.get(profile.main, 0.0)
    return costs


def _instructions(counts: list[Counts]) -> tuple[float, float] | None:
    totals = [c.profile.totals.get(c.profile.main) for c in counts if c.profile]
    if len(totals) != 2 or totals[0] is None or totals[1] is None:
        return None
    return totals[0], totals[1]


def _names(program: Path) -> dict[str, str]:
    return {
        base_name(name): base_name(function.name)
        for function in load(program).functions
        for name in function.names
    }
