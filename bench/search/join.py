"""Rows of several runs of bench.search as one, so that a table can be made in parts."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

#: Of these there are no means over searches.
_SUMMED = ("searches", "cpu_seconds")
_OWN = ("scene", "bound", "words", "measured_error", "measured_most")


def joined(files: Sequence[Sequence[Mapping[str, Any]]]) -> list[dict[str, Any]]:
    """A row a scene, in the order in which they come, over all its searches.

    The quantile ``measured_most`` is the largest of the parts: no less than that of all.
    """
    parts: dict[str, list[Mapping[str, Any]]] = {}
    for row in (row for rows in files for row in rows):
        parts.setdefault(row["scene"], []).append(row)
    return [_one(rows) for rows in parts.values()]


def _one(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    searches = [r["searches"] for r in rows]
    whole: int = sum(searches)

    def mean(values: Sequence[float]) -> float:
        return math.fsum(n * v for n, v in zip(searches, values, strict=True)) / whole

    out: dict[str, Any] = {}
    for name in rows[0]:
        values = [r[name] for r in rows]
        if name in _SUMMED:
            out[name] = sum(values)
        elif name not in _OWN:
            out[name] = mean(values)
    words = sorted({w for r in rows for w in r["words"]})
    middle = out["measured"]
    # Each part has its variance about its own mean, and its mean one about that of all.
    about = [
        n * r["measured_error"] ** 2 + (r["measured"] - middle) ** 2
        for n, r in zip(searches, rows, strict=True)
    ]
    return {
        **out,
        "scene": rows[0]["scene"],
        "bound": rows[0]["bound"],
        "words": {w: sum(r["words"].get(w, 0) for r in rows) for w in words},
        "measured_error": math.sqrt(mean(about) / whole),
        "measured_most": max(r["measured_most"] for r in rows),
    }
