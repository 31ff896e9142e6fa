"""Every raw value of a result as CSV."""

from __future__ import annotations

import csv
import io

from whyfast.model.result import Result


def values_csv(result: Result) -> str:
    """One line a value: benchmark, block, turn, variant, place in the turn, loops, seconds, and
    what the kernel accounted, where it did."""
    extra = sorted({k for b in result.recorded.blocks for per in b.extra.values() for k in per})
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["benchmark", "block", "turn", "variant", "place", "loops", "seconds", *extra])
    for b in result.recorded.blocks:
        for turn, order in enumerate(b.order):
            for place, variant in enumerate(order):
                per = b.extra.get(variant, {})
                writer.writerow(
                    [
                        b.benchmark,
                        b.index,
                        turn,
                        variant,
                        place,
                        b.loops,
                        repr(b.values[variant][turn]),
                        *(repr(per[k][turn]) if k in per else "" for k in extra),
                    ]
                )
    return out.getvalue()
