"""What a search builds and measures, behind one protocol."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from whyfast.investigate.services import Services
from whyfast.measure.block import BlockFailed, draw, run_block
from whyfast.measure.calibrate import calibrate
from whyfast.measure.invocation import InvocationFailed, LaunchArguments
from whyfast.model.sample import Calibration
from whyfast.model.variant import Benchmark
from whyfast.search.state import Observation, Pair, Reading

#: The times of one block: for each program, one a turn, in seconds.
Times = Mapping[int, NDArray[np.float64]]

#: Which of its layouts each candidate runs in, from 1. A search uses each once: the luck of one
#: layout is the same in every block that runs it, so many blocks of few layouts would claim too
#: much.
Layouts = Mapping[int, int]


class CandidateFailed(Exception):
    """A candidate cannot be built or measured; the search goes on without it."""

    def __init__(self, candidate: int, reason: str) -> None:
        self.candidate = candidate
        self.reason = reason
        super().__init__(f"candidate {candidate}: {reason}")


class Subject(Protocol):
    """Candidates by number; the first and the last are the ends."""

    relinkable: bool

    def build(self, candidate: int) -> None:
        """Make it measurable. Raises :class:`CandidateFailed`."""

    def block(
        self, candidates: Sequence[int], *, number: int, layouts: Layouts | None
    ) -> Sequence[Times]:
        """One block of each benchmark with these candidates, the ends among them: the times of
        the t-th turns are neighbours. ``number``: of the block in the whole search, from 1; what is
        drawn for it follows from that. Without ``layouts`` all run as linked. Raises
        :class:`CandidateFailed`."""

    def rebuild_clean(self, candidates: Sequence[int]) -> None:
        """Build these from scratch: from now on they are measured for the answer. Raises
        :class:`CandidateFailed`."""

    def prefetch(self, candidates: Iterable[int]) -> None:
        """Between blocks: these are likely to be built next, the likeliest first. They may be built
        elsewhere meanwhile; a subject that cannot do that does nothing."""


def observation(
    blocks: Sequence[Times], last: int, *, layouts: bool, pair: tuple[int, int, int] | None = None
) -> Observation:
    """What the search learns from one block of each benchmark.

    A log ratio is the median over turns, and the mean of these over benchmarks. ``last`` is the
    number of the bad end; ``pair``: parent, culprit and attempt of a confirmation.
    """

    def log_ratio(a: int, b: int) -> float:
        return float(np.mean([np.median(np.log(t[a] / t[b])) for t in blocks]))

    inner = sorted(c for c in blocks[0] if 0 < c < last)
    return Observation(
        ends=log_ratio(last, 0),
        readings=tuple(Reading(c, log_ratio(c, 0), log_ratio(c, last)) for c in inner),
        layouts=layouts,
        pair=pair and Pair(*pair, jump=log_ratio(pair[1], pair[0])),
    )


# ---- Taking the blocks of a search: candidates in turns, benchmark by benchmark.

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
    services: Services
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
        runner = self.services.runner(benchmark.runner, arguments)
        names = [str(c) for c in candidates]
        rng = random.Random(f"{self.seed} {number} {benchmark.name}")
        cpus = self.services.cpus if benchmark.kind.takes_turns else ()
        chosen = self._calibrated.get(benchmark.name)
        try:
            if chosen is None:
                cpu = rng.choice(cpus) if cpus else None
                clock = self.services.clock
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
                clock=self.services.clock,
            )
        except InvocationFailed as failed:
            raise CandidateFailed(int(failed.variant or names[0]), failed.reason) from failed
        except BlockFailed as failed:
            raise CandidateFailed(int(failed.failure.variant), failed.failure.reason) from failed
        return {int(name): np.array(values) for name, values in block.values.items()}
