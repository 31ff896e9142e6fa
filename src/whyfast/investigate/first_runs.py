"""The first run of every command: does it work, does it take turns, how long does it take?"""

from __future__ import annotations

import random
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

from whyfast.investigate.services import Services
from whyfast.measure.calibrate import first_turns
from whyfast.measure.commands import ProbeRun
from whyfast.measure.invocation import InvocationFailed, LaunchArguments
from whyfast.measure.run_queue import without_waiting
from whyfast.model.errors import UserError
from whyfast.model.sample import WAITED, Block, Calibration

#: From this ratio of CPU time to wall time on, a command runs on several CPUs and is not pinned.
SEVERAL_CPUS = 1.1

#: From this many seconds for a run of each on, the first runs count, too. So long a run gains
#: nothing from pinning, which first runs have not had.
DEAR = 1.0

_IGNORE = "; use --ignore-failure to measure it anyway"


def _accounting(run: ProbeRun) -> dict[str, tuple[float]]:
    rows = asdict(run.usage) if run.usage is not None else {WAITED: run.waited}
    return {name: (value,) for name, value in rows.items() if value is not None}


@dataclass(frozen=True)
class FirstRuns:
    """``runs`` in their order, which is random as in any block; ``started`` and ``seconds`` of all
    together, ``--prepare`` included."""

    runs: Mapping[str, ProbeRun]
    started: float
    seconds: float

    @property
    def take_turns(self) -> bool:
        """Whether all commands take turns."""
        return all(run.takes_turns for run in self.runs.values())

    @property
    def round_cost(self) -> float:
        """Seconds for a run of each."""
        return sum(run.seconds for run in self.runs.values())

    @property
    def dear(self) -> bool:
        """Whether they are slow whole runs, which count."""
        return not any(r.takes_turns for r in self.runs.values()) and self.round_cost >= DEAR

    @property
    def pinned(self) -> bool:
        """Whether to bind further runs to one CPU: neither parallel commands nor dear ones."""
        several = any(
            r.threads > 1 or r.cpu_seconds > SEVERAL_CPUS * r.seconds for r in self.runs.values()
        )
        return not several and not self.dear

    def calibration(self, benchmark: str) -> Calibration | None:
        """The calibration where a block is one run of each; None where it must be measured."""
        if self.take_turns or first_turns(0.0, self.round_cost) > 1:
            return None
        slowest = max(run.seconds for run in self.runs.values())
        return Calibration(benchmark, loops=1, turns=1, value=slowest, start=0.0)

    def block(self, benchmark: str, session: str, seed: int) -> Block:
        """The first runs as a block."""
        order = tuple(self.runs)
        values, extra = without_waiting(
            {name: (run.seconds,) for name, run in self.runs.items()},
            {n: _accounting(r) for n, r in self.runs.items()},
        )
        return Block(
            benchmark=benchmark,
            index=0,
            seed=seed,
            session=session,
            cpu=None,
            loops=1,
            warmups=0,
            start_order=order,
            order=(order,),
            values=values,
            started=self.started,
            seconds=self.seconds,
            extra=extra,
            threads={name: run.threads for name, run in self.runs.items()},
        )

    def needed(self) -> int:
        """The least number of blocks for a verdict on one of the comparisons."""
        from whyfast.judge.decide import ALPHA  # loads numpy
        from whyfast.judge.power import needed_blocks

        return needed_blocks(ALPHA / max(1, len(self.runs) - 1))


def first_runs(
    arguments: LaunchArguments,
    services: Services,
    *,
    offer: bool,
    warmup: int,
    ignore_failure: bool,
    seed: int,
) -> FirstRuns:
    """Run each command once after ``warmup`` runs; ``offer`` turns to it. UserError for a command
    that cannot run or fails."""
    names: Sequence[str] = list(arguments.commands)
    names = random.Random(seed).sample(names, len(names))
    runs: dict[str, ProbeRun] = {}
    started, began = services.clock.now(), services.clock.monotonic()
    for name in names:
        try:
            for _ in range(warmup + 1):
                if arguments.prepare is not None:
                    services.aside(
                        arguments.prepare,
                        env=services.env,
                        timeout=arguments.timeout,
                        what="--prepare",
                    )
                runs[name] = services.probe(arguments, name, offer)
        except InvocationFailed as failed:
            hint = "" if failed.status is None or ignore_failure else _IGNORE
            command = shlex.join(arguments.commands[name])
            raise UserError(f"{command}: {with_output(failed)}{hint}") from None
    return FirstRuns(runs, started, services.clock.monotonic() - began)


def with_output(failed: InvocationFailed) -> str:
    """The reason, with the last line that the program printed."""
    output = failed.output.strip().splitlines()
    return failed.reason + (f" ({output[-1].strip()})" if output else "")
