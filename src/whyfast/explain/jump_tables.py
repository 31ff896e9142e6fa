"""Finding jump tables: the places inside a function that its indirect jumps can reach.

Compilers write five kinds. *Absolute*: 8-byte addresses (computed goto; switches without PIC).
*Relative*: 4-byte distances from the table itself (switches with PIC). *Label*: 4-byte distances
from a place in the function (``&&a - &&b`` in the source). *Compressed*: on AArch64, 1-, 2- or
4-byte numbers of instructions, counted from a place in the function. *Image-relative*:
4-byte distances from where the program is loaded (Microsoft's compiler). Entries must all fall on
the beginning of an instruction, which random data does not do for long.
"""

from __future__ import annotations

import struct
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from whyfast.explain.disassembly import Instruction
from whyfast.explain.functions import Body, Program
from whyfast.explain.objects import Image

TableKind = Literal["absolute", "relative", "label", "compressed", "image-relative"]

MIN_TARGETS = 3  # fewer distinct places are as likely chance as a table
_LONGEST = 0x1_0000  # entries of one table
_LONGEST_HOLE = 64  # consecutive entries of one table that lead elsewhere or nowhere
_NEARBY = 16  # instructions before a jump in which the compiler computes its target
_MAX_LABELS = 32
_MANY_JUMPS = 16  # of a function with smaller tables only: it must have another one


@dataclass(frozen=True)
class JumpTable:
    """A table at ``address`` with its distinct ``targets``; ``commonest`` is the share of its
    entries that lead to the one that most do."""

    address: int
    kind: TableKind
    targets: frozenset[int]
    commonest: float = 0.0


class Pointers:
    """Every aligned 8-byte word of the program's data that points into its code."""

    def __init__(self, image: Image) -> None:
        code = [(r.start, r.end) for r in image.regions if r.executable]
        low, high = min((s for s, _ in code), default=0), max((e for _, e in code), default=0)
        where: list[npt.NDArray[np.uint64]] = []
        what: list[npt.NDArray[np.uint64]] = []
        for region in image.regions:
            skip = -region.start % 8
            count = (len(region.data) - skip) // 8
            if not region.pointers or count <= 0:
                continue
            words = np.frombuffer(bytes(region.data), dtype="<u8", count=count, offset=skip)
            hits = np.flatnonzero((words >= low) & (words < high))
            where.append(hits.astype(np.uint64) * np.uint64(8) + np.uint64(region.start + skip))
            what.append(words[hits])
        nothing = np.zeros(0, dtype=np.uint64)
        located = np.concatenate(where) if where else nothing
        values = np.concatenate(what) if what else nothing
        order = np.argsort(values, kind="stable")  # by value: functions ask for theirs one by one
        self._where, self._what = located[order], values[order]

    def into(self, body: Body) -> list[tuple[int, int]]:
        """(location, value) of those that point into a function, by location."""
        inside: set[tuple[int, int]] = set()
        for piece in body.pieces:
            ends = np.array([piece.address, piece.end], dtype=np.uint64)
            low, high = np.searchsorted(self._what, ends)
            pairs = zip(self._where[low:high].tolist(), self._what[low:high].tolist(), strict=True)
            inside.update(pairs)
        return sorted(inside)

    def to(self, addresses: Iterable[int]) -> set[int]:
        """Those of ``addresses`` that some word points at exactly."""
        asked = np.array(list(addresses), dtype=np.uint64)
        low, high = (np.searchsorted(self._what, asked, side) for side in ("left", "right"))
        return set(asked[high > low].tolist())

    def runs(self, addresses: Iterable[int]) -> list[list[int]]:
        """What words next to each other point at, where all point exactly at ``addresses``."""
        known = np.isin(self._what, np.array(sorted(addresses), dtype=np.uint64))
        order = np.argsort(self._where[known])
        where, what = self._where[known][order], self._what[known][order]
        ends = np.flatnonzero(np.diff(where) != 8) + 1
        return [run.tolist() for run in np.split(what, ends) if len(run)]


