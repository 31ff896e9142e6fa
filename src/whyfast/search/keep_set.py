"""Searches for a set on disk: everything that was measured, a file each."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from whyfast.search.keep import FORMAT, ONCE, goes_on, write_whole
from whyfast.search.minimise import Event, Failed
from whyfast.search.subsets import Trial


def save_events(path: Path, events: Sequence[Event], names: Sequence[str]) -> None:
    """Durable when it returns. UserError when it cannot be written."""
    kept = [_plain(event) for event in events]
    data = {"format": FORMAT, "layouts": ONCE, "names": list(names), "events": kept}
    write_whole(path, data)


def load_events(path: Path, names: Sequence[str]) -> tuple[Event, ...]:
    """The events kept there; none where they are not of this very search, or damaged."""
    try:
        data = json.loads(path.read_text())
        if not goes_on(data, names, data["events"]):
            return ()
        return tuple(_event(e) for e in data["events"])
    except (OSError, ValueError, KeyError, TypeError):
        return ()


def _plain(event: Event) -> dict[str, object]:
    if isinstance(event, Failed):
        return {"failed": sorted(event.subset), "reason": event.reason}
    subset = None if event.subset is None else sorted(event.subset)
    return {
        "ends": event.ends,
        "subset": subset,
        "offset": event.offset,
        "fresh": event.fresh,
        "layouts": event.layouts,
    }


def _event(data: Mapping[str, Any]) -> Event:
    if "failed" in data:
        return Failed(frozenset(data["failed"]), str(data["reason"]))
    subset = None if data["subset"] is None else frozenset(data["subset"])
    fresh, layouts = bool(data["fresh"]), bool(data["layouts"])
    return Trial(float(data["ends"]), subset, float(data["offset"]), fresh, layouts)
