"""Which columns of a table stand side by side in a given width."""

from __future__ import annotations

from collections.abc import Sequence

from whyfast.report.table import Table


def fit(table: Table, widths: Sequence[int], room: int) -> tuple[Table, ...]:
    """``table`` in as few parts as possible, each at most ``room`` wide where that can be.

    ``widths`` are those of the columns with the gap behind them. The fixed columns are repeated in
    every part. A column that does not fit even alone gets a part of its own.
    """
    start = sum(widths[: table.fixed])
    parts: list[list[int]] = []
    used = room
    for index in range(table.fixed, len(table.columns)):
        if parts and used + widths[index] <= room:
            parts[-1].append(index)
            used += widths[index]
        else:
            parts.append([index])
            used = start + widths[index]
    if len(parts) < 2:
        return (table,)
    return tuple(table.only([*range(table.fixed), *part]) for part in parts)
