"""Tools that run a program and report on it: how they are found and run, and a run of a program to
be counted."""

from __future__ import annotations

import contextlib
import os
import re
import shlex
import shutil
import signal
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from whyfast.measure.invocation import Clock
from whyfast.measure.process import Child, TooMuchOutput


@dataclass(frozen=True)
class Finished:
    """An ended process: exit code (negative for a signal), standard output, the end of both. Where
    standard output was too much to be kept it is not ``whole``, and empty. ``cpu`` are the seconds
    of CPU time of it and its children, as the kernel accounts them."""

    status: int
    stdout: str
    output: str
    whole: bool = True
    cpu: float = field(default=0.0, compare=False)


class Launcher:
    """Finds and runs programs of this system; the seam that tests replace with recordings."""

    def __init__(self) -> None:
        self._running: set[int] = set()

    def find(self, name: str) -> str | None:
        """The path of an installed program, or None."""
        return shutil.which(name)

    def run(
        self,
        argv: Sequence[str],
        *,
        env: Mapping[str, str],
        timeout: float,
        pass_fds: Sequence[int] = (),
    ) -> Finished:
        """Run to the end, at most ``timeout`` seconds, with those file descriptors open. Raises
        TimeoutError, and OSError when it cannot be started."""
        child = Child(argv, env=env, pass_fds=pass_fds)
        self._running.add(child.pid)
        try:
            usage = child.wait(timeout)
            if usage is None:
                raise TimeoutError(f"still running after {timeout:g} s")
            assert child.status is not None
            cpu = usage.user + usage.system
            try:
                return Finished(child.status, child.stdout(), child.output_tail(), cpu=cpu)
            except TooMuchOutput:  # of a program that is counted, whose output nobody reads
                return Finished(child.status, "", child.output_tail(), False, cpu)
        finally:
            self._running.discard(child.pid)
            child.kill()

    def stop(self) -> None:
        """Kill what other threads run, with its process group."""
        for pid in tuple(self._running):
            with contextlib.suppress(ProcessLookupError):
                os.killpg(pid, signal.SIGKILL)


@dataclass
class LauncherAround(Launcher):
    """A launcher that does something of its own where ``launcher`` runs a program."""

    launcher: Launcher

    def find(self, name: str) -> str | None:
        return self.launcher.find(name)

    def stop(self) -> None:
        self.launcher.stop()


@dataclass
class LimitedLauncher(LauncherAround):
    """A launcher whose runs end at a time of the monotonic ``clock``, all together."""

    clock: Clock
    end: float

    def run(
        self,
        argv: Sequence[str],
        *,
        env: Mapping[str, str],
        timeout: float,
        pass_fds: Sequence[int] = (),
    ) -> Finished:
        left = self.end - self.clock.monotonic()
        if left <= 0:
            raise TimeoutError("the time for all of it is used up")
        return self.launcher.run(argv, env=env, timeout=min(timeout, left), pass_fds=pass_fds)


#: Programs that put another one into their place.
_LAUNCHERS = {"sh", "bash", "dash", "env", "nice", "taskset"}


def runs_another(command: Sequence[str]) -> bool:
    """Whether it begins with a shell or the like, in whose place another program then runs."""
    return os.path.basename(command[0]) in _LAUNCHERS


def program_names(*command: str) -> set[str]:
    """What tools call the program itself: its own name, or that of the file that it links to; of
    a command that runs another program, that of each of its words."""
    words = command if runs_another(command) else command[:1]
    return {os.path.basename(name) for word in words for name in (word, os.path.realpath(word))}


class CannotCount(Exception):
    """Counting did not work; the message says why and what would help."""


