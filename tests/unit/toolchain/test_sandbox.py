"""Sandboxes: the words, with tools that are only named, and what really happens where they are."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest
from tests.golden_files import Hear

from whyfast.model.errors import CannotBuildHere
from whyfast.toolchain import sandbox
from whyfast.toolchain.sandbox import Box, Tools, around_program, around_steps, surroundings

BOTH = Tools("/usr/bin/bwrap", "", ("/usr/bin/unshare", "--mount"), "")
ONLY_BUBBLEWRAP = Tools("/usr/bin/bwrap", "", None, "no namespaces")
ONLY_UNSHARE = Tools(None, "bubblewrap is not installed", ("/usr/bin/unshare", "--mount"), "")
NOTHING = Tools(None, "bubblewrap is not installed", None, "user namespaces cannot be used")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Something like a Debian root."""
    root = tmp_path / "root"
    for name in ("usr/bin", "usr/lib", "etc", "home/user", "proc", "tmp"):
        (root / name).mkdir(parents=True)
    (root / "bin").symlink_to("usr/bin")
    return root


@pytest.fixture
def work(tmp_path: Path) -> Path:
    """A folder to write in."""
    work = tmp_path / "work"
    work.mkdir()
    return work


def _binds(words: list[str], option: str) -> list[tuple[str, str]]:
    return [(words[i + 1], words[i + 2]) for i, word in enumerate(words) if word == option]


def test_without_tools_steps_run_plainly_and_say_so(work: Path, tmp_path: Path) -> None:
    assert around_steps(Box(writable=(work,)), tmp_path, NOTHING) == (
        [],
        "none (bubblewrap is not installed)",
    )
    assert around_steps(Box(writable=(work,)), tmp_path, ONLY_UNSHARE)[0] == []


def test_a_root_needs_a_tool(root: Path, tmp_path: Path) -> None:
    reason = "bubblewrap is not installed; user namespaces cannot be used"
    with pytest.raises(CannotBuildHere, match=reason):
        around_steps(Box(root), tmp_path, NOTHING)
    with pytest.raises(CannotBuildHere, match=reason):
        around_program(Box(root), tmp_path, NOTHING)


