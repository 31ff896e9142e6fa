"""``whyfast new``: a first study of the user's own program."""

from __future__ import annotations

import argparse
import os
import shlex
from pathlib import Path

from whyfast.model.errors import UserError

#: As :data:`whyfast.study.kinds.KINDS` has them; a test holds that.
_KINDS = ("c", "autotools", "cmake", "meson", "cargo", "go", "python")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The folder to write to, where the program's source is, and what kind of project it is."""
    parser.add_argument(
        "folder",
        type=Path,
        metavar="FOLDER",
        nargs="?",
        help="where to write study.toml, which compares -O2 with -O3 (default: write whyfast.toml "
        "for whyfast check beside the source)",
    )
    parser.add_argument(
        "--kind",
        choices=_KINDS,
        help="what kind of project whyfast.toml is for (default: as its files tell)",
    )
    parser.add_argument(
        "--source",
        type=Path,
        default=Path(),
        metavar="DIR",
        help="the folder with the program's source (default: the current folder)",
    )


def run(args: argparse.Namespace) -> int:
    """Write FOLDER/study.toml, or whyfast.toml; never over one that is there."""
    from whyfast.study.skeleton import skeleton

    if args.folder is None:
        return _check_file(args.source, args.kind)
    if args.kind:
        raise UserError("goes without FOLDER: it writes whyfast.toml", where="--kind")

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


def _check_file(source: Path, kind: str | None) -> int:
    from whyfast.study.find import ROOT_FILE
    from whyfast.study.skeleton import KINDS, check_file, project_of

    if not source.is_dir():
        raise UserError("no such folder", where=source)
    folder = source.resolve()
    kind, project = (kind, KINDS[kind][1](folder)) if kind else project_of(folder)
    file = source / ROOT_FILE
    text = check_file(project)
    try:
        with file.open("x", encoding="utf-8") as out:
            out.write(text)
    except FileExistsError:
        raise UserError("is there already; nothing was written", where=file) from None
    except OSError as error:
        raise UserError(f"cannot be written: {error.strerror}", where=file) from None
    study = f" --study {shlex.quote(str(source))}" if folder != Path().resolve() else ""
    go_there = f"cd {shlex.quote(str(source))} && {project.first}" if study else project.first
    first = (f"({go_there})" if study else go_there) if project.first else ""
    then = " && ".join(filter(None, (first, f"whyfast check{study}")))
    print(f"{file} is written, for a project of the kind {kind}. Edit it, then: {then}")
    return 0
