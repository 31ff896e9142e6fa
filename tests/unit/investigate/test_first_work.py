"""What a program is given to do: found by runs whose ends and CPU seconds are told."""

import shutil
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from whyfast.investigate import first_documents, first_tries, first_work
from whyfast.investigate.first_documents import WITH_OUTPUT
from whyfast.investigate.first_tries import Limit, Tries
from whyfast.investigate.first_work import with_work
from whyfast.investigate.services import Silent
from whyfast.measure.invocation import Clock
from whyfast.model.build import Build
from whyfast.study.documents import DOCUMENTS
from whyfast.study.project import WHOLE, Project

#: Why a command fails, empty where it ends well, its CPU seconds, and those on the wall.
Run = tuple[str, float, float]


@pytest.fixture
def given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[[Callable[[Sequence[str]], Run], str], Project]:
    """``given(runs, usage)``: what a project whose program runs so, and says so of its use, works
    on. ``runs`` gets the words of a command, in the project's folder one more; ``usage`` is what it
    prints. It opens the files that it is given, unless it is called ``blind``."""
    real = shutil.which
    monkeypatch.setattr(
        shutil,
        "which",
        lambda name, *more, **path: real("true" if name == "valgrind" else name, *more, **path),
    )

    def work(runs: Callable[[Sequence[str]], Run], usage: str) -> Project:
        moment = 0.0

        def tried(
            folder: Path, words: Sequence[str], made: object, where: object, seconds: float
        ) -> tuple[str, float]:
            nonlocal moment
            failed, cpu, wall = runs((*words, "inside") if where else words)
            for word in words if usage != "blind" else ():
                if (file := Path(word.format(program="", source=folder, study=folder))).is_file():
                    file.open().close()
            late = wall > seconds
            moment += min(wall, seconds)
            return ("still running" if late else failed), (0.0 if late else cpu)

        monkeypatch.setattr(first_tries, "_fails", tried)
        monkeypatch.setattr(Tries, "says", lambda *_: usage)
        clock = cast(Clock, SimpleNamespace(monotonic=lambda: moment))
        tries = Tries(
            cast(Build, SimpleNamespace(program=tmp_path / "app")),
            Silent(),
            Limit(clock, 999.0, 999.0),
        )
        folder = tmp_path / "libpngs"
        folder.mkdir(exist_ok=True)
        return with_work(folder, Project("gcc", (), "app", benchmarks=WHOLE), tries)

    return work


Given = Callable[[Callable[[Sequence[str]], Run], str], Project]


def slowed(words: Sequence[str], factor: float) -> float:
    return factor if "--tool=none" in words else 1.0


@pytest.mark.parametrize(("factor", "timed"), [(1.1, True), (4.0, False)])
def test_a_program_that_ends_by_a_clock_is_no_benchmark(
    given: Given, factor: float, timed: bool
) -> None:
    found = given(lambda words: ("", 2.0 * slowed(words, factor), 2.0 * slowed(words, factor)), "")
    assert (found.idle, "fixed time" in found.incomplete) == (timed, timed)


USAGE = """\
usage: app [options] file
 -b#    : benchmark file(s), using # compression level
 -i#    : seconds of a benchmark
"""


@pytest.mark.parametrize(
    ("usage", "option"),
    [
        (USAGE, "-b"),
        ("  -q, --bench-all   run all benchmarks\n", "--bench-all"),
        ("  bench [depth]  measure the search\n", "bench"),
        ("  -t  run the benchmark\n", None),
    ],
)
def test_the_option_by_which_it_measures_itself_is_taken(
    given: Given, usage: str, option: str | None
) -> None:
    def runs(words: Sequence[str]) -> Run:
        measures = option is not None and words[-1] == option
        return "", (0.5 if measures else 0.0), (0.5 if measures else 0.0)

    commands = [*given(runs, usage).benchmarks.values()]
    assert commands == [("{program}", *([option] if option else []))]


def test_an_option_that_ends_by_a_clock_is_not_and_that_is_said(given: Given) -> None:
    def runs(words: Sequence[str]) -> Run:
        seconds = 3.0 * slowed(words, 1.05) if "-b" in words else 0.0
        return "", seconds, seconds

    found = given(runs, USAGE)
    assert found.benchmarks == WHOLE
    assert "-b runs for a fixed time" in " ".join(found.comments)


