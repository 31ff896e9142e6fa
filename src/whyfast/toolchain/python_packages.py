"""pyperf and pyperformance as files, for interpreters that have none of their own.

Both are pure Python, so one unpacked copy serves every interpreter under study, and every one of
them runs the very same benchmark code.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from whyfast.store.home import Home
from whyfast.toolchain.wheels import Wheel, fetch

PYPERF = Wheel(
    "pyperf",
    "2.10.0",
    (
        "79196bc4a11e3c926dd4c6b14c80136c6b37f884fe913cbc57037f37636e9841",
        "dd93ccfda79214725293e95f1fa6e00cb4a64adcf1326039486d4e1f91caaa62",
    ),
)
PYPERFORMANCE = Wheel(
    "pyperformance",
    "1.14.0",
    (
        "91f74393997b604375ad5b79bf569a24076d70181c076a53abad5383a238a8aa",
        "94068ac2935b6952ccb5e8a302eb9cebc26e82454494bef6e53822738adf0049",
    ),
)


def pyperf_folder(home: Home, progress: Callable[[str], None]) -> Path:
    """A folder for ``PYTHONPATH`` with pyperf in it; CannotBuildHere when it cannot be had."""
    return fetch(PYPERF, home.cache / "packages", progress)


def pyperformance_benchmarks(home: Home, progress: Callable[[str], None]) -> Path:
    """The folder with pyperformance's ``bm_*`` folders; CannotBuildHere when it cannot be had."""
    unpacked = fetch(PYPERFORMANCE, home.cache / "packages", progress)
    return unpacked / "pyperformance" / "data-files" / "benchmarks"
