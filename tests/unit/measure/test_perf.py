"""Hardware counters, from what perf would have written."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pytest
from tests.golden_files import Hear
from tests.unit.measure.tools import Answer, Replay, said

from whyfast.measure.perf import GROUPS, available, measure_counters
from whyfast.measure.tools import CannotCount, Finished, ToolRun
from whyfast.model.counters import Counter

#: The seed's fast build of Python, as hardware with all of these events would count it.
COUNTS = {
    "instructions": 29_982_530_201,
    "cycles": 12_981_234_867,
    "branches": 5_613_631_616,
    "branch-misses": 16_006_564,
    "stalled-cycles-frontend": 1_460_980_720,
    "stalled-cycles-backend": 336_805_788,
    "L1-icache-loads": 10_134_106_571,
    "L1-icache-load-misses": 10_917_606,
    "iTLB-loads": 1_000_000,
    "iTLB-load-misses": 2_000,
}


def _perf(counts: Mapping[str, object], running: float = 100.0) -> Callable[..., Finished]:
    def answer(argv: Sequence[str]) -> Finished:
        if argv[1] == "--version":
            return said("perf version 6.1.187\n")
        events = argv[argv.index("-e") + 1].split(",")
        lines = [
            f'{{"counter-value" : "{counts.get(e.removesuffix(":u"), "<not supported>")}", '
            f'"event" : "{e}", "pcnt-running" : {running:.2f}, "metric-value" : nan}}'
            for e in events
        ]
        Path(argv[argv.index("-o") + 1]).write_text("# started\n\n" + "\n".join(lines))
        return said()

    return answer


def _measure(replay: Replay) -> dict[str, Counter]:
    counters = measure_counters(ToolRun(("./vm",), replay, {"A": "b"}, 9.0))
    assert all(c.source == "measured" for c in counters)
    assert all((c.value is None) == bool(c.note) for c in counters)
    return {c.name: c for c in counters}


def test_all_events_and_their_shares() -> None:
    replay = Replay({"perf": _perf(COUNTS)})
    found = _measure(replay)
    assert {n: c.value for n, c in found.items() if n in COUNTS} == COUNTS
    assert found["instructions"].tool == "perf 6.1.187"
    ipc = found["instructions per cycle"]
    assert ipc.value == pytest.approx(2.31, abs=0.005)
    assert ipc.unit == "per cycle"
    assert found["front end stalled"].value == pytest.approx(0.1125, abs=1e-4)
    assert found["L1i miss rate"].value == pytest.approx(0.0011, abs=1e-4)
    runs = [c for c in replay.calls if c[1] == "stat"]
    assert len(runs) == len(GROUPS)
    assert all(c[-2:] == ("--", "./vm") for c in runs)
    assert all(e["LC_ALL"] == "C" and e["A"] == "b" for e in replay.environments)


def test_no_group_is_larger_than_the_counters_of_any_processor() -> None:
    assert max(map(len, GROUPS)) <= 4


def test_a_machine_without_counters_is_asked_once() -> None:
    replay = Replay({"perf": _perf({})})
    found = _measure(replay)
    assert not available(list(found.values()))
    assert {found[n].note for n in COUNTS} == {"this machine does not count it"}
    assert len([c for c in replay.calls if c[1] == "stat"]) == 1


def test_some_events_only(golden: Hear) -> None:
    some = {n: COUNTS[n] for n in ("instructions", "cycles", "L1-icache-load-misses")}
    found = _measure(Replay({"perf": _perf({**some, "branches": 0})}))
    assert found["instructions per cycle"].value is not None
    assert found["branches"].value is None
    assert found["branches"].note.startswith("the counter stayed at 0")
    golden(found["branch miss rate"].note)
    assert found["L1i miss rate"].note == "without L1-icache-loads"


def test_multiplexed_counts_are_unavailable(golden: Hear) -> None:
    found = _measure(Replay({"perf": _perf(COUNTS, running=62.5)}))
    assert not available(list(found.values()))
    golden(found["cycles"].note)


def test_a_perf_that_does_not_know_json() -> None:
    def old(argv: Sequence[str]) -> Finished:
        if "-j" in argv:
            return said("Error: unknown switch `j'", 129)
        if argv[1] == "stat":
            assert argv[2:4] == ["-x", ";"]
            rows = [f"{COUNTS['cycles']};;{e};10;100.00;;" for e in ("instructions:u", "cycles:u")]
            Path(argv[argv.index("-o") + 1]).write_text("\n".join(rows))
        return said("perf version 5.10")

    assert _measure(Replay({"perf": old}))["instructions per cycle"].value == 1.0


def _refused(argv: Sequence[str]) -> Finished:
    return said("Error:\nAccess to performance monitoring is limited.", 255)


def _slow(argv: Sequence[str]) -> Finished:
    if argv[1] == "--version":
        return said("perf version 6.1")
    raise TimeoutError("still running after 9 s")


@pytest.mark.parametrize(
    ("answers", "reason"),
    [
        ({"perf": _refused}, r"counted nothing \(exit code 255: Error:\)"),
        ({"perf": _slow}, "still running after 9 s"),
        ({}, "perf is not installed"),
    ],
)
def test_perf_that_does_not_count(answers: Mapping[str, Answer], reason: str) -> None:
    with pytest.raises(CannotCount, match=reason):
        _measure(Replay(answers))
