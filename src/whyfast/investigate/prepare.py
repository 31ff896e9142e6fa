"""From a study to builds with evidence: everything before the measuring."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from whyfast.build.recipe import Recipe, make_recipe, scan_source
from whyfast.build.run import build_all
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
    """Builds in the order of the study's variants, and what was found in their programs."""

    toolchains: tuple[Toolchain, ...]
    builds: tuple[BuildOutcome, ...]
    evidence: tuple[Evidence, ...]
    packages: Packages


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
    observer.phase("toolchains")
    packages = _packages(study, home, observer)
    toolchains, reasons = _toolchains(study, home, observer)
    observer.phase("build")
    source = scan_source(study.source.folder)
    recipes: list[Recipe] = []
    failures: dict[str, BuildFailure] = {}
    for variant in study.variants:
        why_not = reasons.get(variant.toolchain) or _lacks(variant, toolchains[variant.toolchain])
        if why_not:
            failures[variant.name] = BuildFailure(variant.name, "not-buildable", why_not)
            observer.note(f"{variant.name}: not buildable here, because {why_not}")
        else:
            recipes.append(make_recipe(study, variant, toolchains[variant.toolchain], source))
    made = {o.variant: o for o in build_all(recipes, BuildStore(home.builds), observer.note)}
    outcomes = tuple(made.get(v.name) or failures[v.name] for v in study.variants)
    for outcome in outcomes:
        if isinstance(outcome, BuildFailure) and outcome.kind == "failed":
            observer.note(f"{outcome.variant}: {outcome.reason}")
    observer.phase("explain")
    return Prepared(tuple(toolchains.values()), outcomes, _evidence(study, outcomes, observer), packages)


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
            found[name] = resolve(name, home, observer.note)
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
