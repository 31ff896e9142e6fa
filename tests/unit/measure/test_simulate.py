"""Valgrind's model: how it is started, what is said when it fails, and that it repeats itself.

Which Valgrind simulates a study's programs."""

import os
import shutil
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.golden_files import Hear
from tests.unit.measure.tools import Answer, Replay, option, said

from whyfast.measure.doctor import System
from whyfast.measure.simulate import (
    Cache,
    Geometry,
    Simulator,
    Valgrind,
    choose_valgrind,
    fixed_environment,
    read_geometry,
    simulable,
    simulate,
    simulated_counters,
    valgrind_options,
)
from whyfast.measure.tools import CannotCount, Finished, Launcher, ToolRun
from whyfast.model.counters import Profile
from whyfast.model.errors import CannotBuildHere
from whyfast.store.home import Home
from whyfast.toolchain.debian import newer_valgrind, tool_words, valgrind_root, version_of

GEOMETRY = Geometry(*[Cache("L1i", 32768, 8, 64)] * 3)

OUT = """\
events: Ir Bc Bcm Bi Bim
ob=(1) /x/vm
fn=(1) vm_run
0 900 100 10 40 20
ob=(2) /lib/libc.so.6
fn=(2) puts
0 100 20 5
totals: 1000 120 15 40 20
"""


def _valgrind(
    out: str | None = OUT, log: str = "==77== Callgrind", status: int = 0
) -> Callable[..., Finished]:
    def answer(argv: Sequence[str]) -> Finished:
        if argv[-1] == "--version":
            return said("valgrind-3.19.0\n")
        Path(option(argv, "--log-file")).write_text(log)
        if out is not None:
            Path(option(argv, "--callgrind-out-file").replace("%p", "77")).write_text(out)
        return said("what the program printed", status)

    return answer


def _simulate(replay: Replay) -> tuple[Profile, str]:
    env = {"HOME": "/home/me", "VALGRIND_OPTS": "--tool=none", "DEBUGINFOD_URLS": "https://x"}
    return simulate(ToolRun(("./vm", "run"), replay, env, 9.0), GEOMETRY)


def _with_setarch(valgrind: Callable[..., Finished]) -> Replay:
    def setarch(argv: Sequence[str]) -> Finished:
        return said() if argv[2:] == ["true"] else valgrind(argv[2:])

    return Replay({"valgrind": valgrind, "setarch": setarch})


def test_what_is_fixed_so_that_runs_repeat() -> None:
    replay = _with_setarch(_valgrind())
    profile, failure = _simulate(replay)
    argv = replay.calls[-1]
    assert argv[:2] == ("/usr/bin/setarch", "-R")
    assert argv[-2:] == ("./vm", "run")
    assert {"--branch-sim=yes", "--cache-sim=yes", "--I1=32768,8,64"} <= set(argv)
    assert replay.environments[-1] == {
        "HOME": "/home/me",
        "PYTHONHASHSEED": "0",
        "LC_ALL": "C",
        "GODEBUG": "asyncpreemptoff=1",
        "GLIBC_TUNABLES": "glibc.cpu.hwcaps=-ERMS,",
        "GOMAXPROCS": "1",
    }
    assert failure == ""
    assert profile.notes == ()


def test_a_profile_and_its_counters() -> None:
    profile, _ = _simulate(_with_setarch(_valgrind()))
    assert (profile.source, profile.tool) == ("simulated", "callgrind of valgrind-3.19.0")
    assert [(f.name, f.object, f.costs["Ir"]) for f in profile.functions] == [
        ("vm_run", "", 900.0),
        ("puts", "libc.so.6", 100.0),
    ]
    counters = {c.name: c for c in simulated_counters(profile)}
    assert {c.source for c in counters.values()} == {"simulated"}
    assert counters["instructions"].value == 1000
    assert counters["branches"].value == 160
    assert counters["branch-misses"].value == 35
    assert counters["indirect branch miss rate"].value == 0.5
    assert counters["branch miss rate"].value == 35 / 160
    assert "L1i misses" not in counters


def test_a_simulated_zero_is_a_zero() -> None:
    profile, _ = _simulate(Replay({"valgrind": _valgrind("events: Ir Bi Bim\nfn=f\n0 5\n")}))
    counters = {c.name: c.value for c in simulated_counters(profile)}
    assert counters["indirect branch misses"] == 0
    assert "indirect branch miss rate" not in counters


