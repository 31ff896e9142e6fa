"""Results of hyperfine, Google Benchmark, Criterion, Go, pytest-benchmark, and CSV."""

import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from tests.golden_files import Hear, refusal
from tests.unit.formats import examples

from whyfast.formats import rust_bench
from whyfast.formats.load import load_recording
from whyfast.formats.rust_bench import leaves
from whyfast.model.errors import UserError
from whyfast.model.sample import Recording

Read = Callable[[object], Recording]


def processes(recording: Recording, name: str) -> list[object]:
    """The values of a benchmark, each to be compared with some tolerance."""
    return list(recording.series[name].processes)


Refusal = Callable[[object], str]


def test_hyperfine_times_are_processes(read: Read, golden: Hear) -> None:
    recording = read(examples.hyperfine())
    assert recording.series["sleep 0.1"].processes == ((0.101,), (0.102,), (0.103,))
    golden(*recording.left_out)


def test_hyperfine_refuses_a_command_twice(refusal: Refusal) -> None:
    data = examples.hyperfine()
    data["results"].append(data["results"][0])
    assert "results[2]: duplicate command: sleep 0.1" in refusal(data)


def test_hyperfine_refuses_a_file_without_commands(refusal: Refusal) -> None:
    assert "results: no command" in refusal(examples.hyperfine() | {"results": []})


def test_google_repetitions_are_values_of_one_process(read: Read, golden: Hear) -> None:
    recording = read(examples.google_benchmark())
    assert recording.tool == "google-benchmark"
    assert processes(recording, "BM_sort") == [pytest.approx((12e-6, 14e-6))]
    assert recording.metadata == {"hostname": "lab", "cpu_count": 8.0}
    golden(*recording.left_out)


def test_google_keeps_a_benchmark_that_has_aggregates_only(read: Read) -> None:
    data = examples.google_benchmark()
    del data["benchmarks"][:2]
    recording = read(data)
    assert processes(recording, "BM_sort") == [pytest.approx((13e-6,))]
    assert processes(recording, "BM_copy") == [pytest.approx((3e-6,))]
    del data["benchmarks"][1:]
    assert processes(read(data), "BM_sort") == [pytest.approx((13e-6,))]


def test_google_leaves_out_what_was_skipped(read: Read, golden: Hear) -> None:
    data = examples.google_benchmark()
    data["benchmarks"][3] |= {"skipped": True, "skip_message": "no AVX", "real_time": 0.0}
    recording = read(data)
    assert list(recording.series) == ["BM_sort"]
    golden(*recording.left_out)


def test_google_refuses_an_unknown_unit_and_a_repetition_twice(refusal: Refusal) -> None:
    data = examples.google_benchmark()
    data["benchmarks"][1]["repetition_index"] = 0
    assert "duplicate repetition" in refusal(data)
    data["benchmarks"][0]["time_unit"] = "fortnight"
    assert "benchmarks[0].time_unit: unknown unit: fortnight" in refusal(data)


def criterion_folder(top: Path, name: str, files: Mapping[str, object]) -> None:
    folder = top / name / "new"
    folder.mkdir(parents=True)
    for file, data in files.items():
        (folder / file).write_text(json.dumps(data))


def test_criterion_divides_times_by_iterations(tmp_path: Path) -> None:
    files = {"sample.json": examples.SAMPLE, "benchmark.json": {"full_id": "fib/20"}}
    criterion_folder(tmp_path / "criterion", "fib/20", files)
    recording = load_recording(str(tmp_path))
    assert recording.tool == "criterion"
    assert processes(recording, "fib/20") == [pytest.approx((100e-9, 120e-9))]


def test_criterion_estimates_stand_in(tmp_path: Path) -> None:
    estimates = {"mean": {"point_estimate": 250.0}}
    criterion_folder(tmp_path, "copy", {"estimates.json": estimates})
    assert processes(load_recording(str(tmp_path)), "copy") == [pytest.approx((250e-9,))]


@pytest.mark.parametrize("given", ["copy", "copy/new"])
def test_criterion_names_a_benchmark_whose_own_folder_is_given(tmp_path: Path, given: str) -> None:
    criterion_folder(tmp_path, "copy", {"sample.json": examples.SAMPLE})
    assert list(load_recording(str(tmp_path / given)).series) == ["copy"]


