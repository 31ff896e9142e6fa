"""The interface that every format stands behind."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from whyfast.formats.node import Node
from whyfast.model.series import Recording


@dataclass(frozen=True)
class Given:
    """What is to be read: a folder (``text`` is None), or a file's text.

    ``document`` is its JSON when the text begins like JSON. ``name`` is what the recording will be
    called; ``where`` stands before error messages. ``chosen`` are the columns and values that
    select some of the rows, see :mod:`whyfast.formats.select`.
    """

    path: Path
    name: str
    text: str | None = None
    document: Node | None = None
    chosen: tuple[tuple[str, str], ...] = ()

    @property
    def where(self) -> str:
        return str(self.path)


@dataclass(frozen=True)
class Format:
    """``claims`` looks whether something is of this format, by content; ``read`` reads what was
    claimed, or raises a UserError. ``name`` is the tool's."""

    name: str
    claims: Callable[[Given], bool]
    read: Callable[[Given], Recording]
