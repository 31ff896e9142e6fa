"""Candidates in order: compilers, as a list or a pattern (``zig:clang-*``), Debian's kernels, and
the commits of a range, by first parents."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from pathlib import Path
from statistics import median

from whyfast.build.recipe import packages_here
from whyfast.investigate.context import RunContext
from whyfast.investigate.recording import recording, run_key
from whyfast.investigate.services import Observer
from whyfast.investigate.virtual_machines import VirtualMachines
from whyfast.measure.tools import CannotCount
from whyfast.model.build import BuildFailure
from whyfast.model.errors import CannotBuildHere, UserError
from whyfast.model.study import Study
from whyfast.model.variant import Variant
from whyfast.search.axes import CandidateRange, SearchRequest, between
from whyfast.search.state import AxisCandidate
from whyfast.store.git import commit_named, git, is_shallow, leads, must_git, own_filters_off
from whyfast.study.axes import version_key
from whyfast.toolchain import Provider
from whyfast.toolchain.kernels import NEWER, SUITES, parse_kernel
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
    return [f"{provider}:{n}" for n in sorted(matches, key=version_key)]


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
    candidate's kernel. Raises CannotCount."""
    machines = VirtualMachines()
    counting = replace(candidate.services, boot_unit="instructions")
    context = machines.ready(replace(candidate, services=counting))
    (build,) = context.builds
    if isinstance(build, BuildFailure):
        raise CannotCount(build.reason)
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
            raise CannotCount((*reasons, f"{benchmark.name} yields no instructions")[0])
        costs.append(median(values))
    return tuple(costs)


def commit_range(
    repository: Path, search: SearchRequest, observer: Observer, variant: Variant | None = None
) -> CandidateRange:
    """The commits from the good end to the bad one; notes uncommitted changes where the newer end
    is checked out. With ``variant``, each candidate is that variant."""
    candidates = commits(repository, search.good, search.bad, variant)
    backwards = leads(repository, candidates[-1].name, candidates[0].name)
    if note := uncommitted(repository, candidates[0 if backwards else -1]):
        observer.note(note)
    return CandidateRange(
        candidates,
        backwards=backwards,
        branch=lambda merge: merged_branch(repository, merge, variant),
    )


def commits(
    repository: Path, good: str, bad: str, variant: Variant | None = None
) -> tuple[AxisCandidate, ...]:
    """Every commit on the way from ``good`` to ``bad``, both included, along first parents. With
    ``variant``, each is that variant at the commit. UserError for a name that is no commit, for a
    shallow clone that does not reach so far, and where no path leads from one to the other."""
    old, new = (_commit(repository, end, name) for end, name in ((good, "good"), (bad, "bad")))
    if old == new:
        raise UserError(f"{good} and {bad} are the same commit", where="--bad")
    name, option, backwards = good, "--good", leads(repository, new, old)
    if backwards:
        old, new, name, option = new, old, bad, "--bad"
    elif not leads(repository, old, new):
        hint = _why_not(repository, old, new)
        raise UserError(f"no path leads from {good} to {bad}; {hint}", where="--good")
    path = _first_parents(repository, f"{old}..{new}")
    if must_git(repository, "rev-parse", f"{path[0]}^").strip() != old:
        hint = "name a commit on the line of first parents of the newer end"
        raise UserError(f"{name} came in by a merge; {hint}", where=option)
    candidates = _candidates(repository, (old, *path), variant)
    return candidates[::-1] if backwards else candidates


def _first_parents(repository: Path, *revisions: str) -> list[str]:
    """The commits of a range along first parents, oldest first."""
    words = ("rev-list", "--first-parent", "--reverse", *revisions, "--")
    return must_git(repository, *words).split()


def merged_branch(
    repository: Path, merge: AxisCandidate, variant: Variant | None = None
) -> tuple[AxisCandidate, ...] | None:
    """The branch that a merge of two commits brought in, along first parents from the fork to its
    tip. None for other commits, and for a merge that brought nothing."""
    parents = must_git(repository, "show", "-s", "--format=%P", merge.name).split()
    if len(parents) != 2:
        return None
    ours, theirs = parents
    path = _first_parents(repository, theirs, f"^{ours}")
    origin = must_git(repository, "show", "-s", "--format=%P", path[0]).split() if path else []
    return _candidates(repository, (origin[0], *path), variant) if origin else None


def uncommitted(repository: Path, newer: AxisCandidate) -> str:
    """A note on uncommitted changes; empty unless ``newer`` is checked out there."""
    status = (*own_filters_off(repository), "status", "--porcelain", "--untracked-files=no")
    if (
        commit_named(repository, "HEAD") != newer.name
        or not git(repository, *status).stdout.strip()
    ):
        return ""
    return f"{repository} has uncommitted changes, which are not part of the search"


def _candidates(
    repository: Path, commits: Sequence[str], variant: Variant | None
) -> tuple[AxisCandidate, ...]:
    titles = must_git(
        *(repository, "log", "--no-walk=unsorted", "--format=%h %cs %s", "--stdin"),
        given="\n".join(commits),
    ).splitlines()
    return tuple(
        AxisCandidate(
            commit,
            title.strip(),
            replace(variant, name=commit[:12], revision=commit, axes={}) if variant else None,
        )
        for commit, title in zip(commits, titles, strict=True)
    )


def _commit(repository: Path, name: str, which: str) -> str:
    if commit := commit_named(repository, name):
        return commit
    if git(repository, "rev-parse", "--git-dir").returncode:
        raise UserError("not a git repository", where=repository)
    hint = ", whose clone is shallow: git fetch --unshallow" if is_shallow(repository) else ""
    raise UserError(f"unknown commit {name!r} in {repository}{hint}", where=f"--{which}")


def _why_not(repository: Path, first: str, last: str) -> str:
    if is_shallow(repository):
        return "the clone is shallow: git fetch --unshallow"
    base = git(repository, "merge-base", first, last).stdout.strip()
    return f"their common ancestor is {base[:12]}" if base else "they have no common ancestor"
