"""Names of C++ and Rust as their source has them, beside those that the linker sees.

``c++filt`` of binutils does the work; where it is missing, names stay as they are.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterable, Sequence
from dataclasses import replace

from whyfast.explain.objects.labels import Function

#: Mach-O puts one more underscore in front.
_MANGLED = re.compile(r"_{1,2}(?:Z|R)\w")
_RUST = re.compile(r"_{1,2}R\w|.*17h[0-9a-f]{16}E")
#: What compilers append for pieces and copies of a function, which no demangler needs to see.
_APPENDED = re.compile(r"(\.[\w.]+)$")
#: A crate's hash, which every build of other sources changes: ``core[a0bbcc8293a5deec]::fmt``.
_CRATE_HASH = re.compile(r"\[[0-9a-f]{6,16}\]")
_LEGACY_HASH = re.compile(r"::h[0-9a-f]{16}$")


def with_readable_names(functions: Sequence[Function]) -> tuple[Function, ...]:
    """The functions with what their names say in front of the names themselves.

    Both stay: either can be asked for, and profiles have the linker's. Crate hashes of Rust are
    left out, so that one function of two builds has one name.
    """
    said = readable(n for f in functions for n in f.names)
    return tuple(
        replace(f, names=tuple(dict.fromkeys((*(said.get(n, n) for n in f.names), *f.names))))
        if any(n in said for n in f.names)
        else f
        for f in functions
    )


def readable_of(name: str, names: Sequence[str]) -> str:
    """``name``, or what stands in front of it among ``names`` where it is mangled."""
    return names[0] if _MANGLED.match(name) and not _MANGLED.match(names[0]) else name


def readable(names: Iterable[str]) -> dict[str, str]:
    """What each mangled name says; names that say nothing are left out."""
    mangled = {n for n in names if _MANGLED.match(n)}
    stems = {name: _APPENDED.sub("", name) for name in sorted(mangled)}
    rust = {n: s for n, s in stems.items() if _RUST.match(s)}
    others = {n: s for n, s in stems.items() if n not in rust}
    found = {**_filtered(rust, "rust"), **_filtered(others, "gnu-v3")}
    return {
        name: _LEGACY_HASH.sub("", _CRATE_HASH.sub("", text)) + name[len(stems[name]) :]
        for name, text in found.items()
        if text != stems[name]
    }


def _filtered(stems: dict[str, str], style: str) -> dict[str, str]:
    program = shutil.which("c++filt")
    if not stems or program is None:
        return {}
    # One underscore too many is Mach-O's.
    lines = [s[1:] if s.startswith("__") else s for s in stems.values()]
    try:
        done = subprocess.run(
            [program, "-s", style],
            input="\n".join(lines) + "\n",
            capture_output=True,
            text=True,
            errors="replace",
            timeout=60,
        )
    except (OSError, subprocess.TimeoutExpired):
        return {}
    said = done.stdout.splitlines()
    if done.returncode or len(said) != len(lines):
        return {}
    return {name: text for name, text, line in zip(stems, said, lines, strict=True) if text != line}
