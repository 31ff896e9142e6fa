"""How names that users chose appear inside sentences."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence


def shown(name: str) -> str:
    """A variant's name within a sentence: a command, which has spaces, is put in quotes."""
    clean = printable(name)
    return f"'{clean}'" if " " in clean or not clean else clean


def printable(text: str) -> str:
    """``text`` with control characters replaced, so that no name can steer a terminal."""
    return "".join(
        "\N{REPLACEMENT CHARACTER}"
        if unicodedata.category(c) in ("Cc", "Cs") and c not in "\n\t"
        else c
        for c in text
    )


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