def test_criterion_samples_must_match(tmp_path: Path) -> None:
    criterion_folder(tmp_path, "fib", {"sample.json": examples.SAMPLE | {"iters": [1.0]}})
    with pytest.raises(UserError, match="2 times for 1 iters"):
        load_recording(str(tmp_path))


def test_an_empty_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="is a folder without results of Criterion"):
        load_recording(str(tmp_path))


def test_go_counts_appended_outputs_as_processes(read: Read) -> None:
    recording = read(examples.GO)
    assert processes(recording, "Sort") == [pytest.approx((11e-6, 12e-6)), pytest.approx((13e-6,))]
    assert processes(recording, "Copy/n=4") == [pytest.approx((0.25e-9,))]
    assert recording.metadata["gomaxprocs"] == "8"
    assert recording.metadata["cpu_model_name"] == "Some CPU @ 2.00GHz"


@pytest.mark.parametrize("bad", ["0", "-3", "NaN", "1e999", "x"])
def test_go_names_the_line_of_a_bad_time(refusal: Refusal, bad: str) -> None:
    assert "result:6" in refusal(examples.GO.replace("12000", bad))


def test_go_names_packages_when_there_are_several(read: Read) -> None:
    text = examples.GO + "pkg: example.org/other\nBenchmarkSort-8 1 5 ns/op\n"
    assert "example.org/other.Sort" in read(text).series
    text = "BenchmarkSort-8 1 5 ns/op\nPASS\npkg: example.org/a\nBenchmarkSort-8 1 5 ns/op\n"
    assert list(read(text).series) == ["Sort", "example.org/a.Sort"]


def test_go_counts_of_one_process_stand_for_processes(read: Read) -> None:
    text = "BenchmarkSort-8 1 50 ns/op\nBenchmarkSort-8 1 51 ns/op\n"
    series = read(text).series["Sort"]
    assert [p[0] for p in series.processes] == pytest.approx([50e-9, 51e-9])
    assert series.sampled
    assert not read(text + "PASS\n" + text).series["Sort"].sampled


def test_go_reads_every_unit(read: Read) -> None:
    text = (
        "Unit score better=higher\nUnit text-bytes assume=exact\n"
        "BenchmarkA-8 1 5 ns/op 7.5 MB/s 16 B/op 0 allocs/op\n"
        "BenchmarkB-8 1 200 ops/s 3 score 90 text-bytes 1000000 build-ns/op\n"
    )
    series = read(text).series
    assert list(series) == [
        *("A", "A B/op", "A allocs/op"),  # MB/s says again what the time says
        *("B ops/s", "B score", "B text-bytes", "B build-ns/op"),
    ]
    assert series["A allocs/op"].processes == ((0.0,),)
    assert series["A"].unit == "second"
    assert series["B build-ns/op"].unit == "build-ns/op"  # no speed of the program
    assert [n for n, s in series.items() if s.higher] == ["B ops/s", "B score"]
    assert [n for n, s in series.items() if s.exact] == ["B text-bytes"]


def test_go_wants_a_unit(refusal: Refusal) -> None:
    assert "result:1: 1 has no unit: 100 follows it" in refusal("BenchmarkA 10 1 100 ns/op\n")


def test_go_chooses_what_follows_a_line(tmp_path: Path, golden: Hear) -> None:
    path = tmp_path / "both.txt"
    path.write_text("note: before\nBenchmarkA 1 5 ns/op\nnote: after\nBenchmarkA 1 6 ns/op\n")
    after = load_recording(f"{path}:note=after")
    assert after.series["A"].processes[0] == pytest.approx((6e-9,))
    assert after.name == "note=after"
    both = load_recording(str(path))
    golden(*both.left_out)
    with pytest.raises(UserError, match="no benchmark after such a line"):
        load_recording(f"{path}:note=never")


def test_go_knows_whose_side_of_a_series_a_file_is(read: Read) -> None:
    head = "numerator_hash: aaa\ndenominator_hash: bbb\nbuilder_id: host1\n"
    line = "BenchmarkA 1 5 ns/op\n"
    assert read(f"toolchain: Tip\n{head}{line}").metadata["commit_id"] == "aaa"
    base = read(f"toolchain: Base\n{head}runstamp: 20220105T213212\n{line}")
    assert base.metadata["commit_id"] == "bbb"
    assert base.metadata["hostname"] == "host1"
    assert base.started == 1641418332.0


