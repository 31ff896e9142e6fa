"""Rules about whole programs and their libraries: how it was built, what it spends in libraries."""

from __future__ import annotations

import os
import re

from whyfast.explain.executed import SANITIZER, Executed
from whyfast.model.why import Fact
from whyfast.why.groups import STARTED
from whyfast.why.view import CauseLabel, GroupView, caller_of, number, times

#: Code without optimisation keeps all variables on the stack: at least this share of its
#: instructions loads or stores there, and this share of the loads is of what has just been stored.
#: Registers that are spilled are seldom needed again at once (15 % of the loads). Where at least
#: two small functions are not inlined either, a larger share on the stack is enough (Rust).
STACKED, RELOADED, MOSTLY_STACKED = 0.2, 0.4, 0.35

#: Go's functions that are not inlined keep more there: 21 % of the instructions with -gcflags=-l,
#: 30 % with "-N -l" (one program of small functions, Go 1.26).
STACKED_BY_GO = 0.25

#: Share of what uses the stack from which on it is of floats alone, by -ffloat-store or for want of
#: registers: code without optimisation loads the addresses and counters from there as well.
FLOATS_ALONE = 0.75

#: The least share of the code itself, whatever of it runs.
STACKED_CODE = 0.25


#: Calls are as many up to this ratio.
AS_MANY = 1.02


def family(v: GroupView) -> CauseLabel | None:
    kind = v.group.kind
    if not kind:
        return None
    calls = v.quantity("calls")
    facts = (calls,) if v.counted and kind != "exceptions" else ()
    most = max(v.group.members, key=lambda m: abs(m.time.difference)).key.name
    # In as many calls it may handle larger blocks, or each call may take longer.
    alike = bool(facts and calls.fast) and (calls.slow or 0) <= AS_MANY * (calls.fast or 0)
    told = facts and not alike and calls.slow != calls.fast
    number = f": {times(calls)} calls" if told else ""
    caller = caller_of(v)
    switches = f"{{slow}} switches between goroutines more, in `{most}`{number}"
    if (begun := _goroutines(v)) is not None:
        switches, facts = f"{{slow}} starts more goroutines: {times(begun)}{caller}", (begun,)
    if kind == STARTED:
        paths = (p for m in v.group.members for p in m.places.get("slow", ()))
        names = [f"`{n}`" for n in dict.fromkeys(os.path.basename(p) for p in paths)]
        text = f"{{slow}} runs {' and '.join(names[:2])}, which {{fast}} does not"
        return CauseLabel(kind, text, "measured")
    strings = ("writes", "bytes of strings") if STRING_WRITERS.match(most) else ("scans", "strings")
    text = {
        "allocation": f"{{slow}} takes longer to allocate memory, in as many calls{caller}"
        if alike
        else f"{{slow}} allocates more memory{number}{caller}",
        "copying": _bytes_text(v, "copies or clears", "memory", f"{number}{caller}"),
        "string-work": _bytes_text(v, *strings, f"{number}{caller}"),
        "locks": f"{{slow}} takes longer to take locks, in `{most}`, in as many calls{caller}"
        if alike
        else f"{{slow}} takes locks more, in `{most}`{number}{caller}",
        "threads": switches,
        "exceptions": f"{{slow}} throws exceptions{caller}",
        "start-up": f"{{slow}} loads and links more before `main`, in `{most}`",
        "garbage-collection": f"{{slow}} collects more garbage, in `{most}`{number}",
    }[kind]
    return CauseLabel(kind, text, v.basis, facts)


def _bytes_text(v: GroupView, verb: str, what: str, more: str) -> str:
    """What a side does with memory or strings: by which function, where the other side has another
    one for it, and ``more`` of it only where not as few instructions do it as there."""
    fast, slow = (
        max(v.group.members, key=lambda m: getattr(m.time, side)) for side in ("fast", "slow")
    )
    if fast.key.name != slow.key.name and fast.time.fast > fast.time.slow + slow.time.fast:
        return f"{{slow}} {verb} {what} by `{slow.key.name}` where {{fast}} has `{fast.key.name}`"
    work = v.quantity("instructions")
    if v.counted and (work.slow or 0) <= AS_MANY * (work.fast or 0):
        return f"what {verb} {what} takes longer, in `{slow.key.name}`, for no more instructions"
    return f"{{slow}} {verb} more {what}, in `{slow.key.name}`{more}"


