"""A scheduler here and a worker, by ssh, on each host of hosts.toml, for as long as a run takes; a
process that ends is started again."""

from __future__ import annotations

import contextlib
import os
import queue
import re
import shlex
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from whyfast.fleet.security import own_certificates, parse_address
from whyfast.model.errors import UserError
from whyfast.study.notation import quoted
from whyfast.study.toml_table import TomlTable, read_document


@dataclass(frozen=True)
class LaunchHost:
    """``ssh``: the words of a command that runs the shell command after them on the host;
    ``whyfast``: the words of whyfast there. ``home`` (for WHYFAST_HOME) and ``certificates`` are
    folders there, empty by default."""

    name: str
    ssh: tuple[str, ...]
    whyfast: tuple[str, ...]
    home: str
    certificates: str


@dataclass(frozen=True)
class HostsFile:
    """``listen``: where the scheduler listens and hosts reach it; ``certificates``: the folder of
    this machine."""

    listen: str
    certificates: Path | None
    hosts: tuple[LaunchHost, ...]


#: ssh without questions, with a short wait for the host, that notices when it has gone.
SSH = ("ssh", "-o", "BatchMode=yes", "-o", "ConnectTimeout=10", "-o", "ServerAliveInterval=10")


def read_hosts(file: Path) -> HostsFile:
    """Read hosts.toml. StudyError with line, key and correction for the first mistake."""
    top = TomlTable(document := read_document(file), (), document.data)
    top.check_keys("listen", "certificates", "ssh", "host")
    top.require("listen", 'listen = "192.0.2.1:8786", an address of this machine that hosts reach')
    certificates = top.string("certificates")
    listen = _listen(top, bool(certificates))
    top.require("host", '[host.NAME] with ssh = "ADDRESS" for each host')
    hosts = tuple(_host(table, top, bool(certificates)) for _, table in top.table("host").tables())
    if not hosts:
        raise top.error(("host",), "has no host", 'write [host.NAME] with ssh = "ADDRESS"')
    folder = Path(certificates).expanduser() if certificates else None
    return HostsFile(listen, folder and file.absolute().parent / folder, hosts)


def _listen(top: TomlTable, encrypted: bool) -> str:
    text = top.string("listen")
    address = parse_address(text)
    if address is None:
        raise top.error(("listen",), f"not an address: {quoted(text)}", "write HOST:PORT")
    if address.unspecified:
        hint = "write the one address of this machine that the hosts reach"
        raise top.error(("listen",), f"{address.host} is every address", hint)
    if not address.loopback and not encrypted:
        raise top.error(
            ("certificates",),
            "is missing: other machines reach that address, and workers run programs",
            'make them by whyfast fleet certificates FOLDER, and write certificates = "FOLDER"',
        )
    return text


def _host(table: TomlTable, top: TomlTable, encrypted: bool) -> LaunchHost:
    table.check_name("a host")
    table.check_keys("ssh", "whyfast", "home", "certificates", "options")
    table.require("ssh", 'ssh = "ADDRESS", as you would give it to ssh')
    address = table.string("ssh")
    if address.startswith("-"):
        raise table.error(("ssh",), f"{quoted(address)} is an option, no address", "use options")
    for key in ("home", "certificates"):
        if table.string(key).startswith("~"):
            hint = "write an absolute path, or one relative to the folder in which ssh starts"
            raise table.error((key,), "begins with ~, which no shell expands here", hint)
    if encrypted:
        table.require("certificates", 'certificates = "FOLDER", where they are on that host')
    elif "certificates" in table:
        raise top.error(("certificates",), "is missing, but a host has some")
    return LaunchHost(
        str(table.key[-1]),
        (*_words(top, "ssh", SSH), *table.strings("options"), address),
        _words(table, "whyfast", ("whyfast",)),
        table.string("home"),
        table.string("certificates"),
    )


def _words(table: TomlTable, key: str, otherwise: tuple[str, ...]) -> tuple[str, ...]:
    """The words of a command; for whyfast, one word may stand alone."""
    if key not in table:
        return otherwise
    single = key == "whyfast" and isinstance(table.data[key], str)
    words = (table.string(key),) if single else table.strings(key)
    if not words:
        raise table.error((key,), "is empty", "leave it out, or write the words of a command")
    return words


#: Seconds until a process that has ended is restarted: twice as many each time, up to ``MOST``, and
#: ``AGAIN`` after one that ran for ``STEADY`` seconds.
AGAIN, MOST, STEADY = 1.0, 60.0, 60.0

#: Seconds for a process to end after its standard input does, and then after SIGTERM.
ENDING, TERMINATED = 5.0, 2.0

#: The most characters of a line that are read.
_LINE = 400


