"""Programs that time themselves, by stand-ins that print what the real ones do."""

import os
import sys
from pathlib import Path

import pytest
from tests.golden_files import Hear

from whyfast.measure.harnesses import (
    CRITERION,
    DIVAN,
    GO,
    GOOGLE,
    JMH,
    LIBTEST,
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


DIVAN_LINE = "b\\n╰─ x  139.4 ns │ 8.073 ms │ 269.4 ns │ 383.4 ns │ 121843  │ 121843"


#: What JMH writes to the file of -rff, which here is standard output.
JMH_JSON = (
    '[{"benchmark": "org.sample.B.sum", "mode": "avgt", "params": {"size": "100"}, '
    '"primaryMetric": {"scoreUnit": "us/op", "rawData": [[0.4, 0.3, 0.2]]}}]'
)


def _turn(harness: Harness, tmp_path: Path, script: str, *words: str) -> float:
    program = tmp_path / "program"
    program.write_text(f"#!{sys.executable}\nimport os, sys\n{script}\n")
    program.chmod(0o755)
    arguments = LaunchArguments({"v": (str(program), *words)}, dict(os.environ), 30.0)
    runner = HarnessRunner(harness, arguments)
    assert not runner.loops_vary
    return runner.enter("v", cpu=None, pad=0).turn(1).seconds


SAMPLE = """
folder = os.environ['CRITERION_HOME'] + '/fib/new'
os.makedirs(folder)
sample = '{"iters": [1, 2, 10], "times": [30.0, 40.0, 100.0]}'
open(folder + '/sample.json', 'w').write(sample)
"""


@pytest.mark.parametrize(
    ("harness", "script", "seconds"),
    [
        (GO, f"print('{GO_LINE.format(name='Parse', time='1234.5')}')", 1.2345e-6),
        (GOOGLE, f"print('{GOOGLE_JSON.format(name='BM_x', time=250.0)}')", 2.5e-7),
        (CRITERION, SAMPLE, 2e-8),  # the median
        (DIVAN, f"print('{DIVAN_LINE}')", 2.694e-7),
        (LIBTEST, "print('test a::b ... bench:   1,234.50 ns/iter (+/- 3.11)')", 1.2345e-6),
        (JMH, f"open('/dev/stdout', 'w').write('{JMH_JSON}')", 3e-7),
    ],
)
def test_an_iterations_time(tmp_path: Path, harness: Harness, script: str, seconds: float) -> None:
    assert _turn(harness, tmp_path, script) == pytest.approx(seconds)


def test_a_filter_that_matches_nothing_or_too_much_is_told(tmp_path: Path, golden: Hear) -> None:
    with pytest.raises(InvocationFailed) as none:
        _turn(GO, tmp_path, "print('PASS')")
    golden(none.value.reason)
    lines = "\\n".join(f"Benchmark{n}-2 1000 7 ns/op" for n in "ABCD")
    with pytest.raises(InvocationFailed) as four:
        _turn(GO, tmp_path, f"print('{lines}')")
    golden(four.value.reason)


@pytest.mark.parametrize(
    ("harness", "script", "reason"),
    [
        (
            GO,
            f"print('{GO_LINE.format(name='Parse', time='9e15')}')",
            r"an iteration of 9e\+06 s in a process that lived",
        ),
        (GO, "print('no'); sys.exit(3)", "exit code 3"),
        (GOOGLE, "print('{broken')", "it ran no benchmark"),
        (
            GOOGLE,
            f"print('{GOOGLE_JSON.format(name='BM_x', time=chr(34) + 'soon' + chr(34))}')",
            "its results cannot be read",
        ),
    ],
)
def test_failing_or_nonsense(tmp_path: Path, harness: Harness, script: str, reason: str) -> None:
    with pytest.raises(InvocationFailed, match=reason):
        _turn(harness, tmp_path, script)


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
