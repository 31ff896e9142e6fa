"""Names of kernels, and the packages that fit them."""

from __future__ import annotations

import pytest

from whyfast.model.errors import UserError
from whyfast.toolchain.archive import Binary
from whyfast.toolchain.kernels import KernelName, available, candidates, parse_kernel


def package(name: str, version: str) -> Binary:
    return Binary(name, version, f"pool/{name}.deb", "aa", 10)


LISTED = [
    package("linux-image-6.1.0-47-amd64", "6.1.170-1"),
    package("linux-image-6.1.0-50-amd64", "6.1.176-1"),
    package("linux-image-6.1.0-50-amd64-unsigned", "6.1.176-1"),
    package("linux-image-6.1.0-50-cloud-amd64", "6.1.176-1"),
    package("linux-image-6.1.0-50-amd64-dbg", "6.1.176-1"),
    package("linux-image-6.12.9+deb12-amd64", "6.12.9-1~bpo12+1"),
    package("linux-image-6.12.43+deb12-amd64", "6.12.43-1~bpo12+1"),
    package("linux-image-7.3.4+deb13-amd64", "7.3.4-1~bpo13+1"),
    package("linux-binary-7.3.4+deb13-amd64", "7.3.4-1~bpo13+1"),
]


def fitting(name: str) -> list[str]:
    return [c.package.package for c in candidates(parse_kernel(name), "suite", LISTED)]


def test_a_long_term_version_has_its_suite() -> None:
    assert parse_kernel("debian:linux-6.1") == KernelName(
        "debian:linux-6.1", "6.1", "", ("bookworm",)
    )


def test_other_versions_are_looked_for_where_new_ones_are() -> None:
    assert parse_kernel("debian:linux-7.0.4-cloud") == KernelName(
        "debian:linux-7.0.4-cloud", "7.0.4", "cloud", ("trixie-backports", "sid")
    )


def test_a_suite_can_be_named_and_stands_for_its_newest() -> None:
    assert parse_kernel("debian:linux@sid") == KernelName("debian:linux@sid", "", "", ("sid",))


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("fedora:linux-6.1", "available: debian"),
        ("debian:clang-19", "expected debian:linux-VERSION"),
        ("debian:linux", "has neither a version nor a suite"),
        ("debian:linux-6", "expected debian:linux-VERSION"),
        ("debian:linux-6.1@", "expected debian:linux-VERSION"),
    ],
)
def test_other_names_are_refused_with_the_right_form(name: str, said: str) -> None:
    with pytest.raises(UserError, match=said):
        parse_kernel(name)


def test_the_newest_goes_first_and_the_signed_before_the_unsigned() -> None:
    assert fitting("debian:linux-6.1") == [
        "linux-image-6.1.0-50-amd64",
        "linux-image-6.1.0-50-amd64-unsigned",
        "linux-image-6.1.0-47-amd64",
    ]


def test_versions_are_numbers_and_not_texts() -> None:
    assert fitting("debian:linux-6.12") == [
        "linux-image-6.12.43+deb12-amd64",
        "linux-image-6.12.9+deb12-amd64",
    ]


def test_a_candidate_comes_before_its_release() -> None:
    early = package("linux-image-7.1-rc7-amd64", "7.1~rc7-1~exp1")
    late = package("linux-image-7.1-amd64", "7.1-1~exp1")
    found = candidates(parse_kernel("debian:linux@experimental"), "experimental", [early, late])
    assert [c.package for c in found] == [late, early]


def test_new_kernels_are_in_a_package_of_their_own() -> None:
    assert fitting("debian:linux@sid")[0] == "linux-binary-7.3.4+deb13-amd64"


def test_a_flavour_is_no_other() -> None:
    assert fitting("debian:linux-6.1-cloud") == ["linux-image-6.1.0-50-cloud-amd64"]


def test_what_there_is_is_said_by_upstream_version() -> None:
    wanted = parse_kernel("debian:linux-9.9")
    assert available(wanted, "sid", LISTED) == ["6.1.170", "6.1.176", "6.12.9", "6.12.43", "7.3.4"]
