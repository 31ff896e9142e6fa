"""``--json`` of commands that report nothing: what they did. And that no command lacks it."""

import argparse
import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from whyfast.cli.commands import COMMANDS
from whyfast.cli.main import main
from whyfast.cli.options import command_parser
from whyfast.store.home import Home
from whyfast.toolchain.wheels import ZigProvider

#: Servers, which have no result, and text that a shell or a compiler's user reads as it is.
#: docs/report.md names them.
WITHOUT = {"worker", "fleet scheduler", "completion", "builds log"}


def forms(parser: argparse.ArgumentParser, name: str) -> Iterator[tuple[str, bool]]:
    """A command, or each of its actions, and whether it has ``--json``."""
    choices = [a.choices for a in parser._actions if isinstance(a, argparse._SubParsersAction)]
    for action, inner in choices[0].items() if choices else ():
        yield from forms(inner, f"{name} {action}")
    if not choices:
        yield name, "--json" in parser._option_string_actions


def test_every_command_has_it() -> None:
    found = dict(f for name in COMMANDS for f in forms(command_parser(name), name))
    assert {name for name, has in found.items() if not has} == WITHOUT
    page = (Path(__file__).parents[3] / "docs" / "report.md").read_text("utf-8")
    assert [name for name in sorted(WITHOUT) if f"`{name}`" not in page] == []


def done(capsys: pytest.CaptureFixture[str], *words: str, code: int = 0) -> tuple[str, list[Any]]:
    """The command and its actions: what did it do to which name, and the bytes freed."""
    assert main([*words, "--json", "-"]) == code
    document = json.loads(capsys.readouterr().out)  # and nothing else
    assert document["schema"] == "whyfast-actions/1"
    data = document["data"]
    return data["command"], [(a["did"], a["name"], a["bytes"]) for a in data["actions"]]


def test_import(tmp_path: Path, own_home: Home, capsys: pytest.CaptureFixture[str]) -> None:
    files = [str(tmp_path / f"{i}.json") for i in range(2)]
    for i, file in enumerate(files):
        times = {"command": "p", "times": [1.0 + i, 1.1]}
        Path(file).write_text(json.dumps({"results": [times]}))
    assert done(capsys, "import", files[0]) == ("import", [("stored", files[0], None)])
    both = [("known", files[0], None), ("stored", files[1], None)]
    assert done(capsys, "import", *files) == ("import", both)


def test_new(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "p.c").write_text("int main(void) { return 0; }")
    assert done(capsys, "new", "mine") == ("new", [("wrote", "mine/study.toml", None)])
    assert done(capsys, "new", "--no-build") == ("new", [("wrote", "whyfast.toml", None)])


def test_builds_gc(own_home: Home, capsys: pytest.CaptureFixture[str]) -> None:
    (own_home.builds / "ab12").mkdir(parents=True)
    (own_home.builds / "ab12" / "log.txt").write_text("12345")
    assert done(capsys, "builds", "gc", "--all") == ("builds gc", [("removed", "ab12", 5)])
    assert main(["builds", "gc"]) == 0
    assert capsys.readouterr().out == "removed 0 builds, 0 B\n"


def test_toolchains(
    own_home: Home, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ZigProvider, "remove", lambda self, name, home: None)
    removed = [("removed", "zig:clang-19", None)]
    assert done(capsys, "toolchain", "remove", "zig:clang-19") == ("toolchain remove", removed)
    failed = [("failed", "path:no-such-compiler", None)]
    words = ("toolchain", "install", "path:no-such-compiler")
    assert done(capsys, *words, code=1) == ("toolchain install", failed)


def test_certificates(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    if shutil.which("openssl") is None:
        pytest.skip("needs openssl")
    command, actions = done(capsys, "fleet", "certificates", str(tmp_path / "f"))
    assert command == "fleet certificates"
    assert all(did == "wrote" and Path(name).is_file() for did, name, _ in actions)
    assert len(actions) == 2
