"""Profiles of Callgrind and Cachegrind, also such as we write ourselves from known costs."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from whyfast.formats.profiles import (
    DamagedProfile,
    parse_cachegrind,
    parse_callgrind,
    parse_perf_report,
)

CALLGRIND = """\
# callgrind format
version: 1
creator: callgrind-3.19.0
pid: 4354
cmd:  ./vm run a=b
part: 1

desc: I1 cache: 65536 B, 64 B, 16-way associative

positions: line
events: Ir Bi Bim
summary: 116 9 4

ob=(1) /usr/bin/vm
fl=(1) vm.c
fn=(1) main
10 5
+2 1 1
cob=(2) /lib/libc.so.6
cfi=(2) io.c
cfn=(2) puts
calls=1 408
* 60 3 2
fi=(3) inlined.h
7 10
fe=(1)
12 10 0
fn=(3) op_add'2
20 20 4 2
jcnd=1/2 +3
20
ob=(2)
fl=(2)
fn=(2)
30 60 3 2
- 10 1

totals: 116 9 4
""".replace("\n- 10", "\n-3 10")

CACHEGRIND = """\
desc: I1 cache:         65536 B, 64 B, 16-way associative
cmd: ./vm run
events: Ir Bi Bim
fl=vm.c
fn=main
10 5 . .
12 1 1 0
fl=inlined.h
fn=main
7 10
fl=io.c
fn=(below main)
30 60 3 2
summary: 76 4 2
"""

_COST = st.tuples(st.integers(1, 2**50), st.integers(0, 2**50), st.integers(0, 2**50))
_NAME = st.text("abc_:<>*&, 0", min_size=1, max_size=8).map(str.strip).filter(bool)
_RECORDS = st.lists(
    st.tuples(st.sampled_from(["vm", "libc.so"]), _NAME, st.integers(0, 99), _COST), max_size=20
)


def test_own_costs_by_function() -> None:
    profile = parse_callgrind(CALLGRIND)
    assert profile.events == ("Ir", "Bi", "Bim")
    assert profile.totals == (116, 9, 4)
    assert profile.costs == {
        ("/usr/bin/vm", "main"): [26, 1, 0],
        ("/usr/bin/vm", "op_add'2"): [20, 4, 2],
        ("/lib/libc.so.6", "puts"): [70, 4, 2],
    }
    assert profile.desc == ["I1 cache: 65536 B, 64 B, 16-way associative"]


def test_calls_with_what_the_callee_costs_with_all_that_it_calls() -> None:
    assert parse_callgrind(CALLGRIND).calls == {
        (("/usr/bin/vm", "main"), ("/lib/libc.so.6", "puts")): [1, 60, 3, 2]
    }


#: Of --dump-instr=yes: a call, two of a function in the same object, and a recursion.
BY_INSTRUCTION = """\
version: 1
positions: instr line
events: Ir Bi
ob=(1) /usr/bin/vm
fn=(1) main
0x1040 0 5
0x1044 0 1
cfn=(2) op_add
calls=3 0x1100 0
0x1044 0 60 3
cfn=(2)
calls=2 0x1100 0
0x1050 0 40
0x1050 0 2
fn=(2)
0x1100 0 90 3
cfn=(2)
calls=4 0x1100 0
0x1104 0 12
ob=(2) /lib/libc.so.6
fn=(3) puts
0x1040 0 7
"""


def test_places_are_addresses_of_each_object() -> None:
    profile = parse_callgrind(BY_INSTRUCTION)
    assert profile.places == {
        "/usr/bin/vm": {0x1040: [5, 0], 0x1044: [1, 0], 0x1050: [2, 0], 0x1100: [90, 3]},
        "/lib/libc.so.6": {0x1040: [7, 0]},
    }
    main, add = ("/usr/bin/vm", "main"), ("/usr/bin/vm", "op_add")
    assert profile.calls == {(main, add): [5, 100, 3], (add, add): [4, 12, 0]}
    assert profile.costs[add] == [90, 3]
    assert parse_callgrind(CALLGRIND).places == {}  # by line, not by instruction


def test_parts_are_added_up() -> None:
    profile = parse_callgrind(CALLGRIND + CALLGRIND)
    assert profile.totals == (232, 18, 8)
    assert profile.costs["/usr/bin/vm", "main"] == [52, 2, 0]


def test_cachegrind_names_no_objects() -> None:
    profile = parse_cachegrind(CACHEGRIND)
    assert profile.totals == (76, 4, 2)
    assert profile.costs == {("", "main"): [16, 1, 0], ("", "(below main)"): [60, 3, 2]}


@given(_RECORDS)
def test_a_callgrind_profile_is_read_back(records: list[tuple[str, str, int, list[int]]]) -> None:
    lines = ["positions: line", "events: Ir Bi Bim", ""]
    ids: dict[tuple[str, str], int] = {}
    wanted: dict[tuple[str, str], Counter[int]] = {}
    for object_, name, line, costs in records:
        for key, value in (("ob", object_), ("fn", name)):
            known = (key, value) in ids
            number = ids.setdefault((key, value), len(ids) + 1)
            lines.append(f"{key}=({number})" if known else f"{key}=({number}) {value}")
        while costs and costs[-1] == 0:
            costs = costs[:-1]
        lines.append(" ".join(map(str, [line, *costs])))
        wanted.setdefault((object_, name), Counter()).update(dict(enumerate(costs)))
    profile = parse_callgrind("\n".join(lines))
    assert profile.costs == {k: [c[0], c[1], c[2]] for k, c in wanted.items()}


@given(_RECORDS)
def test_a_cachegrind_profile_is_read_back(records: list[tuple[str, str, int, list[int]]]) -> None:
    lines = ["events: Ir Bi Bim"]
    wanted: dict[tuple[str, str], Counter[int]] = {}
    for file, name, line, costs in records:
        counts = " ".join(str(c) if c else "." for c in costs)
        lines += [f"fl={file}", f"fn={name}", f"{line} {counts}"]
        wanted.setdefault(("", name), Counter()).update(dict(enumerate(costs)))
    profile = parse_cachegrind("\n".join(lines))
    assert profile.costs == {k: [c[0], c[1], c[2]] for k, c in wanted.items()}


@pytest.mark.parametrize("parse", [parse_callgrind, parse_cachegrind])
@pytest.mark.parametrize(
    "text",
    ["", "events: Ir\nfn=main\n10 x\n", "fn=main\n10 5\n", "events: Ir\nfn=f\n10 5 6\n", "oh dear"],
)
def test_damage_is_reported(parse: object, text: str) -> None:
    assert callable(parse)
    with pytest.raises(DamagedProfile):
        parse(text)


def test_a_name_that_was_never_written_out() -> None:
    with pytest.raises(DamagedProfile, match="name 7 is not defined"):
        parse_callgrind("events: Ir\nfn=(7)\n1 1\n")


@given(st.text())
def test_any_text_is_read_or_called_damaged(text: str) -> None:
    for parse in (parse_callgrind, parse_cachegrind):
        try:
            parse("events: Ir\n" + text)
        except DamagedProfile:
            continue


def test_samples_by_function() -> None:
    event, samples = parse_perf_report(
        "# Samples: 62  of event 'cpu-clock:u'\n"
        "#      Samples;Shared Object       ;Symbol\n"
        " 18         ;ebpf-vm             ;[.] vm_run\n"
        " 1          ;libc.so.6           ;[.] 0x0000000000026000\n"
        " 2          ;ebpf-vm             ;[.] std::map<int, int>::at(int) const\n\n"
    )
    assert event == "cpu-clock"
    assert samples == {
        ("ebpf-vm", "vm_run"): 18,
        ("libc.so.6", "0x0000000000026000"): 1,
        ("ebpf-vm", "std::map<int, int>::at(int) const"): 2,
    }


def test_no_samples() -> None:
    assert parse_perf_report("Error: nothing recorded\n") == ("", Counter())


def test_a_row_of_perf_report_is_three_fields_between_semicolons() -> None:
    text = (
        "  7 ; prog ; [.] std::get<[int; 4]> \n"  # a symbol may have one itself
        "7;prog;[.]main\n7;prog;main\nx;prog;[.] main\n7;prog;[..] main\n7;prog;[.] \n;;\n"
        "1" * 1 + "0" * 5000 + ";prog;[.] main\n"
    )
    assert parse_perf_report(text)[1] == {
        ("prog", "std::get<[int; 4]>"): 7,
        ("prog", "main"): 7,
    }
