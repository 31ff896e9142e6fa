"""The worker of a host: a function from a task to an answer; and the two servers of a fleet, which
are a scheduler and a worker on each host."""

from __future__ import annotations

import asyncio
import hashlib
import os
import platform
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import dask
from distributed import Scheduler, Worker

from whyfast import __version__
from whyfast.fleet import messages
from whyfast.fleet.building_hosts import HostBuilds
from whyfast.fleet.security import BYTES, Address, seal, security_of, silence
from whyfast.fleet.transfer import NotReceived, ReceivedArchives
from whyfast.investigate.context import RunContext, study_prefixes
from whyfast.investigate.measuring import runner_of
from whyfast.investigate.services import Services, Silent
from whyfast.measure.campaign import take
from whyfast.measure.doctor.environment import environment, environment_after
from whyfast.measure.invocation import Runner
from whyfast.model.build import Toolchain
from whyfast.model.codec import Malformed
from whyfast.model.errors import CannotBuildHere, UserError
from whyfast.model.study import Study
from whyfast.store.files import exclusive, exclusive_if_free, sha256_of
from whyfast.store.home import Home

#: Bytes of received programs and sources that a worker keeps.
MOST_KEPT = 20_000_000_000


class HostAnswers:
    """Answers the tasks of one host, one at a time. ``home`` is the worker's own; ``most`` bounds
    the bytes of archives that are kept and not in use."""

    def __init__(self, home: Home, services: Services, most: int = MOST_KEPT) -> None:
        self.home = home
        self._most = most
        self._services = services
        self._archives = ReceivedArchives(home)
        self._builds = HostBuilds(home, services, self._archives)
        # The prepared runs, with the runners of their benchmarks.
        self._ready: dict[str, tuple[messages.Prepare, Mapping[str, Runner]]] = {}
        self._lock = threading.Lock()

    def answer(self, task: bytes, data: bytes = b"") -> bytes:
        """The answer to a task, both as JSON; ``data`` are the bytes of a chunk. Errors of the
        task, the disk and the programs are answers, too."""
        with self._lock:
            try:
                answer = self._answer(messages.read_task(task), data)
            except Malformed as error:
                answer = messages.Refused(f"cannot read the task: {error}; is it the same whyfast?")
            except (NotReceived, UserError, CannotBuildHere) as error:
                answer = messages.Refused(str(error))
            except OSError as error:
                place = f"{error.filename}: " if error.filename else ""
                answer = messages.Refused(f"{place}{error.strerror}")
            return messages.write(answer)

    def _answer(self, task: messages.Task, data: bytes) -> messages.Answer:
        if isinstance(task, messages.AskFacts):
            return self.facts()
        if isinstance(task, messages.Offer):
            return messages.Lacking(self._archives.lacking(task.places))
        if isinstance(task, messages.Chunk):
            self._archives.add(task.archive, task.offset, task.size, data)
            return messages.Accepted()
        if isinstance(task, messages.Prepare):
            context = self._context(task)
            context = replace(context, prefixes=study_prefixes(context))
            runners = {b.name: runner_of(context, b)[0] for b in context.question.benchmarks}
            key = hashlib.sha256(repr(task).encode()).hexdigest()
            self._ready[key] = (task, runners)
            self._trim(task.places)
            return messages.Accepted(key)
        if isinstance(task, messages.MakeBuild):
            self._trim([messages.Place(task.source, "tree", "")])
            return self._builds.make(task)
        if isinstance(task, messages.SendBack):
            return self._builds.send(task)
        return self._take(task)

    def facts(self) -> messages.HostFacts:
        """The facts of this machine."""
        system = self._services.system
        return messages.HostFacts(
            environment(system),
            environment_after(system),
            self._services.cpus,
            platform.machine(),
            libc(),
            __version__,
            platform.python_version(),
        )

    def _trim(self, keep: Sequence[messages.Place]) -> None:
        """Remove old archives, unless another worker of this home measures programs at the moment.
        An earlier run that goes on sends again what it needs."""
        with exclusive_if_free(self.home.data / "measuring.lock") as free:
            if free:
                self._archives.trim(self._most, keep)

    def _context(self, message: messages.Prepare) -> RunContext[Study]:
        """The coordinator's context, with the files of this host."""
        places = {p.archive: self._archives.place(p) for p in message.places}
        folders = {name: places[archive] for name, archive in message.folders.items()}
        home = self._archives.home
        builds = []
        for build in message.builds:
            program = self._inside(home.builds, message.programs[build.variant])
            if sha256_of(program) != build.program_sha256:
                raise NotReceived(f"the program of {build.variant} is not the one that was built")
            builds.append(replace(build, program=program))
        study = replace(
            message.study,
            folder=folders.pop("study", home.cache),
            source=replace(message.study.source, folder=folders.pop("source", home.cache)),
        )
        return RunContext(
            study,
            home,
            Silent(),
            self._services,
            toolchains=tuple(self._toolchains(message)),
            builds=tuple(builds),
            layouts={
                variant: tuple(self._inside(home.builds, name) for name in names)
                for variant, names in message.layouts.items()
            },
            packages=folders,
        )

    def _inside(self, folder: Path, name: str) -> Path:
        """A path from a message; NotReceived when it leads out of the folder."""
        if Path(name).is_absolute() or ".." in Path(name).parts:
            raise NotReceived(f"{name} leads out of its folder")
        return folder / name

    def _toolchains(self, message: messages.Prepare) -> list[Toolchain]:
        """The toolchains of the message; those with a root are this host's own, if equal."""
        roots: dict[str, Toolchain] = {}
        for variant, packages in message.rooted.items():
            name = message.study.variant(variant).toolchain
            installed = self._services.toolchain(name, self.home, lambda text: None, packages)
            roots[installed.digest] = installed
        toolchains = []
        for toolchain in message.toolchains:
            if toolchain.root is None:
                toolchains.append(toolchain)
            elif toolchain.digest in roots:
                toolchains.append(roots[toolchain.digest])
            else:
                raise NotReceived(
                    f"programs built by {toolchain.name} run in its root, and this host's has "
                    "other packages; whyfast toolchain install --from there gives the same"
                )
        return toolchains

    def _take(self, task: messages.Take) -> messages.Answer:
        message, runners = self._ready.get(task.key, (None, {}))
        if message is None or not all(map(self._archives.is_placed, message.places)):
            return messages.Unprepared()
        wanted = task.wanted
        if wanted.benchmark not in runners:
            return messages.Refused(f"unknown benchmark: {wanted.benchmark!r} was not prepared")
        with exclusive(self.home.data / "measuring.lock"):
            return take(wanted, runners[wanted.benchmark], self._services.clock)


