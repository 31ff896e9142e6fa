"""Searches for a set with real compilers, by counted instructions, which do not depend on load."""

import json
import shlex
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.studies.test_run import whyfast

from whyfast.cli.main import main
from whyfast.store.home import Home

PARTS = Path(__file__).resolve().parents[1] / "known" / "parts"

pytestmark = pytest.mark.skipif(not shutil.which("valgrind"), reason="counts by Valgrind")


def _study(folder: Path, toolchain: str = "path:gcc") -> Path:
    folder.mkdir()
    (folder / "study.toml").write_text(
        f"""
[study]
title = "What exactly?"
baseline = "fast"
[source]
path = "{PARTS}"
[build]
steps = ["for file in {{source}}/*.c; do {{cc}} {{cflags}} -c $file; done"]
link = "{{cc}} {{cflags}} -o {{program}} *.o {{layout}} {{ldflags}}"
program = "parts"
[variant.fast]
toolchain = "{toolchain}"
cflags = ["-O2", "-g"]
[variant.slow]
extends = "fast"
cflags.add = ["-fno-gcse", "-fno-ipa-icf", "-fno-inline", "-fno-tree-vrp", "-falign-loops=32"]
[variant.other]
extends = "fast"
env = {{ LANG = "C" }}
[benchmarks.parts]
runner = "command"
command = ["{{program}}"]
"""
    )
    return folder


def _search(*arguments: str | Path) -> tuple[dict[str, Any], str]:
    out = Path(str(arguments[0])) / "search.json"
    done = whyfast("search", *arguments, "--measure", "instructions", "--json", out)
    return json.loads(out.read_text())["data"], done.stdout


def test_the_flag_among_decoys(own_home: Home, tmp_path: Path) -> None:
    study = _study(tmp_path / "study")
    found, said = _search(study, "--axis", "flags", "--good", "fast", "--bad", "slow", "--all")
    assert (found["answer"]["outcome"], found["answer"]["parts"]) == ("set", [[2]])
    assert found["differences"][2] == "-fno-inline"
    assert "`-fno-inline` " in said


def test_a_level_is_searched_by_what_it_sets(own_home: Home, tmp_path: Path) -> None:
    study = _study(tmp_path / "study")
    found, _ = _search(study, "--axis", "flags", "--good=-O3", "--bad=-O3 -fno-inline -O2")
    named = [found["differences"][d] for part in found["answer"]["parts"] for d in part]
    assert "-fno-inline" in named
    assert any(d.endswith(" for -funswitch-loops") for d in found["differences"])


def test_the_object_that_makes_the_difference(own_home: Home, tmp_path: Path) -> None:
    study = _study(tmp_path / "study")
    found, said = _search(study, "--axis", "objects", "--good", "fast", "--bad", "slow")
    assert "hot.o" in found["differences"]
    assert found["differences"][-1] == "linked as slow is"
    hot = found["differences"].index("hot.o")
    assert (found["answer"]["outcome"], found["answer"]["parts"]) == ("set", [[hot]])
    assert "`hot.o` " in said


#: A file whose time goes into one function, which uses another that compilers inline; three share a
#: variable, the one by inlining, and have to be of one end.
FUNCTIONS = """
#include <stdio.h>
#include <stdint.h>
static uint64_t seen;
static uint64_t mixed(uint64_t sum, uint64_t i) { return sum * 7 + (i ^ sum >> 33); }
__attribute__((noinline)) uint64_t rare(uint64_t n) { return mixed(n, 1); }
__attribute__((noinline)) uint64_t hot(uint64_t n) {
    uint64_t sum = 1;
    for (uint64_t i = 0; i < n; i++) sum = mixed(sum, i);
    return sum;
}
void note(uint64_t n) { seen += mixed(n, seen); }
uint64_t noted(void) { return mixed(seen, 5); }
int main(void) {
    note(rare(3));
    return printf("%llu\\n", (unsigned long long)(hot(100000) + noted())) < 0;
}
"""


