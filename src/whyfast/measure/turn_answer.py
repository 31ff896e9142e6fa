"""The line that answers a grant: ``SECONDS [CHECK]``, and which times can be."""

from __future__ import annotations

import re

#: Decimal digits, a point and an exponent if need be: nothing else that a language may take for a
#: number, such as ``1_0``, ``0x1p3``, ``inf`` or digits of other scripts.
_NUMBER = re.compile(r"[0-9]+(\.[0-9]*)?([eE][+-]?[0-9]{1,3})?")

#: Seconds: nine places are what the protocol has.
SHORTEST = 1e-9

#: How far the clock of a program may be from that of whyfast: the kernel slews its clocks by up to
#: 0.05 % (adjtimex(2)), and coarse ones tick every millisecond and more.
CLOCK_SHARE, CLOCK_SECONDS = 0.01, 0.01


def read_answer(line: str) -> tuple[float, str | None]:
    """Seconds, and the result that came with them. ValueError says in words what is wrong."""
    number, _, token = line.partition(" ")
    if number in ("nan", "inf") or (number[:1] == "-" and _NUMBER.fullmatch(number[1:])):
        raise ValueError(f"reported {number} seconds, which cannot be")
    if not _NUMBER.fullmatch(number):
        raise ValueError(f"answered {line!r:.80} instead of seconds")
    seconds = float(number)
    if not SHORTEST <= seconds < float("inf"):
        raise ValueError(f"reported {number} seconds, which cannot be")
    return seconds, token.strip() or None


def longest(seen: float) -> float:
    """The longest time that a program can have measured between a grant and its answer, which were
    ``seen`` seconds apart."""
    return seen * (1 + CLOCK_SHARE) + CLOCK_SECONDS
