"""A scheduler and workers as processes on this machine, each with its own home."""

import os
import resource
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from tests.warm_process import Command

from whyfast.fleet.security import make_certificates
from whyfast.model.sample import Block
from whyfast.store.home import Home
from whyfast.store.samples import SampleStore

#: Only a hang takes so long.
DEADLINE = 120.0

#: ``whyfast`` of another version.
_OTHER = (
    "import sys, whyfast; whyfast.__version__ = '0.0.9'; "
    "from whyfast.cli.main import main; sys.exit(main())"
)


def free_port() -> int:
    """One that nobody listens on now."""
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        return int(bound.getsockname()[1])


class FleetProcesses:
    """``said`` of a process is all that it has printed so far."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.address = f"127.0.0.1:{free_port()}"
        # Every process here has another home, as if it were on a machine of its own.
        self.certificates: Path | None = folder / "certificates"
        make_certificates(self.certificates, 1)
        self.running: dict[str, Command | subprocess.Popen[bytes]] = {}
        self.coordinator_home = Home(folder / "here" / "cache", folder / "here" / "data")

    def start(
        self,
        name: str,
        *words: str | Path,
        other_version: bool = False,
        small_files: bool = False,
        machine: str = "",
        folder: Path | None = None,
    ) -> None:
        """Start ``whyfast`` with these words under a name that its home has, too. ``machine`` is
        what it takes its machine to be, ``folder`` where it starts."""
        (self.folder / name).mkdir(mode=0o700, exist_ok=True)
        env = {**os.environ, "WHYFAST_HOME": str(self.folder / name), "WHYFAST_MACHINE": machine}
        with (self.folder / f"{name}.log").open("ab") as log:
            if other_version:
                self.running[name] = subprocess.Popen(
                    [sys.executable, "-c", _OTHER, *words], env=env, cwd=folder, stdout=log,
                    stderr=log,
                )  # fmt: skip
            else:
                most = 40_000 if small_files else resource.RLIM_INFINITY
                self.running[name] = Command(words, log, log, env=env, cwd=folder, file_size=most)

    def scheduler(self) -> None:
        """Where workers and coordinator look for it."""
        self.start("scheduler", "fleet", "scheduler", "--listen", self.address, *self.security())

    def security(self) -> tuple[str | Path, ...]:
        """The option that names the certificates."""
        return ("--certificates", self.certificates) if self.certificates else ()

    def options(self) -> tuple[str | Path, ...]:
        return ("--scheduler", self.address, *self.security())

    def worker(self, name: str, *, other_version: bool = False, small_files: bool = False) -> None:
        """As if it were on another machine of that name."""
        words = ("worker", self.address, *self.security())
        self.start(name, *words, machine=name, other_version=other_version, small_files=small_files)

    def ready(self, *names: str) -> None:
        """Wait until these workers are connected."""
        for name in names:
            self.wait_for(name, "is ready for")

    def up(self, *names: str) -> None:
        """Start the scheduler and these workers, and wait until they are connected."""
        self.scheduler()
        for name in names:
            self.worker(name)
        self.ready(*names)

    def wait_for(self, name: str, text: str) -> None:
        """Until the process says it."""
        self.until(lambda: text in self.said(name), f"{name} says {text!r}")

    def until(self, true: Callable[[], object], what: str) -> None:
        """Wait; AssertionError, with all that was said, when it is not true in the end."""
        deadline = time.monotonic() + DEADLINE
        while not true():
            logs = "\n".join(f"{f.name}:\n{f.read_text()}" for f in self.folder.glob("*.log"))
            assert time.monotonic() < deadline, f"not true: {what}\n{logs}"
            time.sleep(0.05)

    def said(self, name: str) -> str:
        return (self.folder / f"{name}.log").read_text()

    def send(self, name: str, number: signal.Signals) -> None:
        self.running[name].send_signal(number)

    def kill(self, name: str) -> None:
        """By SIGKILL; its end is awaited."""
        self.send(name, signal.SIGKILL)
        self.running.pop(name).wait()

    def ended(self, name: str) -> int:
        """The exit code of a process, once it has ended."""
        return self.running.pop(name).wait(timeout=DEADLINE)

    def blocks(self) -> list[Block]:
        """All that the coordinator has stored."""
        if not self.coordinator_home.database.exists():
            return []
        store = SampleStore(self.coordinator_home.database)
        try:
            return [b for run in store.runs() for b in store.blocks(run.id)]
        finally:
            store.close()

    def end(self) -> None:
        """Whatever still runs."""
        for process in self.running.values():
            process.kill()
        for process in self.running.values():
            process.wait()
