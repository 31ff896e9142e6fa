"""The command on a made-up machine."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from whyfast.cli import admin
from whyfast.cli.main import main
from whyfast.store.home import Home

BOOT = "proc/sys/kernel/random/boot_id"
ASLR = "proc/sys/kernel/randomize_va_space"


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, own_home: Home) -> Path:
    root = tmp_path / "machine"
    for name, text in {BOOT: "b0", ASLR: "0", "proc/stat": "cpu 1 0 0 9 0 0 0 0 0 0"}.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text + "\n")
    monkeypatch.setattr(admin, "ROOT", root)
    monkeypatch.setattr("time.sleep", lambda seconds: None)
    return root


def test_findings_are_printed(machine: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("warning  address randomisation (ASLR): off")
    assert "To change it: whyfast doctor --tune" in out


def test_tune_and_restore(machine: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", "--tune"]) == 0
    assert f"/{ASLR}: set (0 → 2)" in capsys.readouterr().out
    assert (machine / ASLR).read_text().strip() == "2"
    assert main(["doctor", "--restore"]) == 0
    assert f"/{ASLR}: restored (2 → 0)" in capsys.readouterr().out
    assert (machine / ASLR).read_text().strip() == "0"
    assert main(["doctor", "--restore"]) == 0
    out = capsys.readouterr().out
    assert "nothing to restore" in out
    assert "restore as the user who ran --tune" in out


def test_what_cannot_be_put_back_is_a_failure(
    machine: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["doctor", "--tune"])
    (machine / ASLR).unlink()
    assert main(["doctor", "--restore"]) == 1
    assert "not restored" in capsys.readouterr().out


def test_json_alone_on_standard_output(machine: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", "--tune", "--json", "-"]) == 0
    document = json.loads(capsys.readouterr().out)["data"]
    assert document["action"] == "tune"
    assert [(c["path"], c["old"], c["new"]) for c in document["changes"]] == [(ASLR, "0", "2")]
    (aslr,) = [f for f in document["findings"] if f["key"] == "aslr"]
    assert (aslr["value"], aslr["state"]) == ("full", "good")


def test_both_actions_at_once_are_bad_input(machine: Path) -> None:
    assert main(["doctor", "--tune", "--restore"]) == 2
