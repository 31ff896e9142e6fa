"""When two texts on record say the same thing."""

from __future__ import annotations

import re

from whyfast.formats.dates import epoch_seconds

#: Windows computes the time of boot from the clock and the time since, and is off by a second.
_JITTER = 2.0
#: As few digits name a commit.
_HASH = re.compile(r"[0-9a-f]{7,64}\+?")
_BOOTS = ("boot_time",)


def same_fact(key: str, a: str, b: str) -> bool:
    """Whether ``a`` and ``b`` are equal; times of boot within two seconds are, and hashes of
    commits of which one begins with the other."""
    if a == b:
        return True
    if key in _BOOTS:
        one, other = epoch_seconds(a), epoch_seconds(b)
        return one is not None and other is not None and abs(one - other) <= _JITTER
    return same_revision(a, b)


def same_revision(a: str, b: str) -> bool:
    """Whether two names of commits are one commit's, as far as their digits go."""
    if a == b:
        return True
    one, other = a.lower(), b.lower()
    if not (_HASH.fullmatch(one) and _HASH.fullmatch(other)):
        return False
    # "+" marks a checkout with changes of its own.
    if one.endswith("+") != other.endswith("+"):
        return False
    one, other = one.rstrip("+"), other.rstrip("+")
    digits = re.search(r"[a-f]", one + other) is not None
    return digits and (one.startswith(other) or other.startswith(one))
