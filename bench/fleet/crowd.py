"""Hosts that answer at once without measuring anything, each a block a second by its clock."""

from __future__ import annotations

import json
import time
from collections import deque
from collections.abc import Mapping
from typing import Any

import numpy as np

from whyfast.fleet.cluster import Event
from whyfast.fleet.messages import HostFacts, write
from whyfast.measure.invocation import Clock

#: Seconds on the crowd's clock that a block lasts; nothing else takes any.
BLOCK = 1.0

#: The spread of values within a block and between blocks, as a quiet machine's: logs.
WITHIN, BETWEEN = 0.004, 0.002

#: Values drawn beforehand.
_DRAWN = 1 << 16


class CrowdClock(Clock):
    """Starts at 0 and stands still but for the crowd."""

    seconds = 0.0

    def now(self) -> float:
        return 1_790_000_000 + self.seconds

    def monotonic(self) -> float:
        return self.seconds


class Crowd:
    """A cluster of ``hosts`` on which a loop of each variant takes as long as ``times`` says.

    ``own_cpu`` are the seconds of this thread that the crowd itself took; ``blocks`` how many it
    answered, from ``began`` to ``ended`` as (wall clock, CPU seconds of this thread, own_cpu).
    """

    def __init__(self, hosts: int, times: Mapping[str, float], facts: HostFacts) -> None:
        self.clock = CrowdClock()
        self.blocks = 0
        self.own_cpu = 0.0
        self.began: tuple[float, float, float] | None = None
        self.ended: tuple[float, float, float] | None = None
        self._times = times
        self._facts = write(facts)
        rng = np.random.default_rng(1)
        self._noise = np.exp(rng.normal(0, WITHIN, _DRAWN)).tolist()
        self._shift = np.exp(rng.normal(0, BETWEEN, _DRAWN)).tolist()
        self._at = 0
        self._events: deque[Event] = deque(Event("joined", f"host{i:04}") for i in range(hosts))
        self._step = BLOCK / hosts

    def next(self, timeout: float) -> Event | None:
        """What happened first of all that was not told yet."""
        if self._events:
            return self._events.popleft()
        self.clock.seconds += timeout
        return None

    def hand(self, host: str, task: bytes, data: bytes = b"") -> None:
        """It is answered at once."""
        before = time.thread_time()
        asked = json.loads(task)["task"]
        kind = asked["kind"]
        self._events.append(Event("answered", host, answer=self._answer(kind, asked)))
        self.own_cpu += time.thread_time() - before
        if kind == "block":
            self.blocks += 1
            self.clock.seconds += self._step
            self.ended = self.used()
            self.began = self.began or self.ended

    def used(self) -> tuple[float, float, float]:
        """Now, the CPU seconds of this thread, and those of the crowd among them."""
        return time.monotonic(), time.thread_time(), self.own_cpu

    def _answer(self, kind: str, asked: Mapping[str, Any]) -> bytes:
        if kind == "survey":
            return self._facts
        said: dict[str, Any]
        if kind == "offer":
            said = {"kind": "lacking", "parcels": {}}
        elif kind == "prepare":
            said = {"kind": "prepared", "key": "k"}
        elif kind == "calibrate":
            found = {
                "benchmark": asked["benchmark"],
                "loops": 100,
                "turns": asked["turns"],
                "value": 0.01,
                "start": 0.001,
            }
            said = {"kind": "taken", "calibration": found}
        else:
            said = {"kind": "taken", "block": self._block(asked["wanted"])}
        return json.dumps({"answer": said}).encode()

    def _block(self, wanted: Mapping[str, Any]) -> dict[str, Any]:
        plan = wanted["plan"]
        turns = len(plan["order"])
        return {
            "benchmark": wanted["benchmark"],
            "index": wanted["index"],
            "session": wanted["session"],
            "started": self.clock.now(),
            "seconds": BLOCK,
            **{k: plan[k] for k in ("seed", "cpu", "loops", "warmups", "start_order", "order")},
            "layouts": plan["layouts"],
            "values": {v: self._values(v, turns) for v in plan["start_order"]},
        }

    def _values(self, variant: str, turns: int) -> list[float]:
        self._at = (self._at + turns) % (_DRAWN - turns)
        scale = self._times[variant] * self._shift[self._at]
        return [scale * noise for noise in self._noise[self._at : self._at + turns]]
