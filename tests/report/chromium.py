"""Where the browser tests find a Chromium."""

import os
import shutil
from dataclasses import dataclass
from pathlib import Path

from tests.install_chromium import environment_of, installed

#: Headless, without a sandbox (containers have none) and without a word to the network.
ARGUMENTS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


@dataclass(frozen=True)
class Chromium:
    """An executable, the environment it needs, and further arguments."""

    path: Path
    environment: dict[str, str]
    arguments: tuple[str, ...] = ARGUMENTS


def find_chromium() -> Chromium | None:
    """The one in $WHYFAST_CHROMIUM, on PATH, or fetched by tests/install_chromium.py."""
    wanted = os.environ.get("WHYFAST_CHROMIUM")
    found = wanted or next(filter(None, map(shutil.which, NAMES)), None)
    if found:
        return Chromium(Path(found), dict(os.environ))
    fetched = installed()
    if fetched is None:
        return None
    # Where this one is needed, /dev/shm is often small or missing.
    return Chromium(fetched, environment_of(fetched), (*ARGUMENTS, "--disable-dev-shm-usage"))
