"""A cluster over Dask's scheduler: the one place that knows Dask's client."""

from __future__ import annotations

import contextlib
import itertools
import queue
import time
import uuid
from collections.abc import Callable, Mapping
from concurrent.futures import CancelledError
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import dask
from distributed import Client, Future
from distributed.versions import get_package_info

from whyfast.fleet.cluster import Answered, Event, Gone, Joined, LeftUnanswered
from whyfast.fleet.dask_logs import silence
from whyfast.fleet.security import read_address, security_of
from whyfast.fleet.unpickling import refuse_pickles
from whyfast.fleet.worker_task import SLOT, run_task
from whyfast.model.errors import UserError

#: Seconds between two looks at which workers there are; a look costs the scheduler the more, the
#: more there are.
LOOK, LOOK_EACH = 1.0, 0.005

#: Seconds after which a worker that has sent no sign of life counts as gone. It sends one every
#: half a second to some seconds, from a thread of its own.
SILENCE = 30.0

#: Seconds that a connection may take.
CONNECT = 10.0

#: Dask's own that must be the same on both sides, and Python.
_SAME = ("distributed", "dask", "msgpack", "cloudpickle")

Note = Callable[[str], None]


@dataclass
class _Connected:
    """A worker that takes part; ``seen`` is the last sign of life as the scheduler tells it,
    ``heard`` when that was news here."""

    address: str
    seen: float
    heard: float


