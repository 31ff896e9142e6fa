"""What the tests need beside Python packages, fetched once into the user's cache.

Run by ``make test`` before pytest. A thing that cannot be had is named, and the tests that need it
are skipped with the reason, unless it is one that every supported machine can have.
"""

import os
import shutil
import subprocess
import sys

from tests import install_chromium
from tests.report.chromium import find_chromium
from whyfast.model.errors import CannotBuildHere
from whyfast.store.home import home
from whyfast.toolchain.registry import resolve

#: The compiler with the merged dispatch, and the one before it: the key case of the project.
TOOLCHAINS = ("zig:clang-18", "zig:clang-19")

#: The one real Debian root of the tests, and what makes and enters it.
DEBIAN = "debian:gcc-14"
DEBIAN_TOOLS = ("mmdebstrap", "bubblewrap", "mount")


def main() -> int:
    for name in TOOLCHAINS:
        try:
            toolchain = resolve(name, home(), print)
            print(f"{name}: {toolchain.version}")
        except CannotBuildHere as error:
            print(f"{name}: {error}", file=sys.stderr)
            return 1
    _debian_root()
    if find_chromium() is None:
        try:
            print(f"chromium: {install_chromium.install()}")
        except install_chromium.CannotInstall as error:
            print(f"chromium: {error}; the browser tests will be skipped", file=sys.stderr)
    return 0


def _debian_root() -> None:
    """Root gets the programs from apt, others have to have them; a root takes a minute or two."""
    missing = shutil.which("mmdebstrap") is None
    if missing and os.geteuid() == 0 and shutil.which("apt-get"):
        print(f"installing {', '.join(DEBIAN_TOOLS)} with apt-get")
        for words in (["update"], ["install", "-y", "--no-install-recommends", *DEBIAN_TOOLS]):
            done = subprocess.run(
                ["apt-get", "-q", *words],
                env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"},
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                check=False,
            )
            if done.returncode != 0:
                last = (done.stderr.strip() or "no message").splitlines()[-1]
                print(f"apt-get {words[0]}: {last}", file=sys.stderr)
                break
    try:
        print(f"{DEBIAN}: {resolve(DEBIAN, home(), print).version}")
    except CannotBuildHere as error:
        print(f"{DEBIAN}: {error}; its test will be skipped", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
