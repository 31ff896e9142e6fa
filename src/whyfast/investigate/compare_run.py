"""From recordings of other tools to a result that every report can show."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase

from whyfast.judge.noise import Noise, calibrate_noise, log_mean
from whyfast.judge.run_confounds import (
    date_confounds,
    metadata_confounds,
    noise_confounds,
    shared_outliers,
)
from whyfast.judge.runs import RunVerdicts, compare_metrics, compare_runs, mean_amount
from whyfast.judge.steady import settled
from whyfast.model.errors import UserError
from whyfast.model.result import Judged, Recorded, Result
from whyfast.model.sample import (
    MEAN_AMOUNTS,
    MEAN_SECONDS,
    SECOND,
    Recording,
    Series,
    Session,
    rate,
)
from whyfast.model.study import Claim, Recordings
from whyfast.model.variant import Benchmark, Variant
from whyfast.model.verdict import Confound, Verdict

#: The metadata of Go's files that is part of their benchmark names.
_CPUS = "gomaxprocs"


@dataclass(frozen=True)
class Matched:
    """``recordings`` hold only comparable series; ``benchmarks`` are the names, in the order of the
    first file; ``notes`` name omissions; ``beside`` are the recordings with quantities other than
    speed."""

    recordings: tuple[Recording, ...]
    benchmarks: tuple[str, ...]
    notes: tuple[Confound, ...]
    beside: tuple[Recording, ...]


def match_benchmarks(
    recordings: Sequence[Recording], globs: Sequence[str], higher: Sequence[str] = ()
) -> Matched:
    """The benchmarks that the first file shares with any other.

    ``globs`` narrow them, by name; each must match something. Two files with one benchmark each
    are compared even if they call it differently; ``higher`` as in :func:`split_quantities`.
    UserError for different units of one benchmark, and when nothing is shared.
    """
    recordings, notes = _one_name(_chosen(recordings, globs))
    for name in recordings[0].series:
        units = {r.series[name].unit: r for r in recordings if name in r.series}
        if len(units) > 1:
            sides = ", ".join(f"{unit} in {r.source}" for unit, r in units.items())
            raise UserError(f"{name}: its units cannot be compared: {sides}")
    speed, beside = split_quantities(recordings, higher)
    recordings = speed
    if not recordings[0].series and any(r.series for r in beside):
        return Matched(recordings, (), tuple(notes), beside)
    base, *heads = recordings
    for head in heads:
        shared = [name for name in base.series if name in head.series]
        if not head.series:
            raise UserError("has no benchmark with a time or a rate", where=head.source)
        if not shared:
            by_position = base.tool == head.tool == "hyperfine"
            alike = by_position and len(base.series) == len(head.series)
            raise UserError(
                f"has no benchmark in common with {base.source} ({some(list(head.series))} here; "
                f"{some(list(base.series))} there)"
                + ("; --by position takes the first with the first" if alike else ""),
                where=head.source,
            )
        for here, other in ((base, head), (head, base)):
            alone = [name for name in here.series if name not in other.series]
            if alone:
                notes.append(
                    Confound(
                        "unmatched",
                        f"only in {here.name}, so not in its mean against {other.name}: "
                        f"{some(alone)}",
                        "note",
                        (here.name,),
                    )
                )
    names = tuple(n for n in base.series if any(n in h.series for h in heads))
    return Matched(tuple(recordings), names, tuple(notes), beside)


def _chosen(recordings: Sequence[Recording], globs: Sequence[str]) -> list[Recording]:
    if not globs:
        return list(recordings)
    every = {name for r in recordings for name in r.series}
    for glob in globs:
        if not any(fnmatchcase(name, glob) for name in every):
            raise UserError(
                f"matches no benchmark; available: {some(sorted(every))}",
                where=f"--benchmark {glob}",
            )
    chosen = []
    for r in recordings:
        series = {n: s for n, s in r.series.items() if any(fnmatchcase(n, g) for g in globs)}
        if not series:
            raise UserError("has no benchmark that can be compared", where=r.source)
        chosen.append(replace(r, series=series))
    return chosen


def _one_name(recordings: list[Recording]) -> tuple[list[Recording], list[Confound]]:
    names = [next(iter(r.series)) for r in recordings]
    if any(len(r.series) > 1 for r in recordings) or len(set(names)) == 1:
        return recordings, []
    renamed = [
        replace(r, series={names[0]: replace(r.series[name], benchmark=names[0])})
        for r, name in zip(recordings, names, strict=True)
    ]
    text = f"each file has one benchmark, under different names: {some(names)}"
    return renamed, [Confound("names", text, "note")]


def some(names: Sequence[str]) -> str:
    """The first eight names, and the number of the others."""
    listed = ", ".join(names[:8])
    return f"{listed} and {len(names) - 8} more" if len(names) > 8 else listed


def same_cpu_names(recordings: Sequence[Recording]) -> tuple[Recording, ...]:
    """Restore the number of CPUs that Go appends to names (``Sort-8``) where another file has
    several numbers: a file with a single one is read without it."""
    every = {name for r in recordings for name in r.series if _CPUS in r.metadata}
    renamed = []
    for recording in recordings:
        cpus = recording.metadata.get(_CPUS)
        full = {}
        for name in recording.series if isinstance(cpus, str) else ():
            first, space, unit = name.partition(" ")
            full[name] = f"{first}-{cpus}{space}{unit}"
        if any(name in every for name in full.values()):
            series = {full[n]: replace(s, benchmark=full[n]) for n, s in recording.series.items()}
            recording = replace(recording, series=series)
        renamed.append(recording)
    return tuple(renamed)


def split_quantities(
    recordings: Sequence[Recording], higher: Sequence[str]
) -> tuple[tuple[Recording, ...], tuple[Recording, ...]]:
    """The same recordings twice: with their speed (times, and rates as time per piece of work), and
    with all other quantities (bytes, allocations, custom units).

    ``higher`` are globs of units or benchmarks that are better when higher. Their series become
    reciprocals, so that a ratio above 1 is always worse. Where the first recording has times, rates
    are other quantities. UserError for a glob that matches nothing.
    """
    for glob in higher:
        if not any(_matches(s, glob) for r in recordings for s in r.series.values()):
            raise UserError("matches no unit and no benchmark", where=f"--higher {glob}")
    marked = [
        [replace(s, higher=s.higher or any(_matches(s, g) for g in higher)) for s in series]
        for series in (r.series.values() for r in recordings)
    ]
    timed = bool(marked) and any(s.unit == SECOND for s in marked[0])
    zeros = {s.benchmark for series in marked for s in series if any(0 in p for p in s.processes)}

    def is_speed(series: Series) -> bool:
        if series.benchmark in zeros:
            return False  # it has no ratio
        return series.unit == SECOND if timed else rate(series.unit) or series.higher

    def part(speed: bool) -> tuple[Recording, ...]:
        return tuple(
            replace(r, series={s.benchmark: as_cost(s) for s in series if is_speed(s) == speed})
            for r, series in zip(recordings, marked, strict=True)
        )

    return part(True), part(False)


def _matches(series: Series, glob: str) -> bool:
    return fnmatchcase(series.benchmark, glob) or fnmatchcase(series.unit, glob)


def as_cost(series: Series) -> Series:
    """Reciprocals for series that are better when higher; zeros, which have none, stay."""
    if not series.higher:
        return series
    processes = tuple(tuple(1 / v if v else 0.0 for v in values) for values in series.processes)
    return replace(series, processes=processes)


#: The most comparisons: more take minutes, and nobody reads such a report.
MOST_COMPARISONS = 200_000


def compare_recordings(
    recordings: Sequence[Recording],
    *,
    margin: float,
    reruns: Sequence[Recording] = (),
    benchmarks: Sequence[str] = (),
    higher: Sequence[str] = (),
    claim: str = "",
    now: float = 0.0,
) -> Result:
    """The first recording is the baseline of all others.

    ``margin`` is relative; ``reruns`` are runs of one build that show the noise between runs;
    ``benchmarks`` are globs, ``higher`` globs of units and benchmarks that are better when higher.
    ``claim`` is a claimed gain to audit, see :func:`read_claim`. ``now`` is seconds since the
    epoch. UserError for recordings that cannot be compared.
    """
    if len(recordings) < 2:
        raise UserError("needs a base and at least one other file to compare with it")
    settling = [settled(r) for r in recordings]
    recordings = same_cpu_names([s.recording for s in settling])
    reruns = [settled(r).recording for r in reruns]
    matched = match_benchmarks(recordings, benchmarks, higher)
    base, *heads = matched.recordings
    if (number := len(matched.benchmarks) * len(heads)) > MOST_COMPARISONS:
        raise UserError(
            f"{number} comparisons are more than {MOST_COMPARISONS}; choose with --benchmark, or "
            "compare fewer files at once"
        )
    noise = None
    if reruns:
        speed, _ = split_quantities(same_cpu_names([*recordings, *reruns]), higher)
        reruns = speed[len(recordings) :]
        noise = calibrate_noise(reruns)
    judged = compare_runs(base, heads, matched.benchmarks, margin=margin, noise=noise)
    asked = read_claim(claim, matched.recordings) if claim else None
    audited = _against_others(asked, matched, margin, noise) if asked else []
    metrics = compare_metrics(matched.beside[0], matched.beside[1:], margin)
    confounds = [
        *date_confounds(matched.recordings, reruns, judged.drifts),
        *metadata_confounds(matched.recordings),
        *noise_confounds(base, reruns),
        *(confound for s in settling for confound in s.confounds),
        *matched.notes,
        *(
            Confound("left-out", f"{r.name}: {'; '.join(r.left_out)}", "note", (r.name,))
            for r in recordings
            if r.left_out
        ),
        *_sampled(matched.recordings),
        *(
            [Confound("no-ratio", f"without a ratio: {some(metrics.incomparable)}", "note")]
            if metrics.incomparable
            else []
        ),
        *shared_outliers(matched.recordings, judged.verdicts),
        *_not_judged(judged.verdicts),
    ]
    return Result(
        question=Recordings(
            baselines=(base.name,),
            margin=margin,
            variants=tuple(Variant(r.name, about=r.source) for r in matched.recordings),
            benchmarks=tuple(Benchmark(name, "command", ()) for name in matched.benchmarks),
            claim=asked,
        ),
        recorded=Recorded(
            run="compare",
            started=now,
            sessions=(
                *(_session(r, b) for r, b in zip(matched.recordings, matched.beside, strict=True)),
                *(_session(r) for r in reruns),
            ),
        ),
        judged=Judged(
            about="runs",
            verdicts=(*judged.verdicts, *(v for a in audited for v in a.verdicts)),
            suites=(*judged.suites, *(s for a in audited for s in a.suites)),
            metrics=metrics.verdicts,
            confounds=tuple(sorted(confounds, key=lambda c: c.severity != "warning")),
        ),
    )


def read_claim(text: str, recordings: Sequence[Recording]) -> Claim:
    """``A:B``, the claim that A is faster than B, both names or files of compared runs. UserError
    for others."""
    names = {key: r.name for r in recordings for key in (r.source, r.name)}
    for at in (i for i, letter in enumerate(text) if letter == ":"):
        variant, baseline = names.get(text[:at]), names.get(text[at + 1 :])
        if variant and baseline and variant != baseline:
            return Claim(variant, baseline)
    raise UserError(
        f"expected A:B, two of the compared runs: {', '.join(r.name for r in recordings)}",
        where=f"--claim {text}",
    )


def _against_others(
    claim: Claim, matched: Matched, margin: float, noise: Noise | None
) -> list[RunVerdicts]:
    """The claimed run against every other possible baseline."""
    main = matched.recordings[0]
    (claimed,) = (r for r in matched.recordings if r.name == claim.variant)
    return [
        compare_runs(r, [claimed], list(r.series), margin=margin, noise=noise)
        for r in matched.recordings
        if r is not claimed and r is not main and any(n in r.series for n in claimed.series)
    ]


def _session(recording: Recording, beside: Recording | None = None) -> Session:
    facts: dict[str, object] = {"file": recording.source, "format": recording.tool}
    facts |= recording.metadata
    facts[MEAN_SECONDS] = {
        name: math.exp(log_mean(series))
        for name, series in recording.series.items()
        if series.unit == SECOND
    }
    if beside is not None:
        facts[MEAN_AMOUNTS] = {name: mean_amount(series) for name, series in beside.series.items()}
    return Session(recording.name, recording.started or 0.0, facts)


def _sampled(recordings: Sequence[Recording]) -> list[Confound]:
    """A confound where samples of one process count as processes."""
    sampled = [r for r in recordings if any(s.sampled for s in r.series.values())]
    if not sampled:
        return []
    names = tuple(r.name for r in sampled)
    text = (
        f"the samples of a benchmark (-count) in {', '.join(names)} come from one process and "
        "count as several: the variation between processes is not in them"
    )
    return [Confound("samples", text, "note", names)]


def _not_judged(verdicts: Sequence[Verdict]) -> list[Confound]:
    """The notes of verdicts, each with the number of its verdicts."""
    notes = Counter(note for v in verdicts for note in v.notes)
    total = len(verdicts)
    return [
        Confound(
            "not-judged", f"{number} of {total} comparisons: {note}" if total > 1 else note, "note"
        )
        for note, number in notes.items()
    ]
