"""From recordings of other tools to a result that every report can show."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

from whyfast.investigate.compare_match import Matched, match_benchmarks, same_cpu_names, some
from whyfast.investigate.compare_units import split_quantities
from whyfast.judge.noise import Noise, calibrate_noise
from whyfast.judge.processes import log_mean
from whyfast.judge.run_confounds import metadata_confounds, noise_confounds
from whyfast.judge.run_dates import date_confounds
from whyfast.judge.run_metrics import RunMetrics, compare_metrics, mean_amount
from whyfast.judge.runs import RunVerdicts, compare_runs
from whyfast.judge.shared_outliers import shared_outliers
from whyfast.model.errors import UserError
from whyfast.model.question import Claim, Recordings
from whyfast.model.result import Judged, Recorded, Result
from whyfast.model.sample import Session
from whyfast.model.series import MEAN_AMOUNTS, MEAN_SECONDS, SECOND, Recording
from whyfast.model.variant import Benchmark, Variant
from whyfast.model.verdict import Confound, Verdict

#: More comparisons than this are no report that anybody reads, and take minutes.
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
    recordings = same_cpu_names(recordings)
    matched = match_benchmarks(recordings, benchmarks, higher)
    base, *heads = matched.recordings
    if (number := len(matched.benchmarks) * len(heads)) > MOST_COMPARISONS:
        raise UserError(
            f"{number} comparisons are more than {MOST_COMPARISONS}; choose with --benchmark, or "
            "compare fewer files at once"
        )
    noise = None
    if reruns:
        reruns = split_quantities(same_cpu_names([*recordings, *reruns]), higher).speed
        reruns = reruns[len(recordings) :]
        noise = calibrate_noise(reruns)
    said = compare_runs(base, heads, matched.benchmarks, margin=margin, noise=noise)
    asked = read_claim(claim, matched.recordings) if claim else None
    audited = _against_others(asked, matched, margin, noise) if asked else []
    metrics = compare_metrics(matched.beside[0], matched.beside[1:], margin)
    confounds = [
        *date_confounds(matched.recordings, reruns, said.drifts),
        *metadata_confounds(matched.recordings),
        *noise_confounds(base, reruns),
        *matched.notes,
        *_left_out(recordings),
        *_sampled(matched.recordings),
        *_incomparable(metrics),
        *shared_outliers(matched.recordings, said.verdicts),
        *_not_judged(said.verdicts),
    ]
    return Result(
        question=_question(matched, margin, asked),
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
            verdicts=(*said.verdicts, *(v for a in audited for v in a.verdicts)),
            suites=(*said.suites, *(s for a in audited for s in a.suites)),
            metrics=metrics.verdicts,
            confounds=tuple(sorted(confounds, key=lambda c: c.severity != "warning")),
        ),
    )


def read_claim(text: str, recordings: Sequence[Recording]) -> Claim:
    """``A:B``: A is said to be faster than B, both names or files of compared runs. UserError when
    one of them is not among these."""
    names = {key: r.name for r in recordings for key in (r.source, r.name)}
    for at in (i for i, letter in enumerate(text) if letter == ":"):
        variant, baseline = names.get(text[:at]), names.get(text[at + 1 :])
        if variant and baseline and variant != baseline:
            return Claim(variant, baseline)
    raise UserError(
        f"A:B is wanted, of two of the compared runs: {', '.join(r.name for r in recordings)}",
        where=f"--claim {text}",
    )


def _against_others(
    claim: Claim, matched: Matched, margin: float, noise: Noise | None
) -> list[RunVerdicts]:
    """The claimed run against every other that could have been its baseline."""
    main = matched.recordings[0]
    (claimed,) = (r for r in matched.recordings if r.name == claim.variant)
    return [
        compare_runs(r, [claimed], list(r.series), margin=margin, noise=noise)
        for r in matched.recordings
        if r is not claimed and r is not main and any(n in r.series for n in claimed.series)
    ]


def _question(matched: Matched, margin: float, claim: Claim | None) -> Recordings:
    return Recordings(
        baselines=(matched.recordings[0].name,),
        margin=margin,
        variants=tuple(Variant(r.name, about=r.source) for r in matched.recordings),
        benchmarks=tuple(Benchmark(name, "command", ()) for name in matched.benchmarks),
        claim=claim,
    )


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


def _left_out(recordings: Sequence[Recording]) -> list[Confound]:
    return [
        Confound("left-out", f"{r.name}: {'; '.join(r.left_out)}", "note", (r.name,))
        for r in recordings
        if r.left_out
    ]


def _sampled(recordings: Sequence[Recording]) -> list[Confound]:
    """Where values of one process stand for processes."""
    found = [r for r in recordings if any(s.sampled for s in r.series.values())]
    if not found:
        return []
    names = tuple(r.name for r in found)
    text = (
        f"the samples of a benchmark (-count) in {', '.join(names)} come from one process and are "
        "taken as if from several: what differs between processes is not in them"
    )
    return [Confound("samples", text, "note", names)]


def _incomparable(metrics: RunMetrics) -> list[Confound]:
    if not metrics.incomparable:
        return []
    return [Confound("no-ratio", f"without a ratio: {some(metrics.incomparable)}", "note")]


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
