"""Which Valgrind simulates a study's programs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from tests.unit.measure.tools import Answer, Replay, said

from whyfast.measure.launch import CannotCount, Finished
from whyfast.measure.simulate import Valgrind, choose_valgrind
from whyfast.model.errors import CannotBuildHere
from whyfast.store.home import Home
from whyfast.toolchain.valgrind import newer_valgrind, tool_words, valgrind_root, version_of

Fetch = Callable[[Home, Callable[[str], None]], Path]


def _version(text: str) -> Answer:
    def answer(argv: Sequence[str]) -> Finished:
        return said(text + "\n")

    return answer


@pytest.fixture
def own(tmp_path: Path) -> Home:
    return Home(tmp_path / "cache", tmp_path / "data")


def _root(home: Home) -> Path:
    """A root with the tools in it, as if it had been made."""
    root = valgrind_root(home)
    library = root / "usr/libexec/valgrind"
    library.mkdir(parents=True)
    for architecture in ("amd64", "arm64"):
        (library / f"callgrind-{architecture}-linux").touch()
    (root.parent / "digest").write_text("d\n")
    return root


def _choose(
    own: Home, replay: Replay, *, rooted: bool = False, newer: Fetch = newer_valgrind
) -> Valgrind:
    return choose_valgrind(replay, {}, own, rooted=rooted, note=lambda text: None, newer=newer)


def _replay(valgrind: str | None = "valgrind-3.19.0") -> Replay:
    tools = ("callgrind-amd64-linux", "callgrind-arm64-linux")
    answers = {tool: _version("valgrind-3.24.0") for tool in tools}
    return Replay(answers if valgrind is None else {**answers, "valgrind": _version(valgrind)})


def test_the_machines_own_does_where_no_root_is_entered(own: Home) -> None:
    found = _choose(own, _replay())
    assert found.version == "valgrind-3.19.0"
    assert found.words["callgrind"] == ("/usr/bin/valgrind", "--tool=callgrind")


def test_a_newer_one_that_is_there_goes_before_an_older(own: Home) -> None:
    root = _root(own)
    found = _choose(own, _replay())
    assert found.version == "valgrind-3.24.0"
    assert found.words["callgrind"][0].startswith(str(root / "usr/libexec/valgrind/callgrind-"))
    assert found.env["VALGRIND_LIB"] == str(root / "usr/libexec/valgrind")
    assert _choose(own, _replay("valgrind-3.25.1")).version == "valgrind-3.25.1"


@pytest.mark.parametrize(("valgrind", "rooted"), [("valgrind-3.25.1", True), (None, False)])
def test_it_is_made_for_roots_and_where_the_machine_has_none(
    own: Home, valgrind: str | None, rooted: bool
) -> None:
    found = _choose(own, _replay(valgrind), rooted=rooted, newer=lambda home, note: _root(home))
    assert found.version == "valgrind-3.24.0"


@pytest.mark.parametrize(
    ("valgrind", "rooted", "message"),
    [
        ("valgrind-3.19.0", True, "valgrind-3.19.0 of this machine is not seen in its root"),
        (None, False, "valgrind is not installed; and no newer one could be had: no mmdebstrap"),
    ],
)
def test_what_cannot_be_had_says_why(
    own: Home, valgrind: str | None, rooted: bool, message: str
) -> None:
    def fail(home: Home, note: object) -> Path:
        raise CannotBuildHere("no mmdebstrap")

    with pytest.raises(CannotCount, match=message):
        _choose(own, _replay(valgrind), rooted=rooted, newer=fail)


def test_a_root_without_the_tool(tmp_path: Path) -> None:
    with pytest.raises(CannotBuildHere, match="Valgrind has no callgrind for"):
        tool_words(tmp_path, "callgrind")


def test_versions() -> None:
    assert version_of("valgrind-3.19.0\n") == (3, 19)
    assert version_of("valgrind-3.24.0.GIT") == (3, 24)
    assert version_of("nonsense") == (0, 0)
