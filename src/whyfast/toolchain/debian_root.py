"""A root folder with a Debian suite and some packages, made by mmdebstrap.

<name>/root/           the files
<name>/packages.json   name → version and sha256 of every package in it
<name>/size            bytes that the files take
<name>/digest          sha256 over those; written last, before the whole gets its name

mmdebstrap writes an archive, which is unpacked here: so the files belong to the user, whichever
way mmdebstrap went about it, and can be read and deleted like any others."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shlex
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, Any

from whyfast.model.errors import CannotBuildHere, UserError
from whyfast.store.files import lacking, make_once, replacing, used
from whyfast.store.home import Home
from whyfast.study.notation import listed
from whyfast.toolchain.archive import (
    Binary,
    any_of,
    archive_address,
    expires,
    listed_binaries,
    proxy_options,
    records,
)

#: Left out of every root: nothing of it compiles.
LEFT_OUT = ("/usr/share/man/*", "/usr/share/doc/*", "/usr/share/info/*", "/usr/share/locale/*")

#: Where the root keeps what apt knew of its packages when it was made.
RECORD = "var/lib/whyfast-packages"

#: The file by which apt in the root takes certain versions.
PREFERENCES = "etc/apt/preferences.d/whyfast"

#: Seconds that mmdebstrap gets to clean up after itself when it is stopped.
PATIENCE = 20.0

#: What mmdebstrap says that a user wants to know: neither temporary folders nor signals.
_STEP = re.compile(r"I: (?!.*(?:tempdir|\(\)))(.+)\.\.\.$")

# apt's record of each installed package, version for version: it has the hash of the file.
_HOOK = (
    "dpkg-query -W -f '${Package}=${Version}\\n' | xargs apt-cache show --no-all-versions"
    f" > /{RECORD}"
)


@dataclass(frozen=True)
class RootSpec:
    """What a root holds; ``need`` is about how many bytes it takes. ``preferences`` is an
    apt_preferences(5) that says which versions; ``digest`` what the root's has to be, if that is
    known beforehand."""

    suite: str
    packages: tuple[str, ...]
    archive: str
    apt_options: tuple[str, ...] = ()
    need: int = 700_000_000
    preferences: str = ""
    digest: str = ""


@dataclass(frozen=True)
class Package:
    """One installed package: its exact version and the sha256 of its file."""

    version: str
    sha256: str


def mmdebstrap_words(spec: RootSpec, program: str, mode: str) -> list[str]:
    """The whole command; the archive goes to standard output."""
    unchecked = ('Acquire::Check-Valid-Until "false";',) if expires(spec.suite) else ()
    choose = f'printf %s {shlex.quote(spec.preferences)} > "$1"/{PREFERENCES}'
    forget = f'rm "$1"/{PREFERENCES}'
    return [
        program,
        "--variant=apt",
        "--format=tar",
        f"--mode={mode}",
        f"--include={','.join(spec.packages)}",
        *(f"--dpkgopt=path-exclude={pattern}" for pattern in LEFT_OUT),
        *(f"--aptopt={option}" for option in (*spec.apt_options, *unchecked)),
        *([f"--setup-hook={choose}", f"--customize-hook={forget}"] if spec.preferences else []),
        f'--customize-hook=chroot "$1" sh -c {shlex.quote(_HOOK)}',
        spec.suite,
        "-",
        spec.archive,
    ]


def spec_here(suite: str, packages: Iterable[str], need: int) -> RootSpec:
    """A root from the archive and through the proxies of this machine's apt. CannotBuildHere."""
    named = tuple(dict.fromkeys(packages))
    return RootSpec(suite, named, archive_address(), tuple(proxy_options()), need)


def place_of(home: Home, stem: str, packages: Iterable[str]) -> Path:
    """Where the root with those packages is or will be; ``stem`` begins the folder's name."""
    digest = hashlib.sha256(" ".join(packages).encode()).hexdigest()[:8]
    return home.toolchains / f"{stem}-{digest}"


def is_complete(folder: Path) -> bool:
    """Whether the root is there."""
    return (folder / "digest").exists()


def ensure_root(
    folder: Path, spec: Callable[[], RootSpec], what: str, progress: Callable[[str], None]
) -> None:
    """:func:`get_root` unless the root is there; waits for another process that makes it."""
    make_once(
        folder,
        lambda: is_complete(folder),
        lambda: get_root(spec(), folder, what, progress),
        lambda: progress(f"waiting for another whyfast that creates the root of {what}"),
    )


def get_root(spec: RootSpec, folder: Path, what: str, progress: Callable[[str], None]) -> None:
    """:func:`make_root` by this machine's mmdebstrap; ``what`` is what it is the root of.
    CannotBuildHere also where there is none."""
    if sys.platform != "linux":
        raise CannotBuildHere(f"Debian roots need Linux, not {sys.platform}")
    program = shutil.which("mmdebstrap")
    if program is None:
        raise CannotBuildHere(
            "mmdebstrap, which creates Debian roots, is not installed; apt-get install mmdebstrap"
        )
    progress(f"creating a root with {what}")
    words = mmdebstrap_words(spec, program, "root" if os.geteuid() == 0 else "unshare")
    make_root(spec, folder, words, lambda text: progress(f"{what}: {text}"))


