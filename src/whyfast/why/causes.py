"""The list of causes: which facts about functions make which label, asked from the specific to the
general.

A rule sees what ran of a group of functions on both sides and returns a :class:`Label` or None. It
never decides how much of the difference it carries: that is the measured time of the group.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from whyfast.explain.executed import SANITIZER, Executed
from whyfast.model.why import Basis, Fact
from whyfast.why.counts import CYCLES
from whyfast.why.groups import Group

#: Cycles a second by which counts of events are held against seconds: the order of magnitude of
#: processors of the last decade. It decides only whether a count could carry a difference.
HERTZ = 3e9

#: Cycles of a division of 64-bit integers (20 to 40), of one of floats (4 to 20).
DIVISION, FLOAT_DIVISION = 20.0, 8.0

#: An event carries a group's difference if its cycles are at least this share of it.
CARRIES = 0.3


@dataclass(frozen=True)
class Label:
    """A cause's key with what is said of it. ``sentence`` speaks of ``{slow}`` and ``{fast}``."""

    key: str
    sentence: str
    basis: Basis
    facts: tuple[Fact, ...] = ()
    remedy: str = ""


@dataclass(frozen=True)
class View:
    """What rules see: a group, what ran of it, and whether that was counted."""

    group: Group
    fast: Executed
    slow: Executed
    counted: bool
    threads: int = 1

    @property
    def name(self) -> str:
        return f"`{self.group.main.key.name}`"

    @property
    def basis(self) -> Basis:
        return "counted" if self.counted else "read"

    @property
    def cycles(self) -> float:
        """Those of the group's difference."""
        return max(1.0, abs(self.group.time.difference) * HERTZ)

    def extra(self, kind: str) -> float:
        """How much more often instructions of a kind ran on the slow side, counted."""
        return self.slow.kinds[kind] - self.fast.kinds[kind]

    def more_share(self, kind: str) -> float:
        """The share of the slow side's extra work that is of a kind, from 0 to 1; by time where
        nothing was counted."""
        total = self.slow.total - self.fast.total
        return self.extra(kind) / total if total > 0 else 0.0

    def carries(self, events: float, cycles: float) -> bool:
        return self.counted and events * cycles >= CARRIES * self.cycles

    @property
    def memory_bound(self) -> bool:
        """Whether misses could carry the difference, and more than instructions could."""
        more = CYCLES["instructions"] * max(0.0, self.slow.total - self.fast.total)
        return self.carries(self.miss_cycles, 1.0) and self.miss_cycles > 2 * more

    @property
    def miss_cycles(self) -> float:
        """Cycles of the slow side's further misses of data."""
        names = ("L1 data misses", "last-level misses")
        return sum(self.group.extra(name) * CYCLES[name] for name in names)

    def fact(self, kind: str, name: str = "") -> Fact:
        fast, slow = self.fast.kinds[kind], self.slow.kinds[kind]
        unit = "executed" if self.counted else "s"
        tool = "Callgrind" if self.counted else "samples"
        return Fact(name or kind, fast, slow, unit, "counted" if self.counted else "measured", tool)

    def quantity(self, name: str) -> Fact:
        fast, slow = self.group.counted.get(name, (0.0, 0.0))
        return Fact(name, fast, slow, "", "counted", "Callgrind")


Rule = Callable[[View], Label | None]


def label(view: View) -> Label | None:
    """The first rule that fits; None where none does."""
    return next((found for rule in RULES if (found := rule(view))), None)


def _family(v: View) -> Label | None:
    kind = v.group.kind
    if not kind:
        return None
    calls = v.quantity("calls")
    facts = (calls,) if v.counted else ()
    most = max(v.group.members, key=lambda m: abs(m.time.difference)).key.name
    number = f": {_times(calls)} calls" if facts and calls.slow != calls.fast else ""
    caller = _caller(v)
    text = {
        "allocation": f"{{slow}} allocates more memory{number}{caller}",
        "copying": f"{{slow}} copies or clears more memory, in `{most}`{number}{caller}",
        "string-work": f"{{slow}} scans strings more, in `{most}`{number}{caller}",
        "locks": f"{{slow}} takes locks more, in `{most}`{number}{caller}",
        "start-up": f"{{slow}} loads and links more before `main`, in `{most}`",
        "garbage-collection": f"{{slow}} collects more garbage, in `{most}`{number}",
    }[kind]
    return Label(kind, text, v.basis, facts)


