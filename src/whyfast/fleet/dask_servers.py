"""The two servers of a fleet: a scheduler, and a worker on each host."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import dask
from distributed import Scheduler, Worker

from whyfast.fleet.answers import SLOT, HostAnswers, answer_with, run_task
from whyfast.fleet.security import BYTES, Address, seal, security_of, silence
from whyfast.store.home import Home

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
