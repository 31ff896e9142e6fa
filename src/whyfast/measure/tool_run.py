"""A program that is run to be counted, under some tool."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from whyfast.measure.launch import Launcher


class CannotCount(Exception):
    """Counting did not work; the message says why and what would help."""


@dataclass(frozen=True)
class ToolRun:
    """``command`` with its environment, and what runs it for at most ``timeout`` seconds.

    ``enter`` are the words before the command, of a sandbox; ``scratch`` is a folder that can be
    written to inside and outside of it under one name; None: any temporary one.
    """

    command: tuple[str, ...]
    launcher: Launcher
    env: Mapping[str, str]
    timeout: float
    enter: tuple[str, ...] = ()
    scratch: Path | None = None
