"""Counts and profiles from Valgrind's model of a processor: exact, repeatable, and no measurement.

Address randomisation and hash seeds are fixed, so that two runs of a deterministic program give
identical counts."""

from __future__ import annotations

import os
import re
import signal
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from whyfast.formats.profiles import (
    DamagedProfile,
    SimulatedProfile,
    parse_cachegrind,
    parse_callgrind,
)
from whyfast.measure.doctor import System, number
from whyfast.measure.process import describe_status
from whyfast.measure.tools import (
    CannotCount,
    Finished,
    Launcher,
    ToolRun,
    program_names,
    runs_another,
)
from whyfast.model.counters import Counter, FunctionCost, Profile
from whyfast.model.errors import CannotBuildHere
from whyfast.store.home import Home
from whyfast.toolchain.debian import (
    VALGRIND_VERSION,
    newer_valgrind,
    tool_words,
    valgrind_root,
    version_of,
)

_CACHES = "sys/devices/system/cpu/cpu0/cache/index*"
_UNITS = {"K": 1024, "M": 1024**2, "G": 1024**3}


@dataclass(frozen=True)
class Cache:
    """One cache: ``size`` and ``line`` in bytes, ``ways`` lines in each of ``sets`` sets."""

    name: str
    size: int
    ways: int
    line: int

    @property
    def sets(self) -> int:
        return self.size // (self.ways * self.line)


@dataclass(frozen=True)
class Geometry:
    """The first-level caches and the last level; None for what the kernel does not tell."""

    l1i: Cache | None = None
    l1d: Cache | None = None
    last: Cache | None = None


