"""From a study to builds with evidence: everything before the measuring."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from whyfast.build.layout import CannotRelink, layout_seeds
from whyfast.build.recipe import Recipe, make_recipe, scan_source
from whyfast.build.relink import relink
from whyfast.build.run import build_all
from whyfast.build.source import with_source
from whyfast.explain.program import explain_program
from whyfast.investigate.events import Observer
from whyfast.model.build import Build, BuildFailure, BuildOutcome
from whyfast.model.errors import CannotBuildHere, UserError
from whyfast.model.evidence import Evidence
from whyfast.model.study import Study, Variant
from whyfast.model.toolchain import Toolchain
from whyfast.store.builds import BuildStore
from whyfast.store.home import Home
from whyfast.study.placeholders import names_in
from whyfast.study.suggest import nearest
from whyfast.toolchain.provider import resolve
from whyfast.toolchain.python_packages import pyperf_folder, pyperformance_benchmarks


@dataclass(frozen=True)
class Packages:
    """Folders of Python packages that the study's benchmarks use; None where none does."""

    pyperf: Path | None = None
    pyperformance: Path | None = None


@dataclass(frozen=True)
class Prepared:
    """Builds in the order of the study's variants, what was found in their programs, and the
    programs of their further layouts where the study wants them."""

    toolchains: tuple[Toolchain, ...]
    builds: tuple[BuildOutcome, ...]
    evidence: tuple[Evidence, ...]
    packages: Packages
    layouts: Mapping[str, tuple[Path, ...]]


def narrow(study: Study, only: Sequence[str], benchmarks: Sequence[str]) -> Study:
    """The study with fewer variants and benchmarks; baselines and the claim's stay.

    UserError for a name that the study does not have.
    """
    if only:
        names = [v.name for v in study.variants]
        for name in only:
            if name not in names:
                raise UserError(_unknown("variant", name, names), where="--only")
        keep = {*only, *study.baselines}
        claim = study.claim if study.claim and study.claim.variant in keep else None
        if claim:
            keep.add(claim.baseline)
        study = replace(
            study, variants=tuple(v for v in study.variants if v.name in keep), claim=claim
        )
    if benchmarks:
        names = [b.name for b in study.benchmarks]
        for name in benchmarks:
            if name not in names:
                raise UserError(_unknown("benchmark", name, names), where="--benchmark")
        chosen = tuple(b for b in study.benchmarks if b.name in benchmarks)
        study = replace(study, benchmarks=chosen)
    return study


def _unknown(kind: str, name: str, known: list[str]) -> str:
    near = nearest(name, known)
    hint = f"did you mean {near!r}?" if near else f"there are {', '.join(known)}"
    return f"no {kind} {name!r}; {hint}"


def prepare(study: Study, home: Home, observer: Observer) -> Prepared:
    """Get the toolchains, make the builds, read the evidence.

    What cannot be made here becomes a :class:`BuildFailure`; nothing raises for one variant alone.
    """
    study = with_source(study, home, observer.note)
    observer.phase("toolchains")
    packages = _packages(study, home, observer)
    toolchains, reasons = _toolchains(study, home, observer)
    observer.phase("build")
    source = scan_source(study.source.folder)
    recipes: list[Recipe] = []
    failures: dict[str, BuildFailure] = {}
    for variant in (v for v in study.variants if not v.twin_of):
        why_not = reasons.get(variant.toolchain) or _lacks(variant, toolchains[variant.toolchain])
        if why_not:
            failures[variant.name] = BuildFailure(variant.name, "not-buildable", why_not)
            observer.note(f"{variant.name}: not buildable here, because {why_not}")
        else:
            recipes.append(make_recipe(study, variant, toolchains[variant.toolchain], source))
    store = BuildStore(home.builds)
    made = {o.variant: o for o in build_all(recipes, store, observer.note)}
    outcomes = [made.get(v.name) or failures[v.name] for v in study.variants if not v.twin_of]
    for outcome in outcomes:
        if isinstance(outcome, BuildFailure) and outcome.kind == "failed":
            observer.note(f"{outcome.variant}: {outcome.reason}")
    layouts = _layouts(study, recipes, outcomes, store, observer)
    for twin in (v for v in study.variants if v.twin_of):
        outcomes += _twin(twin, outcomes, layouts)
    observer.phase("explain")
    return Prepared(
        tuple(toolchains.values()),
        tuple(outcomes),
        _evidence(study, outcomes, observer),
        packages,
        {name: programs[1:] for name, programs in layouts.items() if study.measure.layouts},
    )


