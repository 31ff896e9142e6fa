"""What is simulated for an account, and for how long; the tools are doubles."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from tests.unit.investigate.doubles import NoSystem
from tests.unit.investigate.why.test_why_run import claim_all
from tests.unit.investigate.why.two_programs import (
    Programs,
    reads,
)
from tests.unit.measure.tools import said

from whyfast.formats.profiles import SimulatedProfile, StackFrame
from whyfast.investigate.why import why_layers, why_simulation
from whyfast.measure.perf import SampledRun
from whyfast.measure.simulate import Geometry
from whyfast.measure.tools import CannotCount, Finished


class Caches(NoSystem):
    """Of three levels."""

    def names(self, pattern: str) -> list[str]:
        return ["1", "2", "3"]

    def read(self, name: str) -> str | None:
        level, _, file = name.partition("/")
        sizes = {"1": "32K", "2": "512K", "3": "32M"}
        known = {"type": "Unified", "level": level, "size": sizes.get(level)}
        return {**known, "ways_of_associativity": "8", "coherency_line_size": "64"}.get(file)


@pytest.mark.parametrize(("second", "pages"), [(90, 1), (1, 90)], ids=["second level", "pages"])
def test_finer_caches_are_simulated_where_the_first_level_tells_nothing(
    tmp_path: Path, second: int, pages: int
) -> None:
    """100 million misses of the first level on both sides; of the others 1 million on the fast."""
    geometries: list[tuple[str, ...]] = []

    def valgrind(argv: Sequence[str]) -> Finished:
        if "--version" in argv:
            return said("valgrind-3.24.0")
        geometries.append(tuple(word for word in argv if word.startswith(("--D1=", "--LL="))))
        name = "new" if "new" in argv else "old"
        misses = (100, 1)
        if "--D1=524288,8,64" in argv:
            misses = (second, pages) if name == "new" else (1, 1)
        (file,) = (word for word in argv if word.startswith("--callgrind-out-file="))
        Path(file.partition("=")[2].replace("%p", "1")).write_text(
            "positions: instr\nevents: Ir D1mr DLmr\n"
            f"ob=/x/{name}\nfn=work\n"
            f"0x10 1000000000 {misses[0]}000000 {misses[1]}000000\n"
        )
        return said()

    programs = Programs(tmp_path, (3.0, 2.9, 0.0), valgrind=valgrind)
    (cause,) = programs.why(simulate=1e6, system=Caches()).causes
    assert (cause.key, cause.facts[0].fast, cause.facts[0].slow) == (
        *("cache-misses", 1_000_000, 90_000_000),
    )
    assert ("pages" in cause.facts[0].name) is (pages > second)
    assert (
        geometries[::2]
        == geometries[1::2]
        == [
            ("--D1=32768,8,64", "--LL=33554432,8,64"),
            ("--D1=524288,8,64", "--LL=1048576,16,4096"),
        ]
    )


def test_a_simulation_that_takes_too_long_is_left_out_with_what_allows_it(tmp_path: Path) -> None:
    account = Programs(tmp_path, (4.0, 3.9, 0.0)).why(simulate=30.0)
    assert "it would take about 314 s; allow it with --simulate 471s" in account.limits[-1]
    never = Programs(tmp_path / "never", (3.0, 2.9, 0.0)).why(simulate=0.0)
    assert not any("simulate" in limit for limit in never.limits)


@pytest.mark.parametrize(
    ("seconds", "sampled", "more", "caches"),
    [
        (0.02, True, 1.0, [True]),
        (0.3, True, 1.0, [False, True]),
        (0.3, False, 1.0, [True]),  # its time is modelled
        (1.4, True, 1.0, [False, True]),
        (1.4, True, 1.2, [False, True]),  # more work, but it takes 1.56 times as long
        (1.4, True, 1.6, [False]),
    ],
)
def test_caches_are_simulated_later_where_counts_do_not_tell(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    seconds: float,
    sampled: bool,
    more: float,
    caches: list[bool],
) -> None:
    simulated = []

    def count(
        runs: Mapping[str, object], geometry: Geometry | None, valgrind: object
    ) -> dict[str, list[SimulatedProfile]]:
        simulated.append(geometry is not None)
        counts = {"fast": 5 * 10**9, "slow": int(5 * 10**9 * more)}
        return {
            side: [SimulatedProfile(("Ir",), {(f"/x/{side}", "work"): [n]}, (n,))]
            for side, n in counts.items()
        }

    monkeypatch.setattr(why_simulation, "choose_valgrind", lambda *given, **named: None)
    monkeypatch.setattr(why_simulation, "count_calls", count)
    programs = Programs(tmp_path, (seconds, seconds, 0.0))
    programs.times["old"] = (seconds / 1.56, seconds / 1.56, 0.0)
    times = {"fast": seconds / 1.56, "slow": seconds} if sampled else {}
    runs = [
        SampledRun(side, {(StackFrame("work", 0, f"/x/{side}", 16),): x}, 3000)
        for side, x in times.items()
        for _ in range(3)
    ]
    monkeypatch.setattr(why_layers, "sample_in_turns", lambda *given, **how: runs)
    programs.why(simulate=30.0)
    assert simulated == caches


def test_what_the_second_simulation_leaves_out_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def count(
        runs: object, geometry: Geometry | None, valgrind: object
    ) -> dict[str, list[SimulatedProfile]]:
        if geometry is not None:
            raise CannotCount("it took too long")
        costs = {("/x/p", "work"): [10**8]}
        return {s: [SimulatedProfile(("Ir",), costs, (10**8,))] for s in ("fast", "slow")}

    monkeypatch.setattr(why_simulation, "choose_valgrind", lambda *given, **named: None)
    monkeypatch.setattr(why_simulation, "count_calls", count)
    limits = Programs(tmp_path, (1.5, 1.4, 0.0)).why(simulate=30.0).limits
    assert "caches and branches were not simulated: it took too long" in limits


def test_an_interpreter_is_expected_to_take_twice_as_long(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    claim_all(monkeypatch)
    account = Programs(tmp_path, (3.0, 2.9, 0.0)).why(simulate=50.0)
    assert "nothing was simulated: it would take about 466 s" in account.limits[-1]


def test_a_simulator_loads_each_of_many_programs_anew(tmp_path: Path) -> None:
    programs = Programs(tmp_path, (4.0, 2.0, 1.5))
    programs.tools = {"strace": reads(149, "execve")}  # 385 and 534 programs
    limits = programs.why(simulate=300.0).limits
    assert any("nothing was simulated: it would take about 1228 s" in text for text in limits)
