"""What the commands share: values of options, and how a document is shown and written.

The renderers are imported when there is a document to show.
"""

from __future__ import annotations

import argparse
import io
import os
import shlex
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from rich.console import Console

from whyfast.cli.main import say
from whyfast.cli.options import FILE_OPTIONS
from whyfast.model.codec import dump
from whyfast.model.errors import UserError
from whyfast.store.files import write_whole
from whyfast.study.notation import parse_duration, parse_margin

if TYPE_CHECKING:
    from whyfast.report.document import Document

FAILED, FAIL_ON_MET, INTERRUPTED = 1, 3, 130


@dataclass(frozen=True)
class Action:
    """What a command that reports nothing did to the thing called ``name``: a file, toolchain, or
    digest of a build. ``known``: it was stored already. ``detail`` says which version, or why it
    failed; ``bytes`` is what its removal freed."""

    did: Literal["wrote", "stored", "known", "installed", "removed", "failed"]
    name: str
    detail: str = ""
    bytes: int | None = None


def duration(text: str, option: str) -> float:
    """Seconds from ``90s``, ``3m``, ``1.5h``, ``500ms`` or a number of seconds."""
    try:
        return parse_duration(float(text) if text.replace(".", "", 1).isdigit() else text)
    except ValueError as error:
        raise UserError(f"{error}; write e.g. 90s or 3m", where=option) from None


def percent(text: str, option: str) -> float:
    """A relative margin from ``1%``: 0.01."""
    try:
        return parse_margin(text)
    except ValueError as error:
        raise UserError(f"{error}; write e.g. 1%", where=option) from None


def check_outputs(args: argparse.Namespace) -> None:
    """UserError, before hours of work, for a file that cannot be written."""
    for option in FILE_OPTIONS:
        path: Path | None = getattr(args, option, None)
        if path is None or str(path) == "-":
            continue
        if path.is_dir():
            raise UserError("is a folder; expected a file", where=f"--{option} {path}")
        if not path.absolute().parent.is_dir():
            raise UserError("no such folder", where=f"--{option} {path}")
        target = path if _kept_in_place(path) else path.absolute().parent
        if not os.access(target, os.W_OK):
            raise UserError("cannot be written: permission denied", where=f"--{option} {path}")


def show(
    document: Document,
    args: argparse.Namespace,
    *,
    json: Callable[[], str] | None = None,
    markdown: Callable[[], str] | None = None,
    paged: bool = False,
) -> None:
    """Into the files that were asked for, and on the terminal.

    ``json`` and ``markdown`` return the text of these files; the default is the document itself.
    Files come first: they are complete even when the reader of standard output goes. ``paged``: a
    terminal shows the document in a pager. UserError when a file cannot be written.
    """
    failure: UserError | None = None
    texts = {"json": json, "markdown": markdown}
    for option in ("json", "html", "markdown"):
        if (path := getattr(args, option)) is not None:
            try:
                text = texts.get(option)
                write(path, text() if text else _rendered(document, option))
            except UserError as error:  # the other files can still be written
                failure = failure or error
    if not piped(args):
        printed = _printed(document, verbose=args.verbose)
        if not (paged and sys.stdout.isatty() and _page(printed)):
            say(printed)
    if failure is not None:
        raise failure


def show_actions(
    command: str,
    actions: Sequence[Action],
    args: argparse.Namespace,
    text: str = "",
    notes: Sequence[str] = (),
) -> None:
    """What a command without a report did: ``text`` on standard output, and ``--json``."""
    if args.json is not None:
        data = {"command": command, "actions": actions, "notes": notes}
        write(args.json, dump("actions", data))
    if not piped(args):
        say(text)


def _page(text: str) -> bool:
    """Show by ``$PAGER``, or less, with colours; False without one."""
    command = shlex.split(os.environ.get("PAGER") or "less")
    environment = {"LESS": "-FRX", **os.environ}
    try:
        return subprocess.run(command, input=text.encode(), env=environment).returncode == 0
    except OSError:
        return False


def _rendered(document: Document, option: str) -> str:
    if option == "html":
        from whyfast.report.render.html import render_html

        return render_html(document)
    if option == "markdown":
        from whyfast.report.render.markdown import render_markdown

        return render_markdown(document, verbose=True)
    from whyfast.report.render.html import dump_document

    return dump_document(document)


def _printed(document: Document, *, verbose: bool) -> str:
    """The text for standard output. Rich itself would end the program when nobody reads it."""
    from whyfast.report.render.terminal import render_terminal

    buffer = io.BytesIO()
    text = io.TextIOWrapper(buffer, encoding=sys.stdout.encoding or "utf-8")
    console = Console(file=text, force_terminal=Console().is_terminal)
    render_terminal(document, console=console, verbose=verbose)
    text.flush()
    # Without the spaces that fill up the last cells.
    lines = buffer.getvalue().decode(text.encoding).split("\n")
    return "\n".join(line.rstrip(" ") for line in lines)


def piped(args: argparse.Namespace) -> bool:
    """Whether standard output is one of the files to write, and so holds nothing else."""
    return any(str(getattr(args, option, None)) == "-" for option in FILE_OPTIONS)


def write(path: Path, text: str) -> None:
    """Write a file completely or not at all, and report it on standard error; ``-`` is standard
    output. Links, devices and pipes are written to, not replaced. UserError when that fails."""
    # Invalid characters, from names in arguments, become escapes as in JSON.
    text = text.encode("utf-8", "backslashreplace").decode("utf-8")
    if str(path) == "-":
        say(text)
        return
    try:
        if _kept_in_place(path):
            path.write_text(text, encoding="utf-8")
        else:
            write_whole(path, text)
    except OSError as error:
        raise UserError(f"cannot be written: {error.strerror}", where=path) from None
    print(f"wrote {path}", file=sys.stderr)


def _kept_in_place(path: Path) -> bool:
    """Whether it is a link, a device or a pipe, which is not replaced by a new file."""
    return path.is_symlink() or (path.exists() and not path.is_file())
