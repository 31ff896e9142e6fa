"""Settings of the kernel: changed, and put back exactly as they were.

Old values are in a journal, one file a boot: the kernel forgets such settings when it restarts, and
so may we. The name of the machine is in it, as a data folder may be shared between machines. An
entry is on disk before the setting is changed, so that a crash at any moment leaves a journal from
which everything can be put back; putting back what was never changed does nothing.

:class:`TemporarySysctls` is for what the kernel decides once, when a program is loaded: whether its
JIT hardens a BPF program, for instance. The old value is put back when the process is ready; by a
watcher, a process of its own, when this one is killed meanwhile; and from the journal when both
are."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import platform
import subprocess
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from whyfast.measure.doctor import System, cpu_list, number, readings, selected
from whyfast.measure.invocation import Invocation, InvocationFailed, Runner
from whyfast.model.build import SettingChange
from whyfast.model.errors import UserError
from whyfast.store.files import exclusive, write_whole


def settings_to_change(system: System) -> list[SettingChange]:
    """Every setting that exists here and is not as it should be."""
    return [
        SettingChange(key, path, old, wanted)
        for key, path, wanted in _wanted(system)
        if (old := current(system, path)) is not None and not same(old, wanted)
    ]


def current(system: System, path: str) -> str | None:
    """What a setting holds, as it would be written; None when it cannot be read."""
    return selected(system.read(path))


def same(a: str, b: str) -> bool:
    """Whether two texts set the same; lists of CPUs may be spelled in several ways."""
    return a == b or (bool(cpu_list(a)) and cpu_list(a) == cpu_list(b))


def _wanted(system: System) -> Iterator[tuple[str, str, str]]:
    """(key, file, value). The governor comes after turbo, whose limits it then takes up."""
    if system.read(readings.NO_TURBO) is not None:
        yield "turbo", readings.NO_TURBO, "1"
    elif system.read(readings.BOOST) is not None:
        yield "turbo", readings.BOOST, "0"
    for path in system.names(readings.GOVERNORS):
        offered = system.read(path.replace("scaling_governor", "scaling_available_governors"))
        if offered is None or "performance" in offered.split():
            yield "governor", path, "performance"
    yield "aslr", readings.ASLR, "2"
    if selected(system.read(readings.HUGE_PAGES)) == "always":
        yield "transparent_hugepages", readings.HUGE_PAGES, "madvise"
    if (number(system.read(readings.PARANOID)) or 0) > readings.COUNTING_ALLOWED:
        yield "perf_event_paranoid", readings.PARANOID, str(readings.COUNTING_ALLOWED)
    yield "nmi_watchdog", readings.WATCHDOG, "0"
    yield from _interrupts(system)


def _interrupts(system: System) -> Iterator[tuple[str, str, str]]:
    """Interrupts that may fall on isolated CPUs go to the others."""
    apart = set(cpu_list(system.read(readings.ISOLATED)))
    rest = [cpu for cpu in cpu_list(system.read(readings.ONLINE)) if cpu not in apart]
    if not apart or not rest:
        return
    for path in system.names(readings.IRQS):
        allowed = cpu_list(system.read(path))
        if not apart.isdisjoint(allowed):
            kept = [cpu for cpu in allowed if cpu not in apart]
            yield "irq_affinity", path, ",".join(map(str, kept or rest))


SCHEMA = "whyfast-doctor-journal/1"
#: What the journal keeps of a setting that was or was about to be changed.
_KEPT = ("key", "path", "old", "new")


class Journal:
    """The entries of one boot of one machine, in the order in which they were made."""

    def __init__(self, folder: Path, boot: str, machine: str) -> None:
        self.folder = folder
        self.boot = boot
        self.machine = machine
        self._file = folder / f"{boot}.json"
        self.entries = _read(self._file)[1] if self._file.exists() else ()

    def add(self, entry: SettingChange) -> None:
        """Keep an entry durably. What the setting held first is what counts: a second entry for
        the same path changes nothing but ``new``."""
        known = {e.path: e for e in self.entries}
        old = known.get(entry.path, entry).old
        known[entry.path] = replace(entry, old=old)
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

    def _save(self, entries: Iterable[SettingChange]) -> None:
        self.entries = tuple(entries)
        if not self.entries:
            self._file.unlink(missing_ok=True)
            return
        document = {
            "schema": SCHEMA,
            "boot": self.boot,
            "machine": self.machine,
            "settings": [{name: getattr(e, name) for name in _KEPT} for e in self.entries],
        }
        write_whole(self._file, json.dumps(document, indent=1), durable=True)


def _read(file: Path) -> tuple[str, tuple[SettingChange, ...]]:
    """(machine, entries); UserError for a file that is not a journal, as guessing would lose old
    values."""
    try:
        document = json.loads(file.read_text(encoding="utf-8"))
        entries = tuple(
            SettingChange(*(str(entry[name]) for name in _KEPT)) for entry in document["settings"]
        )
        return str(document["machine"]), entries
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UserError(
            f"is not a readable journal of changed settings ({error}); look at it, put the "
            "settings back by hand, and delete it",
            where=file,
        ) from None


_BOOT = "proc/sys/kernel/random/boot_id"

_REASONS = {
    errno.EACCES: "needs root",
    errno.EPERM: "needs root",
    errno.EROFS: "read-only here, as in most containers",
    errno.EIO: "the kernel does not allow this change",
    errno.EINVAL: "the kernel does not accept this value",
    errno.EBUSY: "the kernel says that it is in use",
}


@dataclass(frozen=True)
class TuneOutcome:
    """What was done. ``changes`` has one entry a setting, ``message`` what else there is to say."""

    changes: tuple[SettingChange, ...]
    message: str = ""


def tune(
    system: System,
    folder: Path,
    machine: str = "",
    wanted: Callable[[System], Iterable[SettingChange]] = settings_to_change,
) -> TuneOutcome:
    """Set what is not as it should be; what cannot be set is reported, and the others are done.
    ``folder`` is where old values are kept, ``wanted`` gives the changes. Raises UserError when old
    values cannot be kept."""
    with _journal(system, folder, machine) as (journal, message):
        changes = []
        for change in wanted(system):
            known = change.path in {entry.path for entry in journal.entries}
            journal.add(change)
            error = _write(system, change.path, change.new)
            if error and not known and current(system, change.path) == change.old:
                journal.remove(change.path)
            changes.append(replace(change, error=error))
    return TuneOutcome(tuple(changes), message)


def restore(
    system: System, folder: Path, machine: str = "", only: Container[str] | None = None
) -> TuneOutcome:
    """Put back the old values, last changed first. May be repeated, and does so for what failed.
    ``only``: the paths of those to put back. Raises UserError when the journal cannot be read."""
    with _journal(system, folder, machine) as (journal, message):
        changes = []
        for entry in reversed(journal.entries):
            if only is not None and entry.path not in only:
                continue
            now = current(system, entry.path)
            error = "" if now == entry.old else _write(system, entry.path, entry.old)
            if not error:
                journal.remove(entry.path)
            changes.append(SettingChange(entry.key, entry.path, now or "", entry.old, error))
    return TuneOutcome(tuple(changes), message)


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
            "this kernel has no boot id, so old settings could not be restored safely",
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


#: Reads one line; when there is none, because the other end of the pipe is gone, writes the old
#: value ($1) into the setting ($2).
_WATCH = 'read -r done || printf %s "$1" > "$2"'


class CannotHold(Exception):
    """A setting does not take the value that it should."""


#: Makes settings hold for the time of a ``with`` block; raises CannotHold.
Holding = Callable[[Mapping[str, str]], AbstractContextManager[None]]


@dataclass(frozen=True)
class TemporarySysctls:
    """A :data:`Holding`. ``folder`` is where the doctor keeps old values, ``root`` where /proc
    is."""

    system: System
    folder: Path
    root: Path = Path("/")

    @contextlib.contextmanager
    def __call__(self, settings: Mapping[str, str]) -> Iterator[None]:
        wanted = []
        for name, value in settings.items():
            path = path_of(name)
            now = current(self.system, path)
            if now is None:
                raise CannotHold(_missing(name))
            if not same(now, value):
                wanted.append(SettingChange(name, path, now, value))
        if not wanted:
            yield
            return
        with ExitStack() as stack:
            for setting in wanted:
                stack.enter_context(_watched(setting, self.root))
            paths = [s.path for s in wanted]
            stack.callback(lambda: _check(restore(self.system, self.folder, only=paths), "back "))
            _check(tune(self.system, self.folder, wanted=lambda _: wanted))
            yield

    def recover(self, settings: Sequence[str]) -> tuple[str, ...]:
        """Put back settings that an earlier process left changed; returns a description."""
        if not any(self.folder.glob("*.json")):
            return ()
        done = restore(self.system, self.folder, only=[path_of(name) for name in settings])
        return tuple(
            f"{_name(c.path)} was left at {c.old} by an earlier run"
            + (f": {c.error}" if c.error else f" and is {c.new} again")
            for c in done.changes
            if c.error or c.old != c.new
        )

    def why_not(self, settings: Mapping[str, str]) -> str:
        """Why these settings cannot hold here; empty when they can, as far as can be seen."""
        for name, value in settings.items():
            now = current(self.system, path_of(name))
            if now is None:
                return _missing(name)
            if not same(now, value) and not os.access(self.root / path_of(name), os.W_OK):
                return f"{name} is {now}, and setting it to {value} needs root"
        return ""


@dataclass
class SysctlRunner:
    """A runner whose processes start while the settings of their variant hold."""

    inner: Runner
    settings: Mapping[str, Mapping[str, str]]
    hold: Holding

    def __post_init__(self) -> None:
        self.loops_vary = self.inner.loops_vary

    def enter(self, variant: str, *, cpu: int | None, pad: int, layout: int = 0) -> Invocation:
        """Start one process and wait until it is ready."""
        invocation: Invocation | None = None
        try:
            with self.hold(self.settings.get(variant, {})):
                invocation = self.inner.enter(variant, cpu=cpu, pad=pad, layout=layout)
        except BaseException as error:  # also of an interrupt: nobody else knows this process yet
            if invocation is not None:
                invocation.close()
            if isinstance(error, CannotHold):
                raise InvocationFailed(str(error)) from error
            raise
        return invocation


def _check(outcome: TuneOutcome, back: str = "") -> None:
    """Raise CannotHold for the first setting that did not change."""
    for setting in outcome.changes:
        if setting.error:
            what = f"put {back}to" if back else "set to"
            raise CannotHold(
                f"{_name(setting.path)} cannot be {what} {setting.new}: {setting.error}"
            )


def path_of(name: str) -> str:
    """The file of a setting, from the root: ``proc/sys/net/core/bpf_jit_harden``."""
    return "proc/sys/" + name.replace(".", "/")


def _missing(name: str) -> str:
    outside = " (some of net.core exist outside of containers only)"
    more = outside if name.startswith("net.core.") else ""
    return f"this kernel does not show a setting {name}{more}"


def _name(path: str) -> str:
    return path.removeprefix("proc/sys/").replace("/", ".")


@contextlib.contextmanager
def _watched(setting: SettingChange, root: Path) -> Iterator[None]:
    """Inside, the end of this process, however it comes, puts the old value back."""
    file = str(root / setting.path)
    with subprocess.Popen(
        ["/bin/sh", "-c", _WATCH, "watcher", setting.old, file],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,  # an interrupt from the terminal is not for it
    ) as watcher:
        try:
            yield
        finally:
            assert watcher.stdin is not None
            with contextlib.suppress(BrokenPipeError):
                watcher.stdin.write(b"done\n")
                watcher.stdin.flush()
