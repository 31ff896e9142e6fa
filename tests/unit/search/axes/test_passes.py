"""Optimiser passes as LLVM and gcc print them, candidates, and compilers limited for one file."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from tests.golden_files import Hear
from tests.unit.investigate.doubles import World

from whyfast.model.build import Toolchain
from whyfast.model.errors import UserError
from whyfast.model.variant import Variant
from whyfast.search.axes.passes import (
    CounterRun,
    PassRun,
    limiting_one,
    passes,
    read_counters,
    read_passes,
    run_of,
)
from whyfast.store.home import Home

LOG = """+ cc -c a.c b.c
BISECT: running pass (1) ForceFunctionAttrsPass on [module]
BISECT: running pass (2) SROAPass on first
BISECT: NOT running pass (3) InlinerPass on (first)
a.c:3: warning: unused
BISECT: running pass (1) ForceFunctionAttrsPass on [module]
BISECT: running pass (2) X86 LEA Fixup on function (second)
"""
BASE = Variant("base", "zig:clang-19", ("-O2",))
RUN = PassRun(("SROAPass on f", "InlinerPass on (f)", "GVNPass on f"))


def test_one_entry_for_each_source_file(golden: Hear) -> None:
    first, second = read_passes(LOG)
    assert first.titles == (
        "ForceFunctionAttrsPass on [module]",
        "SROAPass on first",
        "InlinerPass on (first)",
    )
    golden(second.titles[1])
    assert read_passes("cc -c a.c\n") == ()


def test_the_passes_over_the_file_of_an_object() -> None:
    runs = read_passes(LOG)
    assert run_of(runs, frozenset({"second"})) is runs[1]
    assert run_of(runs, frozenset({"first", "other"})) is runs[0]


def test_candidates_go_from_one_limit_to_the_other(golden: Hear) -> None:
    up = passes(RUN, "1", "all", BASE)
    assert [c.name for c in up] == ["1", "2", "3"]
    assert up[1].title == "pass 2, InlinerPass on (f)"
    assert up[1].variant is not None
    assert up[1].variant.cflags == ("-O2", "-mllvm", "-opt-bisect-limit=2")
    down = passes(RUN, "all", "0", BASE)
    golden(*[c.title for c in down])


@pytest.mark.parametrize(("good", "bad"), [("4", "0"), ("0", "-1"), ("3", "all")])
def test_impossible_ends(good: str, bad: str, golden: Hear) -> None:
    with pytest.raises(UserError) as caught:
        passes(RUN, good, bad, BASE)
    golden(str(caught.value))


GCC_LOG = """+ gcc -c a.c b.c
a.c:3: warning: unused
  counter name                  counter value     closed intervals
-----------------------------------------------------------------
  asan_use_after_scope          0                 unset
  dce                           2                 unset
  vect_loop                     3                 [1, 1]

  counter name                  counter value     closed intervals
-----------------------------------------------------------------
  dce                           1                 unset

"""
GCC_BASE = Variant("base", "path:gcc", ("-O3",))
GCC_RUN = CounterRun((("dce", 2), ("vect_loop", 3)))


def test_one_entry_for_each_source_file_with_counts() -> None:
    assert read_counters(GCC_LOG) == (GCC_RUN, CounterRun((("dce", 1),)))
    assert read_counters("gcc -c a.c\n") == ()


@pytest.mark.parametrize(
    ("limit", "flags"),
    [
        (5, ()),
        (3, ("-fdbg-cnt=vect_loop:1",)),
        (2, ("-fdbg-cnt=vect_loop:0",)),
        (1, ("-fdbg-cnt=dce:1,vect_loop:0",)),
        (0, ("-fdbg-cnt=dce:0,vect_loop:0",)),
    ],
)
def test_flags_that_limit_the_counters(limit: int, flags: tuple[str, ...]) -> None:
    assert GCC_RUN.flags(limit) == flags


def test_candidates_between_two_limits_of_one_counter(golden: Hear) -> None:
    found = passes(GCC_RUN, "vect_loop:all", "vect_loop:0", GCC_BASE)
    golden(*[c.title for c in found])
    assert [c.variant.cflags for c in found if c.variant][1] == ("-O3", "-fdbg-cnt=vect_loop:2")
    assert [c.title for c in passes(GCC_RUN, "dce:1", "3", GCC_BASE)] == [
        "dce 1 of 2",
        "dce 2 of 2",
        "vect_loop 1 of 3",
    ]


@pytest.mark.parametrize("text", ["6", "vect_loop:4", "vect_loop", "none:1"])
def test_impossible_ends_of_counters(text: str, golden: Hear) -> None:
    with pytest.raises(UserError) as caught:
        passes(GCC_RUN, "all", text, GCC_BASE)
    golden(str(caught.value))


LIMIT = "-mllvm -opt-bisect-limit=7"


@pytest.mark.parametrize(
    ("object_", "arguments", "limited"),
    [
        ("hot.o", "-O2 -c src/hot.c", True),
        ("src/hot.o", "-O2 -c -o src/hot.o ../src/hot.cpp", True),
        ("hot.c.o", "-c hot.c -o hot.c.o", True),
        ("hot.o", "-O2 -c src/shot.c", False),
        ("hot.o", "-o program hot.o cold.o", False),
        ("a b.o", "-c cold.c", False),
    ],
)
def test_only_the_source_of_the_object_is_limited(
    tmp_path: Path, object_: str, arguments: str, limited: bool
) -> None:
    plain = Toolchain("path:cc", "path", "1", "x86_64", "d", ("/bin/echo", "cc"), frozenset())
    services = World().services(toolchain=lambda *given: plain)
    found = limiting_one(services, object_, LIMIT.split()).toolchain(
        "path:cc", Home(tmp_path, tmp_path), lambda text: None, ()
    )
    done = subprocess.run(
        [*found.cc, *arguments.split()], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == f"cc {arguments}{' ' + LIMIT if limited else ''}"
    assert found.readable == (Path("/bin"),)
