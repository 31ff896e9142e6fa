"""Which of two ways to call is the faster one in one interpreter? Claims about calls, checked.

    python -m bench.fastcall_pairs [--variant py3.9 py3.13] [--budget 6s]

Runs ``whyfast ab`` on pairs of benchmarks of ``subjects/callconv``, with the builds of the last
``whyfast run fastcall``. Prints a table in Markdown: a row a pair, a column an interpreter, and in
it what the second way is against the first, with its interval.
"""

from __future__ import annotations

import argparse
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

from bench.fastcall_builds import command_of
from whyfast.report.formatting import verdict as verdict_in_words
from whyfast.report.result_json import load_result

#: What differs, and the two benchmarks. The last four are those of python/cpython issue 151157.
PAIRS = (
    ("C method: tuple → array", "method-varargs-3", "method-fastcall-3"),
    ("keyword: dict → names", "method-varargs_keywords-key", "method-fastcall_keywords-key"),
    ("state: METH_METHOD → by its bases", "state-method-1", "state-fastcall_keywords-1"),
    ("object: tp_call → vectorcall", "object-tp_call-3", "object-vectorcall-3"),
    ("type: tp_init → vectorcall", "new-tp_init-1", "new-vectorcall-1"),
    ("from C: fresh tuple → cached", "call-fresh-python-1", "call-cached-python-1"),
    ("from C: fresh tuple → array", "call-fresh-python-1", "call-vectorcall-python-1"),
    ("from C: room for self", "call-vectorcall-bound-1", "call-vectorcall_offset-bound-1"),
    ("from C: format → objects", "call-format-python-1", "call-objargs-python-1"),
    ("bound → unbound: Python", "callmethod-bound_objargs-python-1", "callmethod-objargs-python-1"),
    ("dict.get", "callmethod-bound_objargs-dict_get-1", "callmethod-objargs-dict_get-1"),
    ("str.count", "callmethod-bound_objargs-str_count-1", "callmethod-objargs-str_count-1"),
    ("int.bit_length", "callmethod-bound_objargs-bit_length-0", "callmethod-objargs-bit_length-0"),
    ("tz.utcoffset", "callmethod-bound_objargs-utcoffset-1", "callmethod-objargs-utcoffset-1"),
)


def main() -> int:
    """Measures and prints; the exit status."""
    arguments = argparse.ArgumentParser(description="Pairs of ways to call, in one interpreter.")
    arguments.add_argument("--variant", nargs="+", default=["py3.9", "py3.11", "py3.13"])
    arguments.add_argument("--budget", default="6s", help="of a pair in an interpreter")
    wanted = arguments.parse_args()
    commands = [command_of(v) for v in wanted.variant]
    print(f"| what differs | benchmark | {' | '.join(wanted.variant)} |")
    print("| --- | --- |" + " --- |" * len(commands))
    for what, first, second in PAIRS:
        cells = [_compared(words, first, second, wanted.budget) for words in commands]
        print(f"| {what} | `{second}` | {' | '.join(cells)} |", flush=True)
    return 0


def _compared(words: list[str], first: str, second: str, budget: str) -> str:
    """The verdict, or the reason why there is none."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "result.json"
        both = [shlex.join([*words, name]) for name in (first, second)]
        options = ["--budget", budget, "-n", "first", "-n", "second", "--json", str(file)]
        run = [sys.executable, "-m", "whyfast", "ab", *options, *both]
        done = subprocess.run(run, capture_output=True, text=True, check=False)
        if not file.exists():
            return (done.stderr.strip().splitlines() or ["failed"])[-1]
        result = load_result(file)
    if missing := [*result.recorded.lacking, *result.recorded.failures]:
        return f"– {missing[0].reason}"
    return verdict_in_words(result.judged.verdicts[0], result.question.margin)


if __name__ == "__main__":
    sys.exit(main())