@pytest.mark.long
def test_the_function_that_makes_the_difference(own_home: Home, tmp_path: Path) -> None:
    study = _study(tmp_path / "study")
    (study / "all.c").write_text(FUNCTIONS)
    text = (study / "study.toml").read_text()
    (study / "study.toml").write_text(text.replace(str(PARTS), "."))
    found, said = _search(study, "--axis", "functions", "--good", "fast", "--bad", "slow")
    assert found["differences"] == [
        "hot (with mixed)",
        "main, note, noted (with mixed)",
        "rare (with mixed)",
    ]
    assert (found["answer"]["outcome"], found["answer"]["parts"]) == ("set", [[0]])
    assert "`hot (with mixed)` " in " ".join(said.split())


#: Options of a search that cannot be, and the error.
BAD_INPUT = [
    ("flags --good fast --bad nowhere", "--bad: unknown variant 'nowhere'; available: fast, slow,"),
    (
        'flags --good="-O2 \'" --bad fast',
        '--good: "-O2 \'" cannot be split into flags: No closing quotation',
    ),
    ("objects --good fast --bad other", "--bad: fast and other have the same objects"),
    ("objects --good fast --bad='-O2 -fno-such'", "--bad: -O2 -fno-such cannot be built: "),
    (
        "kernels --good debian:linux-6.1 --bad debian:linux-6.12",
        "study.toml: no variant has a kernel of its own",
    ),
    ("flags --good fast --bad slow --measure indirect-jumps", "--measure indirect-jumps: "),
]
BAD_PASSES = [
    ("passes --good all --bad 0", "--object: 4 files are compiled; "),
    ("passes --good all --bad 0 --object a.o", "--object a.o: no object with func"),
]


def _check_bad_input(
    study: Path, cases: Sequence[tuple[str, str]], capsys: pytest.CaptureFixture[str]
) -> None:
    for options, error in cases:
        assert main(["search", str(study), "--axis", *shlex.split(options)]) == 2
        assert error in capsys.readouterr().err


def test_bad_input(own_home: Home, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _check_bad_input(_study(tmp_path / "study"), BAD_INPUT, capsys)


@pytest.mark.usefixtures("needs_clang")
def test_passes_that_cannot_be(
    own_home: Home, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _check_bad_input(_study(tmp_path / "study", "zig:clang-19"), BAD_PASSES, capsys)


@pytest.mark.usefixtures("needs_clang")
def test_the_pass_over_one_object(own_home: Home, tmp_path: Path) -> None:
    study = _study(tmp_path / "study", "zig:clang-19")
    # Between the 60th and the 80th pass over hot.c, that of the inliner over hot alone matters.
    ends = ("--axis", "passes", "--object", "hot.o", "--good", "80", "--bad", "60")
    found, said = _search(study, *ends)
    assert found["answer"]["outcome"] == "culprit"
    place = found["answer"]["where"]["first"]
    assert "InlinerPass on (hot), left out" in found["candidates"][place]["title"]
    assert "InlinerPass on (hot)" in " ".join(said.split())


#: Of two loops that gcc turns into vectors the second does all of the work.
LOOPS = """
#include <stdio.h>
static int a[4096];
__attribute__((noinline)) static void rarely(void) { for (int i = 0; i < 4096; i++) a[i] += i; }
__attribute__((noinline)) static void often(void) { for (int i = 0; i < 4096; i++) a[i] ^= 3 * i; }
int main(void) {
    rarely();
    for (int i = 0; i < 100; i++) often();
    return printf("%d\\n", a[7]) < 0;
}
"""


def test_the_decision_of_gcc_over_one_object(own_home: Home, tmp_path: Path) -> None:
    study = _study(tmp_path / "study")
    (study / "loops.c").write_text(LOOPS)
    text = (study / "study.toml").read_text()
    (study / "study.toml").write_text(text.replace(str(PARTS), ".").replace('"-O2"', '"-O3"'))
    ends = ("--good", "vect_loop:all", "--bad", "vect_loop:0")
    found, said = _search(study, "--axis", "passes", "--object", "loops.o", *ends)
    titles = [c["title"] for c in found["candidates"]]
    assert titles[1:] == ["vect_loop 2 of 2, left out", "vect_loop 1 of 2, left out"]
    assert found["answer"]["outcome"] == "culprit"
    assert found["answer"]["where"]["first"] == 1
    assert "vect_loop 2 of 2" in " ".join(said.split())