def _sanitizer(v: View) -> Label | None:
    named = any(SANITIZER.match(m.key.name) or "san.so" in m.key.library for m in v.group.members)
    calls = v.slow.static["sanitizer call"] > v.fast.static["sanitizer call"]
    if not (named or calls):
        return None
    return Label(
        "sanitizer",
        f"{v.name} is checked by a sanitizer",
        "read",
        remedy="build without -fsanitize",
    )


def _debug_build(v: View) -> Label | None:
    def stack(side: Executed) -> float:
        return side.share("stack load") + side.share("stack store")

    if stack(v.slow) < 0.33 or stack(v.fast) > stack(v.slow) / 2 or not v.fast.total:
        return None
    if v.counted and v.slow.total < 1.5 * v.fast.total:
        return None
    fact = Fact(
        "instructions that use the stack", 100 * stack(v.fast), 100 * stack(v.slow), "%", v.basis
    )
    return Label(
        "debug-build",
        f"{v.name} was built without optimisation: {100 * stack(v.slow):.0f} % of its "
        f"instructions load or store local variables ({{fast}}: {100 * stack(v.fast):.0f} %)",
        "read",
        (fact,),
        "build with -O2",
    )


def _x87(v: View) -> Label | None:
    if v.slow.share("x87") > 0.1 and v.fast.share("x87") < 0.02:
        return Label(
            "x87",
            f"{v.name} computes on the x87 stack",
            v.basis,
            (v.fact("x87"),),
            "build with -mfpmath=sse",
        )
    if (
        v.more_share("conversion") > 0.15
        and v.slow.static["conversion"] > v.fast.static["conversion"]
    ):
        return Label(
            "x87",
            f"{v.name} converts between precisions",
            v.basis,
            (v.fact("conversion", "conversions"),),
        )
    return None


def _hardening(v: View) -> Label | None:
    for kind, what, remedy in (
        ("thunk", "calls and jumps through retpolines", "-mindirect-branch=keep"),
        ("fortified call", "calls checked (fortified) functions", "-U_FORTIFY_SOURCE"),
        ("canary", "checks stack canaries", "-fno-stack-protector"),
    ):
        more = v.slow.static[kind] > v.fast.static[kind] and v.slow.kinds[kind] > 0
        if more and (kind == "thunk" or v.more_share(kind) > 0.05 or not v.counted):
            return Label(
                "hardening",
                f"{v.name} {what}",
                v.basis,
                (v.fact(kind),),
                f"measure with {remedy}",
            )
    return None


def _vectorisation(v: View) -> Label | None:
    fast, slow = v.fast.vector_bytes, v.slow.vector_bytes
    if v.fast.packed < 0.15:
        return None
    narrower = v.slow.packed < v.fast.packed / 2 or (fast >= 1.5 * slow and fast > 8)
    if not narrower or (v.counted and v.slow.total < 1.25 * v.fast.total) or v.memory_bound:
        return None
    widths = Fact("bytes per vector instruction", fast, slow, "bytes", v.basis, "disassembly")
    times = v.slow.total / v.fast.total if v.counted and v.fast.total else 0.0
    more = f"; {times:.2g}x the instructions" if times else ""
    verb = "is not vectorised" if v.slow.packed < 0.1 else "uses narrower vectors"
    widths_text = (
        f"{slow:.2g} bytes an instruction, {{fast}} {fast:.2g}"
        if slow
        else f"{{fast}} uses {fast:.2g} bytes an instruction"
    )
    return Label(
        "vectorisation",
        f"{v.name} {verb} ({widths_text}{more})",
        v.basis,
        (widths, v.quantity("instructions")) if v.counted else (widths,),
        "look at the loop's remarks: gcc -fopt-info-vec-missed, clang -Rpass-missed=loop-vectorize",
    )


def _division(v: View) -> Label | None:
    for kind, cycles in (("integer division", DIVISION), ("float division", FLOAT_DIVISION)):
        more = v.slow.static[kind] > v.fast.static[kind] and v.slow.kinds[kind] > v.fast.kinds[kind]
        if more and (
            v.carries(v.extra(kind), cycles) or (not v.counted and v.slow.share(kind) > 0.02)
        ):
            return Label(
                "division",
                f"{v.name} divides: {_number(v.slow.kinds[kind])} {kind}s"
                f" ({{fast}}: {_number(v.fast.kinds[kind])})"
                if v.counted
                else f"{v.name} divides where {{fast}} does not",
                v.basis,
                (v.fact(kind),),
                "divide by a constant, or multiply by the reciprocal",
            )
    return None


