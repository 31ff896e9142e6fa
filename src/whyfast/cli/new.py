"""``whyfast new``: a first study of the user's own program."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from whyfast.model.errors import UserError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The folder to write to, and where the program's source is."""
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="where to write study.toml")
    parser.add_argument(
        "--source",
        type=Path,
        default=Path(),
        metavar="DIR",
        help="the folder with the program's source (default: the current folder)",
    )


def run(args: argparse.Namespace) -> int:
    """Write FOLDER/study.toml; never over one that is there."""
    from whyfast.study.skeleton import skeleton

    file: Path = args.folder / "study.toml"
    source: Path = args.source
    if not source.is_dir():
        raise UserError("no such folder", where=source)
    try:
        text = skeleton(os.path.relpath(source.resolve(), args.folder.resolve()))
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("x", encoding="utf-8") as out:
            out.write(text)
    except FileExistsError as error:
        taken = file if Path(error.filename) == file else error.filename
        raise UserError("is there already; nothing was written", where=taken) from None
    except OSError as error:
        raise UserError(f"cannot be written: {error.strerror}", where=file) from None
    except ValueError:
        message = "the path of the source cannot be written in UTF-8"
        raise UserError(message, where=str(source).encode("utf-8", "replace").decode()) from None
    print(f"{file} is written. Edit it, then: whyfast plan {args.folder}")
    return 0
