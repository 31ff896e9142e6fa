"""The objects of two builds, mixed in one link."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from whyfast.build.mixed import (
    BuiltWith,
    CannotMix,
    code_digest,
    differing_objects,
    link_mixed,
    mixed_layouts,
    same_link,
)
from whyfast.build.recipe import make_recipe, scan_source
from whyfast.build.relink import CannotRelink, layout_seeds
from whyfast.investigate.building import read_evidence
from whyfast.investigate.context import RunContext
from whyfast.model.build import Build, BuildFailure
from whyfast.model.errors import UserError
from whyfast.model.study import Study
from whyfast.model.variant import Variant
from whyfast.search.axes.axis import DifferenceSet
from whyfast.search.state import AxisCandidate
from whyfast.search.study_subject import build_alone, make_variant
from whyfast.store.builds import BuildStore
from whyfast.store.files import sha256_of

VANISHING = "it is placement, or more than a few files make it together"


def mix_objects(
    work: RunContext[Study], good: Variant, bad: Variant, object_: str = ""
) -> DifferenceSet:
    """The objects in which the builds of two variants differ, and the link where that differs.

    UserError where the study does not say how it is linked, an end cannot be built, their objects
    are not the same files, or the objects of the one end do not make its program.
    """
    del object_
    link_of(work)
    made = [made_end(work, v, f"--{w}") for w, v in (("good", good), ("bad", bad))]
    built = [built_with(m) for m in made]
    differing, alone = differing_objects(*(b.context for b in built))
    if alone:
        raise UserError(
            f"{', '.join(alone[:5])}: an object of one end alone; both ends must be made of the "
            "same files",
            where="--axis objects",
        )
    if not differing:
        raise UserError(f"{good.name} and {bad.name} have the same objects", where="--bad")
    relinked = not same_link(built[0].recipe, built[1].recipe)
    titles = (*differing, *([f"linked as {bad.name} is"] if relinked else []))
    mixer = _Mixer(built[0], built[1], differing, made[0])
    _check(mixer, work, bad, frozenset(range(len(titles))))
    return DifferenceSet(good, bad, titles, mixer.make, VANISHING)


class _Mixer:
    """Links mixtures of two builds; ``like`` is the work in which the good one was built."""

    def __init__(
        self, good: BuiltWith, bad: BuiltWith, objects: tuple[str, ...], like: RunContext[Study]
    ) -> None:
        self._good, self.bad, self._objects, self._like = good, bad, objects, like

    def make(
        self, work: RunContext[Study], candidate: AxisCandidate, name: str
    ) -> RunContext[Study]:
        """An end is built, any other candidate linked."""
        if candidate.variant is not None:
            return make_variant(work, candidate, name)
        like = as_asked(self._like, work)
        try:
            program = self.program(candidate.mixed, BuildStore(work.home.builds))
        except CannotMix as why:
            return replace(like, builds=(BuildFailure(name, "failed", str(why)),), evidence=())
        return linked(like, name, program, self._link(candidate.mixed))

    def program(self, mixed: frozenset[int], store: BuildStore) -> Path:
        """The program of that mixture. Raises CannotMix."""
        own = [o for n, o in enumerate(self._objects) if n in mixed]
        return link_mixed(self._good, self.bad, own, self._link(mixed), store)

    def _link(self, mixed: frozenset[int]) -> BuiltWith:
        return self.bad if len(self._objects) in mixed else self._good


def link_one(
    whole: RunContext[Study], other: RunContext[Study], name: str, store: BuildStore
) -> Path:
    """The program of ``whole`` with that one object of ``other``. Raises CannotMix."""
    ends = built_with(whole)
    return link_mixed(ends, built_with(other), [name], ends, store)


def as_asked(like: RunContext[Study], work: RunContext[Study]) -> RunContext[Study]:
    """The work ``like`` with as many layouts as are asked for in ``work``, and its observer."""
    measure = replace(like.question.measure, layouts=work.question.measure.layouts)
    return replace(
        like, observer=work.observer, question=replace(like.question, measure=measure), layouts={}
    )


def linked(
    like: RunContext[Study], name: str, program: Path, link: BuiltWith | None = None
) -> RunContext[Study]:
    """The work of a build as that of another program, which was linked within its folder; with the
    layouts that ``like`` asks for, linked as ``link`` is."""
    variant = replace(like.question.variants[0], name=name, expect={})
    (build,) = like.builds
    assert isinstance(build, Build)
    build = replace(build, variant=name, program=program, program_sha256=sha256_of(program))
    asked = replace(like.question, variants=(variant,), baselines=(name,))
    made = replace(like, question=asked, builds=(build,), layouts={})
    made = replace(made, evidence=read_evidence(made, [build]))
    count = like.question.measure.layouts
    if link is None or not count:
        return made
    store, seeds = BuildStore(like.home.builds), layout_seeds(name, count)
    try:
        programs = mixed_layouts(program, link, seeds, variant.keep, store)
    except CannotRelink as error:
        like.observer.note(f"no other layouts of a mixture: {error}")
        return made
    return replace(made, layouts={name: tuple(programs)})


def link_of(work: RunContext[Study]) -> str:
    """The step that links. UserError where the study has none."""
    if work.question.build.link is None:
        raise UserError(
            "the study does not say how its objects are linked; write link = … in [build]",
            where=work.question.folder / "study.toml",
        )
    return work.question.build.link


def made_end(work: RunContext[Study], variant: Variant, where: str) -> RunContext[Study]:
    """The work with that variant alone, built. UserError, about ``where``, when it cannot be."""
    made = build_alone(work, variant)
    (outcome,) = made.builds
    if isinstance(outcome, BuildFailure):
        raise UserError(f"{variant.name} cannot be built: {outcome.reason}", where=where)
    return made


def built_with(made: RunContext[Study]) -> BuiltWith:
    """The one build of the work, and its recipe."""
    study, variant = made.question, made.question.variants[0]
    source = scan_source(study.source.folder)
    (build,) = made.builds
    assert isinstance(build, Build)
    return BuiltWith(make_recipe(study, variant, made.toolchains[0], source), build)


def _check(
    mixer: _Mixer, work: RunContext[Study], bad: Variant, everything: frozenset[int]
) -> None:
    """All objects of the bad end must make its program, or the link does not take them."""
    hint = "let [build] link make the libraries that they are in"
    try:
        program = mixer.program(everything, BuildStore(work.home.builds))
    except CannotMix as error:
        raise UserError(
            f"the objects of {bad.name} cannot be linked: {error}", where="--axis objects"
        ) from error
    if code_digest(program) != code_digest(mixer.bad.build.program):
        raise UserError(
            f"the objects of {bad.name}, linked again, do not make its program: the link takes "
            f"other files than the .o files of the build; {hint}",
            where="--axis objects",
        )
