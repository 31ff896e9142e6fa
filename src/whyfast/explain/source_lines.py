"""Source lines of machine code from a program's DWARF, and the functions that commits touch.

A change that touches none of the hot functions cannot have made them slower by what it computes."""

from __future__ import annotations

import posixpath
import re
import sys
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from operator import itemgetter
from pathlib import Path
from typing import Any

from whyfast.explain.functions import Program, base_name
from whyfast.explain.objects.debug_info import dwarf_of, dwarf_text, unit_extents, with_lines
from whyfast.explain.objects.elf import open_elf
from whyfast.explain.program import load
from whyfast.model.errors import UserError
from whyfast.store.git import must_git


@dataclass
class SourceMap:
    """``code`` maps a source file to the addresses of the code of each of its lines, ``starts`` to
    the lines on which its functions begin, with their names. Files are absolute, as compiled."""

    code: dict[str, dict[int, set[int]]] = field(default_factory=dict)
    starts: dict[str, dict[int, str]] = field(default_factory=dict)
    files: set[str] = field(default_factory=set)

    def function_at(self, file: str, line: int) -> tuple[str, int, int] | None:
        """The function of the source around a line, with its first and last line. The last line is
        the last with code before the next function begins."""
        starts = self.starts.get(file, {})
        first = max((s for s in starts if s <= line), default=None)
        if first is None:
            return None
        following = min((s for s in starts if s > line), default=sys.maxsize)
        last = max((n for n in self.code.get(file, {}) if first <= n < following), default=first)
        return (starts[first], first, last) if line <= last else None


def read_lines(path: Path) -> SourceMap:
    """Raises UserError when the program has no debug information, or it cannot be read."""
    try:
        dwarf = dwarf_of(open_elf(path))
        if dwarf is None:
            raise UserError("has no debug information; build it with -g", where=path)
        source = SourceMap()
        code: defaultdict[str, defaultdict[int, set[int]]] = defaultdict(lambda: defaultdict(set))
        for unit in dwarf.iter_CUs():
            _read_unit(dwarf, unit, source, code)
    except UserError:
        raise
    except Exception as error:  # the library reports damage by many unrelated exceptions
        raise UserError(
            f"its debug information cannot be read ({type(error).__name__}: {error})", where=path
        ) from None
    source.code = {file: dict(lines) for file, lines in code.items()}
    return source


def _read_unit(
    dwarf: Any, unit: Any, source: SourceMap, code: defaultdict[str, defaultdict[int, set[int]]]
) -> None:
    program = dwarf.line_program_for_CU(unit)
    if program is None:
        return
    names = file_names(unit, program)
    source.files.update(names.values())
    for address, file, line in _rows(program):
        if file in names and line:
            code[names[file]][line].add(address)
    for entry in unit.iter_DIEs():
        if entry.tag == "DW_TAG_subprogram" and "DW_AT_declaration" not in entry.attributes:
            start = _start(entry)
            if start is not None and start[0] in names:
                source.starts.setdefault(names[start[0]], {})[start[1]] = start[2]


def _start(entry: Any) -> tuple[int, int, str] | None:
    """(file, line, name) of a function's definition; a C++ method leaves what its declaration
    says to that."""
    attributes = dict(entry.attributes)
    if "DW_AT_specification" in attributes:
        declaration = entry.get_DIE_from_attribute("DW_AT_specification")
        attributes = {**declaration.attributes, **attributes}
    if not {"DW_AT_decl_file", "DW_AT_decl_line", "DW_AT_name"} <= attributes.keys():
        return None
    file, line = attributes["DW_AT_decl_file"].value, attributes["DW_AT_decl_line"].value
    return file, line, dwarf_text(attributes["DW_AT_name"].value)


def _rows(program: Any) -> Iterator[tuple[int, int, int]]:
    """(address, file, line) of each row, but of sequences at 0: the linker dropped their code."""
    rows: list[tuple[int, int, int]] = []
    for entry in program.get_entries():
        state = entry.state
        if state is None:
            continue
        if state.end_sequence:
            if rows and rows[0][0]:
                yield from rows
            rows = []
        else:
            rows.append((state.address, state.file, state.line))


