"""Where whyfast keeps things, after the XDG base directory specification."""

from __future__ import annotations

import contextlib
import errno
import grp
import os
import pwd
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from whyfast.model.errors import UserError

# Private folders: their contents are run and trusted. Who else could change them is decided as
# OpenSSH in Debian does for a user's keys: every folder and link on the way counts, and a group
# with the user alone, as each has on a system with user private groups, is nobody else.

#: Links that the kernel follows on one way.
_LINKS = 40
_ROOT = 0


def own_home() -> Home:
    """:func:`whyfast.store.home.home`, its folders there and private; see :func:`make_private`."""
    folders = home()
    make_private(folders.cache)
    make_private(folders.data)
    return folders


def make_private(folder: Path) -> None:
    """Make the folder, with those above it, or close an existing one to others: mode 0700, whatever
    the umask. One that cannot be made or closed is left to whoever uses it. UserError where others
    may write into it, or could put another in its place."""
    with contextlib.suppress(OSError):
        for missing in reversed([p for p in (folder, *folder.parents) if not p.exists()]):
            missing.mkdir(mode=0o700, exist_ok=True)
    real, ours = Path(os.path.realpath(folder)), _ourselves()
    try:
        for place in _way_to(folder):
            if place != real:
                _check_above(place, ours, folder)
        have = real.lstat()
    except OSError:
        return
    if have.st_uid not in ours:
        raise UserError(
            f"belongs to user {have.st_uid}, who may write into it; set WHYFAST_HOME to a folder "
            "of your own",
            where=folder,
        )
    if _writers(real, have, ours):
        raise UserError(
            "writable by other users, and programs in it are run; inspect it, then "
            f"chmod -R go-w {folder}, or delete it",
            where=folder,
        )
    if stat.S_IMODE(have.st_mode) & 0o077:
        with contextlib.suppress(OSError):
            real.chmod(0o700)


def _way_to(folder: Path) -> Iterator[Path]:
    """Every folder and link that the kernel passes on its way there, the last one included.
    OSError where something on it is missing."""
    here, links = Path("/"), 0
    ahead = list(folder.absolute().parts[1:])
    yield here
    while ahead:
        name = ahead.pop(0)
        if name == "..":
            here = here.parent
            continue
        place = here / name
        yield place
        if not stat.S_ISLNK(place.lstat().st_mode):
            here = place
            continue
        links += 1
        if links > _LINKS:
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(folder))
        target = Path(os.readlink(place))
        here = Path("/") if target.is_absolute() else here
        ahead = [*target.parts[target.is_absolute() :], *ahead]


def _check_above(place: Path, ours: tuple[int, ...], folder: Path) -> None:
    """UserError where others could put something else in the place of a folder or link on the way
    to ``folder``. OSError where it is missing."""
    have = place.lstat()
    if have.st_uid not in (*ours, _ROOT):
        raise UserError(
            f"user {have.st_uid} owns {place}, and could put another folder in its place; set "
            "WHYFAST_HOME to a folder of your own",
            where=folder,
        )
    # In a sticky folder only the owner can rename an entry, and who that is is looked at next.
    if stat.S_ISLNK(have.st_mode) or have.st_mode & stat.S_ISVTX:
        return
    if writers := _writers(place, have, ours):
        raise UserError(
            f"{writers} may write into {place}, and so put another folder in its place; "
            f"chmod go-w {place}, or set WHYFAST_HOME to a folder of your own",
            where=folder,
        )


def _writers(place: Path, have: os.stat_result, ours: tuple[int, ...]) -> str:
    """Which others may write into the folder, in words; empty for nobody."""
    if have.st_mode & stat.S_IWOTH:
        return "anybody"
    if have.st_mode & stat.S_IWGRP and not _is_private(have.st_gid, place, ours):
        return f"others (group {have.st_gid})"
    return ""


def _is_private(gid: int, place: Path, ours: tuple[int, ...]) -> bool:
    """Whether the group has one of us, or root, and nobody else: among its members, and of those
    whose first group it is."""
    try:
        os.getxattr(place, "system.posix_acl_access")
        return False  # the bits of the group stand for all that this list names
    except OSError:
        pass
    try:
        names = {*grp.getgrgid(gid).gr_mem}
    except KeyError:
        return False
    users = pwd.getpwall()
    unknown = names - {u.pw_name for u in users}
    inside = {u.pw_uid for u in users if u.pw_gid == gid or u.pw_name in names}
    return not unknown and bool(inside) and inside <= {*ours, _ROOT}


def _ourselves() -> tuple[int, ...]:
    """Who may own it: this user, and who has become root by sudo, who could do so again."""
    sudo = os.environ.get("SUDO_UID", "")
    user = os.geteuid()
    return (user, int(sudo)) if user == 0 and sudo.isdigit() else (user,)


@dataclass(frozen=True)
class Home:
    """``cache`` (toolchains, sources, builds) can be deleted at any time; ``data`` has results."""

    cache: Path
    data: Path

    @property
    def toolchains(self) -> Path:
        return self.cache / "toolchains"

    @property
    def builds(self) -> Path:
        return self.cache / "builds"

    @property
    def sources(self) -> Path:
        """Sources that were fetched, unpacked."""
        return self.cache / "sources"

    @property
    def sandbox(self) -> Path:
        """Tables of mounts, to make sandboxes from."""
        return self.cache / "sandbox"

    @property
    def database(self) -> Path:
        return self.data / "results.sqlite"

    @property
    def doctor(self) -> Path:
        """Old values of machine settings that were changed, until they are put back."""
        return self.data / "doctor"


def home() -> Home:
    """``WHYFAST_HOME`` for both when set, else the user's XDG cache and data folders."""
    if place := os.environ.get("WHYFAST_HOME"):
        base = Path(place).absolute()
        return Home(base / "cache", base / "data")
    cache = _folder("XDG_CACHE_HOME") or _user() / ".cache"
    data = _folder("XDG_DATA_HOME") or _user() / ".local" / "share"
    return Home(cache / "whyfast", data / "whyfast")


def _user() -> Path:
    """``HOME``; where it is empty or missing, what the system's list of users has."""
    return _folder("HOME") or Path(pwd.getpwuid(os.getuid()).pw_dir)


def _folder(variable: str) -> Path | None:
    """The folder that a variable names; the specification has relative paths ignored."""
    folder = Path(os.environ.get(variable, ""))
    return folder if folder.is_absolute() else None
