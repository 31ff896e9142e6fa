"""What one call does beside taking time; each figure by itself, with the reason where there is none.

    figure NUMBER WHAT      a count or a size
    word WORD WHAT          a name
    missing WHAT: WHY       not available here
    done

Nothing here depends on how fast the machine is.
"""

import collections
import gc
import sys

#: Calls before anything is counted: an interpreter that specialises has done so by then.
WARM = 600
#: Calls for references, and for allocations in the steady state.
MANY = 1000
#: Looks at the stack.
TRIES = 4
#: Levels of nesting, of which the difference is taken.
SHALLOW, DEEP = 50, 150

STACK = "bytes of C stack a call"
NESTED = "bytes of C stack a level of nesting"
STEADY = "allocations a call"
EMPTY = "allocations a call with empty free lists"
REFERENCES = "references a call"
BLOCKS = "blocks of memory a call"
INSTRUCTION = "instructions that call"


def evidence(callconv, workload):
    """The lines of the report."""
    found = []
    was_on = gc.isenabled()
    gc.disable()
    try:
        for _ in range(WARM // 10):
            workload.run(19)  # both loops of an unrolled one
        for part in (_allocations, _stack, _nested, _references, _instruction):
            found += part(callconv, workload)
    finally:
        if was_on:
            gc.enable()
    return found + ["done"]


def _figure(number, what):
    return "figure %g %s" % (round(number, 2) + 0.0, what)  # never -0


def _allocations(callconv, workload):
    try:
        few, many = (callconv.allocations(*workload.once(n) + (0,)) for n in (MANY, 2 * MANY))
        gc.enable()  # or else nothing is collected
        without, with_call = (callconv.allocations(*workload.once(n) + (1,)) for n in (0, 1))
        gc.disable()
    except NotImplementedError as why:
        return ["missing %s: %s" % (what, why) for what in (STEADY, EMPTY)]
    steady = float(many - few) / MANY
    return [_figure(steady, STEADY), _figure(with_call - without, EMPTY)]


def _stack(callconv, workload):
    # The least, since now and then a call is where the interpreter looks after threads and signals.
    depths = [callconv.call_depth(*workload.painted(callconv)) for _ in range(TRIES)]
    return [_figure(min(depths), STACK)]


def _nested(callconv, workload):
    if workload.nest is None:
        return []
    shallow, deep = (callconv.stack_depth(workload.nest, (n,)) for n in (SHALLOW, DEEP))
    level = float(deep - shallow) / (DEEP - SHALLOW)
    # Frames of one function lie a multiple of sixteen bytes apart; what is left of the difference is
    # that of the last levels.
    return [_figure(16 * round(level / 16), NESTED)]


def _references(callconv, workload):
    function, args = workload.once(MANY)
    function(*args)
    blocks = getattr(sys, "getallocatedblocks", None)
    function, args = workload.once(MANY)
    before = [sys.getrefcount(o) for o in workload.watched]
    blocks_before = blocks() if blocks else 0
    function(*args)
    blocks_after = blocks() if blocks else 0
    after = [sys.getrefcount(o) for o in workload.watched]
    lines = [_figure(float(sum(after) - sum(before)) / MANY, REFERENCES)]
    if blocks:
        return lines + [_figure(float(blocks_after - blocks_before) / MANY, BLOCKS)]
    return lines + ["missing %s: sys.getallocatedblocks came with 3.4" % BLOCKS]


def _instruction(callconv, workload):
    loop = getattr(workload, "loop", None)
    if loop is None:
        return []
    if sys.version_info < (3, 11):
        return ["missing %s: instructions that specialise came with 3.11" % INSTRUCTION]
    import dis

    names = [i.opname for i in dis.get_instructions(loop, adaptive=True)]
    calls = [n for n in names if any(part in n for part in ("CALL", "ATTR", "METHOD"))]
    return ["word %s %s" % ("+".join(collections.OrderedDict.fromkeys(calls)), INSTRUCTION)]
