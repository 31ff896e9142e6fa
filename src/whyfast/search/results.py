"""The results of searches, what differs between a culprit and its parent, and the kept file."""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from whyfast.explain.objects.elf import open_elf
from whyfast.explain.same_builds import same_builds
from whyfast.model.code import ChangeCoverage, CodeComparison
from whyfast.model.codec import Malformed, decode, encode
from whyfast.model.errors import UserError
from whyfast.model.evidence import DispatchFacts
from whyfast.model.why import Account
from whyfast.search.ddmin import Event, Failed, Minimal
from whyfast.search.state import (
    AxisCandidate,
    Observation,
    Quantity,
    SearchAnswer,
    State,
    Task,
    Where,
)
from whyfast.search.view import Trial
from whyfast.store.files import write_whole


@dataclass(frozen=True)
class SectionSize:
    """A section of the program that differs, bytes in the parent and in the culprit."""

    name: str
    before: int
    after: int


@dataclass(frozen=True)
class StepEvidence:
    """Parent and culprit side by side. ``code``: the functions that differ. ``reaches``: whether
    each benchmark executes them. ``dispatch``: of parent and culprit. ``sections``: those whose
    size differs. ``files``: source files that the step changed. ``account``: of the difference in
    time."""

    code: CodeComparison
    reaches: tuple[ChangeCoverage, ...] = ()
    dispatch: tuple[DispatchFacts, DispatchFacts] | None = None
    sections: tuple[SectionSize, ...] = ()
    files: tuple[str, ...] = ()
    account: Account | None = None


def compared(
    parent: tuple[Path, Path], culprit: tuple[Path, Path], files: Sequence[str] = ()
) -> StepEvidence:
    """The programs compared; each is its build directory, and its path in there."""
    before, after = _sizes(parent[0] / parent[1]), _sizes(culprit[0] / culprit[1])
    return StepEvidence(
        same_builds(parent, culprit),
        sections=tuple(
            SectionSize(name, before[name], after[name])
            for name in dict.fromkeys((*before, *after))
            if before[name] != after[name]
        ),
        files=tuple(files),
    )


def _sizes(program: Path) -> Counter[str]:
    """Bytes of the sections that are loaded; empty for a file that is not ELF."""
    try:
        sections = open_elf(program).sections
    except UserError:
        return Counter()
    sizes = Counter[str]()
    for section in sections:
        if section.loaded:
            sizes[section.name] += section.size
    return sizes


@dataclass(frozen=True)
class SearchResult:
    """A bisection: the candidates, all blocks, and the answer. ``evidence``: what differs between
    culprit and parent. ``further``: searches that followed, ``why`` of each: ``merged branch``,
    ``remainder``, ``repair`` or ``way back``. ``notes``: further sentences. ``quantity``: what was
    compared; every "time" is a cost of that kind. ``backwards``: the good end is the newer one."""

    axis: str
    candidates: tuple[AxisCandidate, ...]
    state: State
    answer: SearchAnswer
    evidence: StepEvidence | None = None
    why: str = ""
    further: tuple[SearchResult, ...] = ()
    notes: tuple[str, ...] = ()
    quantity: Quantity = "time"
    backwards: bool = False

    def at(self, position: int) -> AxisCandidate:
        """The candidate with the step at a position: the newer of the two around it."""
        return self.candidates[position - self.backwards]

    def sides(self, where: Where) -> tuple[int, int]:
        """The candidates around a step, the older one first."""
        return (where.last, where.parent) if self.backwards else (where.parent, where.last)


def begun(
    axis: str,
    candidates: Sequence[AxisCandidate],
    task: Task,
    quantity: Quantity = "time",
    *,
    backwards: bool = False,
) -> SearchResult:
    """A bisection without any block yet."""
    none = SearchAnswer("undecided", None, None, {}, "not tested")
    return SearchResult(
        axis, tuple(candidates), State(task), none, quantity=quantity, backwards=backwards
    )


def deepest(result: SearchResult) -> SearchResult:
    """The result of the innermost merged branch in which a culprit was found, or the result."""
    for branch in result.further:
        if branch.why == "merged branch" and branch.answer.outcome in ("culprit", "one of"):
            return deepest(branch)
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


@dataclass(frozen=True)
class SetResult:
    """A search in a set: the names of the ends, the titles of the differences by number, all
    blocks, and the answer. ``vanishing``: what it means when the difference disappears in mixtures.
    ``reverted``: further differences, as at the good end throughout. ``further``: the search of the
    remaining difference; ``note``: why there is none."""

    axis: str
    good: str
    bad: str
    differences: tuple[str, ...]
    quantity: Quantity
    events: tuple[Event, ...]
    answer: Minimal
    vanishing: str = ""
    reverted: tuple[str, ...] = ()
    further: SetResult | None = None
    note: str = ""


#: Increased when a search of an older whyfast can no longer be resumed.
FORMAT = 3


def search_key(*parts: object) -> str:
    """A key, equal for searches that are one: of all that must be equal."""
    text = json.dumps([FORMAT, *parts], sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:24]


@dataclass(frozen=True)
class SearchFile:
    """One kept search; ``names`` are its candidates or differences, in order. The file of another
    search or format, or a damaged one, counts as empty. Saving is durable when it returns, and
    raises UserError when the file cannot be written."""

    path: Path
    names: Sequence[str]

    def save_state(self, state: State) -> None:
        """Keep a bisection."""
        skipped = {str(candidate): reason for candidate, reason in state.skipped.items()}
        built, observations = sorted(state.built), encode(state.observations)
        self._save({"built": built, "skipped": skipped, "observations": observations})

    def load_state(self, task: Task) -> State | None:
        """The kept bisection, None without one."""
        data = self._load()
        try:
            return State(
                task,
                decode(tuple[Observation, ...], data["observations"]),
                frozenset(data["built"]),
                {int(candidate): str(reason) for candidate, reason in data["skipped"].items()},
            )
        except (Malformed, ValueError, KeyError, TypeError):
            return None

    def save_events(self, events: Sequence[Event]) -> None:
        """Keep a search in a set of differences."""
        self._save({"events": encode(tuple(events))})

    def load_events(self) -> tuple[Event, ...]:
        """The kept blocks of a search in a set."""
        try:
            events = self._load()["events"]
            return tuple(decode(Failed if "reason" in e else Trial, e) for e in events)
        except (Malformed, KeyError, TypeError):
            return ()

    def evidence(
        self, step: tuple[int, int], find: Callable[[], StepEvidence | None]
    ) -> StepEvidence | None:
        """The kept differences between two candidates, else those that ``find`` finds, which are
        kept: an account takes a minute, and the same command may only ask for more details."""
        kept = self._load()
        with contextlib.suppress(Malformed, KeyError, TypeError):
            if kept["step"] == list(step):
                evidence: StepEvidence = decode(StepEvidence, kept["evidence"])
                return evidence
        found = find()
        if found is not None and (found.account is None or found.account.complete):
            self._save({**kept, "step": list(step), "evidence": encode(found)})
        return found

    def _save(self, content: dict[str, Any]) -> None:
        whole = {**content, "format": FORMAT, "names": list(self.names)}
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            write_whole(self.path, json.dumps(whole), durable=True)
        except OSError as error:
            raise UserError(f"cannot be written: {error.strerror}", where=self.path) from error

    def _load(self) -> dict[str, Any]:
        try:
            data = json.loads(self.path.read_text())
            ours = data["format"] == FORMAT and data["names"] == list(self.names)
        except (OSError, ValueError, KeyError, TypeError):
            return {}
        return data if ours else {}