def test_where_addresses_cannot_be_fixed_it_says_so() -> None:
    refused = Replay({"valgrind": _valgrind(), "setarch": lambda argv: said("not permitted", 1)})
    for replay in (refused, Replay({"valgrind": _valgrind()})):
        profile, _ = _simulate(replay)
        assert any("address randomisation" in note for note in profile.notes)
        assert replay.calls[-1][0] == "/usr/bin/valgrind"


@pytest.mark.parametrize(
    ("valgrind", "message"),
    [
        (
            _valgrind(None, "valgrind: bad option", 1),
            r"no profile \(exit code 1: valgrind: bad opt",
        ),
        (_valgrind(None, "", -9), r"no profile \(killed by SIGKILL: what the program printed\)"),
        (
            _valgrind(log="vex amd64->IR: unhandled instruction bytes: 0x62", status=-4),
            "-march=x86-64-v3",
        ),
        (_valgrind("events: Ir\nfn=(3)\n"), "line 2 is not of a Callgrind profile"),
        (_valgrind("events: Ir\n"), "has no function in it: it is cut short"),
    ],
)
def test_failures_in_words(valgrind: Callable[..., Finished], message: str) -> None:
    with pytest.raises(CannotCount, match=message):
        _simulate(_with_setarch(valgrind))


def test_a_program_that_tries_an_instruction_and_goes_on_without() -> None:
    log = "==77== x\nvex amd64->IR: unhandled instruction bytes: 0x62"
    assert _simulate(_with_setarch(_valgrind(log=log)))[0].functions


def test_without_valgrind() -> None:
    with pytest.raises(CannotCount, match="valgrind is not installed"):
        _simulate(Replay({}))


@pytest.mark.parametrize(
    ("valgrind", "note"),
    [
        (_valgrind(log="==77== x\n### unhandled dwarf2 abbrev form 0x25\n"), "with -gdwarf-4"),
        (
            _valgrind(OUT.replace("vm_run", "???")),
            "90 % of the instructions are in functions without a name",
        ),
    ],
)
def test_gaps_in_a_profile_are_noted(valgrind: Callable[..., Finished], note: str) -> None:
    profile, _ = _simulate(_with_setarch(valgrind))
    assert note in ", ".join(profile.notes)
    assert len(profile.notes) == 1


def test_a_program_that_fails_is_reported_with_its_profile(golden: Hear) -> None:
    profile, failure = _simulate(_with_setarch(_valgrind(status=3)))
    golden(failure)
    assert profile.functions


def test_forked_processes_are_left_out(golden: Hear) -> None:
    def forks(argv: Sequence[str]) -> Finished:
        if argv[-1] != "--version":
            out = option(argv, "--callgrind-out-file")
            Path(out.replace("%p", "78")).write_text(OUT.replace("vm_run", "child"))
        return _valgrind()(argv)

    profile, _ = _simulate(_with_setarch(forks))
    assert profile.functions[0].name == "vm_run"
    golden(*profile.notes)


PROGRAM = """
#include <stdlib.h>
typedef int op(int);
__attribute__((noinline)) static int plus(int x) { return x + 1; }
__attribute__((noinline)) static int times(int x) { return x * 3; }
static op *volatile ops[] = {plus, times};
int main(void) {
    int x = 0;
    char *heap = malloc(3000);
    for (int i = 0; i < 1000; i++) { x = ops[(i * 7 >> 2) & 1](x); heap[i] = x; }
    return heap[5] == 99;
}
"""


