"""What runs cost, counted twice: DHAT's summary, what does not repeat, and what cannot be had."""

from collections.abc import Mapping, Sequence

import pytest

from whyfast.measure.count import CountingTask, counted_costs, heap_counts, parse_dhat
from whyfast.measure.simulate import Valgrind
from whyfast.measure.tools import CannotCount, Finished, Launcher, ToolRun
from whyfast.model.cost import VariantCost

LOG = """\
==7== DHAT, a dynamic heap analysis tool
==7==
==7== Total:     1,100,000 bytes in {blocks} blocks
==7== At t-gmax: 101,000 bytes in 101 blocks
==7== At t-end:  {left} bytes in 100 blocks
==7== Reads:     0 bytes
"""
TABLE = """\
% time     seconds  usecs/call     calls    errors syscall
------ ----------- ----------- --------- --------- ----------------
 60.00    0.000060           6        {calls}           read
 40.00    0.000040           4        10         1 openat
------ ----------- ----------- --------- --------- ----------------
100.00    0.000100                    20         1 total
"""
VALGRIND = Valgrind("valgrind-3.24.0", {"callgrind": ("vg", "cg"), "dhat": ("vg", "dhat")})


class Tools(Launcher):
    """Writes what DHAT and strace would; the counts of the n-th run are ``1000 + step · n``."""

    def __init__(self, *, step: int = 0, allocations: int = 1000, status: int = 0) -> None:
        self.step, self.allocations, self.status, self.runs = step, allocations, status, 0
        self.installed = {"strace"}

    def find(self, name: str) -> str | None:
        return f"/bin/{name}" if name in self.installed else None

    def run(
        self,
        argv: Sequence[str],
        *,
        env: Mapping[str, str],
        timeout: float,
        pass_fds: Sequence[int] = (),
    ) -> Finished:
        n, self.runs = self.runs, self.runs + 1
        if "dhat" in argv:
            (log,) = [w.partition("=")[2] for w in argv if w.startswith("--log-file=")]
            text = LOG.format(blocks=f"{self.allocations + self.step * n:,}", left="100,000")
            with open(log.replace("%p", "7"), "w") as out:
                out.write(text)
        elif "-c" in argv:
            with open(argv[argv.index("-o") + 1], "w") as out:
                out.write(TABLE.format(calls=10 + self.step * n))
        return Finished(self.status, "", "")


def costs(tools: Tools, valgrind: Valgrind | CannotCount = VALGRIND) -> Mapping[str, VariantCost]:
    task = CountingTask("a", ToolRun(("./a",), tools, {}, 10.0))
    return {c.key: c for c in counted_costs(task, "whole run", valgrind)}


def test_counts_of_the_heap() -> None:
    found = heap_counts(ToolRun(("./a",), Tools(), {}, 10.0), VALGRIND)
    assert found == {
        "allocations": 1000.0,
        "allocated": 1_100_000.0,
        "peak-heap": 101_000.0,
        "left-over": 100_000.0,
    }


def test_a_second_run_says_whether_it_repeats() -> None:
    every = costs(Tools())
    assert every["allocations"].repeats
    assert every["allocations"].value == 1000
    assert every["system-calls"].repeats
    assert every["system-calls"].value == 20
    uneven = costs(Tools(step=1))
    assert not uneven["allocations"].repeats
    assert uneven["left-over"].repeats


@pytest.mark.parametrize("key", ["allocations", "allocated", "peak-heap", "left-over"])
def test_nothing_seen_is_not_nothing(key: str) -> None:
    cost = costs(Tools(allocations=0))[key]
    assert cost.value is None
    assert "statically" in cost.note


def test_missing_tools_are_said_with_what_to_install() -> None:
    tools = Tools()
    tools.installed.clear()
    every = costs(tools, CannotCount("valgrind is not installed"))
    assert [c.value for c in every.values()] == [None] * 6
    assert "valgrind)" in every["instructions"].note
    assert "strace)" in every["system-calls"].note


def test_a_program_that_fails_is_not_counted() -> None:
    with pytest.raises(CannotCount, match="exit code 3"):
        heap_counts(ToolRun(("./a",), Tools(status=3), {}, 10.0), VALGRIND)


def test_a_summary_that_is_cut_short() -> None:
    assert parse_dhat(LOG.split("At t-end", maxsplit=1)[0]) == {}
