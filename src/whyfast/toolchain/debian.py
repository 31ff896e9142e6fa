"""Debian's compilers, ``debian:clang-18``, ``debian:gcc-12@bookworm``, each in a root of its own
with the C library and headers of its suite, made once by mmdebstrap; what is built in it runs in
it."""

from __future__ import annotations

import hashlib
import json
import platform
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from whyfast.model.build import Toolchain
from whyfast.model.errors import CannotBuildHere, UserError
from whyfast.store.files import delete, discard, exclusive, lock_of
from whyfast.store.home import Home
from whyfast.toolchain import Cost, Progress, first_line, sandbox
from whyfast.toolchain.debian_root import (
    RecordedRoot,
    RootSpec,
    check_archive,
    ensure_root,
    get_root,
    is_complete,
    pinned,
    place_of,
    spec_here,
)
from whyfast.toolchain.path import features, short_version

#: For each suite the compilers that are taken from it when a name gives none: the newest stable
#: release that has the compiler, else testing, else unstable.
SUITES = {
    "bullseye": ("clang-9", "clang-11", "gcc-9", "gcc-10"),
    "bookworm": ("clang-13", "clang-14", "clang-15", "clang-16", "gcc-11"),
    "trixie": ("clang-17", "clang-18", "clang-19", "clang-22", "gcc-12", "gcc-13", "gcc-14"),
    "forky": ("clang-21", "gcc-15", "gcc-16"),
    "sid": ("clang-23",),
}

_DEFAULT = {name: suite for suite, names in SUITES.items() for name in names}
_NAME = re.compile(r"(?P<kind>clang|gcc)-(?P<major>\d+)(@(?P<suite>[a-z][a-z0-9.-]*))?")


@dataclass(frozen=True)
class DebianName:
    """A compiler of a suite."""

    kind: str
    major: int
    suite: str

    @property
    def compiler(self) -> str:
        """As the package and the program are called: ``clang-18``."""
        return f"{self.kind}-{self.major}"

    @property
    def packages(self) -> tuple[str, ...]:
        """What has to be installed to compile and link C, with link-time optimisation too."""
        if self.kind == "gcc":
            return (self.compiler, "libc6-dev")
        return (self.compiler, f"lld-{self.major}", f"llvm-{self.major}", "libc6-dev")

    @property
    def path(self) -> str:
        """``PATH`` inside the root: the tools of this very LLVM go first."""
        llvm = f"/usr/lib/llvm-{self.major}/bin:" if self.kind == "clang" else ""
        return f"{llvm}/usr/local/bin:/usr/bin:/bin"


def known_names() -> list[str]:
    """The compilers that need no suite, by kind and age."""
    return sorted(_DEFAULT, key=lambda n: (n.partition("-")[0], int(n.partition("-")[2])))


def parse_name(name: str) -> DebianName:
    """UserError for a name of another form, and for one that must say its suite and does not."""
    match = _NAME.fullmatch(name)
    if not match:
        raise UserError(
            f"invalid toolchain debian:{name}; expected debian:clang-VERSION or "
            f"debian:gcc-VERSION, optionally with @SUITE, e.g. debian:clang-19@bookworm"
        )
    compiler = f"{match['kind']}-{match['major']}"
    suite = match["suite"] or _DEFAULT.get(compiler)
    if not suite:
        raise UserError(
            f"toolchain debian:{name} needs a suite, e.g. debian:{compiler}@sid; without a suite: "
            f"{', '.join(known_names())}"
        )
    return DebianName(match["kind"], int(match["major"]), suite)


#: Bytes that a root takes, about: gcc's, clang's, and for each further package.
NEED = {"gcc": 300_000_000, "clang": 650_000_000}
NEED_PER_PACKAGE = 15_000_000

#: Bytes to download: the sizes of the packages of trixie's roots for amd64, as apt's index has
#: them, sum up to 87 MB for gcc 14, 138 to 142 MB for clang 18 and 19, and about 0.6 MB more for
#: each package that CPython needs beside.
DOWNLOAD = {"gcc": 90_000_000, "clang": 145_000_000}
DOWNLOAD_PER_PACKAGE = 600_000
#: Seconds that a root takes to make, seen on two cores with a near archive: 60 to 110.
SECONDS = 90.0

