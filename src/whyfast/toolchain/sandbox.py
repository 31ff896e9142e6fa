"""Running commands apart from the rest of the machine, and inside the root of a toolchain.

*Bubblewrap* shuts build steps in: no network, no home, all read-only but their own folder.
*unshare*, ``mount`` and ``chroot`` start a program that is to be measured: each replaces itself by
the next (``exec``), so that only the program is left, as it would be anyway. Either takes over for
the other. Where nothing may be mounted, root uses ``chroot`` alone
(:mod:`whyfast.toolchain.entrance`). docs/toolchain.md says what to install."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
import shutil
import sys
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from whyfast.model.errors import CannotBuildHere
from whyfast.store.files import write_whole
from whyfast.toolchain import entrance as chroot
from whyfast.toolchain.chance import without_chance
from whyfast.toolchain.entrance import Tools as Tools
from whyfast.toolchain.entrance import bring_in, make_devices, says, try_chroot
from whyfast.toolchain.entrance import cannot_enter as cannot_enter

#: Set to ``off``, build steps of toolchains without a root run plainly.
VARIABLE = "WHYFAST_SANDBOX"

#: How a step is shut in by chroot, in words.
_ALONE = "chroot alone: network, writable root"

#: The top of a root as it is shown: what packages install. The rest is empty, or not for all.
_TOP = ("bin", "etc", "lib", "lib32", "lib64", "libx32", "opt", "sbin", "usr", "var")

#: ``$1`` is the table of mounts, ``$2`` the root; the rest is the command.
_ENTER = '{mount} -a -T "$1"; root=$2; shift 2; exec {chroot} "$root" "$@"'

#: Folders of a system's tools, also of tools that are not on an ordinary user's ``PATH``.
_SYSTEM = "/usr/bin:/bin:/usr/sbin:/sbin"


@dataclass(frozen=True)
class Box:
    """What a command sees: the files of ``root`` (None: the machine's own), beside them the
    ``writable`` and ``readable`` folders, under the names that they have outside. It starts in
    ``start``, or in ``/``. Of ``moved``, the first is seen under the name of the second, too, and
    is writable there: only bubblewrap can do that."""

    root: Path | None = None
    writable: tuple[Path, ...] = ()
    readable: tuple[Path, ...] = ()
    network: bool = False
    start: Path | None = None
    moved: tuple[Path, Path] | None = None


@functools.cache
def tools() -> Tools:
    """Found out once a process, by trying."""
    bubblewrap, why_not = _try_bubblewrap()
    unshare, nor = _try_unshare()
    if bubblewrap or unshare:
        return Tools(bubblewrap, why_not, unshare, nor)
    return Tools(None, why_not, None, nor, *try_chroot(_find("chroot")))


def must_enter_roots() -> None:
    """CannotBuildHere where no root can be entered: a download would be useless."""
    if sys.platform != "linux":
        raise CannotBuildHere(f"Debian roots need Linux, not {sys.platform}")
    if not (have := tools()).any:
        raise CannotBuildHere(cannot_enter(have))


def around_steps(box: Box, scratch: Path, have: Tools | None = None) -> tuple[list[str], str]:
    """The words before a build step, and the sandbox in words, for the provenance. Without any tool
    a step runs plainly, unless the box has a root: then CannotBuildHere. ``scratch`` is a folder
    for small files that stay."""
    off = box.root is None and os.environ.get(VARIABLE) == "off"
    have = have or tools()
    if box.moved and (off or not have.bubblewrap):
        raise CannotBuildHere(
            "its folder was configured under another name, under which only bubblewrap can show it"
        )
    if off:
        return [], f"none ({VARIABLE}=off)"
    if have.bubblewrap:
        alone = ["--unshare-pid", "--die-with-parent"]
        words = bubblewrap_words(have.bubblewrap, box, alone)
        return without_chance(words, scratch), f"bubblewrap, {_seen(box)}"
    if box.root is None:
        return [], f"none ({have.no_bubblewrap})"
    if have.unshare:
        return _unshare(have.unshare, box, scratch), f"unshare and chroot, {_seen(box)}"
    if have.chroot:
        return _chroot_step(have.chroot, box.root, box), _ALONE
    raise CannotBuildHere(cannot_enter(have))


def around_program(box: Box, scratch: Path, have: Tools | None = None) -> list[str]:
    """The words before a program that is measured; CannotBuildHere when no tool works. The working
    folder becomes ``/``; open files and the environment stay."""
    have = have or tools()
    if have.unshare:
        return _unshare(have.unshare, box, scratch)
    if have.bubblewrap:
        return bubblewrap_words(have.bubblewrap, box, [])
    if have.chroot:
        return _chroot(have.chroot, box)
    raise CannotBuildHere(cannot_enter(have))


def surroundings(program: str, env: Mapping[str, str]) -> tuple[Path, ...]:
    """What a program outside of any root needs to be seen: where it is installed, and existing
    places that its environment names."""
    places = []
    if os.path.isabs(program):
        names = (Path(program), _real(Path(program)))
        places = [p.parents[min(1, len(p.parents) - 1)] for p in names]
    for variable, value in env.items():
        for word in value.split(":"):
            if word.startswith("/") and os.path.exists(word):
                # bin and its siblings, lib and share, belong together
                places.append(Path(word).parent if variable == "PATH" else Path(word))
    return tuple(dict.fromkeys(p for p in places if p.is_absolute() and p != Path("/")))


def _seen(box: Box) -> str:
    """In words what the box keeps away."""
    network = "network" if box.network else "no network"
    return f"{network}, no home, read-only outside the build folder"


def hidden_folders() -> list[Path]:
    """What a sandbox without a root of its own does not show."""
    # In /run are the sockets of services, by which a step could do outside what it may not inside.
    folders = [Path("/tmp"), Path("/var/tmp"), Path("/run")]
    with contextlib.suppress(RuntimeError, OSError):
        folders.append(_real(Path.home()))
    return [f for f in folders if f.is_dir() and f != Path("/")]


def bubblewrap_words(program: str, box: Box, more: list[str]) -> list[str]:
    """The whole command line of bubblewrap up to the command, with ``more`` options in front."""
    words = [program, *more, "--unshare-ipc", *([] if box.network else ["--unshare-net"])]
    if box.root is None:
        words += ["--ro-bind", "/", "/"]
        hidden = hidden_folders()
    else:
        words += _root_folders(box.root)
        hidden = [Path("/")]
    words += ["--dev", "/dev", "--proc", "/proc"]
    words += [w for f in hidden if f != Path("/") for w in ("--tmpfs", str(f))]
    if box.root is not None:
        words += ["--tmpfs", "/tmp", "--tmpfs", "/run"]
    for place, target, writable in _places(box, hidden):
        if box.root is not None and target.parts[1] in _TOP:  # read-only by then
            _mount_point(box.root / target.relative_to("/"), place)
        words += ["--bind" if writable else "--ro-bind", str(place), str(target)]
    return [*words, "--chdir", str(box.start or "/"), "--"]


def _root_folders(root: Path) -> list[str]:
    """The top of the root, entry by entry: bubblewrap makes mount points for the other folders
    beside them, which it could not in a root that is mounted read-only as a whole."""
    words: list[str] = []
    for entry in sorted(root.iterdir()):
        if entry.name not in _TOP:
            continue
        if entry.is_symlink():
            words += ["--symlink", os.readlink(entry), f"/{entry.name}"]
        elif entry.is_dir():
            words += ["--ro-bind", str(entry), f"/{entry.name}"]
    return words


def _places(box: Box, hidden: Iterable[Path]) -> list[tuple[Path, Path, bool]]:
    """(where it is, where it is shown, writable), parents before what is in them. A place is shown
    under its real name, and under the name given where that one's symbolic links are not to be
    seen."""
    shown: dict[Path, tuple[Path, bool]] = {}
    for paths, writable in ((box.readable, False), (box.writable, True)):
        for path in paths:
            real = _real(path)
            if not real.exists():
                continue
            if writable or any(real.is_relative_to(h) for h in hidden):
                shown[real] = (real, writable)
            if path != real and any(path.is_relative_to(h) for h in hidden):
                shown[path] = (real, writable)
    if box.moved:
        shown[box.moved[1]] = (_real(box.moved[0]), True)
    return [(shown[t][0], t, shown[t][1]) for t in sorted(shown, key=lambda t: len(t.parts))]


def _unshare(unshare: tuple[str, ...], box: Box, scratch: Path) -> list[str]:
    root = box.root or Path("/")
    lines = []
    if box.root is not None:
        lines = [
            _line("/proc", root / "proc", "rbind"),
            _line("/dev", root / "dev", "rbind"),
            _line("none", root / "tmp", "mode=1777", kind="tmpfs"),
        ]
    for place, target, writable in _places(box, [Path("/")]):
        point = root / target.relative_to("/")
        options = "bind" if writable else "bind,ro"
        if place.is_dir():
            options += ",X-mount.mkdir"  # there: /tmp of the root is empty and new each time
        else:
            _mount_point(point, place)
        lines.append(_line(str(place), point, options))
    text = "\n".join(lines) + "\n"
    table = scratch / f"{hashlib.sha256(text.encode()).hexdigest()[:16]}.mounts"
    if not table.exists():
        scratch.mkdir(parents=True, exist_ok=True)
        write_whole(table, text)
    network = [] if box.network else ["--net"]
    enter = _ENTER.format(mount=_find("mount") or "mount", chroot=_find("chroot") or "chroot")
    words = [*unshare, *network, "--", "/bin/sh", "-euc", enter, "sh", str(table), str(root)]
    return [*words, "/usr/bin/env", "-C", str(box.start)] if box.start else words


def _chroot_step(program: str, root: Path, box: Box) -> list[str]:
    try:
        make_devices(root)
    except OSError as error:
        raise CannotBuildHere(f"cannot create /dev/null in {root}: {error}") from error
    if not box.writable:
        return [program, str(root)]
    # Without mounts the whole folder of a build is moved in; a compiler in a root needs no other.
    folder = box.start.parent if box.start else box.writable[-1]
    place = (str(_real(folder)), str(box.start or "/"))
    return [sys.executable, "-I", chroot.__file__, str(root), *place]


def _chroot(program: str, box: Box) -> list[str]:
    root = box.root or Path("/")
    if box.root is not None:
        try:
            make_devices(root)
            for place, target, writable in _places(box, [Path("/")]):
                bring_in(root, place, target, link=writable)
        except OSError as error:
            raise CannotBuildHere(f"a folder cannot be copied into {root}: {error}") from error
    return [program, str(root), *(["/usr/bin/env", "-C", str(box.start)] if box.start else [])]


def _mount_point(point: Path, place: Path) -> None:
    """An empty folder or file on disk for ``place`` to be mounted over."""
    if place.is_dir():
        point.mkdir(parents=True, exist_ok=True)
    elif not point.exists():
        point.parent.mkdir(parents=True, exist_ok=True)
        point.touch()


def _line(what: str, where: Path, options: str, *, kind: str = "none") -> str:
    """A line of a table of mounts, as fstab(5) writes it."""

    def escaped(text: str) -> str:
        for character in "\\ \t\n":
            text = text.replace(character, f"\\{ord(character):03o}")
        return text

    return f"{escaped(what)} {escaped(str(where))} {kind} {options} 0 0"


def _real(path: Path) -> Path:
    return Path(os.path.realpath(path))


def _find(name: str) -> str | None:
    return shutil.which(name, path=_SYSTEM) or shutil.which(name)


def _try_bubblewrap() -> tuple[str | None, str]:
    program = _find("bwrap")
    if program is None:
        return None, "bubblewrap is not installed"
    box = Box(writable=())
    message = says(
        [*bubblewrap_words(program, box, ["--unshare-pid", "--die-with-parent"]), "/bin/true"]
    )
    return (None, f"bubblewrap does not work ({message})") if message else (program, "")


def _try_unshare() -> tuple[tuple[str, ...] | None, str]:
    program = _find("unshare")
    if program is None:
        return None, "unshare is not installed"
    message = ""
    # A namespace of users of its own is needed only where we may not mount otherwise.
    for users in ([], ["--map-root-user"]) if os.geteuid() == 0 else (["--map-root-user"],):
        words = (program, *users, "--mount")
        with tempfile.TemporaryDirectory(prefix="whyfast-sandbox-") as folder:
            box = Box(writable=(Path(folder),))
            message = says([*_unshare(words, box, Path(folder)), "/bin/true"])
        if not message:
            return words, ""
    return None, f"user namespaces cannot be used ({message})"
