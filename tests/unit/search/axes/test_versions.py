"""Compilers and kernels in order."""

from collections.abc import Callable, Mapping
from typing import Any, cast

import pytest

from whyfast.model.errors import UserError
from whyfast.model.variant import Variant
from whyfast.search.axes import CandidateRange, SearchRequest
from whyfast.search.axes.ranges import kernels, toolchain_range
from whyfast.toolchain import Provider


class _Names:
    def names(self) -> list[str]:
        return ["clang-9", "clang-18", "gcc-12", "clang-10", "clang-19"]


KNOWN = cast("Mapping[str, Provider]", {"zig": cast("Any", _Names())})
BASE = Variant("base", "zig:clang-18", ("-O2",), axes={"compiler": "clang18"})
CLANG = ("zig:clang-*",)
OLD, MID, NEW = (f"debian:linux-{v}" for v in ("5.10", "6.1", "6.12"))


def _range(good: str, bad: str, *wanted: str) -> CandidateRange:
    search = SearchRequest("toolchains", f"zig:{good}", f"zig:{bad}", among=wanted or CLANG)
    return toolchain_range(cast("Any", None), BASE, search, KNOWN)


def _names(candidates: tuple[Any, ...]) -> list[str]:
    return [c.name.removeprefix("zig:") for c in candidates]


@pytest.mark.parametrize(
    ("good", "bad", "candidates", "back"),
    [
        ("clang-9", "clang-19", ["clang-9", "clang-10", "clang-18", "clang-19"], []),
        ("clang-9", "clang-10", ["clang-9", "clang-10"], ["clang-19", "clang-18", "clang-10"]),
        ("clang-19", "clang-10", ["clang-19", "clang-18", "clang-10"], ["clang-9", "clang-10"]),
    ],
)
def test_patterns_by_version(good: str, bad: str, candidates: list[str], back: list[str]) -> None:
    axis = _range(good, bad)
    assert (_names(axis.candidates), _names(axis.back)) == (candidates, back)
    assert axis.backwards == (good == "clang-19")


def test_a_list_keeps_its_order_and_may_be_searched_backwards() -> None:
    wanted = ("zig:clang-18", "zig:gcc-12", "zig:clang-19")
    assert _names(_range("clang-19", "gcc-12", *wanted).candidates) == ["clang-19", "gcc-12"]
    assert kernels((OLD, NEW, MID), MID, OLD) == (MID, NEW, OLD)


def test_each_candidate_is_the_variant_with_that_compiler() -> None:
    last = _range("clang-18", "clang-19").candidates[-1]
    assert last.variant == Variant("zig:clang-19", "zig:clang-19", ("-O2",))


def test_a_pattern_of_kernels_has_one_for_each_release_oldest_first() -> None:
    assert kernels(("debian:linux-*",), OLD, NEW) == (OLD, MID, NEW)
    assert kernels(("debian:linux*",), MID, "debian:linux@sid") == (
        *(MID, NEW, "debian:linux@trixie-backports", "debian:linux@sid"),
    )


@pytest.mark.parametrize(
    ("search", "where"),
    [
        (lambda: _range("clang-1", "clang-19"), "--good"),
        (lambda: _range("clang-9", "clang-9"), "--bad"),
        (lambda: kernels((OLD, MID), OLD, NEW), "--bad"),
        (lambda: kernels((OLD, MID), MID, MID), "--bad"),
        (lambda: kernels(("debian:bsd*",), OLD, MID), "debian:bsd*"),
        (lambda: kernels(("debian:6.1",), OLD, MID), "kernel 'debian:6.1'"),
    ],
)
def test_impossible_ends(search: Callable[[], object], where: str) -> None:
    with pytest.raises(UserError) as caught:
        search()
    assert caught.value.where == where or str(caught.value).startswith(f"{where}: ")
