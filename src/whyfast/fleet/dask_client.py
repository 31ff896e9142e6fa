"""The process that holds Dask's client, the one place that knows it. It reads tasks from standard
input, writes events to standard output (:mod:`whyfast.fleet.messages`) and ends with its input. It
is sealed before it connects and its memory is limited: harmful messages of workers end here."""

from __future__ import annotations

import contextlib
import os
import queue
import resource
import sys
import threading
import time
import uuid
from collections.abc import Mapping
from concurrent.futures import CancelledError
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Literal

import dask
from distributed import Client, Future
from distributed.versions import get_package_info

from whyfast.fleet.cluster import minor
from whyfast.fleet.messages import LARGEST, PipeLine, is_name, receive, send
from whyfast.fleet.security import seal, security_of, silence
from whyfast.fleet.worker import SLOT, run_task

#: Seconds between two looks for workers, and for each worker: a look costs the scheduler more with
#: every one.
LOOK, LOOK_EACH = 1.0, 0.005

#: Seconds without a heartbeat after which a worker counts as gone. It sends one every half a second
#: to some seconds, from a thread of its own.
SILENCE = 30.0

#: Seconds that a connection may take.
CONNECT = 10.0

#: Packages that must be the same on both sides, as must Python.
_SAME = ("distributed", "dask", "msgpack", "cloudpickle")

#: Bytes of memory beside those at its start; it holds one answer for each host.
MEMORY = 4 << 30


@dataclass(frozen=True)
class _Dropped:
    """A task that ended without an answer; ``failed``: its error, empty if Dask dropped it."""

    host: str
    number: int
    future: Future
    failed: str = ""


@dataclass
class _Connected:
    """A usable worker. ``seen``: its last heartbeat by the scheduler's clock; ``heard``: when that
    last changed, by the clock here."""

    address: str
    seen: float
    heard: float


