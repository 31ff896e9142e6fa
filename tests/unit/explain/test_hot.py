"""Hot functions of profiles, and where they lie."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.unit.explain.test_command import run

from whyfast.explain.functions import Program
from whyfast.explain.hot import hot_functions, lines_of, overlap, read_heat, set_load
from whyfast.explain.objects import Function
from whyfast.explain.program import load
from whyfast.measure.simulate import Cache
from whyfast.model.counters import FunctionCost, Profile
from whyfast.model.errors import UserError

Make = Callable[[dict[str, tuple[int, int]]], Program]
SMALL = Cache("L1i", 8 * 64, 1, 64)  # eight sets of one line


@pytest.fixture
def program(make_elf: Callable[..., bytes], tmp_path: Path) -> Make:
    """A program with functions at these offsets (from 0x10000) and of these sizes."""

    def make(functions: dict[str, tuple[int, int]]) -> Program:
        size = max(offset + size for offset, size in functions.values())
        path = tmp_path / f"program{len(list(tmp_path.iterdir()))}"
        path.write_bytes(make_elf(b"\xc3" * size, b"", functions, machine=62, text_at=0x10000))
        return load(path)

    return make


def _profile(costs: dict[tuple[str, str], float], total: float | None = None) -> Profile:
    functions = tuple(FunctionCost(n, o, {"Ir": c}) for (o, n), c in costs.items())
    whole = sum(costs.values()) if total is None else total
    return Profile("callgrind", "simulated", ("Ir",), functions, {"Ir": whole})


def test_the_largest_difference_comes_first(program: Make) -> None:
    a = program({"vm_run": (0, 640), "load": (640, 64), "rare": (704, 8)})
    b = program({"vm_run": (0, 128), "op_add": (128, 64), "load": (640, 64)})
    found, _ = hot_functions(
        [
            _profile({("", "vm_run"): 900.0, ("", "load"): 96.0, ("", "rare"): 4.0}),
            _profile({("", "op_add"): 700.0, ("", "vm_run"): 150.0, ("", "load"): 96.0,
                      ("libc.so.6", "puts"): 54.0}),
        ],
        [a, b],
        ["a", "b"],
    )  # fmt: skip
    assert [(f.name, f.object, f.costs) for f in found] == [
        ("vm_run", "", (900.0, 150.0)),
        ("op_add", "", (None, 700.0)),
        ("puts", "libc.so.6", (None, 54.0)),
        ("load", "", (96.0, 96.0)),
    ]
    assert found[0].shares == (0.9, 0.15)
    vm_run = found[0].places[0]
    assert vm_run is not None
    assert (vm_run.address, vm_run.size, vm_run.lines, vm_run.pages) == (0x10000, 640, 10, 1)
    assert found[1].places[0] is None
    assert found[2].places == (None, None)


def test_pieces_copies_and_recursion_are_one_function(program: Make) -> None:
    names = {"f": (0, 64), "f.cold": (1024, 32), "f.constprop.0": (2048, 64)}
    found, _ = hot_functions(
        [_profile({("", "f"): 1.0, ("", "f.cold"): 2.0, ("", "f.constprop.0"): 3.0,
                   ("", "f'2"): 4.0})],
        [program(names)],
        ["a"],
    )  # fmt: skip
    (f,) = found
    assert (f.name, f.costs) == ("f", (10.0,))
    place = f.places[0]
    assert place is not None
    assert (place.size, place.lines, place.pages) == (160, 3, 1)


def test_what_is_cold_everywhere_is_left_out(program: Make) -> None:
    profile, built = (
        _profile({("", "f"): 999.0, ("", "g"): 1.0}),
        program({"f": (0, 8), "g": (8, 8)}),
    )
    assert [f.name for f in hot_functions([profile], [built], ["a"])[0]] == ["f"]


def test_a_profile_without_any_cost(program: Make) -> None:
    found, overlaps = hot_functions([_profile({})], [program({"f": (0, 8)})], ["a"])
    assert found == []
    assert overlaps[0].functions == 0


def test_functions_that_share_cache_sets(program: Make) -> None:
    """Two functions of two lines, eight lines apart: both fall on sets 0 and 1."""
    profile = _profile({("", "f"): 50.0, ("", "g"): 50.0})
    apart = program({"f": (0, 128), "g": (128, 128)})
    clash = program({"f": (0, 128), "g": (512, 128)})
    found, (good, bad) = hot_functions([profile] * 2, [apart, clash], ["good", "bad"], SMALL)
    assert (good.lines, good.fullest, good.crowded) == (4, 1, 0)
    assert (bad.lines, bad.fullest, bad.crowded, bad.capacity) == (4, 2, 2, 8)
    crowded = [[p.crowded for p in f.places if p] for f in found]
    assert crowded == [[0, 2], [0, 2]]


def _piece(address: int, size: int) -> Function:
    return Function(("f",), address, address, size, ".text")


def test_lines_are_counted_by_the_bytes_they_hold() -> None:
    assert lines_of([_piece(63, 2)], 64) == {0, 1}
    assert lines_of([_piece(64, 64)], 64) == {1}
    assert lines_of([_piece(64, 0)], 64) == set()


def test_a_line_of_two_functions_is_loaded_once() -> None:
    groups = [[_piece(0, 32)], [_piece(32, 32)]]
    assert set_load(groups, SMALL) == {0: 1}
    assert overlap("a", groups, SMALL).lines == 1


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
    for words in ((program, "--profile", endless), (endless,), (program, endless, "--diff")):
        with pytest.raises(UserError, match="is not a file") as caught:
            run(*words)
        assert caught.value.where == str(endless)


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
