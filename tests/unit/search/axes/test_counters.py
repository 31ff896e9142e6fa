"""What gcc prints with -fdbg-cnt-list, and candidates made of it."""

from __future__ import annotations

import pytest
from tests.golden_files import Hear

from whyfast.model.errors import UserError
from whyfast.model.variant import Variant
from whyfast.search.axes.passes import CounterRun, passes, read_counters

LOG = """+ gcc -c a.c b.c
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
BASE = Variant("base", "path:gcc", ("-O3",))
RUN = CounterRun((("dce", 2), ("vect_loop", 3)))


def test_an_entry_a_source_file_of_what_counted() -> None:
    assert read_counters(LOG) == (RUN, CounterRun((("dce", 1),)))
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
def test_a_beginning_of_what_was_counted(limit: int, flags: tuple[str, ...]) -> None:
    assert RUN.flags(limit) == flags


def test_candidates_between_two_limits_of_one_counter(golden: Hear) -> None:
    found = passes(RUN, "vect_loop:all", "vect_loop:0", BASE)
    golden(*[c.title for c in found])
    assert [c.variant.cflags for c in found if c.variant][1] == ("-O3", "-fdbg-cnt=vect_loop:2")
    assert [c.title for c in passes(RUN, "dce:1", "3", BASE)] == [
        "dce 1 of 2",
        "dce 2 of 2",
        "vect_loop 1 of 3",
    ]


@pytest.mark.parametrize("text", ["6", "vect_loop:4", "vect_loop", "none:1"])
def test_ends_that_cannot_be(text: str, golden: Hear) -> None:
    with pytest.raises(UserError) as caught:
        passes(RUN, "all", text, BASE)
    golden(str(caught.value))
