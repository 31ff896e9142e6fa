"""What a search passes on of the builds within it."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from whyfast.investigate.events import Observer
from whyfast.model.sample import RunFailure
from whyfast.model.verdict import Verdict

#: Variants of a search have the numbers of candidates for names: ``building 2 with gcc``,
#: ``2: step 1 of 3``.
_NUMBERED = re.compile(r"(?:(?<=^)|(?<=^building ))\d+(?= with |: )")


@dataclass(frozen=True)
class WithinSearch:
    """Everything but phases: a search is one, however many candidates it builds. What is said of a
    candidate by its number is passed on with its name."""

    observer: Observer
    name: Callable[[int], str] = str

    def phase(self, name: str) -> None:
        """Not passed on."""

    def step(self, text: str) -> None:
        """Passed on."""
        self.observer.step(_NUMBERED.sub(lambda n: self.name(int(n[0])), text, count=1))

    def note(self, text: str) -> None:
        """A step: what is said of one of many candidates; the result tells which were skipped."""
        self.step(text)

    def failure(self, failure: RunFailure) -> None:
        """Passed on."""
        self.observer.failure(failure)

    def block(
        self, benchmark: str, verdicts: Sequence[Verdict], spent: float, budget: float
    ) -> None:
        """Passed on."""
        self.observer.block(benchmark, verdicts, spent, budget)

    def standing(self, lines: Sequence[str]) -> None:
        """Passed on."""
        self.observer.standing(lines)
