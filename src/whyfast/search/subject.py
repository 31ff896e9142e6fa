"""Subjects of searches: the protocol, blocks of candidates, and commits with a command."""

from __future__ import annotations

import contextlib
import math
import random
import shutil
import subprocess
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from whyfast.build.steps import SEARCHED, why
from whyfast.investigate.services import Services
from whyfast.measure.block import WantedBlock, draw, run_block
from whyfast.measure.calibrate import WantedCalibration, calibrate
from whyfast.measure.invocation import InvocationFailed, LaunchArguments
from whyfast.model.sample import Calibration
from whyfast.model.variant import Benchmark, RunnerName
from whyfast.search.state import REPEATED, AxisCandidate, Observation, Pair, Reading
from whyfast.store.files import discard, replacing
from whyfast.store.git import borrow, must_git, without_repository
from whyfast.toolchain import run

#: The times of one block: for each program, one a turn, in seconds.
Times = Mapping[int, NDArray[np.float64]]

#: The layout that each candidate runs in, from 1. A search uses each once: many blocks of few
#: layouts would repeat their luck and claim too much.
Layouts = Mapping[int, int]


class CandidateFailed(Exception):
    """A candidate cannot be built or measured; the search goes on without it."""

    def __init__(self, candidate: int, reason: str) -> None:
        self.candidate = candidate
        self.reason = reason
        super().__init__(f"candidate {candidate}: {reason}")


class Subject(Protocol):
    """Candidates by number; the first and the last are the ends."""

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
        """Between blocks: these will likely be built next, the likeliest first; they may be built
        elsewhere meanwhile."""


def observation(
    blocks: Sequence[Times], last: int, *, layouts: bool, pair: tuple[int, int, int] | None = None
) -> Observation:
    """The log ratios of one block of each benchmark: medians over turns, then the mean over
    benchmarks. ``last``: the number of the bad end; ``pair``: parent, culprit and attempt of a
    confirmation."""

    def log_ratio(a: int, b: int) -> float:
        return float(np.mean([np.median(np.log(t[a] / t[b])) for t in blocks]))

    inner = sorted(c for c in blocks[0] if 0 < c < last)
    return Observation(
        ends=log_ratio(last, 0),
        readings=tuple(Reading(c, log_ratio(c, 0), log_ratio(c, last)) for c in inner),
        layouts=layouts,
        pair=pair and Pair(*pair, jump=log_ratio(pair[1], pair[0])),
    )


#: The arguments of a benchmark's processes for some candidates, by their names as text.
Launch = Callable[[Benchmark, Sequence[int]], LaunchArguments]


@dataclass
class Blocks:
    """Measures candidates side by side; ``launch`` gives their arguments. Benchmarks are calibrated
    with the candidates of the first block; choices follow from ``seed`` and the block's number.
    ``metric``: what came with the times is compared, and not they."""

    benchmarks: Sequence[Benchmark]
    launch: Launch
    services: Services
    seed: int
    metric: str = ""
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
        arguments = replace(self.launch(benchmark, candidates), traced=bool(self.metric))
        runner = self.services.runner(benchmark.runner, arguments)
        names = [str(c) for c in candidates]
        rng = random.Random(f"{self.seed} {number} {benchmark.name}")
        cpus = self.services.cpus if benchmark.kind.takes_turns else ()
        clock, chosen = self.services.clock, self._calibrated.get(benchmark.name)
        try:
            if chosen is None:
                cpu = rng.choice(cpus) if cpus else None
                wanted = WantedCalibration(benchmark.name, tuple(names), cpu)
                chosen = calibrate(runner, wanted, clock)
                self._calibrated[benchmark.name] = chosen
            plan = draw(rng.getrandbits(48), names, chosen.turns, cpus, drawn)
            warmups = 1 if runner.loops_vary else 0
            plan = replace(plan, loops=chosen.loops, warmups=warmups)
            block = run_block(
                runner, WantedBlock(plan, benchmark.name, names[0], number, session=""), clock
            )
        except InvocationFailed as failed:
            raise CandidateFailed(int(failed.variant or names[0]), failed.reason) from failed
        if not self.metric:
            return {int(name): np.array(values) for name, values in block.values.items()}
        known = {n: e[self.metric] for n, e in block.extra.items() if self.metric in e}
        for name in block.values:
            if name not in known:
                raise CandidateFailed(int(name), NO_PEAK)
        return {int(name): np.array(values) for name, values in known.items()}


#: Why the kernel's account of a process has no peak memory.
NO_PEAK = (
    "its peak memory is below that of whyfast, which the kernel includes, and it has children, or "
    "may not be traced; --measure peak-heap counts what it allocates"
)

#: A whole number at least this large, printed :data:`REPEATED` times, is a count and not a time.
LARGE = 10_000.0
#: Seconds that one run of a command may take.
TIMEOUT = 600.0
#: The repository that checkouts belong to, beside them.
BORROWED = "repository.git"


@dataclass(frozen=True)
class UserCommand:
    """``words`` run in the checkout of a commit, ``build`` (a line of shell) once before.
    ``prints_number``: it measures the last word printed, above 0, less being better. ``program``:
    the built file whose code is compared, by default the first word. ``either``: it is unknown
    which end is faster, so checkouts stay when the ends are swapped."""

    words: tuple[str, ...]
    build: str
    repository: Path
    prints_number: bool = False
    program: str = ""
    either: bool = False