def read_geometry(system: System, levels: int = 9) -> Geometry:
    """The caches of CPU 0 up to a number of levels, from /sys."""
    first: dict[str, Cache] = {}
    last, last_level = None, 1
    for folder in system.names(_CACHES):
        kind = system.read(f"{folder}/type")
        level = number(system.read(f"{folder}/level"))
        size = _size(system.read(f"{folder}/size"))
        ways = number(system.read(f"{folder}/ways_of_associativity"))
        line = number(system.read(f"{folder}/coherency_line_size"))
        if kind is None or not level or not size or not line:
            continue
        # 0 ways: fully associative, or not known
        cache = Cache(f"L{level}{_LETTERS.get(kind, '')}", size, ways or size // line, line)
        if level == 1:
            first[kind] = cache
        elif kind != "Instruction" and last_level <= level <= levels:
            last, last_level = cache, level
    both = first.get("Unified")
    return Geometry(first.get("Instruction", both), first.get("Data", both), last)


_LETTERS = {"Instruction": "i", "Data": "d"}


def _size(text: str | None) -> int | None:
    if not text:
        return None
    unit = _UNITS.get(text[-1].upper(), 0)
    value = number(text[:-1] if unit else text)
    return value * (unit or 1) if value else None


def simulable(cache: Cache) -> tuple[Cache, str]:
    """The nearest cache that Valgrind accepts, and a note when it is another one. Valgrind wants
    powers of two for the bytes of a line, at least 16, and for the number of sets. The sets are
    rounded down and the ways made more, which keeps the size as far as whole ways allow."""
    line = max(16, _power_below(cache.line))
    sets = _power_below(max(1, cache.size // (cache.ways * line)))
    ways = max(1, cache.size // (sets * line))
    if ways == 1 and sets == 1:  # it must hold more than one line
        sets = 2
    made = replace(cache, size=sets * ways * line, ways=ways, line=line)
    if made == cache:
        return made, ""
    return made, (
        f"{cache.name} is simulated with {made.sets} sets of {made.ways} ways "
        f"({made.size // 1024} KiB) instead of {cache.sets} of {cache.ways} "
        f"({cache.size // 1024} KiB)"
    )


def valgrind_options(geometry: Geometry | None) -> tuple[list[str], list[str]]:
    """(options, notes) for Cachegrind and Callgrind, without misses of caches and branches where no
    ``geometry`` is given: that takes less than half of the time."""
    if geometry is None:
        return ["--cache-sim=no", "--branch-sim=no"], []
    options = ["--cache-sim=yes", "--branch-sim=yes"]
    notes: list[str] = []
    for option, cache in (("I1", geometry.l1i), ("D1", geometry.l1d), ("LL", geometry.last)):
        if cache is None:
            notes.append(f"the {_NAMES[option]} of this machine is not known: a guess is simulated")
            continue
        made, note = simulable(cache)
        options.append(f"--{option}={made.size},{made.ways},{made.line}")
        if note:
            notes.append(note)
    return options, notes


_NAMES = {
    "I1": "first-level instruction cache",
    "D1": "first-level data cache",
    "LL": "last-level cache",
}


def _power_below(n: int) -> int:
    return 1 << (max(n, 1).bit_length() - 1)


Simulator = Literal["callgrind", "cachegrind"]

_PARSERS = {"callgrind": parse_callgrind, "cachegrind": parse_cachegrind}
_UNREADABLE_DEBUG_INFO = re.compile(
    r"unhandled dwarf|debuginfo reader|error when reading debug info|DW_FORM|DWARF\d? reader", re.I
)
_UNKNOWN_INSTRUCTION = re.compile(r"unhandled instruction|unrecognised instruction", re.I)
#: Share of the instructions in functions without a name from which the profile is of little use.
_NAMELESS = 0.2


@dataclass(frozen=True)
class Valgrind:
    """One that can be started: ``words`` maps a tool to the words that start it, ``env`` is what
    they need beside the program's own environment, ``version`` as it calls itself."""

    version: str
    words: Mapping[str, tuple[str, ...]]
    env: Mapping[str, str] = field(default_factory=dict)


def own_valgrind(launcher: Launcher, env: Mapping[str, str]) -> Valgrind:
    """The machine's own. Raises CannotCount."""
    program = launcher.find("valgrind")
    if program is None:
        raise CannotCount("valgrind is not installed")
    try:
        done = launcher.run([program, "--version"], env=fixed_environment(env), timeout=30)
    except OSError as error:
        raise CannotCount(f"valgrind could not be started: {error}") from None
    version = done.stdout.strip() or "valgrind"
    tools = (*_PARSERS, "dhat")
    return Valgrind(version, {tool: (program, f"--tool={tool}") for tool in tools})


def choose_valgrind(
    launcher: Launcher,
    env: Mapping[str, str],
    home: Home,
    *,
    rooted: bool,
    note: Callable[[str], None],
    newer: Callable[[Home, Callable[[str], None]], Path] = newer_valgrind,
) -> Valgrind:
    """The machine's own; Debian's newer one where that is missing, or programs run in roots.
    ``rooted``: some programs run in the root of a toolchain, where the machine's own is not seen.
    The newer one is taken, too, where it is there already and the machine's is older. ``newer``
    brings it. Raises CannotCount with the reasons against both."""
    why = ""
    try:
        local = own_valgrind(launcher, env)
    except CannotCount as error:
        local, why = None, str(error)
    there = (valgrind_root(home).parent / "digest").exists()
    older = local is None or version_of(local.version) < VALGRIND_VERSION
    if local and not rooted and not (there and older):
        return local
    try:
        return _from_root(newer(home, note), launcher, env)
    except CannotBuildHere as error:
        if local and not rooted:
            return local
        reason = why or f"{local.version if local else ''} of this machine is not seen in its root"
        raise CannotCount(f"{reason}; and a newer one is not available: {error}") from None


def _from_root(root: Path, launcher: Launcher, env: Mapping[str, str]) -> Valgrind:
    """Debian's Valgrind, from the files of its root. CannotBuildHere when it does not start."""
    words, more = tool_words(root, "callgrind")
    try:
        version = launcher.run(
            [*words, "--version"], env={**env, **more}, timeout=30
        ).stdout.strip()
    except OSError as error:
        raise CannotBuildHere(f"Valgrind in {root} does not start: {error}") from None
    if version_of(version) == (0, 0):
        raise CannotBuildHere(f"Valgrind in {root} does not start")
    dhat, _ = tool_words(root, "dhat")
    return Valgrind(version, {"callgrind": tuple(words), "dhat": tuple(dhat)}, more)


def simulate(
    run: ToolRun,
    geometry: Geometry | None,
    *,
    tool: Simulator = "callgrind",
    valgrind: Valgrind | None = None,
) -> tuple[Profile, str]:
    """Run a command under Valgrind; returns its profile, without misses where no ``geometry`` is
    given, and what the command itself did wrong. The run takes 20 to 100 times as long as the
    command alone. ``valgrind`` is the machine's own by default. Raises CannotCount."""
    valgrind = valgrind or own_valgrind(run.launcher, run.env)
    version, held = valgrind.version, held_fixed(run)
    options, notes = valgrind_options(geometry)
    if held.enter == run.enter:
        notes.append(
            "address randomisation could not be switched off: counts may differ between runs"
        )
    if tool == "callgrind":
        options.append("--dump-line=no")
    if runs_another(run.command):
        options.append("--trace-children=yes")
    with run.folder() as folder:
        out = f"--{tool}-out-file={folder}/profile.%p"
        done, logs = under_valgrind(held, valgrind, tool, folder, "--demangle=no", *options, out)
        printed = "".join(logs)
        text, children = _main_profile(folder, printed, run.command)
    if not text.strip():
        last = (printed.strip() or done.output.strip()).splitlines()[-1:]
        raise CannotCount(
            f"{version} wrote no profile ({describe_status(done.status)}"
            f"{': ' + last[0] if last else ''})"
        )
    try:
        parsed = _PARSERS[tool](text)
    except DamagedProfile as error:
        raise CannotCount(f"the profile of {version} cannot be read: {error}") from None
    if not parsed.costs:
        raise CannotCount(f"the profile of {version} has no function in it: it is cut short")
    profile = _profile(parsed, f"{tool} of {version}", program_names(*run.command))
    notes.extend(_names_missing(profile, printed, version))
    if children:
        notes.append(f"child processes are not counted: {children}")
    failure = f"the program ended with {describe_status(done.status)}" if done.status else ""
    return replace(profile, notes=tuple(notes)), failure


def held_fixed(run: ToolRun) -> ToolRun:
    """The run with what would make it differ from the next one held fixed."""
    env = fixed_environment(run.env)
    return replace(run, env=env, enter=(*fixed_addresses(run.launcher, env), *run.enter))


def under_valgrind(
    run: ToolRun, valgrind: Valgrind, tool: str, folder: str, *options: str
) -> tuple[Finished, list[str]]:
    """How a run under a tool ended, and the logs of its processes, that of the program itself
    first. CannotCount also where the program was ended for an instruction that Valgrind does not
    know; some programs try one and go on without it."""
    argv = [
        *(*run.enter, *valgrind.words[tool], "--command-line-only=yes", "--vgdb=no"),
        *(f"--log-file={folder}/log.%p", *options, *run.command),
    ]
    done = run.under(valgrind.version, argv, {**run.env, **valgrind.env})
    logs = [p.read_text(errors="replace") for p in written(folder, "log")]
    if done.status == -signal.SIGILL and any(map(_UNKNOWN_INSTRUCTION.search, logs)):
        raise CannotCount(
            f"{valgrind.version} does not know an instruction of this program; build it for an "
            "older processor (-march=x86-64-v3) or use a newer Valgrind"
        )
    return done, logs


def written(folder: str, kind: str) -> list[Path]:
    """The files of that kind, one a process, in the order of their numbers."""
    return sorted(Path(folder).glob(f"{kind}.*"), key=lambda p: (len(p.name), p.name))


def simulated_counters(profile: Profile) -> list[Counter]:
    """The totals of a simulated profile under names like those of the hardware's events."""
    t = profile.totals
    sums = {
        "instructions": ("Ir",),
        "branches": ("Bc", "Bi"),
        "branch-misses": ("Bcm", "Bim"),
        "indirect branches": ("Bi",),
        "indirect branch misses": ("Bim",),
        "L1i misses": ("I1mr",),
        "last-level instruction misses": ("ILmr",),
        "L1d accesses": ("Dr", "Dw"),
        "L1d misses": ("D1mr", "D1mw"),
        "last-level data misses": ("DLmr", "DLmw"),
    }
    shares = {
        "branch miss rate": ("branch-misses", "branches", "of branches"),
        "indirect branch miss rate": (
            "indirect branch misses",
            "indirect branches",
            "of indirect branches",
        ),
        "L1i miss rate": ("L1i misses", "instructions", "of instructions"),
        "L1d miss rate": ("L1d misses", "L1d accesses", "of L1d accesses"),
    }
    counts = {
        name: sum(t[event] for event in events)
        for name, events in sums.items()
        if all(event in t for event in events)
    }
    made = [Counter(n, v, "events", "simulated", profile.tool) for n, v in counts.items()]
    for name, (above, below, unit) in shares.items():
        if above in counts and counts.get(below):
            share = counts[above] / counts[below]
            made.append(Counter(name, share, unit, "simulated", profile.tool))
    return made


#: What glibc copies or clears by one instruction (``rep stosb``, from 2 kB) Valgrind executes byte
#: by byte, some fifty times as long as its loops for other processors. The comma at the end is not
#: for the eye: without it glibc 2.36 reads on behind the value, as far as 16 random bytes above the
#: environment, and so executes some instructions more or less in one run of fifteen.
LOOPS = "glibc.cpu.hwcaps=-ERMS,"


def fixed_environment(env: Mapping[str, str]) -> dict[str, str]:
    """``env`` without what would make two runs differ, or end programs under Valgrind, and with
    loops where glibc has string instructions. Go's scheduler interrupts its own threads by signals
    every 10 ms, at which Valgrind 3.19 ends with an assertion of its own; without these, goroutines
    are switched at calls. Valgrind runs one thread at a time, and idle threads of that scheduler
    can spin in it without end: it is given one processor."""
    dropped = ("VALGRIND_OPTS", "DEBUGINFOD_URLS")
    kept = {k: v for k, v in env.items() if k not in dropped}
    go = ",".join(filter(None, [env.get("GODEBUG"), "asyncpreemptoff=1"]))
    fixed = {"PYTHONHASHSEED": "0", "LC_ALL": "C", "GODEBUG": go, "GOMAXPROCS": "1"}
    tunables = env.get("GLIBC_TUNABLES", "")
    if "glibc.cpu.hwcaps" not in tunables:
        fixed["GLIBC_TUNABLES"] = ":".join(filter(None, [tunables, LOOPS]))
    return {**kept, **fixed}


def fixed_addresses(launcher: Launcher, env: Mapping[str, str]) -> list[str]:
    """The command before a command that gives it the same addresses in every run; empty where
    that is not possible, as in many containers."""
    setarch = launcher.find("setarch")
    if setarch is None:
        return []
    try:
        allowed = launcher.run([setarch, "-R", "true"], env=env, timeout=10).status == 0
    except OSError:  # TimeoutError is one, too
        return []
    return [setarch, "-R"] if allowed else []


def _main_profile(folder: str, printed: str, command: Sequence[str]) -> tuple[str, int]:
    """(the profile of the program itself, how many forked processes wrote one, too). A shell in
    front of it may run others beside it."""
    profiles = written(folder, "profile")
    if runs_another(command):
        words = tuple(f"{word} " for word in command[1:])
        if ours := [p for p in profiles if _command_of(p).startswith(words)]:
            return ours[0].read_text(errors="replace"), len(ours) - 1
    first = re.search(r"==(\d+)==", printed)
    for path in profiles:
        if len(profiles) == 1 or (first and path.suffix == f".{first[1]}"):
            return path.read_text(errors="replace"), len(profiles) - 1
    return "", 0


#: What a profile says that ran, near its begin.
_COMMAND = re.compile(r"(?m)^cmd:[ \t]*(.*)$")


def _command_of(profile: Path) -> str:
    with profile.open(errors="replace") as file:
        found = _COMMAND.search(file.read(10_000))
    return f"{found[1]} " if found else ""


def _profile(parsed: SimulatedProfile, tool: str, program: set[str]) -> Profile:
    def costs(counts: Sequence[int]) -> dict[str, float]:
        return dict(zip(parsed.events, map(float, counts), strict=True))

    functions = []
    for (path, name), counts in parsed.costs.items():
        object_ = os.path.basename(path)
        functions.append(FunctionCost(name, "" if object_ in program else object_, costs(counts)))
    sums = parsed.totals or [sum(column) for column in zip(*parsed.costs.values(), strict=True)]
    return Profile(tool, "simulated", parsed.events, tuple(functions), costs(sums))


def _names_missing(profile: Profile, printed: str, version: str) -> list[str]:
    total = profile.totals.get(profile.main, 0)
    nameless = sum(
        f.costs[profile.main]
        for f in profile.functions
        if f.name.startswith(("???", "0x")) and not f.object
    )
    notes = []
    if _UNREADABLE_DEBUG_INFO.search(printed):
        notes.append(
            f"{version} cannot read this program's debug information, which a newer compiler "
            "wrote: counts are right, names of functions may be missing; build with -gdwarf-4, "
            "strip it with objcopy --strip-debug, or use a newer Valgrind"
        )
    elif total and nameless / total > _NAMELESS:
        notes.append(
            f"{nameless / total * 100:.0f} % of the instructions are in functions without a name; "
            "is the program stripped?"
        )
    return notes
