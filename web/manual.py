"""Manual pages from the parsers of all commands: ``python -m web.manual FOLDER``.

Writes ``man1/whyfast.1`` and one page a command; ``man -M FOLDER whyfast-ab`` shows one.
"""

import argparse
import re
from pathlib import Path

from argparse_manpage.manpage import Manpage

from whyfast import __version__
from whyfast.cli.commands import COMMANDS, exit_codes, help_text
from whyfast.cli.options import command_parser

DOCS = Path(__file__).parents[1] / "docs"


def main(folder: Path) -> None:
    """Write all pages."""
    pages = folder / "man1"
    pages.mkdir(parents=True, exist_ok=True)
    (pages / "whyfast.1").write_text(_of_whyfast(), encoding="utf-8")
    for name in COMMANDS:
        (pages / f"whyfast-{name}.1").write_text(_of_command(name), encoding="utf-8")


def _of_command(name: str) -> str:
    parser = command_parser(name)
    examples, _, codes = (parser.epilog or "").removeprefix("examples:\n").partition("\n\n")
    parser.epilog, parser.prog = None, f"whyfast-{name}"
    about = {
        "prog": parser.prog,
        "section": 1,
        "version": __version__,
        "description": COMMANDS[name].purpose,
        "project_name": "whyfast",
        "manual_title": "whyfast",
    }
    page = str(Manpage(parser, about))
    usage = f".B {_plain(parser.prog)}\n"
    assert usage in page or f".B {parser.prog}\n" in page
    page = page.replace(usage, f".B whyfast {name}\n").replace(
        f".B {parser.prog}\n", f".B whyfast {name}\n"
    )
    return page + "".join(
        (
            f".SH EXAMPLES\n.nf\n{_plain(examples)}\n.fi\n",
            _exit_status(codes),
            f".SH SEE ALSO\n.BR whyfast (1)\n.PP\n{_plain(_opening(name))}\n",
        )
    )


def _of_whyfast() -> str:
    commands = "".join(
        f".TP\n.BR whyfast\\-{name} (1)\n{_plain(command.purpose)}\n"
        for name, command in COMMANDS.items()
    )
    purpose = help_text().split("\n")[2]
    return (
        f'.TH WHYFAST 1 "" "whyfast {__version__}" "whyfast"\n'
        f".SH NAME\nwhyfast \\- {_plain(purpose)}\n"
        ".SH SYNOPSIS\n.B whyfast\n.I COMMAND\n.RI [ options ]\n"
        f".SH COMMANDS\n{commands}{_exit_status(exit_codes())}"
        ".SH ENVIRONMENT\n.TP\n.B WHYFAST_HOME\nfolder of builds and results, instead of the "
        "user's cache and data folders\n.TP\n.B NO_COLOR\nany value: no colours\n.TP\n.B PAGER\n"
        "shows code side by side\n"
    )


def _exit_status(codes: str) -> str:
    """A section of the page from the text of :func:`~whyfast.cli.commands.exit_codes`."""
    entries = codes.removeprefix("exit codes: ").replace("\n", " ").split("; ")
    items = (entry.split(": ", 1) for entry in entries)
    return ".SH EXIT STATUS\n" + "".join(f".TP\n.B {n}\n{_plain(what)}\n" for n, what in items)


def _opening(name: str) -> str:
    """The first paragraph of the command's page in docs, without links."""
    paragraphs = (DOCS / f"{name}.md").read_text("utf-8").split("\n\n")
    first = next(p for p in paragraphs if p[:1] not in ("#", " ", "\n", "|"))
    return re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", first).replace("`", "")


def _plain(text: str) -> str:
    """Text that troff takes as it is."""
    escaped = text.replace("\\", "\\e").replace("-", "\\-")
    return re.sub(r"^([.'])", r"\\&\1", escaped, flags=re.MULTILINE)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    main(parser.parse_args().folder)
