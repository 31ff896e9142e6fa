"""Functions whose times belong together."""

import shutil
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from tests.unit.why.records import time_of

from whyfast.model.why import Change
from whyfast.why.counts import SideCounts
from whyfast.why.functions import FunctionKey, FunctionTime
from whyfast.why.groups import FunctionGroup, SideCode, family_of, group_functions

WHOLE = Change(1.0, 2.0, 0.9, 1.1)  # one second more


def grouped(
    functions: list[FunctionTime],
    counts: tuple[SideCounts | None, SideCounts | None] = (None, None),
    stacks: dict[str, list[str]] | None = None,
) -> dict[str, list[str]]:
    """The members of each group by its name; ``stacks`` are the functions above one, slow side."""
    fast, slow = SideCode("fast", counts[0]), SideCode("slow", counts[1])
    above = {
        FunctionKey("", name): [tuple(FunctionKey("", caller) for caller in callers)]
        for name, callers in (stacks or {}).items()
    }
    groups: list[FunctionGroup] = group_functions(functions, WHOLE, fast, slow, {"slow": above})
    return {g.name: [m.key.name for m in g.members] for g in groups}


@pytest.mark.parametrize(
    ("library", "name", "family"),
    [
        ("libc.so.6", "malloc", "allocation"),
        ("", "malloc", "allocation"),  # of a program that brings its own
        ("", "_PyObject_Malloc", "allocation"),
        ("libc.so.6", "memmove", "copying"),
        ("", "memmove", ""),
        ("libc.so.6", "strlen", "string-work"),
        ("", "runtime.memmove", "copying"),
        ("ld-linux-x86-64.so.2", "do_lookup_x", "start-up"),
        ("libc.so.6", "pthread_mutex_lock", "locks"),
        ("", "__rustc::__rdl_alloc", "allocation"),
        ("libm.so.6", "exp", ""),
        ("libgcc_s.so.1", "?", "exceptions"),
        ("libstdc++.so.6", "__cxa_throw", "exceptions"),
        ("libstdc++.so.6", "__gxx_personality_v0", "exceptions"),
        ("ld-linux-x86-64.so.2", "_dl_find_object", "exceptions"),
    ],
)
def test_families_of_library_functions(library: str, name: str, family: str) -> None:
    assert family_of(FunctionKey(library, name)) == family


def test_a_family_is_one_group() -> None:
    functions = [
        time_of("malloc", 0.1, 0.5, "libc.so.6"), time_of("free", 0.1, 0.4, "libc.so.6"),
        time_of("work", 0.2, 0.5),
    ]  # fmt: skip
    assert grouped(functions) == {"allocation": ["malloc", "free"], "work": ["work"]}


def test_what_a_family_calls_of_its_own_is_one_call() -> None:
    """``operator new`` calls ``malloc``, as ``main`` does."""
    new, malloc = FunctionKey("libstdc++.so.6", "operator new"), FunctionKey("libc.so.6", "malloc")
    main = FunctionKey("", "main")
    slow = SideCounts({malloc: Counter({"instructions": 100}), new: Counter({"instructions": 10})})
    slow.calls.update({(main, new): 40, (new, malloc): 40, (main, malloc): 2})
    slow.called.update({new: 40, malloc: 42})
    functions = [time_of(k.name, 0.1, 1.1, k.library) for k in (malloc, new)]
    sides = SideCode("fast", SideCounts()), SideCode("slow", slow)
    (group,) = group_functions(functions, WHOLE, *sides, {})
    assert group.counted["calls"] == (0.0, 42.0)


def test_a_function_of_one_side_alone_belongs_to_its_caller_by_its_stacks() -> None:
    functions = [time_of("less", 0.0, 1.2), time_of("sort", 0.8, 0.6), time_of("main", 0.1, 0.1)]
    assert grouped(functions, stacks={"less": ["sort", "main"]}) == {"less": ["less", "sort"]}
    assert grouped(functions) == {"less": ["less"], "sort": ["sort"]}


def test_a_function_of_one_side_alone_belongs_to_its_caller_by_its_calls() -> None:
    less, sort = FunctionKey("", "less"), FunctionKey("", "sort")
    fast, slow = SideCounts(), SideCounts()
    for side, keys in ((fast, (sort,)), (slow, (sort, less))):
        for key in keys:
            side.events[key] = side.totals.__class__({"instructions": 100})
        side.totals["instructions"] = 100 * len(keys)
    slow.calls[sort, less] = 50
    slow.called[less] = 50
    functions = [time_of("less", 0.0, 1.2), time_of("sort", 0.8, 0.6)]
    assert grouped(functions, (fast, slow)) == {"less": ["less", "sort"]}
    fast.events[less] = fast.totals.__class__({"instructions": 1})  # it runs there, too
    assert grouped(functions, (fast, slow)) == {"less": ["less"], "sort": ["sort"]}


def test_a_function_that_moved_into_a_library_is_one() -> None:
    functions = [time_of("step", 0.0, 1.0, "libstep.so"), time_of("step", 0.4, 0.0)]
    assert grouped(functions) == {"step": ["step", "step"]}


