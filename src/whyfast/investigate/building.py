"""The first stage: from a study to builds with evidence.

:func:`dedupe_builds` keeps equal programs from being measured twice.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from whyfast.build.recipe import (
    Recipe,
    differing_files,
    make_recipe,
    packages_here,
    scan_source,
    steps_of,
)
from whyfast.build.relink import CannotRelink, layout_seeds
from whyfast.build.source import about_source, at_revision, with_source
from whyfast.build.steps import instead, programs_made
from whyfast.explain.program import explain_program, hint_for
from whyfast.investigate.context import RunContext
from whyfast.investigate.forecast import check_room, lacks
from whyfast.investigate.judging import check_change
from whyfast.measure.registry import MAKERS, Fetch
from whyfast.model.build import Build, BuildFailure, BuildOutcome, Interpreter
from whyfast.model.errors import CannotBuildHere, UserError
from whyfast.model.evidence import Evidence, unmatched
from whyfast.model.study import BuildSpec, Source, Study
from whyfast.model.variant import MAKING, Variant, differ_in
from whyfast.store.builds import BuildStore
from whyfast.store.files import sha256_of
from whyfast.study.notation import names_in
from whyfast.toolchain.wheels import pyperformance_benchmarks


def build(
    context: RunContext[Study], seconds: float = math.inf, links: float | None = None
) -> RunContext[Study]:
    """Get source and toolchains, make the builds, read the evidence.

    All builds may take so many ``seconds`` together, the links of a variant ``links``. A variant
    that cannot be built here or in time becomes a :class:`BuildFailure`. UserError when the disk
    has no room, or the source or a package of the benchmarks is unavailable.
    """
    began = context.services.clock.monotonic()
    note, step = context.observer.note, context.observer.step
    check_room(
        context.question, context.home, context.services.toolchain, context.services.interpreter
    )
    study = with_source(context.question, context.home, step)
    check_change(study)
    context = replace(context, question=study)
    context.observer.phase("toolchains")
    packages = _packages(context)
    # Once: it depends on the installed packages, which are about to change.
    wanted = {
        v.name: (v.toolchain, packages_here(study.build, v, context.home)) for v in study.variants
    }
    toolchains, reasons = _resolved(
        wanted.values(), lambda w: context.services.toolchain(w[0], context.home, step, w[1])
    )
    names = [v.python for v in study.variants if v.python]
    pythons, no_python = _resolved(
        names, lambda n: context.services.interpreter(n, context.home, step)
    )
    context.observer.phase("build")
    sources = {r: scan_source(s.folder) for r, s in _revisions(context).items()}
    recipes: list[Recipe] = []
    failures: dict[str, BuildFailure] = {}
    for variant in (v for v in study.variants if not v.control_of):
        key = wanted[variant.name]
        why_not = (
            reasons.get(key)
            or no_python.get(variant.python)
            or _apart(study.build, variant, pythons.get(variant.python))
            or lacks(variant, toolchains[key])
            or context.sysctls.why_not({} if variant.kernel else variant.sysctl)
        )
        if why_not:
            failures[variant.name] = BuildFailure(variant.name, "not-buildable", why_not)
            note(f"{variant.name}: not buildable here: {why_not}")
        else:
            recipes.append(
                make_recipe(
                    study,
                    variant,
                    toolchains[key],
                    sources[variant.revision],
                    pythons.get(variant.python),
                )
            )
    store = BuildStore(context.home.builds)
    made = {o.variant: o for o in context.services.build(recipes, store, step, seconds)}
    outcomes = [made.get(v.name) or failures[v.name] for v in study.variants if not v.control_of]
    if any(b.command[:1] == ("{program}",) for b in study.benchmarks if study.measured):
        measured = {v.name for v in study.variants if not v.evidence_only}
        outcomes = [_that_runs(o, recipes) if o.variant in measured else o for o in outcomes]
    for outcome in outcomes:
        if isinstance(outcome, BuildFailure) and outcome.kind != "not-buildable":
            note(f"{outcome.variant}: {outcome.reason}")
    layouts = _layouts(context, recipes, outcomes, links)
    for control in (v for v in study.variants if v.control_of):
        outcomes.append(_control_build(control, outcomes, layouts))
    context.observer.phase("explain")
    context = replace(
        context,
        toolchains=tuple(toolchains.values()),
        recipes=tuple(recipes),
        builds=tuple(outcomes),
        evidence=read_evidence(context, outcomes),
        packages=packages,
        layouts={name: made[1:] for name, made in layouts.items() if study.measure.layouts},
        seconds={"prepare": context.services.clock.monotonic() - began},
    )
    for failed in context.failed_expectations:
        if failed.found is not None:
            note(
                f"{failed.variant} is left out: expected {failed.wanted} {failed.key}, "
                f"its program has {failed.found}"
            )
    return context


def _that_runs(outcome: BuildOutcome, recipes: Sequence[Recipe]) -> BuildOutcome:
    """The build, or a failure where the system cannot run what it made: to compare its code would
    find that none of it runs."""
    if not isinstance(outcome, Build) or not outcome.program.is_file():
        return outcome
    if os.access(outcome.program, os.X_OK):
        return outcome
    recipe = next(r for r in recipes if r.variant == outcome.variant)
    work = outcome.program.parents[len(Path(recipe.program).parts) - 1]
    made = programs_made(recipe, work)
    reason = f"{recipe.program!r} is no program that can be run{instead(recipe, made)}"
    return BuildFailure(outcome.variant, "failed", reason)


def with_control(study: Study) -> Study:
    """The study with the A/A control of its main baseline as a variant, when it wants one."""
    main = study.baselines[0]
    if not study.control or not study.measured or any(v.control_of for v in study.variants):
        return study
    control = replace(
        study.variant(main),
        name=f"{main} control",
        control_of=main,
        expect={},
        axes={},
        about="the baseline again: the same objects in another layout",
    )
    return replace(study, variants=(*study.variants, control))


def _revisions(context: RunContext[Study]) -> dict[str, Source]:
    """The source at each revision of the variants; UserError for an unknown one."""
    study = context.question
    with about_source(study):
        return {
            revision: at_revision(study.source, revision, context.home, context.observer.step)
            for revision in dict.fromkeys(v.revision for v in study.variants)
        }


def _layouts(
    context: RunContext[Study],
    recipes: Sequence[Recipe],
    outcomes: Sequence[BuildOutcome],
    links: float | None,
) -> dict[str, tuple[Path, ...]]:
    """Layouts of each build, or of the main baseline alone for its control, which has the first. A
    build that cannot be relinked has none, which is noted."""
    study = context.question
    count = study.measure.layouts
    builds = {b.variant: b for b in outcomes if isinstance(b, Build)}
    layouts: dict[str, tuple[Path, ...]] = {}
    for recipe in recipes:
        control = study.control and recipe.variant == study.baselines[0]
        if recipe.variant not in builds or recipe.link is None or not (count or control):
            continue
        if count:
            context.observer.step(f"linking {count} layouts of {recipe.variant}")
        seeds = layout_seeds(recipe.variant, count + 1)
        store = BuildStore(context.home.builds)
        try:
            programs = context.services.relink(recipe, builds[recipe.variant], store, seeds, links)
            layouts[recipe.variant] = tuple(programs)
        except CannotRelink as error:
            context.observer.note(f"no other layouts of {recipe.variant}: {error}")
    return layouts


#: After so many trainings that all made the same program, a variant is taken for one without.
_TRIED = 2


def train_profiles(context: RunContext[Study]) -> RunContext[Study]:
    """Make each build again, so many times as the study wants profiles; one that cannot be made is
    noted, and none are used then. Nor are they where no program changed by it. A variant whose
    program :data:`_TRIED` trainings leave as it is has none of its own: that program stands for
    all."""
    count = context.question.measure.profiles
    note, store = context.observer.note, BuildStore(context.home.builds)
    first = {b.variant: b for b in context.usable}
    programs: dict[str, list[Build]] = {name: [] for name in first}
    trained = set(first)
    for numbers in (range(1, count + 1)[:_TRIED], range(1, count + 1)[_TRIED:]):
        recipes = [
            r.trained_again(n) for n in numbers for r in context.recipes if r.variant in trained
        ]
        step = context.observer.step
        for built in context.services.build(recipes, store, step, math.inf) if recipes else ():
            if isinstance(built, BuildFailure):
                note(f"no other profiles: {built.variant}: {built.reason}")
                return context
            programs[built.variant].append(built)
        trained = {
            name
            for name in trained
            if any(b.program_sha256 != first[name].program_sha256 for b in programs[name])
        }
    if not trained:
        if count:
            note(
                "no other profiles: training again made the same programs; let {profile} in the "
                "steps of [build] decide something of the training, such as a seed or an order"
            )
        return context
    profiles = {
        name: tuple(b.program for b in built) if name in trained else (first[name].program,) * count
        for name, built in programs.items()
    }
    return replace(context, profiles=profiles)


def _control_build(
    control: Variant, outcomes: Sequence[BuildOutcome], layouts: Mapping[str, tuple[Path, ...]]
) -> BuildOutcome:
    """The control as a build of its own; a failure when its original has no other layout."""
    for original in outcomes:
        programs = layouts.get(control.control_of or "")
        if isinstance(original, Build) and original.variant == control.control_of and programs:
            sha256 = sha256_of(programs[0])
            return replace(
                original, variant=control.name, program=programs[0], program_sha256=sha256
            )
    return BuildFailure(control.name, "not-buildable", "its original has no other layout")


def _packages(context: RunContext[Study]) -> dict[str, Path]:
    """The packages that benchmarks need; UserError when one is unavailable."""
    study = context.question
    benchmarks = study.benchmarks if study.measured else ()
    wanted = {b.runner: get for b in benchmarks if (get := MAKERS[b.runner].packages)}
    sources: dict[str, Fetch] = dict(wanted.items())
    if any("pyperformance" in names_in(word) for b in benchmarks for word in b.command):
        sources["pyperformance"] = pyperformance_benchmarks
    try:
        return {name: get(context.home, context.observer.step) for name, get in sources.items()}
    except CannotBuildHere as error:
        raise UserError(str(error), where=study.folder / "study.toml") from error


_K = TypeVar("_K")
_V = TypeVar("_V")


def _resolved(
    wanted: Iterable[_K], resolve: Callable[[_K], _V]
) -> tuple[dict[_K, _V], dict[_K, str]]:
    """The available toolchains or interpreters, and for the others the reason."""
    available: dict[_K, _V] = {}
    reasons: dict[_K, str] = {}
    for key in dict.fromkeys(wanted):
        try:
            available[key] = resolve(key)
        except CannotBuildHere as error:
            reasons[key] = str(error)
    return available, reasons


def _apart(build: BuildSpec, variant: Variant, python: Interpreter | None) -> str | None:
    """Why build steps cannot run the interpreter; None if they can, or do not need it."""
    if python is None or python.root is None:
        return None
    if any("python" in names_in(step) for step in steps_of(build, variant)[0]):
        return f"its build steps use {{python}}, and {python.name} runs only in its own root"
    return None


def read_evidence(
    context: RunContext[Study], outcomes: Sequence[BuildOutcome]
) -> tuple[Evidence, ...]:
    """The evidence that the study wants of these builds."""
    wanted = context.question.evidence
    if not wanted.dispatch and not wanted.functions:
        return ()
    evidence = []
    for outcome in outcomes:
        if not isinstance(outcome, Build):
            continue
        try:
            evidence.append(
                explain_program(
                    outcome.program,
                    variant=outcome.variant,
                    dispatch=wanted.dispatch,
                    functions=wanted.functions,
                )
            )
        except UserError as error:
            context.observer.note(f"no evidence for {outcome.variant}: {error}")
    for pattern in unmatched(evidence):
        program = next(b.program for b in outcomes if isinstance(b, Build))
        hint = f"; {hint}" if (hint := hint_for(program, pattern)) else ""
        context.observer.note(f"warning: no program has a function that matches {pattern!r}{hint}")
    return tuple(evidence)


#: Aspects that may differ between variants whose equal programs run alike; not the interpreter.
_MAY_DIFFER = frozenset(MAKING) - {"python", "control_of"}


def dedupe_builds(context: RunContext[Study]) -> RunContext[Study]:
    """Let one variant stand for all whose builds are byte-identical and run alike.

    It is the first of them, preferably a baseline or a side of the claim. Builds with equal
    programs are measured each if another file differs that the programs could read.
    """
    same: dict[str, str] = {}
    first: list[Build] = []
    study = context.question
    claim = (study.claim.variant, study.claim.baseline) if study.claim else ()
    order = [*study.baselines, *claim]
    rank = {name: i for i, name in reversed(list(enumerate(order)))}
    for build in sorted(context.usable, key=lambda b: rank.get(b.variant, len(order))):
        equal = next((other for other in first if _run_alike(context, other, build)), None)
        if equal is None:
            first.append(build)
        else:
            same[build.variant] = equal.variant
    for name in dict.fromkeys(same.values()):
        names = [name, *(other for other, first_name in same.items() if first_name == name)]
        context.observer.note(f"{' = '.join(names)}: byte-identical, so {name} is measured for all")
    return replace(context, same=same)


def _run_alike(context: RunContext[Study], a: Build, b: Build) -> bool:
    variants = (context.question.variant(a.variant), context.question.variant(b.variant))
    if a.program_sha256 != b.program_sha256 or not differ_in(*variants) <= _MAY_DIFFER:
        return False
    if _root(a) != _root(b):  # with another C library
        return False
    differing = differing_files(a, b)
    if differing:
        more = f" and {len(differing) - 1} more" if len(differing) > 1 else ""
        context.observer.note(
            f"{a.variant} and {b.variant} have equal programs, but differ in {differing[0]}{more}; "
            "both are measured"
        )
    return not differing


def _root(build: Build) -> object:
    return build.provenance.get("toolchain", {}).get("root")
