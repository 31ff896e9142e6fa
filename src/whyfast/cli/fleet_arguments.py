"""What the commands of a fleet share."""

from __future__ import annotations

import argparse
from pathlib import Path

#: Seconds that a process has to end what it does.
PATIENCE = 3.0


def add_certificates(parser: argparse.ArgumentParser) -> None:
    """``--certificates``."""
    parser.add_argument(
        "--certificates",
        metavar="FOLDER",
        type=Path,
        help="what whyfast fleet certificates made; without it only loopback is spoken to",
    )


def need_dask() -> None:
    """UserError where Dask is not installed."""
    from importlib.util import find_spec

    from whyfast.model.errors import UserError

    if find_spec("distributed") is None:
        raise UserError("fleets need Dask: pip install distributed, on every machine of the fleet")


def add_attached(parser: argparse.ArgumentParser) -> None:
    """``--attached``."""
    parser.add_argument(
        "--attached",
        action="store_true",
        help="end when standard input ends, as it does when ssh breaks off",
    )


def end_with_standard_input() -> None:
    """This process is told to end when its standard input does, and ends."""
    import os
    import signal
    import threading
    import time

    def wait() -> None:
        try:
            while os.read(0, 4096):
                pass
        except OSError:
            pass
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(PATIENCE)
        os._exit(128 + signal.SIGTERM)

    threading.Thread(target=wait, daemon=True).start()
