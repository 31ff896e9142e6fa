"""What differs between culprit and parent of a search over the variants of a study."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from whyfast.investigate.building import build
from whyfast.investigate.reaching import reached_by
from whyfast.investigate.work import Work
from whyfast.model.build import Build
from whyfast.model.evidence import DispatchFacts
from whyfast.model.study import Study
from whyfast.search.axes.commits import changed_files
from whyfast.search.run import SearchResult
from whyfast.search.step_evidence import StepEvidence, compared

#: Seconds that one run under the simulator may take.
SIMULATED = 120.0


def study_evidence(
    work: Work[Study], result: SearchResult, repository: Path | None
) -> StepEvidence | None:
    """None where no single culprit was found. ``repository``: that of the commits."""
    where = result.answer.where
    if result.answer.word != "culprit" or where is None:
        return None
    pair = tuple(result.candidates[i] for i in result.sides(where))
    variants = tuple(
        replace(c.variant, name=name)
        for c, name in zip(pair, ("parent", "culprit"), strict=True)
        if c.variant is not None
    )
    if len(variants) != 2:
        return None
    work.observer.phase("explain")
    study = replace(
        work.question,
        variants=variants,
        baselines=("parent",),
        claim=None,
        twin=False,
        measure=replace(work.question.measure, layouts=0),
    )
    made = build(replace(work, question=study))  # both are in the store
    builds = [b for b in made.builds if isinstance(b, Build)]
    if len(builds) != 2:
        return None
    parent, culprit = (_place(made, b) for b in builds)
    files = changed_files(repository, pair[0], pair[1]) if repository else ()
    found = compared(parent, culprit, files)
    reaches = () if found.code.same else reached_by(made, found.code, SIMULATED)
    return replace(found, reaches=reaches, dispatch=_dispatch(made))


def _dispatch(work: Work[Study]) -> tuple[DispatchFacts, DispatchFacts] | None:
    facts = [e.dispatch for e in work.evidence if e.dispatch is not None]
    return (facts[0], facts[1]) if len(facts) == 2 else None


def _place(work: Work[Study], built: Build) -> tuple[Path, Path]:
    """The folder that it was built in, and the program in it."""
    program = Path(work.question.build.program)
    return built.program.parents[len(program.parts) - 1], program
