"""A compiler with its linker and libraries, from a named provider."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

#: What a probe can find out about a compiler, in the order that reports print it.
FEATURES = ("computed-goto", "musttail", "preserve_none")


@dataclass(frozen=True)
class Toolchain:
    """A usable compiler.

    ``cc`` is the argument vector that compiles and links C, including flags that the provider
    always needs; ``digest`` identifies the very files used (sha256, hex); ``features`` is the
    subset of :data:`FEATURES` that compiling a probe showed.
    """

    name: str
    provider: str
    version: str
    target: str
    digest: str
    cc: tuple[str, ...]
    features: frozenset[str]
    env: Mapping[str, str] = field(default_factory=dict)
