"""What a machine's settings do to measurements."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

State = Literal["good", "warning", "unknown"]


@dataclass(frozen=True)
class MachineFinding:
    """One property of the machine, as found.

    ``value`` is what was read, in words; ``unknown`` when it could not be. ``effect`` is one
    sentence on what the property does to results in that state, ``how`` says how to set it
    (empty where nothing can be set). ``tunable`` means that ``whyfast doctor --tune`` sets it.
    """

    key: str
    title: str
    value: str
    state: State
    effect: str
    how: str = ""
    tunable: bool = False


@dataclass(frozen=True)
class MachineProperty:
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


@dataclass(frozen=True)
class SettingChange:
    """What ``--tune`` or ``--restore`` did with one kernel setting.

    ``path`` is the kernel's file, ``old`` what it held before, ``new`` what it was to hold.
    ``error`` says why it does not, and is empty when it does.
    """

    key: str
    path: str
    old: str
    new: str
    error: str = ""
