"""Tables as plain data, so that every report shows the same cells."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from whyfast.model.verdict import Word

Align = Literal["left", "right"]


@dataclass(frozen=True)
class Cell:
    """``text`` is what matters, ``detail`` what may go on a second line or be dimmed.

    ``word`` colours the cell; the text says the same, so that colour is never needed.
    """

    text: str
    detail: str = ""
    word: Word | None = None


@dataclass(frozen=True)
class Column:
    """A heading and how its cells stand."""

    title: str
    align: Align = "left"


@dataclass(frozen=True)
class Table:
    """Rows under headings; the first cell of a row names it.

    ``fixed`` is how many of the leading columns must be repeated when a table is cut to fit.
    """

    caption: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    fixed: int = 1

    def only(self, keep: Sequence[int]) -> Table:
        """The table with those columns only, the fixed ones among them."""
        return Table(
            self.caption,
            tuple(self.columns[i] for i in keep),
            tuple(tuple(row[i] for i in keep) for row in self.rows),
            self.fixed,
        )
