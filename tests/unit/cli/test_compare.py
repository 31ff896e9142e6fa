"""Results of other tools: two, several, and claims about them."""

import copy
import json
import os
import random
import sys
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.unit.cli.compared_files import Write, pyperf, recorded_result
from tests.unit.formats import examples

from whyfast.cli.main import main
from whyfast.investigate import compare_run
from whyfast.report.result_json import load_result, to_json
from whyfast.store.home import own_home
from whyfast.store.samples import Run, SampleStore


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
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
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


def files(folder: Path, number: int) -> list[str]:
    source = random.Random(1)
    paths = []
    for name in ("a", "b"):
        rows = [
            f"b{b},{p},{1000 * source.gauss(1, 0.01):.3f}\n"
            for b in range(number)
            for p in range(2)
        ]
        path = folder / f"{name}{number}.csv"
        path.write_text("benchmark,process,mean_ns\n" + "".join(rows))
        paths.append(str(path))
    return paths


def steps(words: list[str]) -> int:
    """Lines of whyfast that are run, each turn of a loop counted: no clock has a say in it."""
    count = 0

    def line(frame: FrameType, event: str, argument: Any) -> Any:
        nonlocal count
        count += event == "line"
        return line

    def call(frame: FrameType, event: str, argument: Any) -> Any:
        return line if "whyfast" in frame.f_code.co_filename else None

    before = sys.gettrace()
    sys.settrace(call)
    try:
        assert main(words) == 0
    finally:
        sys.settrace(before)
    return count


def test_four_times_the_benchmarks_take_four_times_the_steps(tmp_path: Path) -> None:
    out = ["--json", str(tmp_path / "x.json"), "--html", str(tmp_path / "x.html")]
    few = steps(["compare", *files(tmp_path, 20), *out])  # what is done once is in both
    some = steps(["compare", *files(tmp_path, 40), *out])
    many = steps(["compare", *files(tmp_path, 80), *out])
    assert (many - some) / (some - few) < 2.4


def test_too_many_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(compare_run, "MOST_COMPARISONS", 9)
    assert main(["compare", *files(tmp_path, 10)]) == 2
    said = capsys.readouterr().err
    assert said == (
        "whyfast: 10 comparisons are more than 9; choose with --benchmark, or compare fewer files "
        "at once\n"
    )


SHARED = Path(
    os.environ.get("WHYFAST_SHARED", Path(__file__).resolve().parents[4] / "shared" / "data")
)


NELHAGE = SHARED / "nelhage" / "data"


needs_nelhage = pytest.mark.skipif(
    not NELHAGE.is_dir(), reason=f"{NELHAGE} is absent: the published table is not checked"
)


@needs_nelhage
@pytest.mark.parametrize(
    ("machine", "variant", "published"),
    [
        ("x86_64-intel", "clang19", 1.09),
        ("x86_64-intel", "clang19.taildup", 1 / 1.01),
        ("x86_64-intel", "clang19.tc", 1 / 1.03),
        ("x86_64-intel", "gcc", 1 / 1.02),
        ("x86_64-intel", "clang18.nocg", 1 / 1.01),
        ("x86_64-intel", "clang19.nocg", 1.02),
        ("aarch64-darwin", "clang19", 1.12),
        ("aarch64-darwin", "clang19.taildup", 1.02),
        ("aarch64-darwin", "clang19.tc", 1.00),
    ],
)
def test_the_nine_cells(tmp_path: Path, machine: str, variant: str, published: float) -> None:
    files = [str(NELHAGE / machine / f"{name}.json.gz") for name in ("clang18", variant)]
    out = tmp_path / "out.json"
    assert main(["compare", *files, "--json", str(out)]) == 0
    (suite,) = load_result(out).judged.suites
    assert suite.verdict.ratio == pytest.approx(published, abs=0.005)


@needs_nelhage
def test_one_benchmark_carries_half_of_taildup(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    folder = NELHAGE / "x86_64-intel"
    files = [str(folder / f"{name}.json.gz") for name in ("clang18", "clang19.taildup")]
    out = tmp_path / "out.json"
    assert main(["compare", *files, "--json", str(out), "-v"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "bench_mp_pool alone carries 47 %" in said
    (suite,) = load_result(out).judged.suites
    assert 1 / suite.influence["bench_mp_pool"] == pytest.approx(1.007, abs=0.0005)
    # The files name the compiler with each benchmark, and nothing names the commit.
    assert "different compiler: Clang 18.1.8 (clang18); Clang 19.1.7" in said
    assert "-mllvm -tail-dup-pred-size=5000 (clang19.taildup)" in said
    assert "the files name no commit" in said


@needs_nelhage
def test_a_variant_that_only_its_name_tells_apart(capsys: pytest.CaptureFixture[str]) -> None:
    folder = NELHAGE / "x86_64-intel"
    main(["compare", *(str(folder / f"clang18{end}.json.gz") for end in ("", ".nocg")), "-v"])
    said = " ".join(capsys.readouterr().out.split())
    assert "nothing in the metadata distinguishes clang18.nocg from clang18" in said
    assert "bench_mp_pool alone carries 52 %" in said


@pytest.mark.skipif(
    not (SHARED / "bpf-tail-calls").is_dir(), reason=f"{SHARED / 'bpf-tail-calls'} is absent"
)
def test_columns_of_a_table_choose_the_runs(capsys: pytest.CaptureFixture[str]) -> None:
    table = SHARED / "bpf-tail-calls" / "tail_call_cost_by_kernel.csv"
    assert main(["compare", f"{table}:kernel=v5.9", f"{table}:kernel=v5.10", "-v"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert said.startswith("kernel=v5.10 is 2.19x slower than kernel=v5.9 [2.12, 2.25]")
    assert "the file does not say which values came from the same process" in said


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
