"""What a program's file holds, whichever format it has."""

from __future__ import annotations

from dataclasses import dataclass

from whyfast.explain.objects.elf import Architecture
from whyfast.explain.objects.image import Image
from whyfast.explain.objects.symbols import Function


@dataclass(frozen=True)
class Contents:
    """``functions`` by address; ``notes`` say what was not visible. ``objects`` are the extents of
    named data, by address; None where the file does not tell."""

    architecture: Architecture
    image: Image
    functions: tuple[Function, ...]
    notes: tuple[str, ...] = ()
    objects: tuple[tuple[int, int], ...] | None = None
