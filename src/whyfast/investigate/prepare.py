"""From a study to builds with evidence: everything before the measuring."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from whyfast.build.layout import layout_seeds
from whyfast.build.recipe import Recipe, make_recipe, packages_here, scan_source
from whyfast.build.relink import CannotRelink, relink
from whyfast.build.run import build_all
from whyfast.build.source import at_revision, with_source
from whyfast.explain.program import explain_program
from whyfast.investigate.events import Observer
from whyfast.judge.expectations import find_unmet, refuted
from whyfast.measure.doctor.system import Files
from whyfast.measure.temporary_sysctls import TemporarySysctls
from whyfast.model.build import Build, BuildFailure, BuildOutcome
from whyfast.model.errors import CannotBuildHere, UserError
from whyfast.model.evidence import Evidence, Unmet
from whyfast.model.study import Source, Study
from whyfast.model.toolchain import Toolchain
from whyfast.model.variant import Variant
from whyfast.store.builds import BuildStore
from whyfast.store.home import Home
from whyfast.study.placeholders import names_in
from whyfast.toolchain.python_packages import pyperf_folder, pyperformance_benchmarks
from whyfast.toolchain.registry import resolve


@dataclass(frozen=True)
class Packages:
    """Folders of Python packages that the study's benchmarks use; None where none does."""

    pyperf: Path | None = None
    pyperformance: Path | None = None


@dataclass(frozen=True)
class Prepared:
    """Builds in the order of the study's variants, what was found in their programs, and the
    programs of their further layouts where the study wants them."""

    toolchains: tuple[Toolchain, ...] = ()
    builds: tuple[BuildOutcome, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    packages: Packages = Packages()
    layouts: Mapping[str, tuple[Path, ...]] = field(default_factory=dict)
    unmet: tuple[Unmet, ...] = ()


def to_measure(study: Study, prepared: Prepared) -> list[Build]:
    """The builds that are there, without those for evidence alone and those that are not what
    their variants should be."""
    wanted = {v.name for v in study.measured} - refuted(study, prepared.unmet)
    return [b for b in prepared.builds if isinstance(b, Build) and b.variant in wanted]


def prepare(study: Study, home: Home, observer: Observer) -> Prepared:
    """Get the toolchains, make the builds, read the evidence.

    What cannot be made here becomes a :class:`BuildFailure`; nothing raises for one variant alone.
    """
    study = with_source(study, home, observer.note)
    observer.phase("toolchains")
    packages = _packages(study, home, observer)
    # Once: what is installed decides, and that is about to change.
    wanted = {v.name: (v.toolchain, packages_here(study.build, v, home)) for v in study.variants}
    toolchains, reasons = _toolchains(wanted.values(), home, observer)
    observer.phase("build")
    sources = {r: scan_source(s.folder) for r, s in _revisions(study, home, observer).items()}
    recipes: list[Recipe] = []
    failures: dict[str, BuildFailure] = {}
    for variant in (v for v in study.variants if not v.twin_of):
        key = wanted[variant.name]
        why_not = (
            reasons.get(key)
            or _lacks(variant, toolchains[key])
            or TemporarySysctls(Files(), home.doctor).why_not(variant.sysctl)
        )
        if why_not:
            failures[variant.name] = BuildFailure(variant.name, "not-buildable", why_not)
            observer.note(f"{variant.name}: not buildable here, because {why_not}")
        else:
            recipes.append(make_recipe(study, variant, toolchains[key], sources[variant.revision]))
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
    evidence = _evidence(study, outcomes, observer)
    unmet = find_unmet(study, evidence)
    for one in unmet:
        if one.found is not None:
            observer.note(
                f"{one.variant} is left out: {one.wanted} {one.key} is expected, "
                f"its program has {one.found}"
            )
    return Prepared(
        tuple(toolchains.values()),
        tuple(outcomes),
        evidence,
        packages,
        {name: programs[1:] for name, programs in layouts.items() if study.measure.layouts},
        unmet,
    )


def _revisions(study: Study, home: Home, observer: Observer) -> dict[str, Source]:
    """The source at each revision that variants name; UserError when there is no such."""
    try:
        return {
            revision: at_revision(study.source, revision, home, observer.note)
            for revision in dict.fromkeys(v.revision for v in study.variants)
        }
    except UserError as error:
        place = f"{error.where}: " if error.where else ""
        raise UserError(
            f"the source cannot be had: {place}{error.message}", where=study.folder / "study.toml"
        ) from error


def with_twin(study: Study) -> Study:
    """The study with the twin of its main baseline as a variant, when it has one."""
    main = study.baselines[0]
    if not study.twin or not study.measured or any(v.twin_of for v in study.variants):
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
            keep = study.variant(recipe.variant).keep
            programs = relink(recipe, builds[recipe.variant], store, seeds, keep)
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
    benchmarks = study.benchmarks if study.measured else ()
    words = [w for b in benchmarks for w in b.command]
    try:
        return Packages(
            pyperf=pyperf_folder(home, observer.note)
            if any(b.runner == "pyperf" for b in benchmarks)
            else None,
            pyperformance=pyperformance_benchmarks(home, observer.note)
            if any("pyperformance" in names_in(w) for w in words)
            else None,
        )
    except CannotBuildHere as error:
        raise UserError(str(error), where=study.folder / "study.toml") from error


#: The name of a toolchain, and the packages wanted beside it.
_Wanted = tuple[str, tuple[str, ...]]


def _toolchains(
    wanted: Iterable[_Wanted], home: Home, observer: Observer
) -> tuple[dict[_Wanted, Toolchain], dict[_Wanted, str]]:
    """The toolchains that can be had, and for the others the reason."""
    found: dict[_Wanted, Toolchain] = {}
    reasons: dict[_Wanted, str] = {}
    for name, packages in dict.fromkeys(wanted):
        try:
            found[name, packages] = resolve(name, home, observer.note, packages)
        except CannotBuildHere as error:
            reasons[name, packages] = str(error)
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
