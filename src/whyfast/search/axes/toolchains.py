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
from whyfast.search.axes.axis import CandidateRange, SearchRequest, between
from whyfast.search.state import AxisCandidate
from whyfast.toolchain.provider import Provider
from whyfast.toolchain.registry import providers, split_name


def compiler_of(work: RunContext[Study], variant: Variant, where: str) -> str:
    """Its name and version, ``gcc 12.2.0``. UserError, about ``where``, when it is unavailable."""
    packages = packages_here(work.question.build, variant, work.home)
    try:
        note = work.observer.step
        return work.services.toolchain(variant.toolchain, work.home, note, packages).version
    except CannotBuildHere as error:
        raise UserError(str(error), where=where) from error


def toolchain_range(
    work: RunContext[Study], variant: Variant, search: SearchRequest
) -> CandidateRange:
    """The compilers from the good end to the bad one among ``search.among``."""
    del work
    return toolchains(search.among or (search.good, search.bad), search.good, search.bad, variant)


def toolchains(
    wanted: Sequence[str],
    good: str,
    bad: str,
    variant: Variant,
    known: Mapping[str, Provider] | None = None,
) -> CandidateRange:
    """The compilers from ``good`` to ``bad`` among ``wanted``, in that order; a pattern stands for
    the provider's matching names, sorted by their version numbers.

    UserError for ends that are not among them.
    """
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
