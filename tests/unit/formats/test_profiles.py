"""Text of perf stat, perf report and perf script. Profiles of Callgrind and Cachegrind, also such
as we write ourselves from known costs."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.golden_files import Hear

from whyfast.formats.profiles import (
    ENOUGH,
    DamagedProfile,
    best,
    parse_cachegrind,
    parse_callgrind,
    parse_perf_report,
    parse_perf_script,
    parse_perf_stat,
)

#: perf 6.1 on a virtual machine without counters.
VIRTUAL = """\
# started on Sat Nov 21 22:11:06 2026

{"counter-value" : "0.680160", "unit" : "msec", "event" : "task-clock:u", "event-runtime" : 680160, "pcnt-running" : 100.00, "metric-value" : 0.773929, "metric-unit" : "CPUs utilized"}
{"counter-value" : "<not supported>", "unit" : "", "event" : "instructions:u", "event-runtime" : 0, "pcnt-running" : 100.00, "metric-value" : 0.000000, "metric-unit" : ""}
"""  # noqa: E501

#: perf 6.1, with a second metric on a line of its own, and a metric that is no number.
WITH_METRICS = """\
{"counter-value" : "1419380.000000", "unit" : "", "event" : "cycles:u", "event-runtime" : 1397967, "pcnt-running" : 100.00, "metric-value" : 1.015317, "metric-unit" : "GHz"}
{"counter-value" : "2838760.000000", "unit" : "", "event" : "instructions:u", "event-runtime" : 1397967, "pcnt-running" : 100.00, "metric-value" : 2.000000, "metric-unit" : "insn per cycle"}
{"metric-value" : 0.05, "metric-unit" : "stalled cycles per insn"}
{"counter-value" : "<not counted>", "unit" : "", "event" : "branches:u", "event-runtime" : 0, "pcnt-running" : 0.00, "metric-value" : nan, "metric-unit" : ""}
"""  # noqa: E501

#: perf 6.11 and later: numbers in quotes, thresholds, two kinds of cores.
HYBRID = """\
{"counter-value" : "0.000000", "unit" : "", "event" : "cpu_atom/instructions/u", "event-runtime" : 0, "pcnt-running" : "0.00", "metric-value" : "0.000000", "metric-unit" : ""}
{"counter-value" : "5000000.000000", "unit" : "", "event" : "cpu_core/instructions/u", "event-runtime" : 10, "pcnt-running" : "100.00", "metric-value" : "2.5", "metric-unit" : "insn per cycle", "metric-threshold" : "good"}
{"counter-value" : "2000000.000000", "unit" : "", "event" : "cpu_core/cycles/u", "event-runtime" : 10, "pcnt-running" : "54.20", "metric-value" : "none"}
"""  # noqa: E501

#: perf 5.15: no -j, fields with a separator, in a language with another decimal point.
FIELDS = """\
# started on Mon Jan  1 00:00:00 2024

