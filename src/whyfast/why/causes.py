"""The list of causes: which facts about functions make which label, asked from the specific to the
general.

A rule sees what ran of a group of functions on both sides, and returns a label or None. It never
decides how much of the difference it carries: that is the measured time of the group.
"""

from __future__ import annotations

from dataclasses import replace

from whyfast.why import code_rules as code
from whyfast.why import program_rules as program
from whyfast.why.counts import (
    CYCLES,
    FAR,
    LAST_PAGES,
    PAGES,
    SECOND_LEVEL,
    SECOND_LEVEL_CYCLES,
)
from whyfast.why.groups import PROGRAM
from whyfast.why.internals import quoted
from whyfast.why.view import CauseLabel, GroupView, Rule, caller_of, number


def label(view: GroupView) -> CauseLabel | None:
    """The first rule that fits; None where none does."""
    rules = RULES
    if view.group.kind == PROGRAM:
        rules = DIFFERENT
    elif view.group.main.key.library and not view.group.kind and not view.fast.total:
        rules = FOREIGN  # which side calls a library's function says nothing of its code
    elif same_code(view):
        rules = SAME
    elif view.counted and view.slow.total and not view.fast.total:
        rules = REPLACING if view.replacing else FOREIGN
    return next((found for rule in rules if (found := rule(view))), None)


def same_code(view: GroupView) -> bool:
    """Whether both sides have the same code, as far as its kinds of instructions tell: what differs
    is then how often it runs, and on what."""
    fast, slow = view.fast, view.slow
    return slow.instructions > 0 and (fast.instructions, fast.static) == (
        slow.instructions,
        slow.static,
    )


def program_label(view: GroupView) -> CauseLabel | None:
    """How the program was built, as all of its functions together show."""
    found = program.sanitizer(view) or ((not same_code(view) and program.debug_build(view)) or None)
    return found and replace(found, sentence=found.sentence.replace(view.name, "{slow}", 1))


def branch_misses(v: GroupView) -> CauseLabel | None:
    extra = v.group.beyond("mispredicted branches")
    if v.other_work or not v.carries(extra, CYCLES["mispredicted branches"]):
        return None
    fact = v.quantity("mispredicted branches")
    if _further_steps(v):
        done, steps = v.quantity("instructions"), v.extra("branch")
        return CauseLabel(
            "more-work",
            f"{v.name} goes through its loops more often: {number(steps)} more branches, with "
            f"{number(fact.slow or 0)} mispredictions in the simulation "
            f"({{fast}}: {number(fact.fast or 0)})",
            "counted",
            (done, v.fact("branch", "branches"), fact),
            "look at how long the chains are, or how often the loop runs",
        )
    return CauseLabel(
        "branch-misses",
        f"{v.name} has branches that the processor cannot predict: "
        f"{number(fact.slow or 0)} mispredictions in the simulation "
        f"({{fast}}: {number(fact.fast or 0)})",
        "counted",
        (fact,),
        "make the branch a conditional move or sort the data",
    )


def _further_steps(v: GroupView) -> bool:
    """Whether further mispredictions come with further branches of no other code: more steps."""
    more = v.group.extra("mispredicted branches")
    same = 0 < v.slow.static["branch"] <= v.fast.static["branch"]
    return same and v.extra("branch") >= more and (v.group.ratio("instructions") or 0) >= 1.03


def misses_alike(v: GroupView, cycles: float = SECOND_LEVEL_CYCLES) -> bool:
    """Whether no more instructions miss the first level about as often on both sides, and often
    enough to carry the difference if each miss took so many cycles on one side only."""
    fast, slow = v.group.counted.get("L1 data misses", (0.0, 0.0))
    no_more = 0.5 < (v.group.ratio("instructions") or 0.0) < 1.03
    return no_more and slow < OFTEN * fast and v.carries(slow, cycles)


#: From this ratio on, misses of the first level are themselves the difference.
OFTEN = 1.5


def _misses(v: GroupView) -> str:
    """How often both sides miss the first level."""
    fact = v.quantity("L1 data misses")
    fast, slow = fact.fast or 0, fact.slow or 0
    if abs(slow - fast) < 0.1 * fast:
        return "as many misses of the cache as in {fast}, but"
    return f"{number(slow)} misses of the cache ({{fast}}: {number(fast)}), and"


def cache_misses(v: GroupView) -> CauseLabel | None:
    if v.carries(v.group.extra(SECOND_LEVEL), SECOND_LEVEL_CYCLES):
        fact = v.quantity(SECOND_LEVEL)
        return CauseLabel(
            "cache-misses",
            f"{v.name} is served from further away: {_misses(v)} {number(fact.slow or 0)} of the "
            f"second level ({{fast}}: {number(fact.fast or 0)}), simulated",
            "counted",
            (fact,),
            "look at distances in memory that are powers of two, and at the order of the data",
        )
    if v.carries(v.group.extra(PAGES), FAR):
        fact = v.quantity(PAGES)
        return CauseLabel(
            "cache-misses",
            f"{v.name} jumps about in memory: {_misses(v)} "
            f"{number(fact.slow or 0)} of them on other pages than the last {LAST_PAGES} "
            f"({{fast}}: {number(fact.fast or 0)}), which the processor cannot fetch ahead",
            "counted",
            (fact, v.quantity("L1 data misses")),
            "lay the data out in the order in which it is visited",
        )
    fast, slow = v.group.counted.get("L1 data misses", (0.0, 0.0))
    far = slow > OFTEN * fast and not v.further_work and v.carries(slow - fast, FAR)
    if v.other_work or not (v.carries(v.miss_cycles, 1.0) or far):
        return None
    last = v.group.extra("last-level misses") * CYCLES["last-level misses"]
    name = "last-level misses" if last > v.miss_cycles / 2 else "L1 data misses"
    fact = v.quantity(name)
    return CauseLabel(
        "cache-misses",
        f"{v.name} misses the cache more: {number(fact.slow or 0)} {name} in the "
        f"simulation ({{fast}}: {number(fact.fast or 0)})",
        "counted",
        (v.quantity("L1 data misses"), v.quantity("last-level misses")),
        "look at the layout and the order of the data",
    )


