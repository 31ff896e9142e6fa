"""Whether KVM boots a kernel: tried once a boot of the machine."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.unit.measure.tools import Replay
from tests.unit.measure.vm.doubles import KERNEL, Machine

from whyfast.measure.launch import Finished
from whyfast.measure.vm import qemu
from whyfast.measure.vm.qemu import PROGRAM
from whyfast.store.home import Home

PANIC = "Kernel panic - not syncing: No working init found.  Try passing init= option\n"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    device = tmp_path / "kvm"
    device.touch()
    monkeypatch.setattr(qemu, "_DEVICE", str(device))
    return Home(tmp_path / "cache", tmp_path / "data")


def answers(home: Home, machine: Machine) -> tuple[bool, int]:
    """What is said, and how often QEMU was started."""
    started = 0

    def start(argv: Sequence[str]) -> Finished:
        nonlocal started
        started += 1
        return machine(argv)

    said = qemu.kvm_boots(KERNEL, home, f"/usr/bin/{PROGRAM}", Replay({PROGRAM: start}))
    return said, started


def test_a_kernel_that_finds_no_program_has_booted(home: Home) -> None:
    assert answers(home, Machine(PANIC, "")) == (True, 1)


def test_a_machine_that_hangs_is_not_tried_again(home: Home) -> None:
    hanging = Machine("Probing EDD", "", late=True)
    assert answers(home, hanging) == (False, 1)
    assert answers(home, hanging) == (False, 0)


def test_without_the_device_nothing_is_tried(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(qemu, "_DEVICE", "/dev/none")
    assert answers(home, Machine(PANIC, "")) == (False, 0)
