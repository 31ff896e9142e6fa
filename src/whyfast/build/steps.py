"""The steps of a build: as shell lines, in the sandbox of their toolchain, and under way."""

from __future__ import annotations

import contextlib
import errno
import math
import os
import re
import resource
import shlex
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from whyfast.build import cargo
from whyfast.build.recipe import Recipe
from whyfast.model.build import Language
from whyfast.store.builds import BuildStore
from whyfast.study.notation import substitute
from whyfast.toolchain.sandbox import Box, around_steps, surroundings
from whyfast.toolchain.watcher import WATCHER

#: An absolute path of several folders, in a step or a message.
_PATH = re.compile(r"(?<![\w./])/(?:[\w.+@-]+/){2,}(?=[\w.+@-])")


def without_folders(text: str) -> str:
    """``text`` on one line, whole, with the folders of its absolute paths left out: ``…/name``."""
    return _PATH.sub("…/", " ".join(text.split()))


#: Programs that are named in place of the one that is missing.
_NAMED = 3
#: Last lines of a failing step's log that are shown.
TAIL = 15
#: Last lines that are searched for the reason: a crashed compiler prints its stack, and the other
#: jobs of a parallel make go on for a while.
SEARCHED = 500

_FULL = re.compile(r"No space left on device|Disk quota exceeded")

#: What says that a process was ended by SIGKILL or found no memory: the drivers of gcc and clang
#: of a compiler proper that they ran, make and the shell of any program, and allocators.
_MEMORY = re.compile(
    r"Killed signal terminated program|unable to execute command: Killed|\bError 137\b"
    r"|^(?:.*: )?(?:\d+ )?Killed\b|\] Killed$|LLVM ERROR: out of memory|virtual memory exhausted"
    r"|out of memory allocating|std::bad_alloc|Cannot allocate memory|memory exhausted",
    re.MULTILINE,
)

#: What a compiler prints when it is itself at fault.
_CRASH = re.compile(
    r"internal compiler error|PLEASE submit a bug report|Please submit a full bug report"
    r"|LLVM ERROR:|(?:frontend|linker) command failed due to signal"
    r"|unable to execute command: (?:Segmentation fault|Aborted|Illegal instruction|Bus error)"
    r"|signal terminated program"
)

#: The first line that says what is wrong: of compilers, linkers, shells, Go, Python, make, cmake,
#: Maven.
_ERROR = re.compile(
    r"(?:^|[\s:])(?:fatal )?error(?:\[E\d+\])?: |: not found$|: command not found$"
    r"|multiple definition of|undefined reference to|cannot find -l|No such file or directory"
    r"|^CMake Error|^\[ERROR\] \S|^go: (?!downloading )"
    r"|^[\w./-]+\.(?:go:\d+:\d+|s:\d+): (?!Warning)|^(?:\w+\.)*\w*(?:Error|Exception): "
    r"|^g?make(?:\[\d+\])?: \*\*\* (?:No rule|No targets)",
    re.IGNORECASE | re.MULTILINE,
)


#: A line of any other tool that says so in words, but of what make says of the tool.
_TROUBLE = re.compile(
    r"^(?!g?make\b).*\b(?:cannot|could not|can't|unable to|failed|permission denied|not running)\b",
    re.IGNORECASE | re.MULTILINE,
)


#: A quoted line of make, a shell or Perl on a tool that is not there.
_MISSING = re.compile(
    r" \((?:g?make(?:\[\d+\])?: |(?:\S*/)?(?:ba|da)?sh: |\S+: (?=(?:line )?\d+: )|Can't exec \")"
    r"(?:line )?(?:\d+: )?"
    r"(?P<name>[\w.+-]+)\"?: (?:No such file or directory|(?:command )?not found)"
    r"(?: at \S+ line .*)?\)"
)