def with_twin(study: Study) -> Study:
    """The study with the twin of its main baseline as a variant, when it has one."""
    main = study.baselines[0]
    if not study.twin or any(v.twin_of for v in study.variants):
        return study
    twin = replace(
        study.variant(main),
        name=f"{main} twin",
        twin_of=main,
        expect={},
        axes={},
        about="the baseline again: the same objects in another layout",
    )
    return replace(study, variants=(*study.variants, twin))


def _layouts(
    study: Study,
    recipes: Sequence[Recipe],
    outcomes: Sequence[BuildOutcome],
    store: BuildStore,
    observer: Observer,
) -> dict[str, tuple[Path, ...]]:
    """Layouts of each build, of the main baseline alone when only a twin is wanted.

    The first is the twin's; a build that cannot be linked again has none, which is noted.
    """
    count = study.measure.layouts
    builds = {b.variant: b for b in outcomes if isinstance(b, Build)}
    found: dict[str, tuple[Path, ...]] = {}
    for recipe in recipes:
        twin = study.twin and recipe.variant == study.baselines[0]
        if recipe.variant not in builds or recipe.link is None or not (count or twin):
            continue
        if count:
            observer.note(f"linking {count} layouts of {recipe.variant}")
        try:
            seeds = layout_seeds(recipe.variant, count + 1)
            programs = relink(recipe, builds[recipe.variant], store, seeds)
            found[recipe.variant] = tuple(programs)
        except CannotRelink as error:
            observer.note(f"no other layouts of {recipe.variant}: {error}")
    return found


def _twin(
    twin: Variant, outcomes: Sequence[BuildOutcome], layouts: Mapping[str, tuple[Path, ...]]
) -> list[BuildOutcome]:
    """The twin as a build of its own; none when its original has no other layout."""
    for original in outcomes:
        programs = layouts.get(twin.twin_of or "")
        if isinstance(original, Build) and original.variant == twin.twin_of and programs:
            with programs[0].open("rb") as f:
                sha256 = hashlib.file_digest(f, "sha256").hexdigest()
            return [
                replace(original, variant=twin.name, program=programs[0], program_sha256=sha256)
            ]
    return [BuildFailure(twin.name, "not-buildable", "its original has no other layout")]


def _packages(study: Study, home: Home, observer: Observer) -> Packages:
    """What the benchmarks need beside the builds; UserError when it cannot be had."""
    words = [w for b in study.benchmarks for w in b.command]
    try:
        return Packages(
            pyperf=pyperf_folder(home, observer.note)
            if any(b.runner == "pyperf" for b in study.benchmarks)
            else None,
            pyperformance=pyperformance_benchmarks(home, observer.note)
            if any("pyperformance" in names_in(w) for w in words)
            else None,
        )
    except CannotBuildHere as error:
        raise UserError(str(error), where=study.folder / "study.toml") from error


def _toolchains(
    study: Study, home: Home, observer: Observer
) -> tuple[dict[str, Toolchain], dict[str, str]]:
    """The toolchains that can be had, and for the others the reason."""
    found: dict[str, Toolchain] = {}
    reasons: dict[str, str] = {}
    for name in dict.fromkeys(v.toolchain for v in study.variants):
        try:
            found[name] = resolve(name, home, observer.note, study.build.packages)
        except CannotBuildHere as error:
            reasons[name] = str(error)
    return found, reasons


def _lacks(variant: Variant, toolchain: Toolchain) -> str | None:
    missing = [f for f in variant.requires if f not in toolchain.features]
    return f"{toolchain.version} has no {' and no '.join(missing)}" if missing else None


def _evidence(
    study: Study, outcomes: Sequence[BuildOutcome], observer: Observer
) -> tuple[Evidence, ...]:
    wanted = study.evidence
    if not wanted.dispatch and not wanted.functions:
        return ()
    found = []
    for build in outcomes:
        if not isinstance(build, Build):
            continue
        try:
            found.append(
                explain_program(
                    build.program,
                    variant=build.variant,
                    dispatch=wanted.dispatch,
                    functions=wanted.functions,
                )
            )
        except UserError as error:
            observer.note(f"no evidence for {build.variant}: {error}")
    return tuple(found)
