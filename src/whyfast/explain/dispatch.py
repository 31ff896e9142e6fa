"""How an interpreter dispatches: gets from one instruction of its program to the next.

A *loop* interpreter is one function. It jumps through a table either at one place, which all
handlers return to, or at the end of each handler. A *tail-call* interpreter has one function per
handler, each ending in an indirect jump to the next. Predictors see one jump with many targets, or
many jumps with a history of their own.

The form follows from the number of dispatching jumps J and of targets T:

    merged          J ≤ max(3, T/10)      replicated      J ≥ T/2      partly merged   between

"Replicated" asks for half, not all, because handlers that raise, return or fall into another have
no dispatch of their own, and compilers share one between handlers that end alike: builds of CPython
by GCC have 1.0 to 1.3 of T, small interpreters from 0.75. "Merged" allows three jumps, or a tenth,
because a merged interpreter keeps some at its entry and after specialised handlers (GCC and Clang
leave 2 or 3 in interpreters of 12 to 40 opcodes). The two meet only for T ≤ 6, where both hold and
only a single jump counts as "merged". Indirect jumps that serve another table of the same function
(a small switch inside a handler) are subtracted from J first, one per table. Without a table, 16
jumps or more in one function count as replicated, as switches would have left tables; fewer are
unknown.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import median
from typing import Literal

from whyfast.explain.disassembly import Instruction
from whyfast.explain.functions import Body, Program
from whyfast.explain.jump_tables import JumpTable, Pointers, jump_tables, jumps_without_entry
from whyfast.model.evidence import DispatchFacts, DispatchForm, EntryFacts


def entry_facts(dispatching: Dispatching) -> EntryFacts | None:
    """Pushes and spills over all handlers; None when it is not known where they begin.

    A handler of a tail-call interpreter is a function: it saves what its calling convention demands
    each time that its instruction is executed. A handler of a loop begins at a label and pushes
    nothing, but may spill what the loop keeps in registers.
    """
    counts = []
    for body in dispatching.bodies:
        at = {i.address: n for n, i in enumerate(body.instructions)}
        # Below the frame pointer is the stack frame only where there is a frame pointer.
        framed = any(i.mark == "frame pointer" for i in body.instructions)
        starts = sorted(at[entry] for entry in dispatching.entries if entry in at)
        counts += [saved(body.instructions, start, framed=framed) for start in starts]
    if not counts:
        return None
    pushes, spills = [p for p, _ in counts], [s for _, s in counts]
    return EntryFacts(
        handlers=len(counts),
        saving=sum(p + s > 0 for p, s in counts),
        pushes=sum(pushes),
        pushes_median=float(median(pushes)),
        spills=sum(spills),
        spills_median=float(median(spills)),
    )


def saved(
    instructions: Sequence[Instruction], start: int, *, framed: bool = False
) -> tuple[int, int]:
    """(pushes, spills) from the instruction numbered ``start`` to the first that is a branch."""
    pushes = spills = 0
    for instruction in instructions[start:]:
        if instruction.kind != "other":
            break
        pushes += instruction.mark == "push"
        spills += instruction.mark == "stack store" or (
            framed and instruction.mark == "frame store"
        )
    return pushes, spills


_Style = Literal["loop", "tail-call", "none"]

#: J without a table from which dispatch is called replicated.
MANY_JUMPS = 16
#: A tail-call interpreter has at least this many handlers.
MIN_HANDLERS = 8


@dataclass(frozen=True)
class Loop:
    """A function with the tables that its ``jumps`` and ``thunks`` (jumps by way of a retpoline) go
    through, the largest first."""

    body: Body
    jumps: int
    thunks: int
    tables: list[JumpTable]

    @property
    def targets(self) -> int | None:
        """Of the largest table; None without one."""
        return len(self.tables[0].targets) if self.tables else None


@dataclass(frozen=True)
class Dispatching:
    """``bodies`` are the functions that dispatch, ``entries`` where their handlers begin."""

    facts: DispatchFacts
    bodies: tuple[Body, ...] = ()
    entries: frozenset[int] = frozenset()


def form_of(jumps: int, targets: int) -> DispatchForm:
    """The form of J dispatching jumps that reach T targets; see this module's text."""
    if jumps == 0:
        return "none"
    if jumps >= 2 and 2 * jumps >= targets:
        return "replicated"
    return "merged" if jumps <= max(3, targets / 10) else "partly merged"


