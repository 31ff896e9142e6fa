"""What the blocks of a search say so far: which of them count, and what follows from them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from whyfast.search.answer import Tested, Where
from whyfast.search.confirm import Attempt
from whyfast.search.nuisance import FEWEST
from whyfast.search.placement import SURE, test_of
from whyfast.search.posterior import Posterior, posterior
from whyfast.search.state import Observation, State

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class View:
    """What follows from a state.

    ``layouts``: whether candidates are to be measured over layouts. ``seen``: the blocks of that
    kind, and ``belief`` what they say, None while they are too few. ``differ``: whether the bad
    end as linked may be slower. ``tested``: what layouts said of that difference. ``tries``: the
    confirmations so far.
    """

    layouts: bool
    seen: tuple[Observation, ...]
    belief: Posterior | None
    differ: bool
    tested: Tested
    tries: tuple[Attempt, ...]


def view(state: State, tries: tuple[Attempt, ...]) -> View:
    """Everything that the next step and the answer depend on; ``tries`` are all confirmations.

    Candidates are measured as linked, where layouts make no noise, unless layouts can be drawn
    and the difference of the ends over layouts is another one than as linked: then a step as
    linked may be a matter of placement.
    """
    seen = _counted(state, tries, layouts=False)
    belief = _believed(seen, state, layouts=False)
    if not state.task.relinkable:
        return View(False, seen, belief, True, "not tested", tries)
    if belief is None:
        return View(False, seen, belief, True, "undecided", tries)
    varied = _counted(state, tries, layouts=True)
    differ = max(belief.of["none"], belief.of["swapped"]) < SURE
    known = state.task.known
    tested: Tested = "change"
    if differ:
        tested = test_of(_ends(seen), _ends(varied), state.task.margin, known)
    if differ and not _misled(belief, tries) and tested != "partly":
        return View(False, seen, belief, True, tested, tries)
    return View(True, varied, _believed(varied, state, layouts=True), differ, tested, tries)


def _misled(belief: Posterior, tries: Sequence[Attempt]) -> bool:
    """Whether candidates as linked are no guide: there is no step, or one that is placement."""
    failed = any(t.word == "refuted" and t.layouts for t in tries)
    return failed or max(belief.of["gradual"], belief.of["scattered"]) >= SURE


def located(belief: Posterior, state: State) -> Where | None:
    """The place of a step, when it is sure and no candidate is left that could narrow it down.

    A gap cannot be narrowed down when all candidates inside it are skipped.
    """
    best = int(np.argmax(belief.some))
    low, high = belief.bounds[best], belief.bounds[best + 1]
    share = float(belief.some[best]) / max(belief.step, 1e-300)
    if share < SURE or any(c not in state.skipped for c in range(low + 1, high)):
        return None
    return Where(low + 1, high, min(share, 1.0))


def likely(belief: Posterior) -> Where:
    """The fewest neighbouring gaps that hold a step with 95 %: where it is, if not yet found."""
    order = np.argsort(-belief.largest, kind="stable")
    enough = int(np.searchsorted(np.cumsum(belief.largest[order]), 0.95)) + 1
    first, last = int(order[:enough].min()), int(order[:enough].max())
    held = float(belief.largest[first : last + 1].sum())
    return Where(belief.bounds[first] + 1, belief.bounds[last + 1], min(held, 1.0))


def _counted(state: State, tries: Sequence[Attempt], *, layouts: bool) -> tuple[Observation, ...]:
    """The blocks that the posterior may use.

    Those of a confirmation are kept apart until it has failed. Of candidates that turned out not
    to be measurable only the ends count.
    """
    failed = {t.number for t in tries if t.word in ("refuted", "unconfirmed")}
    return tuple(
        _without(o, state.skipped)
        for o in state.observations
        if o.layouts == layouts and (o.pair is None or o.pair.attempt in failed)
    )


def _without(block: Observation, skipped: Mapping[int, str]) -> Observation:
    if not any(r.candidate in skipped for r in block.readings):
        return block
    return replace(block, readings=tuple(r for r in block.readings if r.candidate not in skipped))


def _believed(seen: tuple[Observation, ...], state: State, *, layouts: bool) -> Posterior | None:
    """Known ends are known as linked; over layouts the noise is another."""
    task = replace(state.task, known=None) if layouts else state.task
    if task.known is None and len(seen) < FEWEST:
        return None
    return posterior(seen, task)


def _ends(blocks: Sequence[Observation]) -> Floats:
    return np.array([o.ends for o in blocks])
