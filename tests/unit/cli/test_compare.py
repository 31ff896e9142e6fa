"""``whyfast compare`` from end to end."""

from __future__ import annotations

import copy
import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.unit.cli.compared_files import Write, pyperf
from tests.unit.formats import examples

from whyfast.cli.main import main
from whyfast.report.result_json import load_result


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
