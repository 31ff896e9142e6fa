"""From what is seen to the answer."""

from __future__ import annotations

import numpy as np

from whyfast.search.answer import Interval, SearchAnswer, Where, Word
from whyfast.search.confirm import ALPHA, Attempt, interval
from whyfast.search.state import State
from whyfast.search.view import View, likely, located

#: A second step is spoken of when there are two with this probability.
SEVERAL = 0.9


def conclude(state: State, seen: View, word: Word) -> SearchAnswer:
    """The answer ``word`` with all that it rests on; "culprit" needs a confirmation."""
    last = seen.tries[-1] if seen.tries else None
    where, step, several = None, None, False
    if word == "undecided" and seen.belief is not None:
        where = located(seen.belief, state) or likely(seen.belief)
    if word == "culprit" and last is not None:
        where = _at(last, seen)
        step = Interval(last.estimate, last.low, last.high, last.blocks)
        several = _several(state, seen, last)
        word = "culprit" if where.size == 1 else "one of"
    return SearchAnswer(
        word=word,
        ends=_ends(state, layouts=False),
        varied=_ends(state, layouts=True),
        of=dict(seen.belief.of) if seen.belief else {},
        tested=seen.tested,
        where=where,
        step=step,
        several=several,
        placed=_placed(seen),
    )


def _at(attempt: Attempt, seen: View) -> Where:
    """Where the confirmed step is, with its probability from the search."""
    belief = seen.belief
    share = 1.0
    if belief is not None and attempt.parent in belief.bounds[:-1]:
        gap = belief.bounds.index(attempt.parent)
        share = float(belief.some[gap]) / max(belief.step, 1e-300)
    return Where(attempt.parent + 1, attempt.culprit, min(share, 1.0))


def _several(state: State, seen: View, attempt: Attempt) -> bool:
    """Whether the step is not all of the ends' difference."""
    ends = _ends(state, layouts=attempt.layouts)
    if ends is not None and (attempt.low > ends.high or attempt.high < ends.low):
        return True
    belief = seen.belief
    return belief is not None and belief.of["several"] > SEVERAL * belief.step


def _placed(seen: View) -> tuple[Where, ...]:
    """Steps found as linked that vanished over layouts, while the difference did not.

    After the first such, candidates are measured over layouts, so there is at most one.
    """
    if seen.tested != "change" or not seen.differ:
        return ()
    failed = [t for t in seen.tries if t.layouts and t.word == "refuted"][:1]
    return tuple(Where(t.parent + 1, t.culprit, 1.0) for t in failed)


def _ends(state: State, *, layouts: bool) -> Interval | None:
    """The ends' log ratio from all blocks as linked or all over layouts; None without any."""
    d = np.array([o.ends for o in state.observations if o.layouts == layouts])
    if not d.size:
        return None
    low, high = interval(tuple(d.tolist()), ALPHA)
    return Interval(float(np.median(d)), low, high, len(d))