_MEANING: dict[DispatchForm, str] = {
    "replicated": "most handlers end in a dispatch of their own",
    "merged": "the handlers share the dispatch",
    "partly merged": "some handlers have a dispatch of their own, most share one",
}


def loop_form(program: Program, loop: Loop, others: int) -> Dispatching:
    """How the function of a loop dispatches; ``others`` were left aside."""
    jumps = loop.jumps + loop.thunks
    thunks = f" and {loop.thunks} by way of a retpoline thunk" if loop.thunks else ""
    parts = [f"{_count(loop.jumps, 'indirect jump')}{thunks} in {loop.body.name}"]
    form: DispatchForm
    direct = stores_addresses(program, loop)
    if direct:
        form = "replicated"
        parts.append("they go to addresses that are stored in the program, not through a table")
    elif loop.targets is None:
        form = "replicated" if jumps >= MANY_JUMPS else "unknown"
        parts.append(
            "no jump table was found, so this goes by their number alone"
            if form == "replicated"
            else "no jump table was found, and they are too few to tell without one"
        )
    else:
        largest, *smaller = loop.tables
        # Tables that lead elsewhere than the largest one: a second view of it is no switch.
        spare = sum(2 * len(t.targets & largest.targets) < len(t.targets) for t in smaller)
        form = form_of(max(jumps - spare, min(jumps, 1)), loop.targets)
        if spare:
            parts.append(f"up to {spare} of them for {_count(spare, 'smaller table')}")
        parts.append(f"{loop.targets} targets in its {loop.tables[0].kind} jump table")
        parts.append(_MEANING.get(form, form))
    if others > 0:
        parts.append(f"{_count(others, 'other named function')} with a jump table left aside")
    facts = replace(
        _facts("loop", form, [loop.body], "; ".join(parts)),
        targets=None if direct else loop.targets,
        computed_goto=direct or _computed_goto(program, loop.tables),
    )
    entries = loop.tables[0].targets if loop.tables and not direct else frozenset[int]()
    return Dispatching(facts, (loop.body,), entries)


def stores_addresses(program: Program, loop: Loop) -> bool:
    """Whether the largest table is that of a ``switch`` beside a dispatch by direct threading."""
    if program.architecture != "x86-64":
        return False
    written = loop.tables and loop.tables[0].kind in ("absolute", "label")
    return not written and jumps_without_entry(loop.body) >= MANY_JUMPS


def _computed_goto(program: Program, tables: list[JumpTable]) -> bool | None:
    """Whether the source wrote the largest table: a compiler gives those of a ``switch`` no name,
    no other distances between labels than from the table itself, and no place where the loader
    would have to write addresses."""
    if not tables:
        return None
    table = tables[0]
    if table.kind == "absolute":
        named = program.object_at(table.address)
        return _written_by_loader(program, table.address) if named is None else bool(named)
    return table.kind == "label"


def _written_by_loader(program: Program, address: int) -> bool | None:
    """True for data that the loader writes, None elsewhere; Go's own tables are among them."""
    region = program.image.region(address)
    go = any("gopclntab" in r.name for r in program.image.regions)
    return True if region is not None and region.name.startswith(".data") and not go else None


