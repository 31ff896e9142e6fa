"""What a recorded profile says of the functions that differ."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.unit.explain.test_command import run

from whyfast.explain.hot import read_heat
from whyfast.model.errors import UserError

Compile = Callable[..., Path]

CALLGRIND = """\
# callgrind format
version: 1
events: Ir
ob=(1) /tmp/old
fn=(1) warm
1 30
fn=(2) work'2
1 60
ob=(2) /lib/libc.so.6
fn=(3) memcpy
1 10
totals: 100
"""


def test_shares_are_of_the_whole_run_and_of_the_program(tmp_path: Path) -> None:
    profile = tmp_path / "callgrind.out.1"
    profile.write_text(CALLGRIND)
    heat = read_heat(profile, [Path("/builds/old"), Path("/builds/new")])
    assert (heat.source, heat.shares) == ("callgrind.out.1", {"warm": 0.3, "work": 0.6})
    assert heat.is_hot("warm")
    assert not heat.is_hot("memcpy")


def test_perf_s_text_will_do(tmp_path: Path) -> None:
    profile = tmp_path / "samples.txt"
    profile.write_text("    55d0c7e0 work\n    55d0c7e4 work\n    55d0c700 _Z4warmi\n")
    heat = read_heat(profile, [])
    assert heat.of("work") == pytest.approx(2 / 3)


@pytest.mark.parametrize("text", ["", "hello\n", "# callgrind format\nevents: Ir\nfn=(9)\n"])
def test_what_is_no_profile_is_an_error(text: str, tmp_path: Path) -> None:
    profile = tmp_path / "p"
    profile.write_text(text)
    with pytest.raises(UserError) as error:
        read_heat(profile, [])
    assert str(error.value).startswith(f"{profile}: ")


SOURCE = """
__attribute__((noinline)) int cold(int a)
{{ int s = 0; for (int i = 0; i < a; i++) s += {0}; return s; }}
__attribute__((noinline)) int work(int a) {{ return a {1}; }}
int main(int n, char **v) {{ return work(n) + cold(n); }}
"""


def test_hot_functions_go_first(
    gcc: Compile, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    a = gcc(SOURCE.format("i", "* 3"), "-O1")
    b = gcc(SOURCE.format("i * i ^ a", "* 77 + 5"), "-O1")
    profile, out = tmp_path / "samples.txt", tmp_path / "out.json"
    profile.write_text("    55d0c7e0 work\n")
    assert run(a, b, "--profile", profile, "--json", out) == 0
    lines = capsys.readouterr().out.splitlines()
    said = " ".join(lines[:2])
    assert said.startswith("cold and work differ, of ")
    assert said.rstrip().endswith("functions in both, 1 of them hot according to samples.txt.")
    work, cold = (
        next(i for i, x in enumerate(lines) if x.startswith(n)) for n in ("work ", "cold  ")
    )
    assert lines[work].split()[:3] == ["work", "100.0", "%"]
    assert work < cold
    assert json.loads(out.read_text())["data"]["profile"]["shares"] == {"work": 1.0}
    assert run(a, b, "--profile", profile, "--diff") == 0
    printed = capsys.readouterr().out
    assert printed.index(": work: ") < printed.index(": cold: ")


@pytest.mark.parametrize("name", ["pipe", "/dev/zero"])
def test_what_never_ends_is_no_profile_and_no_program(
    gcc: Compile, tmp_path: Path, name: str
) -> None:
    os.mkfifo(tmp_path / "pipe")
    program, endless = gcc("int main(void) { return 0; }", "-O1"), tmp_path / name
    with pytest.raises(UserError, match="is not a file") as caught:
        run(program, "--profile", endless)
    assert caught.value.where == str(endless)
    with pytest.raises(UserError, match="is not a file"):
        run(endless)
    with pytest.raises(UserError, match="is not a file"):
        run(program, endless, "--diff")


def test_a_profile_of_more_bytes_than_any_has(tmp_path: Path) -> None:
    large = tmp_path / "large"
    with large.open("wb") as out:
        out.truncate(10**9 + 1)
    with pytest.raises(UserError, match="has more than 1000 MB"):
        read_heat(large, [])


def test_a_profile_that_is_not_there(gcc: Compile, tmp_path: Path) -> None:
    program = gcc("int main(void) { return 0; }", "-O1")
    with pytest.raises(UserError, match="cannot be read: No such file"):
        run(program, "--profile", tmp_path / "nothing")
