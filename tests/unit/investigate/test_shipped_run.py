"""Packages by name, and what a form of dispatch means beside its source."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest

from whyfast.investigate.survey_run import shipped_programs, survey_shipped
from whyfast.model.errors import CannotBuildHere, UserError
from whyfast.model.evidence import DispatchFacts, ShippedProgram, shipped_verdict
from whyfast.toolchain.archive import Binary, PackageFile, PackageName, newest, parse_package

FACTS = DispatchFacts("loop", "merged", 5, 83, 1, 3802, 15881, "")
LUA = ShippedProgram("Lua", ("liblua5.4-0",), "liblua5.4.so*", "threaded", "LUA_USE_JUMPTABLE")


def test_names_of_packages() -> None:
    assert parse_package("deb:lua5.4") == PackageName("lua5.4", "trixie")
    assert parse_package("deb:lua5.4@sid:usr/bin/lua5.4") == PackageName(
        "lua5.4", "sid", "usr/bin/lua5.4"
    )
    with pytest.raises(UserError, match="deb:NAME@SUITE"):
        parse_package("deb:../x")


def test_the_newest_of_several_versions() -> None:
    versions = ("1.9-1", "1.10-1", "1.10~rc1-1")
    assert [b.version for b in newest([Binary("x", v, "p", "0", 1) for v in versions])] == [
        "1.10-1"
    ]


class NoSuites:
    """An archive that has only trixie, and nothing in it."""

    def look_up(self, names: Iterable[str], suite: str) -> dict[str, Binary]:
        if suite != "trixie":
            raise CannotBuildHere(f"no suite {suite}")
        return {}

    def fetch(self, wanted: PackageName) -> PackageFile:
        raise AssertionError(wanted)


def test_a_suite_that_is_not_there(tmp_path: Path) -> None:
    def rows(*suites: str) -> list[tuple[str, str]]:
        found = survey_shipped([LUA], suites, NoSuites(), tmp_path, lambda text: None)
        return [(row.suite, row.verdict) for row in found]

    assert rows("trixie", "trixy") == [("trixie", "not shipped"), ("trixy", "failed")]
    with pytest.raises(UserError) as refused:
        rows("trixy")
    assert refused.value.where == "--suite"


def test_verdicts() -> None:
    assert shipped_verdict(LUA, FACTS) == "merged"
    assert shipped_verdict(LUA, replace(FACTS, form="replicated")) == "as written"
    assert shipped_verdict(LUA, replace(FACTS, computed_goto=False)) == "not found"
    assert shipped_verdict(LUA, None) == "not found"
    switch = replace(LUA, source="switch")
    assert shipped_verdict(switch, FACTS) == "by design"
    assert (
        shipped_verdict(switch, replace(FACTS, form="replicated")) == "replicated by the compiler"
    )


def test_the_bundled_list() -> None:
    assert len(shipped_programs()) > 40
    assert [p.name for p in shipped_programs(["liblua5.4"])] == ["Lua 5.4"]
    with pytest.raises(UserError, match="no such program"):
        shipped_programs(["cobol"])