class KeptProcess:
    """A process that is restarted when it ends. ``command`` gives its words each time; ``tell`` is
    called with the reason of each end, ``heard`` with every line of its standard error, both in
    threads. It should end with its standard input: then it ends also if this process is killed."""

    def __init__(
        self,
        name: str,
        command: Callable[[], Sequence[str]],
        tell: Callable[[str], None],
        heard: Callable[[str], None] = lambda line: None,
        again: float = AGAIN,
    ) -> None:
        self.name = name
        self.last = ""
        self.ended_once = threading.Event()
        self._command, self._tell, self._heard, self._again = command, tell, heard, again
        self._ending = threading.Event()
        self._process: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()
        threading.Thread(target=self._keep, daemon=True).start()

    def let_end(self) -> None:
        """Restart it no more, and close its standard input."""
        self._ending.set()
        with self._lock, contextlib.suppress(OSError):
            if self._process is not None and self._process.stdin is not None:
                self._process.stdin.close()

    def await_end(self, deadline: float) -> None:
        """Wait for its end; SIGTERM at ``deadline`` (monotonic seconds), SIGKILL soon after."""
        process = self._process
        if process is None:
            return
        for number, seconds in (
            (signal.SIGTERM, max(0.0, deadline - time.monotonic())),
            (signal.SIGKILL, TERMINATED),
        ):
            try:
                process.wait(seconds)
            except subprocess.TimeoutExpired:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(process.pid, number)
        process.wait()

    def _keep(self) -> None:
        pause = self._again
        while not self._ending.is_set():
            began = time.monotonic()
            why = self._run()
            if self._ending.is_set():
                return
            if time.monotonic() - began >= STEADY:
                pause = self._again
            self._tell(f"{self.name}: {why}; starting it again in {pause:.0f} s")
            self.ended_once.set()
            self._ending.wait(pause)
            pause = min(2 * pause, MOST)

    def _run(self) -> str:
        words = list(self._command())
        self.last = ""
        with self._lock:
            if self._ending.is_set():
                return ""
            try:
                process = self._process = subprocess.Popen(
                    words,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.PIPE,
                    start_new_session=True,  # Ctrl-C is for this process, which ends it
                )
            except OSError as error:
                self.last = f"{words[0]}: {error.strerror}"
                return self.last
        assert process.stderr is not None
        reader = threading.Thread(target=self._read, args=(process.stderr,), daemon=True)
        reader.start()
        code = process.wait()
        reader.join(TERMINATED)  # its children may hold the pipe
        how = f"exit code {code}" if code >= 0 else signal.Signals(-code).name
        return f"{words[0]} ended ({how})" + (f": {self.last}" if self.last else "")

    def _read(self, pipe: IO[bytes]) -> None:
        with pipe:
            for raw in iter(lambda: pipe.readline(_LINE), b""):
                line = raw.decode(errors="replace").strip()
                if line:
                    self.last = line
                    self._heard(line)


#: Seconds for the scheduler and the workers to start, and between two looks at whether they have.
ARRIVE, _LOOK = 60.0, 0.05

#: Printed by a scheduler and a worker when they are up; see :mod:`whyfast.fleet.worker`.
_SCHEDULER, _WORKER = re.compile(r"scheduler at (\S+)$"), " is ready for "

Note = Callable[[str], None]


class Launched:
    """A scheduler here and workers on hosts; ``address`` is the scheduler's."""

    def __init__(self, hosts: HostsFile) -> None:
        self.address = ""
        # With a loopback address the hosts are this machine, perhaps with other homes.
        self._certificates = str((hosts.certificates or own_certificates()).absolute())
        self._hosts = hosts
        self._lines: queue.SimpleQueue[str] = queue.SimpleQueue()
        self._up: dict[str, threading.Event] = {h.name: threading.Event() for h in hosts.hosts}
        self._workers: list[KeptProcess] = []
        self._scheduler = KeptProcess(
            "scheduler", self._scheduler_words, self._lines.put, self._hear_scheduler
        )

    def start(self, note: Note) -> None:
        """Wait for the scheduler, start the workers, and wait until each is up or has failed.
        UserError when none comes up."""
        self._await(lambda: bool(self.address) or self._scheduler.ended_once.is_set())
        if not self.address:
            last = self._scheduler.last or "no output"
            raise UserError(f"the scheduler does not start: {last}", where=self._hosts.listen)
        for host in self._hosts.hosts:
            self._workers.append(
                KeptProcess(host.name, self._words(host), self._lines.put, self._listen(host.name))
            )
        self._await(
            lambda: all(self._up[w.name].is_set() or w.ended_once.is_set() for w in self._workers)
        )
        self.tell(note)
        if not any(up.is_set() for up in self._up.values()):
            lines = "; ".join(f"{w.name}: {w.last or 'no output'}" for w in self._workers[:3])
            raise UserError(f"no worker starts on any host: {lines}")

    def tell(self, note: Note) -> None:
        """Pass on the messages since the last call."""
        with contextlib.suppress(queue.Empty):
            while True:
                note(self._lines.get_nowait())

    def end(self) -> None:
        """End all processes; a worker finishes its measurement."""
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
        # After a restart it listens at the address that the workers know.
        listen = self.address or self._hosts.listen
        # -P: else it would run a whyfast.py of the current folder.
        words = [sys.executable, "-P", "-m", "whyfast", "fleet", "scheduler", "--attached"]
        return [*words, "--listen", listen, "--certificates", self._certificates]

    def _hear_scheduler(self, line: str) -> None:
        if match := _SCHEDULER.search(line):
            self.address = match[1]

    def _words(self, host: LaunchHost) -> Callable[[], Sequence[str]]:
        return lambda: [*host.ssh, worker_line(host, self.address, self._certificates)]

    def _listen(self, host: str) -> Callable[[str], None]:
        return lambda line: self._up[host].set() if _WORKER in line else None


def worker_line(host: LaunchHost, address: str, certificates: str) -> str:
    """The command line for a shell on the host; ``certificates``: for a host that names none."""
    home = ["env", f"WHYFAST_HOME={host.home}"] if host.home else []
    words = [*home, *host.whyfast, "worker", address, "--name", host.name, "--attached"]
    return "exec " + shlex.join([*words, "--certificates", host.certificates or certificates])


@contextmanager
def launched(hosts: HostsFile, note: Note) -> Iterator[Launched]:
    """Scheduler and workers for as long as the context lasts. UserError when none starts."""
    fleet = Launched(hosts)
    try:
        fleet.start(note)
        yield fleet
    finally:
        fleet.end()
