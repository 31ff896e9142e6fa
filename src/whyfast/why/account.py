"""Items and labels of both sides → the account: which cause carries how much, and what is left."""

from __future__ import annotations

import math
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate

from whyfast.explain.executed import Executed
from whyfast.model.why import (
    Account,
    Cause,
    Change,
    CountedCode,
    Fact,
    Frame,
    Intervention,
    Item,
    Part,
)
from whyfast.why.causes import label, program_label
from whyfast.why.counts import SideCounts
from whyfast.why.functions import plain_name
from whyfast.why.groups import PROGRAM, FunctionGroup
from whyfast.why.kernel import BLOCKING, PURPOSES, WITH_KERNEL, purpose, supported
from whyfast.why.linked import NAMED, joined, linked, with_inner, with_loops
from whyfast.why.split import Crew
from whyfast.why.subtrees import called_more
from whyfast.why.surroundings import Factor, Surroundings
from whyfast.why.trials import GONE, Experiment, with_trial
from whyfast.why.view import CauseLabel, GroupView


@dataclass
class Gathered:
    """What the layers found for the sides ``fast`` and ``slow``, by their names.

    ``whole`` and ``split`` are in seconds of one run; ``of_cpu``: ``whole`` and the ratio are of
    CPU time, wall time is undecided. ``groups`` are of user time, ``items`` of kernel time and
    waiting; ``counted``: groups have simulated counts. ``around`` is what differs around the
    programs, ``tried`` the trials of its factors, ``mended`` those of what may mend a cause;
    ``crews`` the threads of both sides. ``interpreted``: machine code is that of a runtime, whose
    calls are not the program's. ``threads`` are at work at one time, of several ``processes`` or of
    one; ``own_threads``: a runtime has some of its own.
    """

    fast: str
    slow: str
    ratio: float
    low: float
    high: float
    whole: Change
    split: Mapping[Part, Change]
    groups: Sequence[FunctionGroup] = ()
    items: Sequence[Item] = ()
    given: Sequence[Cause] = ()
    of_cpu: bool = False
    counted: bool = False
    modelled: bool = False
    interpreted: bool = False
    threads: int = 1
    processes: bool = False
    own_threads: bool = False
    around: Surroundings = field(default_factory=Surroundings)
    tried: Sequence[tuple[Factor, Intervention]] = ()
    mended: Sequence[tuple[Experiment, Intervention]] = ()
    crews: tuple[Crew, Crew] | None = None
    slowdown: float | None = None
    frames: Frame | None = None
    code: CountedCode | None = None
    calls: tuple[SideCounts, SideCounts] | None = None
    limits: list[str] = field(default_factory=list)
    costs: dict[str, float] = field(default_factory=dict)


def make_account(found: Gathered) -> Account:
    """The causes in the order of their shares, each with what it rests on; the rest stays in the
    items."""
    difference = found.whole.difference
    causes = list(found.given)
    items = list(found.items)
    whole = _whole_program(found)
    apart = found.interpreted or any(g.kind == PROGRAM for g in found.groups)
    if whole is None and found.calls is not None and not apart:
        known = {name for cause in causes for name in cause.items}
        open_ = [g for g in found.groups if g.name not in known]
        for below in called_more(open_, *found.calls, found.whole):
            causes.append(replace(below, sentence=_filled(below.sentence, found)))
    taken = {name for cause in causes for name in cause.items}
    for group in found.groups:
        item = _item(group, difference)
        items.append(item)
        view = view_of(group, found)
        what = None
        checked = whole is not None and whole.key == "sanitizer" and item.share > 0
        if whole is not None and ((not group.main.key.library and not group.kind) or checked):
            what = whole if item.name not in taken else None
        elif item.share > 0 and item.name not in taken and item.time.low > 0:
            what = _of_call(group, found) or label(view)
        if what is not None:
            causes.append(_cause(what, item, found))
    # A function of user time may have the name of a system call.
    held = {name for cause in found.given if cause.key in WITH_KERNEL for name in cause.items}
    if whole is not None and whole.key == "sanitizer":  # it also reserves and fills its shadow
        more = [i for i in found.items if i.share > 0 and i.name not in taken]
        causes += [_cause(whole, item, found) for item in more]
        held |= {i.name for i in more}
    for key, mine in _by_purpose(found.items).items():
        if not held & {i.name for i in mine}:
            causes.append(_kernel_cause(key, mine, found))
    items.sort(key=lambda i: -abs(i.share))
    if math.isfinite(found.whole.low) and found.whole.low <= 0:
        causes = []  # the sides may be equal
    causes = linked(joined(with_inner(with_loops(causes, found.groups), found.groups)), items)
    if found.crews is not None and (cause := _fewer_threads(found, *found.crews)) is not None:
        causes = _beside([cause], [c for c in causes if c.key != "false-sharing"])
    causes = with_trial(_surrounded(causes, items, found), found.mended)
    return Account(
        fast=found.fast,
        slow=found.slow,
        ratio=found.ratio,
        low=found.low,
        high=found.high,
        time=found.whole,
        split=dict(found.split),
        items=tuple(items),
        causes=tuple(causes),
        explained=max(0.0, min(1.0, sum(c.share for c in causes))),
        limits=tuple(dict.fromkeys(found.limits)),
        costs=found.costs,
        slowdown=found.slowdown,
        modelled=found.modelled,
        of_cpu=found.of_cpu,
        frames=found.frames,
        code=found.code,
    )


