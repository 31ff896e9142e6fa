"""``whyfast new`` and ``whyfast studies``: a first study of one's own program, or a bundled one."""

from __future__ import annotations

import argparse
import os
import shlex
from pathlib import Path

from whyfast.cli.output import check_outputs, show
from whyfast.model.errors import UserError
from whyfast.report.pages.admin_pages import studies_page
from whyfast.study.find import ROOT_FILE, bundled_studies
from whyfast.study.skeleton import KINDS, check_file, project_of, skeleton


def run_studies(args: argparse.Namespace) -> int:
    """List the name and title of each bundled study."""
    check_outputs(args)
    show(studies_page({study.name: study.title for study in bundled_studies()}), args)
    return 0


def run_new(args: argparse.Namespace) -> int:
    """Write FOLDER/study.toml or whyfast.toml; never overwrites one."""
    if args.folder is None:
        return _check_file(args.source, args.kind)
    if args.kind:
        raise UserError("only without FOLDER: it is for whyfast.toml", where="--kind")
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
        raise UserError("already exists; nothing was written", where=taken) from None
    except OSError as error:
        raise UserError(f"cannot be written: {error.strerror}", where=file) from None
    except ValueError:
        message = "the path of the source is not valid UTF-8"
        raise UserError(message, where=str(source).encode("utf-8", "replace").decode()) from None
    print(f"wrote {file}; edit it, then: whyfast plan {args.folder}")
    return 0


def _check_file(source: Path, kind: str | None) -> int:
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
        raise UserError("already exists; nothing was written", where=file) from None
    except OSError as error:
        raise UserError(f"cannot be written: {error.strerror}", where=file) from None
    study = f" --study {shlex.quote(str(source))}" if folder != Path().resolve() else ""
    go_there = f"cd {shlex.quote(str(source))} && {project.first}" if study else project.first
    first = (f"({go_there})" if study else go_there) if project.first else ""
    then = " && ".join(filter(None, (first, f"whyfast check{study}")))
    print(f"wrote {file} for a {kind} project; edit it, then: {then}")
    return 0
