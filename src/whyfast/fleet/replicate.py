"""The whole study on every host: a run for each, judged by itself."""

from __future__ import annotations

import hashlib
from contextlib import ExitStack, closing
from dataclasses import replace

from whyfast.fleet.checks import unfit
from whyfast.fleet.cluster import Cluster
from whyfast.fleet.conduct import Conductor, Spreading, survey_all
from whyfast.fleet.joining import OneResult
from whyfast.fleet.seat import Seat
from whyfast.fleet.sending import check_sendable, shipment
from whyfast.fleet.shard import own_facts
from whyfast.investigate.building import build, with_twin
from whyfast.investigate.counting import count
from whyfast.investigate.events import Observer
from whyfast.investigate.folding import fold
from whyfast.investigate.judging import judge
from whyfast.investigate.measuring import Processes, entry_of
from whyfast.investigate.observing import observe
from whyfast.investigate.outside import Outside
from whyfast.investigate.recording import OpenRun, recording, run_key
from whyfast.investigate.study_run import comparable
from whyfast.investigate.work import Work
from whyfast.judge.last_look import level_of_looks
from whyfast.judge.live import FEW_LOOKS, TogetherJudge
from whyfast.model.errors import UserError
from whyfast.model.study import Study
from whyfast.store.home import Home

#: On more hosts than this blocks are judged less often: judging is most of what a block costs the
#: coordinator, and a host that is decided then measures at most by a third longer.
MANY = 100


def replicate(
    study: Study,
    home: Home,
    observer: Observer,
    cluster: Cluster,
    *,
    outside: Outside | None = None,
    fresh: bool = False,
) -> tuple[OneResult, ...]:
    """Build here, measure on every host of the cluster, judge each; by the names of the hosts.

    A host that is lost is waited for while others measure; what it has not measured then makes its
    run incomplete, and the next call goes on with all of them. UserError as
    :func:`~whyfast.investigate.study_run.run_study`, and when no host can take part.
    """
    check_sendable(study)
    if not study.measured:
        raise UserError("it is not measured, so a fleet has nothing to do", where=study.name)
    work = fold(
        Processes().ready(build(Work(with_twin(study), home, observer, outside or Outside())))
    )
    if not comparable(work):
        raise UserError("nothing can be compared, so a fleet has nothing to do", where=study.name)
    clock = work.outside.clock
    own = own_facts(work)
    found = survey_all(cluster, observer, clock)
    able = [host for host, facts in found.items() if not unfit(facts, own)]
    for host in found:
        if host not in able:
            observer.note(f"{host}: left out: {unfit(found[host], own)}")
    if not able:
        raise UserError("no host of the fleet can run what is built here")
    sent = shipment(work)
    many = len(able) > MANY
    looks = FEW_LOOKS if many else None
    together = TogetherJudge(work.question.margin, level_of_looks(work.question)) if many else None
    runs: dict[str, OpenRun] = {}
    seats: dict[str, Seat] = {}
    # One store for all: a thousand would be too many files, and each would wait for the disk.
    with closing(work.outside.store(home.database)) as store, ExitStack() as held:

        def seat(host: str) -> Seat:
            key = hashlib.sha256(f"{run_key(work)} on {host}".encode()).hexdigest()
            run = held.enter_context(recording(work, key, fresh=fresh, alone=False, kept=store))
            runs[host] = run
            taken, failures = run.blocks(), run.failures()
            entries = [entry_of(work, b, taken, failures) for b in work.question.benchmarks]
            return Seat(host, work, run, entries, looks=looks, together=together)

        work = observe(work)
        observer.phase("measure")
        with store.together():
            for host in able:
                seats[host] = seat(host)
        spread = Spreading(seat, store.together, judge=together)
        conductor = Conductor(cluster, sent, own, spread, observer, clock, seats)
        try:
            conductor.conduct(able)
        except KeyboardInterrupt:
            observer.note("interrupted; the same command goes on")
        else:
            work = count(work, runs[able[0]])
        whole = {host: not s.open for host, s in conductor.seats.items()}
        for run in runs.values():
            # All or none: a host that is done has nothing to do when the others go on.
            run.complete = all(whole.values())
        with store.together():
            held.close()
    return tuple(
        OneResult(host, judge(work, replace(run.recorded, complete=whole[host])))
        for host, run in sorted(runs.items())
    )
