"""How names that users chose, and texts of other programs, appear in reports."""

from __future__ import annotations

import re
from collections.abc import Sequence

# White space that is no space, then what steers a terminal, turns the direction of text, or has no
# form of its own: control characters, format controls but those that join letters, halves of
# characters, private ones.
_WHITE = re.compile(r"[\t-\r\x85\u2028\u2029]")
_UNSEEN = re.compile(
    r"[\x00-\x08\x0e-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f"
    r"\ud800-\udfff\ue000-\uf8ff\ufeff\ufff9-\ufffb\U000e0000-\U000e007f\U000f0000-\U0010ffff]"
)


#: Around names with spaces, the first that a name does not have itself.
_QUOTES = (("'", "'"), ('"', '"'), ("“", "”"))


def visible(text: str) -> str:
    """``text`` on one line, with an escape (``\\x1b``) in place of each character that has no form:
    no name can steer a terminal, forge a line or turn the text around it."""
    return _UNSEEN.sub(_escape, _WHITE.sub(" ", text))


def _escape(match: re.Match[str]) -> str:
    number = ord(match.group())
    if number < 0x100:
        return f"\\x{number:02x}"
    return f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"


def shown(name: str) -> str:
    """A variant's name within a sentence: a command, which has spaces, is put in quotes, and in
    such as it has not itself."""
    clean = visible(name)
    if " " not in clean and clean:
        return clean
    opening, closing = next((q for q in _QUOTES if not set(q) & set(clean)), _QUOTES[-1])
    return f"{opening}{clean}{closing}"


def listed(items: Sequence[str]) -> str:
    """``a``, ``a and b``, ``a, b and c``."""
    if len(items) < 2:
        return "".join(items)
    return f"{', '.join(items[:-1])} and {items[-1]}"


def count(number: int, noun: str) -> str:
    """``1 block``, ``2 blocks``."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def sentence(text: str) -> str:
    """``text`` with a full stop, unless it ends a sentence already."""
    text = text.strip()
    return text if text.endswith((".", "!", "?")) else f"{text}."


def has(names: Sequence[str], one: str, several: str) -> str:
    """The names, and the verb that fits their number: ``a and b are``."""
    return f"{listed(names)} {one if len(names) == 1 else several}"
