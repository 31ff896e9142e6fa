"""A scheduler here and a worker on each host of a list, for as long as a run takes."""

from __future__ import annotations

import queue
import re
import shlex
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from whyfast.fleet.certificates import own_certificates
from whyfast.fleet.cluster import Cluster, Event
from whyfast.fleet.hosts_file import HostsFile, LaunchHost
from whyfast.fleet.kept_process import ENDING, KeptProcess
from whyfast.model.errors import UserError

#: Seconds in which the scheduler and the first workers have to come up; a host may be far away.
ARRIVE = 60.0

#: Seconds between two looks at whether they have.
_LOOK = 0.05

#: What a scheduler and a worker say when they are up; see :mod:`whyfast.fleet.dask_servers`.
_SCHEDULER, _WORKER = re.compile(r"scheduler at (\S+)$"), " is ready for "

Note = Callable[[str], None]


class Launched:
    """What was started; ``address`` is the scheduler's."""

    def __init__(self, hosts: HostsFile) -> None:
        self.address = ""
        # Where listen is loopback the hosts are this machine, and may have other homes.
        self._certificates = str((hosts.certificates or own_certificates()).absolute())
        self._hosts = hosts
        self._said: queue.SimpleQueue[str] = queue.SimpleQueue()
        self._up: dict[str, threading.Event] = {h.name: threading.Event() for h in hosts.hosts}
        self._workers: list[KeptProcess] = []
        self._scheduler = KeptProcess(
            "scheduler", self._scheduler_words, self._said.put, self._scheduler_said
        )

    def start(self, note: Note) -> None:
        """Wait for the scheduler, start the workers, and wait until each is up or has failed.
        UserError when none comes up."""
        self._await(lambda: bool(self.address) or self._scheduler.ended_once.is_set())
        if not self.address:
            said = self._scheduler.last or "it says nothing"
            raise UserError(f"the scheduler does not come up: {said}", where=self._hosts.listen)
        for host in self._hosts.hosts:
            self._workers.append(
                KeptProcess(host.name, self._words(host), self._said.put, self._listen(host.name))
            )
        self._await(
            lambda: all(self._up[w.name].is_set() or w.ended_once.is_set() for w in self._workers)
        )
        self.tell(note)
        if not any(up.is_set() for up in self._up.values()):
            said = "; ".join(f"{w.name}: {w.last or 'it says nothing'}" for w in self._workers[:3])
            raise UserError(f"no worker comes up on any host: {said}")

    def tell(self, note: Note) -> None:
        """What has been said since."""
        while True:
            try:
                note(self._said.get_nowait())
            except queue.Empty:
                return

    def end(self) -> None:
        """All of it; a worker ends what it measures."""
        kept = [*self._workers, self._scheduler]
        for process in kept:
            process.let_end()
        deadline = time.monotonic() + ENDING
        for process in kept:
            process.await_end(deadline)

    def _await(self, true: Callable[[], bool]) -> None:
        deadline = time.monotonic() + ARRIVE
        while not true() and time.monotonic() < deadline:
            time.sleep(_LOOK)

    def _scheduler_words(self) -> Sequence[str]:
        # Started again, it listens where the workers look for it.
        listen = self.address or self._hosts.listen
        # -P: with the current folder on its path, it would run a whyfast.py of a checkout.
        words = [sys.executable, "-P", "-m", "whyfast", "fleet", "scheduler", "--attached"]
        return [*words, "--listen", listen, "--certificates", self._certificates]

    def _scheduler_said(self, line: str) -> None:
        if found := _SCHEDULER.search(line):
            self.address = found[1]

    def _words(self, host: LaunchHost) -> Callable[[], Sequence[str]]:
        return lambda: [*host.ssh, worker_line(host, self.address, self._certificates)]

    def _listen(self, host: str) -> Callable[[str], None]:
        return lambda line: self._up[host].set() if _WORKER in line else None


def worker_line(host: LaunchHost, address: str, certificates: str) -> str:
    """What a shell on the host is given; ``certificates`` are for a host that has none of its
    own."""
    home = ["env", f"WHYFAST_HOME={host.home}"] if host.home else []
    words = [*home, *host.whyfast, "worker", address, "--name", host.name, "--attached"]
    return "exec " + shlex.join([*words, "--certificates", host.certificates or certificates])


@contextmanager
def launched(hosts: HostsFile, note: Note) -> Iterator[Launched]:
    """All of it is up within, and ended in the end. UserError when nothing comes up."""
    fleet = Launched(hosts)
    try:
        fleet.start(note)
        yield fleet
    finally:
        fleet.end()


class LaunchedCluster:
    """A cluster that also tells of what was launched."""

    def __init__(self, cluster: Cluster, fleet: Launched, note: Note) -> None:
        self._cluster, self._fleet, self._note = cluster, fleet, note

    def next(self, timeout: float) -> Event | None:
        self._fleet.tell(self._note)
        return self._cluster.next(timeout)

    def hand(self, host: str, task: bytes, data: bytes = b"") -> None:
        self._cluster.hand(host, task, data)