def file_names(unit: Any, program: Any) -> dict[int, str]:
    """The absolute path of each file number of a unit: from 1 before DWARF 5, from 0 since."""
    top = unit.get_top_DIE().attributes
    folder = dwarf_text(top["DW_AT_comp_dir"].value) if "DW_AT_comp_dir" in top else "/"
    header = program.header
    folders = [dwarf_text(d) for d in header["include_directory"]]
    names = {}
    modern = header["version"] >= 5
    for i, entry in enumerate(header["file_entry"]):
        index = entry.dir_index
        if modern:
            base = folders[index] if index < len(folders) else ""
        else:
            base = folders[index - 1] if 0 < index <= len(folders) else ""
        path = posixpath.join(folder, base, dwarf_text(entry.name))
        names[i if modern else i + 1] = posixpath.normpath(path)
    return names


#: Extents of code: first address, and the one behind it.
Extents = Sequence[tuple[int, int]]


class FunctionLines:
    """Source lines of the instructions of a few functions. The line program of a unit is read only
    when a function of it is asked for. Programs without debug information, and damaged ones, have
    no lines; nothing is raised."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._read: dict[int, list[tuple[int, str]]] = {}

    def of(self, extents: Extents) -> dict[int, str]:
        """``file:line`` by address, of the addresses at which a line begins and those behind it."""
        try:
            return self._of(extents)
        except Exception:  # the library reports damage by many unrelated exceptions
            return {}

    def _of(self, extents: Extents) -> dict[int, str]:
        lines: dict[int, str] = {}
        for start, end in extents:
            for unit in self._units_of(start):
                rows = self._lines(unit)
                first, last = (bisect_left(rows, at, key=itemgetter(0)) for at in (start, end))
                lines |= dict(rows[first:last])
        return lines

    @cached_property
    def _dwarf(self) -> Any:
        elf = open_elf(self._path)
        # Addresses of a relocatable object count from the start of each section.
        return None if elf.relocatable else dwarf_of(elf)

    @cached_property
    def _units(self) -> list[tuple[list[tuple[int, int]], Any]]:
        if self._dwarf is None:
            return []
        return [(list(unit_extents(self._dwarf, unit)), unit) for unit in self._dwarf.iter_CUs()]

    def _units_of(self, address: int) -> Iterator[Any]:
        for extents, unit in self._units:
            if any(start <= address < end for start, end in extents):
                yield unit

    def _lines(self, unit: Any) -> list[tuple[int, str]]:
        if unit.cu_offset not in self._read:
            program = self._dwarf.line_program_for_CU(unit)
            names = file_names(unit, program) if program is not None else {}
            rows = [
                (address, f"{posixpath.basename(names[file])}:{line}")
                for address, file, line in (_rows(program) if program is not None else ())
                if file in names and line
            ]
            # Of several at one address the last counts.
            self._read[unit.cu_offset] = sorted(rows, key=itemgetter(0))
        return self._read[unit.cu_offset]


_ESCAPED = re.compile(rb"\\([0-7]{3}|.)", re.DOTALL)
_HUNK = re.compile(r"^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")


@dataclass(frozen=True)
class Hunk:
    """One changed place. ``first`` is its first line in the new file; with ``count`` 0 lines were
    only removed, after line ``first``. ``text`` are the removed and added lines."""

    first: int
    count: int
    text: tuple[str, ...]


@dataclass(frozen=True)
class FileChange:
    """A changed file: its path in the new revision (the old one's when it was deleted)."""

    path: str
    deleted: bool
    hunks: tuple[Hunk, ...]


def parse_diff(text: str) -> list[FileChange]:
    """The changed files in the order of the diff; binary files and mode changes have no hunks."""
    return list(_changed_files(text.split("\n")))


def _changed_files(lines: list[str]) -> Iterator[FileChange]:
    path, deleted = "", False
    hunks: list[Hunk] = []
    i = 0
    while i < len(lines):
        line = lines[i]
        i += 1
        if line.startswith("diff --git "):
            if path:
                yield FileChange(path, deleted, tuple(hunks))
            path, deleted, hunks = _from_header(line), False, []
        elif line.startswith("--- ") and line != "--- /dev/null":
            path = _diff_path(line[4:])
        elif line.startswith("+++ "):
            deleted = line == "+++ /dev/null"
            path = path if deleted else _diff_path(line[4:])
        elif match := _HUNK.match(line):
            removed, first, added = int(match[2] or 1), int(match[3]), int(match[4] or 1)
            body: list[str] = []
            # The header says how many lines follow: one of them may look like a header itself.
            while i < len(lines) and len(body) < removed + added:
                if not lines[i].startswith("\\"):
                    body.append(lines[i][1:])
                i += 1
            hunks.append(Hunk(first, added, tuple(body)))
    if path:
        yield FileChange(path, deleted, tuple(hunks))


def _from_header(line: str) -> str:
    """The path in ``diff --git a/x b/x``, for changes that have no other line with it."""
    rest = line.removeprefix("diff --git ")
    half = rest[len(rest) // 2 + 1 :]
    return _diff_path(half)


def _diff_path(text: str) -> str:
    text = text.rstrip("\t")
    if len(text) > 1 and text[0] == text[-1] == '"':  # git quotes unusual bytes as C does
        text = _ESCAPED.sub(_unescaped, text[1:-1].encode()).decode("utf-8", "replace")
    return text[2:] if text.startswith(("a/", "b/")) else text


def _unescaped(escaped: re.Match[bytes]) -> bytes:
    code = escaped[1]
    if code.isdigit():
        return bytes([int(code, 8) & 255])
    return b"\a\b\t\n\v\f\r"[i : i + 1] if (i := b"abtnvfr".find(code)) >= 0 else code


_SOURCE = re.compile(r"\.(c|h|cc|cpp|cxx|hh|hpp|hxx|inc|inl|ipp|def|s|S|rs|go|zig|m|mm|tcc|y|l)$")
_HEADER = re.compile(r"\.(h|hh|hpp|hxx|inc|inl|ipp|def|tcc)$")
# A line of a comment; behind its end there may be code again.
_NO_CODE = re.compile(r"^\s*(//.*|\*/|(/\*|\*(?=\s|$))((?!\*/).)*(\*/)?)?\s*$")


@dataclass(frozen=True)
class ChangedFunction:
    """A function of the source that a change touches. ``symbols`` are the functions of the machine
    code with code from it: itself, and those it was inlined into."""

    name: str
    file: str
    symbols: tuple[str, ...]


@dataclass(frozen=True)
class TouchedFunctions:
    """What a range of commits touches in one program. ``outside`` are the places (``file:line``)
    outside functions, such as macros, types and tables: their effect is unknown. ``not_compiled``
    are source files of which the program has no code, ``other`` files that are no source code."""

    base: str
    head: str
    functions: tuple[ChangedFunction, ...]
    outside: tuple[str, ...]
    not_compiled: tuple[str, ...]
    other: tuple[str, ...]

    def of(self, hot: Collection[str]) -> tuple[str, ...]:
        """Those of the functions named ``hot`` (as in the source) that are touched."""
        touched = {base_name(s) for f in self.functions for s in f.symbols}
        touched |= {f.name for f in self.functions}
        return tuple(sorted(name for name in hot if base_name(name) in touched))

    def statement(self, hot: Collection[str]) -> str:
        """One sentence on the change and the hot functions; no more than is known."""
        touched = self.of(hot)
        if touched:
            verb = "is" if len(touched) == 1 else "are"
            return f"the change touches {', '.join(touched)}, which {verb} hot"
        if self.outside:
            places = ", ".join(self.outside[:3]) + (", …" if self.outside[3:] else "")
            return (
                "the change touches no hot function itself, but also code outside functions "
                f"({places}), which may be used anywhere"
            )
        return "the change touches no hot function"


def touched_functions(repo: Path, base: str, head: str, program: Path) -> TouchedFunctions:
    """The functions that differ between two revisions, as ``program``, built from ``head`` with
    debug information, has them. A line counts for the function around it, comments inside included;
    where lines were only removed, for the functions on both sides. Raises UserError for revisions
    that git does not know, and for programs without debug information."""
    changes = parse_diff(_diff(repo, base, head))
    source = read_lines(with_lines(program))
    code = load(program)
    touched: dict[tuple[str, str], set[str]] = {}
    outside: list[str] = []
    not_compiled: list[str] = []
    other: list[str] = []
    for change in changes:
        file = _compiled(change.path, source)
        if not _SOURCE.search(change.path):
            other.append(change.path)
        elif file is None:
            if _HEADER.search(change.path):
                # A file with nothing but macros and types leaves no trace in the line table.
                outside.append(change.path)
            else:
                not_compiled.append(change.path)
        else:
            for hunk in change.hunks:
                for name, symbols in _touched(hunk, file, source, code):
                    touched.setdefault((name, change.path), set()).update(symbols)
                if not _inside(source, file, hunk):
                    outside.append(f"{change.path}:{hunk.first}")
    return TouchedFunctions(
        base,
        head,
        tuple(ChangedFunction(n, f, tuple(sorted(s))) for (n, f), s in sorted(touched.items())),
        tuple(outside),
        tuple(not_compiled),
        tuple(other),
    )


def _diff(repo: Path, base: str, head: str) -> str:
    for revision in (base, head):
        if revision.startswith("-"):
            raise UserError("is not a revision", where=revision)
    options = ["-U0", "--no-color", "--no-ext-diff", "--no-textconv", "--no-renames"]
    prefixes = ["--src-prefix=a/", "--dst-prefix=b/"]
    return must_git(repo, "diff", *options, *prefixes, base, head, "--")


def _compiled(path: str, source: SourceMap) -> str | None:
    """The file of the debug information that is this file of the repository: of those with its
    name, the one whose folders agree furthest."""
    wanted = path.split("/")
    same = [f for f in source.files if posixpath.basename(f) == wanted[-1]]
    return max(same, key=lambda f: (_agreement(f.split("/"), wanted), f), default=None)


def _agreement(a: list[str], b: list[str]) -> int:
    count = 0
    for x, y in zip(reversed(a), reversed(b), strict=False):
        if x != y:
            break
        count += 1
    return count


def _lines(hunk: Hunk) -> Iterator[int]:
    if hunk.count:
        yield from range(hunk.first, hunk.first + hunk.count)
    elif any(line.strip() for line in hunk.text):
        yield from (hunk.first, hunk.first + 1)


def _touched(
    hunk: Hunk, file: str, source: SourceMap, program: Program
) -> Iterator[tuple[str, set[str]]]:
    """(function, symbols) for each changed line. Code in a file that defines no function, which
    others include, counts for the functions that include it."""
    for line in _lines(hunk):
        function = source.function_at(file, line)
        if function is not None:
            name, first, last = function
            yield name, _symbols(program, source, file, range(first, last + 1))
        else:
            for symbol in _symbols(program, source, file, range(line, line + 1)):
                yield base_name(symbol), {symbol}


def _inside(source: SourceMap, file: str, hunk: Hunk) -> bool:
    """Whether every changed line lies in a function, or is a comment or empty. Removed lines are
    judged by what is around them, and by what they look like: a directive of the preprocessor, or
    something behind a brace at the start of a line."""

    def known(line: int) -> bool:
        return source.function_at(file, line) is not None or line in source.code.get(file, {})

    removed = hunk.text[: len(hunk.text) - hunk.count]
    added = hunk.text[len(removed) :]
    if all(_NO_CODE.match(line) for line in hunk.text):
        return True
    if not hunk.count:
        here, there = (source.function_at(file, n) for n in (hunk.first, hunk.first + 1))
        return here is not None and here == there
    ended = False
    for text in removed:
        if text.lstrip().startswith("#") or (ended and not _NO_CODE.match(text)):
            return False
        ended = ended or text.startswith("}")
    return all(_NO_CODE.match(t) or known(hunk.first + i) for i, t in enumerate(added))


def _symbols(program: Program, source: SourceMap, file: str, lines: range) -> set[str]:
    """The functions of the machine code with an instruction from these lines."""
    places = source.code.get(file, {})
    functions = (program.function_at(a) for n in lines for a in places.get(n, ()))
    return {function.name for function in functions if function is not None}
