"""What hands that know hyperfine type."""

from __future__ import annotations

import pytest

from whyfast.cli.main import main


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--export-json", "x.json"], "--export-json is called --json here"),
        (["--export-markdown", "x.md"], "--markdown x.md"),
        (["--export-csv", "x.csv"], "--csv x.csv"),
        (["-m", "20"], "so many of each are --runs 20"),
        (["--max-runs", "9"], "so many of each are --runs 9"),
        (["--reference", "true"], "--baseline true"),
        (["-u", "second"], "--time-unit is not needed"),
        (["-N", "-S", "sh"], "-N wants no shell, and --shell one"),
        (["-r", "0"], "--runs 0: must be 1 or more"),
    ],
)
def test_other_words_are_answered_with_ours(
    options: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["ab", "true", "true", *options]) == 2
    assert said in capsys.readouterr().err


def test_short_options_and_a_number_of_runs(
    monkeypatch: pytest.MonkeyPatch, tmp_path: object, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("WHYFAST_HOME", str(tmp_path))
    # A command that fails counts with -i, and three runs of each are too few for any verdict.
    assert main(["ab", "-N", "-i", "-w", "1", "-r", "3", "-v", "false", "true"]) == 0
    out = capsys.readouterr().out
    assert "3 blocks are too few for a verdict" in out
    assert "Time of a run" in out
