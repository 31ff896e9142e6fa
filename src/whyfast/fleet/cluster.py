"""The protocol between a fleet and its transport, its events, which hosts fit, and the transport
over Dask, whose client is a sealed process of its own (docs/fleet.md)."""

from __future__ import annotations

import contextlib
import itertools
import queue
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol

from whyfast.fleet.messages import HostFacts, PipeLine, receive, send
from whyfast.fleet.security import read_address, security_of
from whyfast.judge.lines import version_key
from whyfast.model.codec import Malformed
from whyfast.model.errors import UserError


@dataclass(frozen=True)
class Event:
    """What became of a host. ``joined``: it has connected, or again, without a task. ``gone``:
    it has disconnected or is silent for long, and its task is lost. ``answered``: the unchecked
    ``answer`` to its task. ``unanswered``: its task ended without one. ``why``: the reason."""

    kind: Literal["joined", "gone", "answered", "unanswered"]
    host: str
    why: str = ""
    answer: object = None


class Cluster(Protocol):
    """Hosts by name, each with at most one task."""

    def next(self, timeout: float) -> Event | None:
        """The next event; None without one within ``timeout`` seconds."""

    def hand(self, host: str, task: bytes, data: bytes = b"") -> None:
        """Give a host a task; an event reports the answer, or that there is none."""


#: Architecture, processor and C library, equal for machines of one kind.
Kind = tuple[str, str, str]


def unfit(facts: HostFacts, here: HostFacts) -> str:
    """Why a host cannot run builds of this machine (``here``); empty when it probably can. Programs
    that were linked against a C library run with the same or a later one."""
    if facts.whyfast != here.whyfast:
        return f"whyfast {facts.whyfast}; expected {here.whyfast}, as here"
    if minor(facts.python) != minor(here.python):
        return f"Python {facts.python}; expected {minor(here.python)}, as here"
    if facts.architecture != here.architecture:
        return (
            f"architecture {facts.architecture}; expected {here.architecture}, as here; run "
            "whyfast on such a machine and merge the results with whyfast merge"
        )
    same = facts.libc.split(" ")[0] == here.libc.split(" ")[0]
    if not same or version_key(facts.libc) < version_key(here.libc):
        has, wanted = facts.libc or "unknown", here.libc or "the one here"
        return f"C library {has}; programs built here need {wanted} or later"
    return ""


def kind_of(facts: HostFacts) -> Kind:
    """Architecture, processor and C library."""
    return (facts.architecture, str(facts.environment.get("cpu_model", "")), facts.libc)


def most_common_kind(hosts: Mapping[str, HostFacts]) -> Kind:
    """The kind of most hosts; among equally frequent ones that of the first host by name."""
    kinds = Counter(kind_of(hosts[name]) for name in sorted(hosts))
    return kinds.most_common(1)[0][0]


def minor(python: str) -> str:
    """The first two numbers of a version of Python."""
    return ".".join(python.split(".")[:2])


#: Seconds for the client to leave the scheduler.
ENDING = 10.0

#: The most waiting messages.
_MOST = 10_000

Note = Callable[[str], None]


class DaskCluster:
    """The hosts whose workers are connected to a scheduler. Close it in the end."""

    def __init__(
        self,
        address: str,
        certificates: Path | None,
        note: Note,
        tell: Callable[[], None] = lambda: None,
    ) -> None:
        """``tell`` is called before each wait. UserError without a scheduler."""
        place = read_address(address, certificates, "--scheduler")
        security_of(certificates)  # raises UserError for unusable ones
        self._note, self._tell = note, tell
        self._number = itertools.count(1)
        self._handed: dict[str, int] = {}
        self._lines: queue.Queue[tuple[PipeLine, list[bytes]] | str] = queue.Queue(_MOST)
        words = [sys.executable, "-P", "-m", "whyfast.fleet.dask_client", str(place)]
        self._client = subprocess.Popen(
            [*words, *([str(certificates)] if certificates else [])],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,  # no worker writes to a terminal here
            start_new_session=True,  # Ctrl-C is for this process, which ends it
        )
        threading.Thread(target=self._listen, daemon=True).start()
        if isinstance(self._lines.get(), str):
            self.close()
            raise UserError(
                "no scheduler answers; start one with whyfast fleet scheduler, and a worker on "
                "each host with whyfast worker",
                where=str(place),
            )

    def close(self) -> None:
        """Leave the scheduler; blocks in progress are lost."""
        assert self._client.stdin is not None
        with contextlib.suppress(OSError):
            self._client.stdin.close()
        try:
            self._client.wait(ENDING)
        except subprocess.TimeoutExpired:
            self._client.kill()
            self._client.wait()

    def next(self, timeout: float) -> Event | None:
        """See :class:`~whyfast.fleet.cluster.Cluster`. UserError when the client has ended."""
        self._tell()
        deadline = time.monotonic() + timeout
        while True:
            try:
                message = self._lines.get(timeout=max(0.0, deadline - time.monotonic()))
            except queue.Empty:
                return None
            if isinstance(message, str):
                raise UserError(f"the connection to the scheduler ended: {message}; start it again")
            if event := self._event(*message):
                return event

    def hand(self, host: str, task: bytes, data: bytes = b"") -> None:
        """See :class:`~whyfast.fleet.cluster.Cluster`."""
        number = self._handed[host] = next(self._number)
        assert self._client.stdin is not None
        with contextlib.suppress(OSError):  # the next event reports its end
            send(self._client.stdin, PipeLine("task", host, number=number), task, data)

    def _event(self, line: PipeLine, parts: list[bytes]) -> Event | None:
        if line.kind == "note":
            self._note(line.text)
        elif line.kind in ("joined", "gone"):
            if line.kind == "gone":
                self._handed.pop(line.host, None)
            return Event(line.kind, line.host, line.text)
        elif self._handed.get(line.host) == line.number:  # else of an earlier connection
            del self._handed[line.host]
            if line.kind == "answered" and parts:
                return Event("answered", line.host, answer=parts[0])
            return Event("unanswered", line.host, line.text)
        return None

    def _listen(self) -> None:
        assert self._client.stdout is not None
        why = "its process ended"
        try:
            while message := receive(self._client.stdout):
                self._lines.put(message)
        except (Malformed, OSError, ValueError) as error:
            why = f"unreadable message of its process ({error})"
        self._lines.put(why)
