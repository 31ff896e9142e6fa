"""Versions of a compiler in order, as a list or a pattern: ``zig:clang-*``."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase

from whyfast.build.recipe import packages_here
from whyfast.investigate.context import RunContext
from whyfast.model.errors import CannotBuildHere, UserError
from whyfast.model.study import Study
from whyfast.model.variant import Variant
from whyfast.search.axes.axis import Bisection, CandidateRange
from whyfast.search.state import AxisCandidate
from whyfast.toolchain.provider import Provider
from whyfast.toolchain.registry import providers, split_name

# ---- Which compiler a variant has, before anything is built with it.


def compiler_of(work: RunContext[Study], variant: Variant, where: str) -> str:
    """Its name and version, ``gcc 12.2.0``. UserError, about ``where``, when it cannot be had."""
    packages = packages_here(work.question.build, variant, work.home)
    try:
        note = work.observer.step
        return work.services.toolchain(variant.toolchain, work.home, note, packages).version
    except CannotBuildHere as error:
        raise UserError(str(error), where=where) from error


def toolchains(
    wanted: Sequence[str],
    good: str,
    bad: str,
    variant: Variant,
    known: Mapping[str, Provider] | None = None,
) -> tuple[AxisCandidate, ...]:
    """The compilers from ``good`` to ``bad`` among ``wanted``, in that order: a pattern stands for
    the provider's names that match it, by their version numbers.

    Where ``bad`` comes before ``good``, the order is turned round: the good end comes first.
    UserError for ends that are not among them.
    """
    names = _names(wanted, known)
    for end, option in ((good, "--good"), (bad, "--bad")):
        if end not in names:
            raise UserError(f"{end!r} is none of: {', '.join(names) or 'none'}", where=option)
    i, j = names.index(good), names.index(bad)
    if i == j:
        raise UserError("both ends are the same toolchain", where="--bad")
    between = names[i : j + 1] if i < j else names[j : i + 1][::-1]
    return tuple(_candidate(name, variant) for name in between)


def way_back(
    wanted: Sequence[str],
    good: str,
    bad: str,
    variant: Variant,
    known: Mapping[str, Provider] | None = None,
) -> tuple[AxisCandidate, ...]:
    """The compilers beyond ``bad``, the last of them first and ``bad`` last: a search along them
    says from which one on it is good again. Empty where there are none."""
    names = _names(wanted, known)
    i, j = names.index(good), names.index(bad)
    beyond = names[j:][::-1] if i < j else names[: j + 1]
    return tuple(_candidate(name, variant) for name in beyond) if len(beyond) > 1 else ()


def is_backwards(wanted: Sequence[str], good: str, bad: str) -> bool:
    """Whether ``bad`` comes before ``good``."""
    names = _names(wanted, None)
    return names.index(bad) < names.index(good)


def toolchain_line(work: RunContext[Study], variant: Variant, search: Bisection) -> CandidateRange:
    """The compilers as an axis of what is counted."""
    among = search.among or (search.good, search.bad)
    found = toolchains(among, search.good, search.bad, variant)
    return CandidateRange(found, back=way_back(among, search.good, search.bad, variant))


def _names(wanted: Sequence[str], known: Mapping[str, Provider] | None) -> list[str]:
    return list(dict.fromkeys(n for word in wanted for n in _expanded(word, known or providers())))


def _candidate(name: str, variant: Variant) -> AxisCandidate:
    return AxisCandidate(name, name, replace(variant, name=name, toolchain=name, axes={}))


def _expanded(word: str, known: Mapping[str, Provider]) -> list[str]:
    provider, name = split_name(word)
    if not re.search(r"[*?\[]", name):
        return [word]
    found = [n for n in known[provider].names() if fnmatchcase(n, name)]
    return [f"{provider}:{n}" for n in sorted(found, key=_version)]


def _version(name: str) -> tuple[tuple[int, ...], str]:
    return tuple(int(n) for n in re.findall(r"\d+", name)), name
