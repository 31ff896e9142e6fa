"""Asking the built programs about themselves: code made at run time, single runs, cost of timing.

Once a run of the study, before measuring, each under the settings of its variant.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

from whyfast.explain.jit import explain_image, this_architecture
from whyfast.formats.self_report import read_buckets, read_code, read_overheads
from whyfast.investigate.prepare import Prepared, to_measure
from whyfast.investigate.running import argument_vector
from whyfast.measure.launch import Launcher
from whyfast.measure.process import describe_status
from whyfast.measure.temporary_sysctls import CannotHold, Holding
from whyfast.model.build import Build
from whyfast.model.errors import UserError
from whyfast.model.observed import JitImage, Observed, Overhead, RunTimes
from whyfast.model.study import Study
from whyfast.model.variant import Benchmark

_T = TypeVar("_T")


class _NoAnswer(Exception):
    """A program could not be asked, or said nothing sensible."""


@dataclass(frozen=True)
class _Asker:
    study: Study
    prepared: Prepared
    enter: Mapping[str, tuple[str, ...]]
    hold: Holding
    launcher: Launcher

    def ask(self, build: Build, command: tuple[str, ...], timeout: float) -> str:
        """What the command prints. Raises _NoAnswer."""
        argv = self.enter[build.variant] + argument_vector(
            self.study, self.prepared, command, build.variant, build.program
        )
        try:
            with self.hold(self.study.variant(build.variant).sysctl):
                done = self.launcher.run(argv, env=dict(os.environ), timeout=timeout)
        except (CannotHold, TimeoutError, OSError) as error:
            raise _NoAnswer(str(error)) from None
        if done.status:
            said = done.output.strip().splitlines()
            raise _NoAnswer(said[0] if said else describe_status(done.status))
        return done.stdout


def wants_observing(study: Study) -> bool:
    """Whether the study asks its programs anything."""
    return bool(study.evidence.image) or any(b.distribution or b.overhead for b in study.benchmarks)


def observe(
    study: Study,
    prepared: Prepared,
    enter: Mapping[str, tuple[str, ...]],
    hold: Holding,
    launcher: Launcher,
) -> Observed:
    """Everything that the study asks for; what cannot be had is in ``notes``."""
    asker = _Asker(study, prepared, enter, hold, launcher)
    builds = to_measure(study, prepared)
    notes: dict[str, None] = {}  # in order, each once

    def attempt(what: str, get: Callable[[], _T]) -> list[_T]:
        try:
            return [get()]
        except (_NoAnswer, UserError) as error:
            notes[f"no {what}: {error}"] = None
            return []

    images = [
        image
        for build in builds
        if study.evidence.image
        for image in attempt(f"machine code of {build.variant}", partial(_image, asker, build))
    ]
    run_times = [
        found
        for build in builds
        for benchmark in study.benchmarks
        if benchmark.distribution
        for found in attempt(
            f"single runs of {build.variant} on {benchmark.name}",
            partial(_run_times, asker, build, benchmark),
        )
    ]
    overheads = [
        one
        for benchmark in _first_of_family(study)
        for found in attempt(
            f"cost of timing on {benchmark.name}", partial(_overheads, asker, builds, benchmark)
        )
        for one in found
    ]
    return Observed(tuple(images), tuple(run_times), tuple(overheads), tuple(notes))


def _image(asker: _Asker, build: Build) -> JitImage:
    architecture = this_architecture()
    if architecture is None:
        raise _NoAnswer("whyfast does not read the machine code of this processor")
    report = read_code(asker.ask(build, asker.study.evidence.image, 60.0))
    return explain_image(report, build.variant, architecture)


def _run_times(asker: _Asker, build: Build, benchmark: Benchmark) -> RunTimes:
    buckets = read_buckets(asker.ask(build, benchmark.distribution, benchmark.timeout))
    starts, widths, counts = zip(*buckets, strict=True) if buckets else ((), (), ())
    return RunTimes(benchmark.name, build.variant, starts, widths, counts)


def _overheads(asker: _Asker, builds: list[Build], benchmark: Benchmark) -> list[Overhead]:
    """Of the main baseline, for all variants: timing is the same for each of them."""
    main = next((b for b in builds if b.variant == asker.study.baselines[0]), builds[0])
    family = benchmark.parameter.family if benchmark.parameter else benchmark.name
    said = read_overheads(asker.ask(main, benchmark.overhead, benchmark.timeout))
    return [Overhead(family, what, seconds) for what, seconds in said]


def _first_of_family(study: Study) -> list[Benchmark]:
    found: dict[str, Benchmark] = {}
    for b in study.benchmarks:
        if b.overhead:
            found.setdefault(b.parameter.family if b.parameter else b.name, b)
    return list(found.values())