def why(step: str, status: int, lines: Sequence[str] = ()) -> str:
    """``status`` is the exit status of a shell, negative for a signal; a shell and a sandbox say
    128 and the signal's number when it was their child that it ended. ``lines`` are what the step
    printed last."""
    shown = without_folders(step)
    text = "\n".join(lines)
    killed = None
    with contextlib.suppress(ValueError):
        killed = signal.Signals(-status if status < 0 else status - 128).name
    if match := _FULL.search(text):
        return f"disk full in the step: {shown}{_quoted(match)}"
    match = _MEMORY.search(text)
    if match or killed == "SIGKILL":
        quoted = _quoted(match) if match else ""
        return f"killed, probably out of memory, in the step: {shown}{quoted}"
    if match := _CRASH.search(text):
        return f"the compiler crashed in the step: {shown}{_quoted(match)}"
    if killed:
        return f"step killed by {killed}: {shown}"
    if reason := too_old(text):
        return f"{reason} (step: {shown})"
    match = _ERROR.search(text) or _TROUBLE.search(text)
    quoted = _quoted(match) if match else ""
    if tool := _MISSING.fullmatch(quoted):
        return f"{tool['name']} is not installed, and the step needs it: {shown}{quoted}"
    if quoted:  # a step may be long, and comes after what is wrong
        return f"{quoted[2:-1]} (exit code {status} of the step: {shown})"
    return f"step ended with exit code {status}: {shown}"


# What tools and packages say that are older than a project wants them.

#: What is too old, what of it says so with the version that is ``wanted`` and the one ``here``
#: where it is told, and the command that brings a newer one, where there is one for all systems.
#: The words are those of Meson 1.0, CMake 3.25, cargo 1.95, Go 1.26, Autoconf 2.71 and Automake
#: 1.16.
_TOO_OLD = tuple(
    (tool, re.compile(pattern), remedy)
    for tool, pattern, remedy in (
        (
            "meson",
            r"Meson version is (?P<here>\S+) but project requires >?=?\s*(?P<wanted>[\d.]+)",
            "pip install 'meson>={wanted}'",
        ),
        (
            "cmake",
            r"CMake (?P<wanted>[\d.]+) or higher is required\.\s+You are running version "
            r"(?P<here>[\w.]*\w)",
            "pip install 'cmake>={wanted}'",
        ),
        (
            "rustc",
            r"rustc (?P<here>[\d.]+)\S* is not supported by the following packages?:\s+"
            r"(?:\S+ requires rustc [\d.]+\s+)*\S+ requires rustc (?P<wanted>[\d.]+)",
            "rustup update",
        ),
        (
            "cargo",
            r"this version of Cargo is older than the `(?P<wanted>\d+)` edition|"
            r"The package requires the Cargo feature called `(?P<feature>edition\d+)`",
            "rustup update",
        ),
        (
            "go",
            r"requires go >= (?P<wanted>[\d.]*\d) \(running go (?P<here>[\w.]+)|"
            r"note: module requires Go (?P<newer>[\d.]*\d)",
            "install it from go.dev/dl",
        ),
        ("autoconf", r"Autoconf version (?P<wanted>[\d.]+) or higher is required", ""),
        ("automake", r"require Automake (?P<wanted>[\d.]+), but have (?P<here>[\d.]+)", ""),
        (
            "",
            r"need '(?P<tool>[\w.+-]+)' \['>?=?\s*(?P<wanted>[\w.]+)'.*?\] "
            r"found '(?P<here>[\w.]+)'|"
            r"Could\s+NOT\s+find\s+(?P<package>[\w.+-]+):\s+Found\s+unsuitable\s+version\s+"
            r"\"(?P<there>[\w.]+)\",\s+but\s+required\s+is\s+(?:at\s+least|exact\s+version)\s+"
            r"\"(?P<least>[\w.]+)\"",
            "",
        ),
    )
)

#: How the reason begins, by which it is known again.
TOO_OLD = re.compile(r"(?P<tool>\S+) is too old; ")


def too_old(text: str) -> str:
    """What the text of a tool says is too old, which version is wanted and here, and how to get a
    newer one; empty where it says nothing of the kind."""
    for tool, pattern, remedy in _TOO_OLD:
        if match := pattern.search(text):
            told = {k: v for k, v in match.groupdict().items() if v}
            name = tool or told.get("tool") or told["package"]
            wanted = next(told[k] for k in ("wanted", "feature", "newer", "least") if k in told)
            here = told.get("here") or told.get("there")
            available = (
                f"{here} is here, the project wants {wanted}"
                if here
                else f"the project wants {wanted}"
            )
            how = remedy.format(wanted=wanted) or f"install a newer {name}"
            return f"{name} is too old; {available}; {how}"
    return ""


def because(error: Exception) -> str:
    """Why the files of a build could not be handled, or its tools not be run."""
    if not isinstance(error, OSError):
        return str(error)
    reason = f"{error.strerror}: {error.filename}" if error.filename else str(error)
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return f"disk full while preparing its folder: {reason}"
    return reason


