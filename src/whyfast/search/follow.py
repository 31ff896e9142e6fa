"""From a first answer to what is behind it: into merged branches, and on to further steps."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from whyfast.model.errors import UserError
from whyfast.search.answer import remainders
from whyfast.search.axes.candidate import AxisCandidate
from whyfast.search.run import SearchResult

#: Branches in branches are followed so deep.
DEEPEST = 6


@dataclass(frozen=True)
class Ways:
    """How to go on. ``search`` searches a range of candidates, backwards or not. ``inside`` gives
    the range of what a candidate merged, the oldest first, None where it is no merge.
    ``everything``: further steps too. ``back`` are the candidates beyond the bad end, the last
    first: where is it good again?"""

    search: Callable[[Sequence[AxisCandidate], bool], SearchResult]
    inside: Callable[[AxisCandidate], Sequence[AxisCandidate] | None]
    everything: bool = False
    back: Sequence[AxisCandidate] = ()


def follow(result: SearchResult, ways: Ways, depth: int = 0) -> SearchResult:
    """The result with further ones in it.

    A culprit that merged a branch is searched in that branch, and so on; its own verdict stays. A
    remainder over which it became better is searched backwards, for what repaired it. A
    further search that cannot be made, for want of an end that builds, is told in ``notes``.
    """
    further: list[SearchResult] = []
    notes: list[str] = []

    def add(why: str, candidates: Sequence[AxisCandidate], backwards: bool) -> None:
        try:
            found = replace(ways.search(candidates, backwards), why=why)
        except UserError as error:
            notes.append(f"the {why} could not be searched: {error}")
        else:
            further.append(follow(found, ways, depth + 1))
            if why == "remainder" and found.answer.word == "swapped":
                add("repair", candidates[::-1], not backwards)

    answer = result.answer
    onwards, backwards = result.why != "repair", result.backwards
    if onwards and answer.word == "culprit" and answer.where is not None and depth < DEEPEST:
        branch = ways.inside(result.at(answer.where.first))
        if branch is not None:
            add("merged branch", branch[::-1] if backwards else branch, backwards)
    if ways.back and depth == 0 and answer.word in ("culprit", "one of"):
        add("way back", ways.back, not backwards)
    if ways.everything and onwards and depth < DEEPEST:
        for good, bad in remainders(answer, len(result.candidates) - 1):
            add("remainder", result.candidates[good : bad + 1], backwards)
    return replace(result, further=tuple(further), notes=(*result.notes, *notes))


def deepest(result: SearchResult) -> SearchResult:
    """The result of the innermost merged branch in which a culprit was found, or the result."""
    for one in result.further:
        if one.why == "merged branch" and one.answer.word in ("culprit", "one of"):
            return deepest(one)
    return result


def merged_by(result: SearchResult) -> tuple[AxisCandidate, ...]:
    """The merges by which the deepest culprit came in, the outermost first."""
    inner = deepest(result)
    merges = []
    while result is not inner:
        where = result.answer.where
        assert where is not None
        merges.append(result.at(where.first))
        (result,) = [r for r in result.further if r.why == "merged branch"]
    return tuple(merges)
