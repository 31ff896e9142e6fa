"""``whyfast merge`` end to end: real runs in several homes, of a program that one machine slows."""

import json
from pathlib import Path

import pytest
from tests.studies.test_run import whyfast

PACED = Path(__file__).resolve().parents[1] / "known" / "paced"


def run_on(folder: Path, machine: str, slower: int, times: int = 1) -> Path:
    """The home of a machine on which the variant ``odd`` takes so many per cent longer, after a run
    of the study there, or several."""
    study = folder / machine / "paced"
    study.mkdir(parents=True)
    (study / "here").write_text(f"{slower}\n")
    (study / "study.toml").write_text(
        f"""
[study]
title = "Is it slower?"
baseline = "base"
[source]
path = "{PACED}"
[build]
steps = ["{{cc}} -O2 {{cflags}} -o {{program}} {{source}}/paced.c"]
program = "paced"
[variant.base]
toolchain = "path:gcc"
[variant.odd]
toolchain = "path:gcc"
cflags = ["-DFEELS"]
[benchmarks.one]
runner = "turn"
command = ["{{program}}", "{{study}}/here"]
[measure]
budget = "60s"
turns = 4
turn = "2ms"
"""
    )
    home = folder / machine / "home"
    for i in range(times):
        out = folder / f"{machine}-{i}.json"
        whyfast("run", study, "--json", out, WHYFAST_HOME=str(home), WHYFAST_MACHINE=machine)
    return home


def test_a_program_that_one_machine_does_not_suit(tmp_path: Path) -> None:
    """Both stop as soon as their own verdict is clear, which is too soon to compare machines."""
    kite, wren = run_on(tmp_path, "kite", 0), run_on(tmp_path, "wren", 8)
    out = tmp_path / "merged.json"
    said = whyfast("merge", kite, wren, "--json", out, WHYFAST_HOME=str(tmp_path / "own")).stdout
    found = json.loads(out.read_text())["data"]
    words = {
        m["machine"]["name"]: [v["outcome"] for v in m["result"]["judged"]["verdicts"]]
        for m in found["machines"]
    }
    assert words == {"kite": ["same"], "wren": ["slower"]}
    assert {"odd", "wren"} <= set(said.split())
    # They are one machine, and it says so.
    assert [c["kind"] for c in found["confounds"]] == ["one-machine"]


@pytest.mark.long
def test_runs_of_one_machine_add_up_until_machines_can_be_told_apart(tmp_path: Path) -> None:
    for name, slower in {"kite": 0, "wren": 8, "owl": 0}.items():
        run_on(tmp_path, name, slower, times=2)
    files = sorted(tmp_path.glob("*.json"))
    assert len(files) == 6
    out = tmp_path / "out.json"
    said = whyfast("merge", *files, "--json", out, WHYFAST_HOME=str(tmp_path / "own")).stdout
    found = json.loads(out.read_text())["data"]
    assert [len(m["sources"]) for m in found["machines"]] == [2, 2, 2]
    (difference,) = found["differences"]
    assert difference["groups"] == [["kite", "owl"], ["wren"]] or difference["groups"] == [
        ["owl", "kite"],
        ["wren"],
    ]
    assert difference["low"] < 1.08 < difference["high"]
    assert {"odd", "wren"} <= set(said.split())
