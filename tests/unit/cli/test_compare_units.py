"""``whyfast compare``: Go's files, rates, and quantities beside time."""

from __future__ import annotations

import pytest
from tests.unit.cli.compared_files import Write, go

from whyfast.cli.main import main


def test_samples_of_one_go_process_are_judged(
    write: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    old, new = (
        write("old.txt", go({"BenchmarkA-8": 100})),
        write("new.txt", go({"BenchmarkA-8": 120})),
    )
    assert main(["compare", old, new, "-v"]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert out.startswith("new is 1.20x slower than old [")
    assert "the samples of a benchmark (-count) in old, new come from one process" in out


def test_other_cpus_are_a_confound_in_the_headline(
    write: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    old, new = (
        write("old.txt", go({"BenchmarkA-8": 100})),
        write("new.txt", go({"BenchmarkA-16": 60})),
    )
    assert main(["compare", old, new, "-v"]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "session drift is not excluded, and the runs differ in GOMAXPROCS." in out
    assert "warning: not the same GOMAXPROCS: 8 (old); 16 (new)" in out


def test_a_file_of_several_cpus_goes_with_one_of_one(
    write: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    old = write("old.txt", go({"BenchmarkA-8": 100}))
    new = write("new.txt", go({"BenchmarkA-8": 60, "BenchmarkA-16": 30}))
    assert main(["compare", old, new]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert out.startswith("new is 1.67x faster than old [")
    assert "on A-8; session drift" in out


@pytest.mark.parametrize(
    ("unit", "arguments", "said"),
    [
        ("ops/s", [], "new is 1.20x faster than old ["),
        ("score", ["--higher", "score"], "new is 1.20x faster than old ["),
        ("score", [], "No benchmark has a time. Of 1 quantity, new is worse in 1, against old."),
    ],
)
def test_higher_can_be_better(
    write: Write,
    capsys: pytest.CaptureFixture[str],
    unit: str,
    arguments: list[str],
    said: str,
) -> None:
    old = write("old.txt", go({"BenchmarkA": 100}, unit))
    new = write("new.txt", go({"BenchmarkA": 120}, unit))
    assert main(["compare", old, new, *arguments]) == 0
    assert " ".join(capsys.readouterr().out.split()).startswith(said)


def test_a_wrong_higher_is_refused(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    old, new = write("old.txt", go({"BenchmarkA": 100})), write("new.txt", go({"BenchmarkA": 101}))
    assert main(["compare", old, new, "--higher", "score"]) == 2
    assert "--higher score: no unit and no benchmark has such a name" in capsys.readouterr().err


def test_quantities_beside_time_are_judged_as_they_are(
    write: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    """Bytes that never vary are exact; a zero against something has no ratio."""
    line = "BenchmarkA 1 {} ns/op {} B/op {} allocs/op 5 zeros\n"
    old = write("old.txt", "".join(line.format(100 + i, 64, 0) for i in range(6)))
    new = write(
        "new.txt", "".join(line.format(100 + i, 48, 1) for i in range(6)).replace("5 z", "5 z")
    )
    assert main(["compare", old, new, "-v"]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "A B/op new 48 1.33x less" in out
    assert "without a ratio: A allocs/op is 0 in old" in out


def test_a_file_without_speed_is_told(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    both = {"BenchmarkA": 9.0, "BenchmarkB": 9.0}
    old, new = write("old.txt", go(both)), write("new.txt", go(both, "B/op"))
    assert main(["compare", old, new]) == 2
    assert "new.txt: has no benchmark with a time or a rate" in capsys.readouterr().err


def test_a_rate_of_zero_has_no_ratio(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    old = write("old.txt", go({"BenchmarkA": 100, "BenchmarkB": 0}, "ops/s"))
    new = write("new.txt", go({"BenchmarkA": 120, "BenchmarkB": 7}, "ops/s"))
    more = write("more.txt", go({"BenchmarkA": 101, "BenchmarkB": 0}, "ops/s"))
    assert main(["compare", old, new, "--noise", old, more, "-v"]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "on 'A ops/s'" in out
    assert "without a ratio: B ops/s is 0 in old" in out
