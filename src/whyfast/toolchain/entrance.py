"""How this machine can enter the root of a toolchain, found by trial; and by chroot alone."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from whyfast.toolchain import run


@dataclass(frozen=True)
class Tools:
    """What this machine has: full paths of the programs, or why they cannot be used."""

    bubblewrap: str | None
    no_bubblewrap: str
    unshare: tuple[str, ...] | None
    no_unshare: str
    chroot: str | None = None
    no_chroot: str = ""

    @property
    def any(self) -> bool:
        """Whether a root can be entered at all."""
        return bool(self.bubblewrap or self.unshare or self.chroot)


def try_chroot(program: str | None) -> tuple[str | None, str]:
    """(the program, or None and why it cannot be used)."""
    if program is None:
        return None, "chroot is not installed"
    if os.geteuid() != 0:
        return None, "plain chroot requires root"
    if message := says([program, "/", "/bin/true"]):
        return None, f"chroot does not work ({message})"
    with tempfile.TemporaryDirectory(prefix="whyfast-chroot-") as folder:
        try:
            make_devices(Path(folder))
        except OSError as error:
            return None, f"chroot cannot create /dev/null ({error.strerror})"
    return program, ""


def entrances_in_words(have: Tools) -> list[str]:
    """How build steps and measured programs get into a Debian root, and why not otherwise."""
    if not have.any:
        return [cannot_enter(have)]
    steps = _first(have, ("bubblewrap", "unshare", "chroot"))
    programs = _first(have, ("unshare", "bubblewrap", "chroot"))
    lines = [f"Debian roots: build steps by {steps}, measured programs by {programs}"]
    reasons = [r for r in (have.no_bubblewrap, have.no_unshare) if r]
    if steps == "chroot alone":
        reasons.append("steps can use the network and write to the root")
    return [*lines, *([f"  {'; '.join(reasons)}"] if reasons else [])]


def _first(have: Tools, order: tuple[str, ...]) -> str:
    names = {
        "bubblewrap": (have.bubblewrap, "bubblewrap"),
        "unshare": (have.unshare, "unshare and chroot"),
        "chroot": (have.chroot, "chroot alone"),
    }
    return next(words for works, words in (names[n] for n in order) if works)


def cannot_enter(have: Tools) -> str:
    """Why no root can be entered here."""
    reasons = [r for r in (have.no_bubblewrap, have.no_unshare, have.no_chroot) if r]
    return f"Debian roots cannot be used on this machine: {'; '.join(reasons)}"


def says(argv: list[str]) -> str:
    """Empty when the command ends well, else the last line that it prints, or what went wrong."""
    try:
        done = run(argv, timeout=20)
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    if done.returncode == 0:
        return ""
    lines = done.stderr.strip().splitlines()
    return lines[-1] if lines else f"exit code {done.returncode}"


# chroot alone, for root in containers that allow no mounts. What the command needs is brought into
# the root under its name outside: the folder of a build step is moved there while the step runs,
# folders of a measured program are copied (as hard links where possible). The network stays, the
# root is writable, and there is no ``/proc``.
#
# Run as a script it starts a step: ``entrance.py ROOT FOLDER START COMMAND…``.

#: Devices that programs expect, with their numbers (``Documentation/admin-guide/devices.txt``).
DEVICES = {"null": (1, 3), "zero": (1, 5), "full": (1, 7), "random": (1, 8), "urandom": (1, 9)}


def make_devices(root: Path) -> None:
    """The devices in a root's ``/dev``. OSError where that is not allowed."""
    folder = root / "dev"
    folder.mkdir(exist_ok=True)
    for name, numbers in DEVICES.items():
        path = folder / name
        if not path.exists():
            os.mknod(path, 0o666 | stat.S_IFCHR, os.makedev(*numbers))
            path.chmod(0o666)
    (folder / "null").write_bytes(b"")  # mounts may forbid devices
    with contextlib.suppress(FileExistsError):
        (folder / "fd").symlink_to("/proc/self/fd")


def bring_in(root: Path, path: Path, name: Path, *, link: bool) -> None:
    """Make what the root has under ``name`` like the folder or file ``path`` outside; ``link``:
    with the files themselves where possible, so that programs write to both. OSError also for a
    folder in which packages have installed something, which would be deleted."""
    copy = root / name.relative_to("/")
    if copy == root or path.is_relative_to(root):
        return
    if path.is_dir():
        if copy.is_dir() and _has_packages(root, name):
            raise OSError(f"{name} there belongs to its packages; work in another folder")
        copy.mkdir(parents=True, exist_ok=True)
        _mirror(path, copy, root, link)
    else:
        copy.parent.mkdir(parents=True, exist_ok=True)
        _bring_file(path, copy, link)


def _has_packages(root: Path, folder: Path) -> bool:
    """Whether dpkg's lists have anything below the folder. ``/lib`` and ``/usr/lib`` are one."""
    below = f"{folder}/".removeprefix("/usr")
    return any(
        line.removeprefix("/usr").startswith(below)
        for file in (root / "var/lib/dpkg/info").glob("*.list")
        for line in file.read_text(errors="replace").splitlines()
    )


def _mirror(source: Path, target: Path, root: Path, link: bool) -> None:
    wanted = set()
    for entry in os.scandir(source):
        wanted.add(entry.name)
        path, copy = Path(entry.path), target / entry.name
        if entry.is_symlink():
            if not copy.is_symlink() or os.readlink(copy) != os.readlink(path):
                _delete(copy)
                copy.symlink_to(os.readlink(path))
        elif entry.is_dir():
            if path == root or root.is_relative_to(path):
                continue  # a root within what it is to show
            if copy.is_symlink() or not copy.is_dir():
                _delete(copy)
                copy.mkdir()
            _mirror(path, copy, root, link)
        elif entry.is_file():
            _bring_file(path, copy, link)
    for entry in os.scandir(target):
        if entry.name not in wanted:
            _delete(Path(entry.path))


def _bring_file(path: Path, copy: Path, link: bool) -> None:
    have, known = path.stat(), None
    with contextlib.suppress(FileNotFoundError):
        known = copy.lstat()
    if known and (
        (known.st_dev, known.st_ino) == (have.st_dev, have.st_ino)
        or (known.st_mtime_ns, known.st_size, known.st_mode)
        == (have.st_mtime_ns, have.st_size, have.st_mode)
    ):
        return
    _delete(copy)
    if link:
        with contextlib.suppress(OSError):
            os.link(path.resolve(), copy)
            return
    shutil.copy2(path, copy)


def _delete(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def run_step(root: Path, folder: Path, start: str, command: list[str]) -> int:
    """Run a command in the root with ``folder`` in it; returns its exit code, 128 and the signal's
    number when one ended it. The folder is outside again when this returns."""
    inside = root / folder.relative_to("/")
    make_devices(root)
    _delete(inside)  # of a step that was killed
    inside.parent.mkdir(parents=True, exist_ok=True)
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, lambda number, frame: sys.exit(128 + number))
    shutil.move(folder, inside)
    try:
        done = subprocess.run(
            ["/usr/sbin/chroot", str(root), "/usr/bin/env", "-C", start, *command], check=False
        )
    finally:
        shutil.move(inside, folder)
    return done.returncode if done.returncode >= 0 else 128 - done.returncode


if __name__ == "__main__":
    sys.exit(run_step(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3], sys.argv[4:]))
