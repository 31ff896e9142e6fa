"""Flags of both sides, as compilers recorded them."""

from __future__ import annotations

import pytest

from whyfast.explain.options import CompilerRecord
from whyfast.formats.opt_records import MissedOptimisation
from whyfast.model.why import Account, Cause, Change, SourcePlace
from whyfast.why.remarks import flag_remark, with_flags, with_records

GCC = "-mtune=generic -march=x86-64 -g {} -fasynchronous-unwind-tables"


def record(flags: str, compiler: str = "gcc 12.2.0") -> CompilerRecord:
    return CompilerRecord(compiler, {}, tuple(GCC.format(flags).split()))


@pytest.mark.parametrize(
    ("key", "fast", "slow", "text"),
    [
        ("debug-build", "-O2", "-O0", "gcc 12.2.0: built with -O0, ./a with -O2"),
        ("debug-build", "-O2", "", "gcc 12.2.0: built with -O0, ./a with -O2"),
        (
            "vectorisation",
            "-O3",
            "-O3 -fno-tree-vectorize",
            "gcc 12.2.0: -fno-tree-vectorize is given",
        ),
        (
            "vectorisation",
            "-O3 -mavx2",
            "-O3",
            "gcc 12.2.0: without -mavx2, which ./a is built with",
        ),
        # The last of a flag and its opposite holds.
        ("vectorisation", "-O3 -ftree-vectorize", "-O3 -fno-tree-vectorize -ftree-vectorize", ""),
        ("vectorisation", "-O0 -O3", "-O1 -O3", ""),
        # What cannot be the reason is not named.
        ("vectorisation", "-O3", "-O3 -fstack-protector-strong -g3 -fdebug-prefix-map=/x=/y", ""),
        (
            "hardening",
            "-O2",
            "-O2 -fstack-protector-all",
            "gcc 12.2.0: -fstack-protector-all is given",
        ),
        (
            "more-work",
            "-O2",
            "-O2 -fwrapv -fno-builtin",
            "gcc 12.2.0: -fwrapv -fno-builtin are given",
        ),
    ],
)
def test_flags_that_matter_to_a_cause(key: str, fast: str, slow: str, text: str) -> None:
    assert flag_remark(key, "./a", record(fast), record(slow)) == text


def test_other_compilers_are_named_and_a_side_without_a_record_says_nothing() -> None:
    clang = CompilerRecord("clang 16.0.6")
    assert (
        flag_remark("inlining", "./a", record("-O2"), clang)
        == "clang 16.0.6: built by clang 16.0.6, ./a by gcc 12.2.0"
    )
    assert flag_remark("inlining", "./a", CompilerRecord(), record("-O0")) == ""


def test_causes_in_libraries_and_outside_of_functions_have_no_remark() -> None:
    records = {"work": record("-O0")}
    places = SourcePlace("work"), SourcePlace("memcpy", library="libc.so.6"), SourcePlace()
    causes = tuple(Cause("debug-build", "", 0.3, 0, 1, (), "read", place) for place in places)
    time = Change(1, 2, 1, 1)
    account = with_flags(
        Account("./a", "./b", 2.0, 2.0, 2.0, time, {}, causes=causes),
        lambda name: record("-O2"),
        records.__getitem__,
    )
    assert [c.remark for c in account.causes] == [
        "gcc 12.2.0: built with -O0, ./a with -O2",
        "",
        "",
    ]


def caused(key: str, sentence: str, function: str, remark: str = "") -> Account:
    cause = Cause(key, sentence, 1.0, 1, 1, (), "read", SourcePlace(function), remark=remark)
    return Account("fast", "slow", 2.0, 2.0, 2.0, Change(1, 2, 1, 1), {}, causes=(cause,))


def remark(account: Account, fast: list[MissedOptimisation], slow: list[MissedOptimisation]) -> str:
    return with_records(account, fast, slow, "gcc").causes[0].remark


CALL = MissedOptimisation(("scan", "step"), "not inlinable: scan -> step, noinline", "m.c", 7)
LOOP = MissedOptimisation(("scan",), "not vectorized: control flow in loop", "m.c", 9)
VAGUE = MissedOptimisation(("scan",), "couldn't vectorize loop", "m.c", 9)
MEMORY = MissedOptimisation(("scan",), "statement clobbers memory: _5 = peek (_4)", "m.c", 9)


@pytest.mark.parametrize(
    ("fast", "slow", "key"),
    [
        ("-O2", "-O2 -ftrivial-auto-var-init=zero", "hardening"),
        ("-O2 -ftrivial-auto-var-init=zero", "-O2", "copying"),
        ("-O2", "-O3", "copying"),
    ],
)
def test_variables_that_a_flag_clears_are_hardening(fast: str, slow: str, key: str) -> None:
    time = Change(1.0, 2.0, 0.9, 1.1)
    place = SourcePlace(function="work")
    cause = Cause("copying", "`work` clears more memory", 0.9, 0.8, 1.0, (), "counted", place)
    account = Account("./a", "./b", 2.0, 1.9, 2.1, time, {"user": time}, causes=(cause,))
    marked = with_flags(account, lambda f: record(fast), lambda f: record(slow))
    assert marked.causes[0].key == key


def test_the_record_of_the_slow_side_that_fits_the_cause() -> None:
    inlining = caused("inlining", "`step` is not inlined into `scan`: 7 calls", "step")
    assert remark(inlining, [], [LOOP, CALL]) == (
        'gcc: "not inlinable: scan -> step, noinline" (m.c:7)'
    )
    vectors = caused("vectorisation", "`scan` is not vectorised", "scan", "gcc 12: built with -O2")
    assert remark(vectors, [], [VAGUE, MEMORY, CALL, LOOP]) == (
        'gcc: "not vectorized: control flow in loop" (m.c:9); gcc 12: built with -O2'
    )


def test_what_both_sides_have_missed_is_not_the_reason_wherever_it_stands() -> None:
    vectors = caused("vectorisation", "`scan` is not vectorised", "scan")
    before = MissedOptimisation(("scan",), "statement clobbers memory: _8 = peek (_7)", "m.c", 3)
    assert remark(vectors, [before], [MEMORY]) == ""


def test_records_of_other_functions_and_causes_are_left_out() -> None:
    other = caused("inlining", "`leaf` is not inlined into `scan`: 7 calls", "leaf")
    assert remark(other, [], [CALL]) == ""
    assert remark(caused("division", "`scan` divides", "scan"), [], [LOOP, CALL]) == ""


def test_go_names_the_function_that_it_cannot_inline() -> None:
    reason = "cannot inline Sum: function too complex: cost 99 exceeds budget 80"
    missed = MissedOptimisation(("Sum",), reason, "scan.go", 24)
    account = caused("inlining", "`example.com/s.Sum` is not inlined into `m.main`: 7 calls", "")
    assert remark(account, [], [missed]) == f'gcc: "{reason}" (scan.go:24)'
    other = caused("inlining", "`example.com/s.CheckSum` is not inlined into `m.main`: 7 calls", "")
    assert remark(other, [], [missed]) == ""