#: Functions of strings that write them: one of them fills the rest of the buffer with zeros.
STRING_WRITERS = re.compile(r"_*(st[rp]n?(cpy|cat)|wcs\w*(cpy|cat))")


#: The fact that tells of goroutines that are started.
GOROUTINES = "goroutines started"


def _goroutines(v: GroupView) -> Fact | None:
    """How many each side starts, where the slow one starts more."""
    name = "runtime.newproc1"
    fast, slow = (v.group.calls.get(side, {}).get(name, 0.0) for side in ("fast", "slow"))
    return Fact(GOROUTINES, fast, slow, "", "counted", "Callgrind") if slow > fast + 100 else None


def sanitizer(v: GroupView) -> CauseLabel | None:
    named = any(SANITIZER.match(m.key.name) or "san.so" in m.key.library for m in v.group.members)
    calls = v.slow.static["sanitizer call"] > v.fast.static["sanitizer call"]
    if not (named or calls):
        return None
    return CauseLabel(
        "sanitizer",
        f"{v.name} is checked by a sanitizer",
        "read",
        remedy="build without -fsanitize",
    )


def debug_build(v: GroupView) -> CauseLabel | None:
    def stack(side: Executed) -> float:
        return side.share("stack load") + side.share("stack store")

    def stacked_code(side: Executed) -> float:
        """The same of the code itself: a hot loop may be short and hold few variables."""
        places = side.static["stack load"] + side.static["stack store"]
        return places / side.instructions if side.instructions else 0.0

    least = max(STACKED_CODE, 1.5 * stacked_code(v.fast))
    if v.slow.instructions and stacked_code(v.slow) < least:
        return None
    by_go = any(m.key.name.startswith("main.") for m in v.group.members)
    if (
        stack(v.slow) < (STACKED_BY_GO if by_go else STACKED)
        or stack(v.fast) > stack(v.slow) / 2
        or not v.fast.total
    ):
        return None
    reloads = v.slow.kinds["reload"] >= RELOADED * v.slow.kinds["stack load"]
    apart = sum(m.time.slow > 0 and m.time.fast <= 0 for m in v.group.members)
    if not reloads and (apart < 2 or stack(v.slow) < MOSTLY_STACKED):
        return None
    if v.counted and v.slow.total < 1.5 * v.fast.total:
        return None
    if v.slow.share("stack vector") > FLOATS_ALONE * stack(v.slow):
        return None
    fact = Fact(
        "instructions that use the stack", 100 * stack(v.fast), 100 * stack(v.slow), "%", v.basis
    )
    return CauseLabel(
        "debug-build",
        f"{v.name} was built without optimisation: {100 * stack(v.slow):.0f} % of its "
        f"instructions load or store local variables ({{fast}}: {100 * stack(v.fast):.0f} %)",
        "read",
        (fact,),
        "build with -O2",
    )


def another_program(v: GroupView) -> CauseLabel | None:
    """More instructions in all of a program's own functions, of which the other side has none."""
    ratio = v.group.ratio("instructions")
    if not v.counted or ratio is None or ratio < 1.03:
        return None
    fact = v.quantity("instructions")
    return CauseLabel(
        "more-work",
        f"it is another program, whose own code executes {number(fact.slow or 0)} instructions "
        f"({{fast}}: {number(fact.fast or 0)}), the most in `{v.group.main.key.name}`",
        "counted",
        (fact,),
    )


