"""Where whyfast keeps things, after the XDG base directory specification."""

from __future__ import annotations

import os
import pwd
from dataclasses import dataclass
from pathlib import Path


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
    own = os.environ.get("WHYFAST_HOME")
    if own:
        base = Path(own).absolute()
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
