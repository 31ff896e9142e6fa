"""Settings of the kernel that hold while a process starts, and are put back whatever happens.

For what the kernel decides once, when a program is loaded: whether its JIT hardens a BPF program,
for instance. The old value is put back when the process is ready; by a watcher, a process of its
own, when this one is killed meanwhile; and from the journal of ``whyfast doctor`` when both are.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path

from whyfast.measure.doctor.system import System
from whyfast.measure.doctor.tune import Setting, TuneOutcome, change, current, restore, same
from whyfast.measure.invocation import Invocation, InvocationFailed, Runner

#: Reads one line; when there is none, because the other end of the pipe is gone, writes the old
#: value ($1) into the setting ($2).
_WATCH = 'read -r done || printf %s "$1" > "$2"'


class CannotHold(Exception):
    """A setting does not take the value that it should."""


#: Makes settings hold for the time of a ``with`` block; raises CannotHold.
Holding = Callable[[Mapping[str, str]], AbstractContextManager[None]]


class TemporarySysctls:
    """A :data:`Holding`. ``folder`` is where the doctor keeps old values, ``root`` where /proc
    is."""

    def __init__(self, system: System, folder: Path, root: Path = Path("/")) -> None:
        self._system = system
        self._folder = folder
        self._root = root

    def __call__(self, settings: Mapping[str, str]) -> AbstractContextManager[None]:
        return self._held(settings)

    @contextlib.contextmanager
    def _held(self, settings: Mapping[str, str]) -> Iterator[None]:
        wanted = []
        for name, value in settings.items():
            now = current(self._system, path_of(name))
            if now is None:
                raise CannotHold(_missing(name))
            if not same(now, value):
                wanted.append(Setting(name, path_of(name), now, value))
        if not wanted:
            yield
            return
        with ExitStack() as stack:
            for setting in wanted:
                stack.enter_context(_watched(setting, self._root))
            paths = [s.path for s in wanted]
            stack.callback(lambda: _check(restore(self._system, self._folder, only=paths), "back "))
            _check(change(self._system, self._folder, lambda _: wanted))
            yield

    def recover(self, settings: Sequence[str]) -> tuple[str, ...]:
        """Put back what an earlier process left behind; returns what was done, in words."""
        if not any(self._folder.glob("*.json")):
            return ()
        done = restore(self._system, self._folder, only=[path_of(name) for name in settings])
        return tuple(
            f"{_name(c.path)} was left at {c.old} by an earlier run and is {c.new} again"
            if not c.error
            else f"{_name(c.path)} was left at {c.old} by an earlier run: {c.error}"
            for c in done.changes
            if c.error or c.old != c.new
        )

    def why_not(self, settings: Mapping[str, str]) -> str:
        """Why these settings cannot hold here; empty when they can, as far as can be seen."""
        for name, value in settings.items():
            now = current(self._system, path_of(name))
            if now is None:
                return _missing(name)
            if not same(now, value) and not os.access(self._root / path_of(name), os.W_OK):
                return f"{name} is {now}, and setting it to {value} needs root"
        return ""


class SysctlRunner:
    """A runner whose processes start while the settings of their variant hold."""

    def __init__(
        self, inner: Runner, settings: Mapping[str, Mapping[str, str]], hold: Holding
    ) -> None:
        self._inner = inner
        self._settings = settings
        self._hold = hold
        self.loops_vary = inner.loops_vary

    def enter(self, variant: str, *, cpu: int | None, pad: int, layout: int = 0) -> Invocation:
        """Start one process and wait until it is ready."""
        invocation: Invocation | None = None
        try:
            with self._hold(self._settings.get(variant, {})):
                invocation = self._inner.enter(variant, cpu=cpu, pad=pad, layout=layout)
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
def _watched(setting: Setting, root: Path) -> Iterator[None]:
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
