"""Bad input to any command: exit code 2 and one line that names the argument and what is wrong."""

from functools import cache
from pathlib import Path

import pytest
from tests.unit.cli.compared_files import Write, go, hyperfine, pyperf
from tests.unit.fleet.machines import measured

from whyfast.cli.commands import COMMANDS
from whyfast.cli.main import main
from whyfast.report.result_json import dump_result

SEARCH = ["search", "--good", "a", "--bad", "b"]
AB = ["ab", "true", "true"]
COMPARE = ["compare", "old.json", "new.json"]
#: Words, and what the message names: the argument, and what it could have been.
CASES: list[tuple[list[str], list[str]]] = [
    ([], list(COMMANDS)),
    (["rum"], ["'rum'", "'run'"]),
    (["--bogus"], ["'--bogus'", *COMMANDS]),
    # ab
    (["ab", "true"], ["two commands"]),
    (["ab", "", "true"], ["empty command"]),
    ([*AB, "--budget", "soon"], ["--budget soon"]),
    ([*AB, "--margin", "-1"], ["--margin -1"]),
    ([*AB, "--json", "/nowhere/at/all.json"], ["--json /nowhere/at/all.json", "folder"]),
    ([*AB, "--export-json", "x.json"], ["--export-json", "--json"]),
    ([*AB, "--export-markdown", "x.md"], ["--markdown x.md"]),
    ([*AB, "--export-csv", "x.csv"], ["--csv x.csv"]),
    ([*AB, "-m", "20"], ["--runs 20"]),
    ([*AB, "--max-runs", "9"], ["--runs 9"]),
    ([*AB, "--reference", "true"], ["--baseline true"]),
    ([*AB, "-D", "2"], ["-P VAR MIN MAX 2"]),
    ([*AB, "--style", "basic"], ["--style"]),
    ([*AB, "--output", "null"], ["--output"]),
    ([*AB, "--show-output"], ["--show-output"]),
    ([*AB, "--sort", "command"], ["fastest"]),
    ([*AB, "--export-asciidoc", "x"], ["--export-asciidoc", "--json"]),
    ([*AB, "-c", "absent-program x"], ["'absent-program'"]),
    ([*AB, "-u", "second"], ["--time-unit"]),
    ([*AB, "-N", "-S", "sh"], ["-N", "--shell"]),
    ([*AB, "-r", "0"], ["--runs 0"]),
    # what is kept
    (["report", "never-run"], ["'never-run'", "none yet"]),
    (["history", "never-run"], ["'never-run'", "none yet"]),
    (["builds", "show", "abc"], ["'abc'", "whyfast builds"]),
    (["toolchain", "install", "zip:clang-19"], ["'zip:clang-19'", "'zig'"]),
    (
        ["run", "dispatch", "--only", "clang19-gotoo"],
        ["--only", "'clang19-gotoo'", "'clang19-goto'"],
    ),
    (["doctor", "--json", "/nowhere/x"], ["--json /nowhere/x", "folder"]),
    (["explain", "gone", "--json", "/nowhere/x"], ["--json /nowhere/x", "folder"]),
    # compare
    ([*COMPARE, "--margin", "lots"], ["--margin", "lots"]),
    ([*COMPARE, "--noise", "old.json"], ["--noise", "two"]),
    ([*COMPARE, "--noise", "old.json", "old.json"], ["--noise", "copy"]),
    ([*COMPARE, "--noise", "missing.json", "old.json"], ["missing.json"]),
    ([*COMPARE, "--benchmark", "z*"], ["--benchmark z*"]),
    ([*COMPARE, "--claim", "new:gone"], ["--claim new:gone", "old, new"]),
    (["compare", "old.json"], ["old.json", "one run"]),
    (["compare", "old.json", "bytes.json"], ["second", "bytes.json"]),
    (["compare", "nothing-kept", "old.json"], ["nothing-kept"]),
    (["compare", "at1.json", "at2.json"], ["--by position"]),
    (["compare", "at1.json", "three.json", "--by", "position"], ["3 benchmarks"]),
    (["compare", "time.txt", "time.txt", "--higher", "score"], ["--higher score"]),
    (["compare", "time.txt", "memory.txt"], ["memory.txt", "no benchmark with a time"]),
    (["history", "points.csv"], ["points.csv", "--by COLUMN"]),
    # merge
    (["merge", "kite.json", "nowhere.json"], ["nowhere.json", "No such file"]),
    (["merge", "kite.json", "/dev/zero"], ["/dev/zero", "not a file"]),
    (["merge", "kite.json", "nowhere"], ["nowhere", "no stored result"]),
    (["merge", "kite.json", "\x1b[2J"], ["\\x1b[2J"]),
    (["merge", "kite.json", "."], [".", "data/results.sqlite"]),
    (["merge", "kite.json", "empty.json"], ["empty.json", "is empty"]),
    (["merge", "kite.json", "deep.json"], ["deep.json", "nested"]),
    (["merge", "kite.json", "list.json"], ["list.json", "JSON object"]),
    (["merge", "kite.json", "bytes.bin"], ["bytes.bin", "byte 1"]),
    (["merge", "kite.json", "open.json"], ["open.json", "not JSON"]),
    (["merge", "kite.json", "later.json"], ["later.json", "'whyfast-result/9'"]),
    (["merge", "kite.json", "bare.json"], ["bare.json", "question", "missing"]),
    (["merge", "kite.json", "unmerged.json"], ["unmerged.json", "machines", "list"]),
    # search
    (SEARCH, ["STUDY", "-- CMD"]),
    ([*SEARCH, "no-such"], ["'no-such'", "-- CMD"]),
    (
        [*SEARCH, "dispatch", "--axis", "passes", "--scheduler", "127.0.0.1:1"],
        ["--scheduler", "--axis passes", "commits, toolchains, flags"],
    ),
    ([*SEARCH, "dispatch", "--incremental", "--hosts", "hosts.toml"], ["--hosts", "--incremental"]),
    ([*SEARCH, "--scheduler", "127.0.0.1:1", "--", "./run"], ["--scheduler", "study"]),
    # explain
    (["explain", "old.json", "--run", "1"], ["old.json", "not executable"]),
    (["explain", "gone", "--run", "1"], ["gone", "no such file"]),
    (["explain", "/bin/true", "--run", "'open"], ["--run", "quotation"]),
    (["explain", "/bin/true", "--run", "1", "--timeout", "soon"], ["--timeout soon"]),
    (["explain", "/bin/true", "--run", "'open", "--commits", "a..b"], ["--run", "quotation"]),
    (["explain", "/bin/true", "--run", "1", "--commits", "a...b"], ["--commits a...b"]),
    (["explain", "/bin/true", "--run", "1", "--commits", "HEAD~1"], ["BASE..HEAD"]),
    (["explain", "/bin/true", "--commits", "a..b"], ["--commits", "--run"]),
    (["explain", "\x1b]0;x\x07\n"], ["\\x1b]0;x\\x07 "]),
]


