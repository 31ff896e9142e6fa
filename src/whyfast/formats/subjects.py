"""One file that holds several subjects, as the commands of a hyperfine file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from whyfast.model.errors import UserError
from whyfast.model.series import Recording


def by_subject(recording: Recording) -> tuple[Recording, ...]:
    """Each subject as a recording of its own, in the order of the file. UserError unless there are
    several."""
    subjects = list(dict.fromkeys(s.subject for s in recording.series.values() if s.subject))
    if len(subjects) < 2:
        raise UserError(
            "is one run; name another file to compare it with, or one hyperfine file of several "
            "commands",
            where=recording.source,
        )
    return tuple(
        replace(
            recording,
            name=subject,
            series={
                s.task: replace(s, benchmark=s.task)
                for s in recording.series.values()
                if s.subject == subject
            },
        )
        for subject in subjects
    )


def by_position(recordings: Sequence[Recording]) -> tuple[Recording, ...]:
    """Benchmarks named as the first recording names the one at their place, for files whose
    commands are the same in other words. UserError where one has more or fewer."""
    first = list(recordings[0].series)
    found = []
    for r in recordings:
        if len(r.series) != len(first):
            raise UserError(
                f"has {len(r.series)} benchmarks and {recordings[0].source} has {len(first)}, so "
                "their positions do not go together",
                where=r.source,
            )
        pairs = zip(first, r.series.values(), strict=True)
        found.append(replace(r, series={n: replace(s, benchmark=n) for n, s in pairs}))
    return tuple(found)
