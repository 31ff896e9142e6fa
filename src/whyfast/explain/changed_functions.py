"""A range of commits → the functions of a program that it touches.

Enough to say that a change touches none of the hot functions, and then it cannot be what the
change computes that made them slower.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path

from whyfast.explain.functions import Program, base_name
from whyfast.explain.objects.elf_symbols import with_lines
from whyfast.explain.program import load
from whyfast.explain.source_lines import SourceMap, read_lines
from whyfast.formats.unified_diff import Hunk, parse_diff
from whyfast.model.errors import UserError
from whyfast.store.git import must_git

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
    """What a range of commits touches in one program.

    ``outside`` are the places (``file:line``) outside functions, such as macros, types and tables:
    what they change cannot be told. ``not_compiled`` are source files of which the program has no
    code, ``other`` files that are no source code.
    """

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
        of = self.of(hot)
        if of:
            return (
                f"the change touches {', '.join(of)}, which {'is' if len(of) == 1 else 'are'} hot"
            )
        if self.outside:
            places = ", ".join(self.outside[:3]) + (", …" if self.outside[3:] else "")
            return (
                "the change touches no hot function itself, but also code outside functions "
                f"({places}), which may be used anywhere"
            )
        return "the change touches no hot function"


def touched_functions(repo: Path, base: str, head: str, program: Path) -> TouchedFunctions:
    """The functions that differ between two revisions, as ``program``, built from ``head`` with
    debug information, has them.

    A line counts for the function around it, comments inside included; where lines were only
    removed, for the functions on both sides. Raises UserError for revisions that git does not
    know, and for programs without debug information.
    """
    changes = parse_diff(_diff(repo, base, head))
    source = read_lines(with_lines(program))
    code = load(program)
    found: dict[tuple[str, str], set[str]] = {}
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
                    found.setdefault((name, change.path), set()).update(symbols)
                if not _inside(source, file, hunk):
                    outside.append(f"{change.path}:{hunk.first}")
    return TouchedFunctions(
        base,
        head,
        tuple(ChangedFunction(n, f, tuple(sorted(s))) for (n, f), s in sorted(found.items())),
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
    """Whether every changed line lies in a function, or is a comment or empty.

    Removed lines are judged by what is around them, and by what they look like: a directive of
    the preprocessor, or something behind a brace at the start of a line.
    """

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
    found = (program.function_at(a) for n in lines for a in places.get(n, ()))
    return {function.name for function in found if function is not None}
