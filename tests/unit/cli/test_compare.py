"""``whyfast compare`` from end to end."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.unit.cli.compared_files import Write, pyperf
from tests.unit.formats import examples

from whyfast.cli.main import main
from whyfast.report.result_json import load_result


def test_the_first_line_answers(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    assert (
        main(["compare", write("old.json", pyperf(1)), write("new.json", pyperf(1.1)), "-v"]) == 0
    )
    out = " ".join(capsys.readouterr().out.split())
    assert out.startswith("new is 1.10x slower than old [")
    assert "over 2 benchmarks; session drift is not excluded." in out
    assert "the files name no compiler, no flags, no commit" in out


def test_ratios_read_the_same_from_either_side(
    write: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    old, new = write("old.json", pyperf(1)), write("new.json", pyperf(1.1))
    main(["compare", old, new])
    there = capsys.readouterr().out.split("[")[0]
    main(["compare", new, old])
    back = capsys.readouterr().out.split("[")[0]
    assert there == "new is 1.10x slower than old "
    assert back == "old is 1.10x faster than new "


def test_reports_are_written_and_hold_every_digit(write: Write, tmp_path: Path) -> None:
    files = [write("old.json", pyperf(1)), write("new.json", pyperf(1.1))]
    outputs = {kind: tmp_path / f"out.{kind}" for kind in ("json", "html", "markdown")}
    arguments = [a for kind, path in outputs.items() for a in (f"--{kind}", str(path))]
    assert main(["compare", *files, *arguments]) == 0
    result = load_result(outputs["json"])
    assert result.judged.about == "runs"
    assert result.judged.suites[0].verdict.ratio == pytest.approx(1.1, rel=1e-9)
    for path in outputs.values():
        assert "session drift is not excluded" in path.read_text()
    assert outputs["markdown"].read_text().startswith("**new is 1.10x slower than old")


def test_noise_widens_what_it_must(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    reruns = [write(f"r{i}.json", pyperf(1 + i / 10)) for i in range(3)]
    files = [write("old.json", pyperf(1)), write("new.json", pyperf(1.1))]
    assert main(["compare", *files, "--noise", *reruns, "--fail-on", "slower", "-v"]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert out.startswith("No difference found between new and old: 1.10x [")
    assert "3 reruns of one build" in out


def test_a_ratio_of_one_is_no_than(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    few = {"results": [{"command": "p", "times": [1.0, 1.1, 1.2]}]}
    assert main(["compare", write("old.json", few), write("new.json", few)]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert out.startswith("No difference found between new and old: 1.00x [")


def test_fail_on_slower(write: Write) -> None:
    old, new = write("old.json", pyperf(1)), write("new.json", pyperf(1.1))
    assert main(["compare", old, new, "--fail-on", "slower"]) == 3
    assert main(["compare", new, old, "--fail-on", "slower"]) == 0


def test_benchmarks_can_be_chosen(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    files = [write("old.json", pyperf(1)), write("new.json", pyperf(1.1))]
    assert main(["compare", *files, "--benchmark", "a*"]) == 0
    assert "on a; session drift" in " ".join(capsys.readouterr().out.split())
    assert main(["compare", *files, "--benchmark", "z*"]) == 2
    assert "--benchmark z*: no benchmark has such a name" in capsys.readouterr().err


def test_what_only_one_file_has_is_named(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    old = write("old.json", pyperf(1, names=("a", "b", "gone")))
    new = write("new.json", pyperf(1, names=("a", "b", "born")))
    assert main(["compare", old, new, "-v"]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "only in old, so not in its mean against new: gone" in out
    assert "only in new, so not in its mean against old: born" in out
    assert "over 2 benchmarks" in out


def test_single_benchmarks_of_different_names_are_compared(
    write: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    def timed(command: str, time: float) -> dict[str, Any]:
        times = [time * (1 + i / 1000) for i in range(10)]
        return {"results": [{"command": command, "times": times}]}

    old, new = write("old.json", timed("./old", 0.1)), write("new.json", timed("./new", 0.2))
    assert main(["compare", old, new, "-v"]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert out.startswith("new is 2.00x slower than old")
    assert "under different names: ./old, ./new" in out


def test_units_that_differ_are_refused(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    old = write("old.json", pyperf(1))
    data = pyperf(1)
    data["metadata"]["unit"] = "byte"
    assert main(["compare", old, write("new.json", data)]) == 2
    error = capsys.readouterr().err
    assert "units cannot be compared: second in " in error
    assert "new.json" in error


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--margin", "lots"], "--margin"),
        (["--noise", "{old}"], "at least two runs"),
        (["--noise", "{old}", "{old}"], "a copy is no rerun"),
        (["--noise", "missing.json", "{old}"], "missing.json: cannot be read"),
        (["--json", "no/such/folder/x.json"], "its folder does not exist"),
    ],
)
def test_bad_arguments_give_one_line(
    write: Write, capsys: pytest.CaptureFixture[str], arguments: list[str], said: str
) -> None:
    old, new = write("old.json", pyperf(1)), write("new.json", pyperf(1.1))
    assert main(["compare", old, new, *(a.format(old=old) for a in arguments)]) == 2
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1


def test_names_cannot_steer_the_terminal(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    name = "\x1b]0;owned\x07<script>alert(1)</script>"
    old, new = (
        write("old.json", pyperf(1, names=(name,))),
        write("n.json", pyperf(1, names=(name,))),
    )
    assert main(["compare", old, new, "-v"]) == 0
    assert "\x1b]" not in capsys.readouterr().out


@given(data=st.data())
@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_any_sound_files_can_be_compared(tmp_path: Path, data: st.DataObject) -> None:
    """Values of any size, in any number of processes: a report or one error, never a crash."""
    times = st.one_of(st.floats(1e-18, 1e18), st.sampled_from([1.0, 1.0, 2.0]))
    processes = st.lists(st.lists(times, min_size=1, max_size=3), max_size=4)
    suites = st.dictionaries(st.sampled_from("abc"), processes, max_size=3)
    paths = []
    for name in ("base", "one", "two", "noise1", "noise2"):
        content = copy.deepcopy(examples.pyperf(benchmarks=data.draw(suites)))
        path = tmp_path / f"{name}.json"
        path.write_text(json.dumps(content))
        paths.append(str(path))
    noise = ["--noise", *paths[3:]] if data.draw(st.booleans()) else []
    out = tmp_path / "out.json"
    code = main(["compare", *paths[:3], *noise, "--json", str(out), "-v"])
    assert code in (0, 2)
    if code == 0:
        load_result(out)
