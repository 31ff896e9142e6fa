"""Folders of one user alone: what lies in them is run and believed."""

from __future__ import annotations

import contextlib
import os
import stat
from pathlib import Path

from whyfast.model.errors import UserError
from whyfast.store.home import Home, home

_OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH


def own_home() -> Home:
    """:func:`whyfast.store.home.home`, its folders there and private; see :func:`make_private`."""
    found = home()
    make_private(found.cache)
    make_private(found.data)
    return found


def make_private(folder: Path) -> None:
    """Make the folder, with those above it that are missing, or close an existing one to others:
    mode 0700, whatever the umask. One that cannot be made or closed is left to whoever uses it.

    UserError where others may write into it, or could put another in its place: what is in it
    already need not be ours.
    """
    with contextlib.suppress(OSError):
        for missing in reversed([p for p in (folder, *folder.parents) if not p.exists()]):
            missing.mkdir(mode=0o700, exist_ok=True)
    try:
        real = folder.resolve()
        have = real.stat()
    except OSError:
        return
    if have.st_uid not in _ourselves():
        raise UserError(
            f"belongs to user {have.st_uid}, who may write into it; set WHYFAST_HOME to a folder "
            "of your own",
            where=folder,
        )
    if have.st_mode & _OTHERS_WRITE:
        raise UserError(
            "others may write into it, and what lies in it is run; look through it, then "
            f"chmod -R go-w {folder}, or delete it",
            where=folder,
        )
    for above in real.parents:
        mode = above.stat().st_mode
        if mode & stat.S_IWOTH and not mode & stat.S_ISVTX:
            raise UserError(
                f"anybody may write into {above}, and so put another folder in its place; "
                "set WHYFAST_HOME to a folder of your own",
                where=folder,
            )
    if stat.S_IMODE(have.st_mode) & 0o077:
        with contextlib.suppress(OSError):
            real.chmod(0o700)


def _ourselves() -> tuple[int, ...]:
    """Who may own it: this user, and who has become root by sudo, who could do so again."""
    sudo = os.environ.get("SUDO_UID", "")
    user = os.geteuid()
    return (user, int(sudo)) if user == 0 and sudo.isdigit() else (user,)
