"""Rules about the code of functions: which instructions ran on one side and not on the other."""

from __future__ import annotations

from whyfast.model.why import Fact
from whyfast.why.view import CauseLabel, GroupView, number

#: Cycles of a division of 64-bit integers (20 to 40), of one of floats (4 to 20).
DIVISION, FLOAT_DIVISION = 20.0, 8.0

#: How many times as often as on the other side a division is executed that is in a loop only here,
#: beyond what all instructions are.
INSIDE = 10.0

#: Cycles that a call may cost at most, with what the compiler can no longer do around it.
CALL = 100.0

#: Share of a function's further time that instructions of a kind must have where samples are all
#: that is known of them: about one in a loop of ten.
SAMPLED = 0.1

#: Share of a function's further branches that checks of indices must be at least: a loop with one
#: check has another branch, for its end.
CHECKED = 0.3

#: Share of a function's instructions that work on several elements from which on it is vectorised.
VECTORISED = 0.15

#: Times as long as on the fast side that an instruction takes from which on it waits for more than
#: its operands: sums of single elements, each after the last (4 cycles), take 5.4 times as long an
#: instruction as sums of vectors in four chains.
WAITING = 8.0

#: Instructions on several elements, by the bytes of their registers.
_PACKED = ("vector 16", "vector 32", "vector 64")


def vectorisation(v: GroupView) -> CauseLabel | None:
    fast, slow = v.fast.vector_bytes, v.slow.vector_bytes
    if v.fast.packed < VECTORISED or v.pace > WAITING:
        return None
    if v.fast.kinds["indirect call"] == 0 and v.slow.share("indirect call") >= 0.01:
        return None  # a call in the loop is the reason why it is not vectorised
    if v.counted and (scalar := _scalar(v)) is not None:
        return scalar
    if not v.counted and not any(
        v.fast.static[kind] > v.slow.static[kind] for kind in v.fast.static if kind in _PACKED
    ):
        return None  # samples fall on other instructions of the same code
    packed = [side.packed * side.total for side in (v.fast, v.slow)]
    fewer = v.slow.packed < v.fast.packed / 2 and not (v.counted and packed[1] > 0.8 * packed[0])
    narrower = fewer or (fast >= 1.5 * slow and fast > 8)
    if not narrower or (v.counted and v.slow.total < 1.25 * v.fast.total) or v.memory_bound:
        return None
    widths = Fact("bytes per vector instruction", fast, slow, "bytes", v.basis, "disassembly")
    times = v.slow.total / v.fast.total if v.counted and v.fast.total else 0.0
    more = f", {times:.2g}x the instructions" if times else ""
    verb = "is not vectorised" if v.slow.packed < 0.1 else "uses narrower vectors"
    widths_text = (
        f"{slow:.2g} bytes an instruction, {{fast}} {fast:.2g}"
        if slow
        else f"{{fast}} uses {fast:.2g} bytes an instruction"
    )
    return CauseLabel(
        "vectorisation",
        f"{v.name} {verb} ({widths_text}{more})",
        v.basis,
        (widths, v.quantity("instructions")) if v.counted else (widths,),
        "look at the loop's remarks: gcc -fopt-info-vec-missed, clang -Rpass-missed=loop-vectorize",
    )


def _scalar(v: GroupView) -> CauseLabel | None:
    """Arithmetic on single elements where the other side has none: a sum in its order, say."""
    kinds = ("vector 4", "vector 8")
    fast, slow = (sum(side.kinds[k] for k in kinds) for side in (v.fast, v.slow))
    total = v.more
    if v.slow.packed < 0.1 or v.memory_bound or total < 0.25 * v.fast.total:
        return None
    if slow - fast < 0.3 * total or fast > slow / 4:
        return None
    return CauseLabel(
        "vectorisation",
        f"{v.name} is vectorised in part only: {number(slow)} instructions work on single elements "
        f"({{fast}}: {number(fast)})",
        v.basis,
        (Fact("vector instructions on single elements", fast, slow, "executed", v.basis),),
        "see the loop's remarks (gcc -fopt-info-vec-missed); -ffast-math lets sums be reordered",
    )