@pytest.mark.parametrize("tool", ["callgrind", "cachegrind"])
def test_two_runs_of_the_real_thing_agree_exactly(tmp_path: Path, tool: Simulator) -> None:
    if not (shutil.which("valgrind") and shutil.which("gcc")):
        pytest.skip("needs valgrind and gcc")
    (tmp_path / "p.c").write_text(PROGRAM)
    program = tmp_path / "p"
    subprocess.run(["gcc", "-O1", "-g", tmp_path / "p.c", "-o", program], check=True)
    first, second = (
        simulate(
            ToolRun((str(program),), Launcher(), os.environ, 120),
            read_geometry(System()),
            tool=tool,
        )[0]
        for _ in range(2)
    )
    if any("address randomisation" in note for note in first.notes):
        pytest.skip("address randomisation cannot be switched off here")
    assert first == second
    plus = next(f for f in first.functions if f.name == "plus")
    assert plus.object == ""
    assert 500 <= plus.costs["Ir"] <= 10_000
    assert first.totals["Bi"] >= 1000
    assert sum(f.costs["Ir"] for f in first.functions) == first.totals["Ir"]
    # A shell that goes on behind it is another process.
    line = 'd=$(mktemp -d) && "$0"; status=$?; rm -rf "$d"; exit $status'
    for words in (("sh", "-c", line), ("sh", "-c", 'exec "$0"')):
        run = ToolRun((*words, str(program)), Launcher(), os.environ, 120)
        shut, failure = simulate(run, None, tool=tool)
        assert failure == ""
        assert [f.costs["Ir"] for f in shut.functions if f.name == "plus"] == [plus.costs["Ir"]]
        assert not [note for note in shut.notes if "child processes" in note]


def test_settings_of_go_that_a_user_has_are_kept() -> None:
    env = fixed_environment({"GODEBUG": "gctrace=1", "GOMAXPROCS": "8"})
    assert env["GODEBUG"] == "gctrace=1,asyncpreemptoff=1"
    assert env["GOMAXPROCS"] == "1"  # more of them spin under Valgrind


@pytest.mark.parametrize(
    ("given", "tunables"),
    [
        ("glibc.malloc.hugetlb=1", "glibc.malloc.hugetlb=1:glibc.cpu.hwcaps=-ERMS,"),
        ("glibc.cpu.hwcaps=-AVX2", "glibc.cpu.hwcaps=-AVX2"),
    ],
)
def test_glibc_does_not_copy_by_one_instruction(given: str, tunables: str) -> None:
    assert fixed_environment({"GLIBC_TUNABLES": given})["GLIBC_TUNABLES"] == tunables


L1 = Cache("L1", 32768, 512, 64)


@pytest.mark.parametrize(
    ("caches", "geometry"),
    [
        (
            [
                *((1, "Data", "48K", "12", "64"), (1, "Instruction", "64K", "16", "64")),
                *((2, "Unified", "2048K", "16", "64"), (3, "Unified", "480M", "16", "64")),
            ],
            Geometry(
                *(Cache("L1i", 65536, 16, 64), Cache("L1d", 49152, 12, 64)),
                Cache("L3", 480 << 20, 16, 64),
            ),
        ),
        (
            [(1, "Unified", "32K", "0", "64"), (2, "Unified", "1M", "16", "64")],
            Geometry(L1, L1, Cache("L2", 1 << 20, 16, 64)),
        ),
        ([], Geometry()),
    ],
)
def test_the_caches_of_a_machine(
    tmp_path: Path, caches: list[tuple[object, ...]], geometry: Geometry
) -> None:
    names = ("level", "type", "size", "ways_of_associativity", "coherency_line_size")
    for i, values in enumerate(caches):
        folder = tmp_path / f"sys/devices/system/cpu/cpu0/cache/index{i}"
        folder.mkdir(parents=True)
        for name, value in zip(names, values, strict=True):
            (folder / name).write_text(f"{value}\n")
    assert read_geometry(System(tmp_path)) == geometry
    second = read_geometry(System(tmp_path), levels=2)
    assert getattr(second.last, "name", "") == ("L2" if caches else "")


def test_options_are_the_caches_that_are_known() -> None:
    misses = ["--cache-sim=yes", "--branch-sim=yes"]
    caches = ["--I1=32768,8,64", "--D1=32768,8,64", "--LL=32768,8,64"]
    assert valgrind_options(GEOMETRY) == ([*misses, *caches], [])
    options, notes = valgrind_options(Geometry())
    assert (options, len(notes)) == (misses, 3)
    assert valgrind_options(None) == (["--cache-sim=no", "--branch-sim=no"], [])


def test_a_number_of_sets_that_is_no_power_of_two(golden: Hear) -> None:
    made, note = simulable(Cache("L3", 480 << 20, 16, 64))
    assert made == Cache("L3", 480 << 20, 30, 64)
    golden(note)


