"""Are two programs the same but for where their code and data lie?

Two functions are the same when their instructions are, with every address replaced by what lies
there: a function by its name, data by what it holds. What cannot be shown to be the same counts as
changed."""

from __future__ import annotations

import difflib
import re
import struct
from collections.abc import Callable, Collection, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import TypeVar

from whyfast.explain.moved_lines import (
    LOCATION,
    MovedLines,
    file_of_rust,
    is_line_of_rust,
    without,
)
from whyfast.explain.namesakes import pair
from whyfast.explain.normal_code import EXCEPTIONS, Field, Key, PlainCode, Side, reached
from whyfast.explain.objects import Function
from whyfast.explain.objects.go_types import GO_TABLES, GO_TESTS
from whyfast.model.code import CodeComparison, FunctionChange
from whyfast.model.errors import UserError

#: Lines of a difference of instructions, and around each place.
_LINES, _AROUND = 60, 2
_T = TypeVar("_T")
#: Functions about where the data ends, in the files that the compiler links in front.
_OF_THE_LINKER = ("deregister_tm_clones", "register_tm_clones")
#: A place in the function itself, as :func:`_called` writes it, and how wide the jump is encoded.
_INNER = re.compile(r"(?<=\s)(?:short )?\+0x[0-9a-f]+$")
_RIP = re.compile(r"\[rip[+-]0x[0-9a-f]+\]")


def same_code(a: Path, b: Path, folders: tuple[Path, Path] | None = None) -> CodeComparison:
    """Compare two programs. Nothing is raised for what cannot be read: it counts as changed.
    ``folders`` are those that they were built in. Where a program looks for libraries in its own,
    the other may do so in its own."""
    try:
        if a.read_bytes() == b.read_bytes():
            return CodeComparison(identical=True, same=True, traced=True)
        sides = Side(a, folders and folders[0]), Side(b, folders and folders[1])
    except (UserError, OSError) as error:
        message = error.message if isinstance(error, UserError) else str(error)
        return changed(f"the machine code cannot be read: {message}")
    if any(s.program.architecture != "x86-64" for s in sides):
        return changed("machine code is compared for x86-64 only")
    return _Pair(*sides).compared()


def changed(reason: str) -> CodeComparison:
    """For what cannot be compared."""
    return CodeComparison(False, False, reasons=(reason,))


#: Data on both sides that is to hold the same: where it begins on each, and how many bytes.
_Data = tuple[int, int, int]
#: Bytes of a table of distances to texts at most, and an entry.
_MOST_TEXTS, _DISTANCE = 4096, struct.Struct("<i")
#: In place of how many: there is the description of a type.
_TYPE = -1


