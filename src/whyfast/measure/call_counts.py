"""What a program executes, by instruction and by call: one run under Callgrind, for two at once."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from whyfast.formats.profiles import DamagedProfile, SimulatedProfile, parse_callgrind
from whyfast.measure.process import CannotCount, ToolRun
from whyfast.measure.simulate import (
    Geometry,
    Valgrind,
    fixed_addresses,
    fixed_environment,
    refuse_unknown_instruction,
    valgrind_options,
)

#: How much longer a program takes under Callgrind with caches, branches and instructions: the
#: upper end of what Valgrind's manual gives, and what the pairs of bench/why took.
SLOWDOWN = 80.0

#: The same without caches and branches.
PLAIN_SLOWDOWN = 30.0


def count_calls(
    runs: Mapping[str, ToolRun], geometry: Geometry | None, valgrind: Valgrind
) -> dict[str, list[SimulatedProfile]]:
    """The profiles of each side, one per process, that of the program itself first; without misses
    of caches and branches where no ``geometry`` is given.

    Both sides run at once, each on one CPU: counts do not depend on time. Raises CannotCount.
    """
    events = ["--cache-sim=no", "--branch-sim=no"]
    if geometry is not None:
        events = ["--cache-sim=yes", "--branch-sim=yes", *valgrind_options(geometry)[0]]
    with ThreadPoolExecutor(len(runs)) as pool:
        jobs = {side: pool.submit(_profiles, run, events, valgrind) for side, run in runs.items()}
        try:
            return {side: job.result() for side, job in jobs.items()}
        except KeyboardInterrupt:  # which the threads that wait do not hear of
            for run in runs.values():
                run.launcher.stop()
            raise


def _profiles(run: ToolRun, events: Sequence[str], valgrind: Valgrind) -> list[SimulatedProfile]:
    env = {**fixed_environment(run.env), **valgrind.env}
    with tempfile.TemporaryDirectory(prefix="whyfast-", dir=run.scratch) as folder:
        log = Path(folder, "log")
        argv = [
            *(*fixed_addresses(run.launcher, env), *run.enter, *valgrind.words["callgrind"]),
            *("--command-line-only=yes", "--vgdb=no", f"--log-file={log}.%p", "--demangle=no"),
            *(*events, "--trace-children=yes"),
            *("--dump-instr=yes", "--dump-line=no", "--compress-pos=no"),
            *(f"--callgrind-out-file={folder}/profile.%p", *run.command),
        ]
        done = run.under(valgrind.version, argv, env)
        printed = "".join(p.read_text(errors="replace") for p in Path(folder).glob("log.*"))
        refuse_unknown_instruction(done.status, printed, valgrind.version)
        files = sorted(Path(folder).glob("profile.*"), key=lambda p: int(p.suffix[1:] or 0))
        return _read(files, valgrind.version)


def _read(files: Sequence[Path], version: str) -> list[SimulatedProfile]:
    profiles = []
    for file in files:
        text = file.read_text(errors="replace")
        if not text.strip():
            continue
        try:
            profiles.append(parse_callgrind(text))
        except DamagedProfile as error:
            raise CannotCount(f"the profile of {version} cannot be read: {error}") from None
    if not profiles:
        raise CannotCount(f"{version} wrote no profile")
    return profiles