@given(st.integers(64, 1 << 30), st.integers(1, 64), st.integers(1, 512))
def test_simulations_are_valid_and_never_much_smaller(size: int, ways: int, line: int) -> None:
    made, _ = simulable(Cache("L1i", size, ways, line))
    for power in (made.sets, made.line):
        assert power & (power - 1) == 0
    assert made.line >= 16
    assert made.size == made.sets * made.ways * made.line
    assert made.size > made.line
    if size > 4 * max(line, 16) * ways:
        assert size / 2 < made.size <= size


Fetch = Callable[[Home, Callable[[str], None]], Path]


def _version(text: str) -> Answer:
    def answer(argv: Sequence[str]) -> Finished:
        return said(text + "\n")

    return answer


@pytest.fixture
def own(tmp_path: Path) -> Home:
    return Home(tmp_path / "cache", tmp_path / "data")


def _root(home: Home) -> Path:
    """A root with the tools in it, as if it had been made."""
    root = valgrind_root(home)
    library = root / "usr/libexec/valgrind"
    library.mkdir(parents=True)
    for architecture in ("amd64", "arm64"):
        for tool in ("callgrind", "dhat"):
            (library / f"{tool}-{architecture}-linux").touch()
    (root.parent / "digest").write_text("d\n")
    return root


def _choose(
    own: Home, replay: Replay, *, rooted: bool = False, newer: Fetch = newer_valgrind
) -> Valgrind:
    return choose_valgrind(replay, {}, own, rooted=rooted, note=lambda text: None, newer=newer)


def _replay(valgrind: str | None = "valgrind-3.19.0") -> Replay:
    tools = [f"{t}-{a}-linux" for t in ("callgrind", "dhat") for a in ("amd64", "arm64")]
    answers = {tool: _version("valgrind-3.24.0") for tool in tools}
    return Replay(answers if valgrind is None else {**answers, "valgrind": _version(valgrind)})


def test_the_machines_own_does_where_no_root_is_entered(own: Home) -> None:
    found = _choose(own, _replay())
    assert found.version == "valgrind-3.19.0"
    assert found.words["callgrind"] == ("/usr/bin/valgrind", "--tool=callgrind")


def test_a_newer_one_that_is_there_goes_before_an_older(own: Home) -> None:
    library = _root(own) / "usr/libexec/valgrind"
    found = _choose(own, _replay())
    assert found.version == "valgrind-3.24.0"
    assert found.words["callgrind"][0].startswith(f"{library}/callgrind-")
    assert found.env["VALGRIND_LIB"] == str(library)
    assert _choose(own, _replay("valgrind-3.25.1")).version == "valgrind-3.25.1"


@pytest.mark.parametrize(("valgrind", "rooted"), [("valgrind-3.25.1", True), (None, False)])
def test_it_is_made_for_roots_or_without_any(own: Home, valgrind: str | None, rooted: bool) -> None:
    found = _choose(own, _replay(valgrind), rooted=rooted, newer=lambda home, note: _root(home))
    assert found.version == "valgrind-3.24.0"


@pytest.mark.parametrize(
    ("valgrind", "rooted", "message"),
    [
        ("valgrind-3.19.0", True, "valgrind-3.19.0 of this machine is not seen in its root"),
        (None, False, "valgrind is not installed; and a newer one is not available: no mmdebstrap"),
    ],
)
def test_what_cannot_be_had_says_why(
    own: Home, valgrind: str | None, rooted: bool, message: str
) -> None:
    def fail(home: Home, note: object) -> Path:
        raise CannotBuildHere("no mmdebstrap")

    with pytest.raises(CannotCount, match=message):
        _choose(own, _replay(valgrind), rooted=rooted, newer=fail)


def test_a_root_without_the_tool(tmp_path: Path) -> None:
    with pytest.raises(CannotBuildHere, match="Valgrind has no callgrind for"):
        tool_words(tmp_path, "callgrind")


def test_versions() -> None:
    assert version_of("valgrind-3.19.0\n") == (3, 19)
    assert version_of("valgrind-3.24.0.GIT") == (3, 24)
    assert version_of("nonsense") == (0, 0)
