"""What perf says of runs of programs: counters of the hardware, and where their time goes.

``cpu-clock``, the timer of the kernel, works on virtual machines and for ordinary users where
hardware counters do not. One recording can hold runs of several programs in random order, because
starting perf takes longer than many programs."""

from __future__ import annotations

import os
import random
import shlex
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from whyfast.formats.profiles import (
    PerfEvent,
    SampledProcess,
    Stack,
    best,
    parse_perf_report,
    parse_perf_stat,
    parse_stacks,
)
from whyfast.measure.process import TooMuchOutput, describe_status
from whyfast.measure.tools import CannotCount, ToolRun, program_names
from whyfast.model.counters import Counter, FunctionCost, Profile

#: Events that are counted together, few enough for the counters of any processor, so that none
#: shares its counter with another. Each group is a run of its own, in user space only.
GROUPS: tuple[tuple[str, ...], ...] = (
    ("instructions", "cycles", "branches", "branch-misses"),
    ("stalled-cycles-frontend", "stalled-cycles-backend", "cycles"),
    ("L1-icache-loads", "L1-icache-load-misses"),
    ("iTLB-loads", "iTLB-load-misses"),
)

#: Shares: name → (event above, event below, unit). Both are of the same run.
SHARES = {
    "instructions per cycle": ("instructions", "cycles", "per cycle"),
    "branch miss rate": ("branch-misses", "branches", "of branches"),
    "front end stalled": ("stalled-cycles-frontend", "cycles", "of cycles"),
    "back end stalled": ("stalled-cycles-backend", "cycles", "of cycles"),
    "L1i miss rate": ("L1-icache-load-misses", "L1-icache-loads", "of L1i loads"),
    "iTLB miss rate": ("iTLB-load-misses", "iTLB-loads", "of iTLB loads"),
}

#: Fewer samples say little about any function.
FEW = 200

#: Samples a second. Not a round number, so that it does not beat with the program's own timers.
FREQUENCY = 3989


def measure_counters(run: ToolRun, shorter: ToolRun | None = None) -> list[Counter]:
    """Hardware counts of a command, which is run once for each group of events. With ``shorter``,
    in which it does less, there is a second run a group, and the counts are what the first did
    beyond it. A counter that does not work has no value and a note. Raises CannotCount when perf
    itself does not work."""
    perf = run.tool("perf")
    tool, runs = _version(run, perf), []
    for group in GROUPS:
        events = _counted(perf, group, run)
        if shorter is not None:
            less = _counted(perf, group, shorter)
            events = [_beyond(event, best(less, event.name)) for event in events]
        runs.append(events)
        if len(runs) == 1 and not any(e.value is not None for e in events):
            # Without instructions and cycles there is no counter at all.
            missing = next((e.reason for e in events), "")
            return [*_events(runs * len(GROUPS), tool, missing), *_shares(runs * len(GROUPS), tool)]
    return [*_events(runs, tool, "perf did not report it"), *_shares(runs, tool)]


def count_in_rounds(
    commands: Mapping[str, ToolRun], seed: int, rounds: int
) -> list[dict[str, dict[str, float]]]:
    """The first group of events of each command, by round, command and event. A round runs every
    command once, in random order, and is the unit of replication. Events that some run did not
    count are left out. Without counters: [], after one run."""
    rng, counted = random.Random(seed), []
    for _ in range(rounds):
        counts: dict[str, dict[str, float]] = {}
        for name in rng.sample(list(commands), len(commands)):
            try:
                perf = commands[name].tool("perf")
                events = _counted(perf, GROUPS[0], commands[name])
            except CannotCount:
                return []
            found = {event: best(events, event) for event in GROUPS[0]}
            counts[name] = {n: e.value for n, e in found.items() if e and e.value is not None}
            if not counts[name]:
                return []
        counted.append(counts)
    every = [counts for each in counted for counts in each.values()]
    everywhere = [e for e in GROUPS[0] if all(counts.get(e) for counts in every)]
    return [{n: {e: c[e] for e in everywhere} for n, c in each.items()} for each in counted]


def available(counters: Sequence[Counter]) -> bool:
    """Whether any of them has a value."""
    return any(c.value is not None for c in counters)