#: Causes that the machine code of a function shows.
_OF_CODE = (
    *("vectorisation", "inlining", "devirtualisation", "division", "bounds-checks", "spills"),
    *("unrolling", "plt", "hardening", "jump-table", "store-forwarding", "x87", "more-work"),
    *("debug-build", "sanitizer", "dispatch"),
)


def next_command(account: Account, fast: Sequence[str], slow: Sequence[str]) -> str:
    """What to type next about the largest cause, with a remark what it shows; empty where nothing
    tells more than the account. ``fast`` and ``slow`` are the words of the commands."""
    cause = next(iter(account.causes), None)
    if cause is None:
        return ""
    calls = [i.name for i in account.items if i.name in cause.items and i.part != "user"]
    if cause.key in ("system-calls", "io-wait", "locks", "processes", "start-up") and calls:
        words = ["strace", "-f", "-k", "-e", f"trace={','.join(calls)}", "-o", "calls.txt", *slow]
        return f"{shlex.join(words)}  # every one of these calls with its stack"
    code, programs = account.code, (fast[0], slow[0])
    both = code is not None and code.fast == code.slow and programs[0] != programs[1]
    # A template has other arguments on each side.
    if cause.key in _OF_CODE and code is not None and both and "::" not in code.slow:
        words = ["whyfast", "explain", "--diff", "--function", code.slow, *programs]
        return f"{shlex.join(words)}  # both machine codes side by side"
    return ""


def _whole_program(found: Gathered) -> CauseLabel | None:
    """The label of how a program was built, if all of its functions together have it: it then
    belongs to every one, slower or not."""
    groups = [g for g in found.groups if not g.main.key.library and not g.kind]
    if not groups:
        return None
    program = FunctionGroup(
        sorted((m for g in groups for m in g.members), key=lambda m: -m.time.slow)
    )
    sides = {}
    for side in ("fast", "slow"):
        sides[side] = Executed()
        for group in groups:
            sides[side].add(group.executed[side])
    return program_label(GroupView(program, sides["fast"], sides["slow"], found.counted))


def view_of(group: FunctionGroup, found: Gathered) -> GroupView:
    """What rules see of a group."""
    fast, slow = group.executed["fast"], group.executed["slow"]
    replacing = not fast.total and found.calls is not None and _replacing(group, *found.calls)
    return GroupView(group, fast, slow, found.counted, found.threads, replacing)


#: How many times as often a function may be called as another one that it takes the place of.
AS_OFTEN = 1.5


def _replacing(group: FunctionGroup, fast: SideCounts, slow: SideCounts) -> bool:
    """Whether the fast side has another function of the program that is called about as often."""
    calls = slow.called[group.main.key]
    return any(
        not key.library and key not in slow.events and calls / AS_OFTEN <= n <= calls * AS_OFTEN
        for key, n in fast.called.items()
    )


def _item(group: FunctionGroup, difference: float) -> Item:
    time = group.time
    main = group.main.key
    facts = tuple(
        Fact(name, *group.counted[name], basis="counted", tool="Callgrind")
        for name in ("instructions", "calls", "L1 data misses", "mispredicted branches")
        if name in group.counted and any(group.counted[name])
    )
    callers = tuple(c.name for c in group.callers.get("slow", []))[:4]
    share = time.difference / difference if difference else 0.0
    place = replace(group.place, function=main.name, library=main.library)
    return Item("user", group.name, time, share, place, facts, callers)


