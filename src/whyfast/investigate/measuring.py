"""Measuring a set of benchmarks into the store, and judging what is there."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import replace

from whyfast.explain.calls import calls_left
from whyfast.explain.troubles import find_troubles
from whyfast.investigate.events import Observer
from whyfast.investigate.judging import (
    LiveJudge,
    judge_levels,
    judge_placements,
    judge_study,
    judge_warming,
)
from whyfast.investigate.prepare import Prepared
from whyfast.judge.claim import claim_pairs
from whyfast.judge.confounds import find_confounds
from whyfast.judge.estimate import over_layouts
from whyfast.judge.expectations import find_unmet, refuted
from whyfast.judge.fixes import judge_fixes
from whyfast.judge.slopes import judge_lines
from whyfast.measure.campaign import BenchmarkRun, Limits, measure
from whyfast.measure.clock import Clock
from whyfast.measure.machine import environment, environment_after
from whyfast.model.question import Commands
from whyfast.model.result import Found, Judged, Recorded, Result
from whyfast.model.sample import Block, Calibration, RunFailure, Session
from whyfast.model.study import MeasureSpec, Study
from whyfast.model.verdict import About
from whyfast.store.samples import Run, SampleStore


def measure_entries(
    margin: float,
    spec: MeasureSpec,
    store: SampleStore,
    run: Run,
    entries: Sequence[BenchmarkRun],
    observer: Observer,
    clock: Clock,
) -> bool:
    """Take blocks until every entry is settled or the budget used; False when interrupted.

    Blocks that an entry brings along from earlier sessions count towards the budget. Each block is
    durable before the observer hears of it.
    """
    session = Session(uuid.uuid4().hex, clock.now(), environment())
    store.add_session(run.id, session)
    judge = LiveJudge(margin)
    standing = {e.name: judge.update(e.name, e.blocks, e.variants, e.baseline) for e in entries}
    by_name = {e.name: e for e in entries}
    earlier = sum(b.seconds for e in entries for b in e.blocks)
    began = clock.monotonic()

    class Keep:
        def add_block(self, block: Block) -> None:
            store.add_block(run.id, block)
            entry = by_name[block.benchmark]
            said = judge.update(entry.name, entry.blocks, entry.variants, entry.baseline)
            standing[entry.name] = said
            spent = earlier + clock.monotonic() - began
            observer.block(entry.name, said, spent, spec.budget)

        def add_failure(self, failure: RunFailure) -> None:
            store.add_failure(run.id, failure)
            observer.failure(failure)

        def add_calibration(self, calibration: Calibration) -> None:
            store.add_calibration(run.id, calibration)

    def settled(entry: BenchmarkRun) -> bool:
        layouts = min(entry.layouts.values(), default=0)
        if layouts and len(over_layouts(entry.blocks)) >= layouts:
            return True  # further blocks could only repeat layouts
        return spec.stop == "decided" and judge.settled(standing[entry.name])

    try:
        measure(
            entries,
            run=run.id,
            session=session.id,
            sink=Keep(),
            limits=Limits(spec.budget, earlier),
            settled=settled,
            clock=clock,
            calibrating=lambda name: observer.note(f"calibrating {name}"),
        )
    except KeyboardInterrupt:
        return False
    finally:
        at_end = {**session.environment, "at_end": environment_after()}
        store.end_session(replace(session, environment=at_end))
    return True


def judged(
    question: Study | Commands,
    prepared: Prepared,
    store: SampleStore,
    run: Run,
    *,
    complete: bool,
    variants: Sequence[str],
    baselines: Sequence[str],
    seconds: Mapping[str, float] | None = None,
) -> Result:
    """The result of what the store holds of a run.

    ``seconds``: the wall time of each phase.
    """
    evidence = prepared.evidence
    blocks = tuple(store.blocks(run.id))
    unmet = find_unmet(question, evidence)
    compared = {v.name for v in question.measured} - refuted(question, unmet)
    about: About = "change" if over_layouts(blocks) else "binaries"
    # Of all variants: a baseline that failed on a benchmark does not decide it.
    unsteady = judge_warming(blocks, benchmarks=question.benchmarks, variants=variants)
    warming = {name: values for name, (values, _) in unsteady.items()}
    placements = judge_placements(
        blocks,
        benchmarks=[b.name for b in question.benchmarks],
        variants=variants,
        baselines=baselines,
        margin=question.margin,
        warming=warming,
    )
    verdicts, suites = judge_study(
        over_layouts(blocks) or blocks,
        benchmarks=[b.name for b in question.benchmarks],
        variants=variants,
        baselines=baselines,
        margin=question.margin,
        warming=warming,
        claimed=claim_pairs(question, evidence),
    )
    sessions = tuple(store.sessions(run.id))
    return Result(
        question=question,
        recorded=Recorded(
            run=run.id,
            started=run.started,
            complete=complete,
            seconds=dict(seconds or {}),
            sessions=sessions,
            toolchains=prepared.toolchains,
            builds=prepared.builds,
            blocks=blocks,
            failures=tuple(store.failures(run.id)),
            calibrations=tuple(store.calibrations(run.id)),
        ),
        judged=Judged(
            about=about,
            verdicts=verdicts,
            suites=suites,
            placements=placements,
            fixes=judge_fixes(
                blocks,
                fixes={v.name: v.fixes for v in question.variants if v.fixes and not v.twin_of},
                benchmarks=[b.name for b in question.benchmarks],
                variants=variants,
                margin=question.margin,
                warming=warming,
            ),
            components=judge_levels(
                blocks,
                benchmarks=question.benchmarks,
                variants=variants,
                baseline=baselines[0],
                warming=unsteady,
            ),
            slopes=judge_lines(
                blocks, benchmarks=question.benchmarks, variants=variants, baseline=baselines[0]
            ),
            # What was not measured cannot have confounded anything.
            confounds=find_confounds(
                question,
                [b for b in prepared.builds if b.variant in compared],
                sessions,
                blocks,
                evidence,
            ),
        ),
        found=Found(
            evidence=evidence,
            unmet=unmet,
            troubles=find_troubles(question, prepared.toolchains, evidence)
            if isinstance(question, Study)
            else (),
            calls=calls_left(
                question.evidence, [e for e in evidence if e.variant in compared] or evidence
            )
            if isinstance(question, Study)
            else (),
        ),
    )
