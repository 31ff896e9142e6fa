"""The old values of settings that were changed, kept until they are put back.

One file a boot: the kernel forgets such settings when it restarts, and so may we. The name of the
machine is in it, as a data folder may be shared between machines. An entry is on disk before the
setting is changed, so that a crash at any moment leaves a journal from which everything can be
put back; putting back what was never changed does nothing.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

from whyfast.model.errors import UserError

SCHEMA = "whyfast-doctor-journal/1"


@dataclass(frozen=True)
class JournalEntry:
    """A setting that was or was about to be changed from ``old`` to ``new``."""

    key: str
    path: str
    old: str
    new: str


class Journal:
    """The entries of one boot of one machine, in the order in which they were made."""

    def __init__(self, folder: Path, boot: str, machine: str) -> None:
        self.folder = folder
        self.boot = boot
        self.machine = machine
        self._file = folder / f"{boot}.json"
        self.entries = self._load()

    def add(self, entry: JournalEntry) -> None:
        """Keep an entry durably. What the setting held first is what counts: a second entry for
        the same path changes nothing but ``new``."""
        known = {e.path: e for e in self.entries}
        old = known[entry.path].old if entry.path in known else entry.old
        known[entry.path] = JournalEntry(entry.key, entry.path, old, entry.new)
        self._save(known.values())

    def remove(self, path: str) -> None:
        """Forget a setting that holds its old value again. The last one takes the file along."""
        self._save(e for e in self.entries if e.path != path)

    def drop_earlier_boots(self) -> int:
        """Delete the journals of this machine's earlier boots; returns how many entries went."""
        dropped = 0
        for file in sorted(self.folder.glob("*.json")):
            if file == self._file:
                continue
            machine, entries = _read(file)
            if machine == self.machine:
                dropped += len(entries)
                file.unlink(missing_ok=True)
        return dropped

    def _load(self) -> tuple[JournalEntry, ...]:
        return _read(self._file)[1] if self._file.exists() else ()

    def _save(self, entries: Iterable[JournalEntry]) -> None:
        self.entries = tuple(entries)
        if not self.entries:
            self._file.unlink(missing_ok=True)
            return
        document = {
            "schema": SCHEMA,
            "boot": self.boot,
            "machine": self.machine,
            "settings": [asdict(e) for e in self.entries],
        }
        temporary = self._file.with_suffix(".part")
        with temporary.open("w", encoding="utf-8") as out:
            json.dump(document, out, indent=1)
            out.flush()
            os.fsync(out.fileno())
        temporary.replace(self._file)
        _sync(self.folder)


def _read(file: Path) -> tuple[str, tuple[JournalEntry, ...]]:
    """(machine, entries); UserError for a file that is not a journal, as guessing would lose old
    values."""
    try:
        document = json.loads(file.read_text(encoding="utf-8"))
        entries = tuple(
            JournalEntry(str(e["key"]), str(e["path"]), str(e["old"]), str(e["new"]))
            for e in document["settings"]
        )
        return str(document["machine"]), entries
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UserError(
            f"is not a readable journal of changed settings ({error}); look at it, put the "
            "settings back by hand, and delete it",
            where=file,
        ) from None


def _sync(folder: Path) -> None:
    fd = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)
