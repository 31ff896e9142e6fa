"""Small programs that differ in one known thing: the account names it, with the tools there are.

perf may be forbidden where tests run, and strace and valgrind be missing: a test then asks what is
there for the same answer, or is skipped where nothing can know it.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from tests.studies.test_run import whyfast

from whyfast.store.home import Home

#: A loop that gcc vectorises where it may.
LOOP = """\
#include <stdio.h>
static float a[4096], b[4096];
__attribute__((noinline)) void work(void)
{
    for (int i = 0; i < 4096; i++)
        a[i] = a[i] * 0.5f + b[i];
}
int main(void)
{
    for (int i = 0; i < 5000; i++)
        work();
    return a[7] > 1;
}
"""
LINES = """\
#include <stdio.h>
#ifndef WORK
#define WORK 0
#endif
#ifndef COUNT
#define COUNT 100000
#endif
int main(void)
{
    for (volatile long i = 0; i < WORK; i++)
        ;
    setvbuf(stdout, 0, MODE, 4096);
    for (int i = 0; i < COUNT; i++)
        fprintf(stdout, "line %d\\n", i);
    return 0;
}
"""
MEMORY = """\
#include <stdlib.h>
#include <string.h>
static char kept[64];
__attribute__((noinline)) int work(int i)
{
    char *p = FRESH ? malloc(64) : kept;
    p[i & 63] = (char)i;
    __asm__ volatile("" : : "r"(p) : "memory");
    int x = p[i & 63];
    if (FRESH)
        free(p);
    return x;
}
int main(void)
{
    int sum = 0;
    for (int i = 0; i < 400000; i++)
        sum += work(i);
    return sum == 1;
}
"""
SLEEP = """\
#include <time.h>
int main(void)
{
    for (volatile int i = 0; i < 2000000; i++)
        ;
    struct timespec t = {0, NANOSECONDS};
    for (int i = 0; i < 10; i++)
        nanosleep(&t, 0);
    return 0;
}
"""

pytestmark = pytest.mark.skipif(shutil.which("gcc") is None, reason="needs gcc")


def build(folder: Path, source: str, fast: str, slow: str) -> tuple[str, str]:
    """Two programs of one source, each with its flags."""
    (folder / "p.c").write_text(source)
    for name, flags in (("fast", fast), ("slow", slow)):
        line = ["gcc", "-g", *flags.split(), "p.c", "-o", name]
        subprocess.run(line, cwd=folder, check=True)
    return str(folder / "fast"), str(folder / "slow")


def account(folder: Path, commands: tuple[str, str], *options: str) -> dict[str, Any]:
    """Measured for longer where two seconds on a busy machine decide nothing."""
    out = folder / "why.json"
    found: dict[str, Any] = {"undecided": True}
    for budget in ("2s", "8s", "30s"):
        if found["undecided"]:
            names = ["-n", "fast", "-n", "slow", "--budget", budget, "--simulate", "20s"]
            whyfast("why", *commands, *names, *options, "--json", str(out))
            found = json.loads(out.read_text())["data"]["found"]["account"]
    return found


def works(*argv: str) -> bool:
    """Whether a tool is there and may do what is asked of it."""
    if shutil.which(argv[0]) is None:
        return False
    return subprocess.run(argv, capture_output=True, check=False).returncode == 0


@pytest.fixture
def needs_user_time(tmp_path: Path) -> None:
    record = ("perf", "record", "-q", "-e", "cpu-clock:u", "-o", str(tmp_path / "data"), "true")
    if not works(*record) and not works("valgrind", "--version"):
        pytest.skip("needs perf that may sample, or valgrind")


@pytest.fixture
def needs_strace(tmp_path: Path) -> None:
    if not works("strace", "-c", "-o", str(tmp_path / "table"), "true"):
        pytest.skip("needs strace that may trace")


@pytest.mark.usefixtures("own_home", "needs_user_time")
def test_a_loop_that_is_not_vectorised(tmp_path: Path) -> None:
    found = account(tmp_path, build(tmp_path, LOOP, "-O3", "-O3 -fno-tree-vectorize"))
    assert (found["fast"], found["slow"]) == ("fast", "slow")
    first = found["causes"][0]
    assert (first["key"], first["place"]["function"]) == ("vectorisation", "work")
    assert first["share"] > 0.5
    assert found["ratio"] > 1.5


@pytest.mark.usefixtures("own_home", "needs_strace")
def test_output_that_is_not_buffered(tmp_path: Path) -> None:
    found = account(
        tmp_path,
        build(tmp_path, LINES, "-O2 -DMODE=_IOFBF", "-O2 -DMODE=_IONBF"),
        "--simulate",
        "0",
    )
    first = found["causes"][0]
    assert first["key"] == "system-calls"
    assert first["items"][0] == "write"
    calls = next(f for f in first["facts"] if f["name"] == "write calls")
    assert calls["slow"] == 100000
    assert calls["fast"] < 1000


@pytest.mark.usefixtures("own_home", "needs_user_time")
def test_memory_that_is_allocated_anew(tmp_path: Path) -> None:
    found = account(tmp_path, build(tmp_path, MEMORY, "-O1 -DFRESH=0", "-O1 -DFRESH=1"))
    first = found["causes"][0]
    assert first["key"] == "allocation"
    assert first["share"] > 0.4


@pytest.mark.usefixtures("own_home", "needs_strace")
def test_a_program_that_sleeps(tmp_path: Path) -> None:
    found = account(tmp_path, build(tmp_path, SLEEP, "-DNANOSECONDS=0", "-DNANOSECONDS=5000000"))
    assert found["causes"][0]["key"] == "sleep"
    waiting = found["split"]["waiting"]
    assert waiting["slow"] - waiting["fast"] > 0.04


@pytest.mark.usefixtures("own_home")
def test_equal_programs_have_no_cause(tmp_path: Path) -> None:
    found = account(tmp_path, build(tmp_path, LOOP, "-O2", "-O2"), "--margin", "30%")
    assert found["causes"] == []
    assert found["items"] == []


def test_without_tools_the_limits_are_named(
    own_home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (own_home.cache / "toolchains").unlink(missing_ok=True)  # may have a Valgrind
    # More of user time, too, than the few milliseconds that the kernel counts by.
    more = "-O2 -DMODE=_IONBF -DWORK=20000000L -DCOUNT=400000"
    commands = build(tmp_path, LINES, "-O2 -DMODE=_IOFBF -DCOUNT=400000", more)
    nothing = tmp_path / "bin"
    nothing.mkdir()
    monkeypatch.setenv("PATH", str(nothing))
    found = account(tmp_path, commands)
    limits = " ".join(found["limits"])
    assert all(tool in limits for tool in ("perf", "strace", "valgrind"))
    assert "system-calls" not in [c["key"] for c in found["causes"]]
    assert found["split"]["kernel"]["slow"] > found["split"]["kernel"]["fast"]


@pytest.mark.usefixtures("own_home")
@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["true"], "1; expected two"),
        (["true", "true", "true"], "3; expected two"),
        (["true", "./absent"], "'./absent': program not found"),
        (["true", "false"], "false: exit code 1"),
        ([], "no stored result"),
        (["true", "true", "--simulate", "soon"], "--simulate soon"),
        (["true", "true", "--input", "absent.txt"], "absent.txt"),
    ],
    ids=["one", "three", "not found", "failing", "none", "duration", "input"],
)
def test_bad_input_is_one_line(arguments: list[str], words: str) -> None:
    done = whyfast("why", *arguments, code=2)
    lines = [n for n in done.stderr.splitlines() if n != "measuring …"]
    assert len(lines) == 1
    assert words in lines[0]
    assert done.stdout == ""


@pytest.mark.usefixtures("needs_user_time")
def test_ctrl_c_leaves_nothing_behind(
    own_home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setenv("TMPDIR", str(scratch))
    # Long enough that a busy machine does not miss the moment when a tool runs.
    longer = LOOP.replace("i < 5000", "i < 50000")
    commands = build(tmp_path, longer, "-O3", "-O3 -fno-tree-vectorize")
    argv = [sys.executable, "-m", "whyfast.cli.main", "why", *commands]
    process = subprocess.Popen(
        [*argv, "--budget", "20s", "--simulate", "300s"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        # Commands in the background of a script inherit that it is ignored.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )  # fmt: skip
    assert process.stderr is not None
    for line in process.stderr:
        if "looking for the cause" in line:
            break
    deadline = time.monotonic() + 20
    while not list(scratch.glob("whyfast-*/*")) and time.monotonic() < deadline:
        assert process.poll() is None, process.stderr.read()
        time.sleep(0.01)  # until a tool runs
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "slower" in out
    assert list(scratch.iterdir()) == []
    assert [p for p in _running() if str(tmp_path) in p] == []


def _running() -> list[str]:
    lines = []
    for pid in filter(str.isdecimal, os.listdir("/proc")):
        try:
            lines.append(Path("/proc", pid, "cmdline").read_text(errors="replace"))
        except OSError:
            continue
    return lines