def _cause(what: CauseLabel, item: Item, found: Gathered) -> Cause:
    text = _filled(what.sentence, found)
    low, high = _bounds(item.time, found.whole)
    return Cause(
        what.key, text, item.share, low, high, (item.name,), what.basis, item.place,
        what.facts, remedy=what.remedy,
    )  # fmt: skip


def _filled(sentence: str, found: Gathered) -> str:
    """The sentence with its sides; names of functions may hold braces themselves."""
    return sentence.replace("{slow}", "it").replace("{fast}", _quoted(found.fast))


def _surrounded(causes: Sequence[Cause], items: Sequence[Item], found: Gathered) -> list[Cause]:
    """What differs around the programs as the reason, and the largest mechanism as its how.

    A factor that is the only difference carries all of it; of several, each what its trial shows,
    and the rest of the causes what is left.
    """
    factor = found.around.alone
    low = found.whole.low
    certain = low > 0 if math.isfinite(low) else found.low > 1
    if factor is not None and certain:
        low, high = _bounds(found.whole, found.whole)
        more = [i for i in items if i.share > 0]
        return [_of_factor(factor, causes, found, 1.0, low, high, more)]
    shown = [
        replace(_of_factor(f, (), found, t.share, t.low, t.high, ()), trial=t)
        for f, t in found.tried
        if t.low >= GONE
    ]
    return _beside(shown, causes)


def _beside(first: Sequence[Cause], causes: Sequence[Cause]) -> list[Cause]:
    """Causes that are not of single items, with the others of what they leave."""
    left = max(0.0, 1 - sum(c.share for c in first))
    rest = [replace(c, share=c.share * left, low=c.low * left, high=c.high * left) for c in causes]
    return sorted([*first, *rest], key=lambda c: -c.share)


#: CPU time of the slower side over that of the faster, up to which both do the same work; how much
#: more the faster must run at once.
SAME_WORK, MORE_AT_ONCE = 1.2, 1.2


def _fewer_threads(found: Gathered, fast: Crew, slow: Crew) -> Cause | None:
    """The same work by fewer threads at a time: what wall time does not owe to more CPU time. As
    many that share a cache line take more; these have work of different length."""
    as_many = slow.threads == fast.threads and any(c.key == "false-sharing" for c in found.given)
    if not (slow.threads < fast.threads or as_many) or slow.cpu > SAME_WORK * fast.cpu:
        return None
    if fast.at_once < MORE_AT_ONCE * max(1.0, slow.at_once) or found.whole.difference <= 0:
        return None  # threads that wait for one another are not at work at once
    share = min(1.0, 1 - max(0.0, slow.cpu - fast.cpu) / found.whole.difference)
    other, same = _quoted(found.fast), "for about the same CPU time"
    if as_many:
        fact = Fact("threads at work at once", fast.at_once, slow.at_once, basis="measured")
        text = (
            f"its {slow.threads} threads are less at work at the same time: {slow.at_once:.2g} of "
            f"them on average ({other}: {fast.at_once:.2g}), {same}"
        )
    else:
        fact = Fact("threads at work", fast.threads, slow.threads, basis="measured")
        are = "is" if slow.threads == 1 else "are"
        text = f"{slow.threads} of its threads {are} at work ({other}: {fast.threads}), {same}"
    low, high = _bounds(found.whole, found.whole)
    return Cause("threads", text, share, low * share, high * share, (), "measured", facts=(fact,))


def _of_factor(
    factor: Factor,
    causes: Sequence[Cause],
    found: Gathered,
    share: float,
    low: float,
    high: float,
    items: Sequence[Item],
) -> Cause:
    text, names = _filled(factor.text, found), tuple(i.name for i in items)
    how = next((c for c in causes if c.share >= NAMED), None)
    if how is None:
        before = accumulate((i.share for i in items), initial=0.0)
        most = [i for i, sum_ in zip(items[:3], before, strict=False) if sum_ < 1]
        places = [_lies_in(i) for i in most if i.share >= NAMED]
        text += f"; most of it lies in {', '.join(places)}" if places else ""
        return Cause(factor.key, text, share, low, high, names, "measured")
    return replace(
        how, key=factor.key, sentence=f"{text}; {how.sentence}", share=share, low=low, high=high,
        items=names, basis="measured", remedy="",
    )  # fmt: skip


def _lies_in(item: Item) -> str:
    unnamed = item.name.startswith("0x") and item.place.library
    share = f" ({100 * item.share:.0f} %)" if item.share <= 1 else ""  # other parts are faster
    return f"`{item.name}`{f' of {unnamed}' if unnamed else ''}{share}"


