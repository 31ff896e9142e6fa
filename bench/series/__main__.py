"""Changes in public series: ``whyfast history`` beside others and beside "no change ever".

    python -m bench.series --data FOLDER [--otava PYTHON] [--e-divisive PYTHON] [--set NAME …]
                           [--keep FILE]

``--data`` holds clones of the repositories of :mod:`bench.series.sets`; one that is not there is
left out. Of the two sets that whyfast was developed on, a row more has the half that was held out.
Intervals of F1 are of 10,000 bootstrap samples of the series. Alarms are all changes that a method
reports, right or not. ``--keep`` adds what was found to a file, and does not find it again.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from bench.series import published
from bench.series.scores import bootstrap, f1
from bench.series.sets import SETS, Set, held_out
from bench.series.ways import Found, available

_HEADER = ("set", "by", "F1", "95 %", "alarms a 100 points", "a series-year", "series with any")


def main(argv: Sequence[str] | None = None) -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="bench.series", description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--otava", metavar="PYTHON")
    parser.add_argument("--e-divisive", metavar="PYTHON")
    parser.add_argument("--set", choices=SETS, nargs="+", default=list(SETS))
    parser.add_argument("--keep", type=Path, help="a JSON file of what was found")
    args = parser.parse_args(argv)
    kept: dict[str, dict[str, Found]] = {}
    if args.keep and args.keep.exists():
        kept = json.loads(args.keep.read_text())
    _row(_HEADER)
    print("|" + " --- |" * len(_HEADER))
    for name in args.set:
        folder, load, developed = SETS[name]
        if not (args.data / folder).exists():
            print(f"no {args.data / folder}: {name} is left out", file=sys.stderr)
            continue
        series = load(args.data / folder)
        found = kept.setdefault(name, {})
        for way, find in available(args.otava, args.e_divisive).items():
            if way not in found:
                found[way] = find(series)
                if args.keep:
                    args.keep.write_text(json.dumps(kept))
        _rows(name, series, found)
        if developed:
            _rows(f"{name}, held out", held_out(series), found)
    return 0


def _rows(name: str, series: Set, found: dict[str, Found]) -> None:
    title = f"{name} ({len(series)})"
    for way, at in found.items():
        if at:
            _row((title, way, *_scores(series, at), *_alarms(series, at)))
            title = ""
    if name.startswith("Turing"):
        for i, method in enumerate(published.METHODS):
            values = np.array([published.F1[n][i] for n in series])
            values = values[np.isfinite(values)]
            low, high = bootstrap(values)
            cells = (f"{values.mean():.3f}", f"{low:.3f} to {high:.3f}", "", "", "")
            _row((title, f"{method}, as published ({len(values)})", *cells))


def _scores(series: Set, found: Found) -> tuple[str, str]:
    values = np.array(
        [
            f1(known.marks, known.places[found[name]].tolist())
            for name, known in series.items()
            if known.marks is not None
        ]
    )
    if not len(values):
        return "–", "–"
    if len(values) == 1:
        return f"{values[0]:.3f}", "–"
    low, high = bootstrap(values)
    return f"{values.mean():.3f}", f"{low:.3f} to {high:.3f}"


def _alarms(series: Set, found: Found) -> tuple[str, str, str]:
    alarms = sum(len(found[name]) for name in series)
    points = sum(len(known.values) for known in series.values())
    years = sum(known.years for known in series.values())
    any_ = float(np.mean([bool(found[name]) for name in series]))
    a_year = f"{alarms / years:.2f}" if years else "–"
    return f"{100 * alarms / points:.2f}", a_year, f"{100 * any_:.0f} %"


def _row(cells: Sequence[str]) -> None:
    print("| " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    sys.exit(main())
