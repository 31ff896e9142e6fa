"""Whether a disk has room, asked before a long step instead of found out in the middle of it."""

from __future__ import annotations

import shutil
from pathlib import Path


def lacking(folder: Path, need: int) -> str | None:
    """In words why ``need`` bytes do not fit below ``folder`` (which may not exist yet), or None.

    What cannot be asked is taken to have room.
    """
    place = folder
    try:
        while not place.exists() and place != place.parent:
            place = place.parent
        free = shutil.disk_usage(place).free
    except OSError:
        return None
    if free >= need:
        return None
    return f"{folder} has {readable(free)} free and about {readable(need)} are needed"


def used(folder: Path) -> int:
    """Bytes of all files below ``folder``; files that cannot be read count nothing."""
    total = 0
    for path in folder.rglob("*"):
        try:
            if not path.is_symlink() and path.is_file():
                total += path.stat().st_size
        except OSError:
            continue
    return total


def readable(size: float) -> str:
    """``1.3 GB``, ``270 MB``, ``12 kB``."""
    for unit, factor in (("GB", 1e9), ("MB", 1e6)):
        if size >= factor * 0.9995:
            number = size / factor
            return f"{number:.1f} {unit}" if unit == "GB" else f"{number:.0f} {unit}"
    return f"{size / 1e3:.0f} kB"
