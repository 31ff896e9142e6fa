"""Ways to find changes in a series: whyfast's, those of others, and none at all.

Peers run in a Python of their own, which ``--peers`` names: ``apache-otava`` and
``signal-processing-algorithms`` want another numpy each, so that two may be named. Their settings
are those that they come with.
"""

from __future__ import annotations

import json
import math
import subprocess
from collections import defaultdict
from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from bench.history.rates import steps
from bench.series.sets import Set
from whyfast.history.detect import judged

Floats = NDArray[np.float64]

#: Name of a series → the places in it, missing points left out, at which something new begins.
Found = dict[str, list[int]]


def whyfast(series: Set) -> Found:
    """As ``whyfast history`` does, each suite together; as logarithms where values have some."""
    suites = defaultdict(list)
    for name, known in series.items():
        suites[known.suite].append(name)
    found = {}
    for names in suites.values():
        logs = [
            np.log(values) if (values > 0).all() else values
            for values in (series[name].values for name in names)
        ]
        for name, pruned in zip(names, judged(logs, [0.0] * len(logs)), strict=True):
            found[name] = [int(at) for at in steps(pruned)]
    return found


def no_change(series: Set) -> Found:
    """Nothing ever changes: what any score has to be compared with."""
    return {name: [] for name in series}


def bocpd(series: Set) -> Found:
    """Bayesian online change point detection (Adams and MacKay 2007), as TCPDBench runs it.

    Normal values of unknown mean and variance, with the conjugate prior μ = 0, κ = α = β = 1 on the
    values less their mean over their standard deviation; a change every 100 points is expected. The
    changes are those of the most probable segmentation.
    """
    return {name: _most_probable(known.values) for name, known in series.items()}


#: Points between two changes that the prior expects.
_EXPECTED = 100.0

#: Beginnings whose probability is below this share of the best one are given up.
_GIVEN_UP = -40.0


def _most_probable(values: Floats) -> list[int]:
    sd = float(np.std(values, ddof=1))
    x = (values - values.mean()) / sd if sd > 0 else values - values.mean()
    stay, change = math.log1p(-1 / _EXPECTED), math.log(1 / _EXPECTED)
    starts = np.zeros(1, np.intp)
    joint, mean, beta = np.zeros(1), np.zeros(1), np.ones(1)
    from_start: list[int] = []
    for t, value in enumerate(x.tolist()):
        kappa = 1.0 + (t - starts)
        alpha = 1.0 + (t - starts) / 2
        away = (value - mean) ** 2
        wide = beta * (kappa + 1) / (alpha * kappa)
        joint = joint + (
            gammaln(alpha + 0.5)
            - gammaln(alpha)
            - 0.5 * np.log(2 * math.pi * alpha * wide)
            - (alpha + 0.5) * np.log1p(away / (2 * alpha * wide))
        )
        beta = beta + kappa * away / (2 * (kappa + 1))
        mean = (kappa * mean + value) / (kappa + 1)
        best = int(np.argmax(joint))
        from_start.append(int(starts[best]))
        kept = joint > joint[best] + _GIVEN_UP
        joint = np.append(joint[kept] + stay, joint[best] + change)
        starts = np.append(starts[kept], t + 1)
        mean, beta = np.append(mean[kept], 0.0), np.append(beta[kept], 1.0)
    found, at = [], len(x)
    while at > 0 and from_start[at - 1] > 0:
        at = from_start[at - 1]
        found.append(at)
    return found[::-1]


_OTAVA = """
import json, sys
from otava.analysis import compute_change_points
found = {}
for name, values in json.load(sys.stdin).items():
    changes, _ = compute_change_points(values)
    found[name] = [int(change.index) for change in changes]
json.dump(found, sys.stdout)
"""

_E_DIVISIVE = """
import json, sys
import numpy as np
from signal_processing_algorithms.energy_statistics.energy_statistics import e_divisive
found = {}
for name, values in json.load(sys.stdin).items():
    np.random.seed(1)
    found[name] = sorted(int(at) for at in e_divisive(np.array(values)))
json.dump(found, sys.stdout)
"""

#: Longer series take E-Divisive, whose time grows with the square of their length, too long.
_LONGEST = 1000


def otava(python: str) -> Callable[[Set], Found]:
    """Apache Otava."""
    return lambda series: _asked(python, _OTAVA, series)


def e_divisive(python: str) -> Callable[[Set], Found]:
    """E-Divisive means with permutations (Matteson and James 2014), as MongoDB publishes it. Of a
    set with series that are too long for it, nothing."""

    def found(series: Set) -> Found:
        if any(len(known.values) > _LONGEST for known in series.values()):
            return {}
        return _asked(python, _E_DIVISIVE, series)

    return found


def _asked(python: str, script: str, series: Set) -> Found:
    values = json.dumps({name: known.values.tolist() for name, known in series.items()})
    done = subprocess.run(
        [python, "-c", script], input=values, capture_output=True, text=True, check=True
    )
    found: Found = json.loads(done.stdout)
    return found


def available(
    otava_in: str | None, e_divisive_in: str | None
) -> Mapping[str, Callable[[Set], Found]]:
    """Name of a way → it, those that can be run."""
    ways: dict[str, Callable[[Set], Found]] = {"whyfast": whyfast, "no change ever": no_change}
    if otava_in:
        ways["Otava"] = otava(otava_in)
    if e_divisive_in:
        ways["E-Divisive"] = e_divisive(e_divisive_in)
    ways["BOCPD"] = bocpd
    return ways
