"""How often a search is right, and what it takes: simulated ranges with known answers.

    python -m bench.search [--searches 1000] [--first 0] [--seed 1] [--only WORD…] [--json FILE]
    python -m bench.search --join FILE…

1,024 positions for the step, a machine that drifts by 0.3 standard deviations of a measurement
from block to block. docs/math/search.md says what the columns are.
"""

from __future__ import annotations

import argparse
import json
import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from bench.search import placed, scenes, shapes
from bench.search.bound import bound
from bench.search.join import joined
from bench.search.midpoint import midpoint_right
from bench.search.play import Played, play
from bench.search.scenes import POSITIONS, Case, Scene
from bench.search.world import bursts, disturbed, heavy, normal

EFFECTS = (1.0, 2.0, 3.0, 4.0, 6.0)
#: Shares of the searches asked for that scenes beside the figures aimed at are played with; each
#: of these takes far longer than the others.
SOME, FEW = 1 / 10, 1 / 20


@dataclass(frozen=True)
class Series:
    """Scenes that are told in one table, and the ``share`` of the searches each is played with."""

    title: str
    scenes: Sequence[Scene]
    share: float = 1.0


@dataclass(frozen=True)
class Row:
    """One scene over all its searches: the share that is right and means over all of them.

    ``found``: the share in which the place was right before it was confirmed. ``words``: how
    often each word was the answer. ``bound`` is NaN where there is none.
    """

    scene: str
    bound: float
    searches: int
    right: float
    found: float
    measured: float
    measured_error: float
    measured_most: float
    ends: float
    confirming: float
    later: float
    built: float
    failed: float
    built_later: float
    size: float
    several: float
    words: dict[str, int]
    cpu_seconds: float


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(
        prog="bench.search", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument("--searches", type=int, default=1000)
    parser.add_argument("--first", type=int, default=0, help="number of the first search")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", nargs="*", default=[], help="tables whose title has this word")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--join", nargs="*", type=Path, default=[], help="rows kept by --json")
    args = parser.parse_args()
    if args.join:
        _print_joined(args.join)
        return
    rows = []
    for series in tables():
        if args.only and not any(word in series.title for word in args.only):
            continue
        print(f"\n## {series.title}\n\n{_HEAD}", flush=True)
        searches = max(1, round(args.searches * series.share))
        for scene in series.scenes:
            rows.append(row(scene, range(args.first, args.first + searches), args.seed))
            print(line(rows[-1]), flush=True)
    if not args.only:
        print("\n".join(midpoint_lines(args.seed)))
    if args.json:
        args.json.write_text(json.dumps([asdict(r) for r in rows], indent=1) + "\n")


def tables() -> Iterator[Series]:
    """All scenes, by title; the first are those that docs/math/search.md reaches for."""
    yield Series("known ends", [scenes.known_ends(d) for d in EFFECTS])
    yield Series("unbuildable", [scenes.unbuildable(d, k) for k in (1, 10) for d in (2.0, 4.0)])
    yield Series(
        "no step",
        [scenes.no_step(d, known=k) for k in (True, False) for d in (2.0, 4.0)],
    )
    kinds = [("layouts of {:g} σ", placed.spread, s) for s in (0.4, 0.7)]
    yield Series(
        "decoy",
        [
            *(
                placed.decoy(d, make(s * d), name.format(s * d))
                for name, make, s in kinds
                for d in (2.0, 4.0)
            ),
            *(placed.decoy(d, placed.lucky(d, 0.5), "either layout") for d in (2.0, 4.0)),
        ],
    )
    yield Series("learnt ends", [scenes.learnt_ends(d, normal) for d in EFFECTS[1:]])
    yield Series("faint ends, learnt", [scenes.learnt_ends(EFFECTS[0], normal)])
    yield Series(
        "other noise",
        [scenes.learnt_ends(d, noise) for noise in (heavy, disturbed, bursts) for d in (2.0, 4.0)],
        SOME,
    )
    yield Series(
        "taken for others",
        [scenes.known_ends(d, k) for d in (2.0, 4.0) for k in (0.5, 0.7, 1.4, 2.0)],
        SOME,
    )
    yield Series(
        "a true step under layouts",
        [
            placed.change(d, placed.spread(s * d), f"layouts of {s * d:g} σ")
            for s in (0.2, 0.5)
            for d in (2.0, 4.0)
        ],
        FEW,
    )
    yield Series(
        "a true step and a placement",
        [
            placed.change_and_decoy(d, k * d, placed.spread(s * d), f"layouts of {s * d:g} σ")
            for d in (2.0, 4.0)
            for k, s in ((2.0, 0.7), (-1.0, 0.4))
        ],
        FEW,
    )
    yield Series("two steps", [shapes.two_steps(d, m) for m in (1.5, 0.5) for d in (2.0, 4.0)], FEW)
    yield Series(
        "scatter, no relinking",
        [
            *(shapes.gradual(d) for d in (2.0, 4.0)),
            *(shapes.scattered(d, either=e) for e in (True, False) for d in (2.0, 4.0)),
        ],
        FEW,
    )


