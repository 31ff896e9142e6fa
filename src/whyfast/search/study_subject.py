"""Candidates of a study, built and started like the variants of a run."""

from __future__ import annotations

import contextlib
import random
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from whyfast.build.recipe import Recipe
from whyfast.explain.sizes import build_files, sizes_of
from whyfast.investigate.building import build
from whyfast.investigate.context import RunContext, study_prefixes
from whyfast.investigate.counting import BuildCounter, scratch_folder
from whyfast.investigate.measuring import launch_arguments
from whyfast.investigate.services import Note, Observer, Silent
from whyfast.measure.count import heap_of
from whyfast.measure.invocation import LaunchArguments
from whyfast.measure.tools import CannotCount
from whyfast.model.build import Build, BuildFailure
from whyfast.model.errors import UserError
from whyfast.model.sample import RunFailure
from whyfast.model.study import Study
from whyfast.model.variant import Benchmark, Variant
from whyfast.model.verdict import Verdict
from whyfast.search.state import MEASURED, AxisCandidate, Quantity
from whyfast.search.subject import Blocks, CandidateFailed, Layouts, Times
from whyfast.store.builds import BuildStore

#: Variants of a search are named by candidates' numbers: ``building 2 with gcc``, ``2: step 1 of
#: 3``.
_NUMBERED = re.compile(r"(?:(?<=^)|(?<=^building ))\d+(?= with |: )")


@dataclass(frozen=True)
class WithinSearch(Silent):
    """Reports all but phases (a search is one) and replaces candidates' numbers by their names."""

    observer: Observer
    name: Callable[[int], str] = str

    def step(self, text: str) -> None:
        """Passed on."""
        self.observer.step(_NUMBERED.sub(lambda n: self.name(int(n[0])), text, count=1))

    def note(self, text: str) -> None:
        """A step: it is about one of many candidates, and the result lists the skipped ones."""
        self.step(text)

    def failure(self, failure: RunFailure) -> None:
        """Passed on."""
        self.observer.failure(failure)

    def block(
        self, benchmark: str, verdicts: Sequence[Verdict], spent: float, budget: float
    ) -> None:
        """Passed on."""
        self.observer.block(benchmark, verdicts, spent, budget)


#: Builds a candidate of a study as the only variant, of that name. What cannot be built is a
#: :class:`BuildFailure` in the work that it returns.
Make = Callable[[RunContext[Study], AxisCandidate, str], RunContext[Study]]


def make_variant(
    context: RunContext[Study], candidate: AxisCandidate, name: str
) -> RunContext[Study]:
    """The candidate's variant, built by the steps of the study."""
    assert candidate.variant is not None
    return build_alone(context, replace(candidate.variant, name=name))


def build_alone(context: RunContext[Study], variant: Variant) -> RunContext[Study]:
    """The study with that variant alone, built."""
    asked = replace(
        context.question, variants=(variant,), baselines=(variant.name,), claim=None, control=False
    )
    return build(replace(context, question=asked))


def without_layouts(study: Study) -> Study:
    """The study without layouts to draw."""
    return replace(study, measure=replace(study.measure, layouts=0))


#: The costs of the second program, a number above 0 for each benchmark; more is worse. The first
#: is the good end, which is counted first. Raises :class:`CannotCount`.
Count = Callable[[RunContext[Study], RunContext[Study]], tuple[float, ...]]


def counting(quantity: Quantity) -> Count:
    """``instructions``, ``allocations``, ``peak-heap``: simulated in one turn, or a whole run.
    ``size``: bytes of code and data. ``indirect-jumps``: the reciprocal of their number in
    functions that dispatch, since merged dispatch is the slower one."""
    if quantity == "instructions":
        return _Instructions()
    if quantity in ("allocations", "peak-heap"):
        return partial(_heap, quantity)
    return _size if quantity == "size" else _merged


def _size(good: RunContext[Study], candidate: RunContext[Study]) -> tuple[float, ...]:
    """Bytes of code and data of the program and its libraries."""
    (build,) = candidate.builds
    assert isinstance(build, Build)
    files = build_files(build, Path(candidate.question.build.program))
    try:
        size = sizes_of(files).totals["size"]
    except (UserError, OSError) as error:
        raise CannotCount(str(error)) from None
    if not size:
        raise CannotCount("the program is no ELF file")
    return (float(size),)


def _heap(
    quantity: Quantity, good: RunContext[Study], candidate: RunContext[Study]
) -> tuple[float, ...]:
    """On each benchmark that can be counted, of a whole run or a turn, by DHAT."""
    costs = []
    with scratch_folder(candidate.home) as folder:
        counter = BuildCounter(candidate, folder, misses=False)
        valgrind = counter.simulator().valgrind
        for benchmark in candidate.question.benchmarks:
            if benchmark.kind.countable:
                (task,) = counter.tasks(benchmark)
                costs.append(heap_of(task, valgrind)[quantity])
    if not all(costs):
        raise CannotCount(f"no {quantity} to compare: it is 0")
    return tuple(costs)


