from __future__ import annotations

from pathlib import Path

from whyfast.measure.machine import environment


def test_the_doctor_adds_to_the_metadata_of_a_run(tmp_path: Path) -> None:
    name = tmp_path / "proc/sys/kernel/randomize_va_space"
    name.parent.mkdir(parents=True)
    name.write_text("0\n")
    facts = environment(tmp_path)
    assert facts["aslr"] == "0"
    findings = facts["doctor"]
    assert isinstance(findings, dict)
    assert findings["aslr"] == {"value": "off", "state": "warning"}
    assert findings["governor"] == {"value": "unknown", "state": "unknown"}


def test_what_verdicts_use_is_there() -> None:
    assert {"cpus", "system", "architecture"} <= environment().keys()
