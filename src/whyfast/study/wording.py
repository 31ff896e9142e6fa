"""How errors spell keys, names and kinds of values, and what was probably meant."""

from __future__ import annotations

import datetime
import difflib
import json
import re
from collections.abc import Iterable

#: Where a value stands in a study file: names of keys, and indices of list entries.
Key = tuple[str | int, ...]

_BARE = re.compile(r"[A-Za-z0-9_-]+")
_LONGEST = 60


def dotted(key: Key) -> str:
    """The key as a user would write it: ``variant.clang19.cflags``, ``axes.exclude[0].compiler``.

    Indices count from 0.
    """
    out = ""
    for part in key:
        if isinstance(part, int):
            out += f"[{part}]"
        else:
            name = part if _BARE.fullmatch(part) else quoted(part)
            out += f".{name}" if out else name
    return out


def quoted(text: str) -> str:
    """The text in quotes, shortened, with control characters made visible."""
    short = text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
    return json.dumps(short, ensure_ascii=False)


def listed(names: Iterable[str]) -> str:
    """``a, b, c``: all of the names, unless they are very many."""
    every = list(names)
    shown = ", ".join(every[:12])
    return f"{shown} and {len(every) - 12} more" if len(every) > 12 else shown


def kind(value: object) -> str:
    """What a TOML value is, in a user's words."""
    if isinstance(value, str):
        return "a string"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return "a number"
    if isinstance(value, list):
        return "a list"
    if isinstance(value, dict):
        return "a table"
    if isinstance(value, datetime.datetime | datetime.date | datetime.time):
        return "a date or time"
    return f"a {type(value).__name__}"


def nearest(name: str, valid: Iterable[str]) -> str | None:
    """The valid name most like ``name``, or None when none is like it; case does not count."""
    by_folded = {v.casefold(): v for v in valid}
    close = difflib.get_close_matches(name.casefold(), by_folded, n=1, cutoff=0.6)
    return by_folded[close[0]] if close else None


def suggestion(name: str, valid: Iterable[str]) -> str | None:
    """A hint for an error: the nearest valid name, else all of them, else None."""
    names = list(valid)
    near = nearest(name, names)
    if near is not None:
        return f"did you mean {quoted(near)}?"
    if not names:
        return None
    return f"valid: {listed(names)}"