def copying(v: GroupView) -> CauseLabel | None:
    """Memory that is copied or cleared in place: by string instructions or wide moves."""
    kind = "block copy"
    more = v.extra(kind) if v.slow.static[kind] > 0 else 0.0
    total = v.more
    if v.counted:
        wide = 0.0
        if v.slow.static["wide move"] > v.fast.static["wide move"] and not v.arithmetic > 0:
            wide = v.extra("wide move")
        if total <= 0 or more + wide < 0.4 * total:
            return None
        kind = kind if more >= wide else "wide move"
    elif v.slow.static[kind] <= v.fast.static[kind] or v.slow.share(kind) < 0.02:
        return None
    return CauseLabel(
        "copying",
        f"{v.name} copies or clears more memory in place",
        v.basis,
        (v.fact(kind, "instructions that copy or clear"),),
        "pass a pointer, make the buffer smaller, or leave out its initial value",
    )


def guarded_call(v: GroupView) -> CauseLabel | None:
    """An inlined copy behind a test of which function a pointer reaches."""
    kind = "indirect call"
    if not v.counted or v.slow.static[kind] <= v.fast.static[kind] or v.extra(kind) > 0:
        return None
    if v.extra("branch") <= 0 or v.extra("load") <= 0 or v.group.extra("calls") > 0:
        return None
    if v.extra("branch") + v.extra("load") < 0.3 * v.more or v.more <= 0:
        return None
    return CauseLabel(
        "devirtualisation",
        f"{v.name} tests what a pointer would call before it runs an inlined copy",
        v.basis,
        (v.fact("branch", "branches"), v.fact("load", "loads")),
        "make the callee known to the compiler: final, a template, LTO or PGO",
    )


def division(v: GroupView) -> CauseLabel | None:
    for kind, cycles in (("integer division", DIVISION), ("float division", FLOAT_DIVISION)):
        fast, slow = v.fast.kinds[kind], v.slow.kinds[kind]
        times = max(1.0, v.group.ratio("instructions") or 1.0)
        # Also where the other side has it in front of the loop.
        inside = v.counted and slow > INSIDE * times * max(1.0, fast)
        if (
            (v.slow.static[kind] > v.fast.static[kind] or inside)
            and slow > fast
            and (v.carries(v.extra(kind), cycles) or (not v.counted and v.slow.share(kind) > 0.02))
        ):
            return CauseLabel(
                "division",
                f"{v.name} divides: {number(v.slow.kinds[kind])} {kind}s"
                f" ({{fast}}: {number(v.fast.kinds[kind])})"
                if v.counted
                else f"{v.name} divides where {{fast}} does not",
                v.basis,
                (v.fact(kind),),
                "divide by a constant, or multiply by the reciprocal",
            )
    return None


def devirtualisation(v: GroupView) -> CauseLabel | None:
    kind = "indirect call"
    if v.slow.static[kind] <= v.fast.static[kind] or v.slow.kinds[kind] <= 1.1 * v.fast.kinds[kind]:
        return None
    if _nowhere(v, v.extra(kind)):
        return None
    # Where the other side has none at all, the callee was inlined there with all that this brings.
    cycles = 3.0 if v.fast.kinds[kind] > 0 else 12.0
    if v.counted and not v.carries(v.extra(kind), cycles):
        return None
    if not v.counted and v.more_share(kind) < SAMPLED / 2:
        return None
    times = f" {number(v.slow.kinds[kind])} times ({{fast}}: {number(v.fast.kinds[kind])})"
    alone = [m.key.name for m in v.group.members if v.slow.calls[m.key.name] == 0]
    callers = [c.name for c in v.group.callers.get("slow", [])]
    text = f"{v.name} calls through a pointer"
    if v.slow.share(kind) < 0.001 or (callers and v.group.main.time.fast == 0 and alone):
        text = f"{v.name} is called through a pointer"
    return CauseLabel(
        "devirtualisation",
        text + (times if v.counted else ""),
        v.basis,
        (v.fact(kind, "indirect calls"),),
        "make the callee known to the compiler: final, a template, LTO or PGO",
    )


