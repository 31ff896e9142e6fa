"""What a running investigation tells whoever watches."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from whyfast.model.sample import RunFailure
from whyfast.model.verdict import Verdict


class Observer(Protocol):
    """Called from the thread that measures, between blocks, never during one."""

    def phase(self, name: str) -> None:
        """``toolchains``, ``build``, ``explain``, ``measure`` or ``judge`` begins."""

    def step(self, text: str) -> None:
        """What is being done now, e.g. "building clang19-goto with clang 19.1.7"; where there are
        many, not all of them are shown."""

    def note(self, text: str) -> None:
        """One line that must be shown, e.g. "resuming: 12 blocks are there already"."""

    def failure(self, failure: RunFailure) -> None:
        """A variant failed on a benchmark and is left out of it."""

    def block(
        self, benchmark: str, verdicts: Sequence[Verdict], spent: float, budget: float
    ) -> None:
        """A block is safely stored.

        ``verdicts``: how the benchmark stands against the main baseline, each at full level.
        """

    def standing(self, lines: Sequence[str]) -> None:
        """How a search stands, as lines that replace those before; for who watches live."""


class Silent:
    """Watches nothing."""

    def phase(self, name: str) -> None: ...

    def step(self, text: str) -> None: ...

    def note(self, text: str) -> None: ...

    def failure(self, failure: RunFailure) -> None: ...

    def block(
        self, benchmark: str, verdicts: Sequence[Verdict], spent: float, budget: float
    ) -> None: ...

    def standing(self, lines: Sequence[str]) -> None: ...
