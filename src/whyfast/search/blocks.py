"""Taking the blocks of a search: candidates in turns, benchmark by benchmark."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from whyfast.investigate.outside import Outside
from whyfast.measure.block import BlockFailed, run_block
from whyfast.measure.calibrate import calibrate
from whyfast.measure.invocation import InvocationFailed
from whyfast.measure.launch_arguments import LaunchArguments
from whyfast.measure.schedule import draw
from whyfast.model.sample import Calibration
from whyfast.model.variant import Benchmark
from whyfast.search.subject import CandidateFailed, Layouts, Times

#: The arguments of a benchmark's processes for some candidates, by their names as text.
Launch = Callable[[Benchmark, Sequence[int]], LaunchArguments]


@dataclass
class Blocks:
    """Measures candidates side by side.

    ``launch`` says how the programs of some candidates are started. Each benchmark is calibrated
    once, with the first block's candidates. All that is drawn follows from ``seed`` and the number
    of the block.
    """

    benchmarks: Sequence[Benchmark]
    launch: Launch
    outside: Outside
    seed: int
    _calibrated: dict[str, Calibration] = field(default_factory=dict)

    def take(
        self, candidates: Sequence[int], *, number: int, layouts: Layouts | None = None
    ) -> list[Times]:
        """One block of each benchmark, as :meth:`whyfast.search.subject.Subject.block` says. Raises
        :class:`CandidateFailed`."""
        drawn = {str(c): n for c, n in (layouts or {}).items()}
        return [self._block(b, candidates, number, drawn) for b in self.benchmarks]

    def _block(
        self, benchmark: Benchmark, candidates: Sequence[int], number: int, drawn: dict[str, int]
    ) -> Times:
        arguments = self.launch(benchmark, candidates)
        runner = self.outside.runner(benchmark.runner, arguments)
        names = [str(c) for c in candidates]
        rng = random.Random(f"{self.seed} {number} {benchmark.name}")
        cpus = self.outside.cpus if benchmark.kind.takes_turns else ()
        chosen = self._calibrated.get(benchmark.name)
        try:
            if chosen is None:
                cpu = rng.choice(cpus) if cpus else None
                clock = self.outside.clock
                chosen = calibrate(benchmark.name, runner, names, cpu=cpu, clock=clock)
                self._calibrated[benchmark.name] = chosen
            plan = draw(rng.getrandbits(48), names, chosen.turns, cpus, drawn)
            warmups = 1 if runner.loops_vary else 0
            block = run_block(
                runner,
                replace(plan, loops=chosen.loops, warmups=warmups),
                benchmark=benchmark.name,
                reference=names[0],
                index=number,
                session="",
                clock=self.outside.clock,
            )
        except InvocationFailed as failed:
            raise CandidateFailed(int(failed.variant or names[0]), failed.reason) from failed
        except BlockFailed as failed:
            raise CandidateFailed(int(failed.failure.variant), failed.failure.reason) from failed
        return {int(name): np.array(values) for name, values in block.values.items()}
