"""``whyfast compare`` from end to end."""

from __future__ import annotations

import copy
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.unit.formats import examples

from whyfast.cli.main import main
from whyfast.model.question import Commands
from whyfast.model.result import Judged, Recorded, Result
from whyfast.model.sample import Block, Session
from whyfast.model.variant import Benchmark, Variant
from whyfast.report.result_json import load_result, to_json
from whyfast.store.private import own_home
from whyfast.store.samples import Run, SampleStore

Write = Callable[[str, object], str]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Writes a file and returns its path."""

    def to_file(name: str, content: object) -> str:
        path = tmp_path / name
        path.write_text(content if isinstance(content, str) else json.dumps(content))
        return str(path)

    return to_file


def pyperf(scale: float, *, names: tuple[str, ...] = ("a", "b"), shift: int = 0) -> dict[str, Any]:
    """20 processes of 2 values around ``scale`` seconds, with a spread of about 0.5 %."""
    wobble = [((i * 7 + shift) % 20 - 10) / 2000 for i in range(20)]
    processes = [[scale * (1 + w), scale * (1 + w) * 1.001] for w in wobble]
    return examples.pyperf(benchmarks=dict.fromkeys(names, processes))


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
    assert out.startswith("new measured 1.10x slower than old, which is undecided [")
    assert "3 reruns of one build" in out


def test_a_ratio_of_one_is_no_than(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    few = {"results": [{"command": "p", "times": [1.0, 1.1, 1.2]}]}
    assert main(["compare", write("old.json", few), write("new.json", few)]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert out.startswith("new measured 1.00x the time of old, which is undecided [")


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


def go(times: dict[str, float], unit: str = "ns/op", more: str = "") -> str:
    """Ten samples of each benchmark, 0.2 % apart."""
    return more + "".join(
        f"{name} 100 {time * (1 + i / 500)} {unit}\n"
        for name, time in times.items()
        for i in range(10)
    )


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
    assert "The median benchmark of head is 1.020x slower, unlike the geometric mean." in out


def hyperfine(commands: dict[str, float]) -> dict[str, Any]:
    return {
        "results": [
            {"command": c, "times": [t * (1 + i / 1000) for i in range(10)]}
            for c, t in commands.items()
        ]
    }


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


def forked(times: dict[str, float], branch: str) -> dict[str, Any]:
    data = pyperf(1, names=tuple(times))
    for benchmark in data["benchmarks"]:
        time = times[benchmark["metadata"]["name"]]
        for run in benchmark["runs"]:
            run["values"] = [v * time for v in run.get("values", [])]
    data["metadata"]["commit_branch"] = branch
    return data


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


def recorded_result(slower: str = "", by: float = 1.0) -> Result:
    """Commands base and fast with twelve blocks, nothing judged."""
    commands = {"base": 1.0, "fast": 0.5}
    blocks = tuple(
        Block(
            benchmark="whole run",
            index=i,
            seed=i,
            session="s",
            cpu=0,
            loops=2,
            warmups=0,
            start_order=("base", "fast"),
            order=(("base", "fast"),),
            values={
                n: (2 * t * (by if n == slower else 1.0) * (1 + i / 1000),)
                for n, t in commands.items()
            },
            started=float(i),
            seconds=1.0,
        )
        for i in range(12)
    )
    return Result(
        question=Commands(
            baselines=("base",),
            margin=0.01,
            variants=tuple(Variant(n) for n in commands),
            benchmarks=(Benchmark("whole run", "command", ()),),
            budget=1.0,
        ),
        recorded=Recorded(run="r", started=0.0, sessions=(Session("s", 0.0, {}),), blocks=blocks),
        judged=Judged(about="commands"),
    )


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
        ("x86_64-intel", "clang19", "1.09x slower"),
        ("x86_64-intel", "clang19.taildup", "1.01x faster"),
        ("x86_64-intel", "clang19.tc", "1.03x faster"),
        ("x86_64-intel", "gcc", "1.02x faster"),
        ("x86_64-intel", "clang18.nocg", "1.01x faster"),
        ("x86_64-intel", "clang19.nocg", "1.02x slower"),
        ("aarch64-darwin", "clang19", "1.12x slower"),
        ("aarch64-darwin", "clang19.taildup", "1.02x slower"),
        ("aarch64-darwin", "clang19.tc", "1.00x slower"),
    ],
)
def test_the_nine_published_cells(
    capsys: pytest.CaptureFixture[str], machine: str, variant: str, published: str
) -> None:
    folder = NELHAGE / machine
    assert (
        main(["compare", str(folder / "clang18.json.gz"), str(folder / f"{variant}.json.gz")]) == 0
    )
    headline = " ".join(capsys.readouterr().out.split()).partition(" over 84 benchmarks;")[0]
    assert published in headline


@needs_nelhage
def test_one_benchmark_carries_half_of_taildup(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    folder = NELHAGE / "x86_64-intel"
    files = [str(folder / f"{name}.json.gz") for name in ("clang18", "clang19.taildup")]
    out = tmp_path / "out.json"
    assert main(["compare", *files, "--json", str(out), "-v"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "bench_mp_pool alone carries 47 % of clang19.taildup's 1.01x faster" in said
    assert "without it the geometric mean is 1.007x faster" in said
    (suite,) = load_result(out).judged.suites
    assert 1 / suite.influence["bench_mp_pool"] == pytest.approx(1.007, abs=0.0005)
    # The files name the compiler with each benchmark, and nothing names the commit.
    assert "not the same compiler: Clang 18.1.8 (clang18); Clang 19.1.7" in said
    assert "-mllvm -tail-dup-pred-size=5000 (clang19.taildup)" in said
    assert "the files name no commit" in said


@needs_nelhage
def test_a_variant_that_only_its_name_tells_apart(capsys: pytest.CaptureFixture[str]) -> None:
    folder = NELHAGE / "x86_64-intel"
    main(["compare", *(str(folder / f"clang18{end}.json.gz") for end in ("", ".nocg")), "-v"])
    said = " ".join(capsys.readouterr().out.split())
    assert "nothing in the metadata tells clang18.nocg from clang18 but the file's name" in said
    assert "bench_mp_pool alone carries 52 % of clang18.nocg's 1.01x faster" in said


@pytest.mark.skipif(
    not (SHARED / "bpf-tail-calls").is_dir(), reason=f"{SHARED / 'bpf-tail-calls'} is absent"
)
def test_columns_of_a_table_choose_the_runs(capsys: pytest.CaptureFixture[str]) -> None:
    table = SHARED / "bpf-tail-calls" / "tail_call_cost_by_kernel.csv"
    assert main(["compare", f"{table}:kernel=v5.9", f"{table}:kernel=v5.10", "-v"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert said.startswith("kernel=v5.10 is 2.19x slower than kernel=v5.9 [2.12, 2.25]")
    assert "the file does not say which values came from the same process" in said
