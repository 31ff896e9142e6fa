"""Kernel time and waiting by system call, and what they are for."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from whyfast.measure.perf import SampledRun
from whyfast.measure.tools import TRANSFERS, TracedRun
from whyfast.model.why import Change, Fact, Item, Part, SourcePlace
from whyfast.why.functions import FunctionKey, plain_name
from whyfast.why.groups import SideCode, family_of
from whyfast.why.hot_code import call_place

#: Seconds of one minor page fault with the clearing of a page: 0.25 µs on hardware, 2 µs on virtual
#: machines. It only divides kernel time between faults and calls.
FAULT = 1e-6

#: Seconds of the cheapest system calls (0.1 to 0.3 µs with mitigations).
CALL = 0.2e-6

#: Seconds of wall time that strace adds to every traced call, on an idle machine; and calls that
#: never wait, of which so many tell what it adds on this one.
OVERHEAD, ENOUGH = 12e-6, 100
PROMPT = ("fstat", "newfstatat", "lseek", "mmap", "mprotect", "brk", "ioctl", "rt_sigaction")

#: Share of a difference that must be found under the tracer, before it is divided among calls.
LEAST_FOUND = 0.2

SYNC = ("fsync", "fdatasync", "msync", "sync", "sync_file_range", "syncfs")

#: Calls that wait for whatever comes.
EVENTS = ("poll", "ppoll", "select", "pselect6", "epoll_wait", "epoll_pwait")

#: Calls that block, by what the thread waits for.
BLOCKING = {
    **dict.fromkeys(("nanosleep", "clock_nanosleep", "pause"), "sleep"),
    **dict.fromkeys(EVENTS, "io-wait"),
    **dict.fromkeys(("read", "write", "pread64", "pwrite64", "readv", "writev"), "io-wait"),
    **dict.fromkeys(SYNC, "io-wait"),
    **dict.fromkeys(("recvfrom", "recvmsg", "sendto", "sendmsg", "accept", "accept4"), "io-wait"),
    **dict.fromkeys(("connect", "flock", "openat", "rename", "unlink", "ftruncate"), "io-wait"),
    **dict.fromkeys(("futex", "futex_wait"), "locks"),
    **dict.fromkeys(("wait4", "waitid"), "processes"),
}
_PROCESSES = ("clone", "clone3", "fork", "vfork", "execve", "wait4", "waitid", "exit_group")
_LOADING = (
    "openat",
    "mmap",
    "mprotect",
    "newfstatat",
    "fstat",
    "close",
    "pread64",
    "access",
    "munmap",
)
#: Calls up to which they may be of loading, and of mapping (a library takes four or five): a heap
#: that grows maps memory as well.
LOADS, MAPS = 2000, 500
MEMORY = ("brk", "madvise", "mremap", "munmap", "mmap")


def kernel_items(
    kernel: Change,
    whole: Change,
    traced: tuple[TracedRun, TracedRun] | None,
    faults: tuple[float, float],
    idles: Sequence[str] = (),
) -> list[Item]:
    """System calls and page faults with their parts of the difference in kernel time.

    The difference is measured; how it divides is by the time that strace accounts for each call,
    at least by the number of calls, and by the number of faults. ``idles`` are calls in which only
    a runtime's own threads wait, and of which there are more the longer it is traced.
    """
    weights = {"page faults": (faults[1] - faults[0]) * FAULT}
    if traced is not None:
        fast, slow = traced
        for name in (fast.calls.keys() | slow.calls.keys()) - {*idles}:
            further = slow.number(name) - fast.number(name)
            if further <= 0 and (name.startswith("futex") or name in EVENTS):
                continue  # which take as long as others have something to do
            seconds = _seconds(slow.calls, name) - _seconds(fast.calls, name)
            # Some kernels account the time of calls in ticks, and see none of short ones.
            weights[name] = max(seconds, further * CALL) if further > 0 else seconds
    return _items("kernel", kernel, whole, weights, traced, faults)


#: Further processes from which on waiting is put down to them, and calls for each of them at most.
STARTED, PER_PROCESS = 3, 10


def waiting_items(
    waiting: Change,
    whole: Change,
    traced: tuple[TracedRun, TracedRun] | None,
    idles: Sequence[str] = (),
) -> list[Item]:
    """What threads were blocked in, by wall time under strace beyond what tracing adds, but for
    ``idles`` as above."""
    if traced is None:
        return []
    fast, slow = traced

    added = {id(run): _overhead(run) for run in traced}

    def blocked(run: TracedRun, name: str) -> float:
        over = run.number(name) * added[id(run)] + _seconds(run.calls, name)
        return max(0.0, _seconds(run.waits, name) - over)

    names = [n for n in BLOCKING if n not in idles and (slow.number(n) or fast.number(n))]
    weights = {n: blocked(slow, n) - blocked(fast, n) for n in names}
    started = slow.number("execve") - fast.number("execve")
    if started >= STARTED:
        # It waits for them by whatever call it learns of their output and end.
        for n in names:
            further = slow.number(n) - fast.number(n)
            if n != "wait4" and BLOCKING[n] == "io-wait" and further <= PER_PROCESS * started:
                weights["wait4"] = weights.get("wait4", 0.0) + max(0.0, weights.pop(n))
    elif any(weights.get(n, 0) > 0 for n in names if BLOCKING[n] != "processes"):
        # A parent that waits for its child waits for what the child does.
        weights = {n: w for n, w in weights.items() if BLOCKING[n] != "processes"}
    return _items("waiting", waiting, whole, weights, traced, (0.0, 0.0))


def _overhead(run: TracedRun) -> float:
    """Seconds of wall time that strace adds to a call, which must wait for a CPU on a busy
    machine."""
    number = sum(map(run.number, PROMPT))
    if number < ENOUGH:
        return OVERHEAD
    more = sum(_seconds(run.waits, name) - _seconds(run.calls, name) for name in PROMPT)
    return max(OVERHEAD, more / number)


def _items(
    part: Part,
    change: Change,
    whole: Change,
    weights: Mapping[str, float],
    traced: tuple[TracedRun, TracedRun] | None,
    faults: tuple[float, float],
) -> list[Item]:
    sign = 1 if change.difference >= 0 else -1
    kept = {name: w for name, w in weights.items() if w * sign > 0}
    total = sum(kept.values())
    if total < LEAST_FOUND * abs(change.difference):
        return []
    items = []
    for name, weight in sorted(kept.items(), key=lambda row: -abs(row[1])):
        portion = weight / total
        if portion < 0.02 or (portion < 0.2 and _alike(name, traced)):
            continue
        difference = change.difference * portion
        time = Change(0.0, difference, change.low * portion, change.high * portion)
        if name == "page faults":
            fact = Fact("page faults", *faults, basis="measured", tool="accounting of the kernel")
        else:
            assert traced is not None
            a, b = float(traced[0].number(name)), float(traced[1].number(name))
            fact = Fact(f"{name} calls", a, b, basis="counted", tool="strace")
        share = difference / whole.difference if whole.difference else 0.0
        items.append(Item(part, name, time, share, SourcePlace(name), (fact,)))
    return items


def _alike(name: str, traced: tuple[TracedRun, TracedRun] | None) -> bool:
    """Whether both sides make about as many of these calls: their times are then noise."""
    if traced is None or name == "page faults":
        return False
    a, b = traced[0].number(name), traced[1].number(name)
    return abs(a - b) <= 2 or abs(a - b) < 0.02 * max(a, b)


#: How many times the bytes, by as many calls, are more of them.
MORE_BYTES = 1.1


def moves_alike(item: Item, traced: tuple[TracedRun, TracedRun]) -> bool:
    """Whether both sides make as many of these calls, which may move more on one of them."""
    return item.part == "kernel" and item.name in TRANSFERS and _alike(item.name, traced)


def with_bytes(
    items: Sequence[Item], fast: Mapping[str, int], slow: Mapping[str, int]
) -> list[Item]:
    """The items with the bytes of calls that move more of them on the slow side."""
    rows = []
    for item in items:
        a, b = fast.get(item.name, 0), slow.get(item.name, 0)
        if b > MORE_BYTES * a:
            fact = Fact(f"bytes by `{item.name}`", a, b, basis="counted", tool="strace")
            item = replace(item, facts=(*item.facts, fact))
        rows.append(item)
    return rows


def with_callers(
    items: Sequence[Item], stacks: Mapping[str, Sequence[tuple[str, str]]], side: SideCode
) -> list[Item]:
    """The items with who makes the calls: the program's function, and before it the function of a
    library that it calls for it, if any; and with the source line of that call."""
    return [_called(i, stacks[i.name], side) if i.name in stacks else i for i in items]


def _called(item: Item, stack: Sequence[tuple[str, str]], side: SideCode) -> Item:
    own = next((i for i, (path, _) in enumerate(stack) if ".so" not in path), None)
    if own is None:
        return item
    callers = tuple(plain_name(name, "libc.so.6") for _, name in stack[max(0, own - 1) : own + 1])
    code = side.load(stack[own][0]) if own else None
    callee = plain_name(stack[own - 1][1], "libc.so.6")
    line = call_place(code, stack[own][1], {callee}) if code else None
    return replace(item, callers=callers, place=replace(line or SourcePlace(), function=item.name))


def touching(runs: Sequence[SampledRun]) -> tuple[tuple[str, str], ...]:
    """The stack that touches most pages first, as (object, function): the program's function, and
    before it that of a library which does so for it. Empty where no function touches half."""
    weights: Counter[tuple[tuple[str, str], ...]] = Counter()
    for run in runs:
        for stack, weight in run.stacks.items():
            frames = [(f.object, f.name) for f in stack if f.name]
            own = next((i for i, frame in enumerate(frames) if _is_own(*frame)), None)
            found = frames[max(0, own - 1) : own + 1] if own is not None else []
            shown = (f for f in found if ".so" in f[0] or f is found[-1])
            weights[tuple(shown)] += weight  # type: ignore[assignment]
    most = max(weights, key=lambda s: weights[s], default=())
    return most if 2 * weights[most] >= sum(weights.values()) else ()


def _is_own(path: str, name: str) -> bool:
    runtime = family_of(FunctionKey("", plain_name(name))) or name.startswith("runtime.")
    return ".so" not in path and not runtime


#: Functions by which one thread lets another go on: it is not a lock that they wait for.
_HANDING = re.compile(r"cond_|sem_|barrier|condition_variable|channel|pthread_join|thread::join")

#: Go's scheduler, which parks and polls threads that have nothing to do.
_SCHEDULER = re.compile(r"^(runtime\.|internal/runtime)")

#: Causes of a runtime that carry kernel time as well as user time: imports read files.
WITH_KERNEL = ("imports", "start-up")

#: Further calls, and times as many, from which on they show that threads wait more: a runtime's
#: own threads wait a little more often the longer it runs.
FURTHER, MORE_WAITS = 20, 1.5


def supported(item: Item) -> bool:
    """Whether waiting is more than what a busy machine adds: threads wait for one another only if
    they do so more often; a runtime's idle threads tell nothing of the program."""
    if item.part == "waiting" and any(_SCHEDULER.match(c) for c in item.callers):
        return False
    fact = item.facts[0]
    if item.part == "kernel" and item.name != "page faults" and item.name not in SYNC:
        few = abs((fact.slow or 0) - (fact.fast or 0)) <= 0.02 * (fact.slow or 0)
        if few and len(item.facts) == 1:  # as many calls of as many bytes: their time is noise
            return False
    if not item.name.startswith("futex"):
        if math.isfinite(item.time.low):
            return item.time.low > 0
        alike = abs((fact.slow or 0) - (fact.fast or 0)) < 0.1 * (fact.slow or 0)
        return item.part != "waiting" or not alike or BLOCKING.get(item.name) == "sleep"
    if item.part != "waiting":
        return item.time.low > 0 or not math.isfinite(item.time.low)
    fast, slow = fact.fast or 0, fact.slow or 0
    return slow - fast >= FURTHER and slow >= MORE_WAITS * fast and item.time.low > -math.inf


