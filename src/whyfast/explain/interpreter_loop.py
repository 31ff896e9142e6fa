"""What interprets in a program: a function with the shape of a loop, or handlers of tail calls."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile

from whyfast.explain.dispatch import (
    MIN_HANDLERS,
    MIN_LOOP_TARGETS,
    Dispatching,
    examine_dispatch,
    examine_loop,
    loop_form,
    no_form,
    stores_addresses,
)
from whyfast.explain.functions import Body, Program, bodies, leaves, parent_name
from whyfast.explain.jump_tables import Pointers, jumps_without_entry
from whyfast.explain.loop_shape import LARGE, MIN_OPCODES, VARIOUS, LoopShape, loop_shape
from whyfast.explain.objects import Function
from whyfast.model.evidence import DispatchFacts


@dataclass(frozen=True)
class ExaminedLoop:
    """A function with indirect jumps: how it would dispatch, and its shape, None where it has no
    jump table."""

    function: Function
    dispatching: Dispatching
    shape: LoopShape | None

    @property
    def interprets(self) -> bool:
        """Whether it has the shape of an interpreter's loop."""
        return self.shape is not None and self.shape.interprets


@dataclass(frozen=True)
class FoundInterpreter:
    """What interprets in a program: a function at ``address``, or handlers of tail calls, None."""

    name: str
    address: int | None
    facts: DispatchFacts


def _returning(loop: ExaminedLoop) -> int:
    return loop.shape.returning if loop.shape else 0


def _kinds(loop: ExaminedLoop) -> int:
    return loop.shape.kinds if loop.shape else 0


def likeliest(loops: Iterable[ExaminedLoop]) -> tuple[ExaminedLoop, LoopShape] | None:
    """Of loops none of which certainly interprets the likeliest: one with only a doubt, then that
    with most opcodes; None where none is likely."""
    likely = [(x, x.shape) for x in loops if x.shape is not None and x.shape.likely]
    return min(likely, key=lambda x: (bool(x[1].why_not), -x[1].returning), default=None)


def likeliest_note(loops: Iterable[ExaminedLoop]) -> str:
    """That loop and what speaks against it, as a note; empty where none is likely."""
    if (found := likeliest(loops)) is None:
        return ""
    loop, shape = found
    return (
        f"no interpreter loop{' is certain' if shape.doubt else ' was found'}; the likeliest "
        f"candidate is at {loop.function.address:#x} ({shape.targets} cases): {shape.against}"
    )


def likeliest_first(loops: Iterable[ExaminedLoop]) -> list[ExaminedLoop]:
    """Those with the shape of an interpreter's loop: one whose table may be an array of the source
    before those of a ``switch``, as a compiler's passes over its own code have. What prints
    instructions has as many cases as what executes them, but they compute little, or are less."""
    loops = [loop for loop in loops if loop.interprets]
    written = [x for x in loops if x.dispatching.facts.computed_goto is not False]
    enough = _ALIKE * max(map(_returning, written or loops), default=0)
    return sorted(
        loops,
        key=lambda x: (
            x.dispatching.facts.computed_goto is False,
            *(_returning(x) < enough, _kinds(x) < VARIOUS, -x.dispatching.facts.size),
            *(-_returning(x), x.function.address),
        ),
    )


#: Share of the most opcodes from which another loop is as likely.
_ALIKE = 0.8


