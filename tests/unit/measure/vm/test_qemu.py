"""One boot, with a double of QEMU.

Whether KVM boots a kernel: tried once a boot of the machine.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.golden_files import Hear
from tests.unit.measure.tools import Replay, said
from tests.unit.measure.vm.doubles import KERNEL, Machine

from whyfast.measure.process import Finished
from whyfast.measure.vm import qemu
from whyfast.measure.vm.qemu import (
    PROGRAM,
    Booted,
    BootFailed,
    boot,
    command_line,
    find_qemu,
    qemu_version,
    qemu_words,
)
from whyfast.model.errors import UserError
from whyfast.store.home import Home


def start(machine: Machine) -> Booted:
    return boot(
        KERNEL,
        b"archive",
        unit="instructions",
        parameters="quiet",
        qemu=f"/usr/bin/{PROGRAM}",
        launcher=Replay({PROGRAM: machine}),
        timeout=9,
    )


def test_a_guest_that_comes_to_its_end() -> None:
    booted = start(Machine("", "hello - 1\nbye - 0\n"))
    assert booted.transcript.complete
    assert booted.text == "hello - 1\nbye - 0\n"


@pytest.mark.parametrize(
    "machine",
    [
        Machine("[    1.2] one\n[    1.3] two\n\n[   1.4] three\nfour\n", "", late=True),
        Machine("", "", late=True),
        Machine("[ 1.0] Kernel panic - not syncing: VFS: no root\n[ 1.0] CPU: 0\n", ""),
        Machine("oops\n", "hello - 1\n"),
        Machine("", ""),
        Machine("", "", status=1),
    ],
)
def test_a_guest_that_does_not_is_told_of_in_one_line(machine: Machine, golden: Hear) -> None:
    with pytest.raises(BootFailed) as caught:
        start(machine)
    golden(str(caught.value))


def test_counting_takes_chance_out_and_timing_does_not_emulate() -> None:
    paths = (Path("/k"), Path("/i"))
    counting = qemu_words("qemu", "instructions", *paths, "quiet", Path("/f"))
    timing = qemu_words("qemu", "time", *paths, "quiet", Path("/f"))
    assert counting[counting.index("-icount") + 1] == "shift=0,sleep=off"
    assert "-seed" in counting
    assert "-icount" not in timing
    assert timing[timing.index("-accel") + 1] == "kvm"


def test_the_parameters_of_a_variant_come_last_and_overrule(golden: Hear) -> None:
    golden(command_line("instructions", ("spectre_v2=off",)))
    golden(command_line("time", ()))


def test_without_qemu_one_line_names_the_package() -> None:
    with pytest.raises(UserError, match=r"apt-get install qemu-system-x86$"):
        find_qemu(Replay({}))


def test_the_version_of_qemu() -> None:
    launcher = Replay({PROGRAM: lambda argv: said("QEMU emulator version 7.2.22 (Debian 1:7)\n")})
    assert qemu_version(launcher, find_qemu(launcher)) == "QEMU 7.2.22"


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
