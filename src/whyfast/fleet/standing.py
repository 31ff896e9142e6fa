"""How every host of a fleet stands, in a line each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from whyfast.fleet.seat import Seat, State
from whyfast.measure.wanted import WantedCalibration

#: More hosts than this are counted by their states instead.
MOST = 20

_SAID: dict[State, str] = {
    "away": "away",
    "surveyed": "asked what it is",
    "receiving": "receiving programs",
    "measuring": "measuring",
    "done": "done",
    "out": "left out",
}


def standing(seats: Sequence[Seat], now: float) -> tuple[str, ...]:
    """A line a host, by name: its state, what it runs, the time left, what doctor warns of. Of many
    hosts, how many are in each state."""
    ordered = sorted(seats, key=lambda s: s.host)
    if len(ordered) <= MOST:
        return tuple(_line(seat, now) for seat in ordered)
    counts = Counter(_SAID[seat.state] for seat in ordered)
    return (f"{len(ordered)} hosts: " + ", ".join(f"{n} {word}" for word, n in counts.items()),)


def _line(seat: Seat, now: float) -> str:
    parts = [_SAID[seat.state]]
    wanted = seat.wanted
    if seat.state == "measuring" and wanted is not None:
        doing = "calibrating" if isinstance(wanted, WantedCalibration) else "block of"
        left = max(0.0, seat.budget - seat.observer.spent)
        parts = [f"{doing} {wanted.benchmark}", f"at most {left:.0f} s left"]
    elif seat.state == "away":
        parts.append(f"for {now - seat.since:.0f} s")
    if seat.why:
        parts.append(seat.why)
    if seat.warnings:
        parts.append(f"doctor warns of {', '.join(seat.warnings)}")
    return f"{seat.host}: " + "; ".join(parts)
