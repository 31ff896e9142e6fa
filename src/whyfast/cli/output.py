"""What every command that shows something does with it: the terminal, files, the exit code."""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from whyfast.cli.standard_output import say
from whyfast.model.errors import UserError

if TYPE_CHECKING:
    from whyfast.model.result import Merged, Result
    from whyfast.report.document import Document

FAILED, FAIL_ON_MET, INTERRUPTED = 1, 3, 130

#: Options that name a file to write.
_FILE_OPTIONS = ("json", "html", "markdown", "csv")


def add_outputs(parser: argparse.ArgumentParser, *, verbose: str = "show every detail") -> None:
    """``--json``, ``--html``, ``--markdown`` and ``-v``."""
    parser.add_argument("--json", metavar="FILE", type=Path, help="write everything as JSON")
    parser.add_argument("--html", metavar="FILE", type=Path, help="write one offline HTML report")
    parser.add_argument(
        "--markdown", metavar="FILE", type=Path, help="write the tables as Markdown"
    )
    parser.add_argument("-v", "--verbose", action="store_true", help=verbose)


def add_table(parser: argparse.ArgumentParser) -> None:
    """``--table``, for results of studies."""
    parser.add_argument(
        "--table",
        choices=["variants", "benchmarks"],
        default="variants",
        help="rows of the table of times; benchmarks: a column a variant",
    )


def check_outputs(args: argparse.Namespace) -> None:
    """Before hours of work: can the files that are asked for be written? UserError if not."""
    for option in _FILE_OPTIONS:
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


def finish(result: Result, args: argparse.Namespace) -> None:
    """Keep the result for ``whyfast report``, and show it as asked."""
    keep(result)
    show_result(result, args)


def keep(result: Result) -> None:
    """Keep the result for ``whyfast report``."""
    from whyfast.report.result_json import to_json
    from whyfast.store.home import own_home
    from whyfast.store.samples import SampleStore

    store = SampleStore(own_home().database)
    try:
        store.set_result(result.recorded.run, to_json(result))
    finally:
        store.close()


def show_result(result: Result, args: argparse.Namespace) -> None:
    """On the terminal, and into the files that were asked for."""
    from whyfast.report.pages.results import TableRows, result_page
    from whyfast.report.result_json import dump_result

    rows: TableRows = getattr(args, "table", "variants")
    show(result_page(result, rows), args, json=lambda: dump_result(result))


def show_merged(merged: Merged, args: argparse.Namespace) -> None:
    """On the terminal, and into the files that were asked for."""
    from whyfast.report.pages.merged_page import merged_page
    from whyfast.report.result_json import dump_merged

    show(merged_page(merged), args, json=lambda: dump_merged(merged))


def show(
    document: Document,
    args: argparse.Namespace,
    *,
    json: Callable[[], str] | None = None,
    markdown: Callable[[], str] | None = None,
    paged: bool = False,
) -> None:
    """Into the files that were asked for, and on the terminal.

    ``json`` and ``markdown`` make the text of these options; without them that is the document
    itself. Files come first:
    they are there even when nobody reads standard output to its end. ``paged``: a terminal shows it
    by its pager. UserError when one of the files cannot be written.
    """
    failure: UserError | None = None
    own = {"json": json, "markdown": markdown}
    for option in ("json", "html", "markdown"):
        if (path := getattr(args, option)) is not None:
            try:
                make = own.get(option)
                write(path, make() if make else _rendered(document, option))
            except UserError as error:  # what else is wanted can still be had
                failure = failure or error
    if not piped(args):
        text = _printed(document, verbose=args.verbose)
        if not (paged and sys.stdout.isatty() and _page(text)):
            say(text)
    if failure is not None:
        raise failure


def _page(text: str) -> bool:
    """By ``$PAGER``, or less, with colours; False where there is none."""
    import shlex
    import subprocess

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
    """As for a terminal or pipe like standard output; rich would write to it by itself, and end
    the program when nobody reads it."""
    import io

    from rich.console import Console

    from whyfast.report.render.terminal import render_terminal

    buffer = io.BytesIO()
    text = io.TextIOWrapper(buffer, encoding=sys.stdout.encoding or "utf-8")
    console = Console(file=text, force_terminal=Console().is_terminal)
    render_terminal(document, console=console, verbose=verbose)
    text.flush()
    # A pipe wants no cells filled up with spaces.
    lines = buffer.getvalue().decode(text.encoding).split("\n")
    return "\n".join(line.rstrip(" ") for line in lines)


def piped(args: argparse.Namespace) -> bool:
    """Whether a file that is asked for is standard output: who reads the pipe wants one thing."""
    return any(str(getattr(args, option, None)) == "-" for option in _FILE_OPTIONS)


def write(path: Path, text: str) -> None:
    """Write a file whole or not at all, and say so on standard error; ``-`` is standard output.

    What is no plain file (a link, a device, a pipe) is written to and not replaced. UserError when
    it cannot be written.
    """
    # Names that are no text (half a character, from an argument) become the escapes of JSON.
    text = text.encode("utf-8", "backslashreplace").decode("utf-8")
    if str(path) == "-":
        say(text)
        return
    try:
        if path.is_symlink() or (path.exists() and not path.is_file()):
            path.write_text(text, encoding="utf-8")
        else:
            _replace(path, text)
    except OSError as error:
        raise UserError(f"cannot be written: {error.strerror}", where=path) from None
    print(f"wrote {path}", file=sys.stderr)


def _replace(path: Path, text: str) -> None:
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        temporary.write_text(text, encoding="utf-8")
        temporary.replace(path)
    except BaseException:  # Ctrl-C leaves nothing behind either
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)
        raise


def exit_code(result: Result, fail_on: str | None) -> int:
    """0; 3 when ``--fail-on`` is met; 1 when a build or a benchmark failed, a program is not what
    its variant should be, or nothing matched a name in ``[evidence]``.

    A variant that this machine cannot build is expected in a study over compilers and no failure.
    """
    from whyfast.model.build import BuildFailure
    from whyfast.model.evidence import unmatched
    from whyfast.model.verdict import CLEANUP

    main = result.question.baselines[0]
    means = {(s.verdict.variant, s.verdict.baseline): s.verdict for s in result.judged.suites}
    # A variant that shares a single benchmark with the baseline has no mean.
    single = [v for v in result.judged.verdicts if (v.variant, v.baseline) not in means]
    controls = {v.name for v in result.question.variants if v.twin_of}
    said = [v for v in (*means.values(), *single) if v.variant not in controls]
    if fail_on and any(
        v.outcome == fail_on and (v.baseline == main or result.question.along) for v in said
    ):
        return FAIL_ON_MET
    broken = any(isinstance(b, BuildFailure) and b.kind == "failed" for b in result.recorded.builds)
    broken = broken or any(u.found is not None for u in result.found.failed_expectations)
    broken = broken or bool(unmatched(result.found.evidence))
    broken = broken or any(c.kind == CLEANUP for c in result.judged.confounds)
    return FAILED if broken or result.recorded.failed else 0
