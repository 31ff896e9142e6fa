"""Small valid files of every format, written for these tests."""

import json
from typing import Any


def pyperf(
    *,
    benchmarks: dict[str, list[list[float]]] | None = None,
    version: object = "1.0",
    metadata: dict[str, object] | None = None,
) -> dict[str, Any]:
    """A pyperf file with a calibration run before the runs of every benchmark."""
    benchmarks = benchmarks or {"nbody": [[0.061, 0.062], [0.063, 0.064]], "json": [[0.007]]}
    return {
        "version": version,
        "metadata": {"unit": "second", "hostname": "lab", "cpu_count": 8} | (metadata or {}),
        "benchmarks": [
            {
                "metadata": {"name": name, "loops": 4, "tags": ["apps"]},
                "runs": [
                    {
                        "metadata": {"date": "2025-03-05 16:52:59.252714", "calibrate_loops": 4},
                        "warmups": [[1, 0.2], [2, 0.1]],
                    },
                    *(
                        {
                            "metadata": {
                                "date": f"2025-03-05 16:53:{i:02d}.015654",
                                "load_avg_1min": 1.0 + i,
                                "uptime": 17.5 + i,
                            },
                            "values": values,
                            "warmups": [[4, 0.5]],
                        }
                        for i, values in enumerate(processes)
                    ),
                ],
            }
            for name, processes in benchmarks.items()
        ],
    }


def perf_0_9() -> dict[str, Any]:
    """The form before format 6: ``samples`` and ``common_metadata``."""
    return {
        "version": 5,
        "benchmarks": [
            {
                "common_metadata": {"name": "telco", "hostname": "old", "loops": 8},
                "runs": [
                    {
                        "metadata": {"date": "2016-10-21 03:14:19.670631"},
                        "samples": [],
                        "warmups": [[1, 0.023]],
                    },
                    {"metadata": {"date": "2016-10-21 03:14:20.496710"}, "samples": [0.022, 0.024]},
                ],
            }
        ],
    }


def hyperfine() -> dict[str, Any]:
    return {
        "results": [
            {
                "command": "sleep 0.1",
                "mean": 0.102,
                "stddev": 0.001,
                "user": 0.001,
                "times": [0.101, 0.102, 0.103],
                "exit_codes": [0, 0, 1],
            },
            {"command": "sleep 0.2", "times": [0.201, 0.202], "exit_codes": [0, 0]},
        ]
    }


def google_benchmark() -> dict[str, Any]:
    def entry(name: str, index: int, time: float) -> dict[str, Any]:
        return {
            "name": f"{name}/repeats:2",
            "run_name": name,
            "run_type": "iteration",
            "repetitions": 2,
            "repetition_index": index,
            "iterations": 1000,
            "real_time": time,
            "cpu_time": time,
            "time_unit": "us",
        }

    return {
        "context": {"date": "2024-01-02T03:04:05+00:00", "host_name": "lab", "num_cpus": 8},
        "benchmarks": [
            entry("BM_sort", 0, 12.0),
            entry("BM_sort", 1, 14.0),
            {
                "name": "BM_sort_mean",
                "run_name": "BM_sort",
                "run_type": "aggregate",
                "aggregate_name": "mean",
                "real_time": 13.0,
                "time_unit": "us",
            },
            entry("BM_copy", 0, 3.0),
            {"name": "BM_bad", "run_name": "BM_bad", "error_occurred": True, "error_message": "x"},
        ],
    }


GO = """\
goos: linux
goarch: amd64
pkg: example.org/sorts
cpu: Some CPU @ 2.00GHz
BenchmarkSort-8   \t     100\t  11000 ns/op\t  16 B/op\t 1 allocs/op
BenchmarkSort-8   \t     100\t  12000 ns/op\t  16 B/op\t 1 allocs/op
BenchmarkCopy/n=4-8 \t 5000\t    0.25 ns/op
PASS
ok  \texample.org/sorts\t2.5s
goos: linux
pkg: example.org/sorts
BenchmarkSort-8   \t     100\t  13000 ns/op
PASS
"""

CSV = """\
benchmark,size,process,mean_ns
sort,10,1,100
sort,10,1,110
sort,10,2,105
copy,10,1,3
"""

SAMPLE = {"sampling_mode": "Linear", "iters": [10.0, 20.0], "times": [1000.0, 2400.0]}


