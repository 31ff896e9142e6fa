"""Tables and stacks of strace."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from whyfast.measure.tools import CallRow, parse_strace_stacks, parse_strace_table

TABLE = """\
strace: Process 71 attached
% time     seconds  usecs/call     calls    errors syscall
------ ----------- ----------- --------- --------- ----------------
 98.01    0.519203           1    400001           write
  1.50    0.008000        8000         1         1 access
  0.49    0.002500           5       500        12 newfstatat
------ ----------- ----------- --------- --------- ----------------
100.00    0.529703           1    400502        13 total
"""

STACKS = """\
4711 write(1, "a > b\\n"..., 4096) = 4096
 > /usr/lib/x86_64-linux-gnu/libc.so.6(__write+0x10) [0xf8350]
 > /tmp/lines(main+0x26) [0x1076]
 > /tmp/lines(_start+0x21) [0x10b1]
[pid  4712] read(0, "", 1) = 0
 > /usr/lib/x86_64-linux-gnu/libc.so.6(__read+0x10) [0xf8250]
 > /tmp/lines() [0x1099]
write(1, "b"..., 4096) = 4096
 > /usr/lib/x86_64-linux-gnu/libc.so.6(__write+0x10) [0xf8350]
 > /tmp/lines(main+0x26) [0x1076]
 > /tmp/lines(_start+0x21) [0x10b1]
write(2, "c"..., 1) = 1
 > unexpected_backtracing_error [0x0]
+++ exited with 0 +++
"""

LIBC = "/usr/lib/x86_64-linux-gnu/libc.so.6"


def test_the_table_by_call_without_its_total() -> None:
    assert parse_strace_table(TABLE) == {
        "write": CallRow("write", 0.519203, 400001, 0),
        "access": CallRow("access", 0.008, 1, 1),
        "newfstatat": CallRow("newfstatat", 0.0025, 500, 12),
    }


def test_what_is_no_table_has_no_rows() -> None:
    assert (
        parse_strace_table("strace: ptrace(PTRACE_TRACEME, ...): Operation not permitted\n") == {}
    )


def test_stacks_by_call_from_the_innermost_function_outwards() -> None:
    main = (LIBC, "__write"), ("/tmp/lines", "main"), ("/tmp/lines", "_start")
    assert parse_strace_stacks(STACKS) == {
        "write": {main: 2},
        "read": {((LIBC, "__read"), ("/tmp/lines", "")): 1},
    }


@given(st.text())
def test_any_text_is_read(text: str) -> None:
    parse_strace_table(TABLE + text)
    parse_strace_stacks(STACKS + text)
