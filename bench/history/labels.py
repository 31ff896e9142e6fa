"""Steps of ``whyfast history`` and of Apache Otava against what people marked.

    python -m bench.history.labels --tcpd FOLDER --rtt FOLDER [--half held-out] [--otava PYTHON]

The sets are public and not part of this repository:

- the Turing Change Point Dataset (github.com/alan-turing-institute/TCPD), whose folder has
  ``annotations.json`` and ``datasets``: series of many kinds, each marked by five people. Those of
  one dimension that come with the repository, 31.
- round-trip times (github.com/WenqinSHAO/rtt), the folder ``dataset/real_trace_labelled``: 50
  series of up to 12,000 points, one a file, with the moments of change that a person marked.

Each set is split once by the hash of the names: one half to develop on, one to look at once, when
all is settled. F1 is that of van den Burg and Williams (2020): a change counts as found within 5
points; precision against the marks of all people together, recall as the mean over them; the first
point counts as a change that everybody knows. Intervals are those of 10,000 bootstrap samples of
the series. Otava runs in the Python that ``--otava`` names, with the settings that it comes with.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import json
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bench.history.rates import steps
from whyfast.history.detect import judged

Floats = NDArray[np.float64]

#: A change counts as found within so many points.
_NEAR = 5
_SAMPLES = 10_000

_OTAVA = """
import json, sys
from otava.analysis import compute_change_points
found = {}
for name, values in json.load(sys.stdin).items():
    changes, _ = compute_change_points(values)
    found[name] = [int(change.index) for change in changes]
json.dump(found, sys.stdout)
"""


@dataclass(frozen=True)
class Marked:
    """A series without its missing points, the place of each point before those were left out, and
    the marks of each person."""

    values: Floats
    places: NDArray[np.intp]
    marks: tuple[tuple[int, ...], ...]


def main() -> None:
    """Print a table a set: mean F1 of each way, and by how much whyfast is above the others."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tcpd", type=Path)
    parser.add_argument("--rtt", type=Path)
    parser.add_argument(
        "--half", choices=("development", "held-out", "both"), default="development"
    )
    parser.add_argument("--otava", metavar="PYTHON")
    parser.add_argument("--each", action="store_true", help="every series by itself, too")
    args = parser.parse_args()
    for name, folder, load in (("TCPD", args.tcpd, load_tcpd), ("RTT", args.rtt, load_rtt)):
        if folder is not None:
            _table(name, chosen(load(folder), args.half), args.otava, each=args.each)


def load_tcpd(folder: Path) -> dict[str, Marked]:
    """The series of one dimension that are there."""
    marks = json.loads((folder / "annotations.json").read_text())
    found = {}
    for path in sorted((folder / "datasets").glob("*/*.json")):
        data = json.loads(path.read_text())
        if data["n_dim"] == 1:
            values = np.array([np.nan if v is None else v for v in data["series"][0]["raw"]], float)
            people = tuple(tuple(found) for found in marks[data["name"]].values())
            found[data["name"]] = _marked(values, np.isfinite(values), people)
    return found


def load_rtt(folder: Path) -> dict[str, Marked]:
    """Round-trip times; what was lost on the way is written as a time that is not positive."""
    found = {}
    for path in sorted(folder.glob("*.csv")):
        with path.open() as file:
            rows = list(csv.DictReader(file, delimiter=";"))
        values = np.array([float(row["rtt"].replace(",", ".")) for row in rows])
        people = (tuple(i for i, row in enumerate(rows) if float(row["cp"]) == 1),)
        found[path.stem] = _marked(values, values > 0, people)
    return found


def _marked(values: Floats, there: NDArray[np.bool_], people: Sequence[tuple[int, ...]]) -> Marked:
    return Marked(values[there], np.flatnonzero(there), tuple(people))


def chosen(series: Mapping[str, Marked], half: str) -> dict[str, Marked]:
    """The half of the series by the hash of their names."""
    names = sorted(series, key=lambda name: hashlib.sha256(name.encode()).hexdigest())
    middle = len(names) // 2
    kept = {"development": names[:middle], "held-out": names[middle:], "both": names}[half]
    return {name: series[name] for name in sorted(kept)}


def _table(name: str, series: Mapping[str, Marked], otava: str | None, *, each: bool) -> None:
    ways: dict[str, Callable[[Mapping[str, Marked]], dict[str, list[int]]]] = {
        "whyfast": _whyfast,
        "no change": lambda known: {n: [] for n in known},
    }
    if otava:
        ways["Otava"] = lambda known: _otava(known, otava)
    found = {way: run(series) for way, run in ways.items()}
    scores = {
        way: np.array([f1(series[n].marks, series[n].places[at[n]].tolist()) for n in series])
        for way, at in found.items()
    }
    print(f"\n{name}, {len(series)} series, {sum(len(s.values) for s in series.values())} points\n")
    if each:
        for i, n in enumerate(series):
            cells = (f"{way} {scores[way][i]:.3f} ({len(found[way][n])})" for way in ways)
            print(f"  {n:20} {'  '.join(cells)}")
    print("| by | F1 | 95 % | found a series | whyfast is above it by | 95 % |\n|" + " --- |" * 6)
    for way, values in scores.items():
        more = "– | –" if way == "whyfast" else _mean(scores["whyfast"] - values)
        count = np.mean([len(at) for at in found[way].values()])
        print(f"| {way} | {_mean(values)} | {count:.1f} | {more} |")


def _mean(values: Floats) -> str:
    rng = np.random.default_rng(1)
    means = values[rng.integers(0, len(values), (_SAMPLES, len(values)))].mean(axis=1)
    low, high = np.quantile(means, [0.025, 0.975])
    return f"{values.mean():.3f} | {low:.3f} to {high:.3f}"


def _whyfast(series: Mapping[str, Marked]) -> dict[str, list[int]]:
    """Series of unlike things, so each is judged by itself; as logarithms where they have some."""
    found = {}
    for name, known in series.items():
        y = np.log(known.values) if (known.values > 0).all() else known.values
        found[name] = steps(judged([y], [0.0])[0])
    return found


def _otava(series: Mapping[str, Marked], python: str) -> dict[str, list[int]]:
    values = json.dumps({name: known.values.tolist() for name, known in series.items()})
    done = subprocess.run(
        [python, "-c", _OTAVA], input=values, capture_output=True, text=True, check=True
    )
    found: dict[str, list[int]] = json.loads(done.stdout)
    return found


def f1(marks: Sequence[Sequence[int]], found: Sequence[int]) -> float:
    """F1 of changes ``found`` against the ``marks`` of several people, as above."""
    changes = {0, *(int(at) for at in found)}
    people = [{0, *person} for person in marks]
    precision = _hits(set().union(*people), changes) / len(changes)
    recall = float(np.mean([_hits(person, changes) / len(person) for person in people]))
    return 2.0 * precision * recall / (precision + recall)


def _hits(marks: set[int], found: set[int]) -> int:
    """How many marks have a change near them; each change is near one mark only."""
    left = set(found)
    hits = 0
    for mark in sorted(marks):
        near = [(abs(mark - at), at) for at in left if abs(mark - at) <= _NEAR]
        if near:
            left.remove(min(near)[1])
            hits += 1
    return hits


if __name__ == "__main__":
    main()