def libc() -> str:
    """The C library of this machine and its version, ``glibc 2.36``; empty where unknown."""
    try:
        return os.confstr("CS_GNU_LIBC_VERSION") or ""
    except (ValueError, OSError):
        return ""


#: The resource of a worker that every task takes.
SLOT = "bench"

#: Answers the tasks of this process; set when a worker starts.
_ANSWERS: list[Callable[[bytes, bytes], bytes]] = []


def answer_with(answers: Callable[[bytes, bytes], bytes]) -> None:
    """Set the function that answers the tasks of this process."""
    _ANSWERS[:] = [answers]


def run_task(task: bytes, data: bytes) -> bytes:
    """Answer a task. RuntimeError in a process that is no whyfast worker."""
    if not _ANSWERS:
        raise RuntimeError("this Dask worker was not started by whyfast worker")
    return _ANSWERS[0](task, data)


# The servers.


#: Seconds between two attempts to reach the scheduler.
AGAIN = 2.0

#: Seconds after which a worker reports that it has not reached its scheduler yet.
SLOW = 10.0

#: Dask profiles itself fifty times a second and more, which would disturb measurements. The
#: scheduler removes a worker that is silent for a minute, which restarts when it notices.
_QUIET = {
    "distributed.worker.profile.enabled": False,
    "distributed.admin.tick.interval": "2s",
    "distributed.admin.tick.limit": "60s",
    "distributed.admin.system-monitor.interval": "10s",
    "distributed.scheduler.worker-ttl": "60s",
    "distributed.scheduler.allowed-failures": 0,
    "distributed.scheduler.work-stealing": False,
    # Pages about itself, in the clear.
    "distributed.scheduler.http.routes": [],
    "distributed.worker.http.routes": [],
}

#: All that a scheduler unpickles: the tasks of a coordinator.
_TASKS = frozenset(
    {
        ("dask._expr", "Expr._reconstruct"),
        ("dask._expr", "LLGExpr"),
        ("dask._task_spec", "Task"),
        (run_task.__module__, run_task.__name__),
    }
)

Say = Callable[[str], None]


def serve_worker(
    address: Address, name: str, certificates: Path | None, answers: HostAnswers, say: Say
) -> None:
    """Answer tasks of that scheduler until the process ends; waits for a scheduler that is gone."""
    _quiet(answers.home)
    answer_with(answers.answer)
    security = security_of(certificates)

    async def say_when_slow() -> None:
        await asyncio.sleep(SLOW)
        say(f"cannot reach {address}; trying again")

    async def once() -> None:
        slow = asyncio.create_task(say_when_slow())  # Dask's worker tries silently
        async with Worker(
            str(address),
            name=name,
            nthreads=1,
            resources={SLOT: 1},
            security=security,
            protocol="tls",
            # A worker listens too: the scheduler fetches answers from it.
            host="127.0.0.1" if address.loopback else None,
            memory_limit=0,
            dashboard=False,
            dashboard_address="127.0.0.1:0",
        ) as worker:
            slow.cancel()
            say(f"{name} is ready for {address}")
            await worker.finished()
            say("the scheduler has gone; waiting for it")

    async def again_and_again() -> None:
        last = ""
        while True:
            try:
                await once()
                last = ""
            except (OSError, TimeoutError, ValueError, RuntimeError) as error:
                if str(error) != last:
                    cause = str(error.__cause__ or error) or type(error).__name__
                    say(f"cannot reach {address}; trying again: {cause.splitlines()[0][:200]}")
                last = str(error)
            await asyncio.sleep(AGAIN)

    asyncio.run(again_and_again())


def serve_scheduler(address: Address, certificates: Path | None, home: Home, say: Say) -> None:
    """Serve until the process ends. Port 0 is any free port; ``say`` reports it."""
    _quiet(home)
    security = security_of(certificates)

    async def serve() -> None:
        made = Scheduler(
            host=address.host,
            port=address.port,
            protocol="tls",
            security=security,
            dashboard=False,
            dashboard_address="127.0.0.1:0",
            needs_workdir=False,
        )
        seal(_TASKS | BYTES)  # before it listens
        async with made as scheduler:
            say(f"scheduler at {scheduler.address}")
            await scheduler.finished()

    asyncio.run(serve())


def _quiet(home: Home) -> None:
    dask.config.set(_QUIET)
    dask.config.set({"temporary-directory": str(home.cache / "fleet" / "dask")})
    silence()