class LoopSearch:
    """Looks for the loop of an interpreter in a program, or the handlers of tail calls."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._pointers = Pointers(program.image)
        self._jumping: list[Function] = []
        #: The functions that may dispatch, once :meth:`loops` has looked for them.
        self.examined: list[ExaminedLoop] = []
        self._related: dict[str, list[Function]] = {}
        for function in program.functions:
            parent = parent_name(function.name)
            for name in {*function.names, *([parent] if parent else [])}:
                self._related.setdefault(name, []).append(function)

    def interpreter(self) -> FoundInterpreter | None:
        """The loop with most opcodes, or handlers of tail calls where there are more of these; None
        where nothing has such a shape."""
        loops = self.loops()
        handlers = self.handlers(self._jumping)
        opcodes = max(_returning(loops[0]), loops[0].dispatching.facts.targets or 0) if loops else 0
        if handlers is not None and (handlers[1].targets or 0) > opcodes:
            return FoundInterpreter(handlers[0], None, handlers[1])
        if not loops:
            return None
        first = loops[0]
        return FoundInterpreter(
            first.function.name, first.function.address, first.dispatching.facts
        )

    def loops(self) -> list[ExaminedLoop]:
        """The functions with the shape of an interpreter's loop, the one with most opcodes first,
        of several with about as many the one with most code.
        Functions that cannot be one are not decoded."""
        self._jumping, self.examined = [], []
        for function in self._program.functions:
            if parent_name(function.name):  # it is examined with that one
                continue
            pieces = {function, *(p for name in function.names for p in self._related[name])}
            if any(may_jump(self._program, piece) for piece in pieces):
                examined = self.examine(function, MIN_OPCODES)
                if examined.dispatching.facts.indirect_jumps:
                    self._jumping.append(function)
                self.examined.append(examined)
        return likeliest_first(self.examined)

    def examine(self, function: Function, least: int = MIN_LOOP_TARGETS) -> ExaminedLoop:
        """One function, with its cold parts; its shape if its table has so many targets."""
        body = self.whole(function)
        loop = examine_loop(self._program, self._pointers, body)
        if not loop.jumps + loop.thunks:
            return ExaminedLoop(function, no_form([body]), None)
        shape = None
        if (loop.targets or 0) >= least:
            shape = loop_shape(self._program, body, loop.tables)
            shape = replace(shape, threaded=stores_addresses(self._program, loop))
        return ExaminedLoop(function, loop_form(self._program, loop, others=0), shape)

    def handlers(self, jumping: Iterable[Function]) -> tuple[str, DispatchFacts] | None:
        """The largest table of functions of which half jump indirectly, under a common name."""
        addresses = {f.address for f in jumping}
        at = {f.address: f for f in self._program.functions}
        tables: list[set[int]] = [set(run) for run in self._pointers.runs(at)]

        def by_entry(address: int) -> bool:
            body = self.whole(at[address])
            return jumps_without_entry(body) < len(body.indirect_jumps)

        def handles(table: set[int]) -> bool:
            jumping = table & addresses
            if 2 * len(jumping) < len(table) or len(table) < MIN_HANDLERS:
                return False
            if not any(at[a].unnamed or "::" in at[a].name for a in table):
                return True
            # Without names, or of classes, it takes more: methods that call those of another object
            # are listed, too, which go by no entry of a table.
            return len(table) >= LARGE and 2 * sum(map(by_entry, jumping)) >= len(table)

        tables = [table for table in tables if handles(table)]
        if not tables:
            return None
        _, largest = max((len(table), sorted(table)) for table in tables)
        listed = [at[address] for address in largest]
        handlers = [self.whole(f) for f in listed]
        facts = examine_dispatch(self._program, handlers, self._pointers).facts
        return (_common([f.name for f in listed]), facts) if facts.style == "tail-call" else None

    def whole(self, function: Function) -> Body:
        """The function with its cold parts: those of its name, and those without a name that it
        jumps to."""
        program = self._program
        near = dict.fromkeys(f for name in function.names for f in self._related[name])
        body = next(b for b in bodies(program, near) if function in b.pieces)
        landings = (
            program.function_at(i.target)
            for i in body.instructions
            if i.target is not None and leaves(i, body.pieces)
        )
        parts = list(dict.fromkeys(f for f in landings if f is not None and f.part))
        if not parts:
            return body
        more = [i for f in parts for i in program.instructions(f, hints=True)]
        return Body((*body.pieces, *parts), [*body.instructions, *more])


def _common(names: Sequence[str]) -> str:
    """A pattern for all of them where they begin alike, else the first of them."""
    first, last = min(names), max(names)
    same = "".join(a for a, _ in takewhile(lambda p: p[0] == p[1], zip(first, last, strict=False)))
    return f"{same}*" if same else f"{first} …"


#: Bytes with which an indirect jump can begin, for a quick look at large programs.
_X86_JUMP = re.compile(rb"\xff[\x20-\x27\x60-\x67\xa0-\xa7\xe0-\xe7]")


def may_jump(program: Program, function: Function) -> bool:
    """Whether code can contain an indirect jump; false only if not."""
    if program.architecture != "x86-64":
        return True
    return bool(_X86_JUMP.search(program.image.read(function.address, function.size)))


#: A program of whose code less than this share belongs to known functions can hide a loop.
_SEEN = 0.8


def seen_share(program: Program) -> float:
    """The share of a program's code that belongs to functions that are known, stubs of the linker
    and padding included: 1 is all."""
    code = [r for r in program.image.regions if r.executable and not r.name.startswith(".plt")]
    whole = sum(len(r.data) for r in code)
    return min(1.0, sum(f.size for f in program.functions) / whole) if whole else 1.0


def unseen_notes(program: Program) -> tuple[str, ...]:
    """What of a program was not looked at, if it is much."""
    share = seen_share(program)
    if share >= _SEEN:
        return ()
    return (
        f"{1 - share:.0%} of its code belongs to no known function, and was not looked at; "
        "an interpreter may be there",
    )