def test_files_of_the_format_in_its_name_are_work(given: Given, tmp_path: Path) -> None:
    folder = tmp_path / "libpngs"
    (folder / "contrib").mkdir(parents=True)
    for name, size in (("small.png", 10), ("contrib/large.png", 20), ("other.gif", 30)):
        (folder / name).write_bytes(b"x" * size)
    found = given(lambda words: ("", 0.5 * words[-1].endswith(".png"), 0.1), "")
    assert [words[-1] for words in found.benchmarks.values()] == [
        "{source}/contrib/large.png",
        "{source}/small.png",
    ]


def test_toml_is_work_for_what_is_named_after_it(given: Given, tmp_path: Path) -> None:
    (tmp_path / "libpngs").mkdir()
    (tmp_path / "libpngs").rename(tmp_path / "toml++")
    (tmp_path / "toml++" / "data.toml").write_text("a = 1")
    (tmp_path / "libpngs").symlink_to("toml++")
    found = given(lambda words: ("", 0.5 * words[-1].endswith(".toml"), 0.1), "")
    assert [*found.benchmarks.values()] == [("{program}", "{source}/data.toml")]


def test_one_of_that_format_is_written_before_a_document_of_another(
    given: Given, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder := tmp_path / "libpngs").mkdir()
    (folder / "readme.md").write_text("words")
    (folder / "bench").mkdir()
    (folder / "bench" / "all.ps1").write_text("Get-ChildItem")
    monkeypatch.setitem(DOCUMENTS, "png", lambda records: "x" * records)

    def runs(words: Sequence[str]) -> Run:
        png = words[-1].endswith(".png")
        fails = len(words) == 1 or "inside" in words
        return "exit code 1" * fails, 0.05 if png else 0.02, 0.1

    assert [*given(runs, "").benchmarks.values()] == [
        ("sh", "-c", first_documents._INPUT, "{program}", "{study}/whyfast_bench_document.png")
    ]


def test_a_program_as_fast_as_a_checksum_gets_a_large_document_often(given: Given) -> None:
    """It reads JSON alone, and eight files of 8 MB take it 20 ms; the help says what it wants."""

    def runs(words: Sequence[str]) -> Run:
        wrong = any("document." in word and ".json" not in word for word in words)
        wrong |= "{source}" in words  # a folder
        return "exit code 1" * wrong, (0.02 if len(words) > 8 else 0.001), 0.1

    found = given(runs, "")
    assert [*found.beside] == ["whyfast_bench_document.json"]
    assert len(found.beside["whyfast_bench_document.json"]) > 8_000_000
    assert [*found.benchmarks.values()] == [
        ("{program}", *8 * ["{study}/whyfast_bench_document.json"])
    ]


def test_a_document_is_no_larger_than_it_must_be(given: Given) -> None:
    """Its input of half a megabyte, tried twice, takes the program 6 ms; four times that 20."""
    tried: list[str] = []

    def runs(words: Sequence[str]) -> Run:
        reads = words[0] == "sh" and words[-1].endswith(".json")
        tried.extend(words[-1:] if reads else ())
        return "exit code 1" * (not reads), (0.006 if len(tried) < 3 else 0.02), 0.1

    (document,) = given(runs, "").beside.values()
    assert 2_000_000 < len(document) < 4_000_000


def test_a_program_that_wants_a_place_for_its_output_gets_one_for_each_run(
    given: Given, tmp_path: Path
) -> None:
    """It reads YAML."""

    def runs(words: Sequence[str]) -> Run:
        reads = WITH_OUTPUT in words and words[-1].endswith(".yaml")
        return "exit code 1" * (not reads), 0.5, 0.5

    (words,) = given(runs, "usage: app INFILE OUTFILE").benchmarks.values()
    assert words[-1] == "{study}/whyfast_bench_document.yaml"
    (program := tmp_path / "app").write_text('#!/bin/sh\ncp "$1" "$2" && echo "$2"; exit 3\n')
    program.chmod(0o755)
    command = [str(program) if word == "{program}" else word for word in words]
    ran = [subprocess.run([*command[:-1], program], capture_output=True, check=False) for _ in "ab"]
    assert [run.returncode for run in ran] == [3, 3]
    places = {run.stdout for run in ran}
    assert len(places) == 2
    assert not any(Path(place.decode().strip()).exists() for place in places)


@pytest.mark.parametrize("usage", ["blind", "reads"])
def test_what_a_program_does_not_open_is_no_work_for_it(
    given: Given, tmp_path: Path, usage: str
) -> None:
    """It takes longer by the shell in front of it; input that a shell opens gives it nothing."""
    (tmp_path / "libpngs").mkdir()
    (tmp_path / "libpngs" / "readme.md").write_text("words")

    def runs(words: Sequence[str]) -> Run:
        return "", 0.001 + 0.005 * (WITH_OUTPUT in words), 0.1

    assert given(runs, usage).idle == (usage == "blind")


