"""Results of JMH, BenchmarkDotNet, mitata and tinybench, and github-action-benchmark's history."""

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.golden_files import Hear
from tests.unit.formats import examples

from whyfast.formats.load import load_recording
from whyfast.formats.timeline import Wanted, load_timeline
from whyfast.model.errors import UserError
from whyfast.model.sample import SECOND, Recording

Read = Callable[[object], Recording]
Refusal = Callable[[object], str]


def processes(recording: Recording, name: str) -> list[object]:
    """The values of a benchmark, each to be compared with some tolerance."""
    return list(recording.series[name].processes)


def test_forks_of_jmh_are_processes(read: Read) -> None:
    recording = read(examples.jmh())
    assert list(recording.series) == [
        "demo.Sums.box size=10",
        "demo.Sums.box size=10 gc.alloc.rate.norm",
        "demo.Sums.box size=10 thrpt",
        "demo.Sums.add",
    ]
    box = "demo.Sums.box size=10"
    assert processes(recording, box) == [
        pytest.approx((36e-9, 38e-9)),
        pytest.approx((37e-9, 35e-9)),
    ]
    assert recording.series[box].unit == SECOND
    assert recording.metadata == {
        "java_version": "17.0.15",
        "java_vm_name": "OpenJDK 64-Bit Server VM",
        "java_vm_version": "17.0.15+6",
        "jmh_version": "1.37",
        "jmh_threads": "1",
        "jmh_warmupIterations": "2",
        "jmh_warmupTime": "50 ms",
        "jmh_measurementTime": "50 ms",
        "java_options": "-Xmx1g",
    }


def test_rates_histograms_and_amounts_of_jmh(read: Read) -> None:
    recording = read(examples.jmh())
    rate = recording.series["demo.Sums.box size=10 thrpt"]
    assert (rate.unit, rate.higher) == ("ops/s", True)
    assert list(rate.processes) == [pytest.approx((25e6, 27.5e6)), pytest.approx((27.5e6, 27.5e6))]
    # (3 · 30 + 50) / 4 and 40 us; every sample is in it, though JMH prints percentiles.
    assert processes(recording, "demo.Sums.add") == [pytest.approx((35e-6, 40e-6))]
    amount = recording.series["demo.Sums.box size=10 gc.alloc.rate.norm"]
    assert (amount.unit, amount.processes) == ("B/op", ((216.0, 216.0), (216.0, 216.25)))


def test_a_rate_alone_has_its_own_name(read: Read) -> None:
    assert list(read(examples.jmh()[1:2]).series) == ["demo.Sums.box size=10"]


@pytest.mark.parametrize(
    ("unit", "said"),
    [
        ("ns", "[0].primaryMetric.scoreUnit: unknown unit: ns"),
        ("ops/ns/op", "[0].primaryMetric.scoreUnit: unknown unit"),
        ("B/op", "[0].primaryMetric.scoreUnit: unknown unit: B/op"),
    ],
)
def test_units_of_jmh_that_are_no_speed(refusal: Refusal, unit: str, said: str) -> None:
    data = examples.jmh()
    data[0]["primaryMetric"]["scoreUnit"] = unit
    assert said in refusal(data)


def test_jmh_refuses_a_benchmark_twice_and_forks_without_values(refusal: Refusal) -> None:
    data = examples.jmh()
    assert "[1]: duplicate benchmark: demo.Sums.box size=10" in refusal([data[0], data[0]])
    data[0]["primaryMetric"]["rawData"] = [[], []]
    assert "[0].primaryMetric.rawData: no fork with a value" in refusal(data)


def test_launches_of_dotnet_are_processes(read: Read) -> None:
    recording = read(examples.benchmark_dotnet())
    first = "Demo.Sums.Fast Job-A(LaunchCount=2)"
    assert processes(recording, first) == [pytest.approx((25e-9, 26e-9)), pytest.approx((27e-9,))]
    assert processes(recording, "Demo.Sums.Fast Job-B(Server=True)") == [
        pytest.approx((30e-9, 31.5e-9))
    ]
    assert recording.series[f"{first} B/op"].processes == ((24.0,),)
    assert recording.left_out == ("Demo.Sums.Broken has no values",)
    assert recording.metadata["cpu_model_name"] == "Some CPU"
    assert recording.metadata["dotnet_version"] == ".NET 8.0.1"


def test_mitata_has_groups_samples_and_bytes(read: Read) -> None:
    recording = read(examples.mitata())
    assert recording.tool == "mitata"
    assert processes(recording, "sort") == [pytest.approx((5e-6, 6e-6))]
    assert processes(recording, "sizes/fill 100") == [pytest.approx((250e-9,))]
    assert recording.series["sort B/op"].processes == ((32.0,),)
    assert "sizes/fill 100 B/op" not in recording.series  # a collection in between: less than 0
    assert recording.left_out == ("bad ended with an error",)
    assert recording.metadata["runtime_version"] == "20.20.2"
    assert recording.started == pytest.approx(1790000000)


def test_tinybench_by_itself_and_in_vitest(read: Read) -> None:
    recording = read(examples.tinybench())
    assert processes(recording, "sort") == [pytest.approx((50e-6, 60e-6))]
    assert processes(recording, "fill") == [pytest.approx((25e-6,))]
    assert recording.left_out == ("bad has no result",)
    assert recording.metadata == {"runtime": "node", "runtime_version": "20.20.2"}
    of_vitest = read(examples.vitest())
    assert processes(of_vitest, "a.bench.ts > arrays > sort") == [pytest.approx((50e-6,))]


def test_samples_below_the_tick_of_the_clock(read: Read) -> None:
    data = examples.tinybench()
    data[0]["result"]["latency"]["samples"] = [0, 0.1, 0]
    assert processes(read(data), "sort") == [pytest.approx((55e-6,))]  # the mean


def test_results_of_tinybench_without_names(refusal: Refusal, golden: Hear) -> None:
    golden(refusal([entry["result"] for entry in examples.tinybench()]))


def test_commits_of_the_action_are_points(tmp_path: Path) -> None:
    path = tmp_path / "data.js"
    path.write_text(examples.action_data())
    timeline = load_timeline([str(path)], Wanted())
    assert timeline.points == ("a" * 10, "b" * 10)
    assert timeline.by == "commit"
    assert timeline.when == (1790000000.0, 1790000002.0)
    values = {s.name: (s.values, s.higher) for s in timeline.series}
    assert values == {
        "Rust/fib": ((pytest.approx(255e-9), pytest.approx(200e-9)), False),
        "JS/fib ops/sec": ((None, 1500.0), True),
        "JS/fib ops/sec (2)": ((None, 9.0), True),
    }


def test_a_commit_of_the_action_is_compared(tmp_path: Path) -> None:
    path = tmp_path / "data.js"
    path.write_text(examples.action_data())
    chosen = load_recording(f"{path}:commit=aaaa")
    assert chosen.name == "a" * 10
    assert processes(chosen, "Rust/fib") == [pytest.approx((250e-9,)), pytest.approx((260e-9,))]
    assert "b" * 10 in load_recording(str(path)).name
    for choice, said in (("commit=cc", "no commit cc"), ("branch=x", "expected FILE.js:commit=")):
        with pytest.raises(UserError, match=said):
            load_recording(f"{path}:{choice}")


def test_a_history_of_one_commit(tmp_path: Path) -> None:
    path = tmp_path / "data.js"
    path.write_text(examples.action_data().replace("b" * 40, "a" * 40))
    with pytest.raises(UserError, match="one commit only"):
        load_timeline([str(path)], Wanted())
