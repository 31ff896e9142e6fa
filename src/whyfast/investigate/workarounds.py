"""Further variants of a study that work around what compilers do to its programs' dispatch."""

from __future__ import annotations

from dataclasses import replace

from whyfast.explain.objects import UNNAMED
from whyfast.explain.program import survey_program
from whyfast.explain.troubles import workarounds
from whyfast.investigate.building import build
from whyfast.investigate.context import RunContext
from whyfast.investigate.services import Observer, Services
from whyfast.model.errors import UserError
from whyfast.model.evidence import Evidence
from whyfast.model.study import Study
from whyfast.store.home import Home


def with_workarounds(
    study: Study, home: Home, observer: Observer, services: Services | None = None
) -> Study:
    """The study with a variant for each way around a known trouble that the code of a build shows.

    Builds all variants, which a run of the study then has. Where the study names no functions that
    dispatch, they are those with the shape of an interpreter's loop. Without a trouble it is the
    same study, which is noted. UserError as for a run.
    """
    context = build(RunContext(study, home, observer, services or Services()))
    evidence = {e.variant: e for e in context.evidence}
    if not study.evidence.dispatch:
        evidence = _loops(context)
        names = {f.name: None for e in evidence.values() for f in e.functions}
        study = replace(study, evidence=replace(study.evidence, dispatch=tuple(names)))
    compilers = {t.name: t.version for t in context.toolchains}
    there = {(v.toolchain, v.revision, v.cflags) for v in study.variants}
    further = [
        added
        for v in study.variants
        if v.name in evidence
        for added in workarounds(v, compilers.get(v.toolchain, ""), evidence[v.name])
        if (added.toolchain, added.revision, added.cflags) not in there
    ]
    for v in further:
        observer.note(f"added: {v.about}")
    if not further:
        observer.note(f"no workaround to add: {_forms(evidence)}")
    return replace(study, variants=(*study.variants, *further))


def _loops(context: RunContext[Study]) -> dict[str, Evidence]:
    """Of each build with an interpreter's loop that has a name, the evidence of it alone."""
    found = {}
    for made in context.usable:
        try:
            survey = survey_program(made.program, variant=made.variant)
        except UserError as error:
            context.observer.note(f"no evidence for {made.variant}: {error}")
            continue
        if survey.loop and not UNNAMED.fullmatch(survey.loop.facts.name):
            found[made.variant] = replace(survey.of_loop, functions=(survey.loop.facts,))
    return found


def _forms(evidence: dict[str, Evidence]) -> str:
    """How the builds dispatch."""
    forms = {n: e.dispatch.form for n, e in evidence.items() if e.dispatch}
    return ", ".join(f"{name} is {form}" for name, form in forms.items()) or "no interpreter's loop"
