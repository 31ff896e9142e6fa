"""Which functions of an interpreter dispatch: get from one instruction of its program to the next.

A *loop* interpreter is one function. It jumps through a table either at one place, which all
handlers return to, or at the end of each handler. A *tail-call* interpreter is a function a
handler, each ending in an indirect jump to the next. In which form they do so says
:mod:`whyfast.explain.dispatch_form`.
"""

from __future__ import annotations

from collections.abc import Sequence

from whyfast.explain.body import Body
from whyfast.explain.code import Program
from whyfast.explain.dispatch_form import (
    MANY_JUMPS,
    MIN_HANDLERS,
    Dispatching,
    Loop,
    loop_form,
    no_form,
    tail_call_form,
)
from whyfast.explain.jump_tables import Pointers, jump_tables

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
    loops = [_examine(program, pointers, body) for body in bodies]
    loops = [loop for loop in loops if loop.jumps + loop.thunks]
    if not loops:
        return no_form(bodies)
    loop = max(loops, key=lambda one: max(one.targets or 0, one.jumps + one.thunks))
    # A handler may contain a switch; a loop's table is of the size of the whole instruction set.
    enough = max(MIN_LOOP_TARGETS, len(bodies) / 2)
    looping = [one for one in loops if (one.targets or 0) >= enough]
    apart = {id(one.body) for one in looping}
    handlers = [body for body in bodies if id(body) not in apart]
    jumping = [one for one in loops if id(one.body) not in apart]
    tail_calls = len(handlers) >= MIN_HANDLERS and 2 * len(jumping) >= len(handlers)
    if tail_calls and len(handlers) > (loop.targets or 0):
        return tail_call_form(pointers, handlers, jumping)
    # Handlers that all go on to one shared dispatch still are handlers when a table lists them.
    if (loop.targets or 0) < MIN_LOOP_TARGETS and loop.jumps + loop.thunks < MANY_JUMPS:
        listed = pointers.to(body.pieces[0].address for body in handlers)
        if len(listed) >= MIN_HANDLERS:
            return tail_call_form(pointers, handlers, jumping)
    return loop_form(program, loop, others=sum(one is not loop for one in looping))


def _examine(program: Program, pointers: Pointers, body: Body) -> Loop:
    thunks = body.thunk_jumps(program)
    jumps = body.dispatching_jumps
    tables = jump_tables(program, pointers, body) if jumps + thunks else []
    return Loop(body, jumps, thunks, tables)
