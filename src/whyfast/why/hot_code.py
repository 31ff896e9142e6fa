"""Where in the source a group of functions spends its time, and its machine code on both sides."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Literal

from iced_x86 import Decoder

from whyfast.explain.code_diff import Listings, align
from whyfast.explain.executed import LoadedCode
from whyfast.explain.functions import base_name
from whyfast.explain.objects import Function
from whyfast.model.code import CodeLine, CodeListing
from whyfast.model.why import Change, CountedCode, CountedLine, CountedRow, SourcePlace
from whyfast.why.functions import FunctionTime, plain_name
from whyfast.why.groups import PROGRAM, FunctionGroup, SideCode, functions_of, weighted_code

_HEADER = re.compile(r"\.(h|hh|hpp|hxx|ipp|tcc|inl)$|^[a-z_]+$")

#: Share of the difference from which a function's code is shown.
CARRIES = 0.1

#: Rows that are kept, and instructions of a side that are laid beside the other's, at most.
MOST_ROWS, MOST_INSTRUCTIONS = 160, 4000

#: An instruction is hot from this share of the hottest one on; rows kept on either side of one.
HOT, AROUND = 0.02, 2


def place_of(group: FunctionGroup, slow: SideCode) -> SourcePlace:
    """The source line of the hottest instruction on the slow side, or of the function where that
    was inlined from another file; of a library's function, the line that calls it."""
    member = group.main
    if member.key.library:
        callees = {m.key.name for m in group.members}
        for caller in group.callers.get(slow.name, []):
            if caller.library:
                continue
            for path in _programs(group, slow):
                code = slow.load(path)
                if code and (place := call_place(code, caller.name, callees, group, slow.name)):
                    return place
        return SourcePlace()
    for code, functions in _code_of(member, slow):
        lines = code.lines.of([(f.address, f.end) for f in functions])
        if not lines:
            continue
        first = lines[min(lines)]
        own = _own_file(lines, first)
        by_line: defaultdict[str, float] = defaultdict(float)
        for line, weight in _by_line(functions, lines, group.executed[slow.name].places):
            if _file(line) == own:
                by_line[line] += weight
        return _place(max(by_line, key=lambda at: by_line[at]) if by_line else first)
    return SourcePlace()


def call_place(
    code: LoadedCode,
    caller: str,
    callees: set[str],
    group: FunctionGroup | None = None,
    side: str = "",
) -> SourcePlace | None:
    """The line on which a function calls one of ``callees``: of several lines the one that ran
    most, None where nothing tells."""
    if code.program.architecture != "x86-64":
        return None
    functions = code.by_name.get(caller, [])
    weights = group.executed[side].places if group and side in group.executed else {}
    lines: defaultdict[str, float] = defaultdict(float)
    for function in functions:
        text = code.program.image.read(function.address, function.size)
        places = code.lines.of([(function.address, function.end)])
        for insn in Decoder(64, text, ip=function.address):
            if insn.is_call_near:
                name = code.program.name_of(insn.near_branch_target)
            elif insn.is_ip_rel_memory_operand:
                name = code.program.image.slots.get(insn.ip_rel_memory_address, "")
            else:
                continue
            at = max((a for a in places if a <= insn.ip), default=None)
            name = base_name(name).partition("@")[0]
            if at is not None and {name, plain_name(name, "libc.so.6")} & callees:
                lines[places[at]] += weights.get(insn.ip, 0.0)
    if not lines or (len(lines) > 1 and not any(lines.values())):
        return None
    return _place(max(lines, key=lambda line: lines[line]))


def counted_code(
    groups: Sequence[FunctionGroup], whole: Change, fast: SideCode, slow: SideCode
) -> CountedCode | None:
    """The code of the program's function that carries most of the ``whole`` difference; None where
    none carries much, or neither side's code can be read."""
    for group in groups:
        own = not group.main.key.library and group.kind != PROGRAM
        if group.time.difference < CARRIES * whole.difference or not own:
            continue
        sides = [_listing(group, side) for side in (fast, slow)]
        if any(len(listing.lines) for listing, _ in sides):
            return _beside(sides, "seconds" if slow.counts is None else "executions")
    return None