class _Pair:
    """Two programs side by side. What is compared may refer to data, which may refer to other data
    and back. So every comparison first notes what it rests on, in ``_wanted``; once each has been
    made, those fail that rest on one that failed."""

    def __init__(self, a: Side, b: Side) -> None:
        pair(a, b)
        self.a, self.b = a, b
        # Each function's part of the table by itself, where the parts are known.
        self._in_parts = bool(a.exceptions and b.exceptions)
        self._wanted: dict[_Data, None] = {}
        self._places: dict[tuple[int, int], tuple[bool, _Data | None]] = {}
        self._moved_lines = MovedLines(a, b)
        # A test that only one side has is a function that only one has.
        self._lists_tests = GO_TESTS[1] in a.functions and GO_TESTS[1] in b.functions

    def compared(self) -> CodeComparison:
        a, b = self.a, self.b
        apart, rests = self._resting(lambda: tuple(self._apart()))
        both = [k for k in a.functions if k in b.functions]
        compared = {
            k: self._resting(partial(self._same_function, a.functions[k], b.functions[k]))
            for k in both
        }
        needed = [data for _, of_function in compared.values() for data in of_function]
        differs = self._compare_data([*rests, *needed])
        begins = ["data that the program begins with differs"]
        reasons = [*apart, *(begins if differs & rests.keys() else [])]
        changed = {k for k, (same, data) in compared.items() if not same or differs & data.keys()}
        removed = [k for k in a.functions if k not in b.functions]
        added = [k for k in b.functions if k not in a.functions]
        from_a, from_b = reached(a), reached(b)
        functions = (
            *(self._change(k, k in from_a or k in from_b) for k in both if k in changed),
            *(self._change(k, k in from_b) for k in added),
            *(self._change(k, k in from_a) for k in removed),
        )
        same = not reasons and not any(f.reached for f in functions)
        return CodeComparison(False, same, functions, tuple(reasons), traced=not reasons)

    def _resting(self, compare: Callable[[], _T]) -> tuple[_T, dict[_Data, None]]:
        """The outcome of a comparison by itself, and the data that it rests on."""
        self._wanted = {}
        return compare(), self._wanted

    def _compare_data(self, first: Iterable[_Data]) -> set[_Data]:
        """The data that differs, of ``first`` and all that it leads to."""
        users: dict[_Data, list[_Data]] = {}
        differs: list[_Data] = []
        todo, known = list(first), set(first)
        while todo:
            data = todo.pop()
            same, rests = self._resting(partial(self._same_bytes, *data))
            if not same:
                differs.append(data)
                continue
            for needed in rests:
                users.setdefault(needed, []).append(data)
                if needed not in known:
                    known.add(needed)
                    todo.append(needed)
        differing = set(differs)
        while differs:
            for user in users.get(differs.pop(), ()):
                if user not in differing:
                    differing.add(user)
                    differs.append(user)
        return differing

    def _apart(self) -> Iterator[str]:
        """What differs outside of functions and of the data that they refer to."""
        a, b = self.a, self.b
        notes = dict.fromkeys((*a.program.notes, *b.program.notes))
        if notes:
            yield f"not all functions have names: {'; '.join(notes)}"
        if a.header[1:] != b.header[1:] or not self._same_place(a.header[0], b.header[0]):
            yield "the libraries that it is linked with, or where it begins, differ"
        if sorted(a.between()) != sorted(b.between()):
            yield "code that belongs to no named function differs"
        whole = [
            {r.name: r for r in s.data_regions() if not r.name.startswith(s.referred)}
            for s in (a, b)
        ]
        for name in sorted({*whole[0], *whole[1]} - ({EXCEPTIONS} if self._in_parts else set())):
            here, there = whole[0].get(name), whole[1].get(name)
            if (
                here is None
                or there is None
                or len(here.data) != len(there.data)
                or not self._same_bytes(here.start, there.start, len(here.data))
            ):
                yield f"the data in {name} differs"

    def _same_function(self, f: Function, g: Function) -> bool:
        left, right = self.a.code(f), self.b.code(g)
        if len(left.plain) != len(right.plain):
            return False
        if self._in_parts and not self._same_exceptions(f, g):
            return False
        if left.plain == right.plain and f.name in _OF_THE_LINKER and g.name == f.name:
            return True
        return self._same_but(left, right, ()) or bool(
            (lines := self._moved_lines.between(f, g)) and self._same_but(left, right, lines)
        )

    def _same_but(self, left: PlainCode, right: PlainCode, lines: Collection[int]) -> bool:
        """Whether the code is the same but for the numbers of lines that begin there."""
        return (
            without(left.plain, lines) == without(right.plain, lines)
            and len(left.fields) == len(right.fields)
            and all(
                x.start == y.start
                and (x.start in lines or self._same_field(x.value, y.value, x.surely))
                for x, y in zip(left.fields, right.fields, strict=True)
            )
        )

    def _same_exceptions(self, f: Function, g: Function) -> bool:
        here, there = self.a.exceptions.get(f.address), self.b.exceptions.get(g.address)
        if here is None or there is None:
            return here == there
        types = here[1], there[1]
        return (here[0], len(types[0])) == (there[0], len(types[1])) and all(
            x == y if 0 in (x, y) else self._same_place(x, y) for x, y in zip(*types, strict=True)
        )

    def _same_field(self, here: int, there: int, surely: bool) -> bool:
        inside = bool(self.a.section_at(here)), bool(self.b.section_at(there))
        if not surely and inside != (True, True):
            return here == there
        return self._same_place(here, there)

    def _same_place(self, here: int, there: int) -> bool:
        """Whether two addresses mean the same thing, given that the data there holds the same."""
        if (here, there) not in self._places:
            self._places[here, there] = self._compare_places(here, there)
        same, data = self._places[here, there]
        if data is not None:
            self._wanted[data] = None
        return same

    def _compare_places(self, here: int, there: int) -> tuple[bool, _Data | None]:
        """Whether they mean the same, and the data that this rests on."""
        a, b = self.a, self.b
        function = a.place(here), b.place(there)
        if function != (None, None):
            return function[0] == function[1], None
        slots = a.image.slots.get(here), b.image.slots.get(there)
        if slots != (None, None):
            return slots[0] == slots[1], None
        sections = a.section_at(here), b.section_at(there)
        if sections[0] is None or sections[1] is None:
            return here == there, None  # nowhere: a number, or an end of the program
        if sections[0][1] != sections[1][1]:
            return False, None
        types = a.go and a.go.type_of(here), b.go and b.go.type_of(there)
        if types[0] and types[1]:
            return here - types[0] == there - types[1], (types[0], types[1], _TYPE)
        if types[0] or types[1]:
            return False, None
        if sections[0][1].startswith(".plt"):
            called = a.program.name_of(here), b.program.name_of(there)
            return called[0] == called[1] and not called[0].startswith("0x"), None
        left, right = a.named_at(here), b.named_at(there)
        if a.go and sections[0][1].startswith(GO_TABLES):
            # What the runtime looks up there is where things lie. Some beginnings have no size.
            names = (
                left and (left.name, here - left.start),
                right and (right.name, there - right.start),
            )
            return names[0] == names[1], None
        if left is not None and right is not None:
            if self._lists_tests and left.name == right.name and left.name in GO_TESTS[0]:
                return here - left.start == there - right.start, None
            offsets = here - left.start, there - right.start
            if (left.name, left.size, offsets[0]) != (right.name, right.size, offsets[1]):
                return False, None
            return True, (left.start, right.start, left.size)
        if left is not None or right is not None:
            return False, None
        if a.image.region(here) is None or b.image.region(there) is None:
            # No bytes, no name: the distance must do, but for what Go has without a name.
            return bool(a.go and b.go) or sections[0] == sections[1], None
        lengths = a.end_of(here) - here, b.end_of(there) - there
        common = min(lengths)
        rest = a.image.read(here + common, lengths[0] - common)
        rest += b.image.read(there + common, lengths[1] - common)
        # Texts of Go have their lengths beside their addresses; behind them lies what others use.
        if rest.strip(b"\0") and not (a.go and b.go):
            return False, None
        return True, (here, there, common)

    def _same_bytes(self, here: int, there: int, size: int) -> bool:
        """Whether ``size`` bytes hold the same, addresses compared by what they mean."""
        a, b = self.a, self.b
        if size == _TYPE:
            return self._same_type(here, there)
        if size == LOCATION and file_of_rust(a, here) and file_of_rust(b, there):
            return True
        left, right = a.image.read(here, size), b.image.read(there, size)
        if len(left) != len(right):
            return False
        done: set[int] = set()
        places = {p - here for p in a.places_between(here, here + size - 7)}
        places |= {p - there for p in b.places_between(there, there + size - 7)}
        for i in places:
            slots = a.image.slots.get(here + i), b.image.slots.get(there + i)
            if slots != (None, None) and slots[0] != slots[1]:
                return False
            values = a.words.get(here + i), b.words.get(there + i)
            if values[0] is not None and values[1] is not None:
                if not self._same_place(values[0], values[1]):
                    return False
                done.update(range(i, i + 8))
        texts = ([], []) if a.go else (_texts(a, here, size), _texts(b, there, size))
        if all(texts):
            pairs = zip(*texts, strict=False)
            return len(texts[0]) == len(texts[1]) and all(self._same_place(x, y) for x, y in pairs)
        if left == right:
            return True
        for i in _differing(left, right):
            if i in done:
                continue
            line = i - (here + i) % 8
            if is_line_of_rust(a, here + line, b, there + line) or self._is_case_of_go(
                *(int.from_bytes(s[max(line, 0) : line + 8], "little") for s in (left, right))
            ):
                done.update(range(line, line + 8))
                continue
            start = i - (here + i) % 4
            if start < 0 or start + 4 > size or not self._same_entry(here, there, start):
                return False
            done.update(range(start, start + 4))
        return True

    def _is_case_of_go(self, here: int, there: int) -> bool:
        """Whether a table of a switch of Go, whose words lead into functions, leads there to the
        same place."""
        place = self.a.place(here) if self.a.go and self.b.go else None
        return place is not None and place == self.b.place(there)

    def _same_type(self, here: int, there: int) -> bool:
        """Whether two descriptions of types of Go say the same."""
        f = self.a.go and self.a.go.type_at(here)
        g = self.b.go and self.b.go.type_at(there)
        if not f or not g or (f.plain, f.names) != (g.plain, g.names):
            return False
        if len(f.places) != len(g.places) or len(f.methods) != len(g.methods):
            return False
        methods = [pair for pair in zip(f.methods, g.methods, strict=True) if 0 not in pair]
        pairs = (*zip(f.places, g.places, strict=True), *methods)
        return all(self._same_place(x, y) for x, y in pairs)

    def _same_entry(self, here: int, there: int, at: int) -> bool:
        """Whether an entry of a table of distances, from the table's begin or from the entry, leads
        to the same place."""
        words = [
            int.from_bytes(s.image.read(p + at, 4), "little", signed=True)
            for s, p in ((self.a, here), (self.b, there))
        ]
        return any(
            (place := self.a.place(here + base + words[0])) is not None
            and place == self.b.place(there + base + words[1])
            for base in (0, at)
        )

    def _change(self, key: Key, reached: bool) -> FunctionChange:
        here, there = self.a.functions.get(key), self.b.functions.get(key)
        sizes = here.size if here else 0, there.size if there else 0
        name = key[0] if self.a.go is None else (there or here or self.a.functions[key]).name
        if here is None or there is None:
            return FunctionChange(name, "added" if there else "removed", sizes, reached)
        before, after = _calls(self.a, here), _calls(self.b, there)
        diff = _diff(self.a, here, self.b, there)
        calls, called = tuple(sorted(after - before)), tuple(sorted(before - after))
        return FunctionChange(name, "changed", sizes, reached, calls, called, diff)


