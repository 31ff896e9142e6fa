"""Why a project does not build, in one sentence that says what to do, for ``whyfast new`` and
``whyfast check``."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from whyfast.build.revisions import Range, export, lacking_submodules
from whyfast.build.steps import TOO_OLD, too_old
from whyfast.formats.input import opened
from whyfast.investigate.context import RunContext
from whyfast.investigate.counting import scratch_folder
from whyfast.investigate.first_tries import TROUBLE
from whyfast.investigate.services import Observer
from whyfast.model.build import Build, BuildFailure
from whyfast.model.errors import UserError
from whyfast.model.study import Source, Study
from whyfast.study.project import Project
from whyfast.toolchain import run

#: What stands between a reason and the place of its log.
_LOG = "; its log is "

#: What CMake, Meson, pkg-config, configure and linkers say of a package that is not there.
_PACKAGE = re.compile(
    r"""configuration\s+file\s+provided\s+by\s+"(?P<config>[\w.+-]+)"
    |Could\s+NOT\s+find\s+(?P<find>[\w.+-]+)
    |ERROR:\s+Dependency\s+"(?P<meson>[\w.+-]+)".*\s+not\s+found
    |fallback\s+subproject\s+for\s+the\s+dependency\s+(?P<wrap>[\w.+-]+)\s+\S+\s+ERROR:\s+Automatic
    |No\s+package\s+'(?P<pkg>[\w.+-]+)'\s+found
    |cannot\s+find\s+-l(?P<lib>[\w.+-]+)""",
    re.VERBOSE,
)

#: What Meson says of a program that is not there; in the words of a project it may be anything.
_PROGRAM = re.compile(
    r"ERROR: Program '(?P<name>[\w.+-]+)'[^\n]* not found"
    r"|ERROR: Problem encountered: (?P<told>[\w.+-]+) is required"
)

#: Where packages put headers.
SYSTEM_HEADERS = Path("/usr/include")

#: A header of a library, in a folder of its name or with a name that begins with it.
_HEADER = re.compile(r"fatal error: (([\w.+-]+)/[\w./+-]+|(([\w+-]+?)(?:_\w+)?)\.h): No such file")

#: What tools say that download while a build has no network.
_DOWNLOAD = re.compile(
    r"Could not resolve host|Temporary failure in name resolution|populate-gitclone|"
    r"Failed to download|unable to access 'https?:|"
    r"(?m:^(?:curl|wget) [^\n]*https?:)"  # as make writes what it runs; both can be silent
)

#: Where CMake or make name it.
_DOWNLOADED = re.compile(
    r"(?P<cmake>[\w.+-]+?)-populate|^(?:curl|wget) [^\n]*?(?P<make>https?://\S+)", re.MULTILINE
)

#: What cargo and go say where a build lacks packages that were never downloaded, and the command
#: that downloads those of a folder.
_MISSING = (
    (re.compile(r"you're using offline mode|but --offline was specified"), "cargo fetch"),
    (re.compile(r"disabled by GOPROXY=off|\.lock: read-only file system"), "go mod download"),
)

#: A reason that names a tool, and bytes of a log that are read.
_TOOL, _MOST_LOG = re.compile(r"([\w.+-]+) is not installed, and"), 1_000_000

#: Seconds that a download may take.
FETCHING = 600.0

#: Names of Debian packages that are named, at most; seconds to look them up.
_NAMED, _LOOK_UP = 3, 20.0


def lacks_tool(failure: BuildFailure) -> bool:
    """Whether another way to build would lack the same tool."""
    return bool(_TOOL.match(failure.reason))


def advice(folder: Path, project: Project, failure: BuildFailure | str) -> tuple[str, bool]:
    """The cause and whether it is something that is not here, with the command that brings it where
    that is known; else the failing step with the compiler's error and the log."""
    if not isinstance(failure, str):
        if TOO_OLD.match(failure.reason):
            return failure.reason.partition(" (step: ")[0], True
        if tool := _TOOL.match(failure.reason):
            return f"{tool[1]} is not installed{_of_debian(f'^{re.escape(tool[1])}$')}", True
    log = _text(failure.log) if not isinstance(failure, str) and failure.log else ""
    download = _DOWNLOAD.search(log)
    absent = lacking_submodules(folder)
    # One for tests alone may be absent, too.
    if absent and (not download or any(path in log for path in absent)):
        return f"submodules are not checked out{to_check_out(absent)}", True
    if isinstance(failure, str):
        return failure, False
    program = _PROGRAM.search(log)
    if program and not shutil.which(name := program["name"] or program["told"]):
        return f"{name} is not installed{_of_debian(f'^{re.escape(name)}$')}", True
    if package := _PACKAGE.search(log):
        name = next(n for n in package.groups() if n)
        return f"the package {name} is not installed{_development(name)}", True
    header = _HEADER.search(log)
    if header and not any(True for _ in folder.rglob(header[2] or header[1])):
        if there := next(SYSTEM_HEADERS.rglob(header[1]), None):
            path = there.parents[header[1].count("/")]
            return (
                f"its steps look for {header[1]} elsewhere: add -I{path} in [build]",
                False,
            )
        packages = _development(header[2] or header[3]) or _development(header[4] or "")
        # What no package is named after may be made by a step that was left out.
        if header[2] or packages:
            return f"{header[1]} is not installed{packages}", True
    if download:
        return f"{_downloading(log)}{_LOG}{failure.log}", False
    reason = f"{failure.reason}{_LOG}{failure.log}" if failure.log else failure.reason
    if project.install:
        reason += f"; where it lacks modules or has older ones: {project.install}"
    return reason, False