def _bounds(time: Change, whole: Change) -> tuple[float, float]:
    ends = [x / whole.difference for x in (time.low, time.high)] if whole.difference else [0.0, 0.0]
    return min(ends), max(ends)


def _by_purpose(items: Sequence[Item]) -> dict[str, list[Item]]:
    groups: dict[str, list[Item]] = {}
    for item in items:
        if item.share > 0 and supported(item):
            groups.setdefault(purpose(item), []).append(item)
    return groups


#: The verb of the other side's number, where it is not "makes".
_MAKES = {"page-faults": "has"}


def _once_a_call(group: FunctionGroup, item: Item) -> bool:
    """Whether the C library runs a function about once for each further system call."""
    further = sum((f.slow or 0) - (f.fast or 0) for f in item.facts[:1])
    extra = group.extra("calls")
    libc = group.main.key.library.startswith("libc") and not group.kind
    return libc and further > 1000 and 0.5 * further <= extra <= 2.5 * further


def _of_call(group: FunctionGroup, found: Gathered) -> CauseLabel | None:
    """What a library does in user time for a system call that carries a part itself."""
    if not group.main.key.library:
        return None
    name = group.main.key.name.strip("_").removeprefix("libc_")
    for item in found.items:
        if (
            item.share >= NAMED
            and (
                name.startswith(item.name)
                or _once_a_call(group, item)
                or group.main.key.name in _plain(item.callers)
                # Not the program's own function, the last one: it calls other things as well.
                or {c.name for c in group.callers.get("slow", [])[:1]} & _plain(item.callers[:-1])
            )
        ):
            return CauseLabel(purpose(item), f"{{slow}} makes more `{item.name}` calls", "counted")
    return None


def _plain(names: Sequence[str]) -> set[str]:
    return {plain_name(n, "libc.so.6") for n in names}


def _chain(callers: Sequence[str]) -> str:
    """``fprintf`` in ``main``."""
    names = (plain_name(n, "libc.so.6") for n in dict.fromkeys(callers))
    return " in ".join(f"`{n}`" for n in names if n and not n.startswith("0x"))


#: Calls of which each ends or begins one process, the surest first: threads are cloned as well, and
#: a program is looked for in folder after folder.
_STARTS = ("wait4", "waitid", "vfork", "fork", "clone3", "clone")


def _kernel_cause(key: str, items: Sequence[Item], found: Gathered) -> Cause:
    share = sum(i.share for i in items)
    lows, highs = zip(*(_bounds(i.time, found.whole) for i in items), strict=True)
    # What a thread sleeps in tells less of the program than what else it calls.
    idle = {i.name for i in items if key == "system-calls" and BLOCKING.get(i.name) == "sleep"}
    top = sorted(items, key=lambda i: (i.name in idle, -i.share))
    started = min(
        (i for i in top if i.name in _STARTS), key=lambda i: _STARTS.index(i.name), default=None
    )
    numbers = [
        f"{f.slow or 0:,.0f} where {_quoted(found.fast)} starts {f.fast or 0:,.0f}"
        for f in (started.facts if started and key == "processes" else ())
    ] or [
        f"{f.slow or 0:,.0f} {f.name if f.name == 'page faults' else f'`{i.name}` calls'} "
        f"where {_quoted(found.fast)} {_MAKES.get(key, 'makes')} {f.fast or 0:,.0f}"
        for i in top[:2]
        for f in i.facts[:1]
    ]
    text = PURPOSES[key].format(slow="it", numbers=" and ".join(numbers))
    if len(top[0].facts) > 1:  # as many calls, which move more
        moved = top[0].facts[1]
        text = f"it moves {moved.slow or 0:,.0f} bytes in as many `{top[0].name}` calls, "
        text += f"{_quoted(found.fast)} {moved.fast or 0:,.0f}"
    callers: Sequence[str] = next(
        ([c for c in i.callers if c != i.name] for i in top if i.callers), ()
    )
    if chain := _chain(callers):
        text += f", from {chain}"
        if line := next((i.place for i in top if i.callers and i.place.line), None):
            text += f" ({line.file}:{line.line})"
    part = "measured" if key in ("page-faults",) else "counted"
    return Cause(
        key, text, share, sum(lows), sum(highs), tuple(i.name for i in top), part,  # type: ignore[arg-type]
        top[0].place, tuple(f for i in top for f in i.facts),
    )  # fmt: skip


def _quoted(name: str) -> str:
    return f"`{name}`"
