"""Does a benchmark get by without what has changed? It runs with a trap at the start of each such
function: it ends well only if it executes none of them.

Unlike under a simulator it runs at full speed, as long as for a value that is measured. Only
benchmarks with a harness are asked, which are one process that no trap leaves alive.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path

from whyfast.explain.functions import base_name
from whyfast.explain.objects.elf import open_elf
from whyfast.explain.program import load
from whyfast.explain.same_builds import machine_code
from whyfast.measure.count import CountingTask
from whyfast.measure.harnesses import HARNESSES, with_words
from whyfast.model.code import CodeComparison
from whyfast.model.errors import UserError
from whyfast.model.variant import Benchmark

#: ``int3`` of x86-64, whose programs alone are compared by functions.
_TRAP = 0xCC


def runs_without(
    benchmark: Benchmark,
    tasks: Sequence[CountingTask],
    programs: dict[str, Path],
    inner: Path,
    code: CodeComparison,
) -> bool:
    """Whether it runs to its end in all builds with traps in what has changed; False also where
    that cannot be tried.

    ``programs`` are by variant, ``inner`` is their path in their builds.
    """
    harness = HARNESSES.get(benchmark.runner)
    if harness is None or not code.traced or not code.reached:
        return False
    for task in tasks:
        program = programs[task.variant]
        folder = program.parents[len(inner.parts) - 1]
        if len(machine_code(folder, inner) or {}) != 1:
            return False  # a library may have functions of these names
        trapped = program.with_name(f"{program.name}.trapped")
        command = [str(trapped) if w == str(program) else w for w in task.run.command]
        try:
            _set_traps(program, trapped, code)
            with tempfile.TemporaryDirectory(dir=task.run.scratch) as results:
                env = dict(task.run.env)
                if harness.folder:
                    env[harness.folder] = harness.into.format(results)
                argv = [*task.run.enter, *with_words(tuple(command), harness)]
                done = task.run.launcher.run(argv, env=env, timeout=task.run.timeout)
        except (UserError, OSError):  # a timeout is one
            return False
        finally:
            trapped.unlink(missing_ok=True)
        if done.status != 0:
            return False
    return True


def _set_traps(program: Path, trapped: Path, code: CodeComparison) -> None:
    """A copy of the program in which no changed function can run. UserError without one of them."""
    changed = {base_name(f.name): f.kind for f in code.reached}
    elf = open_elf(program)
    blob = bytearray(elf.blob)
    found = set[str]()
    for function in load(program).functions:
        names = {base_name(name) for name in function.names} & changed.keys()
        for section in elf.sections:
            inside = section.address <= function.address < section.address + section.size
            if names and inside and section.executable:
                blob[section.offset + function.address - section.address] = _TRAP
                found |= names
    if missing := {n for n, kind in changed.items() if kind == "changed"} - found:
        raise UserError(f"has no function {min(missing)}", where=program)
    trapped.write_bytes(blob)
    shutil.copymode(program, trapped)
