"""When recorded runs were taken, and what that leaves open."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from whyfast.model.series import Recording
from whyfast.model.verdict import Confound

DRIFT = "session drift is not excluded"

_HOUR, _DAY = 3600.0, 86400.0


def date_confounds(
    recordings: Sequence[Recording], reruns: Sequence[Recording], drifts: Sequence[float] = ()
) -> Iterator[Confound]:
    """That the runs were not interleaved, how far apart they lie, and which overlap.

    ``drifts``: for each head, the standard deviation of drift that was allowed for a benchmark.
    """
    yield _drift(reruns, drifts)
    base, *heads = recordings
    after: list[str] = []
    before: list[str] = []
    overlapping: list[str] = []
    for head in heads:
        gap = _gap(base, head)
        if gap is None or _copied(base, head):
            continue
        if gap == 0:
            overlapping.append(head.name)
        else:
            (after if gap > 0 else before).append(f"{head.name} {_duration(abs(gap))}")
    for word, apart in (("after", after), ("before", before)):
        if apart:
            yield Confound("date", f"recorded {word} {base.name}: {', '.join(apart)}", "note")
    if overlapping:
        yield Confound(
            "overlap",
            f"recorded while {base.name} was: {', '.join(overlapping)}; they may have disturbed "
            "each other",
        )


def _drift(reruns: Sequence[Recording], drifts: Sequence[float]) -> Confound:
    if not reruns:
        allowed = " and ".join(dict.fromkeys(f"{drift * 100:.2g} %" for drift in drifts if drift))
        by = f" (a standard deviation of {allowed} a benchmark)" if allowed else ""
        return Confound(
            "session-drift",
            f"the runs were not interleaved, so {DRIFT}: the intervals allow for as much as runs "
            f"of one build differ by elsewhere{by}, not for what changed between these; reruns of "
            "one build given as --noise would show how much that is",
        )
    few = "; more reruns would narrow the intervals" if len(reruns) < 5 else ""
    return Confound(
        "session-drift",
        f"the runs were not interleaved, so {DRIFT}; the intervals allow for as much as "
        f"{len(reruns)} reruns of one build show{few}",
        "note",
    )


def _copied(base: Recording, head: Recording) -> bool:
    """Whether it is the same run once more, which disturbed nothing."""
    times = [(r.started, r.ended) for r in (base, head)]
    return times[0] == times[1] and base.series == head.series


def _gap(base: Recording, head: Recording) -> float | None:
    """Seconds from the end of one to the start of the other; negative when the head was first,
    0 when they overlap, None when either has no dates."""
    if base.started is None or base.ended is None or head.started is None or head.ended is None:
        return None
    if head.started == head.ended == base.started == base.ended:
        return None  # one stamp a file, of the campaign that both belong to
    if head.started > base.ended:
        return head.started - base.ended
    if base.started > head.ended:
        return head.ended - base.started
    return 0.0


def _duration(seconds: float) -> str:
    if seconds < 2 * _HOUR:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / _HOUR:.0f} h" if seconds < 2 * _DAY else f"{seconds / _DAY:.0f} days"
