"""The store of searches: one file for each, replaced as a whole after every step."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from whyfast.model.codec import Malformed, decode, encode
from whyfast.model.errors import UserError
from whyfast.search.ddmin import Event, Failed
from whyfast.search.state import Observation, State, Task
from whyfast.search.subsets import Trial

#: Increased when a search of an older whyfast can no longer be resumed.
FORMAT = 3


def search_key(*parts: object) -> str:
    """What must be equal for two searches to be one."""
    text = json.dumps([FORMAT, *parts], sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:24]


@dataclass(frozen=True)
class SearchFile:
    """One kept search; ``names`` are its candidates or differences, in order.

    What another search wrote, an older format or a damaged file counts as nothing kept. Saving is
    durable when it returns, and raises UserError when the file cannot be written.
    """

    path: Path
    names: Sequence[str]

    def save_state(self, state: State) -> None:
        """Keep a bisection."""
        skipped = {str(candidate): reason for candidate, reason in state.skipped.items()}
        built, observations = sorted(state.built), encode(state.observations)
        self._save({"built": built, "skipped": skipped, "observations": observations})

    def load_state(self, task: Task) -> State | None:
        """The kept bisection, None without one."""
        data = self._load()
        try:
            return State(
                task,
                decode(tuple[Observation, ...], data["observations"]),
                frozenset(data["built"]),
                {int(candidate): str(reason) for candidate, reason in data["skipped"].items()},
            )
        except (Malformed, ValueError, KeyError, TypeError):
            return None

    def save_events(self, events: Sequence[Event]) -> None:
        """Keep a search in a set of differences."""
        self._save({"events": encode(tuple(events))})

    def load_events(self) -> tuple[Event, ...]:
        """The kept blocks of a search in a set."""
        try:
            events = self._load()["events"]
            return tuple(decode(Failed if "reason" in e else Trial, e) for e in events)
        except (Malformed, KeyError, TypeError):
            return ()

    def _save(self, content: dict[str, Any]) -> None:
        temporary = self.path.with_suffix(f".{os.getpid()}.tmp")
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            with temporary.open("w") as file:
                json.dump({"format": FORMAT, "names": list(self.names), **content}, file)
                file.flush()
                os.fsync(file.fileno())
            temporary.replace(self.path)
        except OSError as error:
            temporary.unlink(missing_ok=True)
            raise UserError(f"cannot be written: {error.strerror}", where=self.path) from error

    def _load(self) -> dict[str, Any]:
        try:
            data = json.loads(self.path.read_text())
            ours = data["format"] == FORMAT and data["names"] == list(self.names)
        except (OSError, ValueError, KeyError, TypeError):
            return {}
        return data if ours else {}