def make_root(
    spec: RootSpec, folder: Path, words: Sequence[str], say: Callable[[str], None]
) -> None:
    """Make ``folder``, which appears only when it is complete; the caller holds its lock.
    CannotBuildHere with the reason: no room, a package or suite that the archive has not, a
    download that fails."""
    for place in (folder, Path(tempfile.gettempdir())):
        if short := lacking(place, spec.need):
            raise CannotBuildHere(f"not enough disk space for a Debian {spec.suite} root: {short}")
    try:
        with replacing(folder) as work:
            _fill(work / "made", words, spec, say)
    except OSError as error:
        reason = f"{error.strerror}: {error.filename}" if error.filename else str(error)
        raise CannotBuildHere(f"the Debian {spec.suite} root: {reason}") from error


def _fill(folder: Path, words: Sequence[str], spec: RootSpec, say: Callable[[str], None]) -> None:
    root = folder / "root"
    root.mkdir(parents=True)
    _unpack_from(words, root, spec, say)
    record = root / RECORD
    packages = parse_record(record.read_text())
    if not packages:
        raise CannotBuildHere(f"the Debian {spec.suite} root has no list of its packages")
    if spec.digest and digest_of(packages) != spec.digest:
        raise CannotBuildHere(
            f"the Debian {spec.suite} root has other packages than the recorded ones"
        )
    record.unlink()
    _make_harmless(root)
    plain = {n: vars(p) for n, p in packages.items()}
    (folder / "packages.json").write_text(json.dumps(plain, indent=1))
    (folder / "size").write_text(f"{used(root)}\n")
    (folder / "digest").write_text(digest_of(packages) + "\n")


def _unpack_from(
    words: Sequence[str], root: Path, spec: RootSpec, say: Callable[[str], None]
) -> None:
    maker = subprocess.Popen(
        words,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "LC_ALL": "C"},
        start_new_session=True,
    )
    assert maker.stdout is not None
    assert maker.stderr is not None
    output: list[str] = []
    reader = threading.Thread(target=_follow, args=(maker.stderr, output, say), daemon=True)
    reader.start()
    try:
        unpacking = subprocess.run(
            [
                *("tar", "--extract", "--no-same-owner", "--preserve-permissions"),
                *("--exclude=./dev/*", "--directory", str(root)),
            ],
            stdin=maker.stdout,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            check=False,
        )
        maker.stdout.close()
        status = maker.wait()
    finally:
        _stop(maker)
        reader.join(PATIENCE)
    if status != 0:
        raise CannotBuildHere(explain_failure(output, spec, status))
    if unpacking.returncode != 0:
        if "No space left on device" in unpacking.stderr:
            raise CannotBuildHere(_full(spec))
        # The last line only says that there were others.
        first = unpacking.stderr.strip().splitlines()[:1] or ["tar failed"]
        raise CannotBuildHere(f"unpacking the Debian {spec.suite} root failed: {first[0]}")


def _follow(stream: IO[bytes], output: list[str], say: Callable[[str], None]) -> None:
    """Keep what mmdebstrap prints, and pass its steps on."""
    for raw in stream:
        line = raw.decode("utf-8", "replace").rstrip()
        output.append(line)
        step = _STEP.match(line)
        if step:
            say(step[1])


def _stop(maker: subprocess.Popen[bytes]) -> None:
    """End it if it still runs, first in the way that lets it clean up."""
    for number, patience in ((signal.SIGTERM, PATIENCE), (signal.SIGKILL, None)):
        if maker.poll() is not None:
            return
        os.killpg(maker.pid, number)
        try:
            maker.wait(patience)
        except subprocess.TimeoutExpired:
            continue


def explain_failure(output: Sequence[str], spec: RootSpec, status: int) -> str:
    """What mmdebstrap's messages mean, in one line."""
    text = "\n".join(output)
    missing = re.findall(
        r"^E: (?:Unable to locate package (\S+)|Package '(\S+)' has no installation candidate)",
        text,
        re.MULTILINE,
    )
    if missing:
        names = list(dict.fromkeys(a or b for a, b in missing))
        plural = "s" if len(names) > 1 else ""
        return f"Debian {spec.suite} has no package{plural} {', '.join(names)}"
    if re.search(r"does not have a Release file|404 +Not Found.*InRelease", text):
        return f"the archive {spec.archive} has no suite {spec.suite}"
    if "No space left on device" in text:
        return _full(spec)
    if "newuidmap" in text or "/etc/subuid" in text:
        return (
            "an ordinary user needs newuidmap (apt-get install uidmap) and a line in /etc/subuid "
            "to create a Debian root; " + _last_error(output)
        )
    return f"mmdebstrap could not create a Debian {spec.suite} root: " + (
        _last_error(output) or f"exit code {status}"
    )


