"""Public series of measurements, as they are in clones of the repositories that publish them.

| folder | repository | what it holds |
| --- | --- | --- |
| TCPD | alan-turing-institute/TCPD | 31 series of many kinds, each marked by five people |
| rtt | WenqinSHAO/rtt | 50 series of round-trip times, marked by a person |
| otava | apache/otava | a series of TigerBeetle, whose changes its test describes |
| benchmarking-public | faster-cpython/benchmarking-public, or a fork | CPython since 2021 |
| uoptime | njapke/uoptime-replication-package | Go programs, measured over and over: A/A |

Nothing of them is part of this repository.
"""

from __future__ import annotations

import ast
import csv
import hashlib
import json
import re
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

_YEAR = 365.25


@dataclass(frozen=True)
class Marked:
    """A series without its missing points, the place of each point before those were left out, the
    marks of each person (None: nobody marked it), the series that it is judged with, and how many
    years it spans (0: its points have no times)."""

    values: Floats
    places: NDArray[np.intp]
    marks: tuple[tuple[int, ...], ...] | None
    suite: str
    years: float = 0.0


Set = Mapping[str, Marked]


def load_tcpd(folder: Path) -> Set:
    """The series of one dimension that are there. Each is a suite by itself: unlike things."""
    marks = json.loads((folder / "annotations.json").read_text())
    found = {}
    for path in sorted((folder / "datasets").glob("*/*.json")):
        data = json.loads(path.read_text())
        if data["n_dim"] == 1:
            name = data["name"]
            values = np.array([np.nan if v is None else v for v in data["series"][0]["raw"]], float)
            people = tuple(tuple(found) for found in marks[name].values())
            found[name] = _marked(values, np.isfinite(values), people, name)
    return found


def load_rtt(folder: Path) -> Set:
    """Round-trip times; what was lost on the way is written as a time that is not positive."""
    found = {}
    for path in sorted((folder / "dataset/real_trace_labelled").glob("*.csv")):
        with path.open() as file:
            rows = list(csv.DictReader(file, delimiter=";"))
        values = np.array([float(row["rtt"].replace(",", ".")) for row in rows])
        people = (tuple(i for i, row in enumerate(rows) if float(row["cp"]) == 1),)
        first, last = _when(rows[0]["epoch"]), _when(rows[-1]["epoch"])
        years = (last - first).total_seconds() / 86400 / _YEAR
        found[path.stem] = _marked(values, values > 0, people, path.stem, years)
    return found


def _when(text: str) -> datetime:
    if "/" in text:
        return datetime.strptime(text, "%d/%m/%Y %H:%M")
    return datetime.fromisoformat(text)


def _marked(
    values: Floats,
    there: NDArray[np.bool_],
    people: tuple[tuple[int, ...], ...],
    suite: str,
    years: float = 0.0,
) -> Marked:
    return Marked(values[there], np.flatnonzero(there), people, suite, years)


def load_tigerbeetle(folder: Path) -> Set:
    """TigerBeetle's transactions a second, from the test of Apache Otava. Its description names
    changes at 16, 71 and 97, an outlier at 10, and a slope and normal variance after these."""
    tree = ast.parse((folder / "tests/tigerbeetle_test.py").read_text())
    longest = max(
        (node for node in ast.walk(tree) if isinstance(node, ast.List)),
        key=lambda node: len(node.elts),
    )
    values = np.array(ast.literal_eval(longest), float)
    marks = ((16, 71, 97),)
    return {"TigerBeetle": Marked(values, np.arange(len(values)), marks, "TigerBeetle")}


_RESULT = re.compile(
    r"bm-(?P<day>\d{8})-(?P<machine>linux-x86_64|darwin-arm64|pythonperf2-x86_64)-python-"
    r".*-3\.(?P<minor>\d+)\.\d+\S*\.json"
)
_OPTIONS = re.compile(r"-(JIT|NOGIL|PYTHON_UOPS|CLANG|TAILCALL)")


