"""One run of a study, or of a part of it: build, measure (or resume), count, judge."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from whyfast.explain.objects import UNNAMED
from whyfast.explain.program import survey_program
from whyfast.explain.troubles import workarounds
from whyfast.investigate.building import build, dedupe_builds, train_profiles, with_control
from whyfast.investigate.context import RunContext
from whyfast.investigate.costs import count_costs, repeat_builds
from whyfast.investigate.counting import count
from whyfast.investigate.judging import judge
from whyfast.investigate.measuring import Measurer, Processes, observe
from whyfast.investigate.recording import recording, run_key
from whyfast.investigate.services import Observer, Services
from whyfast.investigate.virtual_machines import VirtualMachines
from whyfast.investigate.why.why_builds import explain_builds, largest
from whyfast.judge.looks import fewest_draws
from whyfast.measure.registry import MAKERS
from whyfast.model.build import BuildFailure
from whyfast.model.errors import UserError
from whyfast.model.evidence import Evidence
from whyfast.model.result import Result
from whyfast.model.study import QUICK_COUNTING, QUICK_SHARE, Study
from whyfast.model.why import Account
from whyfast.store.home import Home
from whyfast.study.load import load_study
from whyfast.study.toml_table import nearest


@dataclass(frozen=True)
class Choice:
    """A request: names of variants and benchmarks (empty for all), seconds of measuring (None: the
    study's), a quick look, machine code alone, and counters, an account and counted costs even
    where the study wants none."""

    only: tuple[str, ...] = ()
    benchmarks: tuple[str, ...] = ()
    budget: float | None = None
    quick: bool = False
    evidence_only: bool = False
    counters: bool = False
    why: bool = False
    costs: bool = False


def chosen(study: Study, choice: Choice) -> Study:
    """The study as asked for; explicit names override ``[quick]``.

    UserError for a name that the study does not have.
    """
    only, benchmarks, budget = choice.only, choice.benchmarks, choice.budget
    if choice.quick:
        quick = study.quick
        only, benchmarks = only or quick.variants, benchmarks or quick.benchmarks
        quick_budget = study.measure.budget * QUICK_SHARE if quick.budget is None else quick.budget
        budget = quick_budget if budget is None else budget
        # Each is a whole build.
        study = replace(study, measure=replace(study.measure, profiles=0))
    if choice.evidence_only:
        study = replace(
            study,
            variants=tuple(replace(v, evidence_only=True) for v in study.variants),
            control=False,
        )
    study = narrow(study, only, benchmarks)
    if choice.quick and budget is not None:
        limit = budget * QUICK_COUNTING
        study = replace(study, evidence=replace(study.evidence, limit=limit))
    if choice.counters and choice.evidence_only:
        raise UserError("--evidence-only runs no program to count", where="--counters")
    if choice.counters and study.evidence.counters == "nothing":
        study = replace(study, evidence=replace(study.evidence, counters="hardware or simulation"))
    if choice.costs and choice.evidence_only:
        raise UserError("--evidence-only runs no program to count", where="--costs")
    if choice.costs:
        study = replace(study, costs=replace(study.costs, count=True))
    if choice.why and choice.evidence_only:
        raise UserError("--evidence-only measures no difference to explain", where="--why")
    if choice.why:
        study = replace(study, evidence=replace(study.evidence, why=True))
    if budget is not None:
        study = replace(study, measure=replace(study.measure, budget=budget))
    if study.measured and study.benchmarks:
        _check_draws(study)
    return study


def _check_draws(study: Study) -> None:
    """UserError for so few profiles or layouts that no comparison could be decided, as each makes
    one block."""
    measured = replace(with_control(study), variants=with_control(study).measured)
    few, enough = fewest_draws(measured)
    for key, draws in (("profiles", study.measure.profiles), ("layouts", study.measure.layouts)):
        if 0 < draws < few:
            each = f"; {enough} can decide each benchmark, too" if enough > few else ""
            raise UserError(
                f"{key} = {draws} in [measure]: too few for a verdict, which takes at least {few} "
                f"here{each}",
                where=study.folder / "study.toml",
            )


def runnable(study: Study, why_not: Callable[[], str] | None = None) -> Study:
    """The study itself, or its ``otherwise`` with the reason in ``stands_for``.

    ``why_not`` returns the requirement of its runners that this machine or user lacks; None: as
    registered. UserError for a lacking requirement without another study.
    """
    kinds = dict.fromkeys(b.runner for b in study.benchmarks if study.measured)
    asked = [why_not or why for k in kinds if (why := MAKERS[k].why_not)]
    reason = next(filter(None, (ask() for ask in asked)), "")
    if not reason:
        return study
    if not study.otherwise:
        raise UserError(f"cannot be run: {reason}", where=study.folder / "study.toml")
    other = load_study(study.otherwise)
    return replace(other, stands_for=f"{study.name} cannot be run here: {reason}")


def narrow(study: Study, only: Sequence[str], benchmarks: Sequence[str]) -> Study:
    """The study with fewer variants and benchmarks; baselines and the claim's stay.

    UserError for a name that the study does not have.
    """
    if only:
        _check_known("variant", only, [v.name for v in study.variants], "--only")
        counterparts = {study.counterpart(v) for v in study.variants if v.name in only}
        baselines = tuple(b for b in study.baselines if not study.along or b in counterparts)
        keep = {*only, *baselines}
        claim = study.claim if study.claim and study.claim.variant in keep else None
        if claim:
            keep.add(claim.baseline)
        study = replace(
            study,
            baselines=baselines,
            variants=tuple(v for v in study.variants if v.name in keep),
            left_out=tuple(v for v in study.variants if v.name not in keep),
            claim=claim,
        )
    if benchmarks:
        _check_known("benchmark", benchmarks, [b.name for b in study.benchmarks], "--benchmark")
        chosen = tuple(b for b in study.benchmarks if b.name in benchmarks)
        study = replace(study, benchmarks=chosen)
    return study


def _check_known(kind: str, names: Sequence[str], known: list[str], option: str) -> None:
    for name in names:
        if name not in known:
            near = nearest(name, known)
            hint = f"did you mean {near!r}?" if near else f"available: {', '.join(known)}"
            raise UserError(f"no {kind} {name!r}; {hint}", where=option)


def run_study(
    study: Study,
    home: Home,
    observer: Observer,
    *,
    services: Services | None = None,
    fresh: bool = False,
    elsewhere: Measurer | None = None,
) -> Result:
    """Build, measure, judge and explain; resumes the last run of the same study if unfinished.

    The budget is ``study.measure.budget``. ``fresh`` starts a new run in any case. Interrupted
    while measuring, it returns what there is with ``complete`` False, and the next call goes on.
    UserError when no baseline could be built. Where every variant is for evidence only, or fewer
    than two meet their expectations, nothing is measured, and the result has no verdicts.
    ``elsewhere`` measures on other machines than this one.
    """
    if study.stands_for:
        observer.note(f"{study.stands_for}; running {study.name} instead")
    if longest := study.longest:
        parts = ", ".join(f"{part} {seconds:.0f} s" for part, seconds in longest.items())
        observer.note(f"at most {sum(longest.values()):.0f} s beside building: {parts}")
    context = RunContext(with_control(study), home, observer, services or Services())
    measurer = elsewhere or (VirtualMachines() if study.in_vms else Processes())
    measurer.check(context)
    context = build(context)
    if not study.measured:
        return read_only(
            replace(context, question=replace(context.question, benchmarks=(), claim=None))
        )
    context = dedupe_builds(measurer.ready(train_profiles(context)))
    if not comparable(context):
        return read_only(context)
    observer.phase("measure")
    with recording(context, run_key(context), fresh=fresh, alone=elsewhere is None) as run:
        context = observe(context)
        measurer.measure(context, run)
        context = repeat_builds(count_costs(count(context, run)))
    result = judge(context, run.recorded)
    if not (study.evidence.why and run.complete and elsewhere is None):
        return result
    return replace(result, found=replace(result.found, account=_account(context, result)))


def _account(context: RunContext[Study], result: Result) -> Account | None:
    """Of the largest difference of a variant from the main baseline."""
    controls = {v.name for v in context.question.variants if v.control_of}
    main = context.baselines[0]
    verdicts = (v for v in result.judged.verdicts if v.baseline == main)
    verdict = largest(v for v in verdicts if v.variant not in controls)
    if verdict is None:
        return None
    benchmark = next(b for b in context.question.benchmarks if b.name == verdict.benchmark)
    return explain_builds(context, benchmark, verdict)


def read_only(context: RunContext[Study]) -> Result:
    """The result of a run that only reads machine code, or has nothing to compare."""
    with recording(context, None, alone=False) as run:
        pass
    return judge(context, run.recorded)


def comparable(context: RunContext[Study]) -> bool:
    """Whether there is a baseline and something to compare with it.

    False where expectations failed or all programs are the same; UserError where no baseline could
    be built.
    """
    study = context.question
    if context.failed_expectations and (not context.baselines or len(context.usable) < 2):
        context.observer.note("nothing is measured: too few variants meet their expectations")
        return False
    plain = [b.variant for b in context.usable if not study.variant(b.variant).control_of]
    if context.same and not study.compared(plain, context.baselines, context.same):
        context.observer.note("nothing is measured: all builds are the same program")
        return False
    if not context.baselines:
        reasons = [
            f"{b.variant}: {b.reason}"
            for b in context.builds
            if isinstance(b, BuildFailure) and b.variant in study.baselines
        ]
        done = "can be run" if study.in_vms else "could be built"
        raise UserError(
            f"no baseline {done}, so there is nothing to compare with; " + "; ".join(reasons),
            where=study.folder / "study.toml",
        )
    return True


# Further variants that work around what compilers do to the dispatch of a study's programs.


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