def test_the_functions_of_another_program_are_one_group() -> None:
    names = {"fast": [f"scan_{i}" for i in range(9)], "slow": [f"parse_{i}" for i in range(9)]}
    sides = {name: SideCounts() for name in names}
    for side, own in names.items():
        for name in (*own, "main", "_start"):
            sides[side].events[FunctionKey("", name)] = Counter({"instructions": 100})
        sides[side].events[FunctionKey("libc.so.6", "malloc")] = Counter({"instructions": 5})
        sides[side].totals["instructions"] = 1105
    functions = [
        time_of("scan_1", 0.5, 0.0), time_of("parse_1", 0.0, 0.4), time_of("parse_2", 0.0, 0.9),
        time_of("malloc", 0.1, 0.3, "libc.so.6"),
    ]  # fmt: skip
    code = SideCode("fast", sides["fast"]), SideCode("slow", sides["slow"])
    program, family = group_functions(functions, WHOLE, *code, {})
    assert [m.key.name for m in program.members] == ["parse_2", "scan_1", "parse_1"]
    assert (program.kind, program.name, family.kind) == ("program", "parse_2", "allocation")
    assert program.counted["instructions"] == (1100.0, 1100.0)  # of functions without samples, too
    # One that both execute of nine: versions of one program.
    sides["slow"].events[FunctionKey("", "scan_2")] = Counter({"instructions": 1})
    assert [g.kind for g in group_functions(functions, WHOLE, *code, {})][:2] == ["", ""]


@pytest.mark.parametrize(
    ("fast", "slow", "started"),
    [
        ({"tar": 0.1}, {"tar": 0.1, "gzip": 0.9}, ["gzip"]),
        ({"tar": 0.1, "xz": 0.2}, {"tar": 0.1, "gzip": 0.9}, []),  # one instead of the other
        ({"tar": 0.1, "gzip": 0.2}, {"tar": 0.1, "gzip": 0.9}, []),
        ({"a": 0.1}, {"b": 0.9}, []),  # the commands' own
        ({"a": 0.1}, {"python3": 0.1, "bash": 0.1, "python3.11": 0.9}, ["bash"]),  # pyenv's script
    ],
)
def test_programs_that_the_slow_side_alone_starts_are_one_group(
    tmp_path: Path, fast: dict[str, float], slow: dict[str, float], started: list[str]
) -> None:
    sides = {"fast": fast, "slow": slow}
    names = [*dict.fromkeys((*fast, *slow))]
    for name in names:
        shutil.copy("/bin/true", tmp_path / name)
    functions = [
        replace(
            time_of(f"work of {name}", fast.get(name, 0.0), slow.get(name, 0.0)),
            places={s: {str(tmp_path / name): {64: 0.1}} for s in sides if name in sides[s]},
        )
        for name in names
    ]
    code = [SideCode(s, program=str(tmp_path / next(iter(sides[s])))) for s in sides]
    groups = group_functions(functions, WHOLE, code[0], code[1], {})
    ran = [m.key.name for g in groups if g.kind == "processes" for m in g.members]
    assert ran == [f"work of {name}" for name in started]


def test_what_hardly_differs_is_left_out() -> None:
    assert grouped([time_of("work", 0.5, 1.5), time_of("other", 0.300, 0.319)]) == {
        "work": ["work"]
    }


def test_who_uses_a_library_is_found_beyond_its_own_functions() -> None:
    """``strlen`` is called by ``vfprintf`` as often on both sides, more by ``upper`` on one."""
    strlen, printf = FunctionKey("libc.so.6", "strlen"), FunctionKey("libc.so.6", "vfprintf")
    main, upper = FunctionKey("", "main"), FunctionKey("", "upper")
    events = {strlen: Counter({"instructions": 100})}
    fast, slow = SideCounts(events), SideCounts(events)
    for side, further in ((fast, 10), (slow, 900)):
        side.inclusive.update(
            {(printf, strlen): 500, (main, printf): 800, (upper, strlen): further}
        )
    functions = [time_of("strlen", 0.1, 1.1, "libc.so.6")]
    sides = SideCode("fast", fast), SideCode("slow", slow)
    (group,) = group_functions(functions, WHOLE, *sides, {})
    assert [k.name for k in group.users] == ["upper"]
    slow.inclusive[printf, strlen] = 5000
    (group,) = group_functions(functions, WHOLE, *sides, {})
    assert [k.name for k in group.users] == ["main", "upper"]


def test_who_calls_as_often_on_both_sides_is_no_user() -> None:
    """``close`` frees as much on both sides, ``main`` more on one."""
    free, delete = (
        FunctionKey("libc.so.6", "free"),
        FunctionKey("libstdc++.so.6", "operator delete"),
    )
    main, close = FunctionKey("", "main"), FunctionKey("", "close")
    events = {free: Counter({"instructions": 100}), delete: Counter({"instructions": 10})}
    fast, slow = SideCounts(events), SideCounts(events)
    for side, freed in ((fast, 10), (slow, 9000)):
        side.inclusive.update(
            {(delete, free): freed + 500, (close, delete): 500, (main, delete): freed}
        )
    functions = [time_of(k.name, 0.1, 1.1, k.library) for k in (free, delete)]
    sides = SideCode("fast", fast), SideCode("slow", slow)
    (group,) = group_functions(functions, WHOLE, *sides, {})
    assert [k.name for k in group.users] == ["main"]
