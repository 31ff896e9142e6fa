"""Debian's kernels in order, booted in virtual machines that count instructions."""

from __future__ import annotations

from dataclasses import replace
from fnmatch import fnmatchcase
from statistics import median

from whyfast.investigate.context import RunContext
from whyfast.investigate.recording import recording, run_key
from whyfast.investigate.virtual_machines import VirtualMachines
from whyfast.model.build import BuildFailure
from whyfast.model.errors import UserError
from whyfast.model.study import Study
from whyfast.model.variant import Variant
from whyfast.search.axes.axis import CandidateRange, SearchRequest, between
from whyfast.search.state import AxisCandidate, CannotTell
from whyfast.toolchain.kernels import NEWER, SUITES, parse_kernel

#: What a pattern stands for: a kernel a release of Debian, oldest first.
KNOWN = (*(f"debian:linux-{v}" for v in SUITES), *(f"debian:linux@{suite}" for suite in NEWER))


def kernel_range(
    work: RunContext[Study], variant: Variant, search: SearchRequest
) -> CandidateRange:
    """The kernels from the good end to the bad one among ``search.among``, in that order.

    UserError for a study that boots no kernels, malformed names, ends that are not among them, and
    where QEMU is missing.
    """
    if not work.question.in_vms:
        raise UserError(
            "its variants run under this machine's kernel; write kernel = … in a variant",
            where=work.question.folder / "study.toml",
        )
    if search.quantity not in ("time", "instructions"):
        raise UserError("kernels are compared by instructions", where="--measure")
    names = kernels(search.among or (search.good, search.bad), search.good, search.bad)
    VirtualMachines().check(work)
    candidates = tuple(
        AxisCandidate(n, n, replace(variant, name=n, kernel=n, axes={}, expect={})) for n in names
    )
    return CandidateRange(candidates, count=count_boots, quantity="instructions")


def kernels(wanted: tuple[str, ...], good: str, bad: str) -> tuple[str, ...]:
    """Patterns replaced by what they stand for; from one end to the other."""
    names: list[str] = []
    for word in wanted:
        matches = [k for k in KNOWN if fnmatchcase(k, word)] if "*" in word else [word]
        if not matches:
            raise UserError(f"unknown kernel; available: {', '.join(KNOWN)}", where=word)
        names += [n for n in matches if n not in names]
    for name in names:
        parse_kernel(name)
    return tuple(between(names, good, bad, "kernel")[0])


def count_boots(good: RunContext[Study], own: RunContext[Study]) -> tuple[float, ...]:
    """The instructions of one loop of each benchmark, in boots of the candidate's kernel, which an
    interpreting QEMU counts. Raises CannotTell."""
    machines = VirtualMachines()
    counting = replace(own.services, boot_unit="instructions")
    work = machines.ready(replace(own, services=counting))
    (build,) = work.builds
    if isinstance(build, BuildFailure):
        raise CannotTell(build.reason)
    # Counts do not depend on what else runs.
    with recording(work, run_key(work), alone=False) as run:
        machines.measure(work, run)
    if not run.complete:
        raise KeyboardInterrupt
    costs = []
    for benchmark in work.question.benchmarks:
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