def pytest_benchmark() -> dict[str, Any]:
    """Two tests, one of them saved without its rounds."""
    return {
        "machine_info": {
            "node": "lab",
            "python_version": "3.14.0",
            "python_implementation": "CPython",
            "release": "6.1.0",
            "cpu": {"brand_raw": "Some CPU", "count": 8},
        },
        "commit_info": {"id": "abc123", "dirty": False},
        "benchmarks": [
            {
                "name": "test_sort",
                "fullname": "test_it.py::test_sort",
                "stats": {"mean": 2.5e-5, "data": [2e-5, 3e-5], "iterations": 1},
            },
            {"name": "test_scan", "fullname": "test_it.py::test_scan", "stats": {"mean": 1e-3}},
        ],
        "datetime": "2026-11-22T21:29:36.242281+00:00",
        "version": "5.3.1",
    }


def jmh() -> list[dict[str, Any]]:
    """As JMH 1.37 writes it with ``-f 2 -i 2 -prof gc -rf json``: an average time in two forks, a
    rate of the same benchmark, and a sampled time."""
    entry: dict[str, Any] = {
        "jmhVersion": "1.37",
        "benchmark": "demo.Sums.box",
        "mode": "avgt",
        "threads": 1,
        "forks": 2,
        "jvmArgs": ["-Xmx1g"],
        "jdkVersion": "17.0.15",
        "vmName": "OpenJDK 64-Bit Server VM",
        "vmVersion": "17.0.15+6",
        "warmupIterations": 2,
        "warmupTime": "50 ms",
        "measurementTime": "50 ms",
        "params": {"size": "10"},
    }
    times = {
        "score": 36.5,
        "scoreError": "NaN",
        "scoreUnit": "ns/op",
        "rawData": [[36.0, 38.0], [37.0, 35.0]],
    }
    counted = {
        "gc.alloc.rate": {"score": 5, "scoreUnit": "MB/sec", "rawData": [[5.0, 5.0], [5.0, 5.0]]},
        "gc.alloc.rate.norm": {
            "score": 216.0,
            "scoreUnit": "B/op",
            "rawData": [[216.0, 216.0], [216.0, 216.25]],
        },
        "gc.time": {"score": 9, "scoreUnit": "ms", "rawData": [[2.0, 3.0], [2.0, 2.0]]},
    }
    rate = {"score": 0.027, "scoreUnit": "ops/ns", "rawData": [[0.025, 0.0275], [0.0275, 0.0275]]}
    histogram = [[[[30, 3], [50, 1]], [[40, 2]]], [[[45, 1]], []]]
    sampled = {"score": 0.04, "scoreUnit": "us/op", "rawDataHistogram": [histogram[0]]}
    return [
        {**entry, "primaryMetric": times, "secondaryMetrics": counted},
        {**entry, "mode": "thrpt", "primaryMetric": rate, "secondaryMetrics": {}},
        {
            **entry,
            "benchmark": "demo.Sums.add",
            "mode": "sample",
            "params": {},
            "primaryMetric": sampled,
        },
    ]


def benchmark_dotnet() -> dict[str, Any]:
    """Two launches of a benchmark, another one without its measurements, and one that failed;
    written after BenchmarkDotNet's documentation."""

    def taken(stage: str, launch: int, operations: int, nanoseconds: int) -> dict[str, Any]:
        return {
            "IterationMode": "Workload",
            "IterationStage": stage,
            "LaunchIndex": launch,
            "IterationIndex": 1,
            "Operations": operations,
            "Nanoseconds": nanoseconds,
        }

    measurements = [
        taken("Pilot", 1, 1, 900),
        taken("Actual", 1, 16, 420),
        taken("Result", 1, 16, 400),
        taken("Result", 1, 16, 416),
        taken("Result", 2, 16, 432),
    ]
    fast = {"FullName": "Demo.Sums.Fast", "Method": "Fast", "Parameters": ""}
    return {
        "Title": "Demo.Sums-20260102-030405",
        "HostEnvironmentInfo": {
            "BenchmarkDotNetVersion": "0.14.0",
            "OsVersion": "Debian GNU/Linux 12",
            "ProcessorName": "Some CPU",
            "LogicalCoreCount": 8,
            "RuntimeVersion": ".NET 8.0.1",
            "Architecture": "X64",
            "HasAttachedDebugger": False,
            "ChronometerFrequency": {"Hertz": 1000000000},
        },
        "Benchmarks": [
            {
                **fast,
                "DisplayInfo": "Sums.Fast: Job-A(LaunchCount=2)",
                "Statistics": {"OriginalValues": [25, 26, 27], "Mean": 26},
                "Memory": {"BytesAllocatedPerOperation": 24},
                "Measurements": measurements,
            },
            {
                **fast,
                "DisplayInfo": "Sums.Fast: Job-B(Server=True)",
                "Statistics": {"OriginalValues": [30, 31.5], "Mean": 30.75},
            },
            {"FullName": "Demo.Sums.Broken", "Statistics": None},
        ],
    }


