"""Versions in order: compilers, as a list or a pattern (``zig:clang-*``), and Debian's kernels."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from fnmatch import fnmatchcase
from statistics import median

from whyfast.build.recipe import packages_here
from whyfast.investigate.context import RunContext
from whyfast.investigate.recording import recording, run_key
from whyfast.investigate.virtual_machines import VirtualMachines
from whyfast.model.build import BuildFailure
from whyfast.model.errors import CannotBuildHere, UserError
from whyfast.model.study import Study
from whyfast.model.variant import Variant
from whyfast.search.axes.axis import CandidateRange, SearchRequest, between
from whyfast.search.state import AxisCandidate
from whyfast.search.study_subject import CannotTell
from whyfast.toolchain.kernels import NEWER, SUITES, parse_kernel
from whyfast.toolchain.provider import Provider
from whyfast.toolchain.registry import providers, split_name


def compiler_of(context: RunContext[Study], variant: Variant, where: str) -> str:
    """Its name and version, ``gcc 12.2.0``. UserError, about ``where``, when it is unavailable."""
    packages = packages_here(context.question.build, variant, context.home)
    try:
        note = context.observer.step
        return context.services.toolchain(variant.toolchain, context.home, note, packages).version
    except CannotBuildHere as error:
        raise UserError(str(error), where=where) from error


def toolchain_range(
    context: RunContext[Study],
    variant: Variant,
    search: SearchRequest,
    known: Mapping[str, Provider] | None = None,
) -> CandidateRange:
    """The compilers from the good end to the bad one among ``search.among``, in that order; a
    pattern stands for the provider's matching names, sorted by their version numbers. UserError for
    ends that are not among them."""
    del context
    good, bad = search.good, search.bad
    wanted = search.among or (good, bad)
    names = list(dict.fromkeys(n for w in wanted for n in _expanded(w, known or providers())))
    chosen, backwards = between(names, good, bad, "toolchain")
    place = names.index(bad)
    beyond = names[: place + 1] if backwards else names[place:][::-1]
    candidates, back = (
        tuple(AxisCandidate(n, n, replace(variant, name=n, toolchain=n, axes={})) for n in part)
        for part in (chosen, beyond if len(beyond) > 1 else ())
    )
    return CandidateRange(candidates, back=back, backwards=backwards)


def _expanded(word: str, known: Mapping[str, Provider]) -> list[str]:
    provider, name = split_name(word)
    if not re.search(r"[*?\[]", name):
        return [word]
    matches = [n for n in known[provider].names() if fnmatchcase(n, name)]
    return [f"{provider}:{n}" for n in sorted(matches, key=_version)]


def _version(name: str) -> tuple[tuple[int, ...], str]:
    return tuple(int(n) for n in re.findall(r"\d+", name)), name


#: The kernels that patterns match: one for each release of Debian, oldest first.
KNOWN = (*(f"debian:linux-{v}" for v in SUITES), *(f"debian:linux@{suite}" for suite in NEWER))


def kernel_range(
    context: RunContext[Study], variant: Variant, search: SearchRequest
) -> CandidateRange:
    """The kernels from the good end to the bad one among ``search.among``, in that order. UserError
    for a study that boots no kernels, malformed names, ends that are not among them, and where QEMU
    is missing."""
    if not context.question.in_vms:
        raise UserError(
            "no variant has a kernel of its own; write kernel = … in a variant",
            where=context.question.folder / "study.toml",
        )
    if search.quantity not in ("time", "instructions"):
        raise UserError("kernels are compared by instructions", where="--measure")
    names = kernels(search.among or (search.good, search.bad), search.good, search.bad)
    VirtualMachines().check(context)
    candidates = tuple(
        AxisCandidate(n, n, replace(variant, name=n, kernel=n, axes={}, expect={})) for n in names
    )
    return CandidateRange(candidates, count=count_boots, quantity="instructions")


def kernels(wanted: tuple[str, ...], good: str, bad: str) -> tuple[str, ...]:
    """The kernels from one end to the other, with patterns replaced by their matches."""
    names: list[str] = []
    for word in wanted:
        matches = [k for k in KNOWN if fnmatchcase(k, word)] if "*" in word else [word]
        if not matches:
            raise UserError(f"unknown kernel; available: {', '.join(KNOWN)}", where=word)
        names += [n for n in matches if n not in names]
    for name in names:
        parse_kernel(name)
    return tuple(between(names, good, bad, "kernel")[0])


def count_boots(good: RunContext[Study], candidate: RunContext[Study]) -> tuple[float, ...]:
    """The instructions of one loop of each benchmark, counted by a QEMU that boots the
    candidate's kernel. Raises CannotTell."""
    machines = VirtualMachines()
    counting = replace(candidate.services, boot_unit="instructions")
    context = machines.ready(replace(candidate, services=counting))
    (build,) = context.builds
    if isinstance(build, BuildFailure):
        raise CannotTell(build.reason)
    # Counts do not depend on what else runs.
    with recording(context, run_key(context), alone=False) as run:
        machines.measure(context, run)
    if not run.complete:
        raise KeyboardInterrupt
    costs = []
    for benchmark in context.question.benchmarks:
        values = [
            v
            for block in run.recorded.blocks
            if block.benchmark == benchmark.name
            for v in block.values.get(build.variant, ())
        ]
        if not values or min(values) <= 0:
            reasons = [f.reason for f in run.recorded.failures if f.benchmark == benchmark.name]
            raise CannotTell((*reasons, f"{benchmark.name} yields no instructions")[0])
        costs.append(median(values))
    return tuple(costs)
