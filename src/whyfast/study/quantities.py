"""Durations, sizes and margins as users write them."""

from __future__ import annotations

import math
import re

from whyfast.study.wording import kind, quoted

_UNITS = {
    "us": 1e-6,
    "µs": 1e-6,
    "μs": 1e-6,
    "ms": 1e-3,
    "s": 1.0,
    "m": 60.0,
    "h": 3600.0,
    "d": 86400.0,
}
_AMOUNT = r"(\d+(?:\.\d+)?|\.\d+)"
_DURATION = re.compile(_AMOUNT + r"\s*([a-zµμ]+)", re.ASCII)
_SIZE = re.compile(_AMOUNT + r"\s*([A-Za-z]+)", re.ASCII)
_SIZES = {"B": 1.0, "kB": 1e3, "MB": 1e6, "GB": 1e9, "TB": 1e12}
_PERCENT = re.compile(_AMOUNT + r"\s*%", re.ASCII)


def parse_duration(value: object) -> float:
    """Seconds of ``"90s"``, ``"3m"``, ``"1h"``, ``"1ms"``, ``"500us"`` or a number of seconds.

    ValueError, fit to be shown to the user, for anything else and for nothing at all (``"0s"``).
    """
    seconds = _seconds(value)
    if not 0 < seconds < math.inf:
        raise ValueError("must be longer than nothing, and finite")
    return seconds


def _seconds(value: object) -> float:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return _float(value)
    if not isinstance(value, str):
        raise ValueError(f"must be a duration, not {kind(value)}")
    match = _DURATION.fullmatch(value.strip())
    if match is None:
        raise ValueError(f"{quoted(value)} is not a duration")
    scale = _UNITS.get(match[2])
    if scale is None:
        raise ValueError(f"{quoted(value)} is not a duration: {quoted(match[2])} is not a unit")
    return float(match[1]) * scale


def parse_size(value: object) -> float:
    """Bytes of ``"480MB"``, ``"1.5 GB"`` or ``"20kB"``, in powers of ten.

    ValueError, fit to be shown to the user, for anything else and for nothing at all.
    """
    if not isinstance(value, str):
        raise ValueError(f"must be a size, not {kind(value)}")
    match = _SIZE.fullmatch(value.strip())
    if match is None:
        raise ValueError(f"{quoted(value)} is not a size")
    scale = _SIZES.get(match[2])
    if scale is None:
        raise ValueError(f"{quoted(value)} is not a size: {quoted(match[2])} is not a unit")
    size = float(match[1]) * scale
    if not 1 <= size < math.inf:
        raise ValueError("must be more than nothing, and finite")
    return size


def parse_margin(value: object) -> float:
    """The relative margin of ``"1%"``, ``"0.5 %"`` or a number such as 0.01.

    ValueError, fit to be shown to the user, for anything else and outside 0 % to 100 %.
    """
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
        raise ValueError(f"must be more than 0 % and less than 100 %, not {margin * 100:.4g} %")
    return margin


def _float(value: int | float) -> float:
    try:
        return float(value)
    except OverflowError:  # an integer of hundreds of digits
        return math.inf