def mitata() -> dict[str, Any]:
    """As mitata 1.0 writes it: a benchmark with its samples, one of a group without, a failed
    one."""

    def trial(group: int, *runs: dict[str, Any]) -> dict[str, Any]:
        return {"kind": "static", "args": {}, "group": group, "baseline": False, "runs": [*runs]}

    heap = {"total": 64.0, "min": 16.0, "max": 48.0, "avg": 32.0}
    sort = {"kind": "fn", "samples": [5000.0, 6000.0], "avg": 5500.0, "heap": heap}
    fill = {"kind": "fn", "samples": None, "avg": 250.0, "heap": {**heap, "avg": -8.0}}
    return {
        "layout": [{"name": None, "types": []}, {"name": "sizes", "types": ["g"]}],
        "benchmarks": [
            trial(0, {"name": "sort", "args": {}, "stats": sort}),
            trial(1, {"name": "fill 100", "args": {"n": 100}, "stats": fill}),
            trial(0, {"name": "bad", "args": {}, "error": {"message": "no"}}),
        ],
        "context": {
            "now": 1790000000000,
            "arch": "x64-linux",
            "version": "20.20.2",
            "runtime": "node",
            "cpu": {"name": "Some CPU", "freq": 2.5},
        },
    }


def tinybench() -> list[dict[str, Any]]:
    """Names and results of the tasks of tinybench 6: with samples, without, and a failed one."""
    known = {"runtime": "node", "runtimeVersion": "20.20.2"}
    sort = {"mean": 0.055, "samples": [0.05, 0.06], "rme": 10.0}
    return [
        {"name": "sort", "result": {"state": "completed", "latency": sort, **known}},
        {"name": "fill", "result": {"state": "completed", "latency": {"mean": 0.025}, **known}},
        {"name": "bad", "result": {"state": "errored", "error": {}, **known}},
    ]


def vitest() -> dict[str, Any]:
    """As ``vitest bench --outputJson`` of vitest 4 writes it."""
    sort = {"name": "sort", "rank": 1, "rme": 9.0, "samples": [], "mean": 0.05, "sampleCount": 90}
    group = {"fullName": "a.bench.ts > arrays", "benchmarks": [sort]}
    return {"files": [{"filepath": "/src/a.bench.ts", "groups": [group]}]}


def action_data() -> str:
    """A ``data.js`` of two suites, over two commits; one ran twice."""

    def entry(commit: str, date: int, *benches: tuple[str, float, str]) -> dict[str, Any]:
        return {
            "commit": {"id": commit * 40, "timestamp": "2026-01-02T03:04:05+01:00"},
            "date": date,
            "tool": "cargo",
            "benches": [{"name": n, "value": v, "unit": u, "range": "± 3"} for n, v, u in benches],
        }

    data = {
        "lastUpdate": 1790000003000,
        "repoUrl": "https://example.org/x",
        "entries": {
            "Rust": [
                entry("a", 1790000000000, ("fib", 250, "ns/iter"), ("zero", 0, "ns/iter")),
                entry("a", 1790000001000, ("fib", 260, "ns/iter")),
                entry("b", 1790000002000, ("fib", 200, "ns/iter")),
            ],
            "JS": [entry("b", 1790000003000, ("fib", 1500, "ops/sec"), ("fib", 9, "ops/sec"))],
        },
    }
    return f"window.BENCHMARK_DATA = {json.dumps(data)};\n"


def texts() -> dict[str, str]:
    """Every format that is one file, by name."""
    return {
        "pyperf": json.dumps(pyperf()),
        "perf 0.9": json.dumps(perf_0_9()),
        "hyperfine": json.dumps(hyperfine()),
        "google-benchmark": json.dumps(google_benchmark()),
        "go": GO,
        "pytest-benchmark": json.dumps(pytest_benchmark()),
        "csv": CSV,
        "jmh": json.dumps(jmh()),
        "benchmark-dotnet": json.dumps(benchmark_dotnet()),
        "mitata": json.dumps(mitata()),
        "tinybench": json.dumps(tinybench()),
        "github-action-benchmark": action_data(),
    }
