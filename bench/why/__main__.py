"""Does ``whyfast why`` name the cause of a difference?

    python -m bench.why [NAME…] [--kind one] [--set NAME] [--results FILE] [--markdown]
    python -m bench.why --list

Builds each pair of ``pairs.toml`` (or of the set ``heldout``, ``blind``, or ``blind2`` to
``blind10``) whose name begins with NAME in a folder, asks ``whyfast why SLOW FAST`` (the sides in
an order drawn at random), compares the answer with the known cause, and prints a row a pair and the
totals. Pairs whose tools are missing are left out and named. What FILE holds already is not asked
again, so it can be ended at any time and run in parts.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from bench.why.catalogue import FOLDER, Pair, Side, catalogue, chosen, filled
from bench.why.scoring import Answer, Score, answer, score, table, totals


def main(argv: Sequence[str] | None = None) -> int:
    """Ask what is not in the results yet, then print all of them."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help="how names of pairs begin")
    parser.add_argument("--kind", action="append", choices=["one", "two", "equal"], default=[])
    sets = ("pairs", "heldout", "blind", *(f"blind{number}" for number in range(2, 11)))
    parser.add_argument("--set", choices=sets, default="pairs", help="whose pairs")
    parser.add_argument("--results", type=Path, help="keep a line a pair here, and go on from it")
    parser.add_argument("--seed", type=int, default=1, help="draws the order of the sides")
    parser.add_argument("--timeout", type=float, default=180.0, help="seconds a pair")
    parser.add_argument("--command", default=f"{sys.executable} -m whyfast why", help="what to ask")
    parser.add_argument("--markdown", action="store_true")
    parser.add_argument("--list", action="store_true", help="only print the pairs")
    args = parser.parse_args(argv)
    pairs = list(chosen(catalogue(FOLDER / f"{args.set}.toml"), args.names, args.kind))
    if args.list:
        print(_listed(pairs), end="")
        return 0
    done = {s.pair: s for s in _kept(args.results)}
    for pair in pairs:
        if pair.name in done:
            continue
        if pair.missing:
            print(f"{pair.name}: left out, without {', '.join(pair.missing)}", file=sys.stderr)
            continue
        done[pair.name] = asked(pair, shlex.split(args.command), args.seed, args.timeout)
        if args.results:
            with args.results.open("a", encoding="utf-8") as out:
                out.write(json.dumps(done[pair.name].to_json()) + "\n")
        print(table([done[pair.name]], False).splitlines()[1], file=sys.stderr, flush=True)
    scores = [done[pair.name] for pair in pairs if pair.name in done]
    print(table(scores, args.markdown))
    print(totals(scores), end="")
    return 0


def asked(pair: Pair, command: Sequence[str], seed: int, timeout: float) -> Score:
    """The pair built and asked about; what fails is a score, too."""
    with tempfile.TemporaryDirectory(prefix="why-") as folder:
        try:
            sides = built(pair, Path(folder), seed)
            given = _answered([*command, *sides], Path(folder), timeout)
        except (subprocess.SubprocessError, OSError, ValueError, KeyError) as error:
            given = Answer(trouble=_trouble(error))
        return score(pair, given)


def built(pair: Pair, folder: Path, seed: int) -> list[str]:
    """Builds both sides and returns their command lines, in an order drawn at random.

    Names of folders tell nothing of the sides: ``a`` is the one that is given first.
    """
    sides: list[Side] = ["fast", "slow"]
    random.Random(f"{seed} {pair.name}").shuffle(sides)
    sources = folder / "source"
    sources.mkdir()
    for name in pair.sources:
        shutil.copy(FOLDER / "programs" / name, sources / Path(name).name)
    commands = []
    for letter, side in zip("ab", sides, strict=True):
        own = folder / letter
        own.mkdir()
        program = str(own / "program")
        places = {
            "src": str(sources),
            "dir": str(own),
            "out": program,
            "program": program,
            "python": sys.executable,
        }
        if line := pair.build(side):
            subprocess.run(
                filled(line, places),
                shell=True,
                check=True,
                cwd=own,
                timeout=300,
                capture_output=True,
                text=True,
            )
        commands.append(filled(pair.run(side), places))
    return commands


def _answered(command: Sequence[str], folder: Path, timeout: float) -> Answer:
    """Runs ``whyfast why`` in a group of its own, so that a timeout ends its programs as well."""
    envelope = folder / "why.json"
    began = time.monotonic()
    with subprocess.Popen(
        [*command, "--json", str(envelope)],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        try:
            _, errors = process.communicate(timeout=timeout)
        except BaseException:
            os.killpg(process.pid, signal.SIGKILL)
            raise
    seconds = round(time.monotonic() - began, 1)
    if not envelope.exists():
        last = (errors.strip().splitlines() or ["nothing said"])[-1]
        return Answer(seconds=seconds, trouble=f"exit code {process.returncode}: {last}"[:120])
    return answer(json.loads(envelope.read_text(encoding="utf-8")), seconds)


def _trouble(error: Exception) -> str:
    if isinstance(error, subprocess.TimeoutExpired):
        return f"no answer within {error.timeout:.0f} s"
    if isinstance(error, subprocess.CalledProcessError):
        return f"not built: {(error.stderr or '').strip()[:100]}"
    return f"{type(error).__name__}: {error}"[:120]


def _kept(results: Path | None) -> list[Score]:
    if results is None or not results.exists():
        return []
    lines = results.read_text(encoding="utf-8").splitlines()
    return [Score.from_json(json.loads(line)) for line in lines]


def _listed(pairs: Sequence[Pair]) -> str:
    rows = []
    for pair in pairs:
        causes = " + ".join("/".join(keys) for keys in (pair.causes, pair.causes2) if keys)
        rows.append(f"{pair.name:<20} {pair.kind:<6} {causes or 'none':<40} {pair.where}".rstrip())
    return "\n".join(rows) + "\n"


if __name__ == "__main__":
    sys.exit(main())