def _downloading(log: str) -> str:
    name = _DOWNLOADED.search(log)
    what = (name["cmake"] or name["make"]) if name else "something"
    return (
        f"it downloads {what} while it builds, and builds have no network: install that, or switch "
        "it off in [build] steps"
    )


def to_check_out(absent: Sequence[str]) -> str:
    """Some of the submodules that are not there, and what brings them."""
    return f" ({', '.join(absent[:_NAMED])}): git submodule update --init --recursive"


def fetched_for(context: RunContext[Study], change: Range, source: Source) -> bool:
    """Whether a side, of that repository, lacks packages that were never downloaded, and now they
    are: those of another revision may be older than what a checkout needs. UserError where the
    download fails."""
    commits, done = {"base": change.base, "head": change.head}, False
    for outcome in context.builds:
        command = _missing(outcome) if isinstance(outcome, BuildFailure) else ""
        if not command:
            continue
        commit = commits[outcome.variant]
        # In a copy, as cargo writes a lock file where there is none.
        with scratch_folder(context.home) as copy:
            export(source.folder, commit, copy / "source")
            place = copy / "source" / source.inner
            if reason := fetched(place, command.split(), context.observer, FETCHING):
                side = f"{outcome.variant} ({commit[:10]})"
                raise UserError(f"{side} needs packages that are not here: {reason}")
        done = True
    return done


def _missing(failure: BuildFailure) -> str:
    """The command that downloads what the build lacks; empty where it is nothing of that kind."""
    text = _text(failure.log) if failure.log else ""
    return next((command for said, command in _MISSING if said.search(text)), "")


def built(context: RunContext[Study], change: Range, limit: float) -> RunContext[Study]:
    """The context, when base and head have been built; UserError names the side and its log."""
    names = {"base": (change.base_name, change.base), "head": (change.head_name, change.head)}
    for outcome in context.builds:
        if isinstance(outcome, Build):
            continue
        name, commit = names[outcome.variant]
        log = f"{_LOG}{outcome.log}" if outcome.log else ""
        side = f"{outcome.variant} ({name}, {commit[:10]})"
        if outcome.kind == "late":
            kept = "what was built is kept; " if context.usable else ""
            raise UserError(
                f"{side} is not built: {outcome.reason}; {kept}give it longer: "
                f'--build-limit {2 * limit:.0f}s, or takes = "…" in [build] of the study{log}'
            )
        if fetch := _missing(outcome):
            inner = context.question.source.inner
            place = f"../whyfast-{commit[:10]}"
            raise UserError(
                f"{side} does not build: packages that it needs were never downloaded; once: "
                f"git worktree add {place} {commit[:10]} && (cd {place}/{inner} && {fetch}){log}"
            )
        said = _text(outcome.log) if outcome.log else ""
        reason = _downloading(said) if _DOWNLOAD.search(said) else outcome.reason
        raise UserError(f"{side} does not build: {reason}{log}")
    return context


def fetched(folder: Path, words: Sequence[str], observer: Observer, most: float) -> str:
    """Runs the command, whose network builds do not have, for so many seconds; why it failed, empty
    when it did not."""
    command = " ".join(words)
    observer.step(f"fetching what the project needs, for {most:.0f} s at most: {command}")
    try:
        done = run(words, timeout=most, env=os.environ, folder=folder)
    except FileNotFoundError:
        return f"{words[0]} is not installed; install it, then: {command}"
    except subprocess.TimeoutExpired:
        return f"`{command}` did not end within {most:.0f} s; run it by hand"
    if not done.returncode:
        return ""
    if reason := too_old(done.stderr):
        return reason
    # Maven writes its errors to the one, and to the other what resets colours.
    text = re.sub(r"\x1b\[[\d;]*m", "", f"{done.stderr}\n{done.stdout}").strip()
    lines = text.splitlines() or ["no message"]
    # A warning may be of what was tried again; the error says what it was for.
    told = (line for line in lines if TROUBLE.search(line) and not line.startswith("warning:"))
    reason = next(told, lines[-1])
    return f"`{command}` failed: {reason}"


def portable(reason: str) -> str:
    """Without the place of the log, for a file that others read, too."""
    return reason.partition(_LOG)[0]


def _development(name: str) -> str:
    """The same for what is needed to build with a library."""
    return _of_debian(f"^(lib)?{re.escape(name.lower())}[0-9.-]*g?-dev$") if name else ""


def _of_debian(pattern: str) -> str:
    """The command that installs the packages of those names; empty where none is known here."""
    apt = shutil.which("apt-cache")
    if apt is None:
        return ""
    try:
        found = subprocess.run(
            (apt, "search", "--names-only", pattern),
            capture_output=True,
            text=True,
            timeout=_LOOK_UP,
            check=False,
        ).stdout
    except (OSError, subprocess.TimeoutExpired):
        return ""
    names = sorted((line.split()[0] for line in found.splitlines() if line.strip()), key=len)
    return f": apt-get install {names[0]}" if names else ""


def _text(log: Path) -> str:
    try:
        with opened(log) as file:
            return file.read(_MOST_LOG).decode("utf-8", "replace")
    except UserError:
        return ""
