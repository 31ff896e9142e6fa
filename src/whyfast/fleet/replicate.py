"""A study on the hosts of a fleet: :func:`replicate` measures the whole study on every host, judged
by itself; :class:`Sharded` spreads its benchmarks over hosts of one kind."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import replace

from whyfast.fleet.cluster import Cluster, kind_of, most_common_kind, unfit
from whyfast.fleet.conduct import Conductor, Spreading, survey_all
from whyfast.fleet.host_run import HostRun
from whyfast.fleet.messages import HostFacts
from whyfast.fleet.transfer import check_sendable, shipment
from whyfast.fleet.worker import HostAnswers
from whyfast.investigate.building import build, dedupe_builds, with_control
from whyfast.investigate.context import RunContext
from whyfast.investigate.counting import count
from whyfast.investigate.judging import judge
from whyfast.investigate.measuring import Processes, entries_of, entry_of, observe, tell_earlier
from whyfast.investigate.recording import FLEET_HOST, OpenRun, recording, run_key
from whyfast.investigate.services import Observer, Services
from whyfast.investigate.study_run import comparable
from whyfast.judge.looks import FEW_LOOKS, TogetherJudge, level_of_looks
from whyfast.measure.campaign import BenchmarkRun
from whyfast.model.errors import UserError
from whyfast.model.result import OneResult
from whyfast.model.sample import Block
from whyfast.model.study import Study
from whyfast.store.home import Home


class Sharded:
    """Measures on the hosts of a cluster, as one run."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._hosts: Mapping[str, HostFacts] | None = None

    def check(self, context: RunContext[Study]) -> None:
        """UserError for a study that runs on one machine only."""
        check_sendable(context.question)

    def ready(self, context: RunContext[Study]) -> RunContext[Study]:
        """As for processes on this machine."""
        return Processes().ready(context)

    def measure(self, context: RunContext[Study], run: OpenRun) -> None:
        """All benchmarks, each on one host, where it stays once begun."""
        clock = context.services.clock
        here = HostAnswers(context.home, context.services).facts()
        if self._hosts is None:  # hosts announce themselves only once
            self._hosts = survey_all(self._cluster, context.observer, clock)
        hosts = one_kind(context, fit_hosts(context, self._hosts, here))
        tell_earlier(context, run)
        taken = run.blocks()
        shares = deal(
            [b.name for b in context.question.benchmarks], sorted(hosts), last_hosts(run, taken)
        )
        host_runs = {
            host: HostRun(host, context, run, _entries(context, run, names, taken))
            for host, names in shares.items()
        }
        for host_run in host_runs.values():
            host_run.enter("away")
        spread = Spreading(
            lambda host: HostRun(host, context, run),
            run.store.together,
            lambda names: _entries(context, run, names, ()),
        )
        sent = shipment(context)
        conductor = Conductor(self._cluster, sent, here, spread, context.observer, clock, host_runs)
        with run.timed("measure", clock):
            try:
                conductor.conduct(hosts)
            finally:
                run.complete = not any(s.open for s in conductor.host_runs.values())


def fit_hosts(
    context: RunContext[Study], hosts: Mapping[str, HostFacts], here: HostFacts
) -> dict[str, HostFacts]:
    """The hosts that can run this machine's builds; notes the others. UserError without any."""
    fit = {}
    for host, facts in hosts.items():
        if why := unfit(facts, here):
            context.observer.note(f"{host}: left out: {why}")
        else:
            fit[host] = facts
    if not fit:
        raise UserError("no host of the fleet can run the builds of this machine")
    return fit


def one_kind(context: RunContext[Study], hosts: Mapping[str, HostFacts]) -> list[str]:
    """The hosts of the most common kind; notes the others."""
    kind = most_common_kind(hosts)
    for host, facts in hosts.items():
        if kind_of(facts) != kind:
            has, most = " ".join(kind_of(facts)), " ".join(kind)
            context.observer.note(
                f"{host}: left out: another kind of machine ({has}) than most ({most}); "
                "--spread replicate uses all"
            )
    return [host for host, facts in hosts.items() if kind_of(facts) == kind]


