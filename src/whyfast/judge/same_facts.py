"""When two texts on record say the same thing."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import pairwise

from whyfast.formats.dates import epoch_seconds

#: Windows computes the time of boot from the clock and the time since, and is off by a second.
_JITTER = 2.0
#: As few digits name a commit.
_HASH = re.compile(r"[0-9a-f]{7,64}\+?")
_BOOTS = ("boot_time",)
_REVISION = re.compile(r"\b[0-9a-f]{7,64}\b\+?")


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


def one_form(key: str, texts: Iterable[str]) -> dict[str, str]:
    """Each text with the form in which those that say the same are equal.

    Times of boot are in the form of the first of their row, in which each is as near to the next as
    :func:`same_fact` wants. Revisions are the shortest of those that are the same, wherever in a
    text they stand.
    """
    every = list(dict.fromkeys(texts))
    if key in _BOOTS:
        return _boots(key, every)
    found = sorted({r for text in every for r in _REVISION.findall(text)}, key=len)
    short: dict[str, str] = {}
    for revision in found:
        alike = (s for s in short.values() if same_revision(revision, s))
        short[revision] = next(alike, revision)
    return {text: _REVISION.sub(lambda m: short[m[0]], text) for text in every}


def _boots(key: str, texts: list[str]) -> dict[str, str]:
    forms = {text: text for text in texts}
    dated = [text for text in texts if epoch_seconds(text) is not None]
    for one, other in pairwise(sorted(dated, key=lambda text: epoch_seconds(text) or 0.0)):
        if same_fact(key, one, other):
            forms[other] = forms[one]
    return forms
