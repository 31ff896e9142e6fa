"""The oracle of a search for a set: mixtures of two ends, built and measured beside both."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from whyfast.search.axes.candidate import AxisCandidate
from whyfast.search.minimise import Event, Failed, Try
from whyfast.search.mixture_label import label
from whyfast.search.subject import (
    BuildsAhead,
    CandidateFailed,
    Layouts,
    Subject,
    Times,
    observation,
)
from whyfast.search.subsets import Subset, Trial

GOOD, BAD = 0, 1


@dataclass
class SetSubject:
    """Answers :func:`whyfast.search.minimise.minimise`, given all that was answered before.

    ``candidates`` are those of ``subject``, which may grow: the ends first, then every mixture
    when it is first asked for, of the differences of these ``titles``.
    Raises CandidateFailed when an end cannot be built or measured.
    """

    subject: Subject
    candidates: list[AxisCandidate]
    titles: Sequence[str]
    _numbers: dict[Subset, int] = field(default_factory=dict)

    def __call__(self, wanted: Try, before: Sequence[Event]) -> Event:
        """Take a block."""
        chosen = [] if wanted.subset is None else [self._number(wanted.subset)]
        try:
            if wanted.fresh:
                self.subject.settle(chosen)
            blocks = self.subject.block(
                [GOOD, BAD, *chosen],
                number=len(before) + 1,
                layouts=_layouts(wanted.subset, chosen, before) if wanted.layouts else None,
            )
        except CandidateFailed as failed:
            if failed.candidate in (GOOD, BAD) or wanted.subset is None:
                raise
            return Failed(wanted.subset, failed.reason)
        return _trial(blocks, chosen, wanted)

    def foresee(self, subsets: Iterable[Subset]) -> None:
        """These mixtures are likely to be asked for, the likeliest first."""
        if isinstance(self.subject, BuildsAhead):
            self.subject.foresee(self._number(subset) for subset in subsets)

    def _number(self, subset: Subset) -> int:
        if subset not in self._numbers:
            self._numbers[subset] = len(self.candidates)
            name = "+".join(map(str, sorted(subset)))
            self.candidates.append(AxisCandidate(name, label(self.titles, subset), mixed=subset))
        return self._numbers[subset]


def _layouts(subset: Subset | None, chosen: Sequence[int], before: Sequence[Event]) -> Layouts:
    """For the ends and the mixture the first layout that no block ran yet."""
    varied = [e for e in before if isinstance(e, Trial) and e.layouts]
    ends, own = len(varied) + 1, sum(t.subset == subset for t in varied) + 1
    return {GOOD: ends, BAD: ends, **dict.fromkeys(chosen, own)}


def _trial(blocks: Sequence[Times], chosen: Sequence[int], wanted: Try) -> Trial:
    """As the block of a search along a line whose bad end has the highest number."""
    order = [GOOD, *chosen, BAD]
    renamed = [{n: times[c] for n, c in enumerate(order)} for times in blocks]
    seen = observation(renamed, len(order) - 1, layouts=False)
    offset = seen.readings[0].offset if seen.readings else 0.0
    return Trial(seen.ends, wanted.subset, offset, wanted.fresh, wanted.layouts)