def deal(
    benchmarks: Sequence[str], hosts: Sequence[str], before: Mapping[str, str]
) -> dict[str, list[str]]:
    """The benchmarks of each host: those that it had ``before``, and an even share of others."""
    shares: dict[str, list[str]] = {host: [] for host in hosts}
    for name in benchmarks:
        if name in before:
            shares.setdefault(before[name], []).append(name)
    for name in benchmarks:
        if name not in before:
            shares[min(hosts, key=lambda h: (len(shares[h]), h))].append(name)
    return shares


def last_hosts(run: OpenRun, blocks: Sequence[Block]) -> dict[str, str]:
    """The host of each benchmark that has blocks."""
    sessions = {s.id: s for s in run.store.sessions(run.run.id)}
    return {b.benchmark: str(sessions[b.session].environment.get(FLEET_HOST)) for b in blocks}


def _entries(
    context: RunContext[Study], run: OpenRun, names: Sequence[str], taken: Sequence[Block]
) -> list[BenchmarkRun]:
    """The benchmarks to measure, with their ``taken`` blocks; numbered on from all blocks."""
    failures = run.failures()
    last = {b.benchmark: b.index for b in run.store.blocks(run.run.id)}
    entries = [
        entry_of(context, b, taken, failures)
        for b in context.question.benchmarks
        if b.name in names
    ]
    for entry in entries:
        entry.next_index = 1 + last.get(entry.name, -1)
    return entries


#: On more hosts than this blocks are judged less often: judging is most of a block's cost for the
#: coordinator. A decided host then measures at most a third longer.
MANY = 100


def replicate(
    study: Study,
    home: Home,
    observer: Observer,
    cluster: Cluster,
    *,
    services: Services | None = None,
    fresh: bool = False,
) -> tuple[OneResult, ...]:
    """Build here, measure on every host of the cluster, judge each; by the names of the hosts. It
    waits for a lost host while others measure; the next call goes on with an incomplete run.
    UserError as :func:`~whyfast.investigate.study_run.run_study`, and when no host is usable."""
    check_sendable(study)
    if not study.measured:
        raise UserError("nothing to measure on a fleet: evidence only", where=study.name)
    context = dedupe_builds(
        Processes().ready(
            build(RunContext(with_control(study), home, observer, services or Services()))
        )
    )
    if not comparable(context):
        raise UserError("nothing to measure on a fleet: nothing to compare", where=study.name)
    clock = context.services.clock
    here = HostAnswers(context.home, context.services).facts()
    able = list(fit_hosts(context, survey_all(cluster, observer, clock), here))
    sent = shipment(context)
    many = len(able) > MANY
    looks = FEW_LOOKS if many else None
    together = (
        TogetherJudge(context.question.margin, level_of_looks(context.question)) if many else None
    )
    runs: dict[str, OpenRun] = {}
    host_runs: dict[str, HostRun] = {}
    # One store for all: a thousand would be too many open files and waits for the disk.
    with closing(context.services.store(home.database)) as store, ExitStack() as held:

        def host_run(host: str) -> HostRun:
            key = hashlib.sha256(f"{run_key(context)} on {host}".encode()).hexdigest()
            run = held.enter_context(recording(context, key, fresh=fresh, alone=False, kept=store))
            runs[host] = run
            entries = entries_of(context, run, context.question.benchmarks)
            return HostRun(host, context, run, entries, looks=looks, together=together)

        context = observe(context)
        observer.phase("measure")
        with store.together():
            for host in able:
                host_runs[host] = host_run(host)
        spread = Spreading(host_run, store.together, judge=together)
        conductor = Conductor(cluster, sent, here, spread, observer, clock, host_runs)
        try:
            conductor.conduct(able)
        except KeyboardInterrupt:
            observer.note("interrupted; the same command goes on")
        else:
            context = count(context, runs[able[0]])
        whole = {host: not s.open for host, s in conductor.host_runs.items()}
        for run in runs.values():
            # All or none: the next call goes on with all hosts.
            run.complete = all(whole.values())
        with store.together():
            held.close()
    return tuple(
        OneResult(host, judge(context, replace(run.recorded, complete=whole[host])))
        for host, run in sorted(runs.items())
    )
