"""Candidates that are variants of a study, built and started like those of a run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from whyfast.investigate.building import build
from whyfast.investigate.exec_prefixes import study_prefixes
from whyfast.investigate.measuring import launch_arguments
from whyfast.investigate.work import Work
from whyfast.measure.launch_arguments import LaunchArguments
from whyfast.model.build import Build, BuildFailure
from whyfast.model.study import Study
from whyfast.model.variant import Benchmark
from whyfast.search.axes.candidate import AxisCandidate
from whyfast.search.blocks import Blocks
from whyfast.search.subject import CandidateFailed, Times


@dataclass
class StudySubject:
    """``work`` is of the study; its own variants are not built. ``seed`` as in
    :class:`whyfast.search.blocks.Blocks`."""

    work: Work[Study]
    candidates: Sequence[AxisCandidate]
    seed: int
    relinkable: bool = False
    _made: dict[int, Work[Study]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._blocks = Blocks(
            self.work.question.benchmarks, self._launch, self.work.outside, self.seed
        )

    def build(self, candidate: int) -> None:
        """Build one candidate, or find it in the store. Raises CandidateFailed."""
        if candidate in self._made:
            return
        variant = self.candidates[candidate].variant
        assert variant is not None
        asked = replace(
            self.work.question,
            variants=(replace(variant, name=str(candidate)),),
            baselines=(str(candidate),),
            claim=None,
            twin=False,
        )
        made = build(replace(self.work, question=asked))
        (outcome,) = made.builds
        if isinstance(outcome, BuildFailure):
            raise CandidateFailed(candidate, outcome.reason)
        self._made[candidate] = replace(made, prefixes=study_prefixes(made))

    def program(self, candidate: int) -> Build:
        """What was built."""
        (outcome,) = self._made[candidate].builds
        assert isinstance(outcome, Build)
        return outcome

    def block(self, candidates: Sequence[int], *, layouts: bool) -> list[Times]:
        """A block of every benchmark; what is not built yet is built. Raises CandidateFailed."""
        for candidate in candidates:
            self.build(candidate)
        return self._blocks.take(candidates, layouts=layouts)

    def _launch(self, benchmark: Benchmark, candidates: Sequence[int]) -> LaunchArguments:
        """Those of single candidates, put together."""
        parts = [
            launch_arguments(made, benchmark, made.prefixes)
            for made in (self._made[c] for c in candidates)
        ]
        first, *_ = parts
        return replace(
            first,
            commands={k: v for p in parts for k, v in p.commands.items()},
            layouts={k: v for p in parts for k, v in p.layouts.items()},
            programs={k: v for p in parts for k, v in p.programs.items()},
        )
