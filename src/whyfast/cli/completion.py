"""``whyfast completion``: the completion script of a shell, from the options of all commands."""

from __future__ import annotations

import argparse
from pathlib import Path

import shtab

from whyfast.cli.main import say
from whyfast.cli.options import whole_parser

#: Values that are folders.
_FOLDERS = ("DIR", "FOLDER")


def run_completion(args: argparse.Namespace) -> int:
    """Print the script."""
    say(completion_script(args.shell))
    return 0


def completion_script(shell: str) -> str:
    """The script for ``bash``, ``zsh`` or ``fish``. It completes files where these are expected."""
    parser = whole_parser()
    _complete_files(parser)
    script: str = shtab.complete(parser, shell)
    return script


def _complete_files(parser: argparse.ArgumentParser) -> None:
    for action in parser._actions:  # argparse has no other way to reach them
        if isinstance(action, argparse._SubParsersAction):
            for inner in action.choices.values():
                _complete_files(inner)
        elif action.metavar in _FOLDERS:
            action.complete = shtab.DIRECTORY  # type: ignore[attr-defined]
        elif action.type is Path or not (action.option_strings or action.choices):
            # Arguments most often begin with a file: ./old of ab too. In zsh, a command whose
            # argument completes as nothing lists its options instead of completing them.
            action.complete = shtab.FILE  # type: ignore[attr-defined]