def _nowhere(v: GroupView, calls: float) -> bool:
    """Whether the fast side executes less than two instructions for each further call of the slow
    one, to load something and to use it: it then does nothing of what is called, inlined or not."""
    return v.counted and v.fast.packed < VECTORISED and v.fast.total < 2 * calls


def inlining(v: GroupView) -> CauseLabel | None:
    """A member that one side never calls was inlined there, if its caller calls it on the other."""
    inlined = []
    for member in v.group.members[0:]:
        key = member.key.name
        if v.slow.calls[key] > 0 and v.fast.calls[key] == 0 and len(v.group.members) > 1:
            inlined.append(key)
    if not inlined:
        return None
    callee = max(inlined, key=lambda n: v.slow.calls[n])
    # What it is said to be missing from must run on this side, too.
    others = [m for m in v.group.members if m.key.name != callee]
    outer = next((m.key.name for m in others if m.time.slow > 0 or not m.time.fast), "")
    calls = v.slow.calls[callee]
    if not outer:
        return None
    if (v.counted and not v.carries(calls, CALL)) or _nowhere(v, calls):
        return None  # what the callee does takes the time, wherever it is
    fact = Fact(f"calls of {callee}", 0.0, calls, "", v.basis)
    times = f": {number(calls)} calls" if v.counted else ""
    return CauseLabel(
        "inlining",
        f"`{callee}` is not inlined into `{outer}`{times}",
        v.basis,
        (fact,),
        "inline, static, a header, or LTO; gcc -fopt-info-inline-missed says why not",
    )


def bounds_checks(v: GroupView) -> CauseLabel | None:
    if v.slow.static["check"] <= v.fast.static["check"] or v.more_share("check") < 0.08:
        return None
    if v.counted and v.extra("check") < CHECKED * v.extra("branch"):
        return None  # the checks are a small part of what it does more
    return CauseLabel(
        "bounds-checks",
        f"{v.name} checks indices"
        + (f" {number(v.slow.kinds['check'])} times" if v.counted else ""),
        v.basis,
        (v.fact("check", "checks of an index"),),
        "iterate instead of indexing, or assert the length before the loop",
    )


def assertions(v: GroupView) -> CauseLabel | None:
    for kind, key, what, remedy in (
        ("hardening check", "hardening", "checks what it gives the library", "_GLIBCXX_ASSERTIONS"),
        ("assertion", "debug-build", "checks assertions", "-DNDEBUG, -C overflow-checks=off"),
    ):
        if v.slow.static[kind] > v.fast.static[kind] and v.more_share(kind) >= 0.05:
            times = f" {number(v.slow.kinds[kind])} times" if v.counted else ""
            fact = v.fact(kind, f"{kind}s")
            return CauseLabel(key, f"{v.name} {what}{times}", v.basis, (fact,), f"see {remedy}")
    return None


def jump_table(v: GroupView) -> CauseLabel | None:
    extra, less = v.extra("branch"), -v.extra("indirect jump")
    if v.more_share("branch") + v.more_share("indirect jump") < SAMPLED:
        return None
    if (
        less > 0
        and v.fast.static["indirect jump"] > v.slow.static["indirect jump"]
        and extra > less
    ):
        text = f"{v.name} compares case by case where {{fast}} has a jump table"
    elif v.extra("indirect jump") > 0 and v.carries(v.extra("indirect jump"), 3.0):
        text = f"{v.name} jumps by a table where {{fast}} does not"
    else:
        return None
    return CauseLabel("jump-table", text, v.basis, (v.fact("indirect jump"), v.fact("branch")))


def store_forwarding(v: GroupView) -> CauseLabel | None:
    if v.slow.static["blocked load"] <= v.fast.static["blocked load"]:
        return None
    if v.counted and not v.carries(v.extra("blocked load"), 12.0):
        return None
    if not v.counted and v.more_share("blocked load") < SAMPLED:
        return None
    return CauseLabel(
        "store-forwarding",
        f"{v.name} loads what it has just stored in narrower pieces"
        + (f", {number(v.slow.kinds['blocked load'])} times" if v.counted else ""),
        v.basis,
        (v.fact("blocked load", "loads of what narrower stores have just written"),),
        "store and load in the same width",
    )


