"""``whyfast compare``: several files, commands of one file, own results, claims."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.unit.cli.compared_files import Write, pyperf, recorded_result

from whyfast.cli.main import main
from whyfast.report.result_json import to_json
from whyfast.store.home import own_home
from whyfast.store.samples import Run, SampleStore


def test_a_kept_result_is_compared_by_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("WHYFAST_HOME", str(tmp_path / "home"))
    new = tmp_path / "new.json"
    new.write_text(json.dumps(to_json(recorded_result(slower="fast", by=1.5))))
    store = SampleStore(own_home().database)
    store.begin(Run("r", "k", "ab", 1.0, 2.0))
    store.set_result("r", to_json(recorded_result()))
    store.close()
    assert main(["compare", "ab", str(new), "-v"]) == 0
    assert "fast 1.50x slower" in " ".join(capsys.readouterr().out.split())


def test_a_median_whose_interval_meets_that_of_the_mean_is_not_unlike_it(
    write: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    names = tuple("abcde")
    base, head = pyperf(1, names=names), pyperf(1.0005, names=names)
    for run in head["benchmarks"][-1]["runs"]:
        run["values"] = [v * 0.995 for v in run.get("values", [])]
    assert main(["compare", write("base.json", base), write("head.json", head), "-v"]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "The median benchmark of head is 1.00x [" in out
    assert "unlike" not in out
