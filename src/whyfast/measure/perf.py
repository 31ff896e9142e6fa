"""What perf says of one run of a program: counters of the hardware, and where its time goes."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from whyfast.formats.profiles import PerfEvent, best, parse_perf_report, parse_perf_stat
from whyfast.measure.output import TooMuchOutput
from whyfast.measure.process import CannotCount, ToolRun, describe_status, program_names
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
    """Hardware counts of a command, which is run once for each group of events.

    With ``shorter``, in which it does less, there is a second run a group, and the counts are what
    the first did beyond it. A counter that does not work has no value and a note. Raises
    CannotCount when perf itself does not work.
    """
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


def count_events(run: ToolRun) -> dict[str, float]:
    """The first group of events in one run of a command, those that were really counted.

    Raises CannotCount when perf is not installed or the run fails.
    """
    events = _counted(run.tool("perf"), GROUPS[0], run)
    counts = {name: best(events, name) for name in GROUPS[0]}
    return {n: e.value for n, e in counts.items() if e is not None and e.value is not None}


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
