"""The parser of a command, and the options that several commands share.

Options are declared apart from the commands: ``--help`` and a mistyped option import argparse and
nothing of what the command needs to run.
"""

from __future__ import annotations

import argparse
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from whyfast.cli.commands import COMMANDS, EXIT_CODES
from whyfast.model.errors import UserError

if TYPE_CHECKING:
    from argparse import _ArgumentGroup as Group

#: Files that a command can write, by the names of their options.
FILE_OPTIONS = ("json", "html", "markdown", "csv")


class Parser(argparse.ArgumentParser):
    """Reports a mistake as one line without the usage."""

    def error(self, message: str) -> NoReturn:
        """Raise it as a UserError."""
        raise UserError(f"{message}; see {self.prog} --help")


def command_parser(name: str) -> Parser:
    """The parser of a command of :data:`~whyfast.cli.commands.COMMANDS`, with all its options."""
    command = COMMANDS[name]
    parser = Parser(
        prog=f"whyfast {name}",
        description=f"{command.purpose[0].upper()}{command.purpose[1:]}.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    getattr(import_module(f"whyfast.cli.{command.options}"), f"add_{name}")(parser)
    return parser


def add_examples(parser: argparse.ArgumentParser, *lines: str) -> None:
    """Example command lines and the exit codes, at the end of the help."""
    examples = "\n".join(f"  whyfast {line}" for line in lines)
    parser.epilog = f"examples:\n{examples}\n\n{EXIT_CODES}"


def value(group: Group | argparse.ArgumentParser, words: str, text: str, **settings: Any) -> None:
    """An argument or option with a value; ``words`` as in ``"-r --runs N"``."""
    names = words.split()
    if len(names) > 1 and not names[-1].startswith("-"):
        settings["metavar"] = names.pop()
    group.add_argument(*names, help=text, **settings)


def values(group: Group | argparse.ArgumentParser, words: str, text: str) -> None:
    """An option with one or more values."""
    value(group, words, text, nargs="+", default=[])


def repeated(group: Group | argparse.ArgumentParser, words: str, text: str) -> None:
    """An option that may be given several times."""
    value(group, words, f"{text}; repeatable", action="append", default=[])


def flag(group: Group | argparse.ArgumentParser, names: str, text: str, **settings: Any) -> None:
    """An option without a value."""
    group.add_argument(*names.split(), action="store_true", help=text, **settings)


def add_measuring(parser: argparse.ArgumentParser) -> Group:
    """The group of options that say what is measured and for how long."""
    return parser.add_argument_group("measuring")


def add_outputs(parser: argparse.ArgumentParser, *, verbose: str = "show every detail") -> Group:
    """The group ``output`` with ``--json``, ``--html``, ``--markdown`` and ``-v``."""
    group = parser.add_argument_group("output", "FILE may be - for standard output")
    for option, text in (
        ("json", "write all data as JSON"),
        ("html", "write one offline HTML report"),
        ("markdown", "write the tables as Markdown"),
    ):
        group.add_argument(f"--{option}", metavar="FILE", type=Path, help=text)
    group.add_argument("-v", "--verbose", action="store_true", help=verbose)
    return group


def add_study_outputs(parser: argparse.ArgumentParser) -> Group:
    """As :func:`add_outputs`, with ``--table``."""
    group = add_outputs(parser, verbose="show every benchmark")
    group.add_argument(
        "--table",
        choices=["variants", "benchmarks"],
        default="variants",
        help="rows of the table of times; benchmarks: one column per variant",
    )
    return group


def add_fail_on(group: Group, what: str) -> None:
    """``--fail-on slower``."""
    group.add_argument("--fail-on", choices=["slower"], help=f"exit with 3 if {what} is slower")


def add_certificates(group: Group | argparse.ArgumentParser) -> None:
    """``--certificates``."""
    group.add_argument(
        "--certificates",
        metavar="FOLDER",
        type=Path,
        help="directory created by whyfast fleet certificates; without it, loopback only",
    )


def add_hosts(parser: argparse.ArgumentParser, verb: str) -> Group:
    """The group ``many machines``: ``--scheduler`` or ``--hosts``, and ``--certificates``."""
    group = parser.add_argument_group("many machines")
    where = group.add_mutually_exclusive_group()
    where.add_argument(
        "--scheduler",
        metavar="HOST:PORT",
        help=f"{verb} on the hosts whose workers are connected to this scheduler",
    )
    where.add_argument(
        "--hosts",
        metavar="hosts.toml",
        type=Path,
        help=f"{verb} on these hosts; ssh starts their workers, which end with the command",
    )
    add_certificates(group)
    return group
