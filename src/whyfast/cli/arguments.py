"""Arguments that several subcommands share, parsed with clear errors."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from whyfast.model.errors import UserError

#: Options that name a file to write.
FILE_OPTIONS = ("json", "html", "markdown", "csv")


def add_outputs(parser: argparse.ArgumentParser) -> None:
    """``--json``, ``--html``, ``--markdown``, ``--table`` and ``-v``."""
    parser.add_argument("--json", metavar="FILE", type=Path, help="write everything as JSON")
    parser.add_argument("--html", metavar="FILE", type=Path, help="write one offline HTML report")
    parser.add_argument(
        "--markdown", metavar="FILE", type=Path, help="write the tables as Markdown"
    )
    parser.add_argument(
        "--table",
        choices=["variants", "benchmarks"],
        default="variants",
        help="rows of the table of times; benchmarks: a column a variant",
    )
    parser.add_argument("-v", "--verbose", action="store_true", help="show every benchmark")


def check_outputs(args: argparse.Namespace) -> None:
    """Before hours of work: can the files that are asked for be written? UserError if not."""
    for option in FILE_OPTIONS:
        path: Path | None = getattr(args, option, None)
        if path is None or str(path) == "-":
            continue
        if path.is_dir():
            raise UserError("is a folder; name a file to write", where=f"--{option} {path}")
        if not path.absolute().parent.is_dir():
            raise UserError("its folder does not exist", where=f"--{option} {path}")
        # A link, a device or a pipe is written to, anything else is replaced.
        own = path.is_symlink() or (path.exists() and not path.is_file())
        if not os.access(path if own else path.absolute().parent, os.W_OK):
            raise UserError("cannot be written: permission denied", where=f"--{option} {path}")


def duration(text: str, option: str) -> float:
    """Seconds from ``90s``, ``3m``, ``1.5h``, ``500ms`` or a number of seconds."""
    from whyfast.study.quantities import parse_duration

    try:
        return parse_duration(float(text) if text.replace(".", "", 1).isdigit() else text)
    except ValueError as error:
        raise UserError(str(error), where=option) from None


def percent(text: str, option: str) -> float:
    """A relative margin from ``1%``: 0.01."""
    from whyfast.study.quantities import parse_margin

    try:
        return parse_margin(text)
    except ValueError as error:
        raise UserError(str(error), where=option) from None