@dataclass(frozen=True)
class ToolRun:
    """A program that is run to be counted: ``command`` with its environment, and what runs it for
    at most ``timeout`` seconds. ``enter`` are the words before the command, of a sandbox;
    ``scratch`` is a folder that can be written to inside and outside of it under one name; None:
    any temporary one. ``cpu`` is that of a run under strace, with strace; None: any."""

    command: tuple[str, ...]
    launcher: Launcher
    env: Mapping[str, str]
    timeout: float
    enter: tuple[str, ...] = ()
    scratch: Path | None = None
    cpu: int | None = None

    def tool(self, name: str, hint: str = "") -> str:
        """The path of a program that counts; CannotCount, with the ``hint``, without one."""
        path = self.launcher.find(name)
        if path is None:
            raise CannotCount(f"{name} is not installed" + (f"; {hint}" if hint else ""))
        return path

    def once(self, env: Mapping[str, str]) -> None:
        """Run the command with no tool, so that what it keeps for its next run is there, such as
        Python's compiled modules: else the first run that is counted does work that no later one
        does. How it ends is left to the run that is counted to say; but CannotCount when it cannot
        be started or does not end in time."""
        self.under("no tool", [*self.enter, *self.command], env)

    def folder(self) -> tempfile.TemporaryDirectory[str]:
        """For what a tool writes, until it is left; its name, inside and outside of a sandbox."""
        return tempfile.TemporaryDirectory(prefix="whyfast-", dir=self.scratch)

    def under(self, tool: str, argv: Sequence[str], env: Mapping[str, str]) -> Finished:
        """Run ``argv``, in which the command stands behind the words of ``tool``. Raises
        CannotCount when it cannot be started or does not end in time."""
        try:
            return self.launcher.run(argv, env=env, timeout=self.timeout)
        except TimeoutError as error:
            raise CannotCount(f"under {tool}: {error}; use a shorter workload") from None
        except OSError as error:
            raise CannotCount(f"{tool} could not be started: {error.strerror}") from None


def with_input(run: ToolRun, stdin: str) -> ToolRun:
    """The run with the file ``stdin`` as its standard input."""
    if stdin == os.devnull:
        return run
    redirected = ("sh", "-c", f'exec "$@" <{shlex.quote(stdin)}', "sh")
    return replace(run, enter=(*run.enter, *redirected))


# What a program asks of the kernel: system calls by name, time and caller, traced by strace.

#: Seconds that looking for callers may take: the first few thousand calls tell.
CALLERS_SECONDS = 2.0


@dataclass(frozen=True)
class CallRow:
    """One system call over a whole run: ``seconds`` in the kernel (or of wall time with ``-w``),
    how often it was called, and how often it failed."""

    name: str
    seconds: float
    calls: int
    errors: int


@dataclass(frozen=True)
class TracedRun:
    """One run and all of its processes: ``calls`` by name with the seconds of system time in them,
    ``waits`` with those of wall time."""

    calls: Mapping[str, CallRow]
    waits: Mapping[str, CallRow]

    def number(self, name: str) -> int:
        return self.calls[name].calls if name in self.calls else 0


def trace_calls(run: ToolRun, *, waits: bool) -> TracedRun:
    """One run under strace, and another one for ``waits``, which are empty without it. Raises
    CannotCount where strace is missing, forbidden or too slow."""
    return TracedRun(call_table(run), call_table(run, "-w") if waits else {})


def call_table(run: ToolRun, *options: str) -> dict[str, CallRow]:
    """The table of one run under strace. Raises CannotCount as :func:`trace_calls`."""
    with run.folder() as folder:
        out = Path(folder, "table")
        argv = [*_strace(run), "-f", "-c", *options, "-o", str(out), *run.enter, *run.command]
        done = run.under("strace", argv, run.env)
        rows = parse_strace_table(out.read_text(errors="replace") if out.exists() else "")
    if not rows:
        lines = done.output.strip().splitlines()[-1:]
        raise CannotCount(f"strace traced nothing{': ' + lines[0] if lines else ''}")
    return rows


#: Calls that return how many bytes they moved.
TRANSFERS = (
    *("read", "pread64", "readv", "preadv", "recvfrom", "recvmsg", "getrandom"),
    *("write", "pwrite64", "writev", "pwritev", "sendto", "sendmsg", "sendfile"),
    *("copy_file_range", "splice"),
)


