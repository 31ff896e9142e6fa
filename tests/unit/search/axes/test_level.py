"""What compilers print of themselves."""

from __future__ import annotations

from whyfast.search.axes.flags import read_clang, read_gcc

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