def sample(run: ToolRun) -> tuple[Profile, str]:
    """Run a command under ``perf record``; its profile in samples of user time, and what the
    command did wrong. Raises CannotCount."""
    perf, env = run.tool("perf"), _quiet(run)
    with tempfile.TemporaryDirectory(prefix="whyfast-") as folder:
        data = str(Path(folder, "perf.data"))
        record = [perf, "record", "-q", "-N", "-F", str(FREQUENCY), "-o", data]
        show = [perf, "report", "-i", data, "--stdio", "--no-children", "--no-demangle"]
        for event in ("cycles:u", "cpu-clock:u"):
            done = run.under(
                "perf record", [*record, "-e", event, "--", *run.enter, *run.command], env
            )
            if Path(data).exists():
                break
        report = run.under("perf report", [*show, "-F", "sample,dso,sym", "-t", ";"], env)
    if not report.whole:
        raise CannotCount(f"under perf report: {TooMuchOutput()}")
    event, samples = parse_perf_report(report.stdout)
    if not samples:
        last = done.output.strip().splitlines()[-1:]
        raise CannotCount(f"perf record took no samples{': ' + last[0] if last else ''}")
    program = program_names(*run.command)
    functions = tuple(
        FunctionCost(name, "" if object_ in program else object_, {"samples": float(n)})
        for (object_, name), n in samples.items()
    )
    total = samples.total()
    notes = [] if total >= FEW else [f"too few samples: {total}; use a longer workload"]
    failure = f"the program ended with {describe_status(done.status)}" if done.status else ""
    tool = f"perf record ({event or 'unknown event'})"
    totals = {"samples": float(total)}
    return Profile(tool, "measured", ("samples",), functions, totals, tuple(notes)), failure


def _quiet(run: ToolRun) -> dict[str, str]:
    return {**run.env, "LC_ALL": "C"}


def _version(run: ToolRun, perf: str) -> str:
    try:
        version = run.launcher.run([perf, "--version"], env=_quiet(run), timeout=30).stdout.strip()
    except OSError:
        version = ""
    return version.replace(" version", "") or os.path.basename(perf)


def _counted(perf: str, group: Sequence[str], run: ToolRun) -> list[PerfEvent]:
    events = ",".join(f"{event}:u" for event in group)
    # Versions before 5.19 do not know -j, and print fields with a separator instead.
    for form in (["-j"], ["-x", ";"]):
        with tempfile.TemporaryDirectory(prefix="whyfast-") as folder:
            out = Path(folder, "counts")
            stat = [perf, "stat", *form, "-o", str(out), "-e", events, "--"]
            done = run.under("perf stat", [*stat, *run.enter, *run.command], _quiet(run))
            counts = parse_perf_stat(out.read_text(errors="replace")) if out.exists() else []
        if counts:
            return counts
    lines = done.output.strip().splitlines()
    reason = f"{describe_status(done.status)}{': ' + lines[0].strip() if lines else ''}"
    raise CannotCount(f"perf stat counted nothing ({reason})")


def _beyond(event: PerfEvent, less: PerfEvent | None) -> PerfEvent:
    """What an event counted beyond a shorter run; without a value where that is not known."""
    if event.value is None:
        return event
    if less is None or less.value is None or less.pmu != event.pmu:
        why = "not counted in the run of start-up alone" if less is None else less.reason
        return replace(event, value=None, reason=why or "counted on unlike cores")
    if event.value <= less.value:
        return replace(event, value=None, reason="no more than in start-up alone")
    return replace(event, value=event.value - less.value)


def _events(runs: Sequence[Sequence[PerfEvent]], tool: str, missing: str) -> Iterator[Counter]:
    seen = set()
    for group, run in zip(GROUPS, runs, strict=True):
        for name in group:
            if name in seen:
                continue
            seen.add(name)
            event = best(list(run), name)
            value = None if event is None else event.value
            note = missing if event is None else event.reason
            yield Counter(name, value, "events", "measured", tool, note)


def _shares(runs: Sequence[Sequence[PerfEvent]], tool: str) -> Iterator[Counter]:
    for name, (above, below, unit) in SHARES.items():
        place = next(i for i, group in enumerate(GROUPS) if above in group and below in group)
        run = list(runs[place])
        a, b = best(run, above), best(run, below)
        if a and b and a.value is not None and b.value is not None and a.pmu == b.pmu:
            yield Counter(name, a.value / b.value, unit, "measured", tool)
        else:
            missing = [n for n, e in ((above, a), (below, b)) if e is None or e.value is None]
            note = f"without {' and '.join(missing)}" if missing else "counted on unlike cores"
            yield Counter(name, None, unit, "measured", tool, note)


#: The same, and bytes of stack each, where callers are found by unwinding.
STACK_FREQUENCY, STACK_BYTES = 997, 16384

#: Functions of a stack that are read, from the innermost outwards.
DEEPEST = 64

INSTALL = "install it (Debian: linux-perf; Ubuntu: linux-tools-generic)"
_FORBIDDEN = "perf may not sample here; allow it with: sudo sysctl kernel.perf_event_paranoid=2"
_FIELDS = "pid,tid,time,period,ip,sym,symoff,dso"
_PARANOID = Path("/proc/sys/kernel/perf_event_paranoid")


@dataclass(frozen=True)
class SampledRun:
    """One run of ``side``: seconds of user time by stack, over all of its processes; ``status`` is
    its exit code, -1 where it is unknown."""

    side: str
    stacks: Mapping[Stack, float]
    samples: int = 0
    status: int = 0

    @property
    def seconds(self) -> float:
        return sum(self.stacks.values())


