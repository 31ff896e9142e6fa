"""A variant made into a program, and what went into it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal


@dataclass(frozen=True)
class Build:
    """A finished build. ``digest`` is over everything that went in, ``program_sha256`` over what
    came out; ``provenance`` is the whole record, as kept beside the program (plain JSON data)."""

    variant: str
    digest: str
    program: Path
    program_sha256: str
    provenance: Mapping[str, Any]
    reused: bool
    kind: Literal["built"] = "built"


@dataclass(frozen=True)
class BuildFailure:
    """A variant that has no program.

    ``kind`` is ``not-buildable`` (its toolchain or this machine cannot do it; ``reason`` says
    why) or ``failed`` (a step failed: ``log_tail`` holds the last lines, ``log`` the whole).
    """

    variant: str
    kind: Literal["not-buildable", "failed"]
    reason: str
    log: Path | None = None
    log_tail: tuple[str, ...] = ()


BuildOutcome = Build | BuildFailure
