"""What handlers push and spill before they begin to work.

A handler of a tail-call interpreter is a function: what its calling convention makes it save, it
saves each time that its instruction is executed. A handler of a loop begins at a label and pushes
nothing, but may spill what the loop keeps in registers. Both are counted from the first
instruction up to the first branch, call or dispatch.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from whyfast.explain.disassembly.instruction import Instruction
from whyfast.explain.dispatch_form import Dispatching
from whyfast.model.evidence import EntryFacts


def entry_facts(dispatching: Dispatching) -> EntryFacts | None:
    """Pushes and spills over all handlers; None when it is not known where they begin."""
    found = []
    for body in dispatching.bodies:
        at = {i.address: n for n, i in enumerate(body.instructions)}
        # Below the frame pointer is the stack frame only where there is a frame pointer.
        framed = any(i.mark == "frame pointer" for i in body.instructions)
        starts = sorted(at[entry] for entry in dispatching.entries if entry in at)
        found += [saved(body.instructions, start, framed=framed) for start in starts]
    if not found:
        return None
    pushes, spills = [p for p, _ in found], [s for _, s in found]
    return EntryFacts(
        handlers=len(found),
        saving=sum(p + s > 0 for p, s in found),
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
