"""Where the user time of several programs goes, sampled by one ``perf record`` in random order.

The timer of the kernel (``cpu-clock``) works on virtual machines and for ordinary users where
hardware counters do not. One recording holds all runs, because starting perf takes longer than many
programs.
"""

from __future__ import annotations

import os
import random
import shlex
import tempfile
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from whyfast.formats.profiles import SampledProcess, Stack, parse_stacks
from whyfast.measure.process import CannotCount, ToolRun

#: Samples a second: not a round number, so that it does not beat with timers of the program.
FREQUENCY = 3989

#: Samples a second, bytes of stack each, where callers are found by unwinding.
STACK_FREQUENCY, STACK_BYTES = 997, 16384

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
) -> list[SampledRun]:
    """Run every command once a round, in random order, and sample its user time.

    With ``callers`` stacks are unwound by debug information, at a lower frequency; else they are
    those of frame pointers, of which only the innermost function is certain. ``around`` has the
    environment, and the limit in seconds for all of it. Raises CannotCount where perf is missing,
    may not sample or fails.
    """
    perf, env = around.tool("perf", INSTALL), around.env
    rng, names = random.Random(seed), list(commands)
    order = [name for _ in range(rounds) for name in rng.sample(names, len(names))]
    quiet = {**env, "LC_ALL": "C", "DEBUGINFOD_URLS": ""}
    with tempfile.TemporaryDirectory(prefix="whyfast-") as folder:
        data, script, statuses = (str(Path(folder, n)) for n in ("data", "runs", "status"))
        Path(script).write_text(_script([commands[n] for n in order], stdin, statuses, env))
        graph = f"dwarf,{STACK_BYTES}" if callers else "fp"
        frequency = STACK_FREQUENCY if callers else FREQUENCY
        record = [perf, "record", "-q", "-N", "--no-bpf-event", "-e", "cpu-clock:u"]
        record += ["-F", str(frequency), "--call-graph", graph, "-o", data, "--", "sh", script]
        show = [perf, "script", "-i", data, "--no-inline", "--no-demangle", "--show-task-events"]
        done = around.under("perf", record, quiet)
        if not Path(data).exists():
            raise CannotCount(_why(done.output))
        text = around.under("perf", [*show, "-F", _FIELDS], quiet).stdout
        ended = Path(statuses).read_text().split() if Path(statuses).exists() else []
    runs = _runs(order, parse_stacks(text), ended)
    if not any(run.samples for run in runs):
        raise CannotCount("perf took no samples: the programs use too little user time")
    return runs


def _script(
    runs: Sequence[Sequence[str]], stdin: str, statuses: str, env: Mapping[str, str]
) -> str:
    """A shell script: the runs in their order, each with its exit status on a line of a file.

    The environment is perf's, with what was changed for perf changed back.
    """
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
        stacks: Counter[Stack] = Counter()
        family = [first]
        for process in family:
            family += children[process.pid]
            for stack, nanoseconds in process.stacks.items():
                stacks[stack] += nanoseconds
        status = int(statuses[number]) if number < len(statuses) else -1
        seconds = {stack: nanoseconds / 1e9 for stack, nanoseconds in stacks.items()}
        runs.append(SampledRun(side, seconds, sum(p.samples for p in family), status))
    return runs
