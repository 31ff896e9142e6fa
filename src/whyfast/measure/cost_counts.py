"""What runs of a program cost, counted: on the heap by DHAT, in system calls by strace, in
instructions by Callgrind. Two runs of each, of which the second says whether the first repeats.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from whyfast.measure.count import CountingTask
from whyfast.measure.process import CannotCount, ToolRun, describe_status
from whyfast.measure.simulate import (
    Geometry,
    Valgrind,
    fixed_addresses,
    fixed_environment,
    refuse_unknown_instruction,
    simulate,
)
from whyfast.measure.trace import call_table
from whyfast.model.cost import VariantCost

#: What adds up over turns, so that the first turn, with the start, can be taken off.
SUMS = ("instructions", "allocations", "allocated", "system-calls")

#: A line of DHAT: in all; when the heap was largest; when the program ended.
_LINE = re.compile(r"==\d+== (Total|At t-gmax|At t-end): +([\d,]+) bytes in ([\d,]+) blocks")

#: What counts by key of the costs, from one run.
Counting = Callable[[ToolRun], Mapping[str, float]]


def counted_costs(
    task: CountingTask, benchmark: str, geometry: Geometry, valgrind: Valgrind | CannotCount
) -> Iterator[VariantCost]:
    """The counted costs of one build on one benchmark: of a whole run, or of one turn of one loop
    beyond start-up and a turn to warm up. Nothing is raised for what cannot be counted: its cost
    has a note.
    """

    def of_valgrind(count: Callable[[ToolRun, Valgrind], Mapping[str, float]]) -> Counting:
        def counting(run: ToolRun) -> Mapping[str, float]:
            if isinstance(valgrind, CannotCount):
                raise CannotCount(f"{valgrind}; install it (Debian, Ubuntu: valgrind)")
            return count(run, valgrind)

        return counting

    ways: dict[tuple[str, ...], Counting] = {
        ("instructions",): of_valgrind(lambda run, v: _instructions(run, geometry, v)),
        ("allocations", "allocated", "peak-heap", "left-over"): of_valgrind(heap_counts),
        ("system-calls",): lambda run: {
            "system-calls": float(sum(row.calls for row in call_table(_fixed(run)).values()))
        },
    }
    for keys, count in ways.items():
        try:
            first, second = (_counts(task, count) for _ in range(2))
        except CannotCount as error:
            for key in keys:
                yield VariantCost(key, task.variant, None, benchmark, str(error))
            continue
        for key in keys:
            yield VariantCost(key, task.variant, first[key], benchmark, again=second[key])


def _counts(task: CountingTask, count: Counting) -> Mapping[str, float]:
    """What one run costs; of a program that takes turns, what its second turn adds to the sums."""
    if not task.turns:
        return count(task.run)
    shorter, longer = (count(task.granted(1, turns)) for turns in (1, 2))
    return {k: x - shorter[k] if k in SUMS else x for k, x in longer.items()}


def heap_of(task: CountingTask, valgrind: Valgrind) -> Mapping[str, float]:
    """What :func:`heap_counts` says of a whole run, or of a turn. Raises CannotCount."""
    return _counts(task, lambda run: heap_counts(run, valgrind))


def _fixed(run: ToolRun) -> ToolRun:
    """The run with what would make it differ from the next one held fixed."""
    env = fixed_environment(run.env)
    return replace(run, env=env, enter=(*fixed_addresses(run.launcher, env), *run.enter))


def _instructions(run: ToolRun, geometry: Geometry, valgrind: Valgrind) -> Mapping[str, float]:
    profile, failure = simulate(run, geometry, valgrind=valgrind)
    if failure:
        raise CannotCount(failure)
    return {"instructions": profile.totals[profile.main]}


def heap_counts(run: ToolRun, valgrind: Valgrind) -> Mapping[str, float]:
    """One run under DHAT: the ``allocations`` of the program and all that it starts, with the bytes
    ``allocated``, the largest heap of one process (``peak-heap``), and the bytes that nobody had
    freed at the end (``left-over``). Raises CannotCount.
    """
    env = {**fixed_environment(run.env), **valgrind.env}
    with tempfile.TemporaryDirectory(prefix="whyfast-", dir=run.scratch) as folder:
        argv = [
            *(*fixed_addresses(run.launcher, env), *run.enter, *valgrind.words["dhat"]),
            *("--command-line-only=yes", "--vgdb=no", "--trace-children=yes"),
            *(f"--log-file={folder}/log.%p", f"--dhat-out-file={folder}/out.%p", *run.command),
        ]
        done = run.under(valgrind.version, argv, env)
        logs = [p.read_text(errors="replace") for p in Path(folder).glob("log.*")]
    refuse_unknown_instruction(done.status, "".join(logs), valgrind.version)
    if done.status:
        raise CannotCount(f"the program ended with {describe_status(done.status)}")
    processes = [found for text in logs if (found := parse_dhat(text))]
    if not processes:
        raise CannotCount(f"{valgrind.version} wrote no summary of the heap")
    if not any(p["allocations"] for p in processes):
        raise CannotCount(
            "no allocation was seen: linked statically, or with an allocator that DHAT cannot see"
        )
    return {
        key: (max if key == "peak-heap" else sum)(p[key] for p in processes) for key in processes[0]
    }


def parse_dhat(text: str) -> dict[str, float]:
    """The counts of one process; empty for a text without the three lines."""
    lines = {
        m[1]: (int(m[2].replace(",", "")), int(m[3].replace(",", ""))) for m in _LINE.finditer(text)
    }
    if len(lines) < 3:
        return {}
    return {
        "allocations": float(lines["Total"][1]),
        "allocated": float(lines["Total"][0]),
        "peak-heap": float(lines["At t-gmax"][0]),
        "left-over": float(lines["At t-end"][0]),
    }
