"""The objects of two builds, and the functions of one object, mixed in one link."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from whyfast.build.mixed import (
    BuiltWith,
    CannotMix,
    code_digest,
    differing_objects,
    link_mixed,
    link_with,
    mix_object,
    mixed_layouts,
    same_link,
)
from whyfast.build.recipe import make_recipe, scan_source
from whyfast.build.relink import CannotRelink, layout_seeds
from whyfast.build.units import CannotRead, Unit, find_units, read_graph
from whyfast.investigate.building import read_evidence
from whyfast.investigate.context import RunContext
from whyfast.model.build import Build, BuildFailure
from whyfast.model.errors import UserError
from whyfast.model.study import Study
from whyfast.model.variant import Variant, differ_in
from whyfast.search.axes import DifferenceSet
from whyfast.search.axes.ranges import compiler_of
from whyfast.search.state import AxisCandidate
from whyfast.search.study_subject import build_alone, make_variant
from whyfast.store.builds import BuildStore
from whyfast.store.files import sha256_of
from whyfast.study.notation import listed


def mix_objects(
    context: RunContext[Study], good: Variant, bad: Variant, object_: str = ""
) -> DifferenceSet:
    """The objects in which the builds of two variants differ, and the link where that differs.
    UserError where the study has no link step, an end cannot be built, their objects are not the
    same files, or the objects of the bad end do not make its program."""
    check_link(context)
    made, built = _built_ends(context, good, bad)
    differing, alone = differing_objects(*(b.work for b in built))
    if alone:
        raise UserError(
            f"objects of one end only: {', '.join(alone[:5])}; both ends must be built from the "
            "same files",
            where="--axis objects",
        )
    if not differing:
        raise UserError(f"{good.name} and {bad.name} have the same objects", where="--bad")
    relinked = not same_link(built[0].recipe, built[1].recipe)
    titles = (*differing, *([f"linked as {bad.name} is"] if relinked else []))
    end, number = built[1], len(differing)

    def link_of_mixture(mixed: frozenset[int]) -> BuiltWith:
        return end if number in mixed else built[0]

    def program(mixed: frozenset[int], store: BuildStore) -> Path:
        objects = [name for n, name in enumerate(differing) if n in mixed]
        return link_mixed(built[0], end, objects, link_of_mixture(mixed), store)

    def make(context: RunContext[Study], candidate: AxisCandidate, name: str) -> RunContext[Study]:
        if candidate.variant is not None:
            return make_variant(context, candidate, name)
        mixed = candidate.mixed
        return relinked_as(
            *(made[0], context, name, link_of_mixture(mixed)), lambda store: program(mixed, store)
        )

    _check(context, bad, end, lambda store: program(frozenset(range(len(titles))), store))
    vanishing = "it is placement, or the sum of more than a few files"
    return DifferenceSet(good, bad, titles, make, vanishing)


def link_one(
    whole: RunContext[Study], other: RunContext[Study], name: str, store: BuildStore
) -> Path:
    """The program of ``whole`` with that one object of ``other``. Raises CannotMix."""
    ends = built_with(whole)
    return link_mixed(ends, built_with(other), [name], ends, store)


def relinked_as(
    like: RunContext[Study],
    context: RunContext[Study],
    name: str,
    link: BuiltWith,
    program: Callable[[BuildStore], Path],
) -> RunContext[Study]:
    """The build ``like`` with another program, linked within its folder: a build failure where
    ``program`` raises CannotMix. The layouts of ``context`` are linked as ``link`` is."""
    count, store = context.question.measure.layouts, BuildStore(context.home.builds)
    variant = replace(like.question.variants[0], name=name, expect={})
    measure = replace(like.question.measure, layouts=count)
    study = replace(like.question, variants=(variant,), baselines=(name,), measure=measure)
    made = replace(like, observer=context.observer, question=study, layouts={})
    try:
        path = program(store)
    except CannotMix as why:
        return replace(made, builds=(BuildFailure(name, "failed", str(why)),), evidence=())
    (build,) = like.builds
    assert isinstance(build, Build)
    build = replace(build, variant=name, program=path, program_sha256=sha256_of(path))
    made = replace(made, builds=(build,))
    made = replace(made, evidence=read_evidence(made, [build]))
    if not count:
        return made
    try:
        recipe = replace(link.recipe, keep=variant.keep)
        programs = mixed_layouts(path, recipe, layout_seeds(name, count), store)
    except CannotRelink as error:
        context.observer.note(f"no other layouts of a mixture: {error}")
        return made
    return replace(made, layouts={name: tuple(programs)})


def check_link(context: RunContext[Study]) -> None:
    """UserError where the study has no link step."""
    if context.question.build.link is None:
        raise UserError(
            "the study has no link step; write link = … in [build]",
            where=context.question.folder / "study.toml",
        )


def must_build(
    context: RunContext[Study], variant: Variant, where: str, name: str = ""
) -> RunContext[Study]:
    """The study with that variant alone, built. UserError, about ``where``, when that fails."""
    made = build_alone(context, variant)
    (outcome,) = made.builds
    if isinstance(outcome, BuildFailure):
        raise UserError(f"{name or variant.name} cannot be built: {outcome.reason}", where=where)
    return made


def _built_ends(
    context: RunContext[Study], good: Variant, bad: Variant
) -> tuple[list[RunContext[Study]], list[BuiltWith]]:
    made = [must_build(context, good, "--good"), must_build(context, bad, "--bad")]
    return made, [built_with(m) for m in made]


def built_with(made: RunContext[Study]) -> BuiltWith:
    """The only build, and its recipe."""
    study, variant = made.question, made.question.variants[0]
    source = scan_source(study.source.folder)
    (build,) = made.builds
    assert isinstance(build, Build)
    return BuiltWith(make_recipe(study, variant, made.toolchains[0], source), build)


def _check(
    context: RunContext[Study],
    bad: Variant,
    end: BuiltWith,
    everything: Callable[[BuildStore], Path],
) -> None:
    """UserError unless all objects of the bad end make its program."""
    hint = "let [build] link make the libraries that contain them"
    try:
        program = everything(BuildStore(context.home.builds))
    except CannotMix as error:
        message = f"the objects of {bad.name} cannot be linked: {error}"
        raise UserError(message, where="--axis objects") from error
    if code_digest(program) != code_digest(end.build.program):
        raise UserError(
            f"relinking the objects of {bad.name} gives another program: the link takes other "
            f"files than the .o files of the build; {hint}",
            where="--axis objects",
        )


#: Every function and variable in a section of its own.
APART = ("-ffunction-sections", "-fdata-sections")
#: gcc lets a caller rely on which registers a function of the same file leaves alone; the other
#: end's function may not.
_GCC = ("-fno-ipa-ra",)

_MOST_NAMED = 3


def mix_functions(
    context: RunContext[Study], good: Variant, bad: Variant, object_: str
) -> DifferenceSet:
    """The functions in which one object of two builds differs; the ends are one program with the
    good object and with the bad one, whatever else the builds differ in. UserError where the study
    has no link step, an end cannot be built, or the object cannot be taken apart into functions."""
    check_link(context)
    if "revision" in differ_in(good, bad):
        raise UserError(
            "functions of two revisions cannot be mixed: what they share may differ",
            where="--axis functions",
        )
    good, bad = (_apart(context, v) for v in (good, bad))
    made, built = _built_ends(context, good, bad)
    name = object_ or _only(built)
    files = [b.work / name for b in built]
    if not all(f.is_file() for f in files):
        raise UserError("not an object of both ends", where=f"--object {name}")
    try:
        graphs = [read_graph(f) for f in files]
        units = find_units(*graphs)
    except (CannotRead, ValueError) as error:
        raise UserError(
            f"cannot be taken apart into functions: {error}", where=f"--object {name}"
        ) from error
    if not units:
        raise UserError(f"{good.name} and {bad.name} have the same code", where=f"--object {name}")

    def program(mixed: frozenset[int], store: BuildStore) -> Path:
        chosen = [s for n, u in enumerate(units) if n in mixed for s in u.symbols]
        key = "\0".join(("functions", built[1].build.digest, name, *sorted(chosen)))
        with tempfile.TemporaryDirectory() as folder:
            target = Path(folder) / "mixed.o"
            try:
                mix_object(files[0], files[1], chosen, tuple(graphs[0].symbols), target)
            except OSError as error:
                raise CannotMix(str(error)) from error
            return link_with(built[0], {name: target}, built[0], key, store)

    def make(context: RunContext[Study], candidate: AxisCandidate, title: str) -> RunContext[Study]:
        mixed = candidate.mixed  # the ends are mixtures too: only the choice of functions differs
        if candidate.variant is not None and candidate.variant.name == bad.name:
            mixed = frozenset(range(len(units)))
        return relinked_as(made[0], context, title, built[0], lambda store: program(mixed, store))

    try:
        program(frozenset(), BuildStore(context.home.builds))
    except CannotMix as error:
        raise UserError(
            f"its functions cannot be mixed: {error}", where=f"--object {name}"
        ) from error
    vanishing = "it is the sum of more than a few functions"
    return DifferenceSet(good, bad, tuple(_title(u) for u in units), make, vanishing)


def _apart(context: RunContext[Study], variant: Variant) -> Variant:
    """The variant with functions and variables in sections of their own."""
    compiler = compiler_of(context, variant, "--axis functions")
    if not compiler.startswith(("gcc", "clang")):
        raise UserError(
            f"unsupported compiler: {variant.toolchain} is {compiler}; use gcc or clang",
            where="--axis functions",
        )
    added = (*APART, *(_GCC if compiler.startswith("gcc") else ()))
    flags = (*variant.cflags, *(f for f in added if f not in variant.cflags))
    return replace(variant, cflags=flags, expect={}, axes={})


def _only(ends: Sequence[BuiltWith]) -> str:
    """The one object that differs. UserError when there are others or none."""
    differing, _ = differing_objects(*(e.work for e in ends))
    if len(differing) != 1:
        raise UserError(
            f"objects that differ: {', '.join(differing[:20]) or 'none'}; name one of them, or "
            "search with --axis objects first",
            where="--object",
        )
    return differing[0]


def _title(unit: Unit) -> str:
    """Its functions or other symbols, and the local functions that differ in it."""
    title = listed(unit.functions or unit.symbols, _MOST_NAMED)
    return title + (f" (with {listed(unit.within, _MOST_NAMED)})" if unit.within else "")