def x87(v: GroupView) -> CauseLabel | None:
    if v.slow.share("x87") > 0.1 and v.fast.share("x87") < 0.02:
        return CauseLabel(
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
        return CauseLabel(
            "x87",
            f"{v.name} converts between precisions",
            v.basis,
            (v.fact("conversion", "conversions"),),
        )
    return None


def hardening(v: GroupView) -> CauseLabel | None:
    for kind, what, remedy in (
        ("thunk", "calls and jumps through retpolines", "-mindirect-branch=keep"),
        ("fortified call", "calls checked (fortified) functions", "-U_FORTIFY_SOURCE"),
        ("canary", "checks stack canaries", "-fno-stack-protector"),
        ("cleared register", "clears registers before it returns", "-fzero-call-used-regs=skip"),
    ):
        more = v.slow.static[kind] > v.fast.static[kind] and v.slow.kinds[kind] > 0
        if more and (kind == "thunk" or v.more_share(kind) > 0.05):
            return CauseLabel(
                "hardening",
                f"{v.name} {what}",
                v.basis,
                (v.fact(kind),),
                f"measure with {remedy}",
            )
    return None


def instrumented(v: GroupView) -> CauseLabel | None:
    """Each count loads and stores what the one before stored, or is atomic."""
    counts = v.extra("counter")
    if not (v.carries(counts, 2.5) or v.carries(min(counts, v.extra("atomic")), 18.0)):
        return None
    return CauseLabel(
        "hardening",
        f"{v.name} counts how often its parts run, for coverage or a profile",
        v.basis,
        (v.fact("counter", "accesses of counters"),),
        "build without --coverage or -fprofile-generate",
    )


#: Functions of the compilers' own libraries that code calls where the machine has no instruction,
#: or where a flag or an operator asks for one, with a key, what is done by them, and a remedy
#: (GCC internals, "The GCC low-level runtime library"; Itanium C++ ABI, 2.9 and 4).
HELPERS: tuple[tuple[re.Pattern[str], str, str, str], ...] = tuple(
    (re.compile(pattern), key, what, remedy)
    for pattern, key, what, remedy in (
        (
            r"__(add|sub|mul|neg|abs)v[sdt]i[23]",
            "hardening",
            "checks arithmetic for overflow",
            "build without -ftrapv",
        ),
        (
            r"_?_?mcount|__fentry__|__cyg_profile_func_(enter|exit)",
            "hardening",
            "reports every call to a profiler",
            "build without -pg or -finstrument-functions",
        ),
        (
            r"__u?(div|mod|divmod)t?[dt]i[34]",
            "division",
            "divides integers wider than the machine's",
            "use 64 bits where values fit",
        ),
        (
            r"__popcount[sdt]i2",
            "more-calls",
            "counts bits in software",
            "build with -mpopcnt, or -march=native",
        ),
        (
            r"__(add|sub|mul|div|ext|trunc|fix|float|eq|ne|lt|le|gt|ge)\w*[hst]f[23]?",
            "more-calls",
            "computes with floats in software",
            "use float or double",
        ),
        (
            r"__tls_get_addr",
            "more-calls",
            "looks up thread-local variables",
            "build with -ftls-model=initial-exec, or -fno-pic",
        ),
        (
            r"__dynamic_cast",
            "more-calls",
            "looks up the types of objects (dynamic_cast)",
            "ask a field or a virtual function",
        ),
    )
)

#: Cycles of a call of a helper, in the order of magnitude.
HELPER_CYCLES = 10.0


def helpers(v: GroupView) -> CauseLabel | None:
    """Calls of a compiler's library that only the slow side makes, or what it does in them."""
    own = {m.key.name for m in v.group.members}
    for pattern, key, what, remedy in HELPERS:
        called = {n: w - v.fast.calls[n] for n, w in v.slow.calls.items() if pattern.fullmatch(n)}
        callee = next((n for n in own if pattern.fullmatch(n)), None)
        if callee is None and (not called or not v.carries(sum(called.values()), HELPER_CYCLES)):
            continue
        callee = callee or max(called, key=lambda n: called[n])
        subject = "{slow}" if callee in own else v.name
        return CauseLabel(
            key,
            f"{subject} {what}, by calls of `{callee}`{caller_of(v) if callee in own else ''}",
            v.basis,
            (v.quantity("calls"),) if callee in own and v.counted else (),
            remedy,
        )
    return None


def plt(v: GroupView) -> CauseLabel | None:
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
    return CauseLabel(
        "plt",
        f"{v.name} calls `{callee}` of a shared library",
        v.basis,
        (v.fact("library call", "calls of library functions"),),
        "build with -fvisibility=hidden, -Bsymbolic or -fno-plt, or link statically",
    )
