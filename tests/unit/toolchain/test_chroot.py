"""Entering a root where nothing may be mounted."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from tests.golden_files import Hear

from whyfast.toolchain.entrance import Tools, bring_in, entrances_in_words, try_chroot
from whyfast.toolchain.sandbox import Box, around_program, around_steps

_, WHY_NOT = try_chroot(shutil.which("chroot", path="/usr/sbin:/usr/bin:/sbin:/bin"))
ONLY_CHROOT = Tools(None, "no bubblewrap", None, "no namespaces", "/usr/sbin/chroot")
needs_chroot = pytest.mark.skipif(bool(WHY_NOT), reason=WHY_NOT)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A root with a shell and what it is linked to."""
    root = tmp_path / "root"
    for program in ("/bin/sh", "/usr/bin/env", "/bin/cat"):
        told = subprocess.run(["ldd", program], capture_output=True, text=True, check=True)
        for path in (program, *re.findall(r"(/\S+) \(0x", told.stdout)):
            target = root / path[1:]
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, target)
    return root


@needs_chroot
def test_a_step_writes_in_its_folder_and_ends_as_it_ends(
    root: Path, tmp_path: Path, golden: Hear
) -> None:
    work = tmp_path / "build" / "work"
    work.mkdir(parents=True)
    words, said = around_steps(Box(root, (work.parent,), start=work), tmp_path, ONLY_CHROOT)
    golden(said)
    for step, status in (("echo $PWD >made; cat made >/dev/null", 0), ("exit 3", 3)):
        done = subprocess.run([*words, "/bin/sh", "-euc", step], env={"A": "b"}, check=False)
        assert done.returncode == status
    assert (work / "made").read_text() == f"{work}\n"
    assert not (root / str(work)[1:]).exists()
    done = subprocess.run([*words, "/bin/sh", "-c", "kill -9 $$"], check=False)
    assert done.returncode == 128 + 9


@needs_chroot
def test_a_program_is_the_process_itself(root: Path, tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir()
    (data / "file").write_text("here")
    words = around_program(Box(root, readable=(data,), network=True), tmp_path, ONLY_CHROOT)
    reading, writing = os.pipe()
    script = f"echo $$ $(cat {data}/file) $PWD; kill -SEGV $$"
    process = subprocess.Popen([*words, "/bin/sh", "-c", script], stdout=writing)
    os.close(writing)
    with open(reading) as answer:
        assert answer.read() == f"{process.pid} here /\n"
    assert process.wait() == -11


def test_what_is_brought_in_follows_what_is_outside(tmp_path: Path) -> None:
    root, data = tmp_path / "root", tmp_path / "data"
    (data / "deep").mkdir(parents=True)
    (data / "deep" / "a").write_text("1")
    (data / "link").symlink_to("deep/a")
    copy = root / str(data)[1:]
    root.mkdir()
    bring_in(root, data, data, link=False)
    assert (copy / "link").read_text() == "1"
    (copy / "deep" / "a").write_text("changed inside")
    assert (data / "deep" / "a").read_text() == "1"
    (data / "deep" / "a").write_text("22")
    (data / "link").unlink()
    bring_in(root, data, data, link=True)
    assert (copy / "deep" / "a").read_text() == "22"
    assert sorted(p.name for p in copy.iterdir()) == ["deep"]
    # a root inside what it shows is not copied into itself
    bring_in(root, tmp_path, tmp_path, link=False)
    assert not (root / str(root)[1:]).exists()


def test_which_way_and_why_not_another(monkeypatch: pytest.MonkeyPatch, golden: Hear) -> None:
    both = Tools("/usr/bin/bwrap", "", ("/usr/bin/unshare",), "")
    golden(*entrances_in_words(both))
    golden(*entrances_in_words(ONLY_CHROOT))
    nothing = Tools(None, "no bubblewrap", None, "no namespaces", None, "not root")
    golden(*entrances_in_words(nothing))
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert try_chroot("/usr/sbin/chroot") == (None, "plain chroot requires root")


@pytest.mark.parametrize("name", ["/etc", "/usr", "/usr/lib", "/lib"])
def test_what_packages_installed_is_not_replaced(tmp_path: Path, name: str) -> None:
    root, outside = tmp_path / "root", tmp_path / "outside"
    (root / "var/lib/dpkg/info").mkdir(parents=True)
    lists = root / "var/lib/dpkg/info" / "gcc.list"
    lists.write_text("/.\n/etc\n/etc/gcc\n/usr\n/usr/lib\n/usr/lib/gcc\n/opt\n")
    for folder in ("etc", "usr/lib", "opt"):
        (root / folder).mkdir(parents=True)
    (root / "lib").symlink_to("usr/lib")
    (root / "etc/gcc").write_text("kept")
    (root / "usr/lib/gcc").write_text("kept")
    outside.mkdir()
    (outside / "new").touch()
    with pytest.raises(OSError, match=f"{name} there belongs to its packages"):
        bring_in(root, outside, Path(name), link=False)
    assert (root / "etc/gcc").read_text() == (root / "usr/lib/gcc").read_text() == "kept"
    bring_in(root, outside, Path("/opt"), link=False)  # a folder with nothing in it
    bring_in(root, outside, Path("/usr/lib/other"), link=False)
    assert (root / "opt/new").exists()
    assert (root / "usr/lib/other/new").exists()