def waits_more(item: Item) -> bool:
    """Whether an item is waiting for something that the other side does not wait for: further
    calls, or a call of the same number that takes the device or the clock longer."""
    if item.part != "waiting":
        return False
    if item.name.startswith("futex"):
        return supported(item)
    fact = item.facts[0]
    alike = abs((fact.slow or 0) - (fact.fast or 0)) <= max(2.0, 0.02 * (fact.slow or 0))
    return not alike or item.name in SYNC or BLOCKING.get(item.name) == "sleep"


def within_program(several: bool) -> tuple[str, ...]:
    """Purposes, and of ``several`` processes calls, in which one part of a program may wait for
    another part of it. Where a CPU is free that wait is no more than the other part's time; else
    also for a CPU, which is known of first threads alone."""
    between = (n for n, key in BLOCKING.items() if key == "io-wait" and n not in SYNC)
    return ("locks", "threads", "processes", *(between if several else ()))


#: What the slow side does, by the key of the cause.
PURPOSES = {
    "system-calls": "{slow} makes {numbers}",
    "page-faults": "{slow} touches more memory for the first time: {numbers}",
    "processes": "{slow} starts more processes: {numbers}",
    "start-up": "{slow} loads more at its start: {numbers}",
    "io-wait": "{slow} waits for input or output: {numbers}",
    "sleep": "{slow} sleeps: {numbers}",
    "locks": "its threads wait for one another: {numbers}",
    "threads": "its threads let one another go on: {numbers}",
}


def purpose(item: Item) -> str:
    """The key of the cause that an item of kernel time or waiting is of."""
    if item.name == "page faults":
        return "page-faults"
    if item.name.startswith("futex") and any(_HANDING.search(c) for c in item.callers):
        return "threads"
    if item.part == "waiting":
        return BLOCKING.get(item.name, "io-wait")
    if item.name in _PROCESSES:
        return "processes"
    if item.name in ("futex", "sched_yield"):
        return "locks"
    if item.name in SYNC:
        return "io-wait"
    if item.name in MEMORY and item.name not in ("mmap",):
        return "page-faults" if item.name in ("brk", "madvise") else "system-calls"
    if item.name in _LOADING:
        most = MAPS if item.name in ("mmap", "mprotect", "munmap") else LOADS
        return "start-up" if (item.facts[0].slow or 0) < most else "system-calls"
    return "system-calls"


def _seconds(table: Mapping[str, object], name: str) -> float:
    row = table.get(name)
    return float(getattr(row, "seconds", 0.0))
