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
    }
