"""What the tests need beside Python packages, fetched once into the user's cache.

Run by ``make test`` before pytest. A thing that cannot be had is named, and the tests that need it
are skipped with the reason, unless it is one that every supported machine can have.
"""

from __future__ import annotations

import sys

from tests import install_chromium
from tests.report.chromium import find_chromium
from whyfast.model.errors import CannotBuildHere
from whyfast.store.home import home
from whyfast.toolchain.provider import resolve

#: The compiler with the merged dispatch, and the one before it: the key case of the project.
TOOLCHAINS = ("zig:clang-18", "zig:clang-19")


def main() -> int:
    for name in TOOLCHAINS:
        try:
            toolchain = resolve(name, home(), print)
            print(f"{name}: {toolchain.version}")
        except CannotBuildHere as error:
            print(f"{name}: {error}", file=sys.stderr)
            return 1
    if find_chromium() is None:
        try:
            print(f"chromium: {install_chromium.install()}")
        except install_chromium.CannotInstall as error:
            print(f"chromium: {error}; the browser tests will be skipped", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
