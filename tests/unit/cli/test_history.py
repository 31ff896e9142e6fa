"""The command as a user calls it, on published figures where they are there."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from whyfast.cli.main import main

COSTS = (
    Path(__file__).parents[4]
    / "shared"
    / "data"
    / "bpf-tail-calls"
    / "tail_call_cost_by_kernel.csv"
)


@pytest.fixture
def series(tmp_path: Path) -> Path:
    times = [2.0, 2.01, 1.99, 2.02, 2.0, 1.0, 1.01, 0.99, 1.0, 1.01]
    rows = "".join(f"r{i},{t}\n" for i, t in enumerate(times))
    path = tmp_path / "x.csv"
    path.write_text(f"release,seconds\n{rows}")
    return path


def test_the_files_that_it_writes(
    series: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = [f"--{kind}={tmp_path / kind}" for kind in ("json", "html", "markdown")]
    assert main(["history", str(series), "--by", "release", *out]) == 0
    data = json.loads((tmp_path / "json").read_text())
    assert data["schema"] == "whyfast-history/1"
    assert [(f["kind"], f["before"], f["at"]) for f in data["findings"]] == [("step", "r4", "r5")]
    assert (tmp_path / "markdown").read_text().startswith("**Step r4 → r5: 2.00x faster.**\n")
    page = (tmp_path / "html").read_text()
    assert "Step r4 → r5: 2.00x faster.</p>" in page
    assert "http" not in page.partition("<script>")[0].replace("http-equiv", "")


@pytest.mark.skipif(not COSTS.is_file(), reason="the published figures are not here")
def test_the_published_cost_of_bpf_tail_calls(capsys: pytest.CaptureFixture[str]) -> None:
    """The two steps that the author names, and the odd cell that he does not."""
    assert main(["history", str(COSTS), "--by", "kernel", "--json", "-"]) == 0
    data = json.loads(capsys.readouterr().out)
    said = [(f["kind"], f["before"], f["at"], f["where"]) for f in data["major"]]
    assert said == [
        ("step", "v5.4", "v5.5", {}),
        ("outlier", "v5.6", "v5.6", {"retpoline": "n"}),
        ("step", "v5.9", "v5.10", {}),
    ]
    # Of 68 series, 34 without retpolines, and 68.
    assert [len(f["ratios"]) for f in data["major"]] == [62, 31, 63]
