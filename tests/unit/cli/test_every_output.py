"""Every command that shows something writes it as JSON, HTML and Markdown too."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.unit.fleet.machines import measured

from whyfast.cli.main import main
from whyfast.report.result_json import dump_result
from whyfast.store.home import Home


def _results(folder: Path) -> list[str]:
    paths = []
    for i in range(6):
        times = [(1 if i < 3 else 2) + j / 1000 for j in range(10)]
        path = folder / f"r{i}.json"
        path.write_text(json.dumps({"results": [{"command": "./p", "times": times}]}))
        paths.append(str(path))
    return paths


def _words(command: str, folder: Path) -> list[str]:
    match command:
        case "compare":
            return ["compare", *_results(folder)[2:4]]
        case "history":
            return ["history", *_results(folder)]
        case "report":
            kept = folder / "kept.json"
            assert main(["compare", *_results(folder)[2:4], "--json", str(kept)]) == 0
            return ["report", str(kept)]
        case "merge":
            result = folder / "one.json"
            result.write_text(dump_result(measured("kite", {"slow": 1.1}, blocks=12)))
            return ["merge", str(result)]
        case "explain":
            return ["explain", sys.executable]
        case "plan":
            return ["plan", "dispatch", "--quick"]
    return command.split()


COMMANDS = {
    "compare": "whyfast-result/3",
    "history": "whyfast-history/2",
    "report": "whyfast-result/3",
    "merge": "whyfast-merged/2",
    "explain": "whyfast-explain/2",
    "doctor": "whyfast-doctor/2",
    "plan": "whyfast-document/2",
    "builds": "whyfast-document/2",
    "builds list": "whyfast-document/2",
    "toolchain": "whyfast-document/2",
    "toolchain list": "whyfast-document/2",
    "studies": "whyfast-document/2",
}


@pytest.mark.parametrize(("command", "schema"), COMMANDS.items())
def test_all_of_them(
    command: str,
    schema: str,
    own_home: Home,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("time.sleep", lambda seconds: None)
    monkeypatch.setattr("whyfast.cli.admin.ROOT", tmp_path)  # what doctor finds must not change
    words = _words(command, tmp_path)
    capsys.readouterr()
    files = {kind: tmp_path / f"out.{kind}" for kind in ("json", "html", "markdown")}
    assert main([*words, *(f"--{kind}={file}" for kind, file in files.items())]) == 0
    said = capsys.readouterr()
    assert said.out.strip()
    assert said.err.count("wrote ") == 3
    assert json.loads(files["json"].read_text())["schema"] == schema
    assert files["html"].read_text().startswith("<!doctype html>\n")
    assert files["markdown"].read_text().strip()
    assert main([*words, "--markdown", "-"]) == 0
    assert capsys.readouterr().out == files["markdown"].read_text()


def test_an_option_before_the_action_counts(own_home: Home, tmp_path: Path) -> None:
    out = tmp_path / "out.json"
    assert main(["builds", "--json", str(out), "list"]) == 0
    assert json.loads(out.read_text())["data"]["headline"] == "no builds yet"


def _whyfast(words: list[str], home: Path, out: int, err: int = subprocess.PIPE) -> tuple[int, str]:
    """Its exit code, and what it wrote to standard error."""
    done = subprocess.run(
        [sys.executable, "-m", "whyfast.cli.main", *words],
        env={**os.environ, "WHYFAST_HOME": str(home)},
        stdout=out,
        stderr=err,
        timeout=600,
    )
    return done.returncode, (done.stderr or b"").decode()


@pytest.fixture
def unread() -> Iterator[int]:
    """A pipe whose reader has gone."""
    reader, writer = os.pipe()
    os.close(reader)
    yield writer
    os.close(writer)


@pytest.mark.parametrize("command", ["compare", "history", "doctor", "plan", "studies"])
def test_files_are_written_though_nobody_reads_on(
    command: str, tmp_path: Path, unread: int
) -> None:
    out = tmp_path / "out.json"
    words = [*_words(command, tmp_path), "--json", str(out)]
    assert _whyfast(words, tmp_path, unread) == (0, f"wrote {out}\n")
    assert json.loads(out.read_text())["schema"] == COMMANDS[command]


@pytest.mark.parametrize("command", ["compare", "history", "plan", "ab true true --budget 1s"])
def test_files_are_written_though_nobody_reads_errors_either(
    command: str, tmp_path: Path, unread: int
) -> None:
    """As in ``whyfast … 2>&1 | head -1``, where progress is the first to find the pipe closed."""
    out = tmp_path / "out.json"
    words = [*_words(command, tmp_path), "--json", str(out)]
    assert _whyfast(words, tmp_path / "home", unread, unread) == (0, "")
    assert json.loads(out.read_text())["schema"].startswith("whyfast-")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
@pytest.mark.parametrize("words", [["studies"], ["builds", "gc"], ["--help"]])
def test_a_full_disk_is_one_line(words: list[str], tmp_path: Path) -> None:
    full = os.open("/dev/full", os.O_WRONLY)
    try:
        code, message = _whyfast(words, tmp_path, full)
    finally:
        os.close(full)
    assert code == 2
    assert message == "whyfast: standard output: cannot be used: No space left on device\n"


def test_one_file_that_cannot_be_written_leaves_the_others(
    own_home: Home, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("this system has no /dev/full")
    out = tmp_path / "out.html"
    assert main(["studies", "--json", "/dev/full", "--html", str(out)]) == 2
    said = capsys.readouterr()
    assert "dispatch" in said.out
    assert said.err == (
        f"wrote {out}\nwhyfast: /dev/full: cannot be written: No space left on device\n"
    )
