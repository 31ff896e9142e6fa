"""Names of toolchains."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from tests.golden_files import Hear
from tests.unit.toolchain.conftest import FakeCompiler

from whyfast.model.errors import UserError
from whyfast.store.home import Home
from whyfast.toolchain.provider import Cost
from whyfast.toolchain.registry import providers, resolve, split_name


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("zig:clang-19", ("zig", "clang-19")),
        ("path:/opt/llvm/bin/clang", ("path", "/opt/llvm/bin/clang")),
        ("path:a:b", ("path", "a:b")),
    ],
)
def test_a_name_is_a_provider_and_what_it_is_asked_for(name: str, parts: tuple[str, str]) -> None:
    assert split_name(name) == parts


NO_PROVIDER = "has no provider; write PROVIDER:NAME, e.g. path:gcc-12 or zig:clang-19"
ALL = ", ".join(providers())


@pytest.mark.parametrize("name", ["gcc-12", "zig:", "", "zik:clang-19", "nix:gcc", ":gcc"])
def test_a_name_that_means_nothing(name: str, golden: Hear) -> None:
    with pytest.raises(UserError) as caught:
        split_name(name)
    golden(str(caught.value))


def test_every_provider_lists_names() -> None:
    assert {"path", "zig"} <= set(providers())
    assert all(isinstance(p.names(), list) for p in providers().values())


def test_a_toolchain_is_resolved_by_its_provider(
    fake_compiler: Callable[..., FakeCompiler], own: Home
) -> None:
    fake_compiler("gcc-99")
    assert resolve("path:gcc-99", own, lambda text: None).name == "path:gcc-99"


def test_what_it_takes_to_install_a_toolchain() -> None:
    known = providers()
    assert known["path"].cost("gcc") == Cost(0, 0, 0.0)
    assert known["zig"].cost("clang-19") == Cost(100_000_000, 450_000_000, 30.0)
    assert known["debian"].cost("gcc-14") == Cost(90_000_000, 300_000_000, 90.0)
    assert known["debian"].cost("clang-18", ["make", "zlib1g-dev"]) == Cost(
        146_200_000, 680_000_000, 90.0
    )
