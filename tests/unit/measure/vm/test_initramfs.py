"""The archive that a guest starts from."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from whyfast.measure.vm.boot_plan import CpioEntry, initramfs, newc


def test_one_file_byte_for_byte() -> None:
    archive = newc([CpioEntry("ab", 0o100644, b"hello")])
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
    one = initramfs(b"init", {"/b": b"2", "/a": b"1"}, b"plan")
    assert one == initramfs(b"init", {"/a": b"1", "/b": b"2"}, b"plan")


def test_cpio_reads_it() -> None:
    cpio = shutil.which("cpio")
    if cpio is None:
        pytest.skip("cpio is not installed")
    archive = initramfs(b"init", {"/bin/program": b"p" * 999}, b"plan")
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
