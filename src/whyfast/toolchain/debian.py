"""Debian's compilers, each in a root of its own: ``debian:clang-18``, ``debian:gcc-12@bookworm``.

The root has the C library and the headers of its suite, and what is built in it runs in it. It is
made once, by mmdebstrap, from the archive that this machine's apt uses.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
import shutil
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from whyfast.model.errors import CannotBuildHere, UserError
from whyfast.model.toolchain import Toolchain
from whyfast.store.home import Home
from whyfast.store.lock import exclusive
from whyfast.toolchain import sandbox
from whyfast.toolchain.archive import archive_address, proxy_options
from whyfast.toolchain.debian_names import DebianName, known_names, parse_name
from whyfast.toolchain.debian_root import RootSpec, delete_root, make_root, mmdebstrap_words
from whyfast.toolchain.path import first_line, short_version
from whyfast.toolchain.probe import features
from whyfast.toolchain.provider import Progress

#: Bytes that a root takes, about: gcc's, clang's, and for each further package.
NEED = {"gcc": 300_000_000, "clang": 650_000_000}
NEED_PER_PACKAGE = 15_000_000


class DebianProvider:
    """gcc and clang of any Debian release that the archive still has."""

    def names(self) -> list[str]:
        return known_names()

    def installed(self, name: str, home: Home, packages: Sequence[str] = ()) -> bool:
        return (root_folder(home, parse_name(name), packages) / "digest").exists()

    def size(self, name: str, home: Home) -> int:
        """Bytes on disk of all roots with that compiler."""
        return sum(int((f / "size").read_text()) for f in _roots(home, parse_name(name)))

    def remove(self, name: str, home: Home) -> None:
        """Delete every root with that compiler, whatever else is in it."""
        folders = _roots(home, parse_name(name))
        for folder in folders:
            with exclusive(folder.with_name(f"{folder.name}.lock")):
                delete_root(folder)
        if not folders:
            raise UserError(f"debian:{name} is not installed")

    def resolve(
        self, name: str, home: Home, progress: Progress, packages: Sequence[str] = ()
    ) -> Toolchain:
        """The toolchain; its root, with ``packages`` in it too, is made when it is new.

        A root takes half a minute to two minutes, and 0.3 to 1.3 GB.
        """
        wanted = parse_name(name)
        folder = root_folder(home, wanted, packages)
        if sys.platform != "linux":
            raise CannotBuildHere(f"Debian roots need Linux, not {sys.platform}")
        # Before anything is downloaded: a root that cannot be entered is of no use.
        have = sandbox.tools()
        if not have.bubblewrap and not have.unshare:
            raise CannotBuildHere(sandbox.cannot_enter(have))
        if not (folder / "digest").exists():
            waiting = f"waiting for another whyfast that makes the root of {name}"
            with exclusive(folder.with_name(f"{folder.name}.lock"), lambda: progress(waiting)):
                if not (folder / "digest").exists():
                    _make(wanted, packages, folder, progress)
        return _toolchain(name, wanted, folder, home)


def root_folder(home: Home, name: DebianName, packages: Sequence[str]) -> Path:
    """Where the root with that compiler and those packages is or will be."""
    wanted = sorted({*name.packages, *packages})
    digest = hashlib.sha256(" ".join(wanted).encode()).hexdigest()[:8]
    return home.toolchains / f"{_stem(name)}{digest}"


def _stem(name: DebianName) -> str:
    return f"debian-{name.suite}-{name.compiler}-"


def _roots(home: Home, name: DebianName) -> list[Path]:
    return sorted(f.parent for f in home.toolchains.glob(f"{_stem(name)}????????/size"))


def _make(name: DebianName, packages: Sequence[str], folder: Path, progress: Progress) -> None:
    program = shutil.which("mmdebstrap")
    if program is None:
        raise CannotBuildHere(
            "mmdebstrap, which makes Debian roots, is not installed; apt-get install mmdebstrap"
        )
    spec = RootSpec(
        suite=name.suite,
        packages=tuple(dict.fromkeys((*name.packages, *packages))),
        archive=archive_address(),
        apt_options=tuple(proxy_options()),
        need=NEED[name.kind] + NEED_PER_PACKAGE * len(packages),
    )
    what = f"{name.compiler} of Debian {name.suite}"
    progress(f"making a root with {what}")
    words = mmdebstrap_words(spec, program, "root" if os.geteuid() == 0 else "unshare")
    make_root(spec, folder, words, lambda text: progress(f"{what}: {text}"))


def _toolchain(full: str, name: DebianName, folder: Path, home: Home) -> Toolchain:
    root = folder / "root"
    env = {"PATH": name.path}
    cc = (f"/usr/bin/{name.compiler}",)
    enter = entering(root, home)
    version = first_line([*enter(None), *cc, "--version"], env)
    if not version:
        raise CannotBuildHere(f"{cc[0]} does not start in {root}")
    # The compiler is part of it: one root may hold several.
    digest = hashlib.sha256(
        f"{name.compiler} {(folder / 'digest').read_text().strip()}".encode()
    ).hexdigest()
    recorded = json.loads((folder / "packages.json").read_text())
    return Toolchain(
        name=f"debian:{full}",
        provider="debian",
        version=short_version(version),
        target=first_line([*enter(None), *cc, "-dumpmachine"], env) or platform.machine(),
        digest=digest,
        cc=cc,
        features=features(cc, env, digest, home.cache / "probes", enter),
        env=env,
        root=root,
        packages={n: f"{p['version']} sha256:{p['sha256']}" for n, p in recorded.items()},
    )


def entering(root: Path, home: Home) -> Callable[[Path | None], list[str]]:
    """The words that run a command in the root, with a writable folder or none."""

    def words(folder: Path | None) -> list[str]:
        box = sandbox.Box(root, (folder,) if folder else ())
        return sandbox.around_steps(box, home.sandbox)[0]

    return words
