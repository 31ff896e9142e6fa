"""What a search passes on of the builds within it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from whyfast.investigate.events import Observer
from whyfast.model.sample import RunFailure
from whyfast.model.verdict import Verdict


@dataclass(frozen=True)
class WithinSearch:
    """Everything but phases: a search is one, however many candidates it builds."""

    observer: Observer

    def phase(self, name: str) -> None:
        """Not passed on."""

    def note(self, text: str) -> None:
        """Passed on."""
        self.observer.note(text)

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
