"""Names of Debian's compilers."""

from __future__ import annotations

import pytest

from whyfast.model.errors import UserError
from whyfast.toolchain.debian import DebianName, known_names, parse_name


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("clang-18", DebianName("clang", 18, "trixie")),
        ("clang-16", DebianName("clang", 16, "bookworm")),
        ("gcc-10", DebianName("gcc", 10, "bullseye")),
        ("clang-23", DebianName("clang", 23, "sid")),
        ("gcc-12@bookworm", DebianName("gcc", 12, "bookworm")),
        ("clang-99@experimental", DebianName("clang", 99, "experimental")),
    ],
)
def test_name(name: str, expected: DebianName) -> None:
    assert parse_name(name) == expected


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("clang", "expected debian:clang-VERSION"),
        ("tcc-1", "expected debian:clang-VERSION"),
        ("clang-18@", "expected debian:clang-VERSION"),
        ("clang-18@../x", "expected debian:clang-VERSION"),
        ("clang-99", "needs a suite, e.g. debian:clang-99@sid"),
    ],
)
def test_mistake(name: str, message: str) -> None:
    with pytest.raises(UserError, match=message):
        parse_name(name)


def test_clang_brings_its_own_linker_and_archiver() -> None:
    name = parse_name("clang-18")
    assert name.packages == ("clang-18", "lld-18", "llvm-18", "libc6-dev")
    assert name.path.startswith("/usr/lib/llvm-18/bin:")
    assert parse_name("gcc-14").packages == ("gcc-14", "libc6-dev")


def test_the_list_is_by_kind_and_age() -> None:
    names = known_names()
    assert names[:2] == ["clang-9", "clang-11"]
    assert names[-1] == "gcc-16"
    assert len(names) == len(set(names))
