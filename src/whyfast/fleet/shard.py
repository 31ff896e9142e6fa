"""The benchmarks of one study spread over hosts of one kind; each belongs to one of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from whyfast.fleet.answers import HostAnswers
from whyfast.fleet.checks import kind_of, most_common_kind, unfit
from whyfast.fleet.cluster import Cluster
from whyfast.fleet.conduct import Conductor, Spreading, survey_all
from whyfast.fleet.messages import HostFacts
from whyfast.fleet.seat import Seat
from whyfast.fleet.sending import check_sendable, shipment
from whyfast.investigate.measuring import Processes, entry_of
from whyfast.investigate.recording import FLEET_HOST, OpenRun
from whyfast.investigate.work import Work
from whyfast.measure.campaign import BenchmarkRun
from whyfast.model.errors import UserError
from whyfast.model.sample import Block
from whyfast.model.study import Study


class Sharded:
    """Measures on the hosts of a cluster, as one run."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._found: Mapping[str, HostFacts] | None = None

    def check(self, work: Work[Study]) -> None:
        """UserError for what is measured on one machine only."""
        check_sendable(work.question)

    def ready(self, work: Work[Study]) -> Work[Study]:
        """As for processes here."""
        return Processes().ready(work)

    def measure(self, work: Work[Study], run: OpenRun) -> None:
        """All benchmarks, each on one host; those that a host has begun with go on there."""
        clock = work.outside.clock
        own = own_facts(work)
        if self._found is None:  # a second time nobody says again that it is there
            self._found = survey_all(self._cluster, work.observer, clock)
        hosts = one_kind(work, self._found, own)
        taken = run.blocks()
        if taken:
            work.observer.note(f"resuming: {len(taken)} blocks are there already")
        dealt = deal(
            [b.name for b in work.question.benchmarks], sorted(hosts), last_hosts(run, taken)
        )
        seats = {
            host: Seat(host, work, run, _entries(work, run, names, taken))
            for host, names in dealt.items()
        }
        for seat in seats.values():
            seat.enter("away")
        spread = Spreading(
            lambda host: Seat(host, work, run),
            run.store.together,
            lambda names: _entries(work, run, names, ()),
        )
        sent = shipment(work)
        conductor = Conductor(self._cluster, sent, own, spread, work.observer, clock, seats)
        with run.timed("measure", clock):
            try:
                conductor.conduct(hosts)
            finally:
                run.complete = not any(s.open for s in conductor.seats.values())


def own_facts(work: Work[Study]) -> HostFacts:
    """Of this machine, where the builds are made."""
    return HostAnswers(work.home, work.outside).facts()


def one_kind(work: Work[Study], found: Mapping[str, HostFacts], own: HostFacts) -> list[str]:
    """The hosts of the kind that most are of, and that can run what is built here; the others are
    noted. UserError when none is left."""
    note = work.observer.note
    able = {}
    for host, facts in found.items():
        if why := unfit(facts, own):
            note(f"{host}: left out: {why}")
        else:
            able[host] = facts
    if not able:
        raise UserError("no host of the fleet can run what is built here")
    kind = most_common_kind(able)
    for host, facts in able.items():
        if kind_of(facts) != kind:
            has, most = " ".join(kind_of(facts)), " ".join(kind)
            note(
                f"{host}: left out: it is another kind of machine ({has}) than most ({most}); "
                "--spread replicate uses all"
            )
    return [host for host, facts in able.items() if kind_of(facts) == kind]


def deal(
    benchmarks: Sequence[str], hosts: Sequence[str], before: Mapping[str, str]
) -> dict[str, list[str]]:
    """The benchmarks of each host: those that it had ``before``, whether it is there or not, and
    of the others as many as evens it out."""
    dealt: dict[str, list[str]] = {host: [] for host in hosts}
    for name in benchmarks:
        if name in before:
            dealt.setdefault(before[name], []).append(name)
    for name in benchmarks:
        if name not in before:
            dealt[min(hosts, key=lambda h: (len(dealt[h]), h))].append(name)
    return dealt


def last_hosts(run: OpenRun, blocks: Sequence[Block]) -> dict[str, str]:
    """The host of each benchmark that has blocks."""
    sessions = {s.id: s for s in run.store.sessions(run.run.id)}
    return {b.benchmark: str(sessions[b.session].environment.get(FLEET_HOST)) for b in blocks}


def _entries(
    work: Work[Study], run: OpenRun, names: Sequence[str], taken: Sequence[Block]
) -> list[BenchmarkRun]:
    """What to measure, with the blocks of it that count. Its blocks are numbered on from all that
    there are."""
    failures = run.failures()
    every = run.store.blocks(run.run.id)
    entries = []
    for benchmark in (b for b in work.question.benchmarks if b.name in names):
        entry = entry_of(work, benchmark, taken, failures)
        entry.next_index = 1 + max(
            (b.index for b in every if b.benchmark == entry.name), default=-1
        )
        entries.append(entry)
    return entries
