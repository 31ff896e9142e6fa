"""Records of GCC 12.2 of a file of four lines, as it wrote them but for what nothing reads."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from whyfast.formats.opt_records import (
    MissedOptimisation,
    read_clang_record,
    read_gcc_record,
    read_go_record,
)

#: Of ``int scan(const int *p, int n) { … s += peek(p[i]) + other(i); … }``.
GCC = """[
{"format": "1", "generator": {"version": "12.2.0", "name": "GNU C17",
 "pkgversion": "(Debian 12.2.0-14+deb12u1) ", "target": "x86_64-linux-gnu"}},
[],
[
{"kind": "success", "location": {"line": 4, "file": "src/m.c", "column": 40},
 "message": ["loop vectorized using 16 byte vectors\\n"], "function": "fill"},
{"kind": "failure", "location": {"line": 4, "file": "src/m.c", "column": 90},
 "message": ["  not inlinable: ", {"symtab_node": "scan/1",
  "location": {"line": 4, "file": "src/m.c", "column": 5}}, " -> ", {"symtab_node": "peek/3"},
  ", function body not available\\n",
  "Unit growth for small function inlining: 34->34 (0%)\\n",
  "\\nInlined 0 calls, eliminated 0 functions\\n\\n"]},
{"kind": "scope", "function": "scan", "children": [
 {"kind": "failure", "location": {"line": 4, "file": "src/m.c", "column": 77},
  "message": ["statement clobbers memory: ", {"stmt": "_5 = peek (_4);\\n"}], "function": "scan"},
 {"kind": "failure", "location": {"line": 4, "file": "src/m.c", "column": 77}, "message": [],
  "function": "scan"}]},
{"kind": "failure", "message": ["couldn't vectorize loop\\n"], "function": "scan"}
]]"""


def test_what_was_not_done_with_functions_and_lines(tmp_path: Path) -> None:
    path = tmp_path / "m.c.opt-record.json.gz"
    path.write_bytes(gzip.compress(GCC.encode()))
    assert read_gcc_record(path) == [
        MissedOptimisation(
            ("scan", "peek"), "not inlinable: scan -> peek, function body not available", "m.c", 4
        ),
        MissedOptimisation(("scan",), "statement clobbers memory: _5 = peek (_4)", "m.c", 4),
        MissedOptimisation(("scan",), "couldn't vectorize loop"),
    ]


@pytest.mark.parametrize(
    "data",
    [
        b"no gzip",
        gzip.compress(GCC.encode())[:-20],
        gzip.compress(b"[1"),
        gzip.compress(json.dumps([{}]).encode()),
        gzip.compress(json.dumps([{}, [], ["text"]]).encode()),
    ],
    # Not the data: gzip writes the time, and pytest-xdist wants the same names in every worker.
    ids=("plain", "cut off", "no JSON", "one part", "no messages"),
)
def test_what_is_no_record_says_nothing(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "record"
    path.write_bytes(data)
    assert read_gcc_record(path) == []


def test_a_file_that_is_gone_says_nothing(tmp_path: Path) -> None:
    assert read_gcc_record(tmp_path / "none") == []


#: As Clang 14 wrote it of ``float scan(float *a, int n)``, four of its documents.
CLANG = """--- !Missed
Pass:            inline
Name:            NeverInline
DebugLoc:        { File: src/v.c, Line: 3, Column: 88 }
Function:        scan
Args:
  - String:          ''''
  - Callee:          peek
    DebugLoc:        { File: src/v.c, Line: 1, Column: 0 }
  - String:          ''' not inlined into '''
  - Caller:          scan
    DebugLoc:        { File: src/v.c, Line: 3, Column: 0 }
  - String:          ''' because it should never be inlined '
  - String:          '(cost=never)'
...
--- !Passed
Pass:            loop-unroll
Name:            PartialUnrolled
Function:        scan
...
--- !Missed
Pass:            loop-vectorize
Name:            MissedDetails
Function:        scan
Args:
  - String:          loop not vectorized
...
--- !Analysis
Pass:            loop-vectorize
Name:            CantVectorizeInstruction
DebugLoc:        { File: src/v.c, Line: 3, Column: 65 }
Function:        scan
Args:
  - String:          'loop not vectorized: '
  - String:          instruction cannot be vectorized
...
"""


def test_clang_says_what_it_missed_and_why_a_loop_is_not_vectorised(tmp_path: Path) -> None:
    path = tmp_path / "v.opt.yaml"
    path.write_text(CLANG)
    assert read_clang_record(path) == [
        MissedOptimisation(
            ("scan", "peek"),
            "'peek' not inlined into 'scan' because it should never be inlined (cost=never)",
            "v.c",
            3,
        ),
        MissedOptimisation(
            ("scan",), "loop not vectorized: instruction cannot be vectorized", "v.c", 3
        ),
    ]


@pytest.mark.parametrize("text", ["", "no record", "--- !Missed", "--- !Missed\nArgs:\n"])
def test_what_is_no_record_of_clang(tmp_path: Path, text: str) -> None:
    path = tmp_path / "v.opt.yaml"
    path.write_text(text)
    assert [m for m in read_clang_record(path) if m.text] == []
    assert read_clang_record(tmp_path / "none.opt.yaml") == []


#: Go 1.26, -gcflags=-m=2; its cache prints it again for each build.
GO = """\
# example.com/scan [example.com/scan.test]
./scan.go:3:6: can inline peek with cost 73 as: func(string, int) int { return 3 }
./scan.go:24:6: cannot inline (*Scanner).next: function too complex: cost 99 exceeds budget 80
./scan.go:24:6: cannot inline (*Scanner).next: function too complex: cost 99 exceeds budget 80
./scan.go:27:12: inlining call to peek
"""


def test_go_says_which_functions_it_cannot_inline() -> None:
    reason = "cannot inline (*Scanner).next: function too complex: cost 99 exceeds budget 80"
    expected = MissedOptimisation(("(*Scanner).next",), reason, "scan.go", 24)
    assert read_go_record(GO) == [expected]
    assert read_go_record("") == []
