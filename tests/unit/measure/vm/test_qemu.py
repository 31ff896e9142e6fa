"""One boot, with a double of QEMU. Whether KVM boots a kernel: tried once a boot of the machine.
What a guest says, whole and torn. Instructions of one loop from grants of two lengths."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.golden_files import Hear, refusal
from tests.unit.measure.tools import Replay, said
from tests.unit.measure.vm.doubles import KERNEL, Machine

from whyfast.measure.tools import Finished
from whyfast.measure.vm import qemu
from whyfast.measure.vm.qemu import (
    PROGRAM,
    Answers,
    Booted,
    BootFailed,
    LoopCount,
    TaskValues,
    Unanswered,
    boot,
    command_line,
    count_loop,
    find_qemu,
    parse_transcript,
    qemu_version,
    qemu_words,
    read_values,
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
    golden(refusal(BootFailed, lambda: start(machine)))


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


WHOLE = """\
hello - 1
unwritten /proc/sys/net/core/none 2
rounds 100000 200006
file spectre_v2 Mitigation: Retpolines; STIBP: disabled
nofile bpf_jit_harden -2
ready 0 ready 1
answer 0 0.000035569 0x5
answer 0 0.000048769 0x5
exit 0 0
bye - 0
"""


def test_a_whole_transcript() -> None:
    found = parse_transcript(WHOLE)
    assert (found.begun, found.complete, found.per_round) == (True, True, 2.00006)
    assert found.facts == {"spectre_v2": "Mitigation: Retpolines; STIBP: disabled"}
    assert found.refused == ("/proc/sys/net/core/none",)
    assert read_values(found.tasks["0"], 1) == TaskValues((35569,), (48769,), "0x5")


@pytest.mark.parametrize("cut", range(0, len(WHOLE), 7))
def test_torn_anywhere_it_is_never_complete(cut: int) -> None:
    assert not parse_transcript(WHOLE[:cut]).complete


@pytest.mark.parametrize("line", ["rounds 0 5", "rounds \u00b2 5", "exit 0 --1", "exit 0 \u00b2"])
def test_numbers_that_are_none_are_passed_over(line: str) -> None:
    found = parse_transcript(line + "\n")
    assert found.per_round is None
    assert [task.exit for task in found.tasks.values()] in ([], [None])


def test_a_plan_that_was_not_understood_is_not_complete() -> None:
    assert not parse_transcript("hello - 1\nbye - 1\n").complete


@pytest.mark.parametrize(
    ("task", "said"),
    [
        (None, "was not started"),
        (Answers("error no privilege", [], 3), "no privilege"),
        (Answers("ready 1", ["error the chain broke"], 1), "the chain broke"),
        (Answers("ready 1", [], None, late=True), "gave no answer in time"),
        (Answers(None, [], 127), "could not be started; link it statically"),
        (Answers(None, [], -11), r"ended before it was ready \(exit code -11\)"),
        (Answers("ready 1", ["0.1 0x1"], 0), "answered 1 turns of 2"),
        (Answers("ready 1", ["0.1 0x1", "0.1 0x2"], 0), "wrong result: 0x1 and 0x2"),
        (Answers("ready 1", ["0.1", "soon"], 0), "answered 'soon' instead of seconds"),
        (Answers("ready 1", ["0.1", "0.0"], 0), "reported 0.0 seconds; expected a time above 0"),
    ],
)
def test_why_a_task_has_no_values(task: Answers | None, said: str) -> None:
    with pytest.raises(Unanswered, match=said):
        read_values(task, 1)


@pytest.mark.parametrize(
    ("short", "long", "count"),
    [
        # What the grant costs is in both.
        ((20000 + 1700,) * 3, (20000 + 3400,) * 3, LoopCount(17.0, 0.0, 0)),
        # Interrupts only add instructions.
        (
            (21700 + 17862, 21700, 21700),
            (23400, 23400 + 2073, 23400),
            LoopCount(17.0, 2 / 6, 17862),
        ),
    ],
)
def test_instructions_of_a_loop(
    short: tuple[int, ...], long: tuple[int, ...], count: LoopCount
) -> None:
    assert count_loop(TaskValues(short, long, None), 100) == count


def test_a_program_that_does_not_heed_its_loops_is_refused() -> None:
    with pytest.raises(ValueError, match="twice the loops take 500 instructions, after 500"):
        count_loop(TaskValues((500,), (500,), None), 10)
