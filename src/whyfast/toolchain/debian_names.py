"""Names of Debian's compilers, ``clang-18`` or ``gcc-12@bookworm``, and what to install."""

from __future__ import annotations

import re
from dataclasses import dataclass

from whyfast.model.errors import UserError

#: For each suite the compilers that are taken from it when a name gives none: the newest stable
#: release that has the compiler, else testing, else unstable.
SUITES = {
    "bullseye": ("clang-9", "clang-11", "gcc-9", "gcc-10"),
    "bookworm": ("clang-13", "clang-14", "clang-15", "clang-16", "gcc-11"),
    "trixie": ("clang-17", "clang-18", "clang-19", "clang-22", "gcc-12", "gcc-13", "gcc-14"),
    "forky": ("clang-21", "gcc-15", "gcc-16"),
    "sid": ("clang-23",),
}

_DEFAULT = {name: suite for suite, names in SUITES.items() for name in names}
_NAME = re.compile(r"(?P<kind>clang|gcc)-(?P<major>\d+)(@(?P<suite>[a-z][a-z0-9.-]*))?")


@dataclass(frozen=True)
class DebianName:
    """A compiler of a suite."""

    kind: str
    major: int
    suite: str

    @property
    def compiler(self) -> str:
        """As the package and the program are called: ``clang-18``."""
        return f"{self.kind}-{self.major}"

    @property
    def packages(self) -> tuple[str, ...]:
        """What has to be installed to compile and link C, with link-time optimisation too."""
        if self.kind == "gcc":
            return (self.compiler, "libc6-dev")
        return (self.compiler, f"lld-{self.major}", f"llvm-{self.major}", "libc6-dev")

    @property
    def path(self) -> str:
        """``PATH`` inside the root: the tools of this very LLVM go first."""
        own = f"/usr/lib/llvm-{self.major}/bin:" if self.kind == "clang" else ""
        return f"{own}/usr/local/bin:/usr/bin:/bin"


def known_names() -> list[str]:
    """The compilers that need no suite, by kind and age."""
    return sorted(_DEFAULT, key=lambda n: (n.partition("-")[0], int(n.partition("-")[2])))


def parse_name(name: str) -> DebianName:
    """UserError for a name of another form, and for one that must say its suite and does not."""
    found = _NAME.fullmatch(name)
    if not found:
        raise UserError(
            f"toolchain debian:{name}: write debian:clang-VERSION or debian:gcc-VERSION, with "
            f"@SUITE behind it where need be, e.g. debian:clang-19@bookworm"
        )
    compiler = f"{found['kind']}-{found['major']}"
    suite = found["suite"] or _DEFAULT.get(compiler)
    if not suite:
        raise UserError(
            f"toolchain debian:{name}: say which suite has it, e.g. debian:{compiler}@sid; "
            f"without one there are {', '.join(known_names())}"
        )
    return DebianName(found["kind"], int(found["major"]), suite)
