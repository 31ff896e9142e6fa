"""Functions that carry a difference together, with what ran of them on both sides."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from whyfast.explain.executed import Executed, LoadedCode, LoadedFiles, executed_kinds
from whyfast.explain.objects import Function
from whyfast.model.why import Change, SourcePlace
from whyfast.why.counts import SideCounts
from whyfast.why.functions import FunctionKey, FunctionTime, total_change

#: Functions of libraries that do one kind of work, by that kind; names without leading underscores
#: and processors' variants.
FAMILIES = {
    "allocation": re.compile(
        r"^(malloc|free|calloc|realloc|int_malloc|int_free|_?int_(malloc|free|realloc)\w*|cfree"
        r"|malloc_consolidate|unlink_chunk|tcache_\w+|sysmalloc|systrim|operator (new|delete).*"
        r"|_Zn[wa].*|_Zd[la].*|(__rustc::)?__(rust_(alloc|dealloc|realloc)|rdl_)\w*|runtime\.mallocgc\w*"
        r"|_?Py(Object|Mem)_(Raw)?(Malloc|Free|Realloc|Calloc)|_?pymalloc_\w+"
        r"|aligned_alloc|posix_memalign|memalign|je_\w+|mi_\w+|checked_request2size)\b"
    ),
    "copying": re.compile(
        r"^(memcpy|memmove|memset|mempcpy|bzero|memmove\w*|memcpy\w*|memset\w*|rep_movs\w*"
        r"|runtime\.(memmove|memclr\w*|typedmemmove))$"
    ),
    "string-work": re.compile(
        r"^(str(n?len|n?cmp|n?cpy|n?cat|r?chr|chrnul|str|pbrk|c?spn|coll\w*|tok\w*|n?casecmp\w*|xfrm\w*)"
        r"|st[rp]\w?cpy|mem(cmp\w*|r?chr|mem)|rawmemchr|wcs\w+|wmem\w+|bcmp|strlen\w*)$"
    ),
    "locks": re.compile(
        r"^(_*pthread_(mutex|spin|rwlock|cond)_\w+|_*lll_(un)?lock\w*|futex\w*|sem_(wait|post)"
        r"|_*GI_+pthread_mutex\w*|std::sys::.*(futex|mutex).*|runtime\.(lock2?|unlock2?|futex\w*))$"
    ),
    "threads": re.compile(  # goroutines, by Go's scheduler
        r"^runtime\.(newproc\w*|malg|gf(get|put)|globrunq\w*|runq\w+|schedule|execute|findRunnable"
        r"|gopark\w*|goready\w*|ready|casgstatus|castogscanstatus|mcall|gogo|goexit\w*|gdestroy"
        r"|(start|stop|park)m|wakep|park_m|gostartcall\w*|isSystemGoroutine|stealWork|injectglist"
        r"|resetspinning|dropg|acquire[mp]|release[mp]|checkTimers|saveAncestors)(\.abi0)?$"
    ),
    "exceptions": re.compile(
        r"^_*(Unwind_\w+|cxa_(throw|rethrow|(begin|end|get)_catch\w*|(allocate|free)_exception"
        r"|get_globals\w*|call_terminate)"
        r"|gxx_personality_\w+|dl_find_object|dl_iterate_phdr|rust_eh_personality)\b"
    ),
    "garbage-collection": re.compile(
        r"^(runtime\.(gc\w*|scan\w+|greyobject|findObject|markroot\w*|sweepone|bgsweep)"
        r"|gc_collect\w*|visit_\w+|subtract_refs|move_unreachable|deduce_unreachable)"
    ),
}


#: The dynamic loader.
_LOADER = re.compile(r"^ld-(linux|musl)|^ld\.so")


@dataclass
class SideCode:
    """The machine code of one side and what is known of its execution. ``counts`` None: it was not
    simulated. ``program`` is the path of what its command runs, empty for a shell's line."""

    name: str
    counts: SideCounts | None = None
    files: LoadedFiles = field(default_factory=LoadedFiles)
    program: str = ""
    _loaded: dict[str, None] = field(default_factory=dict)

    def load(self, path: str) -> LoadedCode | None:
        """A program or library of this side; None where it cannot be read."""
        code = self.files.get(path)
        if code is not None:
            self._loaded[path] = None
        return code

    def loaded(self) -> list[str]:
        """The files of this side that were read."""
        return list(self._loaded)


