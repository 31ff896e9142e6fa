"""A fleet in one process: hosts that answer at once, each in its own home and outside."""

import json
import os
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from tests.unit.investigate.doubles import Watcher, World, own

from whyfast.build.recipe import Recipe
from whyfast.fleet.cluster import Event
from whyfast.fleet.messages import Take, read_task
from whyfast.fleet.worker import HostAnswers
from whyfast.investigate.services import Services
from whyfast.model.build import Build, BuildOutcome
from whyfast.store.builds import BuildStore
from whyfast.store.files import sha256_of


class Builder(World):
    """Builds whose digests are those of their programs."""

    def build(
        self, recipes: Sequence[Recipe], store: BuildStore, *given: Any
    ) -> list[BuildOutcome]:
        made = super().build(recipes, store, *given)
        for b in made:
            if isinstance(b, Build):
                os.utime(b.program, (0, 0))  # as if it had been made once
        return [
            replace(b, program_sha256=sha256_of(b.program)) if isinstance(b, Build) else b
            for b in made
        ]


#: From a host, the kind of its task and how many of that kind it had before, to what happens
#: instead of an answer; None for the answer.
Faults = Callable[[str, str, int], Sequence[Event] | None]


@dataclass
class StandIn:
    """A cluster. ``world`` is the coordinator's, whose clock moves by what the hosts take; ``log``
    has every task: host and kind."""

    world: World
    folder: Path
    hosts: dict[str, World]
    faults: Faults = lambda host, kind, before: None
    outsides: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    log: list[tuple[str, str]] = field(default_factory=list)
    events: deque[Event] = field(default_factory=deque)

    def __post_init__(self) -> None:
        self._tasks: deque[tuple[str, bytes, bytes]] = deque()
        self.answers: dict[str, HostAnswers] = {}
        for host in self.hosts:
            self.start(host)
            self.events.append(Event("joined", host))

    def start(self, host: str) -> None:
        """A new process in the same home."""
        services: Services = self.hosts[host].services(**self.outsides.get(host, {}))
        self.answers[host] = HostAnswers(own(self.folder / host), services)

    def hand(self, host: str, task: bytes, data: bytes = b"") -> None:
        self._tasks.append((host, task, data))

    def next(self, timeout: float) -> Event | None:
        if self.events:
            return self.events.popleft()
        if not self._tasks:
            self.world.clock.seconds += timeout
            return None
        host, task, data = self._tasks.popleft()
        message = read_task(task)
        kind = message.wanted.kind if isinstance(message, Take) else json.loads(task)["kind"]
        before = self.log.count((host, kind))
        self.log.append((host, kind))
        instead = self.faults(host, kind, before)
        if instead is not None:
            for event in instead:
                if event.kind == "joined":
                    self.start(event.host)
            self.events.extend(instead)
            return self.next(timeout)
        began = self.hosts[host].clock.seconds
        answer = self.answers[host].answer(task, data)
        self.world.clock.seconds += self.hosts[host].clock.seconds - began
        return Event("answered", host, answer=answer)


def at(host: str, kind: str, before: int, action: Callable[[], Any]) -> Faults:
    """What ``action`` gives, in the task of that kind that comes after ``before`` others."""
    return lambda *task: action() if task == (host, kind, before) else None


def dies(host: str, kind: str, before: int, back: bool = True) -> Faults:
    """That host is gone in its task of that kind, and there again at once if it comes ``back``."""
    events = [
        Event("gone", host, "the connection is lost"),
        *([Event("joined", host)] if back else []),
    ]
    return at(host, kind, before, lambda: events)


__all__ = ["Builder", "Faults", "StandIn", "Watcher", "at", "dies"]
