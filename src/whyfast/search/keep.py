"""Searches on disk: a file each, replaced whole after every step."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from whyfast.model.errors import UserError
from whyfast.search.ddmin import Event, Failed
from whyfast.search.state import Observation, Pair, Reading, State, Task
from whyfast.search.subsets import Trial

#: Raised when a state of an older whyfast can no longer be gone on with. 2: what is counted is run
#: once before that; 1 counted first runs.
FORMAT = 2
#: That no layout ran in two blocks, which earlier searches did not see to.
ONCE = "once"


def search_key(*parts: object) -> str:
    """What must be equal for two searches to be one."""
    text = json.dumps([FORMAT, *parts], sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:24]


def save(path: Path, state: State, names: Sequence[str]) -> None:
    """Durable when it returns. UserError when it cannot be written."""
    data = {
        "format": FORMAT,
        "layouts": ONCE,
        "names": list(names),
        "built": sorted(state.built),
        "skipped": {str(k): v for k, v in state.skipped.items()},
        "observations": [asdict(o) for o in state.observations],
    }
    write_whole(path, data)


def write_whole(path: Path, data: object) -> None:
    """Replace the file by that data as JSON, durable when it returns. UserError when it cannot."""
    temporary = path.with_suffix(f".{os.getpid()}.tmp")
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with temporary.open("w") as file:
            json.dump(data, file)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise UserError(f"cannot be written: {error.strerror}", where=path) from error


def load(path: Path, task: Task, names: Sequence[str]) -> State | None:
    """The state kept there; None where there is none of this very search, or it is damaged."""
    try:
        data = json.loads(path.read_text())
        if not goes_on(data, names, data["observations"]):
            return None
        return State(
            task,
            tuple(_observation(o) for o in data["observations"]),
            frozenset(data["built"]),
            {int(k): str(v) for k, v in data["skipped"].items()},
        )
    except (OSError, ValueError, KeyError, TypeError):
        return None


def goes_on(data: Mapping[str, Any], names: Sequence[str], blocks: Sequence[Any]) -> bool:
    """Whether what was kept is of this very search, and its blocks count as they should."""
    once = data.get("layouts") == ONCE or not any(b.get("layouts") for b in blocks)
    return once and data["format"] == FORMAT and data["names"] == list(names)


def _observation(data: dict[str, Any]) -> Observation:
    return Observation(
        ends=data["ends"],
        readings=tuple(Reading(**r) for r in data["readings"]),
        layouts=data["layouts"],
        pair=Pair(**data["pair"]) if data["pair"] else None,
    )


# ---- Searches for a set on disk: everything that was measured, a file each.


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