def _full(spec: RootSpec) -> str:
    return f"no space left on the disk for the Debian {spec.suite} root"


def _last_error(output: Sequence[str]) -> str:
    errors = [line.removeprefix("E: ") for line in output if line.startswith("E: ")]
    # The first one is the cause; what follows is who noticed.
    return errors[0] if errors else (output[-1] if output else "")


def parse_record(text: str) -> dict[str, Package]:
    """Packages by name in what ``apt-cache show`` prints."""
    complete = [r for r in records(text) if "Package" in r and "Version" in r]
    packages = {r["Package"]: Package(r["Version"], r.get("SHA256", "")) for r in complete}
    return dict(sorted(packages.items()))


def digest_of(packages: Mapping[str, Package]) -> str:
    """sha256 over names, versions and hashes."""
    lines = [f"{n} {p.version} {p.sha256}" for n, p in sorted(packages.items())]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def _make_harmless(root: Path) -> None:
    """No set-user-ID programs in a user's cache, and folders that their owner can delete."""
    for folder, folders, files in os.walk(root):
        for name in (*folders, *files):
            path = Path(folder, name)
            mode = path.lstat().st_mode
            if stat.S_ISLNK(mode):
                continue
            wanted = mode & ~(stat.S_ISUID | stat.S_ISGID) | stat.S_IRUSR
            if stat.S_ISDIR(mode):
                wanted |= stat.S_IRWXU
            if wanted != mode:
                path.chmod(stat.S_IMODE(wanted))


# Making a Debian root again that a build was made in: the same packages, version for version.

_RECORD = re.compile(r"(?P<version>\S+) sha256:(?P<sha256>[0-9a-f]{64})")
_FOLDER = re.compile(r"debian-[a-z0-9.-]+-(clang|gcc)-\d+-[0-9a-f]{8}")
_NAMED = 5  # missing packages that an error names


@dataclass(frozen=True)
class RecordedRoot:
    """A root as provenance has it: the toolchain's full ``name``, the ``folder`` it was in (the
    name alone), its ``packages``, and the ``architecture`` as Debian calls it."""

    name: str
    folder: str
    packages: Mapping[str, Package]
    architecture: str

    @property
    def digest(self) -> str:
        """That of the root."""
        return digest_of(self.packages)


def recorded_root(provenance: Mapping[str, Any], where: str) -> RecordedRoot:
    """The root that a build was made in; UserError for a build without one."""
    recorded_toolchain = provenance.get("toolchain")
    toolchain = recorded_toolchain if isinstance(recorded_toolchain, Mapping) else {}
    name, recorded = str(toolchain.get("name", "")), toolchain.get("packages")
    folder = Path(str(toolchain.get("root", ""))).parent.name
    if not name.startswith("debian:") or not isinstance(recorded, Mapping) or not recorded:
        raise UserError(f"not built in a Debian root, but by {name or 'no toolchain'}", where=where)
    if not _FOLDER.fullmatch(folder):
        raise UserError(f"not a root of a Debian toolchain: {folder!r}", where=where)
    packages = {}
    for package, text in recorded.items():
        match = _RECORD.fullmatch(str(text))
        if not match:
            raise UserError(f"package {package} is recorded without a sha256", where=where)
        packages[str(package)] = Package(match["version"], match["sha256"])
    target = str(toolchain.get("target", ""))
    architecture = "arm64" if target.startswith("aarch64") else "amd64"
    return RecordedRoot(name, folder, packages, architecture)


def check_archive(wanted: RecordedRoot, suite: str) -> None:
    """CannotBuildHere with the names of packages that the archive has no longer. Downloads the
    suite's index, about 10 MB, and no package."""
    listed: dict[str, list[Binary]] = {}
    for binary in listed_binaries(any_of(sorted(wanted.packages)), suite, wanted.architecture):
        listed.setdefault(binary.package, []).append(binary)
    gone = [
        (name, package, listed.get(name, []))
        for name, package in wanted.packages.items()
        if all(
            (b.version, b.sha256) != (package.version, package.sha256) for b in listed.get(name, [])
        )
    ]
    if gone:
        raise CannotBuildHere(_gone(gone, len(wanted.packages), suite))


def _gone(gone: list[tuple[str, Package, list[Binary]]], total: int, suite: str) -> str:
    names = [
        f"{name} {package.version} ("
        + (f"it has {', '.join(b.version for b in others)}" if others else "no version left")
        + ")"
        for name, package, others in gone
    ]
    return (
        f"the archive's {suite} no longer has {len(gone)} of the {total} packages of that root: "
        f"{listed(names, _NAMED)}"
    )


def pinned(spec: RootSpec, wanted: RecordedRoot) -> RootSpec:
    """The spec of a root with these versions and no others."""
    preferences = "\n".join(
        f"Package: {name}\nPin: version {package.version}\nPin-Priority: 1001\n"
        for name, package in sorted(wanted.packages.items())
    )
    packages = tuple(sorted(wanted.packages))
    return replace(spec, packages=packages, preferences=preferences, digest=wanted.digest)