def jump_tables(program: Program, pointers: Pointers, body: Body) -> list[JumpTable]:
    """The tables that lead into ``body``: that of most jumps first among the largest, which differ
    by less than half, then one of addresses, then by targets.

    A handler may have a ``switch`` over all opcodes of its own, for those behind a prefix. Tables
    with entries as wide share the jumps that go by such entries.
    """
    references = sorted({r for i in body.instructions if (r := _base(i)) is not None})
    # A table may stand in the middle of a function where the file says that it is data.
    image = program.image
    outside = [r for r in references if not body.contains(r) or image.is_data(r)]
    candidates = list(_absolute(program, pointers.into(body), body, outside))
    candidates += _of_distances("relative", program, body, outside, ())
    if image.base is not None:
        # The code names such a table by its distance, too, as it adds the base in a register.
        distances = (image.base + r for r in references if r < 1 << 31)
        tables = sorted({*references, *distances})
        candidates += _of_distances("image-relative", program, body, tables, [image.base])
    if program.architecture == "aarch64":
        candidates += _compressed(program, body, outside)
    largest = max((len(t.targets) for t in candidates), default=0)
    few = largest < min(len(body.indirect_jumps), _MANY_JUMPS)
    if (not candidates or few) and any(i.width == 4 for i in body.instructions):
        # Small numbers in any array look like these, so they are only a last resort.
        labels = [r for r in references if r in body.boundaries][:_MAX_LABELS]
        candidates += _of_distances("label", program, body, outside, labels)
    best: dict[int, JumpTable] = {}
    for table in candidates:
        known = best.get(table.address)
        if known is None or len(known.targets) < len(table.targets):
            best[table.address] = table
    jumps, half = _entries_read(body), max((len(t.targets) for t in best.values()), default=0) / 2
    tables_of = Counter(_width(t) for t in best.values())

    def rank(table: JumpTable) -> tuple[float, bool, int, int]:
        large, width = len(table.targets) >= half, _width(table)
        through = jumps[width] / tables_of[width] if large else -1
        return -through, table.kind != "absolute", -len(table.targets), table.address

    return sorted(best.values(), key=rank)


def _width(table: JumpTable) -> int:
    return 8 if table.kind == "absolute" else 4


def _entries_read(body: Body) -> Counter[int]:
    """How many indirect jumps go by entries of 8 bytes, and by shorter ones, counted under 4."""
    return Counter(8 if width == 8 else 4 for width in _widths(body))


def jumps_without_entry(body: Body) -> int:
    """How many indirect jumps read no entry of a table just before, as where a program stores the
    addresses of its handlers in place of their numbers (direct threading)."""
    return sum(width == 0 for width in _widths(body))


def _widths(body: Body) -> Iterator[int]:
    """For each indirect jump the bytes of the entry that is read before it; 0 where none is."""
    code = body.instructions
    for at, jump in enumerate(code):
        if jump.kind == "indirect jump":
            near = reversed(code[max(0, at - _NEARBY) : at + 1])
            yield next((i.width for i in near if i.use == "indexes"), 0)


def _base(instruction: Instruction) -> int | None:
    """The address that an instruction uses as a table's or a label's; None without one."""
    return instruction.reference if instruction.use in ("forms", "indexes") else None


def _absolute(
    program: Program, pointers: list[tuple[int, int]], body: Body, references: list[int]
) -> Iterator[JumpTable]:
    """Runs of pointers; a new table begins where the function's code refers into a run."""
    starts = set(references)
    run: list[int] = []
    first = last = 0
    for location, value in pointers:
        if value not in body.boundaries:
            continue
        bridge = _bridge(program, last, location) if run and location not in starts else None
        if bridge is None:
            yield from _as_table("absolute", first, run)
            run, first = [], location
        run += [*(bridge or ()), value]
        last = location
    yield from _as_table("absolute", first, run)


