"""Compilers in order."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

import pytest

from whyfast.model.errors import UserError
from whyfast.model.variant import Variant
from whyfast.search.axes.toolchains import toolchains, way_back
from whyfast.toolchain.provider import Provider


class _Names:
    def names(self) -> list[str]:
        return ["clang-9", "clang-18", "gcc-12", "clang-10", "clang-19"]


KNOWN = cast("Mapping[str, Provider]", {"zig": cast("Any", _Names())})
BASE = Variant("base", "zig:clang-18", ("-O2",), axes={"compiler": "clang18"})


def _names(wanted: list[str], good: str, bad: str) -> list[str]:
    return [c.name for c in toolchains(wanted, good, bad, BASE, KNOWN)]


def test_a_pattern_is_in_the_order_of_version_numbers() -> None:
    assert _names(["zig:clang-*"], "zig:clang-9", "zig:clang-19") == [
        "zig:clang-9",
        "zig:clang-10",
        "zig:clang-18",
        "zig:clang-19",
    ]


def test_a_list_keeps_its_order_and_may_be_searched_backwards() -> None:
    wanted = ["zig:clang-18", "zig:gcc-12", "zig:clang-19"]
    assert _names(wanted, "zig:clang-19", "zig:gcc-12") == ["zig:clang-19", "zig:gcc-12"]


def test_the_way_back_goes_from_the_last_one_to_the_bad_end() -> None:
    names = [c.name for c in way_back(["zig:clang-*"], "zig:clang-9", "zig:clang-10", BASE, KNOWN)]
    assert names == ["zig:clang-19", "zig:clang-18", "zig:clang-10"]
    down = [c.name for c in way_back(["zig:clang-*"], "zig:clang-19", "zig:clang-10", BASE, KNOWN)]
    assert down == ["zig:clang-9", "zig:clang-10"]
    assert way_back(["zig:clang-*"], "zig:clang-9", "zig:clang-19", BASE, KNOWN) == ()


def test_each_candidate_is_the_variant_with_that_compiler() -> None:
    _, last = toolchains(["zig:clang-18", "zig:clang-19"], "zig:clang-18", "zig:clang-19", BASE)
    assert last.variant == Variant("zig:clang-19", "zig:clang-19", ("-O2",))


@pytest.mark.parametrize(
    ("good", "bad", "said"),
    [
        ("zig:clang-1", "zig:clang-19", "--good: 'zig:clang-1' is none of: zig:clang-9, "),
        ("zig:clang-9", "zig:clang-9", "--bad: both ends are the same toolchain"),
    ],
)
def test_ends_that_cannot_be(good: str, bad: str, said: str) -> None:
    with pytest.raises(UserError) as caught:
        _names(["zig:clang-*"], good, bad)
    assert str(caught.value).startswith(said)
