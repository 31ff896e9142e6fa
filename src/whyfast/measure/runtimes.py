"""Runs of a program under the tools of its own runtime, and what those wrote."""

from __future__ import annotations

import json
import os
import random
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from whyfast.measure.perf import SampledRun
from whyfast.measure.tools import CannotCount, Finished, ToolRun

#: The folder of the module that looks at a Python program from inside.
PYTHON_PROBE = Path(__file__).resolve().parent.parent / "turns" / "python_probe"

#: Seconds of runs of both sides under one tool, and the least and most rounds.
SECONDS, ROUNDS = 3.0, (3, 6)

Document = dict[str, Any]


@dataclass
class RuntimeRuns:
    """Both sides' commands, ``fast`` and ``slow``, to be run under tools of their runtime.
    ``seconds`` are those of one plain run of each side; ``sampled`` are the runs that perf sampled;
    ``seed`` decides the order of runs. ``note`` tells what is being done."""

    runs: Mapping[str, ToolRun]
    seconds: Mapping[str, float]
    seed: int
    sampled: Sequence[SampledRun] = ()
    note: Callable[[str], None] = lambda text: None
    sides: tuple[str, str] = ("fast", "slow")

    @property
    def rounds(self) -> int:
        both = sum(self.seconds.values())
        return int(min(ROUNDS[1], max(ROUNDS[0], SECONDS / max(both, 1e-3))))

    def order(self, rounds: int) -> list[str]:
        """Both sides once a round, in random order."""
        rng = random.Random(self.seed)
        return [side for _ in range(rounds) for side in rng.sample(self.sides, len(self.sides))]

    def under(
        self,
        tool: str,
        side: str,
        words: Callable[[Sequence[str], Path], Sequence[str]],
        env: Callable[[Path], Mapping[str, str]] = lambda folder: {},
        files: Mapping[str, str] | None = None,
    ) -> ToolOutput:
        """One run in which ``words`` made the command, with variables added. Both get the folder
        into which the tool is to write and that holds ``files`` already. Raises CannotCount when it
        cannot be started, does not end in time or wrote nothing."""
        run = self.runs[side]
        with tempfile.TemporaryDirectory(
            prefix="whyfast-", dir=run.scratch, ignore_cleanup_errors=True
        ) as name_of_folder:
            folder = Path(name_of_folder)
            for name, text in (files or {}).items():
                (folder / name).write_text(text)
            added = env(folder)
            path = os.pathsep.join(
                p for p in (added.get("PYTHONPATH"), run.env.get("PYTHONPATH")) if p
            )
            whole = {**run.env, **added, **({"PYTHONPATH": path} if path else {})}
            done = run.under(tool, [*run.enter, *words(run.command, folder)], whole)
            written = {
                p.name: p.read_text(errors="replace")
                for p in sorted(folder.iterdir())
                if p.is_file() and p.name not in (files or {})
            }
        return ToolOutput(done, written)


@dataclass(frozen=True)
class ToolOutput:
    """How a run ended and the files that the tool wrote, by name."""

    done: Finished
    files: Mapping[str, str]


def probe_python(
    runs: RuntimeRuns, side: str, mode: str, targets: Sequence[Sequence[str]] = ()
) -> tuple[list[Document], float]:
    """What the probe inside saw of one run, a document for each of its Python processes; and the
    seconds of CPU time of the whole run, its end included, which no process sees of itself. Raises
    CannotCount where it saw nothing, and not all where ``reach`` is to see all."""
    output = runs.under(
        "Python's own tools",
        side,
        lambda command, folder: [_with_probe(word) for word in command],
        lambda folder: {"PYTHONPATH": str(PYTHON_PROBE), "WHYFAST_PROBE": f"{mode}:{folder}"},
        {"targets": "".join("\t".join(row) + "\n" for row in targets)},
    )
    if mode == "reach" and output.done.status:
        raise CannotCount(f"it ends with exit code {output.done.status} under Python's probe")
    documents = []
    for name, text in output.files.items():
        try:
            documents.append(json.loads(text))
        except ValueError:
            raise CannotCount(f"Python's probe wrote a damaged {name}") from None
    if not documents:
        raise CannotCount(
            "the probe was not loaded, or the program did not end by itself: python -I, -E, -S "
            "and os._exit prevent it"
        )
    return documents, output.done.cpu


def _with_probe(word: str) -> str:
    """A word that sets the path of modules itself (``env PYTHONPATH=src``) keeps the probe."""
    name, sets, path = word.partition("=")
    return f"{name}={PYTHON_PROBE}{os.pathsep}{path}" if sets and name == "PYTHONPATH" else word


#: Seconds that a run under a tool of its runtime gets beside a multiple of its plain duration.
BESIDE = 10.0


def longest(runs: RuntimeRuns, factor: float) -> RuntimeRuns:
    """The same runs, each given :data:`BESIDE` seconds and ``factor`` times its plain duration."""
    return replace(
        runs,
        runs={
            side: replace(run, timeout=BESIDE + factor * runs.seconds[side])
            for side, run in runs.runs.items()
        },
    )
