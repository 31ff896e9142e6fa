"""Programs that time themselves: benchmarks of Go, Google Benchmark, Criterion.rs, divan,
Rust's `#[bench]`, pytest-benchmark and JMH, unmodified.

Each value is a process of its own, which runs one benchmark for a short while and says how long an
iteration took. Its own loops, warm-up and clock are kept; its statistics are not used."""

from __future__ import annotations

import contextlib
import os
import re
import statistics
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from whyfast.formats import go_bench, jmh, json_reports, rust_bench
from whyfast.formats.input import Format, Given, parse_json
from whyfast.measure.invocation import (
    Invocation,
    InvocationFailed,
    LaunchArguments,
    Sample,
    completed,
    running,
)
from whyfast.model.errors import UserError
from whyfast.model.sample import SECOND, Series

#: Options that run a benchmark several times over.
_REPEATS = ("-test.count", "-test.cpu", "--benchmark_repetitions")

#: The failure of a run whose filter matches nothing.
NO_BENCHMARK = "it ran no benchmark: does the filter in its command match one?"

#: Names of benchmarks in a message.
_NAMED = 3


@dataclass(frozen=True)
class Harness:
    """``words`` are added to a command that does not have their option already; a value of a tenth
    of a second is long enough for the clock and short enough for many processes. ``folder`` is the
    environment variable that says where results are written, for one that writes them, with the
    folder for the braces of ``into``; ``file`` is their file in it, if it is one. ``once`` are the
    words with which it runs one iteration or a few, ``long`` those with which it runs for five
    seconds: in a simulator that is about fifty times slower, as much as a value is. Nobody reads
    its output then.

    ``list`` are the words with which it names all its benchmarks, one a line, in the first group of
    ``name``, or as ``name`` reads them from the output; ``only`` makes the words that run the one
    of a name, given as a pattern."""

    format: Format
    words: tuple[str, ...]
    once: tuple[str, ...]
    long: tuple[str, ...]
    list: tuple[str, ...]
    name: str | Callable[[str], Sequence[str]]
    only: Callable[[str], tuple[str, ...]]
    folder: str = ""
    into: str = "{}"
    file: str = ""


GO = Harness(
    go_bench.FORMAT,
    words=("-test.run=^$", "-test.benchtime=100ms"),
    once=("-test.run=^$", "-test.benchtime=1x"),
    long=("-test.run=^$", "-test.benchtime=5s"),
    # -test.list leaves out those that others run inside.
    list=("-test.run=^$", "-test.bench=.", "-test.benchtime=1x", "-test.cpu=1"),
    name=r"(Benchmark\S+)\s+\d+\s+\S",
    only=lambda name: ("-test.bench=" + "/".join(f"^{part}$" for part in name.split("/")),),
)
GOOGLE = Harness(
    json_reports.GOOGLE,
    words=("--benchmark_format=json", "--benchmark_min_time=0.1"),
    once=("--benchmark_min_time=0",),  # no word for a number of iterations is known before 1.8
    long=("--benchmark_min_time=5",),
    list=("--benchmark_list_tests=true",),
    name=r"(\S.*)",
    only=lambda name: (f"--benchmark_filter=^{name}$",),
)
CRITERION = Harness(
    rust_bench.CRITERION,
    words=(
        *("--bench", "--noplot", "--sample-size=10"),
        *("--warm-up-time=0.1", "--measurement-time=0.1"),
    ),
    once=("--test",),
    long=("--bench", "--profile-time=5"),
    list=("--bench", "--list"),
    name=r"(.+): bench(?:mark)?$",
    only=lambda name: (f"^{name}$",),
    folder="CRITERION_HOME",
)
DIVAN = Harness(
    rust_bench.DIVAN,
    words=("--bench", "--color=never", "--min-time=0.1", "--max-time=0.1"),
    once=("--test",),
    long=("--bench", "--min-time=5", "--max-time=5"),
    # Its --list leaves out those of a benchmark with arguments.
    list=("--test", "--color=never"),
    name=rust_bench.leaves,
    only=lambda name: (f"^{name}$",),
)

# `#[bench]`. How long it runs cannot be asked for: as a test, once.
LIBTEST = Harness(
    rust_bench.LIBTEST,
    words=("--bench",),
    once=("--test",),
    long=("--bench",),
    list=("--bench", "--list"),
    name=r"(.+): bench(?:mark)?$",
    only=lambda name: ("--exact", name),
)

PYTEST = Harness(
    json_reports.PYTEST,
    words=(
        *("-q", "-p", "no:cacheprovider", "--benchmark-only", "--benchmark-min-rounds=1"),
        *("--benchmark-min-time=0.001", "--benchmark-max-time=0.1", "--benchmark-warmup=off"),
    ),
    once=("-q", "-p", "no:cacheprovider", "--benchmark-disable"),
    long=("-q", "-p", "no:cacheprovider", "--benchmark-only", "--benchmark-max-time=5"),
    list=("-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider", "--benchmark-only"),
    name=r"(\S+\.py::\S.*)",
    only=lambda name: (f"{{source}}/{name}",),
    folder="PYTEST_ADDOPTS",
    into="--benchmark-json={}/result.json",
    file="result.json",
)

# A value is a fork of JMH's launcher, which a second of warm-up comes before.
_FORK = ("--f=1", "--bm=avgt", "--foe=true")
JMH = Harness(
    jmh.FORMAT,
    words=(
        *(*_FORK, "--wi=5", "--w=200ms", "--i=5", "--r=100ms"),
        *("--rf=json", "--rff=/dev/stdout", "--o=/dev/null"),
    ),
    once=(*_FORK, "--wi=0", "--i=1", "--r=1ms"),
    long=(*_FORK, "--wi=0", "--i=1", "--r=5s"),
    list=("-lp",),
    name=jmh.listed,
    only=jmh.words_of,
)

