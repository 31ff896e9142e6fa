"""Units of what benchmarks report beside times, and which of them are better when higher."""

from __future__ import annotations

import re

_RATE = re.compile(r"/(s|sec|second|min)$|^(rps|qps|fps|ips|bps|iops|ops)$|[-_ ]per[-_ ]sec(ond)?$")


def rate(unit: str) -> bool:
    """Whether a unit says how much is done in a time, so that higher is better: ``MB/s``,
    ``ops/sec``, ``qps``."""
    return _RATE.search(unit.lower()) is not None