def _texts(side: Side, begin: int, size: int) -> list[int]:
    """Where texts lie to which the data is a table of distances from its begin, as LLVM makes of
    a switch; [] if it is none."""
    if not 8 <= size <= _MOST_TEXTS:
        return []
    whole = side.image.read(begin, size - size % 4).rstrip(b"\0")
    words = [w for (w,) in _DISTANCE.iter_unpack(whole + bytes(-len(whole) % 4))]
    for distance in words:
        section = side.section_at(begin + distance)
        first = side.image.read(begin + distance, 1)
        outside = not 0 <= distance < size and section and section[1].startswith(".rodata")
        if not outside or not (
            first.isascii() and (first.decode().isprintable() or first == b"\n")
        ):
            return []
    # Small numbers could lead to something behind.
    return [begin + word for word in words] if len({*words}) > 1 and min(words) < 0 else []


def _calls(side: Side, function: Function) -> set[str]:
    return {
        side.program.name_of(i.target)
        for i in side.program.instructions(function)
        if i.kind == "direct call" and i.target is not None
    }


def _diff(a: Side, f: Function, b: Side, g: Function) -> tuple[str, ...]:
    before, after = list(_lines(a, f)), list(_lines(b, g))
    # A jump is the same wherever what it leads to has moved; unless it is the jumps that differ.
    texts = [_INNER.sub("…", line) for line in before], [_INNER.sub("…", line) for line in after]
    if texts[0] == texts[1]:
        texts = before, after
    diff = list(difflib.unified_diff(*texts, lineterm="", n=_AROUND))[2:]
    more = len(diff) - _LINES
    return (*diff[:_LINES], *([f"… {more} more lines"] if more > 0 else []))