def _devirtualisation(v: View) -> Label | None:
    kind = "indirect call"
    if v.slow.static[kind] <= v.fast.static[kind] or v.slow.kinds[kind] <= 1.1 * v.fast.kinds[kind]:
        return None
    if v.counted and not v.carries(v.extra(kind), 3.0):
        return None
    number = f" {_number(v.slow.kinds[kind])} times ({{fast}}: {_number(v.fast.kinds[kind])})"
    alone = [m.key.name for m in v.group.members if v.slow.calls[m.key.name] == 0]
    callers = [c.name for c in v.group.callers.get("slow", [])]
    text = f"{v.name} calls through a pointer"
    if v.slow.share(kind) < 0.001 or (callers and v.group.main.time.fast == 0 and alone):
        text = f"{v.name} is called through a pointer"
    return Label(
        "devirtualisation",
        text + (number if v.counted else ""),
        v.basis,
        (v.fact(kind, "indirect calls"),),
        "make the callee known to the compiler: final, a template, LTO or PGO",
    )


def _plt(v: View) -> Label | None:
    """Calls of a library function that the other side has in its program, or inlined there."""
    extra = v.extra("library call")
    if v.slow.static["library call"] <= v.fast.static["library call"] or extra <= 0:
        return None
    more = [n for n, w in v.slow.library_calls.items() if w > v.fast.library_calls[n]]
    own = {m.key.name for m in v.group.members}
    reached = [n for n in more if n in own or v.fast.calls[n] > v.fast.library_calls[n]]
    if not reached or (v.counted and not v.carries(extra, 2.0)):
        return None
    callee = max(reached, key=lambda n: v.slow.library_calls[n])
    return Label(
        "plt",
        f"{v.name} calls `{callee}` of a shared library",
        v.basis,
        (v.fact("library call", "calls of library functions"),),
        "build with -fvisibility=hidden, -Bsymbolic or -fno-plt, or link statically",
    )


def _inlining(v: View) -> Label | None:
    """A member that one side never calls was inlined there, if its caller calls it on the other."""
    inlined = []
    for member in v.group.members[0:]:
        key = member.key.name
        if v.slow.calls[key] > 0 and v.fast.calls[key] == 0 and len(v.group.members) > 1:
            inlined.append(key)
    if not inlined:
        return None
    callee = max(inlined, key=lambda n: v.slow.calls[n])
    outer = next((m.key.name for m in v.group.members if m.key.name != callee), "")
    calls = v.slow.calls[callee]
    fact = Fact(f"calls of {callee}", 0.0, calls, "", v.basis)
    number = f": {_number(calls)} calls" if v.counted else ""
    return Label(
        "inlining",
        f"`{callee}` is not inlined into `{outer}`{number}",
        v.basis,
        (fact,),
        "inline, static, a header, or LTO; gcc -fopt-info-inline-missed says why not",
    )


def _bounds_checks(v: View) -> Label | None:
    if v.slow.static["check"] <= v.fast.static["check"] or v.more_share("check") < 0.08:
        return None
    return Label(
        "bounds-checks",
        f"{v.name} checks indices"
        + (f" {_number(v.slow.kinds['check'])} times" if v.counted else ""),
        v.basis,
        (v.fact("check", "checks of an index"),),
        "iterate instead of indexing, or assert the length before the loop",
    )


def _jump_table(v: View) -> Label | None:
    extra, less = v.extra("branch"), -v.extra("indirect jump")
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
    return Label("jump-table", text, v.basis, (v.fact("indirect jump"), v.fact("branch")))


def _store_forwarding(v: View) -> Label | None:
    if v.slow.static["blocked load"] <= v.fast.static["blocked load"]:
        return None
    if v.counted and not v.carries(v.extra("blocked load"), 12.0):
        return None
    return Label(
        "store-forwarding",
        f"{v.name} loads what it has just stored in narrower pieces"
        + (f", {_number(v.slow.kinds['blocked load'])} times" if v.counted else ""),
        v.basis,
        (v.fact("blocked load", "loads of what narrower stores have just written"),),
        "store and load in the same width",
    )


def _branch_misses(v: View) -> Label | None:
    extra = v.group.extra("mispredicted branches")
    if not v.carries(extra, CYCLES["mispredicted branches"]):
        return None
    fact = v.quantity("mispredicted branches")
    return Label(
        "branch-misses",
        f"{v.name} has branches that the processor cannot predict: "
        f"{_number(fact.slow or 0)} mispredictions in the simulation "
        f"({{fast}}: {_number(fact.fast or 0)})",
        "counted",
        (fact,),
        "make the branch a conditional move or sort the data",
    )


