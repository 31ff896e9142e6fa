"""Accounts of differences, one for each thing that their report can hold."""

from __future__ import annotations

from dataclasses import replace

from tests.unit.report.example import ab_result
from tests.unit.report.parts import changed

from whyfast.model.result import Result
from whyfast.model.why import (
    Account,
    Cause,
    Change,
    CountedCode,
    CountedLine,
    CountedRow,
    Fact,
    Frame,
    Item,
    Place,
    Trial,
)

WORK = Place("work", "v.c", 7)
WIDTH = Fact("bytes per vector instruction", 32.0, 4.0, "bytes", "counted", "disassembly")
INSTRUCTIONS = Fact("instructions", 246e6, 1.97e9, "", "counted", "Callgrind")
WRITES = Fact("write calls", 1_140.0, 400_001.0, "", "counted", "strace")
FAULTS = Fact("page faults", 60.0, 12_060.0, "", "measured", "accounting of the kernel")

CODE = CountedCode(
    "work",
    "work",
    "executions",
    (
        CountedRow(
            CountedLine("L1: vmulps ymm1, ymm2, [rax]", 30.7e6, "v.c:7"),
            CountedLine("L1: vmulss xmm0, xmm3, [rax]", 246e6, "v.c:7"),
            differs=True,
            skipped=4,
        ),
        CountedRow(
            CountedLine("add rax, 0x20", 30.7e6),
            CountedLine("add rax, 4", 246e6, "v.c:6"),
            differs=True,
        ),
        CountedRow(
            CountedLine("jne short L1", 30.7e6), CountedLine("jne short L1", 246e6), differs=False
        ),
        CountedRow(CountedLine("vzeroupper", 60_000.0), None, differs=True),
    ),
    last=3,
)

FRAMES = Frame(
    "all",
    0.012,
    0.090,
    (
        Frame(
            "main",
            0.012,
            0.084,
            (
                Frame("work", 0.010, 0.080, (Frame("work", 0.0, 0.010),)),
                Frame("parse<char>", 0.002, 0.001),
            ),
        ),
        Frame("memset", 0.0, 0.006),
    ),
)

#: A loop that is no longer vectorised, a trial of it, page faults, and a part without a reason.
VECTORISED = Account(
    fast="./a input",
    slow="./b input",
    ratio=3.42,
    low=3.31,
    high=3.55,
    time=Change(0.031, 0.106, 0.0716, 0.0791),
    split={
        "user": Change(0.012, 0.0765, 0.0631, 0.0660),
        "kernel": Change(0.018, 0.0288, 0.0090, 0.0126),
        "waiting": Change(0.001, 0.0007, -0.0010, 0.0004),
    },
    items=(
        Item(
            "user",
            "work",
            Change(0.010, 0.0697, 0.0580, 0.0614),
            0.796,
            WORK,
            (INSTRUCTIONS,),
            ("main",),
        ),
        Item(
            "kernel",
            "page faults",
            Change(0.0, 0.0098, 0.0082, 0.0114),
            0.131,
            Place("page faults"),
            (FAULTS,),
        ),
        Item("user", "memset", Change(0.0, 0.0048, 0.0041, 0.0055), 0.064, Place("memset")),
        Item("user", "parse", Change(0.002, 0.0010, -0.0014, -0.0006), -0.0133, Place("parse")),
    ),
    causes=(
        Cause(
            "vectorisation",
            "`work` is not vectorised (4 bytes an instruction, `./a input` 32; 8x the "
            "instructions)",
            0.796,
            0.774,
            0.819,
            ("work",),
            "counted",
            WORK,
            (WIDTH, INSTRUCTIONS),
            Trial("`work` of ./a input", 0.79, 0.75, 0.83, 12, "env LD_PRELOAD=work.so"),
            "gcc: v.c:6: not vectorized: no vectype, -fno-tree-vectorize is given",
            "look at the loop's remarks: gcc -fopt-info-vec-missed",
        ),
        Cause(
            "page-faults",
            "it touches more memory for the first time: 12,060 page faults where `./a input` has "
            "60",
            0.131,
            0.109,
            0.152,
            ("page faults",),
            "measured",
            Place("page faults"),
            (FAULTS,),
        ),
    ),
    explained=0.927,
    limits=("not tried: huge pages: no cc",),
    costs={"system calls": 1.5, "functions": 4.25},
    slowdown=1.031,
    frames=FRAMES,
    code=CODE,
    next_command="whyfast explain --diff --function work ./a ./b  # both machine codes",
)

#: System calls, from a line, and five more causes, of which there is no room for all.
WRITING = replace(
    VECTORISED,
    fast="./a",
    slow="./b",
    ratio=7.4,
    low=7.2,
    high=7.6,
    items=(
        Item(
            "kernel",
            "write",
            Change(0.0, 0.0608, 0.0540, 0.0676),
            0.81,
            Place("write", "io.c", 9),
            (WRITES,),
            ("fprintf", "main"),
        ),
    ),
    causes=(
        Cause(
            "system-calls",
            "it makes 400,001 `write` calls where `./a` makes 1,140, from `fprintf` in `main` "
            "(io.c:9)",
            0.81,
            0.72,
            0.90,
            ("write",),
            "counted",
            Place("write", "io.c", 9),
            (WRITES,),
        ),
        *(
            Cause(
                "more-calls",
                f"it calls `f{i}` 400,000 times (`./a`: 0)",
                0.02,
                0.01,
                0.03,
                (f"f{i}",),
                "counted",
                Place(f"f{i}"),
            )
            for i in range(5)
        ),
    ),
    explained=0.91,
    limits=(),
    frames=None,
    code=None,
    next_command="",
)

#: Most of it has no name, and lies in two functions.
UNEXPLAINED = replace(
    VECTORISED,
    causes=VECTORISED.causes[1:],
    explained=0.131,
    limits=("user time was not sampled: perf is not installed",),
    modelled=True,
    slowdown=None,
    frames=None,
    code=None,
    next_command="",
)

#: Nothing was looked for.
EQUAL = Account(
    "./a",
    "./b",
    1.003,
    0.998,
    1.008,
    Change(0.1, 0.1003, -0.0002, 0.0008),
    {"user": Change(0.1, 0.1003, -0.0002, 0.0008)},
)


def why_result(account: Account = VECTORISED) -> Result:
    """The result of two commands with that account."""
    return changed(ab_result(), account=account)
