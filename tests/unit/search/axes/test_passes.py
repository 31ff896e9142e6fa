"""What LLVM prints with -opt-bisect-limit, and candidates made of it."""

from __future__ import annotations

import pytest
from tests.golden_files import Hear

from whyfast.model.errors import UserError
from whyfast.model.variant import Variant
from whyfast.search.axes.passes import PassRun, passes, read_passes, run_of

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


def test_an_entry_a_source_file(golden: Hear) -> None:
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
def test_ends_that_cannot_be(good: str, bad: str, golden: Hear) -> None:
    with pytest.raises(UserError) as caught:
        passes(RUN, good, bad, BASE)
    golden(str(caught.value))