@dataclass
class FunctionGroup:
    """Functions whose times belong together; the first of ``members`` gives it its name.

    ``kind`` is empty, what a family of library functions does, or :data:`PROGRAM`. ``executed`` is
    what ran, by side; ``counted`` the simulated quantities of all members as (fast, slow).
    ``users`` are the callers on the slow side, beyond libraries of C and C++ that pass calls on.
    """

    members: list[FunctionTime]
    kind: str = ""
    executed: dict[str, Executed] = field(default_factory=dict)
    counted: dict[str, tuple[float, float]] = field(default_factory=dict)
    callers: dict[str, list[FunctionKey]] = field(default_factory=dict)
    users: list[FunctionKey] = field(default_factory=list)
    calls: dict[str, dict[str, float]] = field(default_factory=dict)
    place: SourcePlace = field(default_factory=SourcePlace)

    @property
    def time(self) -> Change:
        return total_change(self.members)

    @property
    def main(self) -> FunctionTime:
        return self.members[0]

    @property
    def name(self) -> str:
        return self.main.key.name if self.kind in ("", PROGRAM) else self.kind

    def ratio(self, quantity: str) -> float | None:
        """Slow over fast; None where it was not counted or one side has none."""
        fast, slow = self.counted.get(quantity, (0.0, 0.0))
        return slow / fast if fast > 0 and slow > 0 else None

    def extra(self, quantity: str) -> float:
        fast, slow = self.counted.get(quantity, (0.0, 0.0))
        return slow - fast

    def beyond(self, quantity: str) -> float:
        """How much more of a quantity the slow side has than its instructions would bring at the
        rate of the fast one: more work of the same kind also misses more."""
        fast, slow = self.counted.get(quantity, (0.0, 0.0))
        return slow - fast * max(1.0, self.ratio("instructions") or 1.0)


#: Share of the difference below which a function stays on its own.
LEAST = 0.02

#: The kind of the group of all own functions of a program that is not the other one: which of them
#: the other side lacks tells nothing.
PROGRAM = "program"

#: The kind of the group of functions of programs that the slow side alone starts.
STARTED = "processes"

#: Functions of each side from which on it can be seen whether they are one program, and share of
#: the smaller number that both must have.
ENOUGH, COMMON = 8, 0.1

#: Functions that every program has, by the C library's start-up code.
_EVERY = re.compile(r"^(main|_.*|\(.*|\?|frame_dummy|(de)?register_tm_clones)$")


def group_functions(
    functions: Sequence[FunctionTime],
    whole: Change,
    fast: SideCode,
    slow: SideCode,
    stacks: Mapping[str, Mapping[FunctionKey, list[tuple[FunctionKey, ...]]]],
) -> list[FunctionGroup]:
    """Families of library functions, functions with those inlined into them on the other side, and
    the others one by one; those that carry most of the difference first.

    ``stacks`` are the functions above each, by side, as far as they were unwound.
    """
    least = LEAST * abs(whole.difference)
    families: dict[str, FunctionGroup] = {}
    groups: dict[FunctionKey, FunctionGroup] = {}
    own, started = _different_programs(fast, slow), _started(functions, fast, slow)
    for function in sorted(functions, key=lambda f: -f.time.slow) if own else functions:
        kind = STARTED if function.key in started else family_of(function.key)
        kind = kind or (PROGRAM if function.key in own else "")
        if kind:
            families.setdefault(kind, FunctionGroup([], kind)).members.append(function)
        else:
            groups[function.key] = FunctionGroup([function])
    _join_moved(groups, least)
    for function in functions:
        if function.key not in groups or abs(function.time.difference) < least:
            continue
        side = _only_side(function, fast, slow)
        caller = side and _caller(function.key, side, stacks.get(side.name, {}))
        if caller and caller in groups and groups[caller] is not groups[function.key]:
            _merge(groups, function.key, caller)
    merged = {id(g): g for g in (*groups.values(), *families.values())}
    result = [g for g in merged.values() if abs(g.time.difference) >= least]
    for group in result:
        if group.kind != PROGRAM:  # without what only makes a list long
            long = [m for m in group.members if abs(m.time.difference) >= least / 10]
            group.members = long or group.members[:1]
        describe(group, fast, slow, stacks, own if group.kind == PROGRAM else ())
    result.sort(key=lambda g: -abs(g.time.difference))
    return result


def _different_programs(fast: SideCode, slow: SideCode) -> set[FunctionKey]:
    """The functions of both programs, and of libraries that one side alone loads, if nearly none of
    them is executed by both; else none."""
    if fast.counts is None or slow.counts is None:
        return set()
    sides = [set(counts.events) for counts in (fast.counts, slow.counts)]
    loaded = [{key.library for key in keys} for keys in sides]
    shared = (loaded[0] & loaded[1]) - {""}
    own = [{k for k in keys if k.library not in shared} for keys in sides]
    named = [{k.name for k in keys if not _EVERY.match(k.name)} for keys in own]
    least = min(map(len, named))
    if least < ENOUGH or len(named[0] & named[1]) >= COMMON * least:
        return set()
    return own[0] | own[1]


