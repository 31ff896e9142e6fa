"""Applying settings and putting back exactly what was there."""

from __future__ import annotations

import errno
import platform
from collections.abc import Callable, Container, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from whyfast.measure.doctor.journal import Journal, JournalEntry
from whyfast.measure.doctor.settings import Setting, current, same, settings_to_change
from whyfast.measure.doctor.system import System
from whyfast.model.errors import UserError
from whyfast.model.machine import SettingChange
from whyfast.store.lock import exclusive

_BOOT = "proc/sys/kernel/random/boot_id"

_REASONS = {
    errno.EACCES: "needs root",
    errno.EPERM: "needs root",
    errno.EROFS: "read-only here, as in most containers",
    errno.EIO: "the kernel does not let this one be changed",
    errno.EINVAL: "the kernel does not accept this value",
    errno.EBUSY: "the kernel says that it is in use",
}


@dataclass(frozen=True)
class TuneOutcome:
    """What was done. ``changes`` has one entry a setting, ``message`` what else there is to say."""

    changes: tuple[SettingChange, ...]
    message: str = ""


def tune(system: System, folder: Path, machine: str = "") -> TuneOutcome:
    """Set what is not as it should be; what cannot be set is reported, and the others are done.

    ``folder`` is where old values are kept. Raises UserError when that is not possible.
    """
    return change(system, folder, settings_to_change, machine)


def change(
    system: System,
    folder: Path,
    wanted: Callable[[System], Iterable[Setting]],
    machine: str = "",
) -> TuneOutcome:
    """Set what ``wanted`` names, as :func:`tune` does."""
    with _journal(system, folder, machine) as (journal, message):
        changes = [
            _apply(system, journal, JournalEntry(s.key, s.path, s.old, s.wanted))
            for s in wanted(system)
        ]
    return TuneOutcome(tuple(changes), message)


def restore(
    system: System, folder: Path, machine: str = "", only: Container[str] | None = None
) -> TuneOutcome:
    """Put back the old values, last changed first. May be repeated, and does so for what failed.

    ``only``: the paths of those to put back. Raises UserError when the journal cannot be read.
    """
    with _journal(system, folder, machine) as (journal, message):
        changes = [
            _put_back(system, journal, entry)
            for entry in reversed(journal.entries)
            if only is None or entry.path in only
        ]
    return TuneOutcome(tuple(changes), message)


def _apply(system: System, journal: Journal, entry: JournalEntry) -> SettingChange:
    known = entry.path in {e.path for e in journal.entries}
    journal.add(entry)
    error = _write(system, entry.path, entry.new)
    if error and not known and current(system, entry.path) == entry.old:
        journal.remove(entry.path)
    return SettingChange(entry.key, entry.path, entry.old, entry.new, error)


def _put_back(system: System, journal: Journal, entry: JournalEntry) -> SettingChange:
    now = current(system, entry.path)
    error = "" if now == entry.old else _write(system, entry.path, entry.old)
    if not error:
        journal.remove(entry.path)
    return SettingChange(entry.key, entry.path, now or "", entry.old, error)


def _write(system: System, path: str, value: str) -> str:
    """Set and look whether it took; returns what went wrong, or nothing."""
    try:
        system.write(path, value)
    except OSError as error:
        return _REASONS.get(error.errno or 0) or error.strerror or str(error)
    now = current(system, path)
    return "" if now is not None and same(now, value) else f"the kernel keeps it at {now}"


@contextmanager
def _journal(system: System, folder: Path, machine: str) -> Iterator[tuple[Journal, str]]:
    boot = system.read(_BOOT)
    if not boot or "/" in boot:
        raise UserError(
            "this kernel does not name its boot, so old settings could not be put back safely",
            where=f"/{_BOOT}",
        )
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with exclusive(folder / "lock"):
            journal = Journal(folder, boot, machine or platform.node())
            dropped = journal.drop_earlier_boots()
            yield (
                journal,
                f"the machine was restarted since {dropped} settings were changed, which undid "
                "them; their old values are forgotten"
                if dropped
                else "",
            )
    except OSError as error:
        raise UserError(
            f"old values of settings cannot be kept: {error.strerror}", where=folder
        ) from error