#: Cycles until what has been stored can be loaded again (Fog: 4 to 5), times the instructions up to
#: which it is the same work, and share of all changes that a table has at least.
FORWARDED, SAME_WORK, TABLE = 4.0, 1.3, 0.1


def changes_in_place(v: GroupView) -> CauseLabel | None:
    """Each change of a variable in memory waits for the store of the one before; of the entries of
    a table those that change one entry twice in a row do."""
    times = v.group.ratio("instructions") or SAME_WORK
    known = v.group.counted.get("loads", (0.0, 0.0))[1] > 0  # and so whether it misses more
    if not known or v.threads > 1 or times >= SAME_WORK or v.memory_bound:
        return None
    fast, slow = v.fast.kinds["update"], v.slow.kinds["update"]
    if slow > 2 * fast and v.carries(slow - fast, FORWARDED):
        return CauseLabel(
            "store-forwarding",
            f"{v.name} keeps a variable in memory and changes it there {number(slow)} times "
            f"({{fast}}: {number(fast)}), each time after the store of the last one",
            "suggested",
            (v.fact("update", "changes of a variable in memory"),),
            "compute in a local variable; restrict, or a copy, where pointers may meet",
        )
    tables = [side.tables.values() for side in (v.fast, v.slow)]
    fast, slow = (sum(rows) for rows in tables)
    many, few = (sum(n >= TABLE * sum(rows) for n in rows) for rows in tables)
    if few >= many or abs(slow - fast) > TABLE * slow or not v.carries(slow, FORWARDED):
        return None
    return CauseLabel(
        "store-forwarding",
        f"{v.name} changes {number(slow)} entries of {few} table{'s' * (few > 1)} ({{fast}}: of "
        f"{many}), each after the store of the one before where both are the same entry",
        "suggested",
        (Fact("tables", many, few), Fact("changes of entries", fast, slow)),
        "change several tables in turn, and add them up at the end",
    )


def atomics(v: GroupView) -> CauseLabel | None:
    if not v.carries(v.extra("atomic"), 18.0):
        return None
    return CauseLabel(
        "locks",
        f"{v.name} executes {number(v.slow.kinds['atomic'])} atomic instructions "
        f"({{fast}}: {number(v.fast.kinds['atomic'])})",
        v.basis,
        (v.fact("atomic", "atomic instructions"),),
    )


def spills(v: GroupView) -> CauseLabel | None:
    extra = v.extra("stack load") + v.extra("stack store")
    total = v.more
    more = v.slow.static["stack load"] > v.fast.static["stack load"]
    if total <= 0 or extra < 0.3 * total or not more or v.other_work:
        return None
    return CauseLabel(
        "spills",
        f"{v.name} keeps values on the stack that {{fast}} keeps in registers",
        v.basis,
        (v.fact("stack load"), v.fact("stack store")),
    )


def unrolling(v: GroupView) -> CauseLabel | None:
    """The same loads or stores from fewer places in the code, with more branches between them."""
    if not v.counted or set(v.slow.calls) != set(v.fast.calls) or v.more <= 0:
        return None
    fast, slow = (side.static["load"] + side.static["store"] for side in (v.fast, v.slow))
    same = any(
        v.fast.kinds[kind] > 0 and abs(v.extra(kind)) < 0.1 * v.fast.kinds[kind]
        for kind in ("load", "store")
    )
    branches = v.fast.kinds["branch"], v.slow.kinds["branch"]
    if not same or fast < 1.5 * slow or branches[1] < 1.5 * branches[0]:
        return None
    if v.extra("branch") < 0.1 * v.more:
        return None
    return CauseLabel(
        "unrolling",
        f"{v.name} has loops that are not unrolled: {number(branches[1])} branches "
        f"({{fast}}: {number(branches[0])})",
        v.basis,
        (v.fact("branch", "branches"), v.quantity("instructions")),
        "-funroll-loops, or a length that is a constant",
    )
