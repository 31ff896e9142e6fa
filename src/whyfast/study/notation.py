"""How values are written in a study: durations, sizes, margins, and texts with placeholders.

It imports nothing of whyfast: options of commands use the same notation."""

from __future__ import annotations

import datetime
import json
import math
import re
from collections.abc import Callable, Iterable, Mapping

_LONGEST = 60


def quoted(text: str) -> str:
    """The text in quotes, shortened, with control characters made visible."""
    short = text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
    return json.dumps(short, ensure_ascii=False)


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


_MICRO = dict.fromkeys(("us", "µs", "μs"), 1e-6)
_UNITS = {**_MICRO, "ms": 1e-3, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
_AMOUNT = r"(\d+(?:\.\d+)?|\.\d+)"
_DURATION = re.compile(_AMOUNT + r"\s*([a-zµμ]+)", re.ASCII)
_SIZE = re.compile(_AMOUNT + r"\s*([A-Za-z]+)", re.ASCII)
_SIZES = {"B": 1.0, "kB": 1e3, "MB": 1e6, "GB": 1e9, "TB": 1e12}
_PERCENT = re.compile(_AMOUNT + r"\s*%", re.ASCII)


def parse_duration(value: object) -> float:
    """Seconds of ``"90s"``, ``"3m"``, ``"1h"``, ``"1ms"``, ``"500us"`` or a number of seconds.
    ValueError, fit to be shown to the user, for anything else and for nothing at all (``"0s"``)."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        seconds = _float(value)
    else:
        seconds = _scaled(value, "a duration", _DURATION, _UNITS)
    if not 0 < seconds < math.inf:
        raise ValueError("must be positive and finite")
    return seconds


def _scaled(value: object, what: str, form: re.Pattern[str], units: Mapping[str, float]) -> float:
    """A number and its unit."""
    if not isinstance(value, str):
        raise ValueError(f"must be {what}, not {kind(value)}")
    match = form.fullmatch(value.strip())
    if match is None:
        raise ValueError(f"{quoted(value)} is not {what}")
    if match[2] not in units:
        raise ValueError(f"{quoted(value)} is not {what}: {quoted(match[2])} is not a unit")
    return float(match[1]) * units[match[2]]


def parse_size(value: object) -> float:
    """Bytes of ``"480MB"``, ``"1.5 GB"`` or ``"20kB"``, in powers of ten. ValueError, fit to be
    shown to the user, for anything else and for nothing at all."""
    size = _scaled(value, "a size", _SIZE, _SIZES)
    if not 1 <= size < math.inf:
        raise ValueError("must be positive and finite")
    return size


def parse_margin(value: object) -> float:
    """The relative margin of ``"1%"``, ``"0.5 %"`` or a number such as 0.01. ValueError, fit to be
    shown to the user, for anything else and outside 0 % to 100 %."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        margin = _float(value)
    elif isinstance(value, str):
        match = _PERCENT.fullmatch(value.strip())
        if match is None:
            raise ValueError(f"{quoted(value)} is not a percentage")
        margin = float(match[1]) / 100
    else:
        raise ValueError(f"must be a percentage, not {kind(value)}")
    if not 0 < margin < 1:
        raise ValueError(f"must be between 0 % and 100 %, not {margin * 100:.4g} %")
    return margin


def _float(value: int | float) -> float:
    try:
        return float(value)
    except OverflowError:  # an integer of hundreds of digits
        return math.inf


# ``{name}`` in build steps and commands is a placeholder; ``{{`` and ``}}`` are literal braces.

_TOKEN = re.compile(r"(?P<escape>\{\{|\}\})|\{(?P<name>[^{}]*)\}|(?P<stray>[{}])")


def names_in(text: str) -> list[str]:
    """The placeholders of the text in order, with repetitions. ValueError for a brace that neither
    belongs to a placeholder nor is doubled."""
    matches = list(_TOKEN.finditer(text))
    if stray := next((m["stray"] for m in matches if m["stray"]), None):
        raise ValueError(f'stray "{stray}"')
    return [m["name"] for m in matches if m["name"] is not None]


def substitute(text: str, mapping: Mapping[str, str]) -> str:
    """The text with every placeholder replaced, once: braces in a replacement stay as they are.
    KeyError for a placeholder that the mapping lacks, ValueError for a stray brace. Quoting for a
    shell is the caller's: pass quoted replacements."""
    return _replaced(text, lambda m: m[0][0] if m["name"] is None else mapping[m["name"]])


def bind(text: str, name: str, value: str) -> str:
    """The text with one placeholder replaced; all else, doubled braces too, stays."""
    return _replaced(text, lambda m: value if m["name"] == name else m[0])


def _replaced(text: str, new: Callable[[re.Match[str]], str]) -> str:
    names_in(text)
    return _TOKEN.sub(new, text)


def listed(names: Iterable[str], most: int = 12) -> str:
    """``a, b, c and 7 more``: the first, and how many more there are."""
    every = list(names)
    more = len(every) - most
    return ", ".join(every[:most]) + (f" and {more} more" if more > 0 else "")


_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]*")
NAME_HINT = "use letters, digits and . _ + -"


def is_name(text: str) -> bool:
    """Whether the text will do as a name: as part of a file name and on a command line."""
    return _NAME.fullmatch(text) is not None