def moved_bytes(run: ToolRun, names: Sequence[str]) -> dict[str, int]:
    """The bytes that one run moves by each of these system calls. Raises CannotCount."""
    with run.folder() as folder:
        out = Path(folder, "calls")
        argv = [*_strace(run), "-f", "-s0", "-e", f"trace={','.join(names)}", "-o", str(out)]
        run.under("strace", [*argv, *run.enter, *run.command], run.env)
        moved = dict.fromkeys(names, 0)
        if out.exists():
            with out.open(errors="replace") as file:
                for line in file:
                    if (match := _MOVED.match(line)) and match[1] in moved:
                        moved[match[1]] += int(match[2])
        return moved


def callers_of(run: ToolRun, names: Sequence[str]) -> dict[str, tuple[tuple[str, str], ...]]:
    """The most common stack of each of these system calls, as (object, function) from the innermost
    outwards, among those that the first seconds make. Empty where strace cannot unwind."""
    with run.folder() as folder:
        out = Path(folder, "stacks")
        argv = [*_strace(run), "-f", "-k", "-e", f"trace={','.join(names)}", "-o", str(out)]
        with contextlib.suppress(CannotCount):
            short = replace(run, timeout=min(run.timeout, CALLERS_SECONDS))
            short.under("strace", [*argv, *run.enter, *run.command], run.env)
        if not out.exists():
            return {}
        with out.open(errors="replace") as file:
            stacks = parse_strace_stacks(file.read(8_000_000))
    return {name: counts.most_common(1)[0][0] for name, counts in stacks.items()}


def _strace(run: ToolRun) -> list[str]:
    """The words of strace, which is pinned with what it traces: a call stops the program twice, and
    to wake a thread on an idle CPU takes ten times as long as to change to it."""
    strace = run.tool("strace", "install it (Debian, Ubuntu: strace)")
    taskset = None if run.cpu is None else run.launcher.find("taskset")
    return [taskset, "-c", str(run.cpu), strace] if taskset is not None else [strace]


# ---- What strace writes.


#: % time, seconds, usecs/call, calls, errors (may be empty), syscall
_ROW = re.compile(r"^\s*[\d.]+\s+([\d.]+)\s+\d+\s+(\d+)(?:\s+(\d+))?\s+([a-z_]\w*)\s*$")


def parse_strace_table(text: str) -> dict[str, CallRow]:
    """The rows by system call; the total is left out. Empty for a text without a table."""
    rows = {}
    for line in text.splitlines():
        match = _ROW.match(line)
        if match and match[4] != "total":
            rows[match[4]] = CallRow(match[4], float(match[1]), int(match[2]), int(match[3] or 0))
    return rows


#: ``7 write(1, ""..., 65536) = 65536``, or the second half of a call that another one interrupted.
_MOVED = re.compile(r"^(?:\d+\s+)?(?:<\.\.\. )?(\w+)(?:\(| resumed>).*\)\s+= (\d+)(?: |$)")

_CALL = re.compile(r"^(?:\[pid\s+\d+\] |\d+\s+)?(\w+)\(")
_FRAME = re.compile(r"^ > (\S+?)\(([^()+]*)(?:\+0x[0-9a-f]+)?\) \[0x[0-9a-f]+\]")


def parse_strace_stacks(text: str) -> dict[str, Counter[tuple[tuple[str, str], ...]]]:
    """By system call the stacks that made it, as (object, function) from the innermost outwards,
    with the number of calls."""
    stacks: dict[str, Counter[tuple[tuple[str, str], ...]]] = {}
    call, frames = "", list[tuple[str, str]]()
    for line in [*text.splitlines(), ""]:
        if frame := _FRAME.match(line):
            frames.append((frame[1], frame[2]))
            continue
        if call and frames:
            stacks.setdefault(call, Counter())[tuple(frames)] += 1
        match = _CALL.match(line)
        call, frames = match[1] if match else "", []
    return stacks
