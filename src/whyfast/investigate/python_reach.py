"""Which changed functions of a Python package a benchmark executes, by one run of each side under
the probe inside Python."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from whyfast.explain.python_changes import executed_name
from whyfast.measure.count import CountingTask
from whyfast.measure.process import CannotCount
from whyfast.measure.registry import WORKER
from whyfast.measure.runtimes import RuntimeRuns, probe_python
from whyfast.model.code import ChangeCoverage, CodeComparison
from whyfast.model.variant import Benchmark

#: Of a pyperf script: one value of one loop.
_ONE_VALUE = ("--worker", "--loops=1", "--values=1", "--warmups=0")


def python_reach(
    benchmark: Benchmark,
    tasks: Sequence[CountingTask],
    folders: dict[str, Path],
    code: CodeComparison,
) -> ChangeCoverage:
    """By what ran of the builds in ``folders``; nothing is raised for what cannot be seen."""
    changed = {f.name for f in code.functions}
    calls: dict[str, int] = {}
    for task in tasks:
        run = task.run
        if run.command[-len(WORKER) :] == WORKER:
            run = replace(run, command=(*run.command[: -len(WORKER)], *_ONE_VALUE))
        runs = RuntimeRuns({task.variant: run}, {}, 0, sides=(task.variant, task.variant))
        try:
            documents, _ = probe_python(runs, task.variant, "count")
        except CannotCount as error:
            return ChangeCoverage(benchmark.name, None, str(error))
        for document in documents:
            names = {
                int(key): executed_name(folders[task.variant], (row[0], row[1], row[2]))
                for key, row in document["codes"].items()
            }
            for key, count, *_ in document["functions"]:
                name = names.get(key, "") if isinstance(key, int) else ""
                if name in changed:
                    calls[name] = calls.get(name, 0) + count
    executed = tuple(sorted(calls, key=lambda name: (-calls[name], name)))
    if not executed and not code.traced:
        return ChangeCoverage(benchmark.name, None, "; ".join(code.reasons))
    return ChangeCoverage(benchmark.name, executed)
