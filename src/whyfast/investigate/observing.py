"""Asking the built programs about themselves: code made at run time, single runs, cost of timing.

Once a run of the study, before measuring, each under the settings of its variant.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TypeVar

from whyfast.explain.jit import explain_image, this_architecture
from whyfast.formats.self_report import read_buckets, read_code, read_figures, read_overheads
from whyfast.investigate.context import RunContext, argument_vector
from whyfast.measure.doctor.tune import CannotHold
from whyfast.measure.process import TooMuchOutput, describe_status
from whyfast.model.build import Build
from whyfast.model.errors import UserError
from whyfast.model.sample import Figure, JitImage, Observed, Overhead, RunTimes
from whyfast.model.study import Study
from whyfast.model.variant import Benchmark

_T = TypeVar("_T")


class _NoAnswer(Exception):
    """A program could not be asked, or said nothing sensible."""


def wants_observing(study: Study) -> bool:
    """Whether the study asks its programs anything. Those under other kernels are not asked."""
    asks = study.evidence.image or any(
        b.distribution or b.overhead or b.figures for b in study.benchmarks
    )
    return bool(asks) and not study.in_vms


def observe(work: RunContext[Study]) -> RunContext[Study]:
    """Everything that the study asks for; what cannot be had is noted."""
    if not wants_observing(work.question):
        return work
    work.observer.step("asking the programs about themselves")
    observed = _observed(work)
    for note in observed.notes:
        work.observer.note(note)
    return replace(work, observed=observed)


def _observed(work: RunContext[Study]) -> Observed:
    study, builds = work.question, work.usable
    notes: dict[str, None] = {}  # in order, each once

    def attempt(what: str, get: Callable[[], _T]) -> list[_T]:
        try:
            return [get()]
        except (_NoAnswer, UserError) as error:
            notes[f"no {what}: {error}"] = None
            return []

    families: dict[str, Benchmark] = {}  # the first of each that tells its overhead
    for benchmark in study.benchmarks:
        if benchmark.overhead:
            families.setdefault(benchmark.family_name, benchmark)
    images = [
        image
        for build in builds
        if study.evidence.image
        for image in attempt(f"machine code of {build.variant}", partial(_image, work, build))
    ]
    run_times = [
        found
        for build in builds
        for benchmark in study.benchmarks
        if benchmark.distribution
        for found in attempt(
            f"single runs of {build.variant} on {benchmark.name}",
            partial(_run_times, work, build, benchmark),
        )
    ]
    overheads = [
        one
        for benchmark in families.values()
        for found in attempt(
            f"cost of timing on {benchmark.name}", partial(_overheads, work, benchmark)
        )
        for one in found
    ]
    figures = [
        one
        for benchmark in study.benchmarks
        for build in builds
        if benchmark.figures
        for found in attempt(
            f"figures of {build.variant} on {benchmark.name}",
            partial(_figures, work, build, benchmark),
        )
        for one in found
    ]
    return Observed(tuple(images), tuple(run_times), tuple(overheads), tuple(notes), tuple(figures))


def _ask(work: RunContext[Study], build: Build, command: tuple[str, ...], timeout: float) -> str:
    """What the command prints. Raises _NoAnswer."""
    argv = work.prefixes[build.variant] + argument_vector(work, command, build)
    services = work.services
    try:
        with work.sysctls(work.question.variant(build.variant).sysctl):
            done = services.launcher.run(argv, env=services.env, timeout=timeout)
    except (CannotHold, TimeoutError, OSError) as error:
        raise _NoAnswer(str(error)) from None
    if done.status:
        lines = done.output.strip().splitlines()
        raise _NoAnswer(lines[0] if lines else describe_status(done.status))
    if not done.whole:
        raise _NoAnswer(str(TooMuchOutput()))
    return done.stdout


def _image(work: RunContext[Study], build: Build) -> JitImage:
    architecture = this_architecture()
    if architecture is None:
        raise _NoAnswer("whyfast does not read the machine code of this processor")
    report = read_code(_ask(work, build, work.question.evidence.image, 60.0))
    return explain_image(report, build.variant, architecture)


def _run_times(work: RunContext[Study], build: Build, benchmark: Benchmark) -> RunTimes:
    buckets = read_buckets(_ask(work, build, benchmark.distribution, benchmark.timeout))
    starts, widths, counts = zip(*buckets, strict=True) if buckets else ((), (), ())
    return RunTimes(benchmark.name, build.variant, starts, widths, counts)


def _overheads(work: RunContext[Study], benchmark: Benchmark) -> list[Overhead]:
    """Of the main baseline, for all variants: timing is the same for each of them."""
    main = next(b for b in work.usable if b.variant == work.baselines[0])
    overheads = read_overheads(_ask(work, main, benchmark.overhead, benchmark.timeout))
    return [Overhead(benchmark.family_name, what, seconds) for what, seconds in overheads]


def _figures(work: RunContext[Study], build: Build, benchmark: Benchmark) -> list[Figure]:
    figures = read_figures(_ask(work, build, benchmark.figures, benchmark.timeout))
    return [
        Figure(benchmark.name, build.variant, figure.what, figure.number, figure.text, figure.why)
        for figure in figures
    ]
