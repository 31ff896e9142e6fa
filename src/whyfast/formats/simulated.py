"""What the formats of simulated profiles have in common."""

from __future__ import annotations

from dataclasses import dataclass, field


class DamagedProfile(ValueError):
    """A profile that cannot be read; the message names the line."""


@dataclass
class SimulatedProfile:
    """``costs`` maps (object, function) to one count an event, in the order of ``events``; the
    object is empty where the format does not tell. ``totals`` are the tool's own sums. ``desc``
    are its remarks, such as the geometry of each cache."""

    events: tuple[str, ...] = ()
    costs: dict[tuple[str, str], list[int]] = field(default_factory=dict)
    totals: tuple[int, ...] = ()
    desc: list[str] = field(default_factory=list)


def counts_of(words: list[str], events: tuple[str, ...]) -> list[int]:
    """One number an event; a dot is 0, and zeros at the end of a line are left out in the files.

    Raises ValueError.
    """
    if not events:
        raise ValueError("counts before the events are named")
    if len(words) > len(events):
        raise ValueError(f"{len(words)} counts for {len(events)} events")
    return [0 if w == "." else int(w) for w in words] + [0] * (len(events) - len(words))
