"""From recordings of other tools to a result that every report can show."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase

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
        *date_confounds(matched.recordings, reruns, said.drifts),
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


@dataclass(frozen=True)
class Matched:
    """``recordings`` hold only what can be compared; ``benchmarks`` are the names, in the order of
    the first file; ``notes`` say what was left out."""

    recordings: tuple[Recording, ...]
    benchmarks: tuple[str, ...]
    notes: tuple[Confound, ...]


def match_benchmarks(recordings: Sequence[Recording], globs: Sequence[str]) -> Matched:
    """The benchmarks that the first file shares with any other.

    ``globs`` narrow them, by name; each must match something. Two files with one benchmark each
    are compared even if they call it differently. UserError for different units of one benchmark,
    for units other than time only, and when nothing is shared.
    """
    recordings, notes = _one_name(_chosen(recordings, globs))
    for name in recordings[0].series:
        units = {r.series[name].unit: r for r in recordings if name in r.series}
        if len(units) > 1:
            sides = ", ".join(f"{unit} in {r.source}" for unit, r in units.items())
            raise UserError(f"{name}: its units cannot be compared: {sides}")
    others = sorted({n for r in recordings for n, s in r.series.items() if s.unit != SECOND})
    if others:
        notes.append(
            Confound("unit", f"not compared, as they are no times: {_some(others)}", "note")
        )
        recordings = [
            _only(r, [n for n, s in r.series.items() if s.unit == SECOND]) for r in recordings
        ]
    base, *heads = recordings
    for head in heads:
        shared = [name for name in base.series if name in head.series]
        if not shared:
            raise UserError(
                f"has no benchmark in common with {base.source} ({_some(list(head.series))} here; "
                f"{_some(list(base.series))} there)",
                where=head.source,
            )
        for one, other in ((base, head), (head, base)):
            alone = [name for name in one.series if name not in other.series]
            if alone:
                notes.append(
                    Confound(
                        "unmatched",
                        f"only in {one.name}, so not in its mean against {other.name}: "
                        f"{_some(alone)}",
                        "note",
                        (one.name,),
                    )
                )
    names = tuple(n for n in base.series if any(n in h.series for h in heads))
    return Matched(tuple(recordings), names, tuple(notes))


def _chosen(recordings: Sequence[Recording], globs: Sequence[str]) -> list[Recording]:
    if not globs:
        return list(recordings)
    every = {name for r in recordings for name in r.series}
    for glob in globs:
        if not any(fnmatchcase(name, glob) for name in every):
            raise UserError("no benchmark has such a name", where=f"--benchmark {glob}")
    return [
        _only(r, [n for n in r.series if any(fnmatchcase(n, g) for g in globs)]) for r in recordings
    ]


def _only(recording: Recording, names: Sequence[str]) -> Recording:
    if not names:
        raise UserError("has no benchmark that can be compared", where=recording.source)
    return replace(recording, series={name: recording.series[name] for name in names})


def _one_name(recordings: list[Recording]) -> tuple[list[Recording], list[Confound]]:
    names = [next(iter(r.series)) for r in recordings]
    if any(len(r.series) > 1 for r in recordings) or len(set(names)) == 1:
        return recordings, []
    renamed = [
        replace(r, series={names[0]: replace(r.series[name], benchmark=names[0])})
        for r, name in zip(recordings, names, strict=True)
    ]
    text = f"each file has one benchmark, under different names: {_some(names)}"
    return renamed, [Confound("names", text, "note")]


def _some(names: Sequence[str]) -> str:
    listed = ", ".join(names[:8])
    return f"{listed} and {len(names) - 8} more" if len(names) > 8 else listed
