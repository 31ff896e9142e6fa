"""Every reader is fed spoiled inputs, and much of what would be its worst."""

import contextlib
import os
import random
import resource
import time
import traceback
from pathlib import Path
from typing import TextIO

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.fuzz.readers import READERS, REFUSED, mutated

#: Characters; what is not linear takes minutes for as many, what is, less than a second.
SIZE = 200_000
#: Seconds of CPU time, many times what the slowest needs.
MOST_CPU = 25


def repeated(unit: str, before: str = "", after: str = "\nx\n") -> bytes:
    return (before + unit * ((SIZE - len(before)) // len(unit)) + after).encode()


def member(name: str, size: int) -> bytes:
    return f"{name:<16}{0:<12}{0:<6}{0:<6}{644:<8}{size:<10}`\n".encode()


#: By reader: what its expressions, lists and tables like least.
WORST: dict[str, dict[str, bytes]] = {
    "profiles": {
        "spaces": repeated(" "),
        "spaces in a row of perf report": repeated(" ", "7;"),
        "spaces behind the symbol": repeated(" ", "7;a;[.] f", "x"),
        "separators": repeated("7 ; "),
        "a number": repeated("7", after=";a;[.] f"),
        "addresses": repeated("abcd a+0x"),
        "brackets": repeated("abcd a ("),
        "heads": repeated("x 1.1: 1 "),
        "no numbers": repeated('{"event":nan ,'),
        "events": repeated("a ", "# callgrind format\nevents: "),
        "escapes in a name of git": repeated("\\303", 'diff --git a b\n+++ "', '"'),
    },
    "results": {
        "spaces": repeated(" "),
        "lists": repeated("["),
        "objects": repeated('{"a":'),
        "a number": repeated("1", "["),
        "benchmarks of Go": repeated("BenchmarkA 1 1 ns/op\n"),
        "processes of Go": repeated("goos: \n"),
        "columns": repeated(",a", "benchmark,seconds"),
        "rows": repeated("a,1,2\n", "benchmark,process,seconds\n", ""),
        "an open quote": repeated("x", 'benchmark,process,seconds\n"'),
    },
    "studies": {
        "a key of many parts": repeated("a.", after="a=1\n"),
        "a table of many parts": repeated("a.", "[", "a]\n"),
        "a quoted key of many parts": repeated('"a" . ', after="a=1\n"),
        "parts, as many as may be": repeated("a." * 99 + "b=1\n"),
        "deep lists": repeated("1,", "a=" + "[" * 90),
        "deeper lists": repeated("1,", "a=" + "[" * 200),
        "deep tables": repeated("a={b="),
        "quotes": repeated('"'),
        "tables": repeated("[[a]]\n"),
        "lines": repeated("\n"),
    },
    "projects": {
        "lines": repeated("\n"),
        "spaces": repeated(" "),
        "project(": repeated("project("),
        "a long command of CMake": repeated("n ", "add_executable(n x)\nset_property( "),
        "target_link_libraries": repeated("target_link_libraries(y ", "add_executable(n x)\n"),
        "folders of CMake that are their own": repeated("add_subdirectory(.)\n"),
        "make that asks itself": repeated("all: t\n\t$(MAKE) -C . all\nt: all\n"),
        "asks": repeated("$(MAKE) ", "all:\n\t"),
        "a chain of targets": "\n".join(
            ["t0: t1", *(f".PHONY: t{i}\nt{i}: t{i + 1}" for i in range(1, 30_000))]
        ).encode(),
        "benchmarks": repeated("BENCHMARK("),
        "a key of many parts": repeated("a.", after="a=1\n"),
    },
    "messages": {"lists": repeated("["), "a number": repeated("1", '{"kind":', "}")},
    "report": {"lists": repeated("["), "a number": repeated("1", '{"schema":', "}")},
    "archives": {
        "members": b"!<arch>\n" + member("a/", 0) * 16_000,
        "names of members": b"!<arch>\n" + member("//", 500_000) + b"a" * 500_000
        + member("/1", 0) * 8_000,
        "ends of zip archives": b"PK\3\4" + b"PK\5\6" * 160_000,
    },
}  # fmt: skip


@pytest.mark.parametrize("reader", sorted(WORST))
def test_much_of_its_worst_takes_a_reader_linear_time(reader: str, tmp_path: Path) -> None:
    """In a process that the kernel ends when it has had too much CPU time or memory: no clock."""
    said = tmp_path / "said"
    pid = os.fork()
    if pid == 0:
        try:
            with said.open("w", buffering=1) as out:
                feed(reader, out)
        finally:
            os._exit(0)
    status = os.waitpid(pid, 0)[1]
    assert said.read_text().endswith("\ndone\n"), (status, said.read_text())


def feed(reader: str, out: TextIO) -> None:
    """All of its worst; says each before it is read."""
    for limit, most in (resource.RLIMIT_CPU, MOST_CPU), (resource.RLIMIT_AS, 4_000_000_000):
        resource.setrlimit(limit, (most, most))
    for name, data in WORST[reader].items():
        print(name, file=out)
        before = time.process_time()
        try:
            READERS[reader].read(data)
        except REFUSED:
            pass
        except BaseException:
            traceback.print_exc(file=out)
            return
        print(f"  {time.process_time() - before:.1f} s", file=out)
    print("done", file=out)


#: Objects and whole reports have tests like this of their own, and take longer.
@pytest.mark.parametrize(
    "reader", ["archives", "messages", "profiles", "projects", "results", "studies", "report"]
)
def test_what_is_spoiled_is_read_or_refused(reader: str) -> None:
    seeds = READERS[reader].seeds()

    @settings(max_examples=60, deadline=None, database=None)
    @given(st.sampled_from(seeds), st.integers(0, 2**32))
    def check(seed: bytes, drawn: int) -> None:
        with contextlib.suppress(*REFUSED):
            READERS[reader].read(mutated(seed, random.Random(drawn)))

    check()


#: The smallest of what fuzzing found, by reader.
FOUND = {
    "archives": [
        # a zip archive that has a file without a name
        bytes.fromhex(
            "504b03041400000800a6ff77a53aaa62ba090000bf9c612f622e00f57177ab63a0000000504b0102"
            "1403140000000000a67d775d3aaa62ba090000004000000006000000000000ff000000008001df61"
            "002f0000622e736f504b050600000000010001003400000000ff00000000"
        ),
        # a package whose first header has a length that no machine can count
        bytes.fromhex(
            "213c617263683e0a64656269616e2d62696e61727920202030202020202020ffff2a202030202020"
            "2020302020202020363434202020202034202020202020202020600a322e300a646174612e746172"
            "2e677a20202020203020202020202020202020203020202020203020202020203634342020202020"
            "31393320202020202020600a1f8b0800016c046b02ffedd5310ac23014c6f1cc9ea22768921ae224"
            "ba280e0e5e21da822e2a6d0ad93c8fe7f062d68a2242714a45fcff963c1e81373c3e5e2a53395db9"
            "b0285c5e94220a75d7f5aa4c9b67ddf675d3ca4412440feacabbb2192ffe93363f2a393abf1dd755"
            "29d7bbbdbc9cc3970c047af758fbe200c674e65fbfd4ffffffffb52251e43fbad36c450100000000"
            "00392705003f6ca2f8947fa5deee7ff3001b91ff3e71053caa87290e174aee00a4cea4ce4280e273"
            "33d7c244ff"
        ),
    ],
    "profiles": [b'+++ "b/\xc6\x86\\"', b'+++ "b/\\'],
    "studies": [b"a=" + b"[" * 5000],
}


@pytest.mark.parametrize(("reader", "data"), [(r, d) for r, found in FOUND.items() for d in found])
def test_what_fuzzing_found_is_read_or_refused(reader: str, data: bytes) -> None:
    with contextlib.suppress(*REFUSED):
        READERS[reader].read(data)