def test_a_program_that_reads_sources_gets_the_largest(given: Given, tmp_path: Path) -> None:
    (tmp_path / "libpngs").mkdir()
    for name, size in (("a.cpp", 10), ("b.cpp", 20), ("readme.md", 30)):
        (tmp_path / "libpngs" / name).write_bytes(b"x" * size)

    def runs(words: Sequence[str]) -> Run:
        reads = words[-1].endswith(".cpp")
        return "exit code 1" * (not reads), 0.5, 0.5

    (words,) = given(runs, "").benchmarks.values()
    assert words[-1] == "{source}/b.cpp"


def test_what_a_program_calls_an_error_is_no_document_for_it(given: Given) -> None:
    def runs(words: Sequence[str]) -> Run:
        reads = "document" in words[-1]
        return "", 0.5 * reads, 0.5 * reads

    assert given(runs, "line 1: unexpected character").idle
    assert not given(runs, "4000 records").idle


@pytest.mark.parametrize(
    ("printed", "works"),
    [("unexpected token\n" * 9, False), ("an error here\nint a;\nint b;\n", True), ("", True)],
    ids=["complains", "prints what it reads", "nothing"],
)
def test_a_document_of_the_project_is_no_work_where_the_program_complains_of_it(
    given: Given, tmp_path: Path, printed: str, works: bool
) -> None:
    (tmp_path / "libpngs").mkdir()
    (tmp_path / "libpngs/a.cpp").write_text("an error here\nint a;\nint b;\n")

    def runs(words: Sequence[str]) -> Run:
        reads = words[-1].endswith(".cpp")
        return "exit code 1" * (not reads), 0.5, 0.5

    assert bool(given(runs, printed).incomplete) == (not works)


def test_a_program_that_waits_whatever_it_is_given_leaves_time_for_others(
    given: Given, tmp_path: Path
) -> None:
    (tmp_path / "libpngs").mkdir()
    for name in ("a.json", "b.md", "c.cpp"):
        (tmp_path / "libpngs" / name).write_bytes(b"x")
    found = given(lambda words: ("", 0.001, 99.0 * (len(words) > 1)), "")
    assert found.idle
    assert "Not tried" not in " ".join(found.comments)


@pytest.mark.parametrize("start", [0.02, 3.0], ids=["an interpreter", "a long benchmark"])
def test_the_start_of_an_interpreter_is_not_all_its_work(given: Given, start: float) -> None:
    tried = list[Sequence[str]]()

    def runs(words: Sequence[str]) -> Run:
        tried.append(words)
        script = words[-1].startswith("{source}/")
        wrong = script and not words[-1].startswith("{source}/whyfast_bench_")
        return "no" if script and (wrong or ".py" not in words[-1]) else "", start, start

    found = given(runs, "")
    scripts = ["calls", "objects", "strings", "containers", "flow", "library"]
    assert [*found.benchmarks] == ([*scripts, "whole"] if start < 1 else ["whole"])
    assert [*found.beside] == [f"whyfast_bench_{n}.py" for n in scripts if start < 1]
    assert start < 1 or not any("{source}" in words[-1] for words in tried)


@pytest.mark.parametrize(("seconds", "folder"), [(0.005, "{source}"), (0.0011, "")])
def test_a_program_that_reads_folders_runs_in_that_of_the_project(
    given: Given, seconds: float, folder: str
) -> None:
    cpu = {("{program}",): 0.001, ("{program}", "inside"): seconds}
    found = given(lambda words: ("", cpu.get((*words,), 0.0), 0.0), "")
    assert (found.folder, found.idle, found.benchmarks) == (folder, not folder, WHOLE)


@pytest.mark.parametrize("start", [0.0, 0.012])
def test_a_program_that_searches_gets_the_projects_folder_until_it_is_work(
    given: Given, start: float
) -> None:
    """One fails without a pattern, the other reads where it is, and takes long to start."""

    def runs(words: Sequence[str]) -> Run:
        if start == 0.0 and [*words][1:2] != ["."]:
            return ("wants a pattern", 0.0, 0.0)
        wrong = any("whyfast_bench" in word for word in words)
        return "fails" * wrong, start + 0.0005 * words.count("{source}"), 0.0

    found = given(runs, "")
    assert found.folder == "{source}"
    assert found.benchmarks == {"folder": ("{program}", ".", *["{source}"] * 64)}


