"""What the first process of a guest is told.

Which variants share a boot, and what they find in it. The archive that a guest starts from."""

import shutil
import subprocess
from pathlib import Path

import pytest

from whyfast.measure import vm
from whyfast.model.variant import Variant


def test_settings_first_then_peace_then_the_tasks() -> None:
    task = vm.BootTask("0", ("/program", "turn", "two words"), loops=25, turns=16, seconds=60)
    words = vm.encode_plan([task], {"net.core.bpf_jit_harden": "2"}).split(b"\0")
    assert words[:9] == [
        *(b"write", b"/proc/sys/kernel/sched_rt_runtime_us", b"-1"),
        *(b"write", b"/proc/sys/net/core/bpf_jit_harden", b"2"),
        *(b"settle", b"10", b"file"),
    ]
    assert words.count(b"file") == len(vm.FACTS)
    assert words[-10:] == [
        *(b"turns", b"0", b"25", b"16", b"60", b"3", b"/program", b"turn", b"two words"),
        b"",
    ]


def test_a_plan_that_the_guest_has_no_room_for_is_refused() -> None:
    tasks = [vm.BootTask(str(i), ("/program", "x" * 100), 1, 1, 1) for i in range(600)]
    with pytest.raises(ValueError, match="more benchmarks and variants"):
        vm.encode_plan(tasks, {})
    with pytest.raises(ValueError, match="more than 63 words"):
        vm.encode_plan([vm.BootTask("0", ("word",) * 64, 1, 1, 1)], {})


def variant(name: str, kernel: str, *boot: str, **sysctl: str) -> Variant:
    return Variant(name, "path:gcc", kernel=kernel, boot=boot, sysctl=sysctl)


def test_variants_with_one_kernel_and_setting_share_a_boot() -> None:
    variants = (
        *(variant("a", "k1"), variant("b", "k1", "spectre_v2=off"), variant("c", "k1")),
        *(variant("d", "k2"), variant("e", "k1", harden="2")),
    )
    assert [(machine.name, machine.variants) for machine in vm.share(variants)] == [
        ("k1", ("a", "c")),
        ("k1 spectre_v2=off", ("b",)),
        ("k2", ("d",)),
        ("k1 harden=2", ("e",)),
    ]


def test_one_program_of_two_variants_is_packed_once(tmp_path: Path) -> None:
    programs = {name: tmp_path / name for name in "abc"}
    for name, data in {"a": b"program", "b": b"program", "c": b"another"}.items():
        programs[name].write_bytes(data)
    cargo = vm.load(
        vm.VirtualMachine("k", (), (), ("a", "b")),
        b"init",
        {(name, "bench"): (str(path), "turn") for name, path in programs.items()},
        programs,
        loops=25,
        turns=2,
        timeouts={"bench": 0.2},
    )
    assert cargo.ids == {("a", "bench"): "0", ("b", "bench"): "1"}
    assert cargo.initrd.count(b"program-") == 1 + 2  # the file, and the plan twice
    assert b"another" not in cargo.initrd
    assert b"turns\x000\x0025\x002\x001\x002\x00/program-" in cargo.initrd


def test_one_file_byte_for_byte() -> None:
    archive = vm.newc([vm.CpioEntry("ab", 0o100644, b"hello")])
    head = (
        b"070701"
        b"00000001" b"000081A4" b"00000000" b"00000000" b"00000001" b"00000000" b"00000005"
        b"00000000" b"00000000" b"00000000" b"00000000" b"00000003" b"00000000"
    )  # fmt: skip
    trailer = (
        b"070701"
        b"00000000" b"00000000" b"00000000" b"00000000" b"00000001" b"00000000" b"00000000"
        b"00000000" b"00000000" b"00000000" b"00000000" b"0000000B" b"00000000"
    )  # fmt: skip
    assert archive.startswith(head + b"ab\0" + b"\0\0\0" + b"hello\0\0\0" + trailer)
    assert archive.rstrip(b"\0").endswith(b"TRAILER!!!")
    assert len(archive) == 512


def test_equal_contents_give_equal_bytes_in_any_order() -> None:
    one = vm.initramfs(b"init", {"/b": b"2", "/a": b"1"}, b"plan")
    assert one == vm.initramfs(b"init", {"/a": b"1", "/b": b"2"}, b"plan")


def test_cpio_reads_it() -> None:
    cpio = shutil.which("cpio")
    if cpio is None:
        pytest.skip("cpio is not installed")
    archive = vm.initramfs(b"init", {"/bin/program": b"p" * 999}, b"plan")
    done = subprocess.run([cpio, "-itv", "--quiet"], input=archive, capture_output=True, check=True)
    lines = [line.split() for line in done.stdout.decode().splitlines()]
    assert [(words[0], words[-1]) for words in lines] == [
        ("drwxr-xr-x", "bin"),
        ("drwxr-xr-x", "dev"),
        ("crw-------", "dev/console"),
        ("-rwxr-xr-x", "init"),
        ("-rw-r--r--", "plan"),
        ("-rwxr-xr-x", "bin/program"),
    ]
