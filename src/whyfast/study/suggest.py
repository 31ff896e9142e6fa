"""What a mistyped name was probably meant to be."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

from whyfast.study.wording import listed, quoted


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
