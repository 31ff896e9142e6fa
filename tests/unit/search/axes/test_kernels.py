"""Kernels in order."""

from __future__ import annotations

import pytest

from whyfast.model.errors import UserError
from whyfast.search.axes.kernels import kernels

OLD, MID, NEW = "debian:linux-5.10", "debian:linux-6.1", "debian:linux-6.12"


def test_a_pattern_stands_for_a_kernel_a_release_oldest_first() -> None:
    assert kernels(("debian:linux*",), MID, "debian:linux@sid") == (
        MID,
        NEW,
        "debian:linux@trixie-backports",
        "debian:linux@sid",
    )
    assert kernels(("debian:linux-*",), OLD, NEW) == (OLD, MID, NEW)


def test_a_list_keeps_its_order_and_may_be_searched_backwards() -> None:
    assert kernels((OLD, NEW, MID), MID, OLD) == (MID, NEW, OLD)


@pytest.mark.parametrize(
    ("wanted", "good", "bad", "said"),
    [
        ((OLD, MID), OLD, NEW, "--bad: 'debian:linux-6.12' is none of: debian:linux-5.10, "),
        ((OLD, MID), MID, MID, "--bad: both ends are the same kernel"),
        (("debian:bsd*",), OLD, MID, "debian:bsd*: no kernel is called so; there are debian:"),
        (("debian:6.1",), OLD, MID, "kernel 'debian:6.1': write debian:linux-VERSION"),
    ],
)
def test_ends_that_cannot_be(wanted: tuple[str, ...], good: str, bad: str, said: str) -> None:
    with pytest.raises(UserError) as caught:
        kernels(wanted, good, bad)
    assert str(caught.value).startswith(said)