def test_csv_groups_by_process(read: Read) -> None:
    recording = read(examples.CSV)
    assert processes(recording, "sort size=10") == [
        pytest.approx((100e-9, 110e-9)),
        pytest.approx((105e-9,)),
    ]
    assert recording.series["sort size=10"].process_known


def test_csv_without_processes_is_one_process(read: Read) -> None:
    series = read("benchmark,seconds\na,1\na,2\n").series["a"]
    assert series.processes == ((1.0, 2.0),)
    assert not series.process_known


def test_pytest_rounds_are_values_of_one_process(read: Read) -> None:
    recording = read(examples.pytest_benchmark())
    assert recording.series["test_it.py::test_sort"].processes == ((2e-5, 3e-5),)
    assert recording.series["test_it.py::test_scan"].processes == ((1e-3,),)  # the mean alone
    assert recording.metadata == {
        "hostname": "lab",
        "platform": "6.1.0",
        "python_version": "3.14.0",
        "python_implementation": "CPython",
        "cpu_model_name": "Some CPU",
        "cpu_count": 8.0,
        "commit_id": "abc123",
    }
    assert recording.started == recording.ended == 1795382976.242281


def test_pytest_refuses_a_test_twice_and_one_without_times(refusal: Refusal) -> None:
    data = examples.pytest_benchmark()
    data["benchmarks"].append(data["benchmarks"][0])
    assert "benchmarks[2]: duplicate benchmark: test_it.py::test_sort" in refusal(data)
    del data["benchmarks"][2], data["benchmarks"][1]["stats"]["mean"]
    assert "benchmarks[1].stats: mean is missing" in refusal(data)


@pytest.mark.parametrize(
    "text",
    [
        "\ufeffBenchmark;Process;mean_ms\r\nsort;1;10,5\r\nsort;2;1e1\r\n",
        "benchmark\tprocess\tTime (ms)\nsort\t1\t10,5\nsort\t2\t10\n",
        "benchmark,process,time [ms]\nsort,1,10.5\nsort,2,10\n",
        "benchmark,process,time [µs]\nsort,1,10500\nsort,2,10000\n",
    ],
)
def test_csv_as_spreadsheets_write_it(read: Read, text: str) -> None:
    recording = read(text)
    assert list(recording.series) == ["sort"]
    assert processes(recording, "sort") == [pytest.approx((0.0105,)), pytest.approx((0.01,))]


def test_csv_rows_can_be_chosen(tmp_path: Path) -> None:
    path = tmp_path / "costs.csv"
    path.write_text("kernel,length,mean_ns\nv5.4,1,20\nv5.5,1,25\nv5.5,2,30\n")
    recording = load_recording(f"{path}:kernel=v5.5")
    assert recording.name == "kernel=v5.5"
    assert list(recording.series) == ["length=1", "length=2"]


@pytest.mark.parametrize(
    ("choice", "message"),
    [
        ("kernal=v5.5", "unknown column: kernal"),
        ("kernel=v9", "no row has these values"),
        ("kernel=v9,kernel=v5.4", "duplicate column"),
    ],
)
def test_csv_choices_that_find_nothing(tmp_path: Path, choice: str, message: str) -> None:
    path = tmp_path / "costs.csv"
    path.write_text("kernel,mean_ns\nv5.4,20\n")
    with pytest.raises(UserError, match=message):
        load_recording(f"{path}:{choice}")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("command,mean,stddev,median,user\na,1,1,1,1\n", "--export-json"),
        ("name,cost\na,1\n", "result:1: no column of times; expected seconds"),
        ("Benchmark;Dauer\na;1,5\n", "available: benchmark, Dauer"),
        ("benchmark;mean_ms\na;1.234,5\n", "result:2: not a time: 1.234.5"),
        ("real\t0m1.0s\nuser\t0m1.0s\n", "benchmark,process,seconds and one line per value"),
        ("sort, 12 runs: it took long\n", "unknown format"),
        ("benchmark,seconds\na,0\n", "result:2: expected a time above 0"),
        ("\n\r\nbenchmark,seconds\na,0\n", "result:4: expected a time above 0"),
        ("benchmark,seconds\na,1\nb,nan\n", "result:3: expected a time above 0"),
        ("benchmark,seconds\na,fast\n", "result:2: not a time: fast"),
        ("benchmark,seconds\na,1,2\n", "result:2: 3 cells for 2 columns"),
        (
            "benchmark,seconds,mean_ns\na,1,2\n",
            "result:1: several columns of times: seconds, mean_ns",
        ),
        ("benchmark,benchmark,seconds\na,b,1\n", "same name"),
        ("benchmark,seconds\n", "no row below the heading"),
        ('benchmark,seconds\n"a,1\n', "invalid CSV"),
    ],
)
def test_csv_without_times_or_with_nonsense_says_where(
    refusal: Refusal, text: str, message: str
) -> None:
    assert message in refusal(text)


