"""The functions of COFF objects and PE programs: names from labels, extents from ``.pdata``."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import replace

from whyfast.explain.objects.elf import Architecture
from whyfast.explain.objects.image import Image
from whyfast.explain.objects.labels import Function, Label, functions_of
from whyfast.explain.objects.padding import without_padding
from whyfast.explain.objects.pdata import read_extents


def windows_functions(
    image: Image, architecture: Architecture, labels: Iterable[Label]
) -> tuple[tuple[Function, ...], int]:
    """(the functions by address, how many of them no label names).

    A label without size takes the extent in ``.pdata`` that begins there, and what follows it of
    the same function. Parts that lie elsewhere are called NAME.cold, a function without a name
    sub_ADDRESS.
    """
    extents = read_extents(image, architecture)
    whole: dict[int, int] = {}  # start of a function → end
    parts: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
    for extent in extents:
        if extent.root == extent.start:
            whole[extent.start] = max(extent.end, whole.get(extent.start, 0))
    for extent in extents:
        if extent.root == extent.start:
            continue
        if whole.get(extent.root) == extent.start:
            whole[extent.root] = extent.end
        else:
            parts[extent.root].append((extent.start, extent.end))
    found = [
        replace(one, size=whole[one.address] - one.address)
        if not one.size and one.address in whole
        else one
        for one in labels
    ]
    names = {one.address: one for one in sorted(found, key=lambda one: -one.rank)}
    nameless = [start for start in whole if start not in names]
    found += [_made_up(image, f"sub_{start:x}", start, whole[start]) for start in nameless]
    for root, pieces in parts.items():
        name = names[root].name if root in names else f"sub_{root:x}"
        found += [
            _made_up(image, f"{name}.cold.{i}", start, end)
            for i, (start, end) in enumerate(pieces)
            if start not in names
        ]
    exact = {one.address for one in found if one.size}
    functions = without_padding(functions_of(found), image, architecture, exact)
    return tuple(functions), len(nameless)


def _made_up(image: Image, name: str, start: int, end: int) -> Label:
    region = image.region(start)
    assert region is not None
    return Label(name, start, start, region.name, region.end, end - start, rank=3)
