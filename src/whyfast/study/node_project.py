"""A package of Node: what stands in the way of a check, and what to run instead."""

from __future__ import annotations

import json
import re
from contextlib import suppress
from pathlib import Path

from whyfast.study.project import some_names, sources, text_of

#: Libraries whose benchmarks run for a fixed time: a process takes as long whatever it does.
_LIBRARIES = "tinybench", "mitata", "benchmark", "benny", "cronometro", "vitest"
#: Where benchmarks are, and the lock files with the command that installs what each pins.
_BENCHMARKS = ("bench*/**/*.*js", "perf*/**/*.*js", "*bench*.*js")
_LOCKS = {
    "package-lock.json": "npm ci",
    "npm-shrinkwrap.json": "npm ci",
    "yarn.lock": "yarn install --frozen-lockfile",
    "pnpm-lock.yaml": "pnpm install --frozen-lockfile",
}
_IMPORTED = re.compile(rf"""(?:from|require\(|import)\s*['"]({"|".join(_LIBRARIES)})['"]""")


def in_node(folder: Path) -> str:
    """Why there is no study of the package, with the commands that compare two revisions of it by
    the benchmark that it has."""
    files = [f for f in sources(folder, _BENCHMARKS) if "node_modules" not in f.parts]
    names = [str(f.relative_to(folder)) for f in dict.fromkeys(files)]
    libraries = {m for f in files for m in _IMPORTED.findall(text_of(f))}
    libraries |= {name for name in _LIBRARIES if name in _asked_for(folder)}
    message = "is a package of Node, of which `whyfast new` writes no study"
    if names:
        message += f"; its benchmarks are {some_names(names, 3)}"
    if libraries:
        by = ", by" if names else "; its benchmarks are by"
        message += (
            f"{by} {' and '.join(sorted(libraries))}, for a fixed time: copy what they time into a "
            "script with a fixed number of rounds"
        )
    lock = next((command for file, command in _LOCKS.items() if (folder / file).is_file()), "")
    install = lock or ("npm install" if _asked_for(folder) else "")
    steps = ["git worktree add ../base BASE"]
    if install and not (folder / "node_modules").is_dir():
        steps.append(install)
    if install:
        steps.append(f"(cd ../base && {install})")
    script = "SCRIPT.js" if libraries or not names else names[0]
    steps.append(f"whyfast ab 'node ../base/{script}' 'node {script}'")
    return f"{message}; compare two revisions by: {' && '.join(steps)}"


def _asked_for(folder: Path) -> set[str]:
    """The packages that it needs to run or to be developed."""
    asked: set[str] = set()
    with suppress(ValueError, RecursionError):
        data = json.loads(text_of(folder / "package.json"))
        if isinstance(data, dict):
            for kind in ("dependencies", "devDependencies"):
                table = data.get(kind)
                asked |= set(table) if isinstance(table, dict) else set()
    return asked
