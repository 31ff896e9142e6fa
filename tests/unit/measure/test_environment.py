from __future__ import annotations

from pathlib import Path

from whyfast.measure.doctor.environment import environment, environment_after
from whyfast.measure.doctor.system import System


def test_the_doctor_adds_to_the_metadata_of_a_run(tmp_path: Path) -> None:
    name = tmp_path / "proc/sys/kernel/randomize_va_space"
    name.parent.mkdir(parents=True)
    name.write_text("0\n")
    facts = environment(System(tmp_path))
    assert facts["aslr"] == "0"
    findings = facts["doctor"]
    assert isinstance(findings, dict)
    assert findings["aslr"] == {"value": "off", "state": "warning"}
    assert findings["governor"] == {"value": "unknown", "state": "unknown"}


def test_what_verdicts_use_is_there() -> None:
    assert {"cpus", "system", "architecture"} <= environment(System()).keys()


def test_counts_of_the_kernel_at_both_ends(tmp_path: Path) -> None:
    (tmp_path / "proc").mkdir()
    (tmp_path / "proc/stat").write_text("cpu  100 0 50 800 10 0 5 35 0 0\n")
    throttle = tmp_path / "sys/devices/system/cpu/cpu0/thermal_throttle"
    throttle.mkdir(parents=True)
    (throttle / "core_throttle_count").write_text("3\n")
    counts = {"stolen_ticks": 35, "ticks": 1000, "throttle_events": 3}
    assert environment(System(tmp_path))["at_start"] == counts
    after = environment_after(System(tmp_path))
    assert {name: after[name] for name in counts} == counts
    assert set(after) == {"doctor", *counts}