#: The folder of a root, as :func:`root_folder` calls it.
_ROOT = re.compile(
    r"(?P<stem>debian-(?P<suite>[a-z][a-z0-9.-]*)-(?P<compiler>(clang|gcc)-\d+))-[0-9a-f]{8}"
)


class DebianProvider:
    """gcc and clang of any Debian release that the archive still has."""

    def names(self) -> list[str]:
        return known_names()

    def installed(self, name: str, home: Home, packages: Sequence[str] = ()) -> bool:
        return is_complete(root_folder(home, parse_name(name), packages))

    def cost(self, name: str, packages: Sequence[str] = ()) -> Cost:
        kind = parse_name(name).kind
        return Cost(
            DOWNLOAD[kind] + DOWNLOAD_PER_PACKAGE * len(packages), _need(kind, packages), SECONDS
        )

    def elsewhere(self, home: Home) -> list[str]:
        """Compilers that are installed from another suite than :meth:`names` means."""
        matches = (_ROOT.fullmatch(f.parent.name) for f in home.toolchains.glob("debian-*/size"))
        known = {_stem(parse_name(n)) for n in known_names()}
        others = {m["compiler"] + "@" + m["suite"] for m in matches if m and m["stem"] not in known}
        return sorted(others)

    def size(self, name: str, home: Home) -> int:
        """Bytes on disk of all roots with that compiler."""
        return sum(int((f / "size").read_text()) for f in _roots(home, parse_name(name)))

    def remove(self, name: str, home: Home) -> None:
        """Delete every root with that compiler, whatever else is in it."""
        wanted = parse_name(name)
        folders = _roots(home, wanted)
        for folder in folders:
            with exclusive(lock_of(folder)):
                discard(folder)
        for remains in home.toolchains.glob(f"{_stem(wanted)}-????????-unfinished-*"):
            whole = remains.with_name(remains.name.partition("-unfinished-")[0])
            with exclusive(lock_of(whole)):
                delete(remains)
        if not folders:
            raise UserError(f"debian:{name} is not installed")

    def resolve(
        self, name: str, home: Home, progress: Progress, packages: Sequence[str] = ()
    ) -> Toolchain:
        """The toolchain; its root, with ``packages`` in it too, is made when it is new. A root
        takes half a minute to two minutes, and 0.3 to 1.3 GB."""
        wanted = parse_name(name)
        folder = root_folder(home, wanted, packages)
        sandbox.must_enter_roots()
        ensure_root(folder, lambda: _spec(wanted, packages), _what(wanted), progress)
        return _toolchain(name, wanted, folder, home)

    def install_again(self, recorded: RecordedRoot, home: Home, progress: Progress) -> Toolchain:
        """The toolchain with the very packages of a recorded root, in its place. Another root there
        is replaced, unless it has these packages already. CannotBuildHere when the archive has not
        all of them any more; then nothing is changed."""
        full = recorded.name.removeprefix("debian:")
        name = parse_name(full)
        folder = home.toolchains / recorded.folder
        if not folder.name.startswith(f"{_stem(name)}-"):
            raise UserError(f"{recorded.folder} is not a root of {recorded.name}")
        sandbox.must_enter_roots()
        with exclusive(lock_of(folder)):
            if not is_complete(folder) or _digest_in(folder) != recorded.digest:
                progress(f"asking the archive for {len(recorded.packages)} packages")
                check_archive(recorded, name.suite)
                get_root(pinned(_spec(name, ()), recorded), folder, _what(name), progress)
        return _toolchain(full, name, folder, home)


def _digest_in(folder: Path) -> str:
    return (folder / "digest").read_text().strip()


def root_folder(home: Home, name: DebianName, packages: Sequence[str]) -> Path:
    """Where the root with that compiler and those packages is or will be."""
    return place_of(home, _stem(name), sorted({*name.packages, *packages}))