def _started(functions: Sequence[FunctionTime], fast: SideCode, slow: SideCode) -> set[FunctionKey]:
    """The functions of programs that the slow side executes beside its own, if the fast side
    executes them not, and none that the slow side does not."""
    programs = {
        side.name: {
            path
            for f in functions
            for path in f.places.get(side.name, ())
            if ".so" not in path and path != side.program and side.files.get(path) is not None
        }
        for side in (fast, slow)
    }
    names = {
        side.name: {os.path.basename(p) for p in (*programs[side.name], side.program)}
        for side in (fast, slow)
    }
    if names[fast.name] - names[slow.name] - {os.path.basename(fast.program)}:
        return set()
    own = os.path.basename(slow.program) or "?"  # a script may start what it is named after
    more = {
        p
        for p in programs[slow.name]
        if (name := os.path.basename(p)) not in names[fast.name] and not name.startswith(own)
    }
    return {f.key for f in functions if (p := set(f.places.get(slow.name, ()))) and p <= more}


def _join_moved(groups: dict[FunctionKey, FunctionGroup], least: float) -> None:
    """One group for a function that is in the program on one side and in a library on the other."""
    by_name: dict[str, list[FunctionGroup]] = {}
    for key, group in groups.items():
        if max(abs(m.time.difference) for m in group.members) >= least / 10:
            by_name.setdefault(key.name, []).append(group)
    for first, *others in by_name.values():
        for other in others:
            groups[other.main.key] = first
            first.members += other.members


def family_of(key: FunctionKey) -> str:
    """The kind of work of a library's function, or of a runtime's inside the program."""
    if key.library.startswith("libgcc_s") or FAMILIES["exceptions"].match(key.name):
        return "exceptions"  # which unwind the stack
    if _LOADER.match(key.library):
        return "start-up"
    for kind, pattern in FAMILIES.items():
        if pattern.match(key.name) and (key.library or "." in key.name or kind == "allocation"):
            return kind
    return ""


def _only_side(function: FunctionTime, fast: SideCode, slow: SideCode) -> SideCode | None:
    """The side on which alone a function of the program is executed."""
    if function.key.library:
        return None
    for side, other, mine, theirs in (
        (slow, fast, function.time.slow, function.time.fast),
        (fast, slow, function.time.fast, function.time.slow),
    ):
        if other.counts is not None and side.counts is not None:
            # A main program is never called by its own code.
            if function.key in side.counts.events and function.key not in other.counts.events:
                return side
        elif mine > 0 and theirs == 0:
            return side
    return None


def _caller(
    key: FunctionKey,
    side: SideCode,
    stacks: Mapping[FunctionKey, list[tuple[FunctionKey, ...]]],
) -> FunctionKey | None:
    if side.counts is not None:
        return next((c for c in side.counts.callers(key) if c != key), None)
    chains = stacks.get(key, [])
    return next((f for chain in chains for f in chain if f != key and not f.library), None)


def _merge(
    groups: dict[FunctionKey, FunctionGroup], inner: FunctionKey, outer: FunctionKey
) -> None:
    target, source = groups[outer], groups[inner]
    target.members += [m for m in source.members if m not in target.members]
    for key, group in list(groups.items()):
        if group is source:
            groups[key] = target


def describe(
    group: FunctionGroup,
    fast: SideCode,
    slow: SideCode,
    stacks: Mapping[str, Mapping[FunctionKey, list[tuple[FunctionKey, ...]]]],
    unsampled: Iterable[FunctionKey] = (),
) -> None:
    """Fill in what ran, what was counted, and who calls the group. ``unsampled`` are functions that
    are counted with it, too."""
    group.members.sort(key=lambda m: -abs(m.time.difference))
    keys = [m.key for m in group.members]
    for side, other in ((fast, slow), (slow, fast)):
        group.executed[side.name] = executed_of(group.members, side)
        if side.counts is not None:
            more = _further_work(keys, side.counts, other.counts)
            mine = [c for c, _ in more.most_common() if c not in keys]
            if side is slow:
                group.users = _beyond_libraries(more, side.counts, other.counts, set(keys))
            group.calls[side.name] = {k.name: float(side.counts.called[k]) for k in keys}
        else:
            above = stacks.get(side.name, {})
            mine = [f for k in keys for chain in above.get(k, [])[:3] for f in chain[:4]]
        group.callers[side.name] = [c for c in dict.fromkeys(mine) if c not in keys]
    group.users = group.users or group.callers.get("slow", [])
    keys = [*dict.fromkeys((*keys, *unsampled))]
    if fast.counts is not None and slow.counts is not None:
        quantities = {n for side in (fast, slow) for n in side.counts.totals}  # type: ignore[union-attr]
        group.counted = {
            q: (
                sum(fast.counts.of(k, q) for k in keys),
                sum(slow.counts.of(k, q) for k in keys),
            )
            for q in quantities
        }
        # `operator new` calls malloc, which is one allocation.
        family = {*keys} if group.kind not in ("", PROGRAM) else set()
        group.counted["calls"] = (
            float(_calls_from_outside(keys, family, fast.counts)),
            float(_calls_from_outside(keys, family, slow.counts)),
        )


