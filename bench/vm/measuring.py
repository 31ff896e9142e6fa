"""Everybody's time for one execution, over ours: blocks of fresh processes that take turns.

Unlike a study of whyfast, whose variants get as many loops each, contenders here differ by a factor
of a hundred, so each has its own number of loops, for turns of about as long.
"""

from __future__ import annotations

import math
import os
import random
import statistics
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass

from bench.vm.contenders import Contender
from bench.vm.programs import Program
from bench.vm.table import Ratio, Row, geometric_mean
from whyfast.measure.invocation import Invocation, InvocationFailed, LaunchArguments
from whyfast.measure.turns import TurnRunner

#: Seconds of a turn at the least, and those that an execution may take.
TURN = 1e-3
TIMEOUT = 60.0


@dataclass(frozen=True)
class Effort:
    """How much is measured: blocks of a program, turns of a block."""

    blocks: int
    turns: int


def started(contender: Contender, program: Program, cpu: int | None) -> Invocation:
    """InvocationFailed where it cannot run the program; so are turns with another result."""
    command = tuple(contender.command(program))
    arguments = LaunchArguments({"vm": command}, dict(os.environ), TIMEOUT, program.result)
    return TurnRunner(arguments).enter("vm", cpu=cpu, pad=0)


def refusal(contender: Contender, program: Program) -> str:
    """Why it cannot run the program rightly; empty when it can."""
    try:
        with closing(started(contender, program, None)) as invocation:
            invocation.turn(1)
    except InvocationFailed as failed:
        said = [line for line in failed.output.splitlines() if line.strip()]
        return ": ".join([str(failed), *said[-1:]])
    return ""


def loops_of(invocation: Invocation) -> int:
    """So many that a turn takes :data:`TURN`; the turns that find out warm it up, too."""
    loops = 1
    while (seconds := invocation.turn(loops).seconds) < TURN:
        loops = max(2 * loops, math.ceil(loops * TURN / max(seconds, TURN / 1000)))
    return loops


@contextmanager
def alive(
    those: Sequence[Contender], program: Program, cpu: int, rng: random.Random
) -> Iterator[dict[str, Invocation]]:
    """One process each, started in random order on one CPU."""
    with ExitStack() as stack:
        yield {
            each.name: stack.enter_context(closing(started(each, program, cpu)))
            for each in rng.sample(list(those), len(those))
        }


def block(
    those: Sequence[Contender], program: Program, turns: int, rng: random.Random
) -> dict[str, float]:
    """Of each contender the median over turns of log(its time / that of the first)."""
    cpu = rng.choice(sorted(os.sched_getaffinity(0)))
    logs: dict[str, list[float]] = {each.name: [] for each in those}
    with alive(those, program, cpu, rng) as invocations:
        loops = {name: loops_of(invocation) for name, invocation in invocations.items()}
        for _ in range(turns):
            seconds = {
                name: invocations[name].turn(loops[name]).seconds / loops[name]
                for name in rng.sample(list(invocations), len(invocations))
            }
            for name, value in seconds.items():
                logs[name].append(math.log(value / seconds[those[0].name]))
    return {name: statistics.median(each) for name, each in logs.items()}


def measure(
    those: Sequence[Contender], program: Program, effort: Effort, rng: random.Random
) -> Row:
    """The ratios of a program: the mean over blocks, with its interval by Student's t."""
    blocks = [block(those, program, effort.turns, rng) for _ in range(effort.blocks)]
    return Row(program.name, ratios(blocks, [each.name for each in those[1:]]))


def ratios(blocks: Sequence[Mapping[str, float]], names: Sequence[str]) -> dict[str, Ratio]:
    """From log ratios of blocks."""
    return {name: geometric_mean([math.exp(each[name]) for each in blocks]) for name in names}
