"""The help of every command, and what commands print of files of other tools.

A session shows each command line, then what it printed and its exit code.
"""

import contextlib
import json
import re
import shlex
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from tests.golden_files import check_golden, check_no_others
from tests.unit.cli.compared_files import forked, go, hyperfine, pyperf, recorded_result
from tests.unit.fleet.machines import measured

from whyfast.cli.commands import COMMANDS
from whyfast.cli.main import main
from whyfast.report.result_json import dump_result
from whyfast.store.home import Home

ACTIONS = {
    "builds": ("list", "show", "log", "gc"),
    "toolchain": ("list", "install", "remove"),
    "fleet": ("scheduler", "certificates"),
}
Files = Mapping[str, object]


def _outlier() -> dict[str, Any]:
    """2 % slower on all but one benchmark, which takes a third."""
    head = pyperf(1.02, names=tuple("abcde"))
    for run in head["benchmarks"][-1]["runs"]:
        run["values"] = [v / 3 for v in run.get("values", [])]
    return head


def _gains(step: str, releases: int = 10) -> str:
    """Seconds by release, twice as long from the sixth on."""
    times = (2.0, 2.01, 1.99, 2.02, 2.0, 1.0, 1.01, 0.99, 1.0, 1.01)[:releases]
    return f"{step},seconds\n" + "".join(f"r{i},{t}\n" for i, t in enumerate(times))


ALLOCATIONS = "BenchmarkA 1 {} ns/op {} B/op {} allocs/op 5 zeros\n"
FILES: dict[str, Callable[[], Files]] = {
    "compare": lambda: {
        "old.json": pyperf(1, names=("a", "b", "gone")),
        "new.json": pyperf(1.1, names=("a", "b", "born")),
        **{f"r{i}.json": pyperf(1 + i / 10) for i in range(3)},
        "few.json": {"results": [{"command": "p", "times": [1.0, 1.1, 1.2]}]},
        "few2.json": {"results": [{"command": "p", "times": [1.0, 1.1, 1.2]}]},
        "a.json": hyperfine({"./old": 0.1}),
        "b.json": hyperfine({"./new": 0.2}),
    },
    "compare-several": lambda: {
        "base.json": pyperf(1, names=("a", "b", "c", "d")),
        "one.json": pyperf(1.5, names=("a", "b", "c")),
        "two.json": pyperf(2, names=("b", "c", "d", "e")),
        "even.json": pyperf(1, names=tuple("abcde")),
        "outlier.json": _outlier(),
        "three.json": hyperfine({"./old x": 1.0, "./new x": 1.5, "./newer x": 0.5}),
        "at1.json": hyperfine({"./a@1 x": 1.0, "./a@1 y": 2.0}),
        "at2.json": hyperfine({"./a@2 x": 1.2, "./a@2 y": 2.4}),
    },
    "compare-claims": lambda: {
        "slow.json": pyperf(1.2),
        "new.json": pyperf(1.0, shift=3),
        "fair.json": pyperf(1.0),
        "main.json": forked({"a": 1, "b": 1, "c": 1}, "main"),
        "change.json": forked({"a": 1, "b": 0.9, "c": 1}, "change"),
        "fork.json": forked({"a": 0.4, "b": 1, "c": 1}, "fork"),
        "both.json": forked({"a": 0.4, "b": 0.9, "c": 1}, "fork"),
    },
    "compare-results": lambda: {
        "old.json": dump_result(recorded_result()),
        "new.json": dump_result(recorded_result(slower="fast", by=1.5)),
    },
    "compare-units": lambda: {
        "old.txt": go({"BenchmarkA-8": 100}),
        "new.txt": go({"BenchmarkA-8": 120}),
        "wide.txt": go({"BenchmarkA-16": 60}),
        "several.txt": go({"BenchmarkA-8": 60, "BenchmarkA-16": 30}),
        "ops1.txt": go({"BenchmarkA": 100, "BenchmarkB": 0}, "ops/s"),
        "ops2.txt": go({"BenchmarkA": 120, "BenchmarkB": 7}, "ops/s"),
        "ops3.txt": go({"BenchmarkA": 101, "BenchmarkB": 0}, "ops/s"),
        "score1.txt": go({"BenchmarkA": 100}, "score"),
        "score2.txt": go({"BenchmarkA": 120}, "score"),
        "bytes1.txt": "".join(ALLOCATIONS.format(100 + i, 64, 0) for i in range(6)),
        "bytes2.txt": "".join(ALLOCATIONS.format(100 + i, 48, 1) for i in range(6)),
    },
    "history": lambda: {"x.csv": _gains("release")},
    "merge": lambda: {
        f"{name}.json": dump_result(measured(name, {"slow": ratio}, seed=i))
        for i, (name, ratio) in enumerate({"kite": 1.0, "wren": 1.1, "owl": 1.1}.items())
    },
}
SESSIONS = {
    "compare": (
        "compare old.json new.json -v",
        "compare new.json old.json",
        "compare r0.json r1.json --noise r0.json r1.json r2.json -v",
        "compare few.json few2.json",
        "compare old.json new.json --benchmark a*",
        "compare a.json b.json",
        "compare old.json new.json --fail-on slower",
        "compare new.json old.json --fail-on slower",
    ),
    "compare-several": (
        "compare base.json one.json two.json -v",
        "compare even.json outlier.json",
        "compare three.json -v",
        "compare at1.json at2.json --by position",
    ),
    "compare-claims": (
        "compare slow.json new.json fair.json --claim new:slow --margin 5%",
        "compare slow.json new.json fair.json --claim new.json:slow.json",
        "compare main.json change.json fork.json both.json -v",
    ),
    "compare-results": (
        "compare old.json new.json -v",
        "compare old.json:variant=base new.json:variant=fast",
        "compare old.json",
    ),
    "compare-units": (
        "compare old.txt new.txt -v",
        "compare old.txt wide.txt -v",
        "compare old.txt several.txt",
        "compare ops1.txt ops2.txt --noise ops1.txt ops3.txt -v",
        "compare score1.txt score2.txt",
        "compare score1.txt score2.txt --higher score",
        "compare bytes1.txt bytes2.txt -v",
    ),
    "history": ("history x.csv --by release", "history x.csv --by release -v"),
    "merge": ("merge kite.json wren.json", "merge kite.json wren.json owl.json -v"),
}
CASES = [*(f"help-{name}.txt" for name in COMMANDS), "help.txt", *(f"{n}.txt" for n in SESSIONS)]