def _calls_from_outside(
    keys: Sequence[FunctionKey], family: set[FunctionKey], counts: SideCounts
) -> int:
    """How often functions are called, but by others of their ``family``."""
    inside = sum(
        n for (caller, callee), n in counts.calls.items() if caller in family and callee in family
    )
    return sum(counts.called[k] for k in keys) - inside


def _further_work(
    keys: Sequence[FunctionKey], counts: SideCounts, other: SideCounts | None
) -> Counter[FunctionKey]:
    """By caller the instructions that these functions execute for it beyond those of the other
    side."""
    more: Counter[FunctionKey] = Counter()
    mine = set(keys)
    for (caller, callee), cost in counts.inclusive.items():
        if callee in mine:
            more[caller] += cost - (other.inclusive[caller, callee] if other else 0)
    return more


#: Libraries whose functions work for whoever calls them.
_SUPPORT = re.compile(r"^(libc|libstdc\+\+|libc\+\+|libgcc_s|libm|ld-linux[\w-]*|libpthread)[.-]")


def _beyond_libraries(
    work: Mapping[FunctionKey, float],
    counts: SideCounts,
    other: SideCounts | None,
    group: set[FunctionKey],
) -> list[FunctionKey]:
    """Who lets the functions that call a group work, by how much more of it than on the other side:
    the callers themselves, or of a function of the C or C++ library those that call it in turn."""
    every: dict[FunctionKey, Counter[FunctionKey]] = {}
    further: dict[FunctionKey, Counter[FunctionKey]] = {}
    for (caller, callee), cost in counts.inclusive.items():
        if caller != callee and cost > 0:
            every.setdefault(callee, Counter())[caller] += cost
            more = cost - (other.inclusive[caller, callee] if other else 0)
            further.setdefault(callee, Counter())[caller] += max(0, more)
    users: Counter[FunctionKey] = Counter()
    level = {key: n for key, n in work.items() if n > 0}
    seen = set(level)
    for _ in range(8):
        higher: Counter[FunctionKey] = Counter()
        for key, amount in level.items():
            rows = further.get(key) or Counter()
            if not any(rows.values()):
                rows = every.get(key) or Counter()
            callers = {caller: cost for caller, cost in rows.items() if caller not in seen and cost}
            if not (_SUPPORT.match(key.library) or key in group) or not callers:
                users[key] += amount  # type: ignore[assignment]
                continue
            total = sum(callers.values())
            for caller, cost in callers.items():
                higher[caller] += amount * cost / total  # type: ignore[assignment]
        level = dict(higher)
        seen |= set(level)
    own = [k for k, _ in users.most_common() if not _SUPPORT.match(k.library) and k not in group]
    return own or [k for k, _ in users.most_common() if k not in group]


def executed_of(members: Iterable[FunctionTime], side: SideCode) -> Executed:
    """What ran of some functions on one side: executions if simulated, else seconds."""
    total = Executed()
    for member in members:
        for _, code, weights in weighted_code(member, side):
            functions = functions_of(code, member, side)
            part = executed_kinds(code, functions, weights, spread=side.counts is None)
            total.add(part)
    return total


def weighted_code(
    member: FunctionTime, side: SideCode
) -> Iterable[tuple[str, LoadedCode, Mapping[int, float]]]:
    """(path, code, weights by address) of the files of one side that a function may be in."""
    paths = dict.fromkeys(member.places.get(side.name, {}))
    if side.counts is not None:
        paths |= dict.fromkeys(p for p in side.counts.places if _holds(p, member, side))
    for path in paths:
        code = side.load(path)
        if code is None:
            continue
        if side.counts is not None:
            yield path, code, side.counts.places.get(path, {})
        else:
            places = member.places[side.name][path]
            found = ((code.address_of(place), seconds) for place, seconds in places.items())
            yield path, code, {a: s for a, s in found if a is not None}


def _holds(path: str, member: FunctionTime, side: SideCode) -> bool:
    """Whether a file may hold the function: the program where it is of the program."""
    library = path.rsplit("/", 1)[-1] if ".so" in path else ""
    return library == member.key.library


def functions_of(code: LoadedCode, member: FunctionTime, side: SideCode) -> list[Function]:
    """The pieces of a function in a file of one side."""
    symbols = set(member.symbols) | {member.key.name}
    if side.counts is not None:
        symbols |= side.counts.symbols.get(member.key, set())
    found = {id(f): f for s in symbols for f in code.by_name.get(s, ())}
    return list(found.values())