HARNESSES = {
    "go": GO,
    "google-benchmark": GOOGLE,
    "criterion": CRITERION,
    "divan": DIVAN,
    "libtest": LIBTEST,
    "pytest-benchmark": PYTEST,
    "jmh": JMH,
}


def benchmark_names(
    harness: Harness, program: Path, folder: Path, timeout: float, files: Sequence[str] = ()
) -> list[str]:
    """The names of all benchmarks of a built program, in its order, each once; with ``files`` those
    in them. It runs in ``folder``, the project's, whose files it may read. One that fails or takes
    more than ``timeout`` seconds has named some before; InvocationFailed when it has not."""
    command = ("env", "-C", str(folder), str(program), *harness.list, *files)
    with running(command, env=dict(os.environ), stdout="whole") as child:
        failed = None
        try:
            completed(child, command, timeout)
        except InvocationFailed as error:
            failed = error
        text = child.stdout()
    if isinstance(harness.name, str):
        matches = (re.match(harness.name, line) for line in text.splitlines())
        names = list(dict.fromkeys(match[1] for match in matches if match))
    else:
        names = list(dict.fromkeys(harness.name(text)))
    if failed is not None and not names:
        raise failed
    return names


@dataclass
class HarnessRunner:
    """Runs programs with that harness inside."""

    harness: Harness
    arguments: LaunchArguments
    loops_vary = False

    def enter(self, variant: str, *, cpu: int | None, pad: int, layout: int = 0) -> Invocation:
        """An invocation of the variant; nothing is started yet."""
        env, command = self.arguments.process(variant, pad, layout)
        command = with_words(command, self.harness)
        return HarnessInvocation(self.harness, command, env, self.arguments)


def with_words(command: tuple[str, ...], harness: Harness) -> tuple[str, ...]:
    """The command with the harness's words, but for options that it has itself."""
    options = {word.split("=")[0] for word in command}
    return (*command, *(w for w in harness.words if w.split("=")[0] not in options))


#: Which of :func:`to_see` is which.
ONCE, LONG = 0, 1


def to_see(command: tuple[str, ...], harness: Harness) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The command for a simulator that is to see which functions it executes: once, and for long.
    How long it is to run and how often, the command does not say itself then."""
    timed = {w.split("=")[0] for w in (*harness.words, *harness.once, *harness.long)}
    plain = tuple(w for w in command if w.split("=")[0] not in {*timed, *_REPEATS})
    return (*plain, *harness.once), (*plain, *harness.long)


def reported(harness: Harness, folder: Path, stdout: str) -> list[Series]:
    """The times of an iteration that a run wrote, into the ``folder`` of its results or to standard
    output; UserError for what cannot be read."""
    form = harness.format
    if harness.file:
        path = folder / harness.file
        text = path.read_text() if path.is_file() else "{}"
        given = Given(path, form.name, text, parse_json(text, harness.file))
    elif harness.folder:
        given = Given(folder, form.name)
    else:
        document = None
        with contextlib.suppress(UserError):
            if stdout.lstrip().startswith(("{", "[")):
                document = parse_json(stdout, "standard output")
        given = Given(Path("standard output"), form.name, stdout, document)
    every = form.read(given).series if form.claims(given) else {}
    return [s for s in every.values() if s.unit == SECOND]


@dataclass
class HarnessInvocation:
    """Runs the program anew for every turn."""

    harness: Harness
    command: tuple[str, ...]
    env: Mapping[str, str]
    arguments: LaunchArguments

    def turn(self, loops: int) -> Sample:
        """Seconds of one iteration, by a process of its own; ``loops`` is 1. InvocationFailed also
        when the program did not run exactly one benchmark, and when it names a time that is longer
        than the process lived."""
        with tempfile.TemporaryDirectory(prefix="whyfast-") as folder:
            env = dict(self.env)
            if self.harness.folder:
                env[self.harness.folder] = self.harness.into.format(folder)
            start = time.perf_counter()
            with running(
                self.command, env=env, stdin=self.arguments.stdin, stdout="whole"
            ) as child:
                completed(child, self.command, self.arguments.timeout)
                stdout = child.stdout()
            lived = time.perf_counter() - start
            seconds = self._read(Path(folder), stdout)
        if not 0 < seconds <= lived:
            raise self._failed(
                f"an iteration of {seconds:g} s in a process that lived {lived:g} s", stdout
            )
        return Sample(seconds)

    def _read(self, folder: Path, stdout: str) -> float:
        try:
            times = reported(self.harness, folder, stdout)
        except UserError as error:
            raise self._failed(f"its results cannot be read: {error.message}", stdout) from None
        if not times:
            raise self._failed(NO_BENCHMARK, stdout)
        if len(times) > 1:
            names = ", ".join(s.benchmark for s in times[:_NAMED])
            more = " …" if len(times) > _NAMED else ""
            reason = f"it ran {len(times)} benchmarks ({names}{more}): the filter must match one"
            raise self._failed(f"{reason} alone", stdout)
        (series,) = times
        return statistics.median(v for process in series.processes for v in process)

    def _failed(self, reason: str, stdout: str) -> InvocationFailed:
        return InvocationFailed(reason, output=stdout[-2000:], command=self.command)

    threads = 1  # not known: they are never pinned
    peak_memory = None  # the harness's own is most of it

    def close(self) -> None:
        """Nothing is alive between turns."""
