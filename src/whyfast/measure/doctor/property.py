"""A property of the machine, and what is found about it."""

from __future__ import annotations

from dataclasses import dataclass

from whyfast.model.machine import MachineFinding


@dataclass(frozen=True)
class Property:
    """``tunable``: ``whyfast doctor --tune`` sets it, where it can be read at all."""

    key: str
    title: str
    tunable: bool = False

    def unknown(self, effect: str, how: str = "") -> MachineFinding:
        """It cannot be read; ``effect`` is what it does if it holds."""
        return MachineFinding(self.key, self.title, "unknown", "unknown", effect, how)

    def good(self, value: str, effect: str) -> MachineFinding:
        """As it should be."""
        return MachineFinding(self.key, self.title, value, "good", effect, tunable=self.tunable)

    def warning(self, value: str, effect: str, how: str) -> MachineFinding:
        """Not as it should be; ``how`` sets it right."""
        return MachineFinding(
            self.key, self.title, value, "warning", effect, how, tunable=self.tunable
        )
