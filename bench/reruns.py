"""Makes reruns of one build, as pyperf files, for ``bench/noise_calibration.py``.

    python bench/reruns.py FOLDER --sessions 12 --pause 60 [--python PYTHON]

A session runs every benchmark in ``--processes`` fresh processes of one Python, one after the
other; sessions are apart by ``--pause`` seconds, so that what drifts has time to.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from whyfast.formats.pyperf import write_recordings
from whyfast.model.sample import SECOND, Recording, Series

#: Statement by benchmark. Each takes some tens of microseconds.
BENCHMARKS = {
    "sort": "sorted(floats)",
    "sum_generator": "sum(x * x for x in range(500))",
    "list_of_lists": "[[i * j for j in range(20)] for i in range(20)]",
    "dict_lookup": "[table[k] for k in table]",
    "json_loads": "json.loads(document)",
    "json_dumps": "json.dumps(data)",
    "regex": "pattern.findall(document)",
    "pickle": "pickle.loads(pickle.dumps(data))",
    "sha256": "hashlib.sha256(encoded).digest()",
    "compress": "zlib.compress(encoded, 1)",
    "format": "''.join(f'{i:05d}-{i * 3.5:.2f}' for i in range(200))",
    "logistic": "functools.reduce(lambda x, _: 3.7 * x * (1 - x), range(500), 0.5)",
}

_WORKER = """
import functools, hashlib, json, pickle, random, re, sys, timeit, zlib
source = random.Random(1)
floats = [source.random() for _ in range(1000)]
table = {str(i): i for i in range(1000)}
data = [{"a": i, "b": str(i)} for i in range(100)]
document = json.dumps(data)
encoded = document.encode()
pattern = re.compile(r'"(\\w+)": (\\d+)')
timer = timeit.Timer(sys.argv[1], globals=globals())
loops, values = int(sys.argv[2]), int(sys.argv[3])
timer.timeit(loops)
print(json.dumps([timer.timeit(loops) / loops for _ in range(values)]))
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Write one file a session."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--sessions", type=int, default=12)
    parser.add_argument("--pause", type=float, default=60.0)
    parser.add_argument("--processes", type=int, default=6)
    parser.add_argument("--values", type=int, default=3)
    parser.add_argument("--loops", type=int, default=200)
    parser.add_argument("--python", default=sys.executable)
    args = parser.parse_args(argv)
    for number in range(1, args.sessions + 1):
        started = time.time()
        series = {}
        for name, statement in BENCHMARKS.items():
            processes = tuple(
                one_process(args.python, statement, args.loops, args.values)
                for _ in range(args.processes)
            )
            series[name] = Series(name, SECOND, processes)
        run = Recording(
            f"run{number:02d}", str(args.folder), "reruns", series, {}, started, time.time()
        )
        for path in write_recordings([run], args.folder):
            print(f"wrote {path}", flush=True)
        if number < args.sessions:
            time.sleep(args.pause)
    return 0


def one_process(python: str, statement: str, loops: int, values: int) -> tuple[float, ...]:
    """Seconds for one execution of the statement, several times, in a fresh process."""
    command = [python, "-c", _WORKER, statement, str(loops), str(values)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return tuple(json.loads(done.stdout))


if __name__ == "__main__":
    sys.exit(main())