@dataclass
class ScriptSubject:
    """Runs the command in the checkouts of commits, made below ``folder``, until ``close``. The
    repository is only read: ``folder`` has one that borrows its objects, so that no hook of the
    user's runs. A failing build skips the commit, as 125 in ``git bisect run``. Where both ends
    repeat their number exactly, other candidates run once."""

    command: UserCommand
    candidates: Sequence[AxisCandidate]
    folder: Path
    services: Services
    seed: int
    _kept: Blocks | None = None
    _printed: dict[int, list[float]] = field(default_factory=dict)

    def build(self, candidate: int) -> None:
        """Check the commit out and build it. Raises CandidateFailed."""
        place = self.place(candidate)
        done_before = place.with_suffix(".built")
        if done_before.exists() and (place / ".git").exists():
            return
        # An interrupted checkout may lack files, so it is begun anew; git locks one that it has not
        # finished, and forgets that only when forced twice.
        shutil.rmtree(place, ignore_errors=True)
        place.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        commit, force = self.candidates[candidate].name, ("--force", "--force")
        where = self._borrowed()
        must_git(where, "worktree", "add", "--quiet", "--detach", *force, str(place), commit)
        log = place.with_suffix(".log")
        if self.command.build:
            with log.open("wb") as out:
                done = subprocess.run(
                    ["/bin/sh", "-euc", self.command.build],
                    cwd=place,
                    env=without_repository(self.services.env),
                    stdin=subprocess.DEVNULL,
                    stdout=out,
                    stderr=subprocess.STDOUT,
                    check=False,
                )
            if done.returncode:
                lines = log.read_text("utf-8", "replace").splitlines()
                reason = why(self.command.build, done.returncode, lines[-SEARCHED:])
                raise CandidateFailed(candidate, f"{reason}; see {log}")
        done_before.touch()

    def block(
        self, candidates: Sequence[int], *, number: int, layouts: Layouts | None
    ) -> list[Times]:
        """One block; what is not built yet is built. Raises CandidateFailed."""
        assert layouts is None, "a command cannot be linked again"
        for candidate in candidates:
            self.build(candidate)
        if self.command.prints_number:
            order = list(candidates)
            random.Random(f"{self.seed} {number}").shuffle(order)
            return [{c: np.array([self._counted(c)]) for c in order}]
        return self._blocks().take(candidates, number=number)

    def rebuild_clean(self, candidates: Sequence[int]) -> None:
        """Nothing to do: every checkout has its own build."""

    def prefetch(self, candidates: Iterable[int]) -> None:
        """Nothing to do: checkouts are built here."""

    def _counted(self, candidate: int) -> float:
        """The printed number; for a count that does not vary, the earlier one."""
        printed = self._printed.setdefault(candidate, [])
        if not printed or not self._repeats():
            printed.append(self._number(candidate))
        return printed[-1]

    def _repeats(self) -> bool:
        """Whether both ends always printed the same large whole number: then one run of every
        program is enough."""
        ends = [self._printed.get(c, []) for c in (0, len(self.candidates) - 1)]
        return all(
            len(e) >= REPEATED and len(set(e)) == 1 and e[0] >= LARGE and e[0].is_integer()
            for e in ends
        )

    def _number(self, candidate: int) -> float:
        """The number that the command prints in a checkout. Raises CandidateFailed."""
        try:
            done = run(
                self.command.words,
                timeout=TIMEOUT,
                env=without_repository(self.services.env),
                folder=self.place(candidate),
            )
        except subprocess.TimeoutExpired:
            raise CandidateFailed(candidate, f"still running after {TIMEOUT:g} s") from None
        except OSError as error:
            raise CandidateFailed(candidate, f"cannot be started: {error.strerror}") from error
        if done.returncode:
            message = (done.stderr.strip().splitlines() or ["no message"])[-1]
            raise CandidateFailed(candidate, f"exit code {done.returncode}: {message}")
        last = (done.stdout.split() or [""])[-1]
        with contextlib.suppress(ValueError):
            if 0 < (number := float(last.replace(",", ""))) < math.inf:
                return number
        word = repr(last[:40]) if last else "nothing"
        reason = f"the last word printed is {word}, expected a number above 0"
        raise CandidateFailed(candidate, reason)

    def close(self, *, logs: bool = False) -> None:
        """Remove the checkouts; with ``logs``, keep the output of the builds."""
        # In this order, so that a kill leaves nothing that seems whole.
        for place in (self.place(c) for c in range(len(self.candidates))):
            place.with_suffix(".built").unlink(missing_ok=True)
            shutil.rmtree(place, ignore_errors=True)
        discard(self.folder / BORROWED)
        if not logs:
            shutil.rmtree(self.folder, ignore_errors=True)

    def _blocks(self) -> Blocks:
        if self._kept is None:
            try:
                probe = self.services.probe(self._arguments((0,)), "0", True)
            except InvocationFailed as failed:
                message = (failed.output.strip().splitlines() or [""])[-1]
                reason = ": ".join(filter(None, (failed.reason, message)))
                raise CandidateFailed(0, reason) from failed
            runner: RunnerName = "turn" if probe.takes_turns else "command"
            kind = Benchmark("command", runner, self.command.words)
            self._kept = Blocks((kind,), lambda b, c: self._arguments(c), self.services, self.seed)
        return self._kept

    def _arguments(self, candidates: Sequence[int]) -> LaunchArguments:
        commands = {str(c): self.words(c) for c in candidates}
        return LaunchArguments(commands, without_repository(self.services.env), TIMEOUT)

    def words(self, candidate: int) -> tuple[str, ...]:
        """The command, begun in the checkout of a candidate."""
        return ("env", "-C", str(self.place(candidate)), *self.command.words)

    def place(self, candidate: int) -> Path:
        """The checkout of a candidate, there once it was built."""
        return self.folder / self.candidates[candidate].name[:12]

    def _borrowed(self) -> Path:
        borrowed = self.folder / BORROWED
        if not borrowed.exists():
            with replacing(borrowed) as work:
                borrow(self.command.repository, work / "made")
        return borrowed
