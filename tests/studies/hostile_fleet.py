"""Workers and a client that try to have their own code run by whoever reads their messages.

    python hostile_fleet.py worker|metrics|client ADDRESS CERTIFICATES PORT FILE

What is pickled here connects to PORT wherever it is unpickled, but in this process. FILE is written
by whoever does it for the asking.
"""

import asyncio
import contextlib
import copyreg
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from distributed import Client, SchedulerPlugin, Worker, get_worker
from distributed.protocol import to_serialize
from distributed.protocol.pickle import dumps
from distributed.protocol.serialize import ToPickle

from whyfast.fleet.security import security_of
from whyfast.fleet.worker import SLOT, answer_with

KIND, ADDRESS, CERTIFICATES, PORT, FILE = sys.argv[1:] if len(sys.argv) == 6 else [""] * 5
CODE = (
    f"__import__('os').getpid() != {os.getpid()} and "
    f"__import__('socket').create_connection(('127.0.0.1', {PORT}))"
)

#: Steers a terminal.
ESCAPE = "\x1b]0;steered\x07"

#: Workers, each of which tries one thing when it is asked.
ATTACKS = (
    *("warn message", "warn category", "warn object", "print", "print object", "print pickle"),
    *("type", "object", "list", "exception", "traceback", "number", "huge"),
)


class Harmful:
    """Runs :data:`CODE` where it is unpickled."""

    def __reduce__(self) -> tuple[object, ...]:
        return eval, (CODE,)


class HarmfulError(Exception):
    def __reduce__(self) -> tuple[Any, ...]:
        return eval, (CODE,)


class _Kind(type):
    """Of a class that is pickled as :data:`CODE`."""


class OfThatKind(metaclass=_Kind):
    pass


copyreg.pickle(_Kind, lambda kind: (eval, (CODE,)))


def answer(task: bytes, data: bytes) -> Any:
    worker = get_worker()
    attack = str(worker.name)
    events: dict[str, tuple[str, Any]] = {
        "warn message": ("warn", {"message": dumps(Harmful())}),
        "warn category": ("warn", {"message": dumps("x"), "category": dumps(Harmful())}),
        "warn object": ("warn", to_serialize(Harmful())),
        "print": ("print", {"args": (ESCAPE,), "file": 2}),
        "print object": ("print", to_serialize(Harmful())),
        "print pickle": ("print", ToPickle(Harmful())),
    }
    results: dict[str, Any] = {
        "type": OfThatKind(),
        "object": Harmful(),
        "list": [b"x", Harmful()],
        "number": 7,
        "huge": bytes(100_000_000),
    }
    if attack in events:
        worker.log_event(*events[attack])
        worker.log_event(["warn", "print"], events[attack][1])
    if attack == "exception":
        raise HarmfulError
    if attack == "traceback":
        raise ValueError(ESCAPE)
    return results.get(attack, b"{}")


async def workers() -> None:
    answer_with(answer)
    names = ("metrics",) if KIND == "metrics" else (*ATTACKS, "versions", ESCAPE)
    first = {name: asyncio.Event() for name in names}
    async with asyncio.TaskGroup() as group:
        for name in names:
            group.create_task(worker(name, first[name]))
        for connected in first.values():
            await connected.wait()
        print("ready", flush=True)


async def worker(attack: str, connected: asyncio.Event) -> None:
    """One that connects again whenever the scheduler has cut it off, as a real one does."""
    while True:
        with contextlib.suppress(OSError, TimeoutError, ValueError, RuntimeError):
            made = Worker(
                ADDRESS,
                name=attack,
                nthreads=1,
                resources={SLOT: 1},
                security=security_of(Path(CERTIFICATES)),
                protocol="tls",
                host="127.0.0.1",
                dashboard_address="127.0.0.1:0",
            )
            if attack == "versions":
                made.handlers["versions"] = lambda **_: to_serialize(Harmful())
            if attack == "metrics":
                made.metrics["harm"] = lambda _: to_serialize(Harmful())
            async with made:
                connected.set()
                await made.finished()
            print(f"{attack!a} was cut off", flush=True)
        await asyncio.sleep(0.5)


class Plugin(SchedulerPlugin):  # type: ignore[misc]
    def __reduce__(self) -> tuple[Any, ...]:
        return eval, (CODE,)


def client() -> None:
    """Who has the certificate may ask a scheduler for all this."""
    asking = Client(ADDRESS, security=security_of(Path(CERTIFICATES)), timeout=20)
    attempts: tuple[Callable[[], object], ...] = (
        lambda: asking.run_on_scheduler(Harmful()),
        lambda: asking.register_plugin(Plugin()),
        lambda: asking.submit(len, Harmful(), workers=["nobody"]),
        lambda: asking.submit(Harmful(), workers=["nobody"]),
        lambda: asking.sync(
            asking.scheduler.dump_cluster_state_to_url,
            url=f"file://{FILE}",
            exclude=[],
            format="yaml",
        ),
        lambda: asking.sync(asking.scheduler.retire_workers, names=ToPickle(Harmful())),
        lambda: asking.log_event("print", ToPickle(Harmful())),
    )
    for attempt in attempts:
        with contextlib.suppress(Exception):
            attempt()
    print("asked", flush=True)
    os._exit(0)


if __name__ == "__main__":
    client() if KIND == "client" else asyncio.run(workers())
