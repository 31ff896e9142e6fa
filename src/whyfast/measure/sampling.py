"""Where a program's time goes, by sampling with ``perf record``."""

from __future__ import annotations

import tempfile
from pathlib import Path

from whyfast.formats.perf_report import parse_perf_report
from whyfast.measure.process import describe_status
from whyfast.measure.simulate import program_names
from whyfast.measure.tool_run import CannotCount, ToolRun
from whyfast.model.counters import FunctionCost, Profile

#: Fewer samples say little about any function.
FEW = 200

#: Samples a second. Not a round number, so that it does not beat with the program's own timers.
FREQUENCY = 3989


def sample(run: ToolRun) -> tuple[Profile, str]:
    """Run a command under ``perf record``; its profile in samples of user time, and what the
    command did wrong. Raises CannotCount."""
    perf = run.launcher.find("perf")
    if perf is None:
        raise CannotCount("perf is not installed")
    env = {**run.env, "LC_ALL": "C"}
    with tempfile.TemporaryDirectory(prefix="whyfast-") as folder:
        data = str(Path(folder, "perf.data"))
        record = [perf, "record", "-q", "-N", "-F", str(FREQUENCY), "-o", data]
        show = [perf, "report", "-i", data, "--stdio", "--no-children", "--no-demangle"]
        try:
            for event in ("cycles:u", "cpu-clock:u"):
                argv = [*record, "-e", event, "--", *run.enter, *run.command]
                done = run.launcher.run(argv, env=env, timeout=run.timeout)
                if Path(data).exists():
                    break
            said = run.launcher.run(
                [*show, "-F", "sample,dso,sym", "-t", ";"], env=env, timeout=run.timeout
            )
        except TimeoutError as error:
            raise CannotCount(f"under perf: {error}") from None
        except OSError as error:
            raise CannotCount(f"perf could not be started: {error}") from None
    event, samples = parse_perf_report(said.stdout)
    if not samples:
        last = done.output.strip().splitlines()[-1:]
        raise CannotCount(f"perf record took no samples{': ' + last[0] if last else ''}")
    program = program_names(run.command[0])
    functions = tuple(
        FunctionCost(name, "" if object_ in program else object_, {"samples": float(n)})
        for (object_, name), n in samples.items()
    )
    total = samples.total()
    notes = [] if total >= FEW else [f"only {total} samples: use a longer workload"]
    failure = f"the program ended with {describe_status(done.status)}" if done.status else ""
    tool = f"perf record ({event or 'unknown event'})"
    totals = {"samples": float(total)}
    return Profile(tool, "measured", ("samples",), functions, totals, tuple(notes)), failure
