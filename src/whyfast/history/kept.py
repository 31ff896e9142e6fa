"""Stored results of whyfast as the points of a timeline: runs, checks, imported files."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from statistics import fmean, median
from typing import Any

from whyfast.formats import timeline
from whyfast.history.findings import revision_of
from whyfast.judge.judge_run import costs_of
from whyfast.model.build import Build
from whyfast.model.cost import COSTS
from whyfast.model.errors import UserError
from whyfast.model.history import CostSeries, PointSeries, Timeline
from whyfast.model.result import Judged, Recorded, Result
from whyfast.model.sample import MEAN_SECONDS, Block, Recording, Session
from whyfast.model.study import Recordings
from whyfast.model.variant import Benchmark, Variant

#: Keys in the session of an imported file beside its metadata.
_SPREADS, _RATES, _VARIANT = "whyfast_spreads", "whyfast_rates", "whyfast_variant"
_OWN = (MEAN_SECONDS, _SPREADS, _RATES, _VARIANT, "file", "format")


def imported_result(recording: Recording, run: str, variant: str, now: float) -> Result:
    """The file as the result of the run with that id: its means, their standard errors, and its
    metadata. ``variant``: the measured variant of the study, if any; ``now``: the time of a file
    without one (seconds since the epoch)."""
    started = recording.started if recording.started is not None else now
    values = {
        name: timeline.point_value(s.processes)
        for name, s in recording.series.items()
        if timeline.is_read(s)
    }
    facts: dict[str, object] = {
        "file": recording.source,
        "format": recording.tool,
        **recording.metadata,
        MEAN_SECONDS: {name: v.value for name, v in values.items()},
        _SPREADS: {name: v.spread for name, v in values.items()},
        _RATES: [name for name in values if timeline.is_rate(recording.series[name])],
        _VARIANT: variant,
    }
    question = Recordings(
        title=f"Imported from {recording.name}",
        baselines=(recording.name,),
        margin=0.01,
        variants=(Variant(recording.name, about=recording.source),),
        benchmarks=tuple(Benchmark(name, "command", ()) for name in values),
    )
    sessions = (Session(recording.name, started, facts),)
    return Result(question, Recorded(run, started, sessions=sessions), Judged(about="runs"))


def _recorded_values(session: Session) -> tuple[dict[str, timeline.PointValue], frozenset[str]]:
    """The value of each benchmark, and which of them are rates."""
    means, spreads = _mapping(session, MEAN_SECONDS), _mapping(session, _SPREADS)
    rates = session.environment.get(_RATES)
    values = {
        name: timeline.PointValue(
            float(mean), float(s) if isinstance(s := spreads.get(name), float) else None
        )
        for name, mean in means.items()
        if isinstance(mean, float | int)
    }
    return values, frozenset(map(str, rates) if isinstance(rates, list | tuple) else ())


def _mapping(session: Session, key: str) -> Mapping[str, object]:
    value = session.environment.get(key)
    return value if isinstance(value, Mapping) else {}


#: Standard deviation over median absolute deviation, and standard error of a median over that of a
#: mean, of a normal distribution.
_OF_MAD, _OF_MEDIAN = 1.4826, 1.2533


@dataclass(frozen=True)
class KeptPoint:
    """One result, or one imported file: ``values`` by (variant, benchmark), the variant perhaps
    empty; ``facts``: as recorded; ``rates``: benchmarks that are better when higher; ``costs``:
    those that have no chance, by (variant, benchmark, key)."""

    name: str
    started: float
    values: Mapping[tuple[str, str], timeline.PointValue]
    facts: Mapping[str, str]
    rates: frozenset[str] = frozenset()
    costs: Mapping[tuple[str, str | None, str], float] = field(default_factory=dict)

    @property
    def host(self) -> str:
        """Empty if unknown."""
        return self.facts.get(timeline.HOST, "")


def points_of(result: Result) -> Iterator[KeptPoint]:
    """The points of a result: one, or one for each recorded file; none without values."""
    if isinstance(result.question, Recordings):
        for session in result.recorded.sessions:
            variant = str(session.environment.get(_VARIANT, ""))
            values, rates = _recorded_values(session)
            named = {(variant, benchmark): value for benchmark, value in values.items()}
            facts = {
                k: timeline.fact_text(v) for k, v in session.environment.items() if k not in _OWN
            }
            yield KeptPoint(session.id, session.started, named, facts, rates)
        return
    values_of = _measured(result)
    if values_of:
        check, started = result.found.check, result.recorded.started
        date = datetime.fromtimestamp(started, UTC).strftime("%Y-%m-%d %H:%M")
        name = check.head[: timeline.SHORT] if check else date
        yield KeptPoint(name, started, values_of, _facts(result), costs=_costs(result))


def timeline_of_kept(study: str, points: Iterable[KeptPoint], wanted: timeline.Wanted) -> Timeline:
    """The points of a study in the order of time. UserError for fewer than two, and for an order or
    a machine that they do not have."""
    if wanted.order == "commit":
        raise UserError(
            "needs files with commit_date; kept results have none", where="--order commit"
        )
    if wanted.machine not in (None, timeline.NO_MACHINE, timeline.HOST):
        raise UserError(
            f"unknown for kept results; available: {timeline.HOST}, {timeline.NO_MACHINE}",
            where=f"--machine {wanted.machine}",
        )
    placed = sorted(points, key=lambda p: p.started)
    if len(placed) < 2:
        raise UserError(
            f"too few kept results with values: {len(placed)}; a history needs two or more",
            where=study,
        )
    apart = wanted.machine == timeline.HOST or (
        wanted.machine is None
        and timeline.tells_apart([p.host or None for p in placed], timeline.FEWEST)
    )
    variants = {variant for p in placed for variant, _ in p.values if variant}
    machines = tuple(dict.fromkeys(p.host if apart else "" for p in placed))
    named = _named(placed, apart=apart)
    # In the order of time, whichever machine came first.
    points_in_order = tuple(dict.fromkeys(name for name, _ in named))
    series: list[PointSeries] = []
    costs: list[CostSeries] = []
    facts: dict[str, tuple[Mapping[str, str] | None, ...]] = {}
    for machine in machines:
        at = {name: p for name, p in named if not apart or p.host == machine}
        placed_here = [at.get(name) for name in points_in_order]
        series += _series(machine, placed_here, several=len(variants) > 1)
        facts[machine] = tuple(p.facts if p else None for p in placed_here)
        costs += _cost_series(machine, placed_here)
    first: dict[str, float] = {}
    for name, p in named:
        first.setdefault(name, p.started)
    when = tuple(first[name] for name in points_in_order)
    return Timeline(
        *(points_in_order, tuple(series), "run", when, facts, study), costs=tuple(costs)
    )


def _named(points: Sequence[KeptPoint], *, apart: bool) -> list[tuple[str, KeptPoint]]:
    """Points with unique names; those of one revision on several machines share a name."""
    revisions = [revision_of(p.facts) for p in points]
    shared = apart and all(revisions)
    seen: dict[tuple[str, str], int] = {}
    names = []
    for p, revision in zip(points, revisions, strict=True):
        name = revision[: timeline.SHORT] if shared and revision else p.name
        key = (p.host if shared else "", name)
        seen[key] = seen.get(key, 0) + 1
        names.append((name if seen[key] == 1 else f"{name} ({seen[key]})", p))
    return names


def _series(
    machine: str, points: Sequence[KeptPoint | None], *, several: bool
) -> Iterator[PointSeries]:
    on = f" on {machine}" if machine else ""
    for variant, benchmark in dict.fromkeys(key for p in points if p for key in p.values):
        values = [p.values.get((variant, benchmark)) if p else None for p in points]
        keys = {"variant": variant, "benchmark": benchmark, "machine": machine}
        yield PointSeries(
            (f"{variant}: {benchmark}" if several and variant else benchmark) + on,
            tuple(v.value if v else None for v in values),
            {k: v for k, v in keys.items() if v},
            machine=machine,
            spreads=tuple(v.spread if v else None for v in values),
            higher=any(p is not None and benchmark in p.rates for p in points),
        )


def _cost_series(machine: str, points: Sequence[KeptPoint | None]) -> Iterator[CostSeries]:
    for at in dict.fromkeys(at for p in points if p for at in p.costs):
        variant, benchmark, key = at
        values = tuple(p.costs.get(at) if p else None for p in points)
        if sum(v is not None for v in values) > 1:
            yield CostSeries(key, variant, benchmark, values, machine)


def _costs(result: Result) -> dict[tuple[str, str | None, str], float]:
    """The exact costs and the counted ones that repeat; of a check those of the head."""
    check = result.found.check is not None
    return {
        ("" if check else c.variant, c.benchmark, c.key): c.value
        for c in costs_of(result)
        if c.value is not None
        and c.repeats
        and COSTS[c.key].kind != "statistical"
        and (not check or c.variant == "head")
    }


def _measured(result: Result) -> dict[tuple[str, str], timeline.PointValue]:
    """The times of a result, for a check those of the head; none for instructions."""
    if result.judged.about == "counts":
        return {}
    sides = {v.name for v in result.question.variants if not v.control_of}
    if result.found.check:
        sides = {"head"}
    blocks_of: dict[tuple[str, str], list[Block]] = {}
    for block in result.recorded.blocks:
        for variant in block.values:
            if variant in sides:
                blocks_of.setdefault((variant, block.benchmark), []).append(block)
    # The head of one check and that of the next are one series.
    return {
        ("" if result.found.check else variant, benchmark): _value(variant, blocks)
        for (variant, benchmark), blocks in blocks_of.items()
    }


def _value(variant: str, blocks: Sequence[Block]) -> timeline.PointValue:
    """The median over blocks of the mean time of a loop, and its standard error."""
    times = [fmean(b.values[variant]) / b.loops for b in blocks]
    middle = median(times)
    apart = _OF_MAD * median(abs(t - middle) for t in times)
    error = _OF_MEDIAN * apart / math.sqrt(len(times)) / middle
    return timeline.PointValue(middle, error if len(times) > 1 else None)


def _facts(result: Result) -> dict[str, str]:
    """The facts of the machine from the last session, and those of the builds."""
    sessions = result.recorded.sessions
    environment = sessions[-1].environment if sessions else {}
    facts = {k: str(v) for k, v in environment.items() if isinstance(v, str | int | float)}
    # The Python of whyfast itself.
    facts.pop("python", None)
    check = result.found.check
    if check:
        facts["revision"] = check.head
    variants = {v.name: v for v in result.question.variants}
    for build in result.recorded.builds:
        if isinstance(build, Build) and (not check or build.variant == "head"):
            suffix = "" if check else f" of {build.variant}"
            facts |= {f"{key}{suffix}": text for key, text in _of_build(build.provenance).items()}
            revision = variants[build.variant].revision if build.variant in variants else ""
            if revision and not check:
                facts[f"revision{suffix}"] = revision
    revisions = {text for key, text in facts.items() if key.startswith("revision of ")}
    if len(revisions) == 1:
        facts["revision"] = revisions.pop()
    return facts


def _of_build(provenance: Mapping[str, Any]) -> dict[str, str]:
    toolchain = provenance.get("toolchain", {})
    facts = {
        "toolchain": f"{toolchain.get('name', '')} {toolchain.get('version', '')}".strip(),
        "dependencies": " ".join(f"{k}={v}" for k, v in toolchain.get("packages", {}).items()),
        "flags": " ; ".join(map(str, provenance.get("commands", ()))),
        "source": str(provenance.get("source", {}).get("digest", ""))[:12],
        "interpreter": str(provenance.get("interpreter", {}).get("version", "")),
    }
    return {key: text for key, text in facts.items() if text}
