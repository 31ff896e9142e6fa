"""Everything that can be counted about one program with one set of arguments.

These runs are apart from timed runs: counting changes how long a program takes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal

from whyfast.measure.counters import available, measure_counters, simulated_counters
from whyfast.measure.geometry import Geometry
from whyfast.measure.launch import Launcher
from whyfast.measure.sampling import sample
from whyfast.measure.simulate import CannotCount, RunPlace, Valgrind, simulate
from whyfast.model.counters import Counter, Counts, Profile

Profiler = Literal["callgrind", "cachegrind", "perf"]

#: Seconds that one run under a tool may take where nobody says otherwise.
TIMEOUT = 600.0


def count_program(
    program: Path,
    arguments: Sequence[str],
    *,
    variant: str,
    launcher: Launcher,
    geometry: Geometry,
    env: Mapping[str, str],
    timeout: float,
    profiler: Profiler = "callgrind",
    place: RunPlace | None = None,
    valgrind: Valgrind | None = None,
) -> Counts:
    """Run a program under the hardware's counters and under ``profiler``.

    ``timeout`` in seconds is for each run. ``place`` is where the program is run, ``valgrind``
    what simulates it; the machine and its own by default. Nothing is raised for what cannot be
    counted: it is in the notes.
    """
    command = (str(program.absolute()), *arguments)
    enter = place.enter if place else ()
    counters: list[Counter] = []
    notes: list[str] = []
    try:
        counters += measure_counters(
            command, launcher=launcher, env=env, timeout=timeout, enter=enter
        )
        if not available(counters):
            notes.append(f"no hardware counters: {counters[0].note}")
    except CannotCount as error:
        notes.append(f"no hardware counters: {error}")
    profile: Profile | None = None
    failures: list[str] = []
    for tool in (profiler, "perf") if profiler != "perf" else (profiler,):
        try:
            if tool == "perf":
                profile, failure = sample(
                    command, launcher=launcher, env=env, timeout=timeout, enter=enter
                )
            else:
                profile, failure = simulate(
                    command,
                    launcher=launcher,
                    geometry=geometry,
                    env=env,
                    timeout=timeout,
                    tool=tool,
                    valgrind=valgrind,
                    place=place,
                )
                counters += simulated_counters(profile)
        except CannotCount as error:
            notes.append(f"no profile by {tool}: {error}")
            continue
        notes.extend(profile.notes)
        failures += [failure] if failure else []
        break
    failed = bool(failures) or profile is None
    return Counts(variant, command, tuple(counters), profile, (*failures, *notes), failed)
