"""Text of perf stat, perf report and perf script."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.golden_files import Hear

from whyfast.formats.profiles import ENOUGH, best, parse_perf_script, parse_perf_stat

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
def test_each_sample_counts_for_the_function_that_ran(
    text: str, samples: dict[tuple[str, str], int]
) -> None:
    assert dict(parse_perf_script(text)) == samples


@given(st.text())
def test_no_text_is_too_odd(text: str) -> None:
    assert all(number > 0 for number in parse_perf_script(text).values())