def _lines(side: Side, function: Function) -> Iterator[str]:
    """The text of each instruction, addresses replaced by names and distances."""
    code = side.image.read(function.address, function.size)
    fields: dict[int, list[Field]] = {}
    for field in side.code(function).fields:
        fields.setdefault(field.of, []).append(field)
    end = function.address + len(side.code(function).plain)
    for address, text in side.program.disassembler.text(code, function.address):
        if address >= end:
            break
        for field in fields.get(address, ()):
            if field.surely:
                named = _called(side, function, field.value)
                text = _RIP.sub(f"[{named}]", text).replace(f"{field.value:#x}", named)
        yield text


def _called(side: Side, function: Function, address: int) -> str:
    if function.address <= address < function.end:
        return f"+{address - function.address:#x}"
    if named := side.named_at(address):
        return named.name
    section = side.section_at(address)
    name = side.program.name_of(address)
    return section[1] if name.startswith("0x") and section else name


def _differing(left: bytes, right: bytes, stretch: int = 256) -> Iterator[int]:
    """Where bytes differ; equal stretches, as most of a table are, are passed at once."""
    for begin in range(0, len(left), stretch):
        x, y = left[begin : begin + stretch], right[begin : begin + stretch]
        if x != y:
            yield from (begin + n for n, (a, b) in enumerate(zip(x, y, strict=True)) if a != b)