def test_the_user_can_switch_it_off_but_not_for_a_root(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(sandbox.VARIABLE, "off")
    assert around_steps(Box(), tmp_path, BOTH) == ([], "none (WHYFAST_SANDBOX=off)")
    assert around_steps(Box(root), tmp_path, BOTH)[0] != []


def test_steps_of_the_machines_own_compiler(work: Path, tmp_path: Path, golden: Hear) -> None:
    words, said = around_steps(Box(writable=(work,), start=work), tmp_path, BOTH)
    golden(said)
    assert {"--unshare-net", "--unshare-pid", "--die-with-parent"} <= set(words)
    assert _binds(words, "--ro-bind")[0] == ("/", "/")
    assert _binds(words, "--bind") == [(str(work), str(work))]
    assert words[-3:] == ["--chdir", str(work), "--"]
    # what is hidden is hidden before anything in it is shown again
    assert words.index("--tmpfs") < words.index("--bind")
    empty = [words[i + 1] for i, word in enumerate(words) if word == "--tmpfs"]
    assert {"/tmp", "/run"} <= set(empty)


def test_of_a_root_only_what_packages_install_is_shown(root: Path, tmp_path: Path) -> None:
    words, _ = around_steps(Box(root), tmp_path, ONLY_BUBBLEWRAP)
    assert _binds(words, "--ro-bind") == [(f"{root}/etc", "/etc"), (f"{root}/usr", "/usr")]
    assert _binds(words, "--symlink") == [("usr/bin", "/bin")]


def test_a_folder_is_shown_under_its_real_name_and_as_it_was_called(
    work: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sandbox, "hidden_folders", lambda: [tmp_path])
    link = tmp_path / "link"
    link.symlink_to(work)
    words, _ = around_steps(Box(writable=(link,)), tmp_path, BOTH)
    assert sorted(_binds(words, "--bind")) == [(str(work), str(link)), (str(work), str(work))]


def test_readable_folders_are_shown_only_where_they_were_hidden(
    work: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sandbox, "hidden_folders", lambda: [work])
    box = Box(readable=(work, tmp_path, tmp_path / "missing"))
    words, _ = around_steps(box, tmp_path, BOTH)
    assert _binds(words, "--ro-bind")[1:] == [(str(work), str(work))]


def test_programs_are_entered_without_anything_beside_them(
    root: Path, work: Path, tmp_path: Path, golden: Hear
) -> None:
    words = around_program(Box(root, writable=(work,), network=True), tmp_path / "s", BOTH)
    assert words[:4] == ["/usr/bin/unshare", "--mount", "--", "/bin/sh"]
    assert re.search(r"; exec \S*chroot ", words[5])
    table = Path(words[-2]).read_text().splitlines()
    assert words[-1] == str(root)
    golden(table[0])
    golden(table[-1])
    assert around_program(Box(root, writable=(work,), network=True), tmp_path / "s", BOTH) == words


def test_spaces_in_a_table_of_mounts(root: Path, tmp_path: Path) -> None:
    spaced = tmp_path / "a b"
    spaced.mkdir()
    words = around_program(Box(root, readable=(spaced,)), tmp_path / "s", BOTH)
    assert "a\\040b none bind,ro,X-mount.mkdir 0 0" in Path(words[-2]).read_text()
    assert "--net" in words


def test_bubblewrap_takes_over_for_programs(root: Path, tmp_path: Path) -> None:
    words = around_program(Box(root), tmp_path, ONLY_BUBBLEWRAP)
    assert words[0] == "/usr/bin/bwrap"
    assert "--unshare-pid" not in words
    assert words[-3:] == ["--chdir", "/", "--"]


def test_unshare_takes_over_for_steps_in_a_root(root: Path, work: Path, tmp_path: Path) -> None:
    words, said = around_steps(Box(root, (work,), start=work), tmp_path / "s", ONLY_UNSHARE)
    assert words[-3:] == ["/usr/bin/env", "-C", str(work)]
    assert said.startswith("unshare and chroot, no network")


def test_what_a_compiler_needs_to_be_seen(tmp_path: Path) -> None:
    (tmp_path / "llvm/bin").mkdir(parents=True)
    (tmp_path / "jdk").mkdir()
    compiler = tmp_path / "llvm/bin/clang"
    compiler.touch()
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/cc").symlink_to(compiler)
    env = {"PATH": f"{tmp_path}/bin:/no/such", "JAVA": f"{tmp_path}/jdk", "N": "1"}
    assert surroundings(f"{tmp_path}/bin/cc", env) == (
        tmp_path,
        tmp_path / "llvm",
        tmp_path / "jdk",
    )
    assert surroundings("cc", {}) == ()


needs_bubblewrap = pytest.mark.skipif(
    sandbox.tools().bubblewrap is None, reason=f"needs bubblewrap: {sandbox.tools().no_bubblewrap}"
)
needs_unshare = pytest.mark.skipif(
    sandbox.tools().unshare is None, reason=f"needs namespaces: {sandbox.tools().no_unshare}"
)


@needs_bubblewrap
def test_a_step_writes_in_its_folder_and_nowhere_else(work: Path, tmp_path: Path) -> None:
    words, _ = around_steps(Box(writable=(work,), start=work), tmp_path)
    step = (
        f"touch here; ! touch {tmp_path}/there 2>/dev/null; ! touch /usr/there 2>/dev/null;"
        " ls /proc/self/net/dev >/dev/null; grep -c : /proc/net/dev; ls -A ~ /var/tmp"
    )
    done = subprocess.run(
        [*words, "/bin/sh", "-euc", step], capture_output=True, text=True, check=True
    )
    assert (work / "here").exists()
    assert not (tmp_path / "there").exists()
    assert done.stdout.splitlines()[0] == "1"  # only the loopback device


@needs_bubblewrap
def test_a_step_sees_no_sockets_of_services(work: Path, tmp_path: Path) -> None:
    words, _ = around_steps(Box(writable=(work,), start=work), tmp_path)
    step = "find /run/ /var/run/ -mindepth 1; echo end"
    done = subprocess.run(
        [*words, "/bin/sh", "-euc", step], capture_output=True, text=True, check=True
    )
    assert done.stdout == "end\n"


@needs_bubblewrap
def test_a_step_dies_with_its_sandbox(work: Path, tmp_path: Path) -> None:
    words, _ = around_steps(Box(writable=(work,), start=work), tmp_path)
    step = "setsid sleep 1000 & touch started; wait"
    process = subprocess.Popen([*words, "/bin/sh", "-euc", step], start_new_session=True)
    while not (work / "started").exists():
        assert process.poll() is None
    process.kill()
    process.wait()
    listed = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=False)
    assert "sleep 1000" not in [line.strip() for line in listed.stdout.splitlines()]


@needs_unshare
def test_a_program_keeps_its_process_its_files_and_its_status(work: Path, tmp_path: Path) -> None:
    words = around_program(Box(writable=(work,), network=True), tmp_path / "s")
    reading, writing = os.pipe()
    process = subprocess.Popen(
        [*words, "/bin/sh", "-c", f"echo $$ $GIVEN $PWD >/dev/fd/{writing}; kill -SEGV $$"],
        pass_fds=(writing,),
        env={"GIVEN": "kept", "PATH": os.environ["PATH"]},
    )
    os.close(writing)
    with open(reading) as answer:
        assert answer.read() == f"{process.pid} kept /\n"
    assert process.wait() == -11