def more_calls(v: GroupView) -> CauseLabel | None:
    fast, slow = v.group.counted.get("calls", (0.0, 0.0))
    times = v.group.ratio("instructions")
    least = 10 if v.fast.total or v.replacing or v.group.main.key.library else 1
    if not v.counted or slow < 1.1 * fast or slow - fast < least:
        return None
    if times is not None and fast and times < 1.05:
        return None
    name, fast, slow = _called(v)
    caller = caller_of(v)
    return CauseLabel(
        "more-calls",
        f"{{slow}} calls {name} {'once' if slow == 1 else f'{number(slow)} times'} "
        f"({{fast}}: {number(fast)}){caller}",
        "counted",
        (v.quantity("calls"), v.quantity("instructions")),
    )


#: Share of a group's further calls that the function must have that it is named after.
OWN = 0.1


def _called(v: GroupView) -> tuple[str, float, float]:
    """A function of the group with how often each side calls it: that which the group is named
    after, or where that one hardly has a part in it that of most further calls."""
    fast, slow = (v.group.calls.get(side, {}) for side in ("fast", "slow"))
    every = v.group.counted["calls"]

    def further(name: str) -> float:
        return slow.get(name, 0.0) - fast.get(name, 0.0)

    name, most = v.group.main.key.name, max(slow, key=further, default="")
    if further(name) > OWN * (every[1] - every[0]):
        return v.name, fast.get(name, 0.0), slow[name]
    return (quoted(most), fast.get(most, 0.0), slow[most]) if most else (v.name, *every)


#: What more work of the same kind brings with it.
MISSES = ("L1 data misses", "last-level misses", "mispredicted branches")


#: Times as long as on the fast side that an instruction takes from which on more of them are only
#: part of the reason.
LONGER = 2.0


def more_work(v: GroupView) -> CauseLabel | None:
    times = v.group.ratio("instructions")
    if not v.counted or times is None or times < 1.03:
        return None
    misses = sum(max(0.0, v.group.extra(n)) * CYCLES[n] for n in MISSES)
    if not v.carries(v.group.extra("instructions") + misses, 1.0):  # not even at one a cycle
        return None
    same = v.slow.static == v.fast.static and v.slow.static
    done = v.quantity("instructions")
    work = f"{times:.3g}x the instructions"
    if times >= 1000:  # as good as none on the fast side
        work = f"{number(done.slow or 0)} instructions ({{fast}}: {number(done.fast or 0)})"
    text = f"{'the same code of ' if same else ''}{v.name} executes {work}"
    if v.pace >= LONGER:
        text += f", each of which takes {v.pace:.2g}x as long"
    return CauseLabel("more-work", text, "counted", (done,))


#: Asked in this order.
RULES: tuple[Rule, ...] = (
    program.sanitizer,
    program.family,
    program.debug_build,
    program.x87,
    program.hardening,
    program.helpers,
    program.instrumented,
    code.atomics,
    code.guarded_call,
    code.store_forwarding,
    code.vectorisation,
    code.copying,
    code.division,
    code.devirtualisation,
    program.plt,
    code.inlining,
    code.bounds_checks,
    code.assertions,
    code.jump_table,
    code.unrolling,
    branch_misses,
    cache_misses,
    code.changes_in_place,
    code.spills,
    more_calls,
    more_work,
)

#: Those for functions whose code is the same on both sides.
SAME: tuple[Rule, ...] = (
    program.sanitizer,
    program.family,
    program.helpers,
    program.instrumented,
    code.copying,
    branch_misses,
    cache_misses,
    code.atomics,
    more_calls,
    more_work,
)

#: Those for functions that do what another function does on the other side: of that one's pointers,
#: checks and spills they know nothing.
REPLACING: tuple[Rule, ...] = tuple(
    rule
    for rule in RULES
    if rule not in (code.devirtualisation, code.bounds_checks, code.jump_table, code.spills)
)

#: Those for functions that one side alone calls: how they do it tells nothing.
FOREIGN: tuple[Rule, ...] = (
    program.sanitizer,
    program.family,
    program.helpers,
    more_calls,
    more_work,
)

#: Those for the code of two different programs, or of one program without names.
DIFFERENT: tuple[Rule, ...] = (
    program.sanitizer,
    program.debug_build,
    program.x87,
    code.vectorisation,
    code.division,
    branch_misses,
    cache_misses,
    program.another_program,
)