def _help(words: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    """One line an option, without the columns and repeated metavars in which Pythons differ."""
    with contextlib.suppress(SystemExit):
        main([*words, "--help"])
    text = re.sub(r"\n {8,}(?=\S)", "  ", capsys.readouterr().out)
    lines = []
    for line in text.splitlines():
        names, space, help_text = line.strip().partition("  ")
        if names.startswith("-"):
            *short, last = names.split(", ")
            names = ", ".join([*(name.split()[0] for name in short), last])
            line = f"  {names}{space}{help_text.strip()}"
        lines.append(re.sub(r"(?<=\S) {2,}", "  ", line))
    return "\n".join(lines) + "\n"


@pytest.mark.golden
@pytest.mark.parametrize("name", ["", *COMMANDS])
def test_help(
    name: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "2000")
    every = [[name], *([name, action] for action in ACTIONS.get(name, ()))] if name else [[]]
    text = "\n".join(_help(words, capsys) for words in every)
    check_golden("cli", f"help-{name}.txt" if name else "help.txt", text)


@pytest.mark.golden
@pytest.mark.parametrize("name", SESSIONS)
def test_session(
    name: str,
    own_home: Home,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    for file, content in FILES[name]().items():
        text = content if isinstance(content, str) else json.dumps(content)
        (tmp_path / file).write_text(text)
    parts = []
    for line in SESSIONS[name]:
        code = main(shlex.split(line))
        said = capsys.readouterr()
        parts.append(f"$ whyfast {line}\n{said.err}{said.out}[exit code {code}]\n")
    check_golden("cli", f"{name}.txt", "\n".join(parts))


@pytest.mark.golden
def test_no_document_is_left_over() -> None:
    check_no_others("cli", CASES)
