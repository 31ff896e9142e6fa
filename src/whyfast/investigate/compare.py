"""From recordings of other tools to a result that every report can show."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

from whyfast.investigate.match import match_benchmarks
from whyfast.judge.noise import calibrate_noise
from whyfast.judge.processes import log_mean
from whyfast.judge.run_confounds import metadata_confounds, noise_confounds
from whyfast.judge.run_dates import date_confounds
from whyfast.judge.runs import compare_runs
from whyfast.model.errors import UserError
from whyfast.model.question import Recordings
from whyfast.model.result import Judged, Recorded, Result
from whyfast.model.sample import Session
from whyfast.model.series import MEAN_SECONDS, SECOND, Recording
from whyfast.model.variant import Benchmark, Variant
from whyfast.model.verdict import Confound, Verdict


def compare_recordings(
    recordings: Sequence[Recording],
    *,
    margin: float,
    reruns: Sequence[Recording] = (),
    benchmarks: Sequence[str] = (),
    now: float = 0.0,
) -> Result:
    """The first recording is the baseline of all others.

    ``margin`` is relative; ``reruns`` are runs of one build that show the noise between runs;
    ``benchmarks`` are globs. ``now`` is seconds since the epoch. UserError for recordings that
    cannot be compared.
    """
    if len(recordings) < 2:
        raise UserError("needs a base and at least one other file to compare with it")
    matched = match_benchmarks(recordings, benchmarks)
    base, *heads = matched.recordings
    noise = calibrate_noise(reruns) if reruns else None
    said = compare_runs(base, heads, matched.benchmarks, margin=margin, noise=noise)
    confounds = [
        *date_confounds(matched.recordings, reruns),
        *metadata_confounds(matched.recordings),
        *noise_confounds(base, reruns),
        *matched.notes,
        *_left_out(recordings),
        *_not_judged(said.verdicts),
    ]
    return Result(
        question=_question(base, heads, matched.benchmarks, margin),
        recorded=Recorded(
            run="compare",
            started=now,
            sessions=tuple(_session(r) for r in (*matched.recordings, *reruns)),
        ),
        judged=Judged(
            about="runs",
            verdicts=said.verdicts,
            suites=said.suites,
            confounds=tuple(sorted(confounds, key=lambda c: c.severity != "warning")),
        ),
    )


def _question(
    base: Recording, heads: Sequence[Recording], names: Sequence[str], margin: float
) -> Recordings:
    return Recordings(
        baselines=(base.name,),
        margin=margin,
        variants=tuple(Variant(r.name, about=r.source) for r in (base, *heads)),
        benchmarks=tuple(Benchmark(name, "command", ()) for name in names),
    )


def _session(recording: Recording) -> Session:
    facts: dict[str, object] = {"file": recording.source, "format": recording.tool}
    facts |= recording.metadata
    facts[MEAN_SECONDS] = {
        name: math.exp(log_mean(series))
        for name, series in recording.series.items()
        if series.unit == SECOND
    }
    return Session(recording.name, recording.started or 0.0, facts)


def _left_out(recordings: Sequence[Recording]) -> list[Confound]:
    return [
        Confound("left-out", f"{r.name}: {'; '.join(r.left_out)}", "note", (r.name,))
        for r in recordings
        if r.left_out
    ]


def _not_judged(verdicts: Sequence[Verdict]) -> list[Confound]:
    """The notes on single verdicts, gathered."""
    notes = Counter(note for v in verdicts for note in v.notes)
    total = len(verdicts)
    return [
        Confound(
            "not-judged",
            f"{number} of {total} comparisons: {note}" if total > 1 else note,
            "note",
        )
        for note, number in notes.items()
    ]