def _cache_misses(v: View) -> Label | None:
    if not v.carries(v.miss_cycles, 1.0):
        return None
    last = v.group.extra("last-level misses") * CYCLES["last-level misses"]
    name = "last-level misses" if last > v.miss_cycles / 2 else "L1 data misses"
    fact = v.quantity(name)
    return Label(
        "cache-misses",
        f"{v.name} misses the cache more: {_number(fact.slow or 0)} {name} in the "
        f"simulation ({{fast}}: {_number(fact.fast or 0)})",
        "counted",
        (v.quantity("L1 data misses"), v.quantity("last-level misses")),
        "look at the layout and the order of the data",
    )


def _atomics(v: View) -> Label | None:
    if not v.carries(v.extra("atomic"), 18.0):
        return None
    return Label(
        "locks",
        f"{v.name} executes {_number(v.slow.kinds['atomic'])} atomic instructions "
        f"({{fast}}: {_number(v.fast.kinds['atomic'])})",
        v.basis,
        (v.fact("atomic", "atomic instructions"),),
    )


def _spills(v: View) -> Label | None:
    extra = v.extra("stack load") + v.extra("stack store")
    total = v.slow.total - v.fast.total
    more = v.slow.static["stack load"] > v.fast.static["stack load"]
    if total <= 0 or extra < 0.3 * total or not more:
        return None
    return Label(
        "spills",
        f"{v.name} keeps values on the stack that {{fast}} keeps in registers",
        v.basis,
        (v.fact("stack load"), v.fact("stack store")),
    )


def _more_calls(v: View) -> Label | None:
    fast, slow = v.group.counted.get("calls", (0.0, 0.0))
    times = v.group.ratio("instructions")
    if not v.counted or slow < 1.1 * max(fast, 1.0) or slow - fast < 10:
        return None
    if times is not None and fast and times < 1.05:
        return None
    caller = _caller(v)
    return Label(
        "more-calls",
        f"{{slow}} calls {v.name} {_number(slow)} times ({{fast}}: {_number(fast)}){caller}",
        "counted",
        (v.quantity("calls"), v.quantity("instructions")),
    )


def _unrolling(v: View) -> Label | None:
    if not v.counted or v.slow.bytes == v.fast.bytes or set(v.slow.calls) != set(v.fast.calls):
        return None
    extra, total = v.extra("branch"), v.slow.total - v.fast.total
    same = abs(v.extra("load")) < 0.1 * max(1.0, v.fast.kinds["load"])
    if (
        total > 0
        and same
        and extra > 0.15 * total
        and v.slow.kinds["branch"] > 1.5 * v.fast.kinds["branch"]
    ):
        return Label(
            "unrolling",
            f"{v.name} has loops that are not unrolled",
            v.basis,
            (v.fact("branch"), v.quantity("instructions")),
            "-funroll-loops",
        )
    return None


def _more_work(v: View) -> Label | None:
    times = v.group.ratio("instructions")
    if not v.counted or times is None or times < 1.03:
        return None
    if not v.carries(v.group.extra("instructions"), 1.0):  # not even at one a cycle
        return None
    same = v.slow.static == v.fast.static and v.slow.static
    text = (
        f"the same code of {v.name} executes {times:.3g}x the instructions"
        if same
        else f"{v.name} executes {times:.3g}x the instructions"
    )
    return Label("more-work", text, "counted", (v.quantity("instructions"),))


#: Asked in this order.
RULES: tuple[Rule, ...] = (
    _sanitizer,
    _family,
    _debug_build,
    _x87,
    _hardening,
    _vectorisation,
    _division,
    _devirtualisation,
    _plt,
    _inlining,
    _bounds_checks,
    _jump_table,
    _store_forwarding,
    _branch_misses,
    _cache_misses,
    _atomics,
    _spills,
    _more_calls,
    _unrolling,
    _more_work,
)


def _caller(v: View) -> str:
    callers = v.group.callers.get("slow", [])
    return f", from `{callers[0].name}`" if callers and callers[0].name != "?" else ""


def _times(fact: Fact) -> str:
    return f"{_number(fact.slow or 0)} instead of {_number(fact.fast or 0)}"


def _number(value: float) -> str:
    for size, unit in ((1e9, " billion"), (1e6, " million")):
        if value >= size:
            return f"{value / size:.3g}{unit}"
    return f"{value:,.0f}"