def test_a_program_that_wants_a_pattern_reads_a_document_behind_it(
    given: Given, tmp_path: Path
) -> None:
    (tmp_path / "libpngs").mkdir()
    (tmp_path / "libpngs" / "a.json").write_text("{}")

    def runs(words: Sequence[str]) -> Run:
        good = [*words][1:] == [".", "{source}/a.json"]
        return ("" if good else "fails"), 0.02, 0.0

    assert [*given(runs, "").benchmarks.values()] == [("{program}", ".", "{source}/a.json")]


@pytest.mark.parametrize(
    ("place", "says"), [("data", "no file at '../data/a.json'"), ("tests", "stream error")]
)
def test_a_program_that_reads_files_above_its_folder_runs_beside_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str, says: str
) -> None:
    (tmp_path / place).mkdir()
    program = tmp_path / "app"
    limit = Limit(cast(Clock, SimpleNamespace(monotonic=lambda: 0.0)), 9.0, 9.0)
    tries = Tries(cast(Build, SimpleNamespace(program=program)), Silent(), limit)

    def fails(
        _: object, words: object, made: object, where: Path, most: float
    ) -> tuple[str, float]:
        return ("" if where == tmp_path / place else says), 0.02

    monkeypatch.setattr(first_tries, "_fails", fails)
    project = Project("path:cc", ("true",), "app", benchmarks=WHOLE)
    found = with_work(tmp_path, project, tries)
    assert (found.folder, found.benchmarks) == (f"{{source}}/{place}", WHOLE)


def test_commands_of_the_projects_tests_are_work(
    given: Given, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = [("{program}", "-c", f"{{source}}/{n}.txt") for n in range(8)]
    monkeypatch.setattr(first_work, "commands_of_tests", lambda *_: (told, "{source}"))

    def runs(words: Sequence[str]) -> Run:
        number = words[2][-5:-4] if len(words) > 2 and words[1] == "-c" else "0"
        return ("fails" if number == "7" else ""), 0.003 * int(number), 0.0

    found = given(runs, "")
    assert (found.folder, found.idle) == ("{source}", False)
    assert [words[-1] for words in found.benchmarks.values()] == [
        f"{{source}}/{n}.txt" for n in (6, 5, 4)
    ]


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("exit", False),
        ("cat", True),
        ("date +%N", False),
        ("cksum /dev/stdin", True),  # opened anew, as by those that map it
    ],
)
def test_input_is_work_only_where_it_is_read(tmp_path: Path, text: str, read: bool) -> None:
    program = tmp_path / "app"
    program.write_text(f"#!/bin/sh\n{text}\n")
    program.chmod(0o700)
    file = tmp_path / "in.txt"
    file.write_text("a document\n" * 500)
    limit = Limit(cast(Clock, SimpleNamespace(monotonic=lambda: 0.0)), 9.0, 9.0)
    tries = Tries(cast(Build, SimpleNamespace(program=program)), Silent(), limit)
    words = ("sh", "-c", first_documents._INPUT, "{program}", str(file))
    assert first_documents._opens(file, tmp_path, words, tries) is read


def test_a_program_that_only_the_projects_folder_keeps_running_gets_no_documents(
    given: Given, tmp_path: Path
) -> None:
    """As a benchmark of libtommath, which crashes without a folder for what it writes."""
    (tmp_path / "libpngs").mkdir()
    (tmp_path / "libpngs" / "readme.md").write_bytes(b"x")

    def runs(words: Sequence[str]) -> Run:
        return ("", 9.0, 99.0) if "inside" in words else ("killed by SIGSEGV", 0.0, 0.1)

    found = given(runs, "")
    assert found.idle
    assert found.incomplete.startswith("its program is still running")


def test_what_a_program_lists_is_given_to_it(given: Given) -> None:
    """As of libuv, and of tests with munit or acutest."""

    def runs(words: Sequence[str]) -> Run:
        cpu = {"fs_stat": 0.5, "gettimeofday": 0.2, "idle": 0.001}.get(words[-1])
        return ("", 9.0, 99.0) if cpu is None else ("", cpu, cpu)

    found = given(runs, "Tests:\n  fs_stat\n  idle\n  gettimeofday\n  none such\n")
    assert [*found.benchmarks.values()] == [("{program}", "fs_stat"), ("{program}", "gettimeofday")]
