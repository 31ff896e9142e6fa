"""A machine that was not the same for all blocks."""

from __future__ import annotations

from tests.golden_files import Hear

from whyfast.judge.confounds import machine_confounds
from whyfast.model.sample import Block, Session
from whyfast.model.verdict import Confound


def _finding(value: str, state: str = "warning") -> dict[str, str]:
    return {"value": value, "state": state}


def _session(name: str, **environment: object) -> Session:
    return Session(name, 0.0, environment)


def _block(session: str) -> Block:
    return Block("b", 0, 0, session, 0, 1, 0, (), (), {}, 0.0, 1.0)


def _found(*sessions: Session, blocks: tuple[str, ...]) -> list[Confound]:
    return machine_confounds(sessions, [_block(name) for name in blocks])


def test_another_governor_in_a_resumed_run_is_named() -> None:
    one = _session("s", doctor={"governor": _finding("powersave")}, cpus=2)
    two = _session("t", doctor={"governor": _finding("performance", "good")}, cpus=2)
    (confound,) = _found(one, two, blocks=("s", "t", "t"))
    assert confound.kind == "machine-governor"
    assert confound.severity == "warning"
    assert ": powersave (1 block); performance (2 blocks)" in confound.text


def test_sessions_without_blocks_and_unknown_findings_do_not_count() -> None:
    one = _session("s", doctor={"smt": _finding("on")})
    two = _session("t", doctor={"smt": _finding("unknown", "unknown")})
    three = _session("u", doctor={"smt": _finding("off")})
    assert _found(one, two, three, blocks=("s", "t")) == []


def test_another_machine() -> None:
    (confound,) = _found(
        _session("s", hostname="a"), _session("t", hostname="b"), blocks=("s", "t")
    )
    assert "a (1 block); b (1 block)" in confound.text


def test_a_setting_that_changed_while_measuring(golden: Hear) -> None:
    session = _session(
        "s", doctor={"turbo": _finding("off", "good")}, at_end={"doctor": {"turbo": _finding("on")}}
    )
    (confound,) = _found(session, blocks=("s",))
    golden(confound.text)


def test_what_the_host_kept_and_heat_did_meanwhile() -> None:
    session = _session(
        "s",
        at_start={"stolen_ticks": 100, "ticks": 10_000, "throttle_events": 5},
        at_end={"stolen_ticks": 140, "ticks": 12_000, "throttle_events": 8},
    )
    steal, throttling = _found(session, blocks=("s",))
    assert "2.0 %" in steal.text
    assert "3 events" in throttling.text
    assert {steal.severity, throttling.severity} == {"note"}


def test_a_quiet_machine_and_records_of_an_earlier_whyfast() -> None:
    quiet = {"stolen_ticks": 100, "ticks": 10_000, "throttle_events": 5}
    later = {"stolen_ticks": 100, "ticks": 20_000, "throttle_events": 5}
    assert _found(_session("s", at_start=quiet, at_end=later), blocks=("s",)) == []
    assert _found(_session("s", cpus=2), blocks=("s",)) == []
    assert _found(_session("s", at_start=quiet), blocks=("s",)) == []
