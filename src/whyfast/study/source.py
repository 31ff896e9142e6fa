"""``[source]``: where the program's source comes from."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path

from whyfast.model.study import Source
from whyfast.store.git import without_user
from whyfast.study.find import bundled_folder, bundled_names
from whyfast.study.notation import quoted
from whyfast.study.toml_document import listed
from whyfast.study.toml_table import TomlTable

_PACKAGE = re.compile(r"[a-z0-9][a-z0-9+.-]+")
_VERSION = re.compile(r"[A-Za-z0-9][A-Za-z0-9.+~-]*")
_SUITE = re.compile(r"[a-z][a-z0-9.-]*")
_SHA256 = re.compile(r"[0-9a-f]{64}")

#: Where source packages are looked up when the study names no suite: the newest there are.
_NEWEST = "sid"


def read_source(table: TomlTable, folder: Path) -> Source:
    """The source; a relative path is taken from the study's folder. Nothing is fetched."""
    given = [kind for kind in _KINDS if kind in table]
    if not given:
        keys = [key for kind, (more, _) in _KINDS.items() for key in (kind, *more)]
        table.check_keys(*dict.fromkeys(keys))
        table.require("path", 'subject = "NAME" or path = "FOLDER"')
    more, read = _KINDS[given[0]]
    if len(given) > 1:
        hint = f"give one of {listed(_KINDS)}"
        raise table.error((given[1],), "a second source", hint)
    table.check_keys(given[0], *more)
    return read(table, folder)


def _path(table: TomlTable, folder: Path) -> Source:
    place = _existing(table, "path", folder, Path.is_dir, "a folder")
    return Source("path", table.string("path"), place)


def _existing(
    table: TomlTable, key: str, folder: Path, fits: Callable[[Path], bool], what: str
) -> Path:
    """The path under that key, from the study's ``folder`` on."""
    name = table.string(key)
    # normpath and not resolve: what the user called the folder is what reports should call it.
    path = Path(os.path.normpath(folder / os.path.expanduser(name)))
    try:
        is_there = fits(path)
    except OSError as error:
        raise table.error((key,), f"{quoted(name)}: {error.strerror}") from None
    if not is_there:
        wrong = f"is not {what}" if os.path.lexists(path) else "does not exist"
        hint = None if Path(name).is_absolute() else f"relative to {folder}"
        raise table.error((key,), f"{quoted(name)} {wrong}", hint)
    return path


def _subject(table: TomlTable, folder: Path) -> Source:
    name = table.string("subject")
    table.check_known(("subject",), "subject", name, bundled_names("subjects"))
    return Source("subject", name, bundled_folder("subjects") / name)


def _debian(table: TomlTable, folder: Path) -> Source:
    table.require("version", 'version = "3.14.6", the upstream version without a Debian revision')
    return Source(
        "debian",
        _form(table, "debian", _PACKAGE, "the name of a source package"),
        folder,
        version=_form(table, "version", _VERSION, "an upstream version"),
        sha256=_sha256(table),
        suite=_form(table, "suite", _SUITE, "the name of a suite") if "suite" in table else _NEWEST,
    )


def _tarball(table: TomlTable, folder: Path) -> Source:
    name = table.string("tarball")
    if "://" in name:
        message = f"{quoted(without_user(name))} is not the path of a file"
        raise table.error(("tarball",), message, "download it, or use git or debian")
    path = _existing(table, "tarball", folder, Path.is_file, "a file")
    return Source("tarball", name, path, sha256=_sha256(table))


def _git(table: TomlTable, folder: Path) -> Source:
    table.require("revision", 'revision = "v1.0", a tag, branch or commit')
    name, revision = table.string("git"), table.string("revision")
    for key, text in (("git", name), ("revision", revision)):
        if text.startswith("-"):
            raise table.error((key,), f"{quoted(text)} begins with a dash")
    # What git takes for an address, and not for a folder.
    remote = "://" in name or re.match(r"[\w.-]+@[\w.-]+:", name)
    return Source(
        "git",
        shown := without_user(name),
        folder if remote else _existing(table, "git", folder, Path.is_dir, "a folder"),
        revision=revision,
        address="" if shown == name else name,
    )


def _form(table: TomlTable, key: str, pattern: re.Pattern[str], what: str) -> str:
    text = table.string(key)
    if not pattern.fullmatch(text):
        raise table.error((key,), f"{quoted(text)} is not {what}")
    return text


def _sha256(table: TomlTable) -> str:
    table.require("sha256", 'sha256 = "…", 64 hexadecimal digits, as sha256sum prints them')
    text = table.string("sha256").lower()
    if not _SHA256.fullmatch(text):
        hint = "write 64 hexadecimal digits, as sha256sum prints them"
        raise table.error(("sha256",), f"{quoted(text)} is not a sha256", hint)
    return text


#: Each kind by its key, with the further keys that it takes.
_KINDS: dict[str, tuple[tuple[str, ...], Callable[[TomlTable, Path], Source]]] = {
    "subject": ((), _subject),
    "path": ((), _path),
    "debian": (("version", "sha256", "suite"), _debian),
    "tarball": (("sha256",), _tarball),
    "git": (("revision",), _git),
}
