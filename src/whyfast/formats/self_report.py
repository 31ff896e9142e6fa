"""What a program reports about itself: machine code, single runs, cost of timing.

Lines of words with one space between them; the last line is ``done``, so that a report cut short
is noticed. Other lines are passed over.

    program NUMBER ADDRESS CODE       machine code in hexadecimal; address 0x0: not known
    symbol ADDRESS NAME               a place that the code may jump to
    compiled 0|1                      whether there is machine code at all
    bucket START WIDTH COUNT          COUNT runs of START to below START + WIDTH ns; 0: and more
    overhead NS WHAT                  what a way of timing costs
    figure NUMBER WHAT                a count or a size
    word WORD WHAT                    a name
    missing WHAT: WHY                 a figure or word that is not available
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from whyfast.model.errors import UserError


@dataclass(frozen=True)
class Code:
    """Machine code of one program, at an address that is 0 when it is not known."""

    number: int
    address: int
    code: bytes


@dataclass(frozen=True)
class CodeReport:
    """``symbols`` maps addresses outside of the programs to names."""

    compiled: bool
    programs: tuple[Code, ...]
    symbols: Mapping[int, str] = field(default_factory=dict)


def read_code(text: str) -> CodeReport:
    """The machine code; UserError for a malformed report."""
    programs: list[Code] = []
    symbols: dict[int, str] = {}
    compiled = True
    for number, words in _lines(text):
        if words[0] == "program":
            place, address, code = _fields(number, words, (int, _address, bytes.fromhex))
            programs.append(Code(place, address, code))
        elif words[0] == "symbol":
            address, name = _fields(number, words, (_address, str))
            symbols.setdefault(address, name)
        elif words[0] == "compiled":
            compiled = words[1:] == ["1"]
    return CodeReport(compiled, tuple(programs), symbols)


def read_buckets(text: str) -> tuple[tuple[float, float, int], ...]:
    """Start and width in seconds, and count, of each bucket; UserError for a malformed report."""
    return tuple(
        (start * 1e-9, width * 1e-9, count)
        for number, words in _lines(text)
        if words[0] == "bucket"
        for start, width, count in [_fields(number, words, (_time, _time, _count))]
    )


def read_overheads(text: str) -> tuple[tuple[str, float], ...]:
    """What, and seconds; UserError for a malformed report."""
    overheads = []
    for number, words in _lines(text):
        if words[0] == "overhead":
            if len(words) < 3:
                raise _malformed(number, words)
            (time,) = _fields(number, words[:2], (_time,))
            overheads.append((" ".join(words[2:]), time * 1e-9))
    return tuple(overheads)


@dataclass(frozen=True)
class ReportedFigure:
    """One line of figures: a number, a word, or why there is neither."""

    what: str
    number: float | None = None
    text: str = ""
    why: str = ""


def read_figures(text: str) -> tuple[ReportedFigure, ...]:
    """Each figure, word and what is missing, in order; UserError for a malformed report."""
    figures: list[ReportedFigure] = []
    for number, words in _lines(text):
        if words[0] not in ("figure", "word", "missing"):
            continue
        rest = " ".join(words[1:] if words[0] == "missing" else words[2:])
        what, _, why = rest.partition(": ")
        if words[0] == "missing" and what and why:
            figures.append(ReportedFigure(what, why=why))
        elif words[0] == "figure" and rest:
            (value,) = _fields(number, words[:2], (_number,))
            figures.append(ReportedFigure(rest, number=value))
        elif words[0] == "word" and rest:
            figures.append(ReportedFigure(rest, text=words[1]))
        else:
            raise _malformed(number, words)
    return tuple(figures)


def _lines(text: str) -> Iterator[tuple[int, list[str]]]:
    lines = text.splitlines()
    if not lines or lines[-1] != "done":
        raise UserError('the report does not end with "done"')
    yield from ((n, line.split()) for n, line in enumerate(lines, 1) if line.strip())


def _fields(number: int, words: list[str], kinds: tuple[Callable[[str], Any], ...]) -> list[Any]:
    try:
        return [kind(word) for kind, word in zip(kinds, words[1:], strict=True)]
    except ValueError:
        raise _malformed(number, words) from None


def _malformed(number: int, words: list[str]) -> UserError:
    return UserError(f"line {number} of the report is malformed: {' '.join(words)[:80]!r}")


def _address(text: str) -> int:
    return int(text, 16)


def _number(text: str, least: float = -math.inf) -> float:
    value = float(text)
    if not math.isfinite(value) or value < least:
        raise ValueError(text)
    return value


def _time(text: str) -> float:
    return _number(text, 0)


def _count(text: str) -> int:
    value = int(text)
    if value < 0:
        raise ValueError(text)
    return value
