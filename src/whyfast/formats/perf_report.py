"""Samples by function, as ``perf report --stdio -F sample,dso,sym -t ';'`` prints them."""

from __future__ import annotations

import re
from collections import Counter

_EVENT = re.compile(r"^#\s*Samples:.* of events? '([^']+)'")
_ROW = re.compile(r"^\s*(\d+)\s*;\s*(.*?)\s*;\s*\[[^]]\]\s*(.+?)\s*$")


def parse_perf_report(text: str) -> tuple[str, Counter[tuple[str, str]]]:
    """(event, samples by (object, function)); the event is empty when there are no samples."""
    event = ""
    samples: Counter[tuple[str, str]] = Counter()
    for line in text.splitlines():
        if match := _EVENT.match(line):
            event = event or match[1].split(":")[0]
        elif match := _ROW.match(line):
            samples[match[2], match[3]] += int(match[1])
    return event, samples
