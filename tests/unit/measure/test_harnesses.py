"""Programs that time themselves, by stand-ins that print what the real ones do."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from tests.golden_files import Hear

from whyfast.measure.harnesses import (
    CRITERION,
    GO,
    GOOGLE,
    Harness,
    HarnessRunner,
    to_see,
    with_words,
)
from whyfast.measure.invocation import InvocationFailed, LaunchArguments

pytestmark = pytest.mark.usefixtures("nothing_left")

GO_LINE = "goos: linux\\nBenchmark{name}-2   \\t 1000\\t  {time} ns/op\\nPASS"
GOOGLE_JSON = (
    '{{"context": {{"num_cpus": 2}}, "benchmarks": [{{"name": "{name}", "run_type": "iteration", '
    '"iterations": 10, "real_time": {time}, "cpu_time": 1.0, "time_unit": "ns"}}]}}'
)


def _turn(harness: Harness, tmp_path: Path, script: str, *words: str) -> float:
    program = tmp_path / "program"
    program.write_text(f"#!{sys.executable}\nimport os, sys\n{script}\n")
    program.chmod(0o755)
    arguments = LaunchArguments({"v": (str(program), *words)}, dict(os.environ), 30.0)
    runner = HarnessRunner(harness, arguments)
    assert not runner.loops_vary
    return runner.enter("v", cpu=None, pad=0).turn(1).seconds


def test_go_prints_the_time_of_an_iteration(tmp_path: Path) -> None:
    line = GO_LINE.format(name="Parse", time="1234.5")
    assert _turn(GO, tmp_path, f"print('{line}')") == pytest.approx(1.2345e-6)


def test_google_benchmark_writes_json(tmp_path: Path) -> None:
    document = GOOGLE_JSON.format(name="BM_x", time=250.0)
    assert _turn(GOOGLE, tmp_path, f"print('{document}')") == pytest.approx(2.5e-7)


def test_criterion_writes_into_a_folder_and_the_median_is_the_value(tmp_path: Path) -> None:
    script = (
        "folder = os.environ['CRITERION_HOME'] + '/fib/new'\n"
        "os.makedirs(folder)\n"
        "open(folder + '/sample.json', 'w').write("
        '\'{"iters": [1, 2, 10], "times": [30.0, 40.0, 100.0]}\')'
    )
    assert _turn(CRITERION, tmp_path, script) == pytest.approx(2e-8)


def test_a_filter_that_matches_nothing_or_too_much_is_told(tmp_path: Path, golden: Hear) -> None:
    with pytest.raises(InvocationFailed) as none:
        _turn(GO, tmp_path, "print('PASS')")
    golden(none.value.reason)
    lines = "\\n".join(f"Benchmark{n}-2 1000 7 ns/op" for n in "ABCD")
    with pytest.raises(InvocationFailed) as four:
        _turn(GO, tmp_path, f"print('{lines}')")
    golden(four.value.reason)


def test_a_time_longer_than_the_process_lived_is_not_believed(tmp_path: Path) -> None:
    line = GO_LINE.format(name="Parse", time="9e15")
    with pytest.raises(InvocationFailed, match=r"an iteration of 9e\+06 s in a process that lived"):
        _turn(GO, tmp_path, f"print('{line}')")


def test_a_program_that_fails_or_writes_nonsense_is_told(tmp_path: Path) -> None:
    with pytest.raises(InvocationFailed, match="exit code 3"):
        _turn(GO, tmp_path, "print('no'); sys.exit(3)")
    with pytest.raises(InvocationFailed, match="it ran no benchmark"):
        _turn(GOOGLE, tmp_path, "print('{broken')")
    bad = GOOGLE_JSON.format(name="BM_x", time='"soon"')
    with pytest.raises(InvocationFailed, match="its results cannot be read"):
        _turn(GOOGLE, tmp_path, f"print('{bad}')")


def test_options_of_the_command_itself_are_kept() -> None:
    assert with_words(("./x.test", "-test.bench=^BenchmarkX$", "-test.benchtime=50x"), GO) == (
        *("./x.test", "-test.bench=^BenchmarkX$", "-test.benchtime=50x"),
        "-test.run=^$",
    )


@pytest.mark.parametrize(
    ("harness", "command", "once", "long"),
    [
        (
            GO,
            ("p", "-test.bench=^BenchmarkX$", "-test.benchtime=3s", "-test.count=4"),
            ("p", "-test.bench=^BenchmarkX$", "-test.run=^$", "-test.benchtime=1x"),
            ("p", "-test.bench=^BenchmarkX$", "-test.run=^$", "-test.benchtime=5s"),
        ),
        (
            GOOGLE,
            ("p", "--benchmark_filter=^x$", "--benchmark_repetitions=9"),
            ("p", "--benchmark_filter=^x$", "--benchmark_min_time=0"),
            ("p", "--benchmark_filter=^x$", "--benchmark_min_time=5"),
        ),
        (
            CRITERION,
            ("p", "--bench", "^x$"),
            ("p", "^x$", "--test"),
            ("p", "^x$", "--bench", "--profile-time=5"),
        ),
    ],
)
def test_to_see_what_it_executes_it_runs_once_or_for_long(
    harness: Harness, command: tuple[str, ...], once: tuple[str, ...], long: tuple[str, ...]
) -> None:
    assert to_see(command, harness) == (once, long)
