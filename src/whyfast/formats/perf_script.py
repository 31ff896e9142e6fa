"""Samples by function, as ``perf script`` prints them.

A sample is a line of its own (``prog 12 3.4: 1 cycles:u: 55d0 main+0x14 (/bin/prog)``, or with ``-F
ip,sym`` just ``55d0 main``), or a heading and below it the stack, the function that ran first.
Stacks end at an empty line.
"""

from __future__ import annotations

import re
from collections import Counter

#: An address, a symbol with its offset, and the object where it is printed.
_FRAME = re.compile(
    r"(?:^|\s)(?P<address>[0-9a-f]{4,16})\s+(?P<name>\S.*?)(?:\+0x[0-9a-f]+)?"
    r"(?:\s+\((?P<object>[^()]*)\))?$"
)
#: The command, its ids and the time, how many events a sample stands for, and which.
_HEAD = re.compile(r"^\S.*?\s[\d.]+:\s+(?:\d+\s+)?[\w./:-]+:(?=\s|$)")


def parse_perf_script(text: str) -> Counter[tuple[str, str]]:
    """Samples by (object, function); the object is empty where it is not printed. Empty for a text
    that has no samples."""
    lines = [line.rstrip() for line in text.splitlines() if not line.startswith("#")]
    stacks = any(not line for line in lines[:-1]) or any(map(_HEAD.match, lines))
    samples: Counter[tuple[str, str]] = Counter()
    taken = False
    for line in lines:
        if not line:
            taken = False
            continue
        head = _HEAD.match(line)
        if head:
            taken = False
        if taken:
            continue
        match = _FRAME.search(line[head.end() :] if head else line)
        if match:
            samples[match["object"] or "", match["name"]] += 1
            taken = stacks
    return samples
