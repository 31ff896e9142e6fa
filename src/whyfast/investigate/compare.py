"""From recordings of other tools to a result that every report can show."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from whyfast.investigate.match import match_benchmarks
from whyfast.judge.influence import Carrier
from whyfast.judge.noise import calibrate_noise
from whyfast.judge.processes import log_mean
from whyfast.judge.run_confounds import metadata_confounds, noise_confounds
from whyfast.judge.run_dates import date_confounds
from whyfast.judge.runs import compare_runs
from whyfast.model.errors import UserError
from whyfast.model.result import Answer, Result
from whyfast.model.sample import Session
from whyfast.model.series import MEAN_SECONDS, SECOND, Recording
from whyfast.model.study import Benchmark, BuildSpec, Source, Study, Variant
from whyfast.model.verdict import Confound, Verdict

#: The title of the study that a comparison stands for; reports then lead with the answer.
TITLE = "compare"


@dataclass(frozen=True)
class Comparison:
    """The result with its answer left empty, and the benchmarks that carry the mean of a head."""

    result: Result
    carriers: Mapping[str, tuple[Carrier, ...]]


def compare_recordings(
    recordings: Sequence[Recording],
    *,
    margin: float,
    reruns: Sequence[Recording] = (),
    benchmarks: Sequence[str] = (),
    now: float = 0.0,
) -> Comparison:
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
    result = Result(
        study=_study(base, heads, matched.benchmarks, margin),
        run=TITLE,
        started=now,
        sessions=tuple(_session(r) for r in (*matched.recordings, *reruns)),
        toolchains=(),
        builds=(),
        blocks=(),
        failures=(),
        verdicts=said.verdicts,
        suites=said.suites,
        evidence=(),
        confounds=tuple(sorted(confounds, key=lambda c: c.severity != "warning")),
        answer=Answer(""),
        about="runs",
        complete=True,
    )
    return Comparison(result, said.carriers)


def _study(
    base: Recording, heads: Sequence[Recording], names: Sequence[str], margin: float
) -> Study:
    return Study(
        name=TITLE,
        title=TITLE,
        folder=Path(base.source).parent,
        baselines=(base.name,),
        margin=margin,
        source=Source("path", base.source, Path(base.source).parent),
        build=BuildSpec((), ""),
        variants=tuple(Variant(r.name, toolchain="", about=r.source) for r in (base, *heads)),
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
