"""How often :mod:`whyfast.judge.steady` errs, and beside the published classes of Java benchmarks.

    python -m bench.steady rates [--series 400]
    python -m bench.steady public GIT [--half development|held-out]

``rates``: simulated processes without a change that are not called steady, and changes of known
size that are found. ``public``: GIT is the git directory of SEALABQualityGroup/steady-state (586
JMH benchmarks, 10 forks of 3,000 iterations; Traini et al. 2023), which holds each series, its
change points (PELT) and its class. It is split by the hash of the benchmarks' names.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import subprocess
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from whyfast.judge.steady import steadiness

Floats = NDArray[np.float64]
Noise = Callable[[np.random.Generator, int], Floats]

LENGTHS = (50, 100, 300, 1000, 3000)


def _correlated(share: float, size: float) -> Noise:
    def series(rng: np.random.Generator, n: int) -> Floats:
        steps, x = rng.normal(0, size, n + 50), np.zeros(n + 50)
        for i in range(1, n + 50):
            x[i] = share * x[i - 1] + steps[i]
        return x[50:]

    return series


NOISES: dict[str, Noise] = {
    "normal, 1 %": lambda rng, n: rng.normal(0, 0.01, n),
    "normal, 20 %": lambda rng, n: rng.normal(0, 0.2, n),
    "t3, 5 %": lambda rng, n: 0.05 * rng.standard_t(3, n),
    "exponential, 5 %": lambda rng, n: rng.exponential(0.05, n),
    "AR .6, 3 %": _correlated(0.6, 0.03),
    "AR .9, 2 %": _correlated(0.9, 0.02),
    "two modes, 20 %": lambda rng, n: (
        np.where(rng.random(n) < 0.3, 0.2, 0.0) + rng.normal(0, 0.01, n)
    ),
}


def rates(series: int) -> None:
    """Print a table of false alarms, and one of changes of 10 % that are found."""
    rng = np.random.default_rng(20261125)
    print("| noise | " + " | ".join(map(str, LENGTHS)) + " |")
    for name, noise in NOISES.items():
        cells = []
        for n in LENGTHS:
            tries = max(40, series * 100 // max(n, 100))
            wrong = sum(_kind(noise(rng, n)) != "steady" for _ in range(tries))
            cells.append(f"{100 * wrong / tries:.1f}")
        print(f"| {name} | {' | '.join(cells)} |", flush=True)
    shapes: dict[str, tuple[str, Callable[[int], Floats]]] = {
        "first tenth 10 % slower": ("warms up", lambda n: _slower(np.arange(n) < n // 10)),
        "last half 10 % slower": ("slows down", lambda n: _slower(np.arange(n) >= n // 2)),
        "last twelfth 10 % slower": ("unsteady", lambda n: _slower(np.arange(n) >= n - n // 12)),
    }
    for name, (kind, shape) in shapes.items():
        cells = []
        for n in LENGTHS:
            tries = max(40, series * 100 // max(n, 100))
            found = sum(
                _kind(shape(n) + NOISES["normal, 1 %"](rng, n)) == kind for _ in range(tries)
            )
            cells.append(f"{100 * found / tries:.0f}")
        print(f"| {name} | {' | '.join(cells)} |", flush=True)


def _slower(where: NDArray[np.bool_]) -> Floats:
    """10 % there, in logarithms."""
    return np.where(where, np.log(1.1), 0.0)


def _kind(logs: Floats) -> str:
    found = steadiness([float(v) for v in np.exp(logs)])
    assert found is not None
    return found.kind


def public(git: str, half: str) -> None:
    """Print how many forks have the published class, and the benchmarks that agree least."""
    agree: Counter[tuple[bool, bool]] = Counter()
    near, wrong = 0, Counter[str]()
    for name, forks, classes in _benchmarks(git, half):
        for values, kind, start in zip(
            forks, classes["forks"], classes["steady_state_starts"], strict=True
        ):
            found = steadiness(values)
            assert found is not None
            theirs, ours = kind == "steady state", found.start is not None
            agree[theirs, ours] += 1
            if theirs != ours:
                wrong[name] += 1
            elif found.start is not None:
                near += abs(found.start - start) <= max(25, 0.1 * start)
    total = agree.total()
    same = agree[True, True] + agree[False, False]
    print(f"{half}: {total} forks, {100 * same / total:.1f} % with the published class")
    print(f"steady in both {agree[True, True]}, in neither {agree[False, False]}")
    print(f"published as steady only {agree[True, False]}, here only {agree[False, True]}")
    share = 100 * near / max(1, agree[True, True])
    print(f"of those steady in both, {share:.0f} % start within 25 iterations or a tenth")
    for name, number in wrong.most_common(8):
        print(f"  {number} of 10 differ: {name}")


def _benchmarks(git: str, half: str) -> Iterator[tuple[str, list[list[float]], dict[str, Any]]]:
    """(name, forks, published classes) of each benchmark of the half."""
    listing = ["git", f"--git-dir={git}", "ls-tree", "-rz", "--name-only", "HEAD"]
    done = subprocess.run([*listing, "data/classification"], capture_output=True, check=True)
    with subprocess.Popen(
        ["git", f"--git-dir={git}", "cat-file", "--batch"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as reader:
        assert reader.stdin is not None
        assert reader.stdout is not None

        def document(path: str) -> Any:
            assert reader.stdin is not None
            assert reader.stdout is not None
            reader.stdin.write(f"HEAD:{path}\n".encode())
            reader.stdin.flush()
            size = int(reader.stdout.readline().split()[2])
            return json.loads(reader.stdout.read(size + 1))

        for path in done.stdout.decode().split("\0")[:-1]:
            name = path.rpartition("/")[2].removesuffix(".json")
            odd = int(hashlib.sha256(name.encode()).hexdigest(), 16) % 2
            if odd == (half == "held-out"):
                series = path.replace("classification", "timeseries/all")
                yield name, document(series), document(path)
        reader.stdin.close()


def main() -> None:
    """The tables that docs/math/steady.md has."""
    parser = argparse.ArgumentParser()
    parser.add_argument("what", choices=("rates", "public"))
    parser.add_argument("git", nargs="?", default="")
    parser.add_argument("--half", choices=("development", "held-out"), default="development")
    parser.add_argument("--series", type=int, default=400)
    args = parser.parse_args()
    if args.what == "rates":
        rates(args.series)
    else:
        public(args.git, args.half)


if __name__ == "__main__":
    main()
