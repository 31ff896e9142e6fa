"""One campaign for each host, all advanced by the events of the cluster, in one thread."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field

from whyfast.fleet import messages
from whyfast.fleet.cluster import Cluster, Event
from whyfast.fleet.host_run import HostRun, State, status
from whyfast.fleet.transfer import (
    HostOut,
    HostTasks,
    Shipment,
    ask_facts,
    deliver,
    next_task,
)
from whyfast.investigate.services import Observer
from whyfast.judge.looks import TogetherJudge
from whyfast.measure.campaign import BenchmarkRun, Outcome
from whyfast.measure.invocation import Clock
from whyfast.model.codec import Malformed
from whyfast.model.errors import UserError

#: Seconds between two checks for hosts that are away too long.
LOOK = 1.0

#: The most answers stored by one write to the disk, and the benchmarks that are judged together.
TOGETHER = 64

#: Seconds that a host may be away before its benchmarks move, and before it is waited for no
#: longer when all others are done.
PATIENCE = 60.0


@dataclass
class Spreading:
    """How benchmarks are spread: ``host_run`` makes the run of a new host; all that runs store
    within ``together`` is on disk when that ends; ``move`` begins the named benchmarks afresh for
    another host (None: they stay). ``judge`` judges all host runs together, if set."""

    host_run: Callable[[str], HostRun]
    together: Callable[[], AbstractContextManager[None]]
    move: Callable[[Sequence[str]], list[BenchmarkRun]] | None = None
    judge: TogetherJudge | None = None


@dataclass
class Conductor:
    """Conducts the host runs. ``facts`` are those of this machine, where the builds were made;
    ``host_runs`` those of known hosts by name, connected or not."""

    cluster: Cluster
    shipment: Shipment
    facts: messages.HostFacts
    spread: Spreading
    observer: Observer
    clock: Clock
    host_runs: dict[str, HostRun] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._tasks: dict[str, HostTasks] = {}
        self._next_tasks: dict[str, tuple[bytes, bytes]] = {}
        self._waiting_noted = False
        self._changed = True

    def conduct(self, hosts: Iterable[str]) -> None:
        """Run until every host (``hosts``: the connected ones) is done or cannot go on."""
        self._handle([Event("joined", host) for host in hosts])
        looked = -math.inf
        while True:
            now = self.clock.monotonic()
            if self._changed or now - looked >= LOOK:  # not for every block: there may be many
                looked, self._changed = now, False
                if self.spread.judge is not None:  # while hosts are busy with what they have
                    self.spread.judge.judge()
                self._move()
                self._hand()
                self.observer.status(status(list(self.host_runs.values()), now))
                if self._ended():
                    return
            events = []
            event = self.cluster.next(LOOK)
            while event is not None:
                events.append(event)
                event = self.cluster.next(0.0) if len(events) < TOGETHER else None
            self._handle(events)

    def _ended(self) -> bool:
        host_runs = self.host_runs.values()
        if not host_runs:
            return False
        if any(s.state in ("surveyed", "receiving", "measuring") for s in host_runs):
            return False
        open_ = [s for s in host_runs if s.open]
        if not open_:
            return True
        if any(s.state == "done" for s in host_runs) and self.spread.move is not None:
            return False  # somebody can take over, after some patience
        away = [s for s in open_ if s.state == "away"]
        if away and not any(s.state == "done" for s in host_runs):
            if not self._waiting_noted:
                self._waiting_noted = True
                self.observer.note("no host can measure at the moment; waiting for one")
            return False
        return all(self._long_away(s) for s in away)

    def _handle(self, events: Sequence[Event]) -> None:
        if not events:
            return
        with self.spread.together():
            for event in events:
                self._handle_event(event)
        self._hand()
        if self.spread.judge is not None and len(self.spread.judge) >= TOGETHER:
            self.spread.judge.judge()

    def _hand(self) -> None:
        handed, self._next_tasks = self._next_tasks, {}
        for host, (task, data) in handed.items():
            self.cluster.hand(host, task, data)

    def _handle_event(self, event: Event) -> None:
        host_run = self.host_runs.get(event.host)
        if event.kind == "joined":
            if host_run is None:
                host_run = self.host_runs[event.host] = self.spread.host_run(event.host)
            self._start(host_run)
        elif event.kind == "gone" and host_run is not None:
            self._tasks.pop(event.host, None)
            self._next_tasks.pop(event.host, None)
            if host_run.state != "out":
                self._enter(host_run, "away", event.why)
                host_run.observer.note(event.why)
        elif host_run is None or event.host not in self._tasks:
            return  # the answer to a task that was given up
        elif event.kind == "answered":
            self._go_on(host_run, event.answer)
        else:
            self._leave_out(host_run, event.why)

    def _enter(self, host_run: HostRun, state: State, why: str = "") -> None:
        host_run.enter(state, why)
        self._changed = True

    def _start(self, host_run: HostRun) -> None:
        self._enter(host_run, "surveyed")
        self._tasks[host_run.host] = self._tasks_of(host_run)
        self._go_on(host_run, None)

    def _go_on(self, host_run: HostRun, data: object) -> None:
        try:
            task, more = next_task(self._tasks[host_run.host], data)
        except StopIteration:
            del self._tasks[host_run.host]
            self._enter(host_run, "done")
        except HostOut as out:
            self._leave_out(host_run, str(out))
        else:
            self._next_tasks[host_run.host] = messages.write(task), more

    def _leave_out(self, host_run: HostRun, why: str) -> None:
        self._tasks.pop(host_run.host, None)
        self._enter(host_run, "out", why)
        host_run.observer.note(f"cannot measure: {why}")

    def _tasks_of(self, host_run: HostRun) -> HostTasks:
        """All tasks of a host, from its arrival until it has measured everything."""
        facts = yield from ask_facts(self.facts)
        if not host_run.open:
            return
        self._enter(host_run, "receiving")
        key = yield from deliver(self.shipment)
        self._enter(host_run, "measuring")
        host_run.begin(facts)
        while (wanted := host_run.next_wanted()) is not None:
            answer = yield messages.Take(key, wanted), b""
            if isinstance(answer, messages.Unprepared):
                key = yield from deliver(self.shipment)
                continue
            if not isinstance(answer, Outcome) or not messages.fits(answer, wanted):
                raise HostOut(f"unexpected answer: {str(answer)[:100]} for {str(wanted)[:100]}")
            host_run.advance(answer)
            host_run.next_campaign(facts)
        after = yield messages.AskFacts(), b""
        if isinstance(after, messages.HostFacts):
            host_run.end(after)

    def _move(self) -> None:
        """Move benchmarks of hosts that are out or away for long to hosts that are done."""
        if self.spread.move is None:
            return
        idle = [s for s in self.host_runs.values() if s.state == "done"]
        for host_run in self.host_runs.values():
            lost = host_run.state == "out" or self._long_away(host_run)
            if not idle or not host_run.open or not lost:
                continue
            names = host_run.give_up()
            entries = self.spread.move(names)
            for i, entry in enumerate(entries):
                idle[i % len(idle)].waiting.append(entry)
            if entries:
                hosts = ", ".join(s.host for s in idle[: len(entries)])
                host_run.observer.note(f"{', '.join(names)} begins afresh on {hosts}")
            for other in idle[: len(entries)]:
                self._start(other)
            idle = idle[len(entries) :]

    def _long_away(self, host_run: HostRun) -> bool:
        return host_run.state == "away" and self.clock.monotonic() - host_run.since >= PATIENCE


def survey_all(
    cluster: Cluster, observer: Observer, clock: Clock, *, arrive: float = 10.0
) -> Mapping[str, messages.HostFacts]:
    """The facts of the connected hosts; without those that do not answer within :data:`PATIENCE`.
    UserError when none has connected within ``arrive`` seconds."""
    hosts: dict[str, messages.HostFacts] = {}
    asked: set[str] = set()
    began = clock.monotonic()
    while clock.monotonic() - began < PATIENCE:
        event = cluster.next(LOOK)
        if event is None and asked <= set(hosts):
            if hosts:
                break
            if clock.monotonic() - began >= arrive:
                raise UserError(
                    "no usable worker is connected to the scheduler; start whyfast worker on hosts"
                )
        if event is None:
            continue
        if event.kind == "joined":
            asked.add(event.host)
            cluster.hand(event.host, messages.write(messages.AskFacts()))
        elif event.kind == "gone":
            asked.discard(event.host)
            hosts.pop(event.host, None)
        else:
            try:
                answer = messages.read_answer(event.answer)
            except Malformed:  # or nothing
                answer = None
            if isinstance(answer, messages.HostFacts):
                hosts[event.host] = answer
            else:
                asked.discard(event.host)
                observer.note(f"{event.host}: left out: does not report which machine it is")
    return hosts
