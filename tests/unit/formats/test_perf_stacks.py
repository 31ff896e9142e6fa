"""Stacks of samples by process."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from whyfast.formats.profiles import SampledProcess, StackFrame, parse_stacks

#: A shell starts ./old, then a shell that starts ./new with a thread.
SCRIPT = """\
    0/0         0.000000: PERF_RECORD_COMM: perf-exec:70/70
   70/70     4185.277350: PERF_RECORD_COMM exec: sh:70/70
   70/70     4185.278002: PERF_RECORD_FORK(71:71):(70:70)
   71/71     4185.278124: PERF_RECORD_COMM exec: old:71/71
   71/71     4185.278355:     250689
\t           14645 handle_amd+0x25 (/usr/lib/ld-linux-x86-64.so.2)
\t               0 [unknown] ([unknown])

   71/71     4185.278605:     250689
\t            1205 work+0x35 (/tmp/my programs/old)
\t            1080 main (/tmp/my programs/old)

   71/71     4185.278855:     250690
\t            1205 work+0x35 (/tmp/my programs/old)
\t            1080 main (/tmp/my programs/old)

   71/71     4185.279799: PERF_RECORD_EXIT(71:71):(70:70)
   70/70     4185.280103: PERF_RECORD_FORK(72:72):(70:70)
   72/72     4185.280156: PERF_RECORD_COMM exec: sh:72/72
   72/72     4185.280697: PERF_RECORD_FORK(73:73):(72:72)
   73/73     4185.280749: PERF_RECORD_COMM exec: new program:73/73
   73/73     4185.281390: PERF_RECORD_FORK(73:74):(73:73)
   73/74     4185.281990:    1003009
\t            120a operator new(unsigned long)+0x3a (/tmp/new (deleted))

   73/73     4185.288213: PERF_RECORD_EXIT(73:73):(72:72)
"""

LOADER = StackFrame("handle_amd", 0x25, "/usr/lib/ld-linux-x86-64.so.2", 0x14645)
NOWHERE = StackFrame("", 0, "[unknown]", 0)
WORK = StackFrame("work", 0x35, "/tmp/my programs/old", 0x1205)
MAIN = StackFrame("main", 0, "/tmp/my programs/old", 0x1080)
NEW = StackFrame("operator new(unsigned long)", 0x3A, "/tmp/new (deleted)", 0x120A)


def test_processes_with_their_parents_names_and_stacks() -> None:
    processes = parse_stacks(SCRIPT.splitlines())
    assert list(processes) == [70, 71, 72, 73]
    assert processes[71] == SampledProcess(
        71, 70, ["old"], Counter({(LOADER, NOWHERE): 250689, (WORK, MAIN): 501379}), 3
    )
    assert (processes[72].parent, processes[72].names) == (70, ["sh"])
    assert processes[72].samples == 0


def test_a_thread_counts_for_its_process() -> None:
    process = parse_stacks(SCRIPT.splitlines())[73]
    assert (process.parent, process.names) == (72, ["new program"])
    assert process.stacks == {(NEW,): 1003009}


def test_the_last_sample_needs_no_empty_line_behind_it() -> None:
    text = "  9/9   1.5:   1000\n\t  1205 work+0x35 (/tmp/my programs/old)"
    assert parse_stacks(text.splitlines())[9].stacks == {(WORK,): 1000}


def test_a_sample_without_frames_and_frames_without_a_sample_are_none() -> None:
    text = "\t  1205 work+0x35 (/tmp/old)\n  9/9   1.5:   1000\n\nNo kallsyms or vmlinux\n"
    assert parse_stacks(text.splitlines()) == {}


@given(st.text())
def test_any_text_is_read(text: str) -> None:
    parse_stacks((SCRIPT + text).splitlines())
