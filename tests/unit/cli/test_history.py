"""Series of results, of files and of the store."""

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
    data = json.loads((tmp_path / "json").read_text())["data"]
    assert [(f["kind"], f["before"], f["at"]) for f in data["findings"]] == [("step", "r4", "r5")]
    assert (tmp_path / "markdown").read_text().startswith("**Step r4 → r5: 2.00x faster.**\n")
    page = (tmp_path / "html").read_text()
    assert "Step r4 → r5: 2.00x faster.</h1>" in page
    assert "http" not in page.partition("<script>")[0].replace("http-equiv", "")


@pytest.mark.skipif(not COSTS.is_file(), reason="the published figures are not here")
def test_the_published_cost_of_bpf_tail_calls(capsys: pytest.CaptureFixture[str]) -> None:
    """The two steps that the author names, and the odd cell that he does not."""
    assert main(["history", str(COSTS), "--by", "kernel", "--json", "-"]) == 0
    data = json.loads(capsys.readouterr().out)["data"]
    said = [(f["kind"], f["before"], f["at"], f["where"]) for f in data["major"]]
    assert said == [
        ("step", "v5.4", "v5.5", {}),
        ("outlier", "v5.6", "v5.6", {"retpoline": "n"}),
        ("step", "v5.9", "v5.10", {}),
    ]
    # Of 68 series, 34 without retpolines, and 68.
    assert [len(f["ratios"]) for f in data["major"]] == [62, 31, 63]


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    monkeypatch.setenv("WHYFAST_HOME", str(tmp_path / "home"))
    made = []
    for day in range(1, 11):
        value = (1.0 if day < 6 else 2.0) * (1 + 0.003 * (day * 7 % 5))
        run = {"values": [value], "metadata": {"date": f"2026-01-{day:02d}T00:00:00"}}
        benchmark = {"metadata": {"name": "x", "unit": "second"}, "runs": [run]}
        metadata = {"commit_id": f"{day:02d}abcdef", "platform": f"Linux-{day // 6}"}
        path = tmp_path / f"day{day:02d}.json"
        path.write_text(
            json.dumps({"version": "1.0", "metadata": metadata, "benchmarks": [benchmark]})
        )
        made.append(str(path))
    return made


def test_imported_files_are_a_history(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["import", *files[4:], "--study", "mine"]) == 0
    assert main(["import", *files, "--study", "mine"]) == 0
    assert capsys.readouterr().out == (
        "stored 6 files as 6 results of mine\n"
        "stored 4 files as 4 results of mine; 6 already stored\n"
    )
    assert main(["history", "mine", "--fail-on", "slower"]) == 3
    said = capsys.readouterr().out
    assert said.startswith("Step day05 → day06: 2.00x slower, with another kernel.\n")
    assert "whyfast search mine --good 05abcdef --bad 06abcdef --benchmark x\n" in said
    assert main(["history", "mine", "--fail-on", "faster"]) == 0
    assert main(["report", "mine"]) == 0
    assert "1 benchmark, imported; `whyfast history` shows" in capsys.readouterr().out