def programs_made(recipe: Recipe, work: Path) -> list[str]:
    """What the steps made that can be executed, in the folder of the build; what is called like the
    program first."""
    given = {work / "src" / name for name in recipe.source.files}
    made = [p for p in work.rglob("*") if p not in given and p.is_file() and os.access(p, os.X_OK)]
    made.sort(key=lambda p: (p.name != Path(recipe.program).name, len(p.parts), p))
    return [str(p.relative_to(work)) for p in made]


def instead(recipe: Recipe, made: Sequence[str]) -> str:
    """Which step came last, and what programs there are; for the end of a sentence that says that
    the program is none."""
    names = ", ".join(map(repr, made[:_NAMED]))
    there = f"there is {names}" if names else "they made no program"
    return f"; {there}; the last step is: {' '.join(recipe.steps[-1].split())}"


def _quoted(match: re.Match[str]) -> str:
    """The line with the match, as it was printed."""
    text = match.string
    begin = match.end() - len(match[0].lstrip())  # without the end of the line before
    start = text.rfind("\n", 0, begin) + 1
    end = text.find("\n", match.end())
    line = without_folders(text[start : end if end >= 0 else len(text)])
    return f" ({line if len(line) < 160 else line[:157] + '…'})"


def tail(log: Path, lines: int = TAIL, start: int = 0) -> tuple[str, ...]:
    """The last lines of a log, from the byte ``start`` on."""
    with log.open("rb") as file:
        file.seek(start)
        text = file.read().decode("utf-8", "replace")
    return tuple(text.splitlines()[-lines:])


def expand_steps(recipe: Recipe, folder: Path, jobs: int) -> list[str]:
    """The shell lines as run in ``folder``, all placeholders replaced and quoted."""
    mapping = {**_mapping(recipe, folder, jobs), "layout": ""}
    return [substitute(step, mapping) for step in recipe.steps]


def expand_link(recipe: Recipe, folder: Path, layout: str, program: str) -> str:
    """The link step of another layout; ``layout`` and ``program`` are put in as they are."""
    assert recipe.link is not None
    mapping = {**_mapping(recipe, folder, 1), "layout": layout, "program": program}
    return substitute(recipe.link, mapping)


def _mapping(recipe: Recipe, folder: Path, jobs: int) -> dict[str, str]:
    """What stands for each placeholder. The folder's name is kept out of debug information, so that
    equal inputs make equal bytes."""
    python = recipe.interpreter
    return {
        "python": shlex.quote(str(python.program)) if python else "",
        "python_cflags": shlex.join(python.cflags) if python else "",
        "cc": shlex.join(recipe.toolchain.cc),
        "cflags": shlex.join(
            [*recipe.inputs["cflags"], *without_folder(folder, recipe.toolchain.language)]
        ),
        "ldflags": shlex.join(recipe.inputs["ldflags"]),
        "configure": shlex.join(recipe.inputs["configure"]),
        "source": "src",
        "include": "include",
        "jobs": str(jobs),
        "program": shlex.quote(recipe.program),
        "profile": str(recipe.profile),
    }


def without_folder(folder: Path, language: Language = "c") -> list[str]:
    """The compiler's flag that keeps the name of ``folder`` out of the program; none where the
    language has no such, and for cargo, which :mod:`whyfast.build.cargo` keeps it from."""
    if language in ("c", "c++"):
        return [f"-ffile-prefix-map={folder}=/whyfast"]
    if language == "rust":
        return [f"--remap-path-prefix={folder}=/whyfast"]
    return ["-trimpath"] if language == "go" else []


#: What CMake and Meson leave in a folder that they have configured, whose name they keep to.
_CONFIGURED = ("CMakeCache.txt", "coredata.dat")


