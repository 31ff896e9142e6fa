"""What the first process of a machine sent over the second serial port.

One line a thing, KIND ID TEXT: ``hello - 1`` at the beginning and ``bye - 0`` at the end; ``file``
and ``nofile`` for facts, ``unwritten`` for settings that the kernel refused, ``rounds`` for the
loop that shows what a tick is; and for each task ``ready``, ``answer``, ``late`` and ``exit``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from whyfast.measure.doctor.system import number
from whyfast.measure.turns import read_answer


@dataclass
class Answers:
    """One task: the lines that its program wrote, and its exit status (negative for a signal)."""

    ready: str | None = None
    lines: list[str] = field(default_factory=list)
    exit: int | None = None
    late: bool = False


@dataclass(frozen=True)
class Transcript:
    """``complete`` says that the machine came to the end of its plan; ``begun`` that its first
    process started at all; ``per_round`` how many ticks a loop of two instructions took."""

    begun: bool
    complete: bool
    facts: Mapping[str, str]
    refused: tuple[str, ...]
    per_round: float | None
    tasks: Mapping[str, Answers]


class Unanswered(Exception):
    """A task has no usable answers; the message says why in words."""


def parse_transcript(transcript: str) -> Transcript:
    """Lines that are none are passed over: a machine may die in the middle of one."""
    facts: dict[str, str] = {}
    refused: list[str] = []
    tasks: dict[str, Answers] = {}
    begun = complete = False
    per_round: float | None = None
    for line in transcript.splitlines():
        kind, _, rest = line.partition(" ")
        name, _, text = rest.partition(" ")
        if kind == "hello":
            begun = True
        elif kind == "bye":
            complete = text == "0"
        elif kind == "file":
            facts[name] = text
        elif kind == "unwritten":
            refused.append(name)
        elif kind == "rounds":
            rounds, ticks = number(name), number(text)
            if rounds and ticks is not None:
                per_round = ticks / rounds
        elif kind in ("ready", "answer", "late", "exit"):
            task = tasks.setdefault(name, Answers())
            if kind == "ready":
                task.ready = text
            elif kind == "answer":
                task.lines.append(text)
            elif kind == "late":
                task.late = True
            elif (status := number(text)) is not None:
                task.exit = status
    return Transcript(begun, complete, facts, tuple(refused), per_round, tasks)


@dataclass(frozen=True)
class TaskValues:
    """The answers of one task: nanoseconds of the machine for ``loops`` and for twice as many, turn
    by turn, and the check value that all reported (None for none)."""

    short: tuple[int, ...]
    long: tuple[int, ...]
    check: str | None


def read_values(task: Answers | None, turns: int) -> TaskValues:
    """All turns of a task, or :class:`Unanswered`."""
    if task is None:
        raise Unanswered("was not started")
    for line in (task.ready or "", *task.lines):
        if line.startswith("error "):
            raise Unanswered(line.removeprefix("error "))
    if task.late:
        raise Unanswered("gave no answer in time")
    if task.exit == 127 and task.ready is None:
        raise Unanswered("could not be started; link it statically, the guest has no libraries")
    if task.ready != "ready 1":
        ended = "" if task.exit is None else f" (exit code {task.exit})"
        raise Unanswered(f"ended before it said it is ready{ended}")
    if len(task.lines) != 2 * turns:
        raise Unanswered(f"answered {len(task.lines)} turns of {2 * turns}")
    try:
        readings = [read_answer(line) for line in task.lines]
    except ValueError as error:
        raise Unanswered(str(error)) from None
    checks = {check for _, check in readings}
    if len(checks) > 1:
        raise Unanswered(f"wrong result: {' and '.join(sorted(map(str, checks)))}")
    times = [round(seconds * 1e9) for seconds, _ in readings]
    return TaskValues(tuple(times[::2]), tuple(times[1::2]), checks.pop())


@dataclass(frozen=True)
class LoopCount:
    """Instructions of one loop; ``disturbed`` is the share of grants that took more than the least
    of their kind, and ``most`` the most that such a grant took beyond it, in instructions."""

    instructions: float
    disturbed: float
    most: int


def count_loop(values: TaskValues, loops: int) -> LoopCount:
    """From the answers of a task to the instructions of one loop.

    A program is granted L loops and then 2L, many times over. What the grant itself costs is in
    both; the difference of the two is what L loops cost. An interrupt only ever adds instructions,
    so the least of all equal grants is the one that none fell into. ValueError when twice the loops
    take no longer: then what was granted is not the work.
    """
    short, long = min(values.short), min(values.long)
    if long <= short:
        raise ValueError(f"twice the loops take {long} instructions, after {short}")
    over = [v - short for v in values.short] + [v - long for v in values.long]
    disturbed = sum(v > 0 for v in over) / len(over)
    return LoopCount((long - short) / loops, disturbed, max(over))
