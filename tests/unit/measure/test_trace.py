"""Traced runs, from a strace that is a double."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from tests.golden_files import Hear
from tests.unit.measure.tools import Answer, Replay, said

from whyfast.measure import tools

HEAD = "% time     seconds  usecs/call     calls    errors syscall\n"
KERNEL = f"{HEAD} 90.00    0.500000           5    100000           write\n"
WALL = f"{HEAD} 90.00    2.500000          25    100000           write\n"

STACKS = """\
write(1, "a", 1) = 1
 > /lib/libc.so.6(__write+0x10) [0xf8350]
 > /x/slow(flush+0x26) [0x1076]
write(1, "b", 1) = 1
 > /lib/libc.so.6(__write+0x10) [0xf8350]
 > /x/slow(log_line+0x26) [0x1076]
write(1, "c", 1) = 1
 > /lib/libc.so.6(__write+0x10) [0xf8350]
 > /x/slow(log_line+0x26) [0x1076]
fsync(3) = 0
 > /lib/libc.so.6(fsync+0x10) [0xf8350]
"""


CALLS = """\
7 write(1, ""..., 65536) = 65536
7 read(3,  <unfinished ...>
8 write(4, "= 99", 5) = -1 EPIPE (Broken pipe)
7 <... read resumed>""..., 512) = 100
8 read(3, "", 512)                   = 0
8 +++ exited with 0 +++
"""


def strace(argv: Sequence[str]) -> tools.Finished:
    if "-s0" in argv:
        Path(argv[argv.index("-o") + 1]).write_text(CALLS)
        return said("")
    text = STACKS if "-k" in argv else WALL if "-w" in argv else KERNEL
    Path(argv[argv.index("-o") + 1]).write_text(text)
    return said("what the program printed", 3)


def tool_run(replay: Replay) -> tools.ToolRun:
    return tools.ToolRun(("./slow", "-o", "x"), replay, {"LANG": "C"}, 9.0, enter=("enter", "--"))


def test_a_run_has_system_time_and_wall_time_of_each_call() -> None:
    replay = Replay({"strace": strace})
    run = tools.trace_calls(tool_run(replay), waits=True)
    assert run == tools.TracedRun(
        {"write": tools.CallRow("write", 0.5, 100000, 0)},
        {"write": tools.CallRow("write", 2.5, 100000, 0)},
    )
    assert (run.number("write"), run.number("fsync")) == (100000, 0)
    assert [call[:3] for call in replay.calls] == [("/usr/bin/strace", "-f", "-c")] * 2
    assert {call[-5:] for call in replay.calls} == {("enter", "--", "./slow", "-o", "x")}
    assert replay.environments == [{"LANG": "C"}] * 2
    assert tools.trace_calls(tool_run(replay), waits=False) == replace(run, waits={})
    assert len(replay.calls) == 3


def test_strace_runs_on_the_cpu_of_what_it_traces() -> None:
    """On two idle CPUs 360,000 calls took 35 s, on one of them 4.5 s."""
    replay = Replay({"strace": strace, "taskset": strace})
    tools.trace_calls(replace(tool_run(replay), cpu=1), waits=False)
    assert replay.calls[0][:5] == ("/usr/bin/taskset", "-c", "1", "/usr/bin/strace", "-f")
    tools.trace_calls(
        replace(tool_run(Replay({"strace": strace})), cpu=1), waits=False
    )  # without it


def test_bytes_are_what_calls_return() -> None:
    replay = Replay({"strace": strace})
    assert tools.moved_bytes(tool_run(replay), ["read", "write"]) == {"read": 100, "write": 65_536}
    assert "trace=read,write" in replay.calls[0]


def test_the_most_common_stack_of_each_call() -> None:
    replay = Replay({"strace": strace})
    assert tools.callers_of(tool_run(replay), ["write", "fsync"]) == {
        "write": (("/lib/libc.so.6", "__write"), ("/x/slow", "log_line")),
        "fsync": (("/lib/libc.so.6", "fsync"),),
    }
    assert "trace=write,fsync" in replay.calls[0]


def test_callers_are_looked_for_for_a_short_time_and_what_is_there_then_counts() -> None:
    limits: list[float] = []

    class Slow(Replay):
        def run(self, argv: Sequence[str], *, timeout: float, **other: object) -> tools.Finished:
            limits.append(timeout)
            strace(argv)
            raise TimeoutError(f"still running after {timeout:g} s")

    replay = Slow({"strace": strace})
    assert tools.callers_of(tool_run(replay), ["write"])["write"][1] == ("/x/slow", "log_line")
    assert limits == [tools.CALLERS_SECONDS]


def test_a_strace_that_cannot_unwind_knows_no_callers() -> None:
    unknown = Replay({"strace": lambda argv: said("strace: -k is not implemented", 1)})
    assert tools.callers_of(tool_run(unknown), ["write"]) == {}


def _slow_to_end(argv: Sequence[str]) -> tools.Finished:
    raise TimeoutError("still running after 9 s")


@pytest.mark.parametrize(
    "answers",
    [
        {},
        {"strace": lambda argv: said("strace: ptrace(PTRACE_TRACEME): Operation not permitted", 1)},
        {"strace": lambda argv: said()},
        {"strace": _slow_to_end},
    ],
    ids=["missing", "forbidden", "silent", "too slow"],
)
def test_why_nothing_was_traced(answers: dict[str, Answer], golden: Hear) -> None:
    with pytest.raises(tools.CannotCount) as raised:
        tools.trace_calls(tool_run(Replay(answers)), waits=True)
    golden(str(raised.value))
