"""A study under other kernels, from its builds to its result."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from whyfast.investigate.events import Observer
from whyfast.investigate.measuring import judged
from whyfast.investigate.prepare import Prepared
from whyfast.investigate.vm_measure import Guests, Outside, get_kernels, measure_guests
from whyfast.judge.counts import judge_counts
from whyfast.judge.slopes import judge_lines
from whyfast.measure.clock import Clock
from whyfast.model.boot import Boot
from whyfast.model.build import Build, BuildFailure, BuildOutcome
from whyfast.model.differences import RUN, words_of
from whyfast.model.errors import UserError
from whyfast.model.result import Found, Judged, Recorded, Result
from whyfast.model.study import Study
from whyfast.store.home import Home
from whyfast.store.lock import exclusive
from whyfast.store.samples import Run, SampleStore


def run_in_guests(
    study: Study,
    prepared: Prepared,
    home: Home,
    observer: Observer,
    clock: Clock,
    *,
    begin: Callable[[SampleStore, str], Run],
    seconds: Mapping[str, float],
    outside: Outside | None = None,
) -> Result:
    """Fetch the kernels, boot them and judge what their guests say.

    ``begin`` opens the run of that key, a new one or one that was interrupted. UserError when QEMU
    is missing, or the kernel of every baseline.
    """
    outside = outside or Outside()
    guests = get_kernels(study, home, observer, outside)
    # From here on a variant without its kernel is one that was not built.
    prepared = replace(prepared, builds=guests.outcomes(prepared.builds))
    measured = {v.name for v in study.measured}
    usable = [b.variant for b in prepared.builds if isinstance(b, Build) and b.variant in measured]
    baselines = [b for b in study.baselines if b in usable]
    if not baselines:
        raise UserError(_no_baseline(study, prepared.builds), where=study.folder / "study.toml")
    store = SampleStore(home.database)
    try:
        run = begin(store, run_key(study, guests, usable, prepared.builds))
        observer.phase("measure")
        started = clock.monotonic()
        with exclusive(
            home.data / "measuring.lock",
            lambda: observer.note("waiting: another whyfast is measuring on this machine"),
        ):
            boots, complete = measure_guests(
                study, prepared, guests, home, store, run, observer, clock, outside
            )
        taken = {**seconds, "boot": clock.monotonic() - started}
        if complete:
            store.finish(run.id, clock.now())
        observer.phase("judge")
        if boots and boots[0].unit == "time":
            result = judged(
                study,
                prepared,
                store,
                run,
                complete=complete,
                variants=usable,
                baselines=baselines,
                seconds=taken,
            )
            return replace(result, recorded=replace(result.recorded, boots=boots))
        return _counted(study, prepared, store, run, boots, usable, baselines, complete, taken)
    finally:
        store.close()


def run_key(
    study: Study, guests: Guests, usable: Sequence[str], builds: Sequence[BuildOutcome]
) -> str:
    """What must be equal for two runs to be one."""
    digests = {b.variant: b.digest for b in builds if isinstance(b, Build)}
    parts = {
        "study": study.name,
        "variants": [
            [
                *(name, digests[name], guests.kernels[study.variant(name).kernel].sha256),
                [words_of(study.variant(name), aspect) for aspect in RUN],
            ]
            for name in usable
        ],
        "benchmarks": [[b.name, list(b.command), b.check, b.timeout] for b in study.benchmarks],
        "baselines": list(study.baselines),
        "turns": study.measure.turns,
    }
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def _counted(
    study: Study,
    prepared: Prepared,
    store: SampleStore,
    run: Run,
    boots: tuple[Boot, ...],
    variants: Sequence[str],
    baselines: Sequence[str],
    complete: bool,
    seconds: Mapping[str, float],
) -> Result:
    """The result where values are instructions. What this machine does to times is no matter."""
    blocks = tuple(store.blocks(run.id))
    benchmarks = [b.name for b in study.benchmarks]
    return Result(
        question=study,
        recorded=Recorded(
            run=run.id,
            started=run.started,
            complete=complete,
            seconds=seconds,
            sessions=tuple(store.sessions(run.id)),
            toolchains=prepared.toolchains,
            builds=prepared.builds,
            blocks=blocks,
            failures=tuple(store.failures(run.id)),
            boots=boots,
        ),
        judged=Judged(
            about="counts",
            verdicts=judge_counts(
                blocks,
                benchmarks=benchmarks,
                variants=variants,
                baselines=baselines,
                margin=study.margin,
            ),
            slopes=judge_lines(
                blocks, benchmarks=study.benchmarks, variants=variants, baseline=baselines[0]
            ),
        ),
        found=Found(evidence=prepared.evidence),
    )


def _no_baseline(study: Study, builds: Sequence[BuildOutcome]) -> str:
    reasons = [
        f"{b.variant}: {b.reason}"
        for b in builds
        if isinstance(b, BuildFailure) and b.variant in study.baselines
    ]
    return "no baseline can be run, so there is nothing to compare with; " + "; ".join(reasons)
