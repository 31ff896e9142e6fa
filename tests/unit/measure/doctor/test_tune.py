"""Settings are set, and put back exactly, whatever happens in between."""

import errno
import json
import os
import signal
from pathlib import Path

import pytest
from tests.golden_files import Hear
from tests.unit.measure.doctor.conftest import BOOT, CPU, Kernel

from whyfast.measure.doctor.tune import restore, tune
from whyfast.model.errors import UserError

ASLR = "proc/sys/kernel/randomize_va_space"
GOVERNOR = CPU + "cpufreq/policy0/scaling_governor"

#: In the order in which they are set.
CHANGES = [
    (CPU + "intel_pstate/no_turbo", "0", "1"),
    (GOVERNOR, "powersave", "performance"),
    (CPU + "cpufreq/policy1/scaling_governor", "schedutil", "performance"),
    (ASLR, "1", "2"),
    ("sys/kernel/mm/transparent_hugepage/enabled", "always", "madvise"),
    ("proc/sys/kernel/perf_event_paranoid", "4", "2"),
    ("proc/sys/kernel/nmi_watchdog", "1", "0"),
    ("proc/irq/8/smp_affinity_list", "0-3", "0,1"),
    ("proc/irq/9/smp_affinity_list", "2", "0,1"),
]


def test_what_can_be_set_is_set_and_put_back(kernel: Kernel, folder: Path) -> None:
    before = kernel.snapshot()
    done = tune(kernel, folder)
    assert [(c.path, c.old, c.new) for c in done.changes] == CHANGES
    assert not any(c.error for c in done.changes)
    after = kernel.snapshot()
    assert after[GOVERNOR] == "performance"
    assert after["sys/kernel/mm/transparent_hugepage/enabled"] == "always [madvise] never"
    put_back = restore(kernel, folder)
    assert [(c.path, c.new) for c in put_back.changes] == [(p, old) for p, old, _ in CHANGES[::-1]]
    assert kernel.snapshot() == before


def test_a_second_tune_does_nothing_and_keeps_the_old_values(kernel: Kernel, folder: Path) -> None:
    before = kernel.snapshot()
    tune(kernel, folder)
    assert tune(kernel, folder).changes == ()
    kernel.put(GOVERNOR, "ondemand")  # a daemon interferes
    assert [c.path for c in tune(kernel, folder).changes] == [GOVERNOR]
    restore(kernel, folder)
    assert kernel.snapshot() == before


def test_a_second_restore_touches_nothing(kernel: Kernel, folder: Path) -> None:
    tune(kernel, folder)
    restore(kernel, folder)
    kernel.put(GOVERNOR, "ondemand")
    assert restore(kernel, folder).changes == ()
    assert kernel.read(GOVERNOR) == "ondemand"


def test_without_root_each_setting_says_so(kernel: Kernel, folder: Path) -> None:
    before = kernel.snapshot()
    kernel.refused = {path: errno.EACCES for path, _, _ in CHANGES}
    del kernel.refused[ASLR]
    done = tune(kernel, folder)
    assert {c.error for c in done.changes if c.path != ASLR} == {"needs root"}
    assert [c.path for c in restore(kernel, folder).changes] == [ASLR]
    assert kernel.snapshot() == before


@pytest.mark.parametrize("number", [errno.EROFS, errno.EIO, errno.ENOSPC])
def test_refusals_in_words(kernel: Kernel, folder: Path, number: int, golden: Hear) -> None:
    kernel.refused = {ASLR: number}
    (error,) = [c.error for c in tune(kernel, folder).changes if c.path == ASLR]
    golden(error)


def test_a_kernel_that_ignores_writes_is_found(kernel: Kernel, folder: Path, golden: Hear) -> None:
    kernel.deaf = {GOVERNOR}
    (error,) = [c.error for c in tune(kernel, folder).changes if c.path == GOVERNOR]
    golden(error)
    assert GOVERNOR not in [c.path for c in restore(kernel, folder).changes]