class DaskClient:
    """The hosts whose workers are connected to a scheduler."""

    def __init__(self, address: str, certificates: Path | None) -> None:
        """OSError when there is no scheduler."""
        dask.config.set({"distributed.comm.timeouts.connect": f"{CONNECT}s"})
        dask.config.set({"distributed.scheduler.allowed-imports": []})
        self._address = address
        self._security = security_of(certificates)
        # Tasks for workers, lines to send with their bytes, dropped tasks; None: the end.
        self._inbox: queue.SimpleQueue[tuple[PipeLine, list[bytes]] | _Dropped | None]
        self._inbox = queue.SimpleQueue()
        self._known: dict[str, _Connected] = {}
        self._tasks: dict[str, Future] = {}
        self._refused: dict[str, str] = {}
        self._silent: dict[str, float] = {}
        self._there = True
        self._client = self._connect()

    def hear(self, pipe: IO[bytes]) -> None:
        """Read tasks until the end of the pipe."""
        while message := receive(pipe):
            self._inbox.put(message)
        self._inbox.put(None)

    def serve(self, pipe: IO[bytes]) -> None:
        """Hand tasks to workers and report events, until there are no more tasks."""
        looked = -SILENCE
        while True:
            if time.monotonic() - looked >= max(LOOK, LOOK_EACH * len(self._known)):
                self._look()
                looked = time.monotonic()
            try:
                item = self._inbox.get(timeout=LOOK)
            except queue.Empty:
                continue
            if item is None:
                return
            if isinstance(item, _Dropped):
                self._without_answer(item)
            elif item[0].kind == "task":
                self._hand(item[0].host, item[0].number, *item[1])
            else:
                send(pipe, item[0], *item[1])

    def _say(
        self,
        kind: Literal["note", "joined", "gone", "answered", "unanswered"],
        host: str = "",
        text: str = "",
        number: int = 0,
        *answer: bytes,
    ) -> None:
        self._inbox.put((PipeLine(kind, host, text, number), list(answer)))

    def _hand(self, host: str, number: int, task: bytes, data: bytes) -> None:
        known = self._known.get(host)
        if known is None:
            return  # its end has been reported
        future = self._client.submit(
            run_task,
            task,
            data,
            key=f"whyfast-{uuid.uuid4().hex}-{number}",
            workers=[known.address],
            allow_other_workers=False,
            resources={SLOT: 1},
            retries=0,
            pure=False,
        )
        self._tasks[host] = future
        future.add_done_callback(lambda done: self._done(host, number, known.address, done))

    def close(self) -> None:
        """Leave the scheduler; blocks in progress are lost."""
        self._client.close(timeout=CONNECT)

    def _connect(self) -> Client:
        return Client(
            self._address,
            security=self._security,
            timeout=CONNECT,
            set_as_default=False,
            serializers=["msgpack"],
            deserializers=["msgpack"],
        )

    def _done(self, host: str, number: int, address: str, future: Future) -> None:
        """Called in a thread of Dask's."""
        try:
            answer = future.result(timeout=SILENCE)
        except (CancelledError, TimeoutError, OSError):
            # Cancelled here, or the client was cut off and has forgotten its tasks.
            self._inbox.put(_Dropped(host, number, future))
            return
        except Exception as error:
            self._inbox.put(_Dropped(host, number, future, type(error).__name__))
            return
        known = self._known.get(host)
        if known is None or known.address != address or self._tasks.get(host) is not future:
            return
        del self._tasks[host]
        if not isinstance(answer, bytes):
            reason = f"it answers {type(answer).__name__}; expected bytes"
            self._say("unanswered", host, reason, number)
        elif len(answer) > LARGEST:
            reason = f"it answers {len(answer)} bytes; at most {LARGEST} are read"
            self._say("unanswered", host, reason, number)
        else:
            self._say("answered", host, "", number, answer)

    def _without_answer(self, dropped: _Dropped) -> None:
        if dropped.failed:
            # The task of a killed worker fails, too: look first whether it has gone.
            self._look()
        host = dropped.host
        if self._tasks.get(host) is not dropped.future:
            return
        if dropped.failed:
            del self._tasks[host]
            why = f"the worker failed; its log says why ({dropped.failed})"
            self._say("unanswered", host, why, dropped.number)
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
        # Hosts that have gone, and hosts that were silent and answer again.
        self._refused = {a: w for a, w in self._refused.items() if a in workers}
        self._silent = {
            a: s for a, s in self._silent.items() if workers.get(a, {}).get("last_seen") == s
        }
        passed_over = {*self._refused, *self._silent}
        new = {
            host: (address, worker)
            for host, (address, worker) in named.items()
            if host not in self._known and address not in passed_over
        }
        if new:
            self._meet(new, now)

    def _workers(self) -> Mapping[str, Any]:
        """The workers by address; empty while there is no scheduler. Reconnects."""
        try:
            deaf = self._deaf()
            if deaf:
                self._tasks.clear()
                for host in list(self._known):
                    self._lose(host, "a worker's message was refused; connecting again")
                with contextlib.suppress(Exception):  # of messages that it did not read
                    self._client.close(timeout=CONNECT)
            if deaf or self._client.status == "closed":
                self._client = self._connect()
            workers: Mapping[str, Any] = self._client.sync(
                self._client.scheduler.identity, n_workers=-1
            )["workers"]
        except Exception as error:
            if self._there:
                why = "the scheduler has gone; waiting for it"
                if isinstance(error, TypeError):
                    why = "the scheduler passes on a worker's refused message; end that worker"
                self._say("note", text=why)
            self._there = False
            return {}
        if not self._there:
            self._say("note", text="the scheduler is there again")
        self._there = True
        return workers

    def _deaf(self) -> bool:
        """Whether a refused message has ended the client's reading of messages."""
        task = self._client._handle_report_task
        ended = task is not None and task.done() and not task.cancelled()
        return ended and task.exception() is not None

    def _meet(self, new: Mapping[str, tuple[str, Any]], now: float) -> None:
        """Admit the new workers that are usable."""
        versions = self._versions([address for address, _ in new.values()])
        for host, (address, worker) in new.items():
            why = ""
            if not is_name(host):
                host, why = ascii(host)[:60], "not a host name; give it another --name"
            elif not worker.get("resources", {}).get(SLOT):
                why = f"its worker has no {SLOT!r} slot; start it with whyfast worker"
            elif address not in versions:
                continue  # not yet up, or gone again
            else:
                why = _other_version(versions[address])
            if why:
                self._refused[address] = why
                self._say("note", text=f"{host}: left out: {why}")
            else:
                self._known[host] = _Connected(address, worker["last_seen"], now)
                self._say("joined", host)

    def _versions(self, addresses: list[str]) -> Mapping[str, Mapping[str, str | None]]:
        """Package versions by address, with those of this process under an empty one."""
        message = {"op": "versions", "packages": ["whyfast"]}
        try:
            replies = self._client.sync(
                self._client.scheduler.broadcast, msg=message, workers=addresses, on_error="ignore"
            )
            return {address: reply["packages"] for address, reply in replies.items() if reply}
        except (OSError, TimeoutError):
            return {}
        except Exception:  # the message of one of them was refused
            if len(addresses) == 1:
                return {addresses[0]: {}}
            each = [self._versions([address]) for address in addresses]
            return {address: has for versions in each for address, has in versions.items()}

    def _lose(self, host: str, why: str) -> None:
        del self._known[host]
        future = self._tasks.pop(host, None)
        if future is not None:
            with contextlib.suppress(OSError, TimeoutError):  # it may be gone with the scheduler
                future.cancel()
        self._say("gone", host, why)


def _other_version(has: Mapping[str, str | None]) -> str:
    """The package or Python whose version differs from here; empty where all are equal."""
    local = get_package_info(_SAME)
    for name in ("python", *_SAME):
        there, here = has.get(name), local.get(name)
        if name == "python":
            there, here = minor(there or ""), minor(here or "")
        if there != here:
            return f"{name} {there}; expected {here}, as here"
    return ""


def main() -> None:
    """Arguments: the address, and the folder of certificates unless it is this user's own."""
    address, *folder = sys.argv[1:]
    silence()
    pipe = os.fdopen(os.dup(1), "wb")
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for terminal in (1, 2):
        os.dup2(nowhere, terminal)
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    most = pages * resource.getpagesize() + MEMORY
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    most = most if hard == resource.RLIM_INFINITY else min(most, hard)
    resource.setrlimit(resource.RLIMIT_AS, (most, hard))
    seal()
    try:
        client = DaskClient(address, Path(folder[0]) if folder else None)
    except (OSError, TimeoutError):
        return
    send(pipe, PipeLine("connected"))
    threading.Thread(target=client.hear, args=(sys.stdin.buffer,), daemon=True).start()
    client.serve(pipe)
    client.close()


if __name__ == "__main__":
    main()