def benchmark(top: Path, name: str, text: str = json.dumps(examples.SAMPLE)) -> Path:
    criterion_folder(top, name, {})
    sample = top / name / "new" / "sample.json"
    sample.write_text(text)
    return sample


def test_links_are_not_followed(tmp_path: Path) -> None:
    """In a circle, out of the folder, and into devices."""
    benchmark(tmp_path, "fib")
    (tmp_path / "self").symlink_to(".")
    (tmp_path / "fib" / "up").symlink_to("../..")
    (tmp_path / "devices").mkdir()
    (tmp_path / "devices" / "new").symlink_to("/dev")
    assert list(load_recording(str(tmp_path)).series) == ["fib"]


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        ("gigabyte", "holds more than 4 MB of text"),
        ("pipe", "is not a file"),
        ("device", "is not a file"),
    ],
)
def test_a_file_that_is_too_large_or_endless(tmp_path: Path, kind: str, message: str) -> None:
    file = benchmark(tmp_path, "fib")
    if kind == "gigabyte":
        os.truncate(file, 1_000_000_000)
    else:
        file.unlink()
        os.mkfifo(file) if kind == "pipe" else file.symlink_to("/dev/zero")
    assert refusal(UserError, lambda: load_recording(str(tmp_path))).startswith(
        f"{file}: {message}"
    )


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"iters": [0], "times": [1]}', '{"iters": [1], "times": [1e999]}']
)
def test_a_damaged_one_is_named(tmp_path: Path, text: str) -> None:
    benchmark(tmp_path, "fib")
    file = benchmark(tmp_path, "sort", text)
    assert refusal(UserError, lambda: load_recording(str(tmp_path))).startswith(str(file))


def test_too_many_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, golden: Hear) -> None:
    monkeypatch.setattr(rust_bench, "_MOST_FOLDERS", 5)
    for name in "abc":
        benchmark(tmp_path, name)
    golden(refusal(UserError, lambda: load_recording(str(tmp_path))))


DIVAN = """\
Timer precision: 20 ns
parse            fastest       │ slowest       │ median        │ mean          │ samples │ iters
├─ small                       │               │               │               │         │
│  ├─ a b        139.4 ns      │ 8.073 ms      │ 269.4 ns      │ 383.4 ns      │ 121843  │ 121843
│  ╰─ 2          1.2 µs        │ 3 s           │ 1,500 µs      │ 2 ms          │ 17      │ 17
╰─ whole         55.51 µs      │ 8.198 ms      │ 63.33 µs      │ 126.6 µs      │ 829     │ 829
                 1.2 GB/s      │ 8 MB/s        │ 1.1 GB/s      │ 0.5 GB/s      │         │
"""


def test_divans_tree_has_the_median_of_each_leaf(tmp_path: Path) -> None:
    file = tmp_path / "divan.txt"
    file.write_text(DIVAN)
    recording = load_recording(str(file))
    assert recording.tool == "divan"
    assert [*recording.series] == ["parse::small::a b", "parse::small::2", "parse::whole"]
    assert processes(recording, "parse::small::a b") == [pytest.approx((269.4e-9,))]
    assert processes(recording, "parse::small::2") == [pytest.approx((1.5e-3,))]


def test_the_leaves_of_divans_tree_without_times_are_its_benchmarks() -> None:
    tree = "parse\n├─ small\n│  ├─ a b\n│  ╰─ 2\n╰─ whole\n"
    assert leaves(tree) == ["parse::small::a b", "parse::small::2", "parse::whole"]
