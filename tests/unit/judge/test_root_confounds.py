"""Packages that differ between the roots of two variants."""

from __future__ import annotations

from pathlib import Path

from tests.golden_files import Hear

from whyfast.judge.confounds import root_confounds
from whyfast.model.build import Build


def _build(variant: str, **packages: str) -> Build:
    named = {n.replace("_", "-"): f"{v} sha256:{v}" for n, v in packages.items()}
    toolchain = {"name": "debian:gcc-14", **({"packages": named} if named else {})}
    return Build(variant, "d", Path(variant), variant, {"toolchain": toolchain}, False)


def test_the_c_library_is_named_with_the_variants() -> None:
    builds = [
        _build("clang18", libc6="2.41-12", clang_18="1", bash="5.2"),
        _build("gcc14", libc6="2.41-12", gcc_14="1", bash="5.2"),
        _build("gcc16", libc6="2.43-7", gcc_16="1", bash="5.3"),
    ]
    (only,) = root_confounds(builds)
    assert (only.kind, only.severity) == ("root-libc", "warning")
    assert "2.41-12 (clang18, gcc14); 2.43-7 (gcc16)" in only.text
    assert only.variants == ("clang18", "gcc14", "gcc16")


def test_other_packages_that_go_into_programs_are_one_note(golden: Hear) -> None:
    builds = [
        _build("a", libc6="2", binutils="2.44", zlib1g="1.3.1", tar="1", libisl23="1"),
        _build("b", libc6="2", binutils="2.47", zlib1g="1.3.2", tar="2", libisl23="2"),
    ]
    (only,) = root_confounds(builds)
    assert (only.kind, only.severity) == ("root-packages", "note")
    golden(only.text)


def test_equal_roots_and_builds_outside_of_any_have_none() -> None:
    assert list(root_confounds([_build("a", libc6="2"), _build("b", libc6="2")])) == []
    assert list(root_confounds([_build("a", libc6="2"), _build("b")])) == []