def _bridge(program: Program, before: int, after: int) -> list[int] | None:
    """Targets between two entries of one table; None when something else lies between them.

    Unused opcodes leave null entries, and handlers in a cold part of which a stripped file keeps
    no symbol are in the middle of code without a name, or of no known function.
    """
    hole = after - before - 8
    if hole > _LONGEST_HOLE * 8:
        return None
    data = program.image.read(before + 8, hole)
    if len(data) != hole:
        return None  # the end of a section lies between
    targets = []
    for (word,) in struct.iter_unpack("<Q", data):
        region = program.image.region(word)
        if word == 0:
            continue
        function = program.function_at(word)
        named = function is not None and (not function.unnamed or word == function.address)
        if region is None or not region.executable or named:
            return None
        targets.append(word)
    return targets


def _of_distances(
    kind: TableKind, program: Program, body: Body, tables: list[int], bases: Sequence[int]
) -> Iterator[JumpTable]:
    """Tables of 4-byte distances from one of ``bases``; of relative ones from the table itself."""
    for table in tables:
        for base in (table,) if kind == "relative" else bases:
            entries = _entries(program.image, table, 4, True, _room(tables, table, 4))
            yield from _as_table(kind, table, _valid(program, entries, base, 1, body))


def _compressed(program: Program, body: Body, references: list[int]) -> Iterator[JumpTable]:
    """Such tables fit almost any data, so width, base and length are read off the code that leads
    to the jump. Table and base may have been computed anywhere before it."""
    code = body.instructions
    table = label = None
    for at, jump in enumerate(code):
        if (reference := _base(jump)) is not None:
            if body.contains(reference):
                label = reference
            else:
                table = reference
        if jump.kind != "indirect jump" or table is None or label is None:
            continue
        near = code[max(0, at - _NEARBY) : at]
        width = next((i.width for i in reversed(near) if i.use == "indexes"), 0)
        limit = next((i.limit for i in reversed(near) if i.limit is not None), None)
        if width not in (1, 2, 4):
            continue
        room = _room(references, table, width)
        if limit is not None:
            room = min(room, limit + 1)
        elif room == _LONGEST:  # every value has its target, so no comparison guards the jump
            room = _room(program.references(), table, width)
        signed = width == 4 or any(i.use == "sign-extends" for i in near)
        entries = _entries(program.image, table, width, signed, room)
        yield from _as_table("compressed", table, _valid(program, entries, label, 4, body))


def _room(references: list[int], table: int, width: int) -> int:
    """How many entries fit before the next thing that the code refers to."""
    following = bisect_right(references, table)
    if following == len(references):
        return _LONGEST
    return min(_LONGEST, (references[following] - table) // width)


def _entries(image: Image, table: int, width: int, signed: bool, room: int) -> Iterator[int]:
    letter = {1: "b", 2: "h", 4: "i"}[width]
    data = image.read(table, room * width)
    whole = data[: len(data) // width * width]
    for (entry,) in struct.iter_unpack(f"<{letter if signed else letter.upper()}", whole):
        yield entry


def _valid(
    program: Program, entries: Iterator[int], base: int, scale: int, body: Body
) -> Iterator[int]:
    """Targets up to the first entry that leads elsewhere. The end of the function is skipped, as a
    cold part without a name is: compilers send values there that cannot occur."""
    ends = {piece.end for piece in body.pieces}
    for entry in entries:
        target = base + entry * scale
        if target in body.boundaries:
            yield target
        elif target not in ends:
            part = program.function_at(target)
            if part is None or not part.part:
                return


def _as_table(kind: TableKind, address: int, targets: Iterable[int]) -> Iterator[JumpTable]:
    entries = Counter(targets)
    if len(entries) >= MIN_TARGETS:
        share = max(entries.values()) / entries.total()
        yield JumpTable(address, kind, frozenset(entries), share)