Sided = tuple[CodeListing, Mapping[int, float]]


def _listing(group: FunctionGroup, side: SideCode) -> Sided:
    """The member of the group that takes most of the side's time as a listing, with the amount of
    each of its lines by the line's identity."""

    def seconds(member: FunctionTime) -> float:
        return member.time.slow if side.name == "slow" else member.time.fast

    for member in sorted(group.members, key=lambda m: -seconds(m)):
        for code, functions in _code_of(member, side):
            if sum(f.size for f in functions) > 16 * MOST_INSTRUCTIONS:
                continue
            lines = Listings(code.program).lines_of(functions)[:MOST_INSTRUCTIONS]
            weights = group.executed[side.name].places
            amounts = {id(line): weights.get(at, 0.0) for at, line in lines}
            return CodeListing(member.key.name, tuple(line for _, line in lines)), amounts
    return CodeListing(group.main.key.name, ()), {}


def _beside(sides: Sequence[Sided], unit: Literal["seconds", "executions"]) -> CountedCode:
    (fast, _), (slow, _) = sides
    amounts = {k: v for _, rows in sides for k, v in rows.items()}
    hottest = max(amounts.values(), default=0.0)

    def line_of(line: CodeLine | None) -> CountedLine | None:
        if line is None:
            return None
        return CountedLine(line.text, amounts.get(id(line), 0.0), line.source)

    rows = [
        CountedRow(line_of(r.a), line_of(r.b), r.beside not in ("same", "registers"))
        for r in align(fast, slow).rows
    ]
    hot = {
        i
        for i, row in enumerate(rows)
        if any(x is not None and x.amount > HOT * hottest for x in (row.fast, row.slow))
    }
    wanted = {j for i in hot for j in range(i - AROUND, i + AROUND + 1)}
    kept: list[CountedRow] = []
    skipped = 0
    for i, row in enumerate(rows):
        if len(kept) < MOST_ROWS and (i in wanted or not hot):
            kept.append(replace(row, skipped=skipped))
            skipped = 0
        else:
            skipped += 1
    return CountedCode(
        fast.function,
        slow.function,
        unit,
        tuple(kept),
        skipped,
    )


def _code_of(member: FunctionTime, side: SideCode) -> Iterator[tuple[LoadedCode, list[Function]]]:
    for _, code, _ in weighted_code(member, side):
        if functions := functions_of(code, member, side):
            yield code, functions


def _programs(group: FunctionGroup, side: SideCode) -> Iterator[str]:
    """The files of a side that are no libraries."""
    paths = side.counts.places if side.counts is not None else side.loaded()
    yield from (p for p in paths if ".so" not in p)


def _by_line(
    functions: Sequence[Function], lines: Mapping[int, str], weights: Mapping[int, float]
) -> Iterator[tuple[str, float]]:
    """The line and the weight of each instruction that ran; a line lasts until the next begins."""
    starts = sorted(lines)
    for function in functions:
        line, i = "", 0
        for at in sorted(a for a in weights if function.address <= a < function.end):
            while i < len(starts) and starts[i] <= at:
                line, i = lines[starts[i]], i + 1
            if line:
                yield line, weights[at]


def _own_file(lines: Mapping[int, str], first: str) -> str:
    """The file that a function is written in: not a header that was inlined at its beginning."""
    files = Counter(map(_file, lines.values()))
    sources = [f for f, _ in files.most_common() if not _HEADER.search(f)]
    return _file(first) if _file(first) in sources or not sources else sources[0]


def _file(line: str) -> str:
    return line.rpartition(":")[0]


def _place(line: str) -> SourcePlace:
    file, _, number = line.rpartition(":")
    return SourcePlace(file=file, line=int(number))
