"""Files that commands write, and the exit code of a result. Every command that shows something
writes it as JSON, HTML and Markdown too."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from argparse import Namespace
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from tests import warm_process
from tests.unit.fleet.machines import measured
from tests.unit.report.example import sample_result, sample_study, suite, verdict
from tests.unit.report.parts import changed

from whyfast.cli.main import main
from whyfast.cli.output import check_outputs, write
from whyfast.cli.results import exit_code
from whyfast.model.cost import VariantCost
from whyfast.model.errors import UserError
from whyfast.model.evidence import Evidence
from whyfast.model.verdict import Suite, Verdict
from whyfast.report.result_json import dump_result
from whyfast.report.sections.timeline import when
from whyfast.store.home import Home


def test_a_file_is_written_whole_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "out.json"
    write(file, "µ\n")
    assert file.read_bytes() == b"\xc2\xb5\n"
    assert os.listdir(tmp_path) == ["out.json"]
    said = capsys.readouterr()
    assert (said.out, said.err) == ("", f"wrote {file}\n")


@pytest.mark.parametrize(
    ("name", "problem"), [("file/out", "Not a directory"), ("x" * 300, "File name too long")]
)
def test_an_unwritable_file_is_one_error(tmp_path: Path, name: str, problem: str) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(UserError, match=f"cannot be written: {problem}"):
        write(tmp_path / name, "text")


def test_half_a_character_becomes_its_escape(tmp_path: Path) -> None:
    write(tmp_path / "out", json.dumps("\udcff", ensure_ascii=False))
    assert (tmp_path / "out").read_text() == '"\\udcff"'


def test_what_is_no_plain_file_is_not_replaced(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        write(pipe, "text")
        assert os.read(reader, 100) == b"text"
    finally:
        os.close(reader)
    assert pipe.is_fifo()
    link = tmp_path / "link"
    link.symlink_to("target")
    write(link, "text")
    assert link.is_symlink()
    assert (tmp_path / "target").read_text() == "text"


def test_no_permission_is_told_before_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "access", lambda path, mode: path != tmp_path)  # root may do anything
    with pytest.raises(UserError, match="out: cannot be written: permission denied"):
        check_outputs(Namespace(json=tmp_path / "out"))


@pytest.fixture
def results(tmp_path: Path) -> list[str]:
    paths = []
    for name in ("old", "new"):
        times = [1 + i / 1000 for i in range(10)]
        (tmp_path / name).with_suffix(".json").write_text(
            json.dumps({"results": [{"command": "./p", "times": times}]})
        )
        paths.append(str(tmp_path / f"{name}.json"))
    return paths


def test_a_pipe_gets_one_thing(
    results: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    more = ["--html", str(tmp_path / "out.html"), "--pyperf-out", str(tmp_path / "pyperf")]
    assert main(["compare", *results, "--json", "-", *more]) == 0
    said = capsys.readouterr()
    assert json.loads(said.out)["schema"] == "whyfast-result/3"
    assert said.err.count("wrote ") == 3


def test_a_result_without_a_baseline_is_refused(
    results: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out.json"
    assert main(["compare", *results, "--json", str(out)]) == 0
    data = json.loads(out.read_text())
    data["data"]["question"]["baselines"] = []
    out.write_text(json.dumps(data))
    capsys.readouterr()
    assert main(["report", str(out)]) == 2
    assert capsys.readouterr().err == (
        f"whyfast: {out}: question.baselines: expected one or more\n"
    )


def test_a_time_that_no_calendar_has_is_shown_as_it_is() -> None:
    assert when(0.0) == "1970-01-01 00:00 UTC"
    assert when(1.7e12) == "1.7e+12 s after 1970"
    assert when(1e20) == "1e+20 s after 1970"
    assert when(float("inf")) == "inf s after 1970"


SLOWER = verdict("slow", "clang18-goto", "slower", 1.2, 1.1, 1.3)


@pytest.mark.parametrize(
    ("suites", "verdicts", "code"),
    [
        ([suite("same", "clang18-goto", "same", 1.0, 0.999, 1.001)], [], 0),
        ([suite("slow", "clang18-goto", "slower", 1.2, 1.1, 1.3)], [], 3),
        # The mean speaks where there is one, whatever a benchmark of it says.
        ([suite("slow", "clang18-goto", "same", 1.0, 0.999, 1.001)], [SLOWER], 0),
        # One variant has a mean; the other shares one benchmark with the baseline.
        ([suite("same", "clang18-goto", "same", 1.0, 0.999, 1.001)], [SLOWER], 3),
        ([], [verdict("clang18-goto control", "clang18-goto", "slower", 1.2, 1.1, 1.3)], 0),
        ([], [verdict("slow", "another", "slower", 1.2, 1.1, 1.3)], 0),
    ],
)
def test_fail_on_slower(suites: list[Suite], verdicts: list[Verdict], code: int) -> None:
    main_one = sample_study().variant("clang18-goto")
    control = replace(main_one, name="clang18-goto control", control_of="clang18-goto")
    study = replace(sample_study(), variants=(main_one, control), baselines=("clang18-goto",))
    result = changed(
        sample_result(),
        question=study,
        suites=tuple(suites),
        verdicts=tuple(verdicts),
        builds=(),
        failures=(),
        failed_expectations=(),
    )
    assert exit_code(result, "slower") == code
    assert exit_code(result, "worse") == code
    assert exit_code(result, "larger") == 0


def test_fail_on_larger() -> None:
    sizes = (
        VariantCost("size", "clang18-goto", 1000.0),
        VariantCost("size", "clang19-tail", 1100.0),
    )
    result = changed(
        sample_result(),
        costs=sizes,
        suites=(),
        verdicts=(),
        builds=(),
        failures=(),
        failed_expectations=(),
    )
    assert exit_code(result, "larger") == 3
    assert exit_code(result, "worse") == 3
    assert exit_code(result, "slower") == 0


def test_a_name_in_evidence_that_matches_nothing_anywhere_is_a_failure() -> None:
    result = sample_result()
    one, *others = result.found.evidence

    def missing(first: tuple[str, ...], rest: tuple[str, ...]) -> tuple[Evidence, ...]:
        return (replace(one, missing=first), *(replace(e, missing=rest) for e in others))

    fine = changed(result, builds=(), failures=(), failed_expectations=())
    assert exit_code(changed(fine, evidence=missing(("vm_rum",), ())), None) == 0
    assert exit_code(changed(fine, evidence=missing(("vm_rum",), ("x", "vm_rum"))), None) == 1


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
            return ["explain", shutil.which("true") or sys.executable]
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
    room = shutil.disk_usage(tmp_path)
    monkeypatch.setattr("shutil.disk_usage", lambda path: room)
    words = _words(command, tmp_path)
    if command.startswith("toolchain"):  # every compiler of this machine would be asked
        (own_home.cache / "toolchains").unlink(missing_ok=True)
        monkeypatch.setenv("PATH", str(tmp_path))
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


def _whyfast(words: list[str], home: Path, out: int, err: int | None = None) -> tuple[int, str]:
    """Its exit code, and what it wrote to standard error."""
    environment = {**os.environ, "WHYFAST_HOME": str(home)}
    with tempfile.TemporaryFile() as said, os.fdopen(os.dup(out), "wb") as stdout:
        with os.fdopen(os.dup(said.fileno() if err is None else err), "wb") as stderr:
            code = warm_process.Command(words, stdout, stderr, env=environment).wait(600)
        said.seek(0)
        return code, said.read().decode()


def test_a_closed_pipe_of_a_process_of_its_own(tmp_path: Path, unread: int) -> None:
    """The others run in a process that ends by other means than Python's."""
    out = tmp_path / "out.json"
    done = subprocess.run(
        [sys.executable, "-m", "whyfast.cli.main", "studies", "--json", str(out)],
        env={**os.environ, "WHYFAST_HOME": str(tmp_path)},
        stdout=unread,
        stderr=subprocess.PIPE,
        timeout=600,
        text=True,
    )
    assert (done.returncode, done.stderr) == (0, f"wrote {out}\n")


@pytest.fixture
def unread() -> Iterator[int]:
    """A pipe whose reader has gone."""
    reader, writer = os.pipe()
    os.close(reader)
    yield writer
    os.close(writer)


@pytest.mark.parametrize("command", ["compare", "history", "doctor", "plan", "studies"])
def test_files_are_written_though_none_reads_on(command: str, tmp_path: Path, unread: int) -> None:
    out = tmp_path / "out.json"
    words = [*_words(command, tmp_path), "--json", str(out)]
    assert _whyfast(words, tmp_path, unread) == (0, f"wrote {out}\n")
    assert json.loads(out.read_text())["schema"] == COMMANDS[command]


@pytest.mark.parametrize("command", ["compare", "history", "plan", "ab true true --budget 1s"])
def test_files_are_written_without_error_readers(command: str, tmp_path: Path, unread: int) -> None:
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
