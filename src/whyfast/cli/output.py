"""What every command that ends with a result does with it."""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
from pathlib import Path

from whyfast.cli.arguments import FILE_OPTIONS
from whyfast.model.build import BuildFailure
from whyfast.model.errors import UserError
from whyfast.model.result import Result

FAILED, FAIL_ON_MET, INTERRUPTED = 1, 3, 130


def finish(result: Result, args: argparse.Namespace) -> None:
    """Keep the result for ``whyfast report``, and show it as asked."""
    from whyfast.report.json_report import to_json
    from whyfast.store.home import home
    from whyfast.store.samples import SampleStore

    store = SampleStore(home().database)
    try:
        store.set_result(result.recorded.run, to_json(result))
    finally:
        store.close()
    show(result, args)


def show(result: Result, args: argparse.Namespace) -> None:
    """On the terminal, and into the files that were asked for."""
    from rich.console import Console

    from whyfast.report.html import render_html
    from whyfast.report.json_report import dump_result
    from whyfast.report.markdown import render_markdown
    from whyfast.report.terminal import render_terminal

    if not piped(args):
        render_terminal(result, console=Console(), verbose=args.verbose, rows=args.table)
    if args.json:
        write(args.json, dump_result(result))
    if args.html:
        write(args.html, render_html(result, rows=args.table))
    if args.markdown:
        write(args.markdown, render_markdown(result, verbose=True, rows=args.table))


def piped(args: argparse.Namespace) -> bool:
    """Whether a file that is asked for is standard output: who reads the pipe wants one thing."""
    return any(str(getattr(args, option, None)) == "-" for option in FILE_OPTIONS)


def write(path: Path, text: str) -> None:
    """Write a file whole or not at all, and say so on standard error; ``-`` is standard output.

    What is no plain file (a link, a device, a pipe) is written to and not replaced. UserError when
    it cannot be written.
    """
    # Names that are no text (half a character, from an argument) become the escapes of JSON.
    text = text.encode("utf-8", "backslashreplace").decode("utf-8")
    if str(path) == "-":
        sys.stdout.write(text)
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
    """0; 3 when ``--fail-on`` is met; 1 when a build or a benchmark failed, or a program is not
    what its variant should be.

    A variant that this machine cannot build is expected in a study over compilers and no failure.
    """
    main = result.question.baselines[0]
    means = {(s.verdict.variant, s.verdict.baseline): s.verdict for s in result.judged.suites}
    # A variant that shares a single benchmark with the baseline has no mean.
    single = [v for v in result.judged.verdicts if (v.variant, v.baseline) not in means]
    twins = {v.name for v in result.question.variants if v.twin_of}
    said = [v for v in (*means.values(), *single) if v.variant not in twins]
    if fail_on and any(v.word == fail_on and v.baseline == main for v in said):
        return FAIL_ON_MET
    broken = any(isinstance(b, BuildFailure) and b.kind == "failed" for b in result.recorded.builds)
    broken = broken or any(u.found is not None for u in result.found.unmet)
    return FAILED if broken or result.recorded.failed else 0
