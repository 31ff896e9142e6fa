"""The functions that differ between two programs, the most relevant first."""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatchcase

from whyfast.explain.code_diff import align, relevance
from whyfast.explain.code_listing import Listings, changed_names
from whyfast.model.code_listing import CodeDifference, CodePair
from whyfast.model.hot import Heat

#: More functions than this are not decoded.
_MOST_READ = 400


def differences(
    a: Listings, b: Listings, names: Sequence[str] | None = None
) -> list[CodeDifference]:
    """The functions of both that differ in more than registers and addresses, the most relevant
    first: those with another number of indirect jumps, those with any, then the most changed."""
    wanted = list(changed_names(a, b)) if names is None else names
    found = [align(a.of(name), b.of(name)) for name in wanted]
    return sorted((d for d in found if d.changed), key=relevance)


def code_pair(
    a: Listings,
    b: Listings,
    names: tuple[str, str],
    globs: Sequence[str] = (),
    most: int = 0,
    heat: Heat | None = None,
) -> CodePair:
    """The functions of two programs called ``names`` that differ, of those that match ``globs``
    where there are any; ``most`` of them, 0 for all.

    Where very many differ in their bytes, only those whose sizes differ most are looked at. With
    ``heat`` the hottest go first.
    """
    changed = [n for n in changed_names(a, b) if _wanted(n, globs)]
    share = heat.of if heat is not None else _no_heat
    far = sorted(changed, key=lambda n: (-share(n), -_apart(a, b, n), n))
    found = sorted(differences(a, b, far[:_MOST_READ]), key=lambda d: -share(d.function))
    kept = found[:most] if most else found
    only = [
        tuple(sorted(n for n in x.pieces if n not in y.pieces and _wanted(n, globs)))
        for x, y in ((a, b), (b, a))
    ]
    others = len(found) - len(kept) + len(far[_MOST_READ:])
    return CodePair(*names, tuple(kept), others, *only)


def _no_heat(name: str) -> float:
    return 0.0


def _wanted(name: str, globs: Sequence[str]) -> bool:
    return not globs or any(fnmatchcase(name, glob) for glob in globs)


def _apart(a: Listings, b: Listings, name: str) -> int:
    return abs(sum(f.size for f in a.pieces[name]) - sum(f.size for f in b.pieces[name]))
