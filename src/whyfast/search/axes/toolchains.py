"""Versions of a compiler in order, as a list or a pattern: ``zig:clang-*``."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase

from whyfast.model.errors import UserError
from whyfast.model.variant import Variant
from whyfast.search.axes.candidate import AxisCandidate
from whyfast.toolchain.provider import Provider
from whyfast.toolchain.registry import providers, split_name


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
    names = list(dict.fromkeys(n for word in wanted for n in _expanded(word, known or providers())))
    for end, option in ((good, "--good"), (bad, "--bad")):
        if end not in names:
            raise UserError(f"{end!r} is none of: {', '.join(names) or 'none'}", where=option)
    i, j = names.index(good), names.index(bad)
    if i == j:
        raise UserError("both ends are the same toolchain", where="--bad")
    between = names[i : j + 1] if i < j else names[j : i + 1][::-1]
    return tuple(
        AxisCandidate(name, name, replace(variant, name=name, toolchain=name, axes={}))
        for name in between
    )


def _expanded(word: str, known: Mapping[str, Provider]) -> list[str]:
    provider, name = split_name(word)
    if not re.search(r"[*?\[]", name):
        return [word]
    found = [n for n in known[provider].names() if fnmatchcase(n, name)]
    return [f"{provider}:{n}" for n in sorted(found, key=_version)]


def _version(name: str) -> tuple[tuple[int, ...], str]:
    return tuple(int(n) for n in re.findall(r"\d+", name)), name
