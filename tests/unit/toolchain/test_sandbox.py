"""Commands in sandboxes and roots; chroot alone."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from tests.golden_files import Hear

from whyfast.model.errors import CannotBuildHere
from whyfast.toolchain import sandbox
from whyfast.toolchain.entrance import bring_in, entrances_in_words, try_chroot
from whyfast.toolchain.sandbox import Box, Tools, around_program, around_steps, surroundings

BOTH = Tools("/usr/bin/bwrap", "", ("/usr/bin/unshare", "--mount"), "")
ONLY_BUBBLEWRAP = Tools("/usr/bin/bwrap", "", None, "no namespaces")
ONLY_UNSHARE = Tools(None, "bubblewrap is not installed", ("/usr/bin/unshare", "--mount"), "")
NOTHING = Tools(None, "bubblewrap is not installed", None, "user namespaces cannot be used")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "root"
    for name in ("usr/bin", "usr/lib", "etc", "home/user", "proc", "tmp"):
        (root / name).mkdir(parents=True)
    (root / "bin").symlink_to("usr/bin")
    return root


@pytest.fixture
def work(tmp_path: Path) -> Path:
    work = tmp_path / "work"
    work.mkdir()
    return work


def _binds(words: list[str], option: str) -> list[tuple[str, str]]:
    """Without those in the place of devices."""
    found = [(words[i + 1], words[i + 2]) for i, word in enumerate(words) if word == option]
    return [(place, shown) for place, shown in found if not shown.startswith("/dev/")]


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


def test_programs_are_entered_alone(root: Path, work: Path, tmp_path: Path, golden: Hear) -> None:
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


_, WHY_NOT = try_chroot(shutil.which("chroot", path="/usr/sbin:/usr/bin:/sbin:/bin"))
ONLY_CHROOT = Tools(None, "no bubblewrap", None, "no namespaces", "/usr/sbin/chroot")
needs_chroot = pytest.mark.skipif(bool(WHY_NOT), reason=WHY_NOT)


@pytest.fixture
def chroot(tmp_path: Path) -> Path:
    """A root with a shell and what it is linked to."""
    chroot = tmp_path / "chroot"
    for program in ("/bin/sh", "/usr/bin/env", "/bin/cat"):
        told = subprocess.run(["ldd", program], capture_output=True, text=True, check=True)
        for path in (program, *re.findall(r"(/\S+) \(0x", told.stdout)):
            target = chroot / path[1:]
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, target)
    return chroot


@needs_chroot
def test_a_step_writes_in_its_folder_and_ends(chroot: Path, tmp_path: Path, golden: Hear) -> None:
    work = tmp_path / "build" / "work"
    work.mkdir(parents=True)
    words, said = around_steps(Box(chroot, (work.parent,), start=work), tmp_path, ONLY_CHROOT)
    golden(said)
    for step, status in (("echo $PWD >made; cat made >/dev/null", 0), ("exit 3", 3)):
        done = subprocess.run([*words, "/bin/sh", "-euc", step], env={"A": "b"}, check=False)
        assert done.returncode == status
    assert (work / "made").read_text() == f"{work}\n"
    assert not (chroot / str(work)[1:]).exists()
    done = subprocess.run([*words, "/bin/sh", "-c", "kill -9 $$"], check=False)
    assert done.returncode == 128 + 9


@needs_chroot
def test_a_program_is_the_process_itself(chroot: Path, tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir()
    (data / "file").write_text("here")
    words = around_program(Box(chroot, readable=(data,), network=True), tmp_path, ONLY_CHROOT)
    reading, writing = os.pipe()
    script = f"echo $$ $(cat {data}/file) $PWD; kill -SEGV $$"
    process = subprocess.Popen([*words, "/bin/sh", "-c", script], stdout=writing)
    os.close(writing)
    with open(reading) as answer:
        assert answer.read() == f"{process.pid} here /\n"
    assert process.wait() == -11


def test_what_is_brought_in_follows_what_is_outside(tmp_path: Path) -> None:
    chroot, data = tmp_path / "chroot", tmp_path / "data"
    (data / "deep").mkdir(parents=True)
    (data / "deep" / "a").write_text("1")
    (data / "link").symlink_to("deep/a")
    copy = chroot / str(data)[1:]
    chroot.mkdir()
    bring_in(chroot, data, data, link=False)
    assert (copy / "link").read_text() == "1"
    (copy / "deep" / "a").write_text("changed inside")
    assert (data / "deep" / "a").read_text() == "1"
    (data / "deep" / "a").write_text("22")
    (data / "link").unlink()
    bring_in(chroot, data, data, link=True)
    assert (copy / "deep" / "a").read_text() == "22"
    assert sorted(p.name for p in copy.iterdir()) == ["deep"]
    # a root inside what it shows is not copied into itself
    bring_in(chroot, tmp_path, tmp_path, link=False)
    assert not (chroot / str(chroot)[1:]).exists()


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
    chroot, outside = tmp_path / "chroot", tmp_path / "outside"
    (chroot / "var/lib/dpkg/info").mkdir(parents=True)
    lists = chroot / "var/lib/dpkg/info" / "gcc.list"
    lists.write_text("/.\n/etc\n/etc/gcc\n/usr\n/usr/lib\n/usr/lib/gcc\n/opt\n")
    for folder in ("etc", "usr/lib", "opt"):
        (chroot / folder).mkdir(parents=True)
    (chroot / "lib").symlink_to("usr/lib")
    (chroot / "etc/gcc").write_text("kept")
    (chroot / "usr/lib/gcc").write_text("kept")
    outside.mkdir()
    (outside / "new").touch()
    with pytest.raises(OSError, match=f"{name} there belongs to its packages"):
        bring_in(chroot, outside, Path(name), link=False)
    assert (chroot / "etc/gcc").read_text() == (chroot / "usr/lib/gcc").read_text() == "kept"
    bring_in(chroot, outside, Path("/opt"), link=False)  # a folder with nothing in it
    bring_in(chroot, outside, Path("/usr/lib/other"), link=False)
    assert (chroot / "opt/new").exists()
    assert (chroot / "usr/lib/other/new").exists()


@pytest.mark.skipif(sandbox.tools().bubblewrap is None, reason="needs bubblewrap")
def test_steps_get_the_same_random_numbers_each_time(work: Path, tmp_path: Path) -> None:
    words, _ = around_steps(Box(writable=(work,), start=work), tmp_path / "scratch")
    # A set in its order, as a hash with a random key makes it, and what the kernel gives itself.
    script = (
        "import os, random; print(hash('a'), random.random(), os.urandom(4).hex());"
        "print(hasattr(os, 'getrandom') and os.getrandom(1))"
    )
    runs = [
        subprocess.run([*words, "python3", "-c", script], capture_output=True, text=True)
        for _ in range(2)
    ]
    assert runs[0].stdout == runs[1].stdout != ""
    assert "not implemented" in runs[0].stderr
