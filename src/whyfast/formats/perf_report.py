"""Samples by function, as ``perf report --stdio -F sample,dso,sym -t ';'`` prints them."""

from __future__ import annotations

import re
from collections import Counter

_EVENT = re.compile(r"^#\s*Samples:.* of events? '([^']+)'")
#: The last field: ``[k]`` or ``[.]``, and the symbol.
_SYMBOL = re.compile(r"\[[^]]\]\s*(\S.*)")


def parse_perf_report(text: str) -> tuple[str, Counter[tuple[str, str]]]:
    """(event, samples by (object, function)); the event is empty when there are no samples."""
    event = ""
    samples: Counter[tuple[str, str]] = Counter()
    for line in text.splitlines():
        if match := _EVENT.match(line):
            event = event or match[1].split(":")[0]
            continue
        # By hand: an expression for all three fields takes the cube of the spaces in a line.
        number, _, rest = line.partition(";")
        program, _, symbol = rest.partition(";")
        match = _SYMBOL.match(symbol.strip())
        if match and (number := number.strip()).isdecimal() and len(number) < 19:
            samples[program.strip(), match[1]] += int(number)
    return event, samples