@cache
def _kite() -> str:
    return dump_result(measured("kite", {"slow": 1.0}))


@pytest.fixture
def files(write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files to name, sound and damaged, in the folder where the command runs."""
    monkeypatch.setenv("WHYFAST_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    in_bytes = pyperf(1)
    in_bytes["metadata"]["unit"] = "byte"
    both = {"BenchmarkA": 9.0, "BenchmarkB": 9.0}
    contents: dict[str, object] = {
        "old.json": pyperf(1),
        "new.json": pyperf(1.1),
        "bytes.json": in_bytes,
        "at1.json": hyperfine({"./a@1 x": 1.0, "./a@1 y": 2.0}),
        "at2.json": hyperfine({"./a@2 x": 1.2, "./a@2 y": 2.4}),
        "three.json": hyperfine({"a": 1.0, "b": 1.0, "c": 1.0}),
        "time.txt": go(both),
        "memory.txt": go(both, "B/op"),
        "points.csv": "release,seconds\nr0,1\nr1,2\n",
        "kite.json": _kite(),
        "empty.json": "",
        "deep.json": "[" * 100_000,
        "list.json": "[]",
        "open.json": "{",
        "later.json": {"schema": "whyfast-result/9"},
        "bare.json": {"schema": "whyfast-result/3", "data": {}},
        "unmerged.json": {"schema": "whyfast-merged/2", "data": {}},
    }
    for name, content in contents.items():
        write(name, content)
    (tmp_path / "bytes.bin").write_bytes(b"\x00\xff")


@pytest.mark.parametrize(("words", "named"), CASES, ids=[" ".join(w)[-60:] for w, _ in CASES])
def test_bad_input(
    words: list[str], named: list[str], files: None, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words) == 2
    said = capsys.readouterr()
    assert said.out == ""
    *progress, message = said.err.splitlines()
    assert message.startswith("whyfast: ")
    assert progress in ([], ["measuring …"])
    assert [name for name in named if name not in message] == []