def _merged(good: RunContext[Study], candidate: RunContext[Study]) -> tuple[float, ...]:
    dispatch = candidate.evidence[0].dispatch if candidate.evidence else None
    if dispatch is None or not dispatch.indirect_jumps:
        raise CannotCount("no indirect jump in the functions that dispatch")
    return (1 / dispatch.indirect_jumps,)


@dataclass
class _Instructions:
    """Of the good end it remembers how many loops were chosen; so each program is simulated once,
    and all do the same work."""

    _loops: dict[str, int] = field(default_factory=dict)

    def __call__(self, good: RunContext[Study], candidate: RunContext[Study]) -> tuple[float, ...]:
        benchmarks = [b for b in candidate.question.benchmarks if b.kind.countable]
        chosen = all(b.name in self._loops for b in benchmarks)
        context = candidate if good is candidate or chosen else _both(good, candidate)
        name = candidate.builds[0].variant
        costs = []
        with scratch_folder(context.home) as folder:
            counter = BuildCounter(context, folder, misses=False)
            for benchmark in benchmarks:
                wanted = self._loops.get(benchmark.name)
                counts, _, loops = counter.simulated(benchmark, wanted)
                (counted,) = [c for c in counts if c.variant == name]
                executed = [c.value for c in counted.counters if c.name == "instructions"]
                if counted.failed or not executed or not executed[0]:
                    reason = (*counted.notes, "nothing was counted")[0]
                    raise CannotCount(f"{benchmark.name}: {reason}")
                self._loops[benchmark.name] = loops
                costs.append(executed[0])
        return tuple(costs)


def _both(good: RunContext[Study], candidate: RunContext[Study]) -> RunContext[Study]:
    """Both programs in one context; the good end is its baseline."""
    works = (good, candidate)
    variants = tuple(w.question.variant(w.builds[0].variant) for w in works)
    return replace(
        good,
        question=replace(good.question, variants=variants),
        builds=tuple(w.builds[0] for w in works),
        toolchains=tuple({t.digest: t for w in works for t in w.toolchains}.values()),
        evidence=tuple(e for w in works for e in w.evidence),
        prefixes={k: v for w in works for k, v in w.prefixes.items()},
    )


