"""pyperf JSON 1.0, as ``pyperf compare_to``, ``check`` and ``stats`` read it.

A process, or the part of a block that one variant took, is a run of the file.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from whyfast.model.errors import UserError
from whyfast.model.result import Result
from whyfast.model.series import SECOND, Recording, Series

VERSION = "1.0"
UNITS = (SECOND, "byte", "integer")

#: Metadata that pyperf knows, and writes as text or number; others are kept as text.
_NUMBERS = ("cpu_count", "load_avg_1min")
#: What pyperf expects per run or benchmark, or computes itself.
_RESERVED = ("name", "unit", "loops", "inner_loops", "date", "duration", "uptime")


def to_pyperf(recording: Recording) -> dict[str, Any]:
    """The recording as the JSON data of a pyperf file, which holds no units but pyperf's."""
    metadata = {k: _plain(k, v) for k, v in recording.metadata.items() if k not in _RESERVED}
    date = {} if recording.started is None else {"date": _date(recording.started)}
    return {
        "version": VERSION,
        "metadata": metadata,
        "benchmarks": [
            {
                "metadata": {"name": series.benchmark, "unit": series.unit},
                "runs": [{"metadata": date, "values": list(values)} for values in series.processes],
            }
            for series in recording.series.values()
            if series.unit in UNITS
        ],
    }


def recordings_of(result: Result) -> tuple[Recording, ...]:
    """Each variant of a result that holds blocks, as a recording: one process a block."""
    found: dict[str, dict[str, list[tuple[float, ...]]]] = {}
    for block in result.recorded.blocks:
        for variant, values in block.values.items():
            processes = found.setdefault(variant, {}).setdefault(block.benchmark, [])
            processes.append(tuple(value / block.loops for value in values))
    started = min((b.started for b in result.recorded.blocks), default=None)
    ended = max((b.started + b.seconds for b in result.recorded.blocks), default=None)
    return tuple(
        Recording(
            name=variant,
            source=result.question.name,
            tool="whyfast",
            series={
                name: Series(name, SECOND, tuple(processes))
                for name, processes in by_benchmark.items()
            },
            started=started,
            ended=ended,
        )
        for variant, by_benchmark in found.items()
    )


def write_recordings(recordings: Sequence[Recording], folder: Path) -> Iterable[Path]:
    """One file a recording, named after it; the folder is made. Yields each path once written."""
    names = [_file_name(r.name) for r in recordings]
    if len(set(names)) < len(names):
        names = [f"{i}-{name}" for i, name in enumerate(names, 1)]
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UserError(f"cannot be made: {error.strerror}", where=folder) from None
    for recording, name in zip(recordings, names, strict=True):
        path = folder / f"{name}.json"
        temporary = folder / f".{name}.{os.getpid()}"
        try:
            text = json.dumps(to_pyperf(recording), indent=1, allow_nan=False)
            temporary.write_text(text + "\n", "utf-8")
            temporary.replace(path)
        except OSError as error:
            temporary.unlink(missing_ok=True)
            raise UserError(f"cannot be written: {error.strerror}", where=path) from None
        yield path


def _plain(key: str, value: object) -> str | float:
    if isinstance(value, tuple):
        return "; ".join(value)
    if key in _NUMBERS:
        try:
            number = float(str(value))
        except ValueError:
            return str(value)
        if not math.isfinite(number):
            return str(value)
        return int(number) if number.is_integer() else number
    return value if isinstance(value, float) else str(value)


def _date(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M:%S.%f")


def _file_name(name: str) -> str:
    kept = "".join(c if c.isalnum() or c in "-_.=," else "_" for c in name)
    return kept.strip(".")[:100] or "run"
