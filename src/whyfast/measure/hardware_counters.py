"""Counters of one run of a program: from the hardware where it can, from a simulation where not."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from whyfast.formats.perf_stat import PerfEvent, best, parse_perf_stat
from whyfast.measure.process import describe_status
from whyfast.measure.tool_run import CannotCount, ToolRun
from whyfast.model.counters import Counter, Profile

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


def measure_counters(run: ToolRun, shorter: ToolRun | None = None) -> list[Counter]:
    """Hardware counts of a command, which is run once for each group of events.

    With ``shorter``, in which it does less, there is a second run a group, and the counts are what
    the first did beyond it. A counter that does not work has no value and a note. Raises
    CannotCount when perf itself does not work.
    """
    perf = run.launcher.find("perf")
    if perf is None:
        raise CannotCount("perf is not installed")
    tool = _version(run, perf)
    runs = []
    for group in GROUPS:
        runs.append(_counted(perf, group, run))
        if shorter is not None:
            less = _counted(perf, group, shorter)
            runs[-1] = [_beyond(event, best(less, event.name)) for event in runs[-1]]
        if len(runs) == 1 and not any(e.value is not None for e in runs[0]):
            # Without instructions and cycles there is no counter at all.
            reason = next((e.reason for e in runs[0]), "")
            return _counters([runs[0]] * len(GROUPS), tool, reason)
    return _counters(runs, tool)


def count_events(run: ToolRun) -> dict[str, float]:
    """The first group of events in one run of a command, those that were really counted.

    Empty where perf is not installed or the machine has no counters. Raises CannotCount when the
    run itself fails.
    """
    perf = run.launcher.find("perf")
    if perf is None:
        return {}
    events = _counted(perf, GROUPS[0], run)
    found = {name: best(events, name) for name in GROUPS[0]}
    return {n: e.value for n, e in found.items() if e is not None and e.value is not None}


def available(counters: Sequence[Counter]) -> bool:
    """Whether any of them has a value."""
    return any(c.value is not None for c in counters)


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


def _counted(perf: str, group: Sequence[str], run: ToolRun) -> list[PerfEvent]:
    events = ",".join(f"{event}:u" for event in group)
    said = ""
    # Versions before 5.19 do not know -j, and print fields with a separator instead.
    for form in (["-j"], ["-x", ";"]):
        with tempfile.TemporaryDirectory(prefix="whyfast-") as folder:
            out = Path(folder, "counts")
            stat = [perf, "stat", *form, "-o", str(out), "-e", events, "--"]
            try:
                done = run.launcher.run(
                    [*stat, *run.enter, *run.command], env=_quiet(run), timeout=run.timeout
                )
            except TimeoutError as error:
                raise CannotCount(f"under perf stat: {error}") from None
            except OSError as error:
                raise CannotCount(f"perf could not be started: {error}") from None
            found = parse_perf_stat(out.read_text(errors="replace")) if out.exists() else []
        if found:
            return found
        lines = done.output.strip().splitlines()
        said = f"{describe_status(done.status)}{': ' + lines[0].strip() if lines else ''}"
    raise CannotCount(f"perf stat counted nothing ({said})")


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


def _quiet(run: ToolRun) -> dict[str, str]:
    return {**run.env, "LC_ALL": "C"}


def _version(run: ToolRun, perf: str) -> str:
    try:
        said = run.launcher.run([perf, "--version"], env=_quiet(run), timeout=30).stdout.strip()
    except OSError:
        said = ""
    return said.replace(" version", "") or os.path.basename(perf)


def _counters(
    runs: Sequence[Sequence[PerfEvent]], tool: str, missing: str = "perf did not report it"
) -> list[Counter]:
    return [*_events(runs, tool, missing), *_shares(runs, tool)]


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
