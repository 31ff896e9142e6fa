"""Hosts that answer without measuring anything, on a clock that moves by what blocks last."""

from __future__ import annotations

import heapq
import json
import time
from collections.abc import Mapping
from typing import Any

import numpy as np

from whyfast.fleet.cluster import Answered, Event, Joined
from whyfast.fleet.messages import HostFacts, write_answer

#: Seconds on the crowd's clock that a block lasts, and anything else that is asked.
BLOCK, OTHER = 1.0, 0.01

#: The spread of values within a block and between blocks, as a quiet machine's: logs.
WITHIN, BETWEEN = 0.004, 0.002

#: Values drawn beforehand.
_DRAWN = 1 << 16


class CrowdClock:
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
        self._facts = write_answer(facts)
        rng = np.random.default_rng(1)
        self._noise = np.exp(rng.normal(0, WITHIN, _DRAWN)).tolist()
        self._shift = np.exp(rng.normal(0, BETWEEN, _DRAWN)).tolist()
        self._at = 0
        self._due: list[tuple[float, int, Event]] = []
        self._number = 0
        for i in range(hosts):
            self._later(i * BLOCK / hosts, Joined(f"host{i:04}"))

    def next(self, timeout: float) -> Event | None:
        """What is due first."""
        before = time.thread_time()
        event = None
        if self._due and self._due[0][0] <= self.clock.seconds + timeout:
            due, _, event = heapq.heappop(self._due)
            self.clock.seconds = max(self.clock.seconds, due)
        else:
            self.clock.seconds += timeout
        self.own_cpu += time.thread_time() - before
        return event

    def hand(self, host: str, task: bytes, data: bytes = b"") -> None:
        """Know the answer at once, and give it when it is due."""
        before = time.thread_time()
        asked = json.loads(task)["task"]
        kind = asked["kind"]
        if kind == "block":
            if self.began is None:
                self.began = self.used()
            self.blocks += 1
        self._later(
            self.clock.seconds + (BLOCK if kind == "block" else OTHER),
            Answered(host, self._answer(kind, asked)),
        )
        after = time.thread_time()
        self.own_cpu += after - before
        if kind == "block":
            self.ended = self.used()

    def used(self) -> tuple[float, float, float]:
        """Now, the CPU seconds of this thread, and those of the crowd among them."""
        return time.monotonic(), time.thread_time(), self.own_cpu

    def _later(self, due: float, event: Event) -> None:
        self._number += 1
        heapq.heappush(self._due, (due, self._number, event))

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
