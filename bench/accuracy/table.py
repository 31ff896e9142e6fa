"""The outcome of all trials as Markdown tables."""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping, Sequence
from typing import Any

from scipy import stats


def tables(trials: Sequence[Mapping[str, Any]], effects: Mapping[str, float]) -> str:
    """One table a setting: false alarms, power, coverage, width and time to the verdict."""
    return "\n\n".join(
        _table(setting, [t for t in trials if t["setting"] == setting], effects)
        for setting in dict.fromkeys(t["setting"] for t in trials)
    )


def _table(setting: str, trials: Sequence[Mapping[str, Any]], effects: Mapping[str, float]) -> str:
    slow = [e for e, size in effects.items() if size > 0]
    head = ["tool", "false alarms", "other layout called different"]
    head += [f"{e} found" for e in slow]
    head += ["interval covers", "median half width", "1 %: median time to the verdict"]
    lines = [f"**{setting}**", "", "| " + " | ".join(head) + " |", "| --- " * len(head) + "|"]
    for tool in dict.fromkeys(t["tool"] for t in trials):
        own = [t for t in trials if t["tool"] == tool]

        def of(effect: str, own: Sequence[Mapping[str, Any]] = own) -> list[Mapping[str, Any]]:
            return [t for t in own if t["effect"] == effect]

        row = [tool, _share([t["word"] != "none" for t in of("none")])]
        row.append(_share([t["word"] != "none" for t in of("moved")]))
        row += [_share([t["word"] == "slower" for t in of(e)]) for e in slow]
        exact = [t for t in own if t["effect"] != "moved"]
        row.append(_share([t["low"] <= 1 + effects[t["effect"]] <= t["high"] for t in exact]))
        halves = [
            (math.log(t["high"]) - math.log(t["low"])) / 2
            for t in of("none")
            if t["low"] > 0 and math.isfinite(t["high"])
        ]
        row.append(f"{statistics.median(halves) * 100:.2f} %" if halves else "–")
        times = [t["decided"] for t in of("1 %") if t["decided"] is not None]
        row.append(f"{statistics.median(times):.1f} s" if times else "–")
        lines.append("| " + " | ".join(row) + " |")
    return "\n".join(lines)


def _share(outcomes: Sequence[bool]) -> str:
    """``3 of 40 (2–20 %)``: the count with its 95 % Clopper–Pearson interval."""
    n, k = len(outcomes), sum(outcomes)
    if not n:
        return "–"
    low = stats.beta.ppf(0.025, k, n - k + 1) if k else 0.0
    high = stats.beta.ppf(0.975, k + 1, n - k) if k < n else 1.0
    return f"{k} of {n} ({low * 100:.0f}–{high * 100:.0f} %)"
