"""``whyfast compare``: several files, commands of one file, own results, claims."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from tests.unit.cli.compared_files import Write, forked, hyperfine, pyperf, recorded_result

from whyfast.cli.main import main
from whyfast.report.result_json import to_json
from whyfast.store.private import own_home
from whyfast.store.samples import Run, SampleStore


def test_each_head_has_its_own_set_and_the_shared_one(
    write: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    base = write("base.json", pyperf(1, names=("a", "b", "c", "d")))
    one = write("one.json", pyperf(1.5, names=("a", "b", "c")))
    two = write("two.json", pyperf(2, names=("b", "c", "d", "e")))
    assert main(["compare", base, one, two, "-v"]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "one is 1.50x slower [" in out
    assert out.count("over 3 benchmarks") == 2
    assert "Over the 2 benchmarks that all have: one 1.50x slower, two 2.00x slower." in out


def test_the_median_stands_beside_the_mean(
    write: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    names = tuple("abcde")
    base, head = pyperf(1, names=names), pyperf(1.02, names=names)
    for benchmark in head["benchmarks"]:
        if benchmark["metadata"]["name"] == "e":
            for run in benchmark["runs"]:
                run["values"] = [v / 3 for v in run.get("values", [])]
    assert main(["compare", write("base.json", base), write("head.json", head)]) == 0
    out = " ".join(capsys.readouterr().out.split())
    said = re.search(r"The median benchmark of head is (\S+) slower \[.*?\], unlike the geo", out)
    assert said is not None
    assert said[1] == "1.02x"


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


def test_commands_of_one_file_are_compared(
    write: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write("one.json", hyperfine({"./old x": 1.0, "./new x": 1.5, "./newer x": 0.5}))
    assert main(["compare", path, "-v"]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert out.startswith("Against './old x', on command: './new x' is 1.50x slower [")
    assert "'./newer x' is 2.00x faster [" in out


def test_one_run_alone_is_refused(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", write("one.json", pyperf(1))]) == 2
    assert "is one run; name another file to compare it with" in capsys.readouterr().err


def test_commands_in_other_words_go_by_position(
    write: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    old = write("old.json", hyperfine({"./a@1 x": 1.0, "./a@1 y": 2.0}))
    new = write("new.json", hyperfine({"./a@2 x": 1.2, "./a@2 y": 2.4}))
    assert main(["compare", old, new]) == 2
    assert "--by position takes the first with the first" in capsys.readouterr().err
    assert main(["compare", old, new, "--by", "position"]) == 0
    assert " ".join(capsys.readouterr().out.split()).startswith("new is 1.20x slower than old [")
    three = write("three.json", hyperfine({"a": 1.0, "b": 1.0, "c": 1.0}))
    assert main(["compare", old, three, "--by", "position"]) == 2
    assert "has 3 benchmarks and" in capsys.readouterr().err


def test_own_results_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Two files by benchmark and variant, one of their variants against another, and one alone."""
    monkeypatch.setenv("WHYFAST_HOME", str(tmp_path / "home"))
    old, new = tmp_path / "old.json", tmp_path / "new.json"
    old.write_text(json.dumps(to_json(recorded_result())))
    new.write_text(json.dumps(to_json(recorded_result(slower="fast", by=1.5))))
    assert main(["compare", str(old), str(new), "-v"]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "Of 2 benchmarks, new is slower on 1 and undecided on 1; most of all fast 1.50x" in out
    assert main(["compare", f"{old}:variant=base", f"{new}:variant=fast"]) == 0
    assert "whole" in capsys.readouterr().out
    assert main(["compare", str(old)]) == 0
    assert "There is no verdict" in capsys.readouterr().out
    assert main(["compare", "nothing-kept", str(new)]) == 2
    assert "nothing-kept: cannot be read" in capsys.readouterr().err
    store = SampleStore(own_home().database)
    store.begin(Run("r", "k", "ab", 1.0, 2.0))
    store.set_result("r", to_json(recorded_result()))
    store.close()
    assert main(["compare", "ab", str(new), "-v"]) == 0
    assert "fast 1.50x slower" in " ".join(capsys.readouterr().out.split())


def test_what_stands_apart_in_a_fork_is_the_forks(
    write: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    """Both files of one fork are 2.5x faster on one benchmark, with and without the change."""
    base = write("main.json", forked({"a": 1, "b": 1, "c": 1}, "main"))
    change = write("change.json", forked({"a": 1, "b": 0.9, "c": 1}, "change"))
    fork = write("fork.json", forked({"a": 0.4, "b": 1, "c": 1}, "fork"))
    both = write("fork-change.json", forked({"a": 0.4, "b": 0.9, "c": 1}, "fork"))
    assert main(["compare", base, change, fork, both, "-v"]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert (
        "fork, fork-change are 2.50x to 2.50x faster on a, and no other file is: this goes with "
        "what these alone share (branch fork), not with what differs between them"
    ) in out


def test_a_claim_is_audited_on_files(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    slow, new = write("slow.json", pyperf(1.2)), write("new.json", pyperf(1.0, shift=3))
    fair = write("fair.json", pyperf(1.0))
    assert main(["compare", slow, new, fair, "--claim", "new:slow", "--margin", "5%"]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert out.startswith(
        "new is 1.20x faster than slow, but the same as fair within 5 %: the gain is a slow "
        "baseline."
    )
    assert main(["compare", slow, new, fair, "--claim", f"{new}:{slow}"]) == 0
    assert main(["compare", slow, new, "--claim", "new:gone"]) == 2
    assert "--claim new:gone: A:B is wanted, of two of the compared runs: slow, new" in (
        capsys.readouterr().err
    )
