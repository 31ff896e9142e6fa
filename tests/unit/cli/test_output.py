"""Files that commands write, and the exit code of a result."""

from __future__ import annotations

import json
import os
from argparse import Namespace
from dataclasses import replace
from pathlib import Path

import pytest
from tests.unit.report.example import sample_result, sample_study, suite, verdict
from tests.unit.report.parts import changed

from whyfast.cli.main import main
from whyfast.cli.output import check_outputs, write
from whyfast.cli.results import exit_code
from whyfast.model.errors import UserError
from whyfast.model.evidence import Evidence
from whyfast.model.verdict import Suite, Verdict
from whyfast.report.sections.timeline import when


def test_a_file_is_written_whole_and_nothing_beside_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "out.json"
    write(file, "µ\n")
    assert file.read_bytes() == b"\xc2\xb5\n"
    assert os.listdir(tmp_path) == ["out.json"]
    said = capsys.readouterr()
    assert (said.out, said.err) == ("", f"wrote {file}\n")


@pytest.mark.parametrize(
    ("name", "problem"), [("file/out", "Not a directory"), ("x" * 300, "File name too long")]
)
def test_a_file_that_cannot_be_written_is_one_error(
    tmp_path: Path, name: str, problem: str
) -> None:
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


def test_a_folder_without_permission_is_told_before_the_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
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
        ([], [verdict("clang18-goto twin", "clang18-goto", "slower", 1.2, 1.1, 1.3)], 0),
        ([], [verdict("slow", "another", "slower", 1.2, 1.1, 1.3)], 0),
    ],
)
def test_fail_on_slower(suites: list[Suite], verdicts: list[Verdict], code: int) -> None:
    main_one = sample_study().variant("clang18-goto")
    control = replace(main_one, name="clang18-goto twin", twin_of="clang18-goto")
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


def test_a_name_in_evidence_that_matches_nothing_anywhere_is_a_failure() -> None:
    result = sample_result()
    one, *others = result.found.evidence

    def missing(first: tuple[str, ...], rest: tuple[str, ...]) -> tuple[Evidence, ...]:
        return (replace(one, missing=first), *(replace(e, missing=rest) for e in others))

    fine = changed(result, builds=(), failures=(), failed_expectations=())
    assert exit_code(changed(fine, evidence=missing(("vm_rum",), ())), None) == 0
    assert exit_code(changed(fine, evidence=missing(("vm_rum",), ("x", "vm_rum"))), None) == 1