0,88;msec;task-clock:u;881788;100,00;0,816;CPUs utilized
123456;;instructions:u;881788;100,00;1,5;insn per cycle
;;;;;0,2;stalled cycles per insn
<not supported>;;stalled-cycles-frontend:u;0;100,00;;
0;;L1-icache-loads:u;881788;100,00;;
"""


def test_a_machine_without_counters(golden: Hear) -> None:
    clock, instructions = parse_perf_stat(VIRTUAL)
    assert (clock.name, clock.value, clock.unit) == ("task-clock", 0.68016, "msec")
    assert (instructions.name, instructions.value) == ("instructions", None)
    golden(instructions.reason)


def test_counts_beside_metrics(golden: Hear) -> None:
    events = parse_perf_stat(WITH_METRICS)
    values = {e.name: e.value for e in events}
    assert values == {"cycles": 1419380.0, "instructions": 2838760.0, "branches": None}
    golden(events[2].reason)


def test_the_kind_of_core_that_ran_the_program_counts() -> None:
    events = parse_perf_stat(HYBRID)
    core = best(events, "instructions")
    assert core is not None
    assert (core.pmu, core.value) == ("cpu_core", 5e6)
    cycles = best(events, "cycles")
    assert cycles is not None
    assert (cycles.value, cycles.reason) == (None, "counted only 54 % of the time")


def test_fields_of_old_versions() -> None:
    found = {e.name: e for e in parse_perf_stat(FIELDS)}
    assert found["task-clock"].value == 0.88
    assert found["instructions"].value == 123456
    assert found["stalled-cycles-frontend"].value is None
    assert found["L1-icache-loads"].reason.startswith("the counter stayed at 0")


def test_an_event_that_is_not_there() -> None:
    assert best(parse_perf_stat(VIRTUAL), "cycles") is None


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"event": 3}', "garbage\n;;\n# x"])
def test_what_is_no_event_is_passed_over(text: str) -> None:
    assert parse_perf_stat(text) == []


@given(st.text())
def test_any_text_is_read_without_an_error(text: str) -> None:
    for event in parse_perf_stat(text + '\n{"event": "x", "counter-value": "' + text + '"}'):
        assert (event.value is None) == bool(event.reason)
        assert event.value is None or event.value > 0


@given(st.integers(0, 2**62), st.floats(0, 100))
def test_zero_and_multiplexed_counts_are_never_used(count: int, percent: float) -> None:
    line = f'{{"counter-value" : "{count}", "event" : "cycles:u", "pcnt-running" : {percent:.2f}}}'
    (event,) = parse_perf_stat(line)
    usable = count > 0 and round(percent, 2) / 100 >= ENOUGH
    assert event.value == (float(count) if usable else None)


FLAT = "    55d0c7e0 work\n    55d0c7e4 work\n    7f00aa10 memcpy\n"
NAMED = """\
prog  4242 100.000001:     250123 cycles:u:      55d0c7e0 work+0x14 (/tmp/a prog/prog)
prog  4242 100.000250:     250123 cycles:u:      7f00aa10 memcpy@@GLIBC_2.14+0x3 (/lib/libc.so.6)
prog  4242 100.000500:     250123 cycles:u:      55d0c7e4 work+0x18 (/tmp/a prog/prog)
"""
STACKS = """\
prog 4242 100.000001: 250123 cycles:u:
\t        55d0c7e0 work+0x14 (/tmp/prog)
\t        55d0c700 main+0x20 (/tmp/prog)

prog 4242 100.000250: 250123 cycles:u:
\t        55d0c704 std::vector<int, std::allocator<int> >::at(unsigned long)+0x2 (/tmp/prog)
\t        55d0c700 main+0x20 (/tmp/prog)

"""
AT = "std::vector<int, std::allocator<int> >::at(unsigned long)"
BARE_STACKS = "    55d0c7e0 work\n    55d0c700 main\n\n    55d0c704 work\n    55d0c700 main\n\n"


@pytest.mark.parametrize(
    ("text", "samples"),
    [
        (FLAT, {("", "work"): 2, ("", "memcpy"): 1}),
        (NAMED, {("/tmp/a prog/prog", "work"): 2, ("/lib/libc.so.6", "memcpy@@GLIBC_2.14"): 1}),
        (STACKS, {("/tmp/prog", "work"): 1, ("/tmp/prog", AT): 1}),
        (BARE_STACKS, {("", "work"): 2}),
        ("", {}),
        ("int main(void) { return 0; }\n", {}),
    ],
)
def test_each_sample_has_its_function(text: str, samples: dict[tuple[str, str], int]) -> None:
    assert dict(parse_perf_script(text)) == samples


@given(st.text())
def test_no_text_is_too_odd(text: str) -> None:
    assert all(number > 0 for number in parse_perf_script(text).values())


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


def test_parts_are_added_up() -> None:
    profile = parse_callgrind(CALLGRIND + CALLGRIND)
    assert profile.totals == (232, 18, 8)
    assert profile.costs["/usr/bin/vm", "main"] == [52, 2, 0]
    parts = "events: Ir\nsummary: 5\nfn=f\n1 5\ntotals: 7\n"
    assert parse_callgrind(parts).totals == (7,)


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
    assert parse_perf_report(text)[1] == {("prog", "std::get<[int; 4]>"): 7, ("prog", "main"): 7}


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