def surround(
    recipe: Recipe, folder: Path, store: BuildStore, made_in: Path | None = None
) -> tuple[dict[str, str], list[str], str]:
    """The whole environment of a step, the words before ``sh -euc STEP``, and the sandbox in words,
    for the provenance. The step may write in ``tmp`` and ``work`` of ``folder``; it sees the rest,
    which we write: through a link of its making, that could be anywhere. Tables of mounts are kept
    beside ``store``. Where ``work`` was configured as ``made_in``, and copied, it is seen there,
    too. CannotBuildHere when the toolchain's root cannot be entered, or that cannot be done."""
    toolchain = recipe.toolchain
    readable = toolchain.readable
    if toolchain.root is None:
        readable += surroundings(toolchain.cc[0], recipe.env)
    if recipe.interpreter:
        # A step cannot run what lives in another root, nor needs what that sees.
        python = recipe.interpreter.readable if recipe.interpreter.root is None else ()
        readable += (*recipe.interpreter.headers, *python)
    folders = (folder / "tmp", folder / "work")
    folders[0].mkdir(parents=True, exist_ok=True)
    moved = None
    if made_in and any(any(folders[1].rglob(name)) for name in _CONFIGURED):
        made_in.mkdir(parents=True, exist_ok=True)
        moved = folders[1], made_in
    box = Box(
        toolchain.root,
        (*toolchain.writable, *folders),
        (*readable, folder),
        start=made_in if moved else folders[1],
        moved=moved,
    )
    within, sandbox = around_steps(box, store.root.parent / "sandbox")
    env = {**recipe.env, "HOME": str(folder / "work"), "TMPDIR": str(folder / "tmp")}
    if recipe.toolchain.language == "cargo":
        cargo.write_wrapper(folder)
        env = {**cargo.environment(folder, within), **env}
    return env, within, sandbox


class Steps:
    """The steps under way in all threads, so that they can be ended together."""

    def __init__(self) -> None:
        self.cancelled = threading.Event()
        #: Why they were cancelled.
        self.why = "interrupted"
        self._lock = threading.Lock()
        self._running: set[int] = set()
        #: Of all steps until now: the largest process in bytes, 0 where all were smaller than this
        #: one; and the seconds that they took.
        self.peak = self.seconds = 0.0

    def run(
        self, step: str, work: Path, env: dict[str, str], out: int, within: Sequence[str] = ()
    ) -> int:
        """Run one shell line to its end; its exit status, negative for a signal. If whyfast is
        killed meanwhile, it is killed too. ``within`` are the words of a sandbox, from
        :func:`surround`. InterruptedError after :meth:`cancel`."""
        with self._lock:
            if self.cancelled.is_set():
                raise InterruptedError(self.why)
            WATCHER.start()
            began = time.monotonic()
            process = subprocess.Popen(
                [*within, "/bin/sh", "-euc", step],
                cwd=work,
                env=env,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                umask=0o022,
            )
            self._running.add(process.pid)
        # Reaped only under the lock: until then its number can mean no other process.
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        with self._lock:
            self._running.discard(process.pid)
            # Of the step and all that it has waited for. It begins with the peak of this
            # process, of which it is a part until it has loaded its program.
            before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            if usage.ru_maxrss > before:
                self.peak = max(self.peak, usage.ru_maxrss * 1024.0)
            self.seconds += time.monotonic() - began
            return process.returncode

    def cancel(self, number: signal.Signals = signal.SIGKILL, why: str = "interrupted") -> None:
        """End the process groups of all steps by that signal; no further one starts."""
        with self._lock:
            self.why = why
            self.cancelled.set()
            for pid in self._running:
                os.killpg(pid, number)

    @contextlib.contextmanager
    def limited(
        self, seconds: float, why: str, number: signal.Signals = signal.SIGKILL
    ) -> Iterator[None]:
        """Cancels them when the body has not ended after so many ``seconds``."""
        limit = threading.Timer(seconds, self.cancel, (number, why))
        if seconds < math.inf:
            limit.start()
        try:
            yield
        finally:
            limit.cancel()


@contextlib.contextmanager
def logged_steps(
    recipe: Recipe,
    folder: Path,
    store: BuildStore,
    seconds: float | None = None,
    *,
    made_in: Path | None = None,
) -> Iterator[Callable[[str], int]]:
    """Runs shell lines in ``folder / "work"`` of a build that is there, and returns their exit
    codes; what they print is added to its log. Interrupted, or after so many ``seconds`` in all, it
    ends them. ``made_in`` and CannotBuildHere are those of :func:`surround`."""
    env, within, _ = surround(recipe, folder, store, made_in)
    steps = Steps()
    # Not killed: with chroot alone the finished build is in the root by now, and has to come back.
    late = steps.limited(math.inf if seconds is None else seconds, "late", signal.SIGTERM)
    with (folder / "log.txt").open("ab") as log, late:

        def run(step: str) -> int:
            log.write(f"+ {step}\n".encode())
            log.flush()
            return steps.run(step, folder / "work", env, log.fileno(), within)

        try:
            yield run
        except KeyboardInterrupt:
            # A session of its own hears of no interrupt.
            steps.cancel(signal.SIGTERM)
            raise
