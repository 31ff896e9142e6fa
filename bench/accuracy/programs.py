"""Programs with known answers, built with the system's compiler.

``spin`` takes turns; ``whole`` does the same work for a fixed number of loops and ends, for tools
that measure whole runs. Both take the work of one loop as an argument, so that a slow-down of 1 %
is exactly 1 % more iterations of the same loop.
"""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from pathlib import Path

from whyfast.build.pieces import find_pieces
from whyfast.build.recipe import include_folder
from whyfast.build.relink import draw_layout

#: Iterations in one loop of the baseline, some 25 µs; slow-downs are exact to 1 / 10,000.
STEPS = 10_000

#: Loops of one whole run: some 20 ms, of which starting the process is about 1 ms.
WHOLE_LOOPS = 800

_WORK = """
#include <stdint.h>
#include <stdlib.h>
static uint32_t table[2048];
static volatile unsigned steps;
static volatile uint64_t sink; /* or the compiler removes the work */
static uint64_t run(void *state, uint64_t loops)
{
    uint64_t sum = 1;
    (void)state;
    for (uint64_t loop = 0; loop < loops; loop++) {
        sum = 1;
        for (unsigned i = 0, end = steps; i < end; i++)
            sum = sum * 6364136223846793005u + table[(sum >> 40) & 2047];
        sink = sum;
    }
    return 1;
}
static void set_up(int argc, char **argv)
{
    steps = argc > 1 ? (unsigned)atoi(argv[1]) : 20000;
    for (unsigned i = 0; i < 2048; i++)
        table[i] = i * 2654435761u;
}
"""
_SPIN = """
#include "whyfast_turn.h"
int main(int argc, char **argv) { set_up(argc, argv); return whyfast_turns(run, 0); }
"""
_WHOLE = """
int main(int argc, char **argv)
{ set_up(argc, argv); return run(0, argc > 2 ? (uint64_t)atol(argv[2]) : 1) != 1; }
"""


@dataclass(frozen=True)
class Programs:
    """Paths; ``moved`` is ``spin`` linked in another layout."""

    spin: Path
    moved: Path
    whole: Path


def build(folder: Path) -> Programs:
    """Compile and link everything into ``folder``."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, main in (("spin", _SPIN), ("whole", _WHOLE)):
        source = folder / f"{name}.c"
        source.write_text(_WORK + main)
        _run("gcc", "-O2", "-ffunction-sections", f"-I{include_folder()}", "-c", source, folder)
        _run("gcc", "-o", name, f"{name}.o", folder)
    script = folder / "moved.ld"
    script.write_text(draw_layout(find_pieces(folder), 1).script)
    _run("gcc", "-o", "moved", "spin.o", "-Wl,-T,moved.ld", folder)
    return Programs(folder / "spin", folder / "moved", folder / "whole")


def _run(*words: str | Path) -> None:
    *command, folder = words
    subprocess.run([str(w) for w in command], cwd=folder, check=True)
