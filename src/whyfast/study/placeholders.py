"""``{name}`` in build steps and commands; ``{{`` and ``}}`` are literal braces."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

#: What a line of ``build.steps`` may use.
STEP_NAMES = (
    *("cc", "cflags", "ldflags", "configure", "source", "include", "jobs", "program"),
    *("python", "python_cflags"),
)
#: What ``build.link`` may use.
LINK_NAMES = (*STEP_NAMES, "layout")
#: What a word of a benchmark's ``command`` may use.
COMMAND_NAMES = ("program", "source", "study", "pyperformance", "python", "run")
#: What a word of a command may use beside, where the benchmark has a parameter.
PARAMETER_NAME = "parameter"
#: What a word of a command may use beside, where the benchmark has names.
NAMES_NAME = "name"
#: What stands for the interpreter of a variant.
INTERPRETER_NAMES = ("python", "python_cflags")

_TOKEN = re.compile(r"(?P<escape>\{\{|\}\})|\{(?P<name>[^{}]*)\}|(?P<stray>[{}])")


def names_in(text: str) -> list[str]:
    """The placeholders of the text in order, each as often as it stands there.

    ValueError for a brace that neither belongs to a placeholder nor is doubled.
    """
    return [match["name"] for match in _tokens(text) if match["name"] is not None]


def substitute(text: str, mapping: Mapping[str, str]) -> str:
    """The text with every placeholder replaced, once: braces in a replacement stay as they are.

    KeyError for a placeholder that the mapping lacks, ValueError for a stray brace. Quoting for a
    shell is the caller's: pass quoted replacements.
    """
    out: list[str] = []
    end = 0
    for match in _tokens(text):
        out.append(text[end : match.start()])
        out.append(match[0][0] if match["name"] is None else mapping[match["name"]])
        end = match.end()
    out.append(text[end:])
    return "".join(out)


def bind(text: str, name: str, value: str) -> str:
    """The text with one placeholder replaced and everything else, doubled braces too, as it is."""
    out: list[str] = []
    end = 0
    for match in _tokens(text):
        out.append(text[end : match.start()])
        out.append(value if match["name"] == name else match[0])
        end = match.end()
    out.append(text[end:])
    return "".join(out)


def _tokens(text: str) -> Iterator[re.Match[str]]:
    for match in _TOKEN.finditer(text):
        if match["stray"]:
            raise ValueError(f'stray "{match["stray"]}"')
        yield match
