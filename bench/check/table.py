"""What the trials show, as Markdown."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from bench.check.changes import SIZES

Trial = Mapping[str, Any]


def table(trials: Sequence[Trial]) -> str:
    """One row a number of busy neighbours and language, and one for all."""
    lines = [
        "| neighbours | language | harmless | without measuring | false alarms | by placement | "
        + " | ".join(f"{p} % found" for p in SIZES)
        + " | median time | longest |",
        "| ---: | --- | ---: | ---: | ---: | ---: | "
        + " | ".join("---:" for _ in SIZES)
        + " | ---: | ---: |",
    ]
    for neighbours in sorted({t["neighbours"] for t in trials}):
        here = [t for t in trials if t["neighbours"] == neighbours]
        for language in (*sorted({t["language"] for t in here}), "all"):
            mine = [t for t in here if language in (t["language"], "all")]
            lines.append(f"| {neighbours} | {language} | {' | '.join(_cells(mine))} |")
    return "\n".join(lines) + "\n"


def _cells(trials: Sequence[Trial]) -> Iterator[str]:
    harmless = [t for t in trials if not t["percent"]]
    yield str(len(harmless))
    yield _share([not t["measured"] for t in harmless])
    yield _share([t["word"] in ("slower", "faster") for t in harmless])
    yield _share([t["moved"] in ("slower", "faster") for t in harmless])
    for percent in SIZES:
        yield _share([t["word"] == "slower" for t in trials if t["percent"] == percent])
    seconds = [float(t["seconds"]) for t in trials]
    yield f"{statistics.median(seconds):.0f} s"
    yield f"{max(seconds):.0f} s"


def _share(hits: Sequence[bool]) -> str:
    return f"{sum(hits)} of {len(hits)}"