@dataclass
class StudySubject:
    """Candidates by number, built by ``make`` like the variants of the study in ``context``;
    ``count`` counts each build once. ``incremental``: candidates between the ends are built in the
    last build's directory until rebuilt clean or measured over layouts. ``ends``: by default the
    first and the last."""

    context: RunContext[Study]
    candidates: Sequence[AxisCandidate]
    seed: int
    quantity: Quantity = "time"
    make: Make = make_variant
    count: Count | None = None
    incremental: bool = False
    ends: tuple[int, int] | None = None
    _rebuilt: set[int] = field(default_factory=set)
    _made: dict[int, RunContext[Study]] = field(default_factory=dict)
    _failed: dict[int, str] = field(default_factory=dict)
    _prefetched: dict[int, tuple[Recipe, ...]] = field(default_factory=dict)
    _costs: dict[tuple[int, Path], tuple[float, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.context = replace(
            self.context, observer=WithinSearch(self.context.observer, self._title)
        )
        study = self.context.question
        self._relinkable = study.build.link is not None and study.measure.layouts > 0
        self._count = self.count or counting(self.quantity)
        metric = "maxrss" if self.quantity == "peak-memory" else ""
        self._blocks = Blocks(
            study.benchmarks, self._launch, self.context.services, self.seed, metric
        )

    def _title(self, candidate: int) -> str:
        known = candidate < len(self.candidates)
        return self.candidates[candidate].title if known else str(candidate)

    def build(self, candidate: int) -> None:
        """Build one candidate, or find it in the store. Raises CandidateFailed."""
        if candidate in self._made:
            return
        if candidate in self._failed:
            raise CandidateFailed(candidate, self._failed[candidate])
        made = self._make(self.context, candidate)
        (outcome,) = made.builds
        if isinstance(outcome, BuildFailure):
            self._failed[candidate] = outcome.reason
            raise CandidateFailed(candidate, outcome.reason)
        made = replace(made, services=self.context.services)
        self._made[candidate] = replace(made, prefixes=study_prefixes(made))

    def _make(self, context: RunContext[Study], candidate: int) -> RunContext[Study]:
        """Build it clean, with its layouts, or at first without: linked from objects that another
        candidate left, they would not be its own."""
        if not self._is_clean(candidate):
            services = context.services
            if self.incremental:
                services = replace(services, build=services.build_incrementally)
            context = replace(
                context, services=services, question=without_layouts(context.question)
            )
        return self.make(context, self.candidates[candidate], str(candidate))

    def prefetch(self, candidates: Iterable[int]) -> None:
        """Have other machines, if there are any, build these."""
        ahead = self.context.services.build_ahead
        if ahead is not None:
            recipes = (r for c in candidates if c not in self._made for r in self._recipes(c))
            ahead(recipes, BuildStore(self.context.home.builds))

    def _recipes(self, candidate: int) -> tuple[Recipe, ...]:
        """The recipes of a candidate; none where it is not made by build steps."""
        if candidate not in self._prefetched:
            wanted: list[Recipe] = []

            def note_only(
                recipes: Sequence[Recipe], store: BuildStore, note: Note, seconds: float
            ) -> list[BuildFailure]:
                wanted.extend(recipes)
                return [BuildFailure(r.variant, "not-buildable", "not built yet") for r in recipes]

            services = self.context.services
            services = replace(services, build=note_only, build_incrementally=note_only)
            context = replace(self.context, services=services, observer=Silent())
            with contextlib.suppress(UserError, CandidateFailed):  # raised again by its build
                self._make(context, candidate)
            self._prefetched[candidate] = tuple(wanted)
        return self._prefetched[candidate]

    def rebuild_clean(self, candidates: Sequence[int]) -> None:
        """Build these as the ends are. Raises CandidateFailed."""
        for candidate in candidates:
            if not self._is_clean(candidate):
                self._rebuilt.add(candidate)
                self._made.pop(candidate, None)
                self._failed.pop(candidate, None)
            self.build(candidate)

    def _is_clean(self, candidate: int) -> bool:
        provisional = self.incremental or self._relinkable
        return not provisional or candidate in self._ends or candidate in self._rebuilt

    @property
    def _ends(self) -> tuple[int, int]:
        return self.ends or (0, len(self.candidates) - 1)

    def can_vary(self) -> bool:
        """Whether both ends, which it builds, have other layouts. False where one cannot be built:
        its measurement reports that."""
        if self._relinkable:
            with contextlib.suppress(CandidateFailed):
                for end in self._ends:
                    self.build(end)
                return all(self._made[end].layouts for end in self._ends)
        return False

    def block(
        self, candidates: Sequence[int], *, number: int, layouts: Layouts | None
    ) -> list[Times]:
        """A block of every benchmark; candidates are built, and linked in enough layouts. Raises
        CandidateFailed."""
        if layouts is not None:
            self.rebuild_clean(candidates)
        for candidate in candidates:
            self.build(candidate)
            if layouts is not None:
                self._link(candidate, layouts[candidate])
        if self.quantity == "build-time":
            return [self._built(candidates, number)]
        if self.quantity not in MEASURED:
            return self._counted(candidates)
        return self._blocks.take(candidates, number=number, layouts=layouts)

    def _link(self, candidate: int, wanted: int) -> None:
        """Link more layouts of a candidate where it has fewer, twice as many each time, so that
        linking comes in few stretches and not between any two blocks. Raises CandidateFailed."""
        have = self._layouts_of(candidate)
        if 0 < have < wanted:
            measure = replace(self.context.question.measure, layouts=max(2 * have, wanted))
            asked = replace(self.context, question=replace(self.context.question, measure=measure))
            made = self._make(asked, candidate)
            self._made[candidate] = replace(made, prefixes=study_prefixes(made))
            have = self._layouts_of(candidate)
        if have < wanted:
            raise CandidateFailed(candidate, "cannot be linked in other layouts")

    def _layouts_of(self, candidate: int) -> int:
        return sum(len(programs) for programs in self._made[candidate].layouts.values())

    def _built(self, candidates: Sequence[int], number: int) -> Times:
        """Seconds of one more build of each, in an order drawn at random."""
        order = random.Random(f"{self.seed} {number}").sample(candidates, len(candidates))
        taken: dict[int, NDArray[np.float64]] = {}
        for candidate in order:
            recipes = self._recipes(candidate)
            if len(recipes) != 1:
                raise CandidateFailed(candidate, "it is not built by the steps of the study alone")
            cost = self.context.services.rebuild(recipes[0], self.context.home)
            if isinstance(cost, BuildFailure):
                raise CandidateFailed(candidate, cost.reason)
            taken[candidate] = np.array([cost.seconds])
        return {c: taken[c] for c in candidates}

    def _counted(self, candidates: Sequence[int]) -> list[Times]:
        counted = {c: self._cost(c) for c in candidates}
        (number,) = {len(costs) for costs in counted.values()}
        return [{c: np.array([costs[b]]) for c, costs in counted.items()} for b in range(number)]

    def _cost(self, candidate: int) -> tuple[float, ...]:
        """The costs of the candidate, counted once for each build of it."""
        made = self._made[candidate]
        (build,) = made.builds
        assert isinstance(build, Build)
        key = (candidate, build.program)
        if key not in self._costs:
            try:
                self._costs[key] = self._count(self._made[self._ends[0]], made)
            except CannotCount as why:
                raise CandidateFailed(candidate, str(why)) from why
        return self._costs[key]

    def _launch(self, benchmark: Benchmark, candidates: Sequence[int]) -> LaunchArguments:
        """The launch arguments of single candidates as one."""
        made = [self._made[c] for c in candidates]
        parts = [launch_arguments(context, benchmark, context.prefixes) for context in made]
        return replace(
            parts[0],
            commands={k: v for p in parts for k, v in p.commands.items()},
            layouts={k: v for p in parts for k, v in p.layouts.items()},
            programs={k: v for p in parts for k, v in p.programs.items()},
        )
