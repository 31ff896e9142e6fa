"""``python -m tests.fuzz READER --seconds 300``: feeds one reader spoiled inputs until time is up.

With Atheris (``pip install atheris``; in no lock file) inputs are chosen by what code they reach.
Without it, or with ``--blind``, they are seeds that were spoiled at random. Each new kind of
failure is printed once, with the smallest input that was seen, kept as ``--out``/READER-N."""

import argparse
import atexit
import contextlib
import importlib
import importlib.util
import os
import random
import resource
import sys
import time
import traceback
from pathlib import Path
from typing import Any

atheris: Any = importlib.import_module("atheris") if importlib.util.find_spec("atheris") else None


def watched() -> contextlib.AbstractContextManager[object]:
    """Modules of whyfast that are imported meanwhile say which of their code is reached."""
    return atheris.instrument_imports(include=["whyfast"]) if atheris else contextlib.nullcontext()


with watched():
    from tests.fuzz.readers import READERS, REFUSED, mutated

#: An input that takes longer (in CPU time of the process) counts as a finding.
SLOW = 10.0


class Fuzzer:
    """Reads inputs and keeps those that failed, one for each place in the code."""

    def __init__(self, name: str, seconds: float, out: Path) -> None:
        self._name, self._out = name, out
        self._read = READERS[name].read
        self._found: dict[str, int] = {}
        self._until, self._started = time.monotonic() + seconds, time.monotonic()
        self.executions = 0

    def one(self, data: bytes) -> None:
        """Read one input; ends the process when time is up."""
        if time.monotonic() > self._until:
            self.end()
        self.executions += 1
        before = time.process_time()
        try:
            self._read(data)
        except REFUSED:
            pass
        except Exception as error:
            last = traceback.extract_tb(error.__traceback__)[-1]
            ours = [f for f in traceback.extract_tb(error.__traceback__) if "whyfast" in f.filename]
            place = f"{type(error).__name__} {ours[-1].filename}:{ours[-1].lineno}" if ours else ""
            self._keep(
                place or f"{type(error).__name__} {last.filename}:{last.lineno}", data, error
            )
        if time.process_time() - before > SLOW:
            self._keep("slow", data, None)

    def end(self) -> None:
        """Say what was done, and leave: libFuzzer does not return."""
        spent = time.monotonic() - self._started
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000
        print(
            f"{self._name}: {self.executions} executions in {spent:.0f} s, peak {peak:.0f} MB, "
            f"{len(self._found)} kinds of failure",
            flush=True,
        )
        atexit._run_exitfuncs()
        os._exit(1 if self._found else 0)

    def _keep(self, place: str, data: bytes, error: Exception | None) -> None:
        known = self._found.get(place)
        if known is not None and known <= len(data):
            return
        if known is None:
            print(f"FOUND {place}: {repr(error)[:300]}", flush=True)
            traceback.print_exception(error)
        self._found[place] = len(data)
        number = list(self._found).index(place)
        (self._out / f"{self._name}-{number}").write_bytes(data)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("reader", choices=READERS)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--blind", action="store_true")
    parser.add_argument("--out", type=Path, default=Path("fuzz-found"))
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    with watched():  # most modules are imported by reading
        seeds = list(READERS[args.reader].seeds())
        for seed in seeds:
            with contextlib.suppress(*REFUSED):
                READERS[args.reader].read(seed)
    if args.blind or atheris is None:
        fuzzer = Fuzzer(args.reader, args.seconds, args.out)
        rng = random.Random(1)
        while True:
            fuzzer.one(mutated(rng.choice(seeds), rng))
    corpus = args.out / f"{args.reader}-corpus"
    corpus.mkdir(exist_ok=True)
    for number, seed in enumerate(seeds):
        (corpus / f"seed-{number}").write_bytes(seed)
    fuzzer = Fuzzer(args.reader, args.seconds, args.out)
    limits = [
        "-timeout=120",
        "-rss_limit_mb=4000",
        "-len_control=0",
        f"-max_len={4 * max(map(len, seeds))}",
    ]

    def mutate(data: bytes, most: int, seed: int) -> bytes:
        rng = random.Random(seed)
        made = mutated(data, rng) if rng.randrange(2) else b""
        return made if 0 < len(made) <= most else bytes(atheris.Mutate(data, most))

    atheris.Setup(
        [sys.argv[0], *limits, f"-artifact_prefix={args.out}/", str(corpus)],
        fuzzer.one,
        custom_mutator=mutate,
    )
    atheris.Fuzz()


if __name__ == "__main__":
    main()