def load_cpython(folder: Path) -> Set:
    """The times of CPython's main branch by day, as built by default: a suite a machine.

    Maintenance releases are left out: what is older than the newest minor version so far.
    """
    by_machine = defaultdict(list)
    for path in (folder / "results").glob("*/*.json"):
        match = _RESULT.fullmatch(path.name)
        if match and not _OPTIONS.search(path.parent.name):
            by_machine[match["machine"]].append((match["day"], int(match["minor"]), path))
    found = {}
    for machine, results in sorted(by_machine.items()):
        days: list[str] = []
        newest = 0
        series: dict[str, dict[int, float]] = defaultdict(dict)
        for day, minor, path in sorted(results):
            if minor >= newest and (not days or day != days[-1]):
                newest = minor
                for name, value in _pyperf_medians(path).items():
                    series[name][len(days)] = value
                days.append(day)
        when = [date.fromisoformat(f"{d[:4]}-{d[4:6]}-{d[6:]}").toordinal() for d in days]
        for name, values in sorted(series.items()):
            places = np.array(sorted(values), np.intp)
            if len(places) >= _FEWEST:
                years = (when[places[-1]] - when[places[0]]) / _YEAR
                times = np.array([values[at] for at in places.tolist()])
                found[f"{machine} {name}"] = Marked(times, places, None, machine, years)
    return found


#: Series of fewer points are left out of CPython's.
_FEWEST = 20


def _pyperf_medians(path: Path) -> dict[str, float]:
    data = json.loads(path.read_text())
    found = {}
    for benchmark in data["benchmarks"]:
        values = [v for run in benchmark["runs"] for v in run.get("values", ())]
        if values:
            name = benchmark.get("metadata", {}).get("name") or data["metadata"]["name"]
            found[name] = float(np.median(values))
    return found


def load_uoptime(folder: Path) -> Set:
    """Go benchmarks, one binary on one virtual machine: nothing changes, so that each change that
    is found is a false alarm. A point is the median of five seconds in a row; the 15 points of a
    series are three runs of the suite with five iterations each."""
    found = {}
    for path in sorted((folder / "optimizer/dataset_1/go_data_path").glob("*.csv")):
        series: dict[tuple[str, int], dict[tuple[int, int], list[float]]] = defaultdict(
            lambda: defaultdict(list)
        )
        with path.open() as file:
            for row in csv.DictReader(file):
                at = int(row["sr_pos"]), int(row["it_pos"])
                series[row["b_name"], int(row["ir_pos"])][at].append(float(row["ns_per_op"]))
        for (name, machine), points in series.items():
            values = np.array([np.median(points[at]) for at in sorted(points)])
            if (values > 0).all():
                suite = f"{path.stem} {machine}"
                found[f"{suite} {name}"] = Marked(values, np.arange(len(values)), ((),), suite)
    return found


def with_steps(series: Set, size: float) -> Set:
    """``series`` of which every other one, by the hash of its name, is slower by the share ``size``
    from a place on that is drawn between its sixth and its sixth to last point."""
    found = {}
    for name, known in series.items():
        draw = int.from_bytes(hashlib.sha256(f"step {name}".encode()).digest()[:8], "big")
        n = len(known.values)
        if draw % 2 and n >= 12:
            at = 5 + (draw // 2) % (n - 10)
            values = known.values * np.where(np.arange(n) >= at, 1.0 + size, 1.0)
            found[name] = replace(known, values=values, marks=((at,),))
        else:
            found[name] = known
    return found


def held_out(series: Set) -> Set:
    """The half of the series, by the hash of their names, that nothing was developed on."""
    names = sorted(series, key=lambda name: hashlib.sha256(name.encode()).hexdigest())
    kept: Sequence[str] = sorted(names[len(names) // 2 :])
    return {name: series[name] for name in kept}


def _steps_of(size: float) -> Callable[[Path], Set]:
    return lambda folder: with_steps(load_uoptime(folder), size)


#: Name of the set → the folder of its repository, how it is read, and whether half of it was used
#: to develop on.
SETS: Mapping[str, tuple[str, Callable[[Path], Set], bool]] = {
    "Turing": ("TCPD", load_tcpd, True),
    "round-trip": ("rtt", load_rtt, True),
    "TigerBeetle": ("otava", load_tigerbeetle, False),
    "Go, equal": ("uoptime", load_uoptime, False),
    "Go, 5 % in half": ("uoptime", _steps_of(0.05), False),
    "Go, 20 % in half": ("uoptime", _steps_of(0.2), False),
    "CPython": ("benchmarking-public", load_cpython, False),
}
