"""What functions of C that Python programs call do, and how much of a caller's time they take."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence

from whyfast.why.runtimes.python_runs import CountedPython, PyFunction


def portions(counted: CountedPython | None, function: PyFunction) -> dict[str, float]:
    """Portions of a function's own time that functions of C take, by the profiler's seconds."""
    if counted is None:
        return {}
    row: Mapping[str, float] = counted.callee_seconds.get(function, Counter())
    total = counted.seconds[function] + sum(row.values())
    return {callee: seconds / total for callee, seconds in row.items()} if total > 0 else {}


_BUILT_IN = re.compile(r"<built-in method (?:builtins\.)?(.+)>$")
_METHOD = re.compile(r"<(?:built-in )?method '(.+)' of '(.+)' objects>$")


def plain_c_name(name: str) -> str:
    """``list.append`` for ``<method 'append' of 'list' objects>``."""
    if method := _METHOD.match(name):
        return f"{method[2]}.{method[1]}"
    return m[1] if (m := _BUILT_IN.match(name)) else name.strip("<>")


#: What functions of C do that grows with the data: the cause and the words.
WORK: Sequence[tuple[re.Pattern[str], str, str]] = tuple(
    (re.compile(pattern), key, words)
    for pattern, key, words in (
        (r"list\.insert$", "copying", "moves all items behind the place"),
        (r"list\.pop$", "copying", "moves all items behind the place"),
        (r"list\.(index|count|remove|__contains__)$", "more-work", "scans the list"),
        (r"list\.(copy|extend)$|^(copy\.copy|tuple)$", "copying", "copies all items"),
        (r"list\.sort$|^sorted$", "more-work", "sorts"),
        (
            r"(str|bytes)\.(find|index|count|replace|split|rfind)$",
            "string-work",
            "scans the string",
        ),
        (r"(str|bytes)\.(join|translate|upper|lower)$", "string-work", "makes a new string"),
        (r"^(re|_sre)\.|re\.Pattern\.", "string-work", "matches a pattern"),
        (r"^(min|max|sum|any|all)$", "more-work", "goes through all items"),
    )
)


def work_of(callee: str) -> tuple[str, str]:
    """The cause that many or large calls of it are, and what it does; no words where that does not
    grow with the data."""
    name = plain_c_name(callee)
    return next(((key, words) for p, key, words in WORK if p.search(name)), ("more-calls", ""))
