"""The providers of compilers by name. A new one is one file and one line here."""

from __future__ import annotations

import difflib
from collections.abc import Sequence

from whyfast.model.build import Toolchain
from whyfast.model.errors import UserError
from whyfast.store.home import Home
from whyfast.toolchain import Progress, Provider
from whyfast.toolchain.debian import DebianProvider
from whyfast.toolchain.path import PathProvider
from whyfast.toolchain.wheels import ZigProvider


def providers() -> dict[str, Provider]:
    """All providers by name. A new one is one file and one line here."""
    return {"path": PathProvider(), "zig": ZigProvider(), "debian": DebianProvider()}


def split_name(toolchain: str) -> tuple[str, str]:
    """``"zig:clang-19"`` → ``("zig", "clang-19")``; UserError for an unknown provider."""
    provider, colon, name = toolchain.partition(":")
    known = providers()
    if not colon or not name:
        raise UserError(
            f"toolchain {toolchain!r} has no provider; expected PROVIDER:NAME, e.g. path:gcc-12 or "
            f"zig:clang-19"
        )
    if provider not in known:
        near = difflib.get_close_matches(provider, known, 1)
        raise UserError(
            f"toolchain {toolchain!r}: unknown provider {provider!r}; "
            + (f"did you mean {near[0]!r}?" if near else f"available: {', '.join(known)}")
        )
    return provider, name


def installed(toolchain: str, home: Home, packages: Sequence[str] = ()) -> bool:
    """Whether the toolchain of that full name is there; see :meth:`Provider.installed`."""
    provider, name = split_name(toolchain)
    return providers()[provider].installed(name, home, packages)


def resolve(
    toolchain: str, home: Home, progress: Progress, packages: Sequence[str] = ()
) -> Toolchain:
    """The toolchain of that full name, e.g. ``zig:clang-19``; see :meth:`Provider.resolve`."""
    provider, name = split_name(toolchain)
    return providers()[provider].resolve(name, home, progress, packages)
