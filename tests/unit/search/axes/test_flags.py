"""Differences of flags, and the options that compilers list."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.golden_files import Hear

from whyfast.model.errors import UserError
from whyfast.model.variant import Variant
from whyfast.search.axes.flags import (
    Unit,
    expanded,
    find_differences,
    kind,
    levels,
    read_clang,
    read_gcc,
    with_flags,
)

NONE: frozenset[int] = frozenset()


def _variant(
    *cflags: str, ldflags: tuple[str, ...] = (), configure: tuple[str, ...] = ()
) -> Variant:
    return Variant("v", "path:gcc", tuple(cflags), ldflags, configure)


def test_flags_of_one_end_are_differences_of_their_own() -> None:
    good = _variant("-O2", "-fno-gcse", "-g")
    bad = _variant("-O2", "-mllvm", "-x=1", "-g", "-funroll-loops")
    found = find_differences(good, bad)
    assert found.titles == ("without -fno-gcse", "-mllvm -x=1", "-funroll-loops")
    assert found.words("cflags", NONE) == good.cflags
    assert found.words("cflags", frozenset({0, 1, 2})) == bad.cflags
    assert found.words("cflags", frozenset({1})) == ("-O2", "-fno-gcse", "-mllvm", "-x=1", "-g")


def test_two_settings_of_one_flag_are_one_difference(golden: Hear) -> None:
    found = find_differences(
        _variant("-O2", "-march=a", "-fgcse"), _variant("-O3", "-march=b", "-fno-gcse")
    )
    golden(*found.titles)
    assert found.words("cflags", frozenset({0})) == ("-O3", "-march=a", "-fgcse")
    assert levels(found)


def test_flags_of_the_linker_and_of_configure_are_searched_too(golden: Hear) -> None:
    good = _variant("-O2", ldflags=("-Wl,-O1",), configure=("--with-lto",))
    bad = _variant("-O2", ldflags=("-Wl,-O1", "-flto"))
    found = find_differences(good, bad)
    golden(*found.titles)
    mixed = found.variant(good, frozenset({0}))
    assert (mixed.ldflags, mixed.configure) == (("-Wl,-O1", "-flto"), ("--with-lto",))
    assert not levels(found)


def test_pairs_of_clangs_own_options_stay_together(golden: Hear) -> None:
    pair = ("-Xclang", "-target-feature", "-Xclang", "+avx2")
    found = find_differences(_variant("-O2"), _variant("-O2", *pair))
    golden(*found.titles)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (("-O2",), ("-Os",), True),
        (("-fgcse",), ("-fno-gcse",), True),
        (("-mavx",), ("-mno-avx",), True),
        (("--param=a=1",), ("--param=a=2",), True),
        (("--param=a=1",), ("--param=b=1",), False),
        (("-DA=1",), ("-DA=2",), True),
        (("-DA=1",), ("-DB=1",), False),
        (("-mllvm", "-x=1"), ("-mllvm", "-x=2"), True),
        (("-mllvm", "-x=1"), ("-mllvm", "-y=1"), False),
        (("-I", "a"), ("-I", "b"), False),
        (("-falign-loops",), ("-falign-loops=16",), False),
        (("-fopenmp",), ("-fno-gcse",), False),
    ],
)
def test_flags_of_one_kind_replace_each_other(one: Unit, other: Unit, same: bool) -> None:
    assert (kind(one) == kind(other)) is same


def test_a_level_is_expanded_into_what_it_sets(golden: Hear) -> None:
    found = find_differences(_variant("-O1", "-fno-tree-vrp"), _variant("-O2", "-fno-tree-vrp"))
    whole = expanded(
        found,
        [("-fno-gcse",), ("-fdce",), ("--param=a=1",), ("-ftree-vrp",)],
        [("-fgcse",), ("-fdce",), ("--param=a=2",), ("-fno-tree-vrp",)],
    )
    golden(*whole.titles)
    first = ("-O1", "-fno-tree-vrp", "-fgcse", "--param=a=1")
    assert whole.words("cflags", frozenset({1})) == first


def test_flags_of_the_command_line_replace_those_of_their_kind() -> None:
    given = with_flags(_variant("-O2", "-g", "-fgcse"), ["-O3", "-fno-gcse"], "-O3 -fno-gcse")
    assert (given.name, given.cflags) == ("-O3 -fno-gcse", ("-g", "-O3", "-fno-gcse"))


def test_ends_that_cannot_be() -> None:
    with pytest.raises(UserError, match="--bad: v and v have the same flags"):
        find_differences(_variant("-O2"), _variant("-O2"))
    other = Variant("w", "path:clang", ("-O3",))
    with pytest.raises(UserError, match=r"--axis flags: v and w .*toolchain"):
        find_differences(_variant("-O2"), other)


FLAGS = st.lists(
    st.sampled_from(["-O1", "-O2", "-fgcse", "-fno-gcse", "-g", "-DA=1", "-DA=2", "-x=1", "-mavx"]),
    max_size=8,
)


@given(FLAGS, FLAGS)
def test_the_ends_are_the_mixtures_of_none_and_of_all(good: list[str], bad: list[str]) -> None:
    if good == bad:
        return
    found = find_differences(_variant(*good), _variant(*bad))
    assert found.words("cflags", NONE) == tuple(good)
    assert found.words("cflags", frozenset(range(len(found.titles)))) == tuple(bad)
    assert len(set(found.titles)) == len(found.titles)


GCC = """The following options control optimizations:
  -O<number>                  \t\t
  -Og                         \t\t
  -falign-functions           \t\t[enabled]
  -falign-functions=          \t\t16
  -fdelete-null-pointer-checks \t\t
  -fexceptions                \t\t[available in Modula-2]
  -fexcess-precision=[fast|standard|16] \t[default]
  -fgcse                      \t\t[disabled]
  -fvect-cost-model=[unlimited|dynamic|cheap|very-cheap] \tvery-cheap

The following options control parameters:
  --param=early-inlining-insns= \t6
  --param=inline-min-speedup=<0,100> \t\t30
"""

CLANG = """clang version 19.1.7
 "/usr/bin/clang-19" "-cc1" "-triple" "x86_64-unknown-linux-gnu" "-O2" "-vectorize-loops" "-o" "a b"
"""


def test_options_of_gcc_in_the_form_that_it_takes() -> None:
    assert list(read_gcc(GCC)) == [
        ("-falign-functions",),
        ("-falign-functions=16",),
        ("-fno-gcse",),
        ("-fvect-cost-model=very-cheap",),
        ("--param=early-inlining-insns=6",),
        ("--param=inline-min-speedup=30",),
    ]


def test_options_of_clang_by_itself() -> None:
    assert list(read_clang(CLANG)) == [("-Xclang", "-triple"), ("-Xclang", "-vectorize-loops")]
    assert list(read_clang("")) == []
