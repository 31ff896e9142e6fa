"""The parser of a command, and the options that several commands share.

Options are declared apart from the commands: ``--help`` and a mistyped option import argparse and
nothing of what the command needs to run.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from whyfast.cli.commands import COMMANDS, exit_codes
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
    getattr(import_module(f"whyfast.cli.{command.options}"), f"add_{name}")(OptionGroup(parser))
    return parser


def whole_parser() -> argparse.ArgumentParser:
    """One parser of all commands, for what describes them: completion and manual pages."""
    whole = argparse.ArgumentParser(
        prog="whyfast", description="Is it really faster, compared with what, why, and since when?"
    )
    commands = whole.add_subparsers(dest="command", metavar="COMMAND")
    for name, command in COMMANDS.items():
        added = commands.add_parser(
            name, help=command.purpose, formatter_class=argparse.RawDescriptionHelpFormatter
        )
        add = getattr(import_module(f"whyfast.cli.{command.options}"), f"add_{name}")
        add(OptionGroup(added))
    return whole


class OptionGroup:
    """A parser, or a group of its options, to which options are added."""

    def __init__(self, holder: argparse.ArgumentParser | Group) -> None:
        self.holder = holder

    def value(self, words: str, text: str | None, **settings: Any) -> None:
        """An argument or option with a value; ``words`` as in ``"-r --runs N"``."""
        names = words.split()
        if len(names) > 1 and not names[-1].startswith("-"):
            settings["metavar"] = names.pop()
        self.holder.add_argument(*names, help=text, **settings)

    def values(self, words: str, text: str) -> None:
        """An option with one or more values."""
        self.value(words, text, nargs="+", default=[])

    def repeated(self, words: str, text: str, **settings: Any) -> None:
        """An option that may be given several times."""
        self.value(words, f"{text}; repeatable", action="append", default=[], **settings)

    def flag(self, names: str, text: str, **settings: Any) -> None:
        """An option without a value."""
        self.holder.add_argument(*names.split(), action="store_true", help=text, **settings)

    def group(self, title: str, description: str | None = None) -> OptionGroup:
        """A group of options with a title in the help."""
        return OptionGroup(self.holder.add_argument_group(title, description))

    def exclusive(self) -> OptionGroup:
        """Options of which one may be given."""
        return OptionGroup(self.holder.add_mutually_exclusive_group())

    def actions(self, default: str = "", **defaults: Any) -> Callable[..., OptionGroup]:
        """A function that adds an action by its name and purpose, and returns its options; one must
        be given, unless there is a ``default``."""
        parser = self.parser
        added = parser.add_subparsers(dest="action", metavar="ACTION", required=not default)
        parser.set_defaults(**({"action": default} if default else {}), **defaults)
        return lambda name, text, **settings: OptionGroup(
            added.add_parser(
                name,
                help=text,
                description=f"{text[0].upper()}{text[1:]}.",
                formatter_class=argparse.RawDescriptionHelpFormatter,
                **settings,
            )
        )

    @property
    def parser(self) -> argparse.ArgumentParser:
        """The holder, where it is no group."""
        assert isinstance(self.holder, argparse.ArgumentParser)
        return self.holder

    def examples(self, *lines: str) -> None:
        """Example command lines and the exit codes, at the end of the help."""
        examples = "\n".join(f"  whyfast {line}" for line in lines)
        codes = exit_codes("--fail-on" in self.parser.format_usage())
        self.parser.epilog = f"examples:\n{examples}\n\n{codes}"

    def measuring(self) -> OptionGroup:
        """The group of options for the measurement and its length."""
        return self.group("measuring")

    def outputs(self, verbose: str = "show every detail") -> OptionGroup:
        """The group ``output`` with ``--json``, ``--html``, ``--markdown`` and ``-v``."""
        group = self.json_output("write all data as JSON")
        group.value("--html FILE", "write one offline HTML report", type=Path)
        group.value("--markdown FILE", "write the tables as Markdown", type=Path)
        group.flag("-v --verbose", verbose)
        return group

    def json_output(self, text: str = "write the actions taken as JSON") -> OptionGroup:
        """The group ``output`` with ``--json`` alone, of a command that has no report."""
        group = self.group("output", "FILE may be - for standard output")
        group.value("--json FILE", text, type=Path)
        return group

    def study_outputs(self) -> OptionGroup:
        """As :meth:`outputs`, with ``--table``."""
        group = self.outputs("show every benchmark")
        help_text = "rows of the table of times; benchmarks: one column per variant"
        rows = ["variants", "benchmarks"]
        group.value("--table", help_text, choices=rows, default="variants")
        return group

    def fail_on(self, case: str, *, costs: bool = False) -> None:
        """``--fail-on slower``, in that case; with ``costs`` also ``larger`` and ``worse``."""
        text, choices = f"exit with 3 if {case}", ["slower"]
        if costs:
            text += "; larger: if its size or a cost named in [costs] grew beyond its margin"
            text += "; worse: either"
            choices += ["larger", "worse"]
        self.value("--fail-on", text, choices=choices)

    def certificates(self) -> None:
        """``--certificates``."""
        text = "folder created by whyfast fleet certificates; without it, loopback only"
        self.value("--certificates FOLDER", text, type=Path)

    def attached(self) -> None:
        """``--attached``."""
        self.flag(
            "--attached", "end when standard input is closed, e.g. by a broken ssh connection"
        )

    def hosts(self, verb: str) -> OptionGroup:
        """The group ``many machines``: ``--scheduler`` or ``--hosts``, and ``--certificates``."""
        group = self.group("many machines")
        where = group.exclusive()
        text = f"{verb} on the hosts whose workers are connected to this scheduler"
        where.value("--scheduler HOST:PORT", text)
        text = f"{verb} on these hosts; ssh starts their workers, which end with the command"
        where.value("--hosts hosts.toml", text, type=Path)
        group.certificates()
        return group
