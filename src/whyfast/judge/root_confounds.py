"""What differs between the roots of builds beside the compiler: their packages, by version."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from whyfast.model.build import Build
from whyfast.model.verdict import Confound

#: Debian's package of the C library, which every program runs in.
LIBC = "libc6"

#: What else goes into a program or runs with it, and what it does.
_TELLING = {
    "binutils": "assembler and linker",
    "libc6-dev": "start-up code and headers",
    "libgcc-s1": "unwinding",
    "libstdc++6": "C++ library",
    "linux-libc-dev": "headers of the kernel",
}
#: Libraries of compilers belong to the compiler, and these tools to no program.
_SHARED_LIBRARY = re.compile(r"lib\S*\d\S*|zlib1g")
_NOT_LINKED = re.compile(
    r"lib(apt-|asan|lsan|tsan|ubsan|hwasan|cc1|isl|mpc|mpfr|gmp|ctf|binutils|sframe|gprofng|pam|"
    r"audit|selinux|semanage|sepol|systemd|udev|mount|smartcols|blkid|db5|debconf|hogweed|nettle|"
    r"cap-ng|acl|attr|seccomp|jansson|clang|llvm|LLVM)\S*|\S+-(dev|bin|common|data)"
)
_NAMED = 8


def root_confounds(builds: Sequence[Build]) -> Iterator[Confound]:
    """The C library as a confound of its own; other packages in one note.

    Only builds that were made in Debian roots are compared, and only packages that all of these
    roots have: others come with the compiler.
    """
    roots = {b.variant: p for b in builds if (p := b.provenance["toolchain"].get("packages"))}
    if len(roots) < 2:
        return
    shared = set.intersection(*(set(p) for p in roots.values()))
    differing = {n: g for n in sorted(shared) if len(g := _groups(n, roots)) > 1}
    variants = tuple(roots)
    if LIBC in differing:
        yield Confound(
            "root-libc",
            f"the programs run with different C libraries: {_sides(differing[LIBC])}; what they "
            "spend in it (memory, strings, mathematics) may differ by more than the compiler",
            "warning",
            variants,
        )
    others = [n for n in _TELLING if n in differing]
    others += [n for n in differing if n not in others and n != LIBC and _linked(n)]
    if others:
        yield Confound(
            "root-packages",
            f"the roots differ in more than the compiler: {_by_sides(others, differing)}",
            "note",
            variants,
        )


def _groups(name: str, roots: Mapping[str, Mapping[str, str]]) -> dict[str, list[str]]:
    """Exact version → variants; the same version with another hash is another package."""
    groups: dict[str, list[str]] = {}
    for variant, packages in roots.items():
        groups.setdefault(packages[name], []).append(variant)
    return groups


def _sides(groups: Mapping[str, Sequence[str]]) -> str:
    return " against ".join(
        f"{version} ({', '.join(variants)})"
        for version, variants in zip(_versions(groups), groups.values(), strict=True)
    )


def _versions(groups: Mapping[str, Sequence[str]]) -> list[str]:
    """Without the hashes, where the versions alone tell them apart."""
    versions = [recorded.split()[0] for recorded in groups]
    return versions if len(set(versions)) == len(versions) else list(groups)


def _by_sides(names: Sequence[str], differing: Mapping[str, Mapping[str, Sequence[str]]]) -> str:
    """Packages that split the variants alike are listed together, so that these are named once."""
    splits: dict[tuple[tuple[str, ...], ...], list[str]] = {}
    for name in names[:_NAMED]:
        split = tuple(tuple(variants) for variants in differing[name].values())
        splits.setdefault(split, []).append(name)
    said = []
    for split, mine in splits.items():
        versions = ", ".join(
            f"{n}{f' ({_TELLING[n]})' if n in _TELLING else ''} "
            + " against ".join(_versions(differing[n]))
            for n in mine
        )
        said.append(f"{versions}: {' against '.join(', '.join(side) for side in split)}")
    more = f"; and {len(names) - _NAMED} more packages" if len(names) > _NAMED else ""
    return "; ".join(said) + more


def _linked(name: str) -> bool:
    return bool(_SHARED_LIBRARY.fullmatch(name)) and not _NOT_LINKED.fullmatch(name)