class DaskCluster:
    """The hosts whose workers are connected to a scheduler. Close it in the end."""

    def __init__(self, address: str, certificates: Path | None, note: Note) -> None:
        """UserError when there is no scheduler."""
        refuse_pickles()
        dask.config.set({"distributed.comm.timeouts.connect": f"{CONNECT}s"})
        silence()
        self._address = str(read_address(address, certificates, "--scheduler"))
        self._security = security_of(certificates)
        self._note = note
        self._number = itertools.count()
        self._events: queue.SimpleQueue[Event] = queue.SimpleQueue()
        self._dropped: queue.SimpleQueue[tuple[str, Future, str]] = queue.SimpleQueue()
        self._known: dict[str, _Connected] = {}
        self._tasks: dict[str, Future] = {}
        self._refused: dict[str, str] = {}
        self._silent: dict[str, float] = {}
        self._looked = -SILENCE
        self._there = True
        try:
            self._client = self._connect()
        except (OSError, TimeoutError):
            raise UserError(
                "no scheduler answers; start one with whyfast fleet scheduler, and a worker on "
                "each host with whyfast worker",
                where=self._address,
            ) from None

    def close(self) -> None:
        """Leave the scheduler; what is being measured is lost."""
        self._client.close(timeout=CONNECT)

    def next(self, timeout: float) -> Event | None:
        """See :class:`~whyfast.fleet.cluster.Cluster`."""
        if time.monotonic() - self._looked >= max(LOOK, LOOK_EACH * len(self._known)):
            self._look()
            self._looked = time.monotonic()
        while not self._dropped.empty():
            self._without_answer(*self._dropped.get())
        try:
            return self._events.get(timeout=min(timeout, LOOK))
        except queue.Empty:
            return None

    def hand(self, host: str, task: bytes, data: bytes = b"") -> None:
        """See :class:`~whyfast.fleet.cluster.Cluster`."""
        known = self._known.get(host)
        if known is None:
            return  # that it is gone has been put in the queue
        future = self._client.submit(
            run_task,
            task,
            data,
            key=f"whyfast-{uuid.uuid4().hex}-{next(self._number)}",
            workers=[known.address],
            allow_other_workers=False,
            resources={SLOT: 1},
            retries=0,
            pure=False,
        )
        self._tasks[host] = future
        future.add_done_callback(lambda done: self._done(host, known.address, done))

    def _connect(self) -> Client:
        return Client(
            self._address,
            security=self._security,
            timeout=CONNECT,
            set_as_default=False,
            serializers=["msgpack"],
            deserializers=["msgpack"],
        )

    def _done(self, host: str, address: str, future: Future) -> None:
        """In a thread of Dask's."""
        try:
            event = Answered(host, future.result(timeout=SILENCE))
        except (CancelledError, TimeoutError, OSError):
            # By us, which is known; else the client was cut off and has forgotten its tasks.
            self._dropped.put((host, future, ""))
            return
        except Exception as error:
            self._dropped.put((host, future, _short(error)))
            return
        known = self._known.get(host)
        if known is not None and known.address == address and self._tasks.get(host) is future:
            del self._tasks[host]
            self._events.put(event)

    def _without_answer(self, host: str, future: Future, failed: str) -> None:
        """A task that ended without an answer; ``failed`` is how, where it was not dropped."""
        if failed:
            # With a worker that was killed its task fails, too: such a worker has gone already.
            self._look()
        if self._tasks.get(host) is not future:
            return
        if failed:
            del self._tasks[host]
            why = f"the worker failed; its log says why ({failed})"
            self._events.put(LeftUnanswered(host, why))
        else:
            self._lose(host, "the connection broke")

    def _look(self) -> None:
        workers = self._workers()
        now = time.monotonic()
        named = {str(w["name"]): (address, w) for address, w in workers.items()}
        for host, known in list(self._known.items()):
            address, worker = named.get(host, ("", {}))
            if address != known.address:
                self._lose(host, "its worker has gone" if self._there else "the scheduler has gone")
            elif worker["last_seen"] != known.seen:
                known.seen, known.heard = worker["last_seen"], now
            elif now - known.heard >= SILENCE:
                self._lose(host, f"not heard of for {SILENCE:.0f} s")
                self._silent[address] = known.seen
        # Those that have gone, and those that were silent and are heard of again.
        self._refused = {a: w for a, w in self._refused.items() if a in workers}
        self._silent = {
            a: seen
            for a, seen in self._silent.items()
            if workers.get(a, {}).get("last_seen") == seen
        }
        new = {
            host: found
            for host, found in named.items()
            if host not in self._known
            and found[0] not in self._refused
            and found[0] not in self._silent
        }
        if new:
            self._meet(new, now)

    def _workers(self) -> Mapping[str, Any]:
        """By address; empty while there is no scheduler, to which it connects again."""
        try:
            if self._client.status == "closed":
                self._client = self._connect()
            found: Mapping[str, Any] = self._client.sync(
                self._client.scheduler.identity, n_workers=-1
            )["workers"]
        except (OSError, TimeoutError, ValueError, CancelledError):
            if self._there:
                self._note("the scheduler has gone; waiting for it")
            self._there = False
            return {}
        if not self._there:
            self._note("the scheduler is there again")
        self._there = True
        return found

    def _meet(self, new: Mapping[str, tuple[str, Any]], now: float) -> None:
        """Let workers take part that have what they need."""
        versions = self._versions([address for address, _ in new.values()])
        for host, (address, worker) in new.items():
            why = ""
            if not worker.get("resources", {}).get(SLOT):
                why = f"its worker has no {SLOT!r} slot; start it with whyfast worker"
            elif address not in versions:
                continue  # not yet up, or gone again
            else:
                why = _other_version(versions[address])
            if why:
                self._refused[address] = why
                self._note(f"{host}: left out: {why}")
            else:
                self._known[host] = _Connected(address, worker["last_seen"], now)
                self._events.put(Joined(host))

    def _versions(self, addresses: list[str]) -> Mapping[str, Mapping[str, str | None]]:
        """Package versions by address, with those of this process under an empty one."""
        message = {"op": "versions", "packages": ["whyfast"]}
        try:
            found = self._client.sync(
                self._client.scheduler.broadcast,
                msg=message,
                workers=addresses,
                on_error="ignore",
            )
        except (OSError, TimeoutError):
            return {}
        return {address: told["packages"] for address, told in found.items() if told}

    def _lose(self, host: str, why: str) -> None:
        del self._known[host]
        future = self._tasks.pop(host, None)
        if future is not None:
            with contextlib.suppress(OSError, TimeoutError):  # it may be gone with the scheduler
                future.cancel()
        self._events.put(Gone(host, why))


def _other_version(has: Mapping[str, str | None]) -> str:
    """Which of what must be the same on both sides is not; empty where all is."""
    own = get_package_info(_SAME)
    for name in ("python", *_SAME):
        there, here = has.get(name), own.get(name)
        if name == "python":
            there, here = _minor(there), _minor(here)
        if there != here:
            return f"it has {name} {there} and {here} is wanted, as here"
    return ""


def _minor(version: str | None) -> str:
    return ".".join((version or "").split(".")[:2])


def _short(error: BaseException) -> str:
    return type(error).__name__
