"""What the commands of a fleet share."""

from __future__ import annotations

import argparse
from pathlib import Path


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
        raise UserError(
            "fleets need Dask: pip install 'whyfast[fleet]', on every machine of the fleet"
        )