def tail_call_form(
    pointers: Pointers, bodies: Sequence[Body], jumping: Sequence[Loop]
) -> Dispatching:
    """Handlers are the functions that a table in the data lists. Where the program has no such
    table, all that go on to another function count; error and exit helpers return instead."""
    listed = pointers.to(body.pieces[0].address for body in bodies)
    jumps = {id(loop.body) for loop in jumping}
    if len(listed) >= MIN_HANDLERS:
        handlers = [body for body in bodies if body.pieces[0].address in listed]
        which = "that a table lists"
    else:
        handlers = [
            body
            for body in bodies
            if id(body) in jumps or all(i.kind != "return" for i in body.instructions)
        ]
        which = "that go on to another (no table lists them)"
    count = sum(id(body) in jumps for body in handlers)
    form: DispatchForm
    if 2 * count >= len(handlers):
        form = "replicated"
    else:
        form = "merged" if count <= max(3, len(handlers) / 10) else "partly merged"
    thunks = sum(loop.thunks for loop in jumping)
    parts = [f"{count} of {len(handlers)} handlers {which} jump indirectly", _MEANING[form]]
    if thunks:
        parts.insert(1, f"{_count(thunks, 'jump')} by way of a retpoline thunk")
    if len(bodies) > len(handlers):
        parts.append(f"{_count(len(bodies) - len(handlers), 'other function')} beside them")
    facts = _facts("tail-call", form, bodies, "; ".join(parts))
    entries = frozenset(body.pieces[0].address for body in handlers)
    return Dispatching(replace(facts, targets=len(handlers)), tuple(handlers), entries)


def no_form(bodies: Sequence[Body]) -> Dispatching:
    """The facts of functions without an indirect jump, and of no function at all."""
    if not bodies:
        reason = "no function of the program has such a name"
        return Dispatching(_facts("none", "unknown", bodies, reason))
    reason = f"none of {_count(len(bodies), 'function')} contains an indirect jump"
    return Dispatching(_facts("none", "none", bodies, reason), tuple(bodies))


def _facts(
    style: _Style,
    form: DispatchForm,
    bodies: Sequence[Body],
    reason: str,
) -> DispatchFacts:
    """The facts with the sums over ``bodies``, without targets."""
    return DispatchFacts(
        style=style,
        form=form,
        indirect_jumps=sum(len(body.indirect_jumps) for body in bodies),
        targets=None,
        functions=len(bodies),
        instructions=sum(len(body.instructions) for body in bodies),
        size=sum(body.size for body in bodies),
        reason=reason,
    )


def _count(number: int, thing: str) -> str:
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"


#: A table with fewer targets is a switch, not an interpreter.
MIN_LOOP_TARGETS = 4


def examine_dispatch(
    program: Program, bodies: Sequence[Body], pointers: Pointers | None = None
) -> Dispatching:
    """Judge the functions that a study names as dispatching, cold parts joined.

    They may be those of both styles at once: which one the program has follows from what they
    contain. ``pointers`` are the program's, for a caller that asks about many functions.
    """
    pointers = pointers or Pointers(program.image)
    loops = [examine_loop(program, pointers, body) for body in bodies]
    loops = [loop for loop in loops if loop.jumps + loop.thunks]
    if not loops:
        return no_form(bodies)
    loop = max(loops, key=lambda x: max(x.targets or 0, x.jumps + x.thunks))
    # A handler may contain a switch; a loop's table is of the size of the whole instruction set.
    enough = max(MIN_LOOP_TARGETS, len(bodies) / 2)
    looping = [candidate for candidate in loops if (candidate.targets or 0) >= enough]
    apart = {id(candidate.body) for candidate in looping}
    handlers = [body for body in bodies if id(body) not in apart]
    jumping = [candidate for candidate in loops if id(candidate.body) not in apart]
    tail_calls = len(handlers) >= MIN_HANDLERS and 2 * len(jumping) >= len(handlers)
    if tail_calls and len(handlers) > (loop.targets or 0):
        return tail_call_form(pointers, handlers, jumping)
    # Handlers that all go on to one shared dispatch still are handlers when a table lists them.
    if (loop.targets or 0) < MIN_LOOP_TARGETS and loop.jumps + loop.thunks < MANY_JUMPS:
        listed = pointers.to(body.pieces[0].address for body in handlers)
        if len(listed) >= MIN_HANDLERS:
            return tail_call_form(pointers, handlers, jumping)
    return loop_form(program, loop, others=sum(candidate is not loop for candidate in looping))


def examine_loop(program: Program, pointers: Pointers, body: Body) -> Loop:
    """A function with the tables that it jumps through."""
    thunks = body.thunk_jumps(program)
    jumps = body.dispatching_jumps
    tables = jump_tables(program, pointers, body) if jumps + thunks else []
    return Loop(body, jumps, thunks, tables)
