"""The TOML and the commands that stand in the documentation."""

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGES = (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")))

_FENCE = re.compile(r"^```(\w*)\n(.*?)^```", re.MULTILINE | re.DOTALL)
#: Lines that are indented by four spaces behind an empty line.
_INDENTED = re.compile(r"(?<=\n\n)((?: {4}.*\n|\n(?= {4}))+)")
_COMMAND = re.compile(r"^(?:\./\.venv/bin/)?whyfast ")


@dataclass(frozen=True)
class Snippet:
    """``text`` as it stands from ``line`` of ``page`` on."""

    page: Path
    line: int
    text: str

    def __str__(self) -> str:
        return f"{self.page.relative_to(ROOT)}:{self.line}"


def _blocks(page: Path) -> Iterator[Snippet]:
    text = page.read_text(encoding="utf-8")
    for found in (*_FENCE.finditer(text), *_INDENTED.finditer(text)):
        body = found[found.lastindex or 0]
        plain = "\n".join(line.removeprefix("    ") for line in body.splitlines())
        yield Snippet(page, text.count("\n", 0, found.start()) + 1, plain)


def toml_snippets() -> list[Snippet]:
    """What begins with the heading of a table, or with a key."""
    first = re.compile(r"\[[a-z][\w.\"-]*\](\s|$)|(title|steps|baseline|include)\s*=")
    return [s for page in PAGES for s in _blocks(page) if first.match(s.text.lstrip())]


def commands() -> list[tuple[Snippet, list[str]]]:
    """Every ``whyfast …`` without its comment and what follows a pipe; synopses are left out,
    recognised by what only these have: brackets, bars and ellipses."""
    found = []
    for page in PAGES:
        for block in _blocks(page):
            for line in block.text.replace("\\\n", " ").splitlines():
                if not _COMMAND.match(line) or re.search(r"[\[|…]|\.\.\.", line.split("#")[0]):
                    continue
                # What follows is a remark, a pipe, or a file.
                said, *_ = re.split(r"\s{2,}| \| | > ~", line)
                found.append((block, shlex.split(said, comments=True)[1:]))
    return found
