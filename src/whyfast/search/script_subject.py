"""Commits that a user's own command measures, each in a checkout of its own."""

from __future__ import annotations

import math
import random
import shutil
import subprocess
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from whyfast.build.steps import SEARCHED, why
from whyfast.investigate.services import Services
from whyfast.measure.invocation import InvocationFailed, LaunchArguments
from whyfast.model.variant import Benchmark
from whyfast.search.state import AxisCandidate
from whyfast.search.subject import Blocks, CandidateFailed, Layouts, Times
from whyfast.store.git import borrow, must_git, without_repository

#: A whole number as large as this that comes so many times is counted, and no time in some unit.
LARGE, REPEATED = 10_000.0, 3
#: The repository that checkouts belong to, beside them.
BORROWED = "repository.git"


@dataclass
class ScriptSubject:
    """``command`` runs in the checkout of a commit, made below ``folder``; ``build`` ran there once
    before, if given. The repository itself is only read: ``folder`` has one of our own that
    borrows its objects, so that no hook of the user's runs. A build that ends with any
    other exit code than 0 skips the commit, as in ``git bisect run`` 125 does.

    ``prints_number``: what counts is no time but the last word that the command prints, a number
    above 0, less being better; where both ends repeat theirs exactly, every other candidate is run
    once. Checkouts stay until ``close``, for a search that goes on.
    """

    repository: Path
    candidates: Sequence[AxisCandidate]
    command: tuple[str, ...]
    build_line: str
    folder: Path
    services: Services
    seed: int
    relinkable: bool = False
    timeout: float = 600.0
    prints_number: bool = False
    _made: set[int] = field(default_factory=set)
    _turns: bool | None = None
    _printed: dict[int, list[float]] = field(default_factory=dict)

    def build(self, candidate: int) -> None:
        """Check the commit out and build it. Raises CandidateFailed."""
        if candidate in self._made:
            return
        place = self.place(candidate)
        done_before = place.with_suffix(".built")
        if done_before.exists() and (place / ".git").exists():
            self._made.add(candidate)
            return
        if not (place / ".git").exists():
            shutil.rmtree(place, ignore_errors=True)
            place.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            commit = self.candidates[candidate].name
            where = self._borrowed()
            must_git(where, "worktree", "add", "--quiet", "--detach", "--force", str(place), commit)
        log = place.with_suffix(".log")
        if self.build_line:
            with log.open("wb") as out:
                done = subprocess.run(
                    ["/bin/sh", "-euc", self.build_line],
                    cwd=place,
                    env=without_repository(self.services.env),
                    stdin=subprocess.DEVNULL,
                    stdout=out,
                    stderr=subprocess.STDOUT,
                    check=False,
                )
            if done.returncode:
                lines = log.read_text("utf-8", "replace").splitlines()
                reason = why(self.build_line, done.returncode, lines[-SEARCHED:])
                raise CandidateFailed(candidate, f"{reason}; see {log}")
        done_before.touch()
        self._made.add(candidate)

    def block(
        self, candidates: Sequence[int], *, number: int, layouts: Layouts | None
    ) -> list[Times]:
        """One block; what is not built yet is built. Raises CandidateFailed."""
        assert layouts is None, "a command cannot be linked again"
        for candidate in candidates:
            self.build(candidate)
        if self.prints_number:
            order = list(candidates)
            random.Random(f"{self.seed} {number}").shuffle(order)
            return [{c: np.array([self._counted(c)]) for c in order}]
        return self._blocks().take(candidates, number=number)

    def rebuild_clean(self, candidates: Sequence[int]) -> None:
        """Nothing: every checkout is a build of its own."""

    def prefetch(self, candidates: Iterable[int]) -> None:
        """Nothing: checkouts are built here."""

    def _counted(self, candidate: int) -> float:
        """What the command prints; of a count that does not vary what it printed before."""
        printed = self._printed.setdefault(candidate, [])
        if not printed or not self._repeats():
            printed.append(self._number(candidate))
        return printed[-1]

    def _repeats(self) -> bool:
        """Whether both ends always printed the same whole number, which noise would have changed:
        then every program has to run once."""
        ends = [self._printed.get(c, []) for c in (0, len(self.candidates) - 1)]
        return all(
            len(e) >= REPEATED and len(set(e)) == 1 and e[0] >= LARGE and e[0].is_integer()
            for e in ends
        )

    def _number(self, candidate: int) -> float:
        """What the command prints in the checkout of the candidate. Raises CandidateFailed."""
        try:
            done = subprocess.run(
                self.command,
                cwd=self.place(candidate),
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                errors="replace",
                env=without_repository(self.services.env),
                timeout=self.timeout,
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise CandidateFailed(candidate, f"still running after {self.timeout:g} s") from None
        except OSError as error:
            raise CandidateFailed(candidate, f"cannot be started: {error.strerror}") from error
        if done.returncode:
            said = (done.stderr.strip().splitlines() or ["nothing was said"])[-1]
            raise CandidateFailed(candidate, f"ended with exit code {done.returncode}: {said}")
        words = done.stdout.split()
        try:
            number = float(words[-1].replace(",", "")) if words else math.nan
        except ValueError:
            number = math.nan
        if not (math.isfinite(number) and number > 0):
            last = repr(words[-1][:40]) if words else "nothing"
            raise CandidateFailed(candidate, f"prints {last} last, not a number above 0")
        return number

    def close(self, *, logs: bool = False) -> None:
        """Remove the checkouts; ``logs``: but not what the builds printed."""
        for place in (self.place(c) for c in range(len(self.candidates))):
            shutil.rmtree(place, ignore_errors=True)
            place.with_suffix(".built").unlink(missing_ok=True)
        shutil.rmtree(self.folder if not logs else self.folder / BORROWED, ignore_errors=True)

    def _blocks(self) -> Blocks:
        if self._turns is None:
            arguments = self._arguments((0,))
            try:
                self._turns = self.services.probe(arguments, "0", True).takes_turns
            except InvocationFailed as failed:
                said = (failed.output.strip().splitlines() or [""])[-1]
                raise CandidateFailed(0, ": ".join(filter(None, (failed.reason, said)))) from failed
            kind = Benchmark("command", "turn" if self._turns else "command", self.command)
            self._kept = Blocks((kind,), lambda b, c: self._arguments(c), self.services, self.seed)
        return self._kept

    def _arguments(self, candidates: Sequence[int]) -> LaunchArguments:
        """Every command begins in the checkout of its commit."""
        commands = {str(c): ("env", "-C", str(self.place(c)), *self.command) for c in candidates}
        return LaunchArguments(commands, without_repository(self.services.env), self.timeout)

    def place(self, candidate: int) -> Path:
        """The checkout of a candidate, there once it was built."""
        return self.folder / self.candidates[candidate].name[:12]

    def _borrowed(self) -> Path:
        own = self.folder / BORROWED
        if not own.exists():
            unfinished = own.with_suffix(".unfinished")
            shutil.rmtree(unfinished, ignore_errors=True)
            borrow(self.repository, unfinished)
            unfinished.rename(own)
        return own