def test_what_could_not_be_put_back_stays_in_the_journal(kernel: Kernel, folder: Path) -> None:
    before = kernel.snapshot()
    tune(kernel, folder)
    kernel.refused = {ASLR: errno.EPERM}
    assert [c.path for c in restore(kernel, folder).changes if c.error] == [ASLR]
    kernel.refused = {}
    assert [c.path for c in restore(kernel, folder).changes] == [ASLR]
    assert kernel.snapshot() == before


def _killed(kernel: Kernel, folder: Path, action: str, when: str, at: int) -> None:
    """Run ``tune`` or ``restore`` in a process that is killed around its write number ``at``."""
    child = os.fork()
    if child == 0:

        def die(count: int) -> None:
            if count == at:
                os.kill(os.getpid(), signal.SIGKILL)

        setattr(kernel, when, die)
        (tune if action == "tune" else restore)(kernel, folder)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) in (0, -signal.SIGKILL)


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
@pytest.mark.parametrize("when", ["before_write", "after_write"])
@pytest.mark.parametrize("at", range(len(CHANGES) + 1))
def test_killed_while_setting(kernel: Kernel, folder: Path, when: str, at: int) -> None:
    before = kernel.snapshot()
    _killed(kernel, folder, "tune", when, at)
    restore(kernel, folder)
    assert kernel.snapshot() == before
    assert list(folder.glob("*.json")) == []


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
@pytest.mark.parametrize("when", ["before_write", "after_write"])
@pytest.mark.parametrize("at", [0, 1, 5, len(CHANGES)])
def test_killed_while_putting_back(kernel: Kernel, folder: Path, when: str, at: int) -> None:
    before = kernel.snapshot()
    _killed(kernel, folder, "tune", "after_write", 7)
    _killed(kernel, folder, "restore", when, at)
    tune(kernel, folder)
    restore(kernel, folder)
    assert kernel.snapshot() == before


def test_after_a_restart_the_old_values_are_forgotten(kernel: Kernel, folder: Path) -> None:
    tune(kernel, folder, "host")
    kernel.put(BOOT, "b1")
    kernel.put(GOVERNOR, "ondemand")
    done = restore(kernel, folder, "host")
    assert done.changes == ()
    assert done.message.startswith("the machine was restarted since 9 settings were changed")
    assert kernel.read(GOVERNOR) == "ondemand"
    assert restore(kernel, folder, "host").message == ""


def test_another_machine_with_the_folder_keeps_its_journal(kernel: Kernel, folder: Path) -> None:
    before = kernel.snapshot()
    tune(kernel, folder, "one")
    kernel.put(BOOT, "b1")
    assert restore(kernel, folder, "two").changes == ()
    kernel.put(BOOT, "b0")
    restore(kernel, folder, "one")
    assert kernel.snapshot() == before


def test_a_kernel_without_boot_id_is_left_alone(kernel: Kernel, folder: Path) -> None:
    kernel.put(BOOT, None)
    with pytest.raises(UserError, match="has no boot id"):
        tune(kernel, folder)
    assert kernel.writes == []


def test_an_unreadable_journal_is_not_guessed_at(kernel: Kernel, folder: Path) -> None:
    tune(kernel, folder)
    (journal,) = folder.glob("*.json")
    journal.write_text("{")
    with pytest.raises(UserError, match="is not a readable journal"):
        restore(kernel, folder)


def test_a_folder_that_cannot_be_written(kernel: Kernel, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(UserError, match="cannot be kept"):
        tune(kernel, tmp_path / "file" / "doctor")
    assert kernel.writes == []


def test_the_journal_names_what_was_there(kernel: Kernel, folder: Path) -> None:
    tune(kernel, folder, "host")
    document = json.loads((folder / "b0.json").read_text())
    assert document["machine"] == "host"
    assert document["settings"][1] == {
        "key": "governor", "path": GOVERNOR, "old": "powersave", "new": "performance",
    }  # fmt: skip
