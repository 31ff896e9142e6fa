"""The first run of every command: does it work, does it take turns, how long does it take?"""

from __future__ import annotations

import random
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace

from whyfast.investigate.services import Services
from whyfast.measure.accounts import without_waiting
from whyfast.measure.calibrate import first_turns
from whyfast.measure.commands import ProbeRun
from whyfast.measure.invocation import InvocationFailed, LaunchArguments
from whyfast.model.errors import UserError
from whyfast.model.sample import WAITED, Block, Calibration

#: From this ratio of CPU time to wall time on, a command runs on several CPUs and is not pinned.
SEVERAL_CPUS = 1.1

#: From this many seconds for a run of each on, the first runs count, too. So long a run gains
#: nothing from pinning, which first runs have not had.
DEAR = 1.0

#: Bytes of peak memory by which runs of one program differ: pages of the stack and of libraries.
PAGES = 256e3

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

    @property
    def small(self) -> bool:
        """Whether a whole run had less memory than whyfast has, so that blocks do not tell it."""
        return any(run.usage and run.usage.maxrss is None for run in self.runs.values())

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


def peaks_in_rounds(
    arguments: LaunchArguments, services: Services, seed: str, rounds: int, margin: float
) -> list[Mapping[str, Mapping[str, float]]]:
    """The peak memory of each command, in runs that are for it alone: by round, command and metric.
    A round runs every command once, in random order. [] where it is not known of one, and where
    that of the first round does not differ."""
    runner = services.runner("command", replace(arguments, traced=True))
    rng, taken = random.Random(seed), list[Mapping[str, Mapping[str, float]]]()
    for _ in range(rounds):
        peaks: dict[str, float] = {}
        for name in rng.sample(list(arguments.commands), len(arguments.commands)):
            try:
                sample = runner.enter(name, cpu=None, pad=0).turn(1)
            except InvocationFailed:  # some programs do not run where they are traced
                return []
            if "maxrss" not in sample.extra:
                return []
            peaks[name] = sample.extra["maxrss"]
        least, most = min(peaks.values()), max(peaks.values())
        if not taken and (most <= least * (1 + margin) or most - least < PAGES):
            return []
        taken.append({name: {"maxrss": peak} for name, peak in peaks.items()})
    return taken