def sample_in_turns(
    commands: Mapping[str, Sequence[str]],
    rounds: int,
    around: ToolRun,
    *,
    seed: int,
    stdin: str = os.devnull,
    callers: bool = False,
    faults: int = 0,
) -> list[SampledRun]:
    """Run every command once a round, in random order, and sample its user time, or every so many
    ``faults`` of pages. With ``callers`` stacks are unwound by debug information, at a lower
    frequency; else they are those of frame pointers, of which only the innermost function is
    certain. ``around`` has the environment, and the limit in seconds for all of it. Raises
    CannotCount where perf is missing, may not sample or fails."""
    perf, env = around.tool("perf", INSTALL), around.env
    rng, names = random.Random(seed), list(commands)
    order = [name for _ in range(rounds) for name in rng.sample(names, len(names))]
    quiet = {**env, "LC_ALL": "C", "DEBUGINFOD_URLS": ""}
    with tempfile.TemporaryDirectory(prefix="whyfast-") as folder:
        data, script, statuses = (str(Path(folder, n)) for n in ("data", "runs", "status"))
        Path(script).write_text(_script([commands[n] for n in order], stdin, statuses, env))
        graph = f"dwarf,{STACK_BYTES}" if callers else "fp"
        event = ["cpu-clock:u", "-F", str(STACK_FREQUENCY if callers else FREQUENCY)]
        event = ["page-faults:u", "-c", str(faults)] if faults else event
        record = [perf, "record", "-q", "-N", "--no-bpf-event", "-e", *event]
        record += ["--call-graph", graph, "-o", data, "--", "sh", script]
        show = [perf, "script", "-i", data, "--no-inline", "--no-demangle", "--show-task-events"]
        done = around.under("perf", record, quiet)
        if not Path(data).exists():
            raise CannotCount(_why(done.output))
        # Into a file: the stacks of one second of a large program are 20 MB of text.
        into = ["sh", "-c", 'exec "$@" >"$0"', str(printed := Path(folder, "stacks"))]
        around.under("perf", [*into, *show, "-F", _FIELDS, "--max-stack", str(DEEPEST)], quiet)
        with printed.open(encoding="utf-8", errors="replace") as lines:
            processes = parse_stacks(lines)
        ended = Path(statuses).read_text().split() if Path(statuses).exists() else []
    runs = _runs(order, processes, ended)
    if not any(run.samples for run in runs):
        raise CannotCount("perf took no samples: the programs use too little user time")
    return runs


def _script(
    runs: Sequence[Sequence[str]], stdin: str, statuses: str, env: Mapping[str, str]
) -> str:
    """A shell script: the runs in their order, each with its exit status on a line of a file. The
    environment is perf's, with what was changed for perf changed back."""
    kept = [f"export {k}={shlex.quote(env[k])}" for k in ("LC_ALL", "DEBUGINFOD_URLS") if k in env]
    gone = [f"unset {k}" for k in ("LC_ALL", "DEBUGINFOD_URLS") if k not in env]
    quiet = f"<{shlex.quote(stdin)} >/dev/null 2>&1; echo $? >>{shlex.quote(statuses)}"
    lines = [f"{shlex.join(argv)} {quiet}" for argv in runs]
    return "\n".join([*kept, *gone, *lines, "exit 0", ""])


def _why(printed: str) -> str:
    try:
        strict = int(_PARANOID.read_text()) > 2 and os.geteuid() != 0
    except (OSError, ValueError):
        strict = False
    lines = [n for n in printed.splitlines() if n.strip() not in ("", "Error:")]
    if strict or "paranoid" in printed or "ermission" in printed:
        return _FORBIDDEN
    return f"perf record failed{': ' + lines[0].strip() if lines else ''}"


def _runs(
    order: Sequence[str], processes: Mapping[int, SampledProcess], statuses: Sequence[str]
) -> list[SampledRun]:
    """The n-th child of the shell is the n-th run, with all of its descendants."""
    children: defaultdict[int, list[SampledProcess]] = defaultdict(list)
    for process in processes.values():
        children[process.parent].append(process)
    shell = next((p.pid for p in processes.values() if not p.parent and p.pid > 0), 0)
    runs = []
    for number, (side, first) in enumerate(zip(order, children[shell], strict=False)):
        stacks: defaultdict[Stack, float] = defaultdict(float)
        family = [first]
        for process in family:
            family += children[process.pid]
            for stack, nanoseconds in process.stacks.items():
                stacks[stack] += nanoseconds
        status = int(statuses[number]) if number < len(statuses) else -1
        seconds = {stack: nanoseconds / 1e9 for stack, nanoseconds in stacks.items()}
        runs.append(SampledRun(side, seconds, sum(p.samples for p in family), status))
    return runs
