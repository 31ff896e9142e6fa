"""What a command that reports nothing did: files that it wrote, results that it stored, toolchains
and builds that it installed or removed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Action:
    """What was done to the thing called ``name``: a file, toolchain, or digest of a build.
    ``known``: it was stored already. ``detail`` says which version, or why it failed; ``bytes`` is
    what its removal freed."""

    did: Literal["wrote", "stored", "known", "installed", "removed", "failed"]
    name: str
    detail: str = ""
    bytes: int | None = None
