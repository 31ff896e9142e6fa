from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import pytest

from whyfast.cli.explain import run_explain
from whyfast.cli.options import command_parser
from whyfast.model.errors import UserError

Compile = Callable[..., Path]
Source = Callable[[str, int], str]


def run(*arguments: str | Path) -> int:
    return run_explain(command_parser("explain").parse_args([str(a) for a in arguments]))


@pytest.fixture(autouse=True)
def wide(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")


def surveyed(program: Path, folder: Path) -> dict[str, Any]:
    """The JSON of a program of which no function is asked for."""
    assert run(program, "--json", folder / "facts.json") == 0
    (survey,) = json.loads((folder / "facts.json").read_text())["data"]["programs"]
    return cast("dict[str, Any]", survey)


def test_two_programs_side_by_side(
    gcc: Compile, interpreter: Source, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    a = gcc(interpreter("goto", 40), "-O2")
    b = gcc(interpreter("switch", 40), "-O2")
    out = tmp_path / "facts.json"
    assert run(a, b, "--function", "vm_run", "--function", "main", "--json", out) == 0
    printed = capsys.readouterr().out
    assert "replicated" in printed
    assert "merged" in printed
    assert "40 → 1" in printed
    document = json.loads(out.read_text())["data"]
    forms = [program["dispatch"]["form"] for program in document["programs"]]
    assert forms == ["replicated", "merged"]
    assert document["comparisons"][0]["functions"][0]["name"] == "vm_run"


def test_without_functions_candidates_are_shown(
    gcc: Compile, interpreter: Source, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    program = surveyed(gcc(interpreter("goto", 40), "-O2"), tmp_path)
    printed = capsys.readouterr().out
    assert "vm_run" in printed
    assert "functions" in printed
    assert program["candidates"][0]["function"] == "vm_run"
    assert program["candidates"][0]["dispatch"]["targets"] == 40
    assert program["totals"]["indirect_jumps"] >= 40


def test_a_merged_dispatch_comes_before_functions_with_more_jumps(
    gcc: Compile, interpreter: Source, tmp_path: Path
) -> None:
    hop = (
        "int hop(int (*f[])(int), int a)"
        " { if (a > 9) return f[0](a); if (a > 5) return f[1](a + 1); return f[2](a + 2); }"
    )
    program = surveyed(gcc(interpreter("switch", 40) + hop, "-O2"), tmp_path)
    first, second = program["candidates"][:2]
    assert (first["function"], first["dispatch"]["form"]) == ("vm_run", "merged")
    assert (second["function"], second["dispatch"]["indirect_jumps"]) == ("hop", 3)
    assert program["handlers"] is None


def test_handlers_that_tail_call_are_found(
    gcc: Compile, interpreter: Source, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    program = surveyed(gcc(interpreter("tail", 40), "-O2"), tmp_path)
    assert program["handlers"]["dispatch"]["style"] == "tail-call"
    assert program["handlers"]["dispatch"]["targets"] == 40
    assert f"{program['handlers']['functions']} " in capsys.readouterr().out


def test_a_pattern_that_nothing_matches(
    gcc: Compile, interpreter: Source, capsys: pytest.CaptureFixture[str]
) -> None:
    program = gcc(interpreter("goto", 12), "-O2")
    warning = f"vm_rum: no matching function in {program.name}; did you mean 'vm_run'?"
    assert run(program, "--function", "vm_rum", "--json", "-") == 1
    assert json.loads(capsys.readouterr().out)["data"]["unmatched"] == [warning]
    # What the other patterns match is shown all the same.
    assert run(program, "--function", "main", "--function", "vm_rum") == 1
    printed = capsys.readouterr().out
    assert printed.startswith(f"Warning: {warning}\n")
    assert printed.count("vm_rum") == 1
    assert "main" in printed


def test_a_pattern_that_one_of_two_programs_matches(
    gcc: Compile, interpreter: Source, capsys: pytest.CaptureFixture[str]
) -> None:
    a = gcc(interpreter("goto", 12), "-O2")
    b = gcc("int main(void) { return 0; }", "-O2")
    assert run(a, b, "--function", "vm_run") == 0
    assert f"no function of {b.name} matches vm_run" in capsys.readouterr().out
    # Of what was not looked at nothing is said, but for the warning.
    assert run(a, b, "--function", "zzz") == 1
    assert capsys.readouterr().out.startswith("Warning: zzz: ")


def test_facts_that_cannot_be_written(gcc: Compile, interpreter: Source, tmp_path: Path) -> None:
    program = gcc(interpreter("goto", 12), "-O2")
    with pytest.raises(UserError, match="no such folder"):
        run(program, "--json", tmp_path / "no" / "folder.json")


def test_functions_lie_side_by_side(
    gcc: Compile, interpreter: Source, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    a, b = (gcc(interpreter(style, 40), "-O2") for style in ("goto", "switch"))
    out = tmp_path / "facts.json"
    assert run(a, b, "--diff", "--function", "vm_run", "--json", out) == 0
    printed = capsys.readouterr().out
    assert printed.startswith(
        f"The dispatch is merged in {b.name}: 1 indirect jump, where {a.name}"
    )
    assert f"{a.name} → {b.name}: vm_run: " in printed
    (pair,) = json.loads(out.read_text())["data"]["code"]
    assert [f["name"] for f in pair["functions"]] == ["vm_run"]
    assert {row["beside"] for row in pair["functions"][0]["rows"]} <= {
        "same", "registers", "changed", "only a", "only b",
    }  # fmt: skip


def test_one_file_has_nothing_beside_it(gcc: Compile, interpreter: Source) -> None:
    with pytest.raises(UserError, match="--diff"):
        run(gcc(interpreter("goto", 40), "-O2"), "--diff")


def test_programs_whose_counts_are_alike_are_not_called_the_same(
    gcc: Compile, capsys: pytest.CaptureFixture[str]
) -> None:
    a, b, c = (
        gcc(f"int f(int x) {{ return x * 3 + {n}; }} int main(){{return 0;}}", "-O2")
        for n in (1, 1, 2)
    )
    assert run(a, c) == 0
    assert "; --diff compares their instructions." in capsys.readouterr().out
    assert run(a, c, "--diff") == 0
    printed = capsys.readouterr().out
    assert "but the instructions of 1 do." in printed
    assert "Counts differ in 0 of the functions in both" in printed
    assert run(a, b, "--diff") == 0
    assert "nor any instruction but for addresses and" in capsys.readouterr().out