def _print_joined(files: Sequence[Path]) -> None:
    print(_HEAD)
    for kept in joined([json.loads(file.read_text()) for file in files]):
        print(line(Row(**kept)))


def row(scene: Scene, numbers: Sequence[int], seed: int) -> Row:
    """Play a scene; every search has a random generator of its own, by its number."""
    started = time.process_time()
    searches = len(numbers)
    games = [_play(scene, np.random.default_rng([seed, i])) for i in numbers]
    plays = [p for _, p in games]
    measured = np.array([p.measured for p in plays], dtype=np.float64)
    words = [p.answer.outcome for p in plays]
    places = [p.answer.where for p in plays if p.answer.outcome in ("culprit", "one of")]
    means = {n: float(np.mean([getattr(p, n) for p in plays])) for n in _MEANS}
    return Row(
        scene=scene.name,
        bound=math.nan if scene.effect is None else bound(POSITIONS, scene.effect),
        searches=searches,
        right=float(np.mean([case.right(p) for case, p in games])),
        found=float(np.mean([_found(case, p) for case, p in games])),
        measured=float(measured.mean()),
        measured_error=float(measured.std() / math.sqrt(searches)),
        measured_most=float(np.quantile(measured, 0.99)),
        size=float(np.mean([w.size for w in places if w])) if places else math.nan,
        several=float(np.mean([p.answer.several for p in plays])),
        words={w: words.count(w) for w in sorted(set(words))},
        cpu_seconds=time.process_time() - started,
        **means,
    )


_MEANS = ("ends", "confirming", "later", "built", "failed", "built_later")


def _play(scene: Scene, rng: np.random.Generator) -> tuple[Case, Played]:
    case = scene.make(rng)
    return case, play(case.world, case.task)


def _found(case: Case, played: Played) -> bool:
    place = played.found
    return place is not None and any(place[0] <= at <= place[1] for at in case.steps)


_HEAD = (
    "| scene | right | found | measured | 99 % within | bound | ends | built | not built"
    " | confirming | witnesses, built | set | several | answers | searches | CPU s |\n"
    + "| --- " * 16
    + "|"
)


def line(row: Row) -> str:
    """A row of the table."""
    cells = [
        row.scene,
        f"{row.right:.1%}",
        f"{row.found:.1%}",
        f"{row.measured:.1f} ± {row.measured_error:.1f}",
        f"{row.measured_most:.0f}",
        "" if math.isnan(row.bound) else f"{row.bound:.1f}, × {row.measured / row.bound:.3f}",
        f"{row.ends:.1f}",
        f"{row.built:.1f}",
        f"{row.failed:.1f}",
        f"{row.confirming:.1f}",
        f"{row.later:.1f}, {row.built_later:.1f}",
        "" if math.isnan(row.size) else f"{row.size:.2f}",
        f"{row.several:.0%}",
        ", ".join(f"{word} {count}" for word, count in row.words.items()),
        str(row.searches),
        f"{row.cpu_seconds:.0f}",
    ]
    return "| " + " | ".join(cells) + " |"


def midpoint_lines(seed: int) -> Iterator[str]:
    """What searches with a threshold in the middle find."""
    rng = np.random.default_rng(seed)
    yield "\n## one measurement a candidate and a threshold\n"
    for effect in EFFECTS:
        yield f"- {effect:g}σ: right in {midpoint_right(POSITIONS, effect, 20_000, rng):.1%}"


if __name__ == "__main__":
    main()
