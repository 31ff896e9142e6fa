"""Does whyfast find the cost that was put in, in the place where it is, and none other?

``python -m bench.costs``: six pairs of programs, each run as a study with counted costs and with
repeated builds. A pair has one thing that costs, of a known size.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from whyfast.investigate.services import Silent
from whyfast.investigate.study_run import run_study
from whyfast.judge.judge_run import cost_changes
from whyfast.model.cost import CostChange, GrowthReason
from whyfast.model.result import Result
from whyfast.report.sections.costs import cost_sentences
from whyfast.store.home import Home
from whyfast.study.load import load_study

STUDY = """\
[study]
title = "{name}"
baseline = ["plain"]
[source]
path = "src"
[build]
steps = ["{{cc}} {{cflags}} {flags} -o {{program}} {{source}}/{file} {{ldflags}}"]
program = "p"
[variant.plain]
toolchain = "path:{compiler}"
cflags = ["-O2", "-g"]
[variant.costly]
extends = "plain"
cflags.add = ["-DCOSTLY"]
[benchmarks.run]
command = ["{{program}}"]
[measure]
budget = "{budget}s"
[costs]
count = true
build = true
"""

WORK = """
__attribute__((noinline)) unsigned long work(unsigned long n)
{
    unsigned long s = 1;
    for (unsigned long i = 0; i < n; i++)
        s = s * 3 + (i ^ (s >> 7));
    return s;
}
"""
TABLE = """
#ifdef COSTLY
static const unsigned table[16384] = {[1] = 1, [16383] = 9};
#define LOOK(s) table[(s) & 16383]
#else
#define LOOK(s) ((unsigned)(s) & 1)
#endif
"""
TEMPLATE = """
#include <stdio.h>
template <int N> __attribute__((noinline, noclone)) long apply(long x)
{
    for (int i = 0; i < N; i++) x = x * (N + 3) ^ i;
    return x;
}
template <int N> struct Sum { static long of(long x) { return apply<N>(x) + Sum<N - 1>::of(x); } };
template <> struct Sum<0> { static long of(long x) { return x; } };
#ifdef COSTLY
enum { COUNT = 40 };
#else
enum { COUNT = 1 };
#endif
int main(int c, char **) { printf("%d\\n", Sum<COUNT>::of(c + 20) != 0); }
"""
CONSTEXPR = """
#include <stdio.h>
constexpr unsigned long sum(unsigned long n)
{
    unsigned long s = 0;
    for (unsigned long i = 0; i < n; i++) s = s * 3 + i;
    return s;
}
#ifdef COSTLY
constexpr unsigned long value = sum(400000);
#else
constexpr unsigned long value = sum(1);
#endif
int main() { printf("%d\\n", value != 7); }
"""


@dataclass(frozen=True)
class Pair:
    """``differ`` are the costs that the pair was made to differ in; ``holds`` says whether what was
    found is what was put in."""

    name: str
    source: str
    differ: tuple[str, ...]
    holds: Callable[[Result, dict[str, CostChange]], bool]
    cxx: bool = False
    flags: str = ""


def _more(change: CostChange) -> float:
    return (change.after or 0) - (change.before or 0)


def _grew(result: Result, of: str) -> dict[str, tuple[int, int]]:
    return {g.name: (g.more, g.number) for g in result.found.growth if g.of == of}


def _why(result: Result, name: str) -> GrowthReason | None:
    return next(g.why for g in result.found.growth if g.name == name)


PAIRS = (
    Pair(
        "a table of 64 KiB",
        f"#include <stdio.h>\n{WORK}{TABLE}"
        "int main(void)\n{\n    unsigned long s = work(1000000);\n"
        '    printf("%d\\n", LOOK(s) > 99 || s == 3);\n}\n',
        ("size", "rodata"),
        lambda r, c: (
            _grew(r, "data") == {"table": (65536, 1)}
            and 0 <= _more(c["rodata"]) - 65536 < 64
            and _why(r, "table") == GrowthReason("alone")
        ),
    ),
    Pair(
        "a loop unrolled 32 times",
        f'#include <stdio.h>\n#ifdef COSTLY\n#define UNROLL _Pragma("GCC unroll 32")\n#else\n'
        f"#define UNROLL\n#endif\n{WORK.replace('    for', '    UNROLL' + chr(10) + '    for')}"
        'int main(void) { printf("%d\\n", work(1000000) == 3); }',
        ("size", "code"),
        lambda r, c: (
            list(_grew(r, "function")) == ["work"]
            and _more(c["code"]) == _grew(r, "function")["work"][0]
            and _why(r, "work") == GrowthReason("unrolled")
        ),
    ),
    Pair(
        "an inlined function",
        f"#include <stdio.h>\n#ifdef COSTLY\n#define noinline always_inline, unused\n#endif\n"
        f"{WORK.replace('__attribute__', 'static inline __attribute__', 1)}\n#undef noinline\n"
        "__attribute__((noinline)) unsigned long twice(unsigned long n)\n"
        "{\n    return work(n) + 5 * work(n / 3) + 7 * work(n / 5) + 9 * work(n / 7);\n}\n"
        'int main(void) { printf("%d\\n", twice(1000000) == 3); }',
        ("size", "code"),
        lambda r, c: (
            _why(r, "twice") == GrowthReason("inlined", ("work",))
            and _why(r, "work") == GrowthReason("apart")
        ),
    ),
    Pair(
        "a leak of 1,000,000 bytes",
        f"#include <stdio.h>\n#include <stdlib.h>\n{WORK}"
        "int main(void)\n{\n    for (int i = 0; i < 1000; i++) {\n"
        "        char *p = malloc(1000); *(volatile char *)p = 1;\n#ifndef COSTLY\n"
        '        free(p);\n#endif\n    }\n    printf("%d\\n", work(1000000) == 3);\n}\n',
        ("left-over", "peak-heap"),
        lambda r, c: _more(c["left-over"]) == 1_000_000 and _more(c["allocations"]) == 0,
    ),
    Pair(
        "a template instantiated 40 times",
        TEMPLATE,
        ("size", "code"),
        lambda r, c: (
            _grew(r, "function").get("apply<…>", (0, 0))[1] == 40
            and _why(r, "apply<…>") == GrowthReason("copies", amount=39)
        ),
        cxx=True,
    ),
    Pair(
        "a slow constexpr",
        CONSTEXPR,
        ("build-time",),
        lambda r, c: c["build-time"].low > 1.5 and abs(_more(c["size"])) <= 64,
        cxx=True,
        flags="-std=c++20 -fconstexpr-ops-limit=1000000000 -fconstexpr-loop-limit=1000000000",
    ),
)


def measured(pair: Pair, folder: Path, budget: float) -> Result:
    """The result of the pair's study."""
    (folder / "src").mkdir(parents=True)
    file = "p.cc" if pair.cxx else "p.c"
    (folder / "src" / file).write_text(pair.source)
    text = STUDY.format(
        name=pair.name,
        file=file,
        compiler="g++" if pair.cxx else "gcc",
        flags=pair.flags,
        budget=budget,
    )
    (folder / "study.toml").write_text(text)
    home = Home(folder / "cache", folder / "data")
    return run_study(load_study(folder), home, Silent())


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="pairs with this in their names")
    parser.add_argument("--budget", type=float, default=30.0, help="seconds of measuring each")
    args = parser.parse_args()
    wrong, budget = 0, args.budget
    for pair in (p for p in PAIRS if args.only in p.name):
        with tempfile.TemporaryDirectory(prefix="whyfast-costs-") as folder:
            result = measured(pair, Path(folder), budget)
        changes = {c.key: c for c in cost_changes(result)}
        found = [k for k, c in changes.items() if c.outcome in ("more", "less")]
        missing = [k for k in pair.differ if k not in found]
        right = not missing and pair.holds(result, changes)
        wrong += not right
        print(f"{pair.name}: {'right' if right else 'WRONG'}", flush=True)
        for key in found:
            c = changes[key]
            values = "" if c.after is None else f", {c.before:,.0f} to {c.after:,.0f}"
            print(f"    {key}: {c.ratio:.4g}x [{c.low:.4g}, {c.high:.4g}]{values}")
        for text in cost_sentences(result):
            print(f"    {text}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