def _stem(name: DebianName) -> str:
    return f"debian-{name.suite}-{name.compiler}"


def _roots(home: Home, name: DebianName) -> list[Path]:
    return sorted(f.parent for f in home.toolchains.glob(f"{_stem(name)}-????????/size"))


def _what(name: DebianName) -> str:
    return f"{name.compiler} of Debian {name.suite}"


def _need(kind: str, packages: Sequence[str]) -> int:
    return NEED[kind] + NEED_PER_PACKAGE * len(packages)


def _spec(name: DebianName, packages: Sequence[str]) -> RootSpec:
    return spec_here(name.suite, (*name.packages, *packages), _need(name.kind, packages))


def _toolchain(full: str, name: DebianName, folder: Path, home: Home) -> Toolchain:
    root = folder / "root"
    env = {"PATH": name.path}
    cc = (f"/usr/bin/{name.compiler}",)
    enter = entering(root, home)
    version = first_line([*enter(None), *cc, "--version"], env)
    if not version:
        raise CannotBuildHere(f"{cc[0]} does not start in {root}")
    # The compiler is part of it: one root may hold several.
    digest = hashlib.sha256(f"{name.compiler} {_digest_in(folder)}".encode()).hexdigest()
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


# A Valgrind that knows newer compilers than the machine's own, in a root of its own. Its tools are
# linked statically and find their data by VALGRIND_LIB, so that they run in any root.

#: As it is called where toolchains are listed and removed, though it is no compiler.
VALGRIND = "debian:valgrind"

_SUITE = "trixie"
_PACKAGES = ("valgrind",)

#: The version in that suite; a machine whose own is as new needs no other.
VALGRIND_VERSION = (3, 24)

#: Bytes that the root takes, about.
_NEED = 350_000_000

_LIBRARY = "usr/libexec/valgrind"
_ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64"}


def valgrind_root(home: Home) -> Path:
    """Where that root is or will be."""
    return place_of(home, f"debian-{_SUITE}-valgrind", _PACKAGES) / "root"


def valgrind_size(home: Home) -> int:
    """Bytes on disk of that root; 0 when it is not there."""
    file = valgrind_root(home).parent / "size"
    return int(file.read_text()) if file.exists() else 0


def remove_valgrind(home: Home) -> None:
    """Delete that root; UserError when it is not there."""
    folder = valgrind_root(home).parent
    with exclusive(lock_of(folder)):
        if not folder.exists():
            raise UserError(f"{VALGRIND} is not installed")
        discard(folder)


def newer_valgrind(home: Home, progress: Progress) -> Path:
    """The root with Valgrind in it, made when it is not there, which takes about a minute.
    CannotBuildHere when it is not available."""
    root = valgrind_root(home)
    what = f"Valgrind of Debian {_SUITE}"
    ensure_root(root.parent, lambda: spec_here(_SUITE, _PACKAGES, _NEED), what, progress)
    return root


def tool_words(root: Path, tool: str) -> tuple[list[str], dict[str, str]]:
    """(the words that start a tool of that Valgrind anywhere, the environment that they need). They
    are what ``valgrind --tool=TOOL`` itself executes. CannotBuildHere when the root has no such
    tool for this processor."""
    machine = platform.machine()
    library = root / _LIBRARY
    program = library / f"{tool}-{_ARCHITECTURES.get(machine, machine)}-linux"
    if not program.exists():
        raise CannotBuildHere(f"Debian {_SUITE}'s Valgrind has no {tool} for {machine}")
    launcher = str(root / "usr/bin/valgrind")
    environment = {"VALGRIND_LIB": str(library), "VALGRIND_LAUNCHER": launcher}
    return [str(program), f"--tool={tool}"], environment


def version_of(text: str) -> tuple[int, int]:
    """``valgrind-3.19.0`` → (3, 19); (0, 0) for anything else."""
    match = re.search(r"valgrind-(\d+)\.(\d+)", text)
    return (int(match[1]), int(match[2])) if match else (0, 0)
