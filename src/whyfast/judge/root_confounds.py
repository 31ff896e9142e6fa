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
        named = "; ".join(
            f"{n}{f' ({_TELLING[n]})' if n in _TELLING else ''} {_sides(differing[n])}"
            for n in others[:_NAMED]
        )
        more = f"; and {len(others) - _NAMED} more" if len(others) > _NAMED else ""
        yield Confound(
            "root-packages",
            f"the roots differ in more than the compiler: {named}{more}",
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
    versions = [recorded.split()[0] for recorded in groups]
    told = versions if len(set(versions)) == len(versions) else list(groups)
    return " against ".join(
        f"{version} ({', '.join(variants)})"
        for version, variants in zip(told, groups.values(), strict=True)
    )


def _linked(name: str) -> bool:
    return bool(_SHARED_LIBRARY.fullmatch(name)) and not _NOT_LINKED.fullmatch(name)
