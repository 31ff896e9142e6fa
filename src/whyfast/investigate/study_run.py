"""One run of a study: build, measure (or resume), count, judge."""

from __future__ import annotations

from dataclasses import replace

from whyfast.investigate.building import build, dedupe_builds, with_control
from whyfast.investigate.context import RunContext
from whyfast.investigate.counting import count
from whyfast.investigate.judging import judge
from whyfast.investigate.measuring import Measurer, measurer_of
from whyfast.investigate.observing import observe
from whyfast.investigate.recording import recording, run_key
from whyfast.investigate.services import Observer, Services
from whyfast.model.build import BuildFailure
from whyfast.model.errors import UserError
from whyfast.model.result import Result
from whyfast.model.study import Study
from whyfast.store.home import Home


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
    UserError when no baseline could be built. Where every variant is for evidence only, or no two
    are left that are what their names say, nothing is measured, and the result has no verdicts.
    ``elsewhere`` measures on other machines than this one.
    """
    if study.stands_for:
        observer.note(f"{study.stands_for}; running {study.name} instead")
    work = RunContext(with_control(study), home, observer, services or Services())
    measurer = elsewhere or measurer_of(study)
    measurer.check(work)
    work = build(work)
    if not study.measured:
        return read_only(replace(work, question=replace(work.question, benchmarks=(), claim=None)))
    work = dedupe_builds(measurer.ready(work))
    if not comparable(work):
        return read_only(work)
    observer.phase("measure")
    with recording(work, run_key(work), fresh=fresh, alone=elsewhere is None) as run:
        work = observe(work)
        measurer.measure(work, run)
        work = count(work, run)
    return judge(work, run.recorded)


def read_only(work: RunContext[Study]) -> Result:
    """The result of a run that only reads machine code, or has nothing that can be compared."""
    with recording(work, None, alone=False) as run:
        pass
    return judge(work, run.recorded)


def comparable(work: RunContext[Study]) -> bool:
    """Whether there is a baseline and something to compare with it.

    False where that is for programs that are not what they should be, or that are all the same;
    UserError where it is for baselines that are not there.
    """
    study = work.question
    if work.failed_expectations and (not work.baselines or len(work.usable) < 2):
        work.observer.note("nothing is measured: too few variants are what they should be")
        return False
    plain = [b.variant for b in work.usable if not study.variant(b.variant).twin_of]
    if work.same and not study.compared(plain, work.baselines, work.same):
        work.observer.note("nothing is measured: all that was built is the same program")
        return False
    if not work.baselines:
        reasons = [
            f"{b.variant}: {b.reason}"
            for b in work.builds
            if isinstance(b, BuildFailure) and b.variant in study.baselines
        ]
        done = "can be run" if study.in_vms else "could be built"
        raise UserError(
            f"no baseline {done}, so there is nothing to compare with; " + "; ".join(reasons),
            where=study.folder / "study.toml",
        )
    return True
