"""pyperf benchmarks, unmodified, taking turns value by value through a pyperf hook."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from whyfast.measure.turns import TurnRunner

#: More values than any block has; the worker leaves when its grants end.
_VALUES = 10**9

#: What makes a pyperf script a single process whose values take turns.
WORKER = ("--worker", "--loops=1", f"--values={_VALUES}", "--warmups=0", "--hook=whyfast")


def hook_folder() -> Path:
    """What has to be on the ``PYTHONPATH`` of the interpreter under study."""
    return Path(__file__).resolve().parent.parent / "turns" / "pyperf_hook"


def pyperf_runner(
    commands: Mapping[str, tuple[str, ...]],
    *,
    env: Mapping[str, str],
    timeout: float,
    packages: Path | None = None,
    layouts: Mapping[str, Sequence[tuple[str, ...]]] | None = None,
    programs: Mapping[str, int] | None = None,
) -> TurnRunner:
    """A runner for pyperf scripts: ``commands`` are an interpreter and a script each; for
    ``layouts`` and ``programs`` see :class:`~whyfast.measure.turns.TurnRunner`.

    The scripts run as pyperf workers: one process, no warm-ups or calibration of pyperf's own.
    ``packages`` is a folder with pyperf for interpreters that have none installed. Hash
    randomisation stays on, a new seed a process, as one more thing that each block draws anew.
    """
    return TurnRunner(
        {variant: (*argv, *WORKER) for variant, argv in commands.items()},
        env=worker_environment(env, packages),
        timeout=timeout,
        layouts={v: [(*argv, *WORKER) for argv in argvs] for v, argvs in (layouts or {}).items()},
        programs=programs,
    )


def worker_environment(env: Mapping[str, str], packages: Path | None) -> dict[str, str]:
    """``env`` with the hook, and pyperf from ``packages`` where given, within reach."""
    path = [str(hook_folder())]
    if packages is not None:
        path.append(str(packages))
    if env.get("PYTHONPATH"):
        path.append(env["PYTHONPATH"])
    return {**env, "PYTHONPATH": os.pathsep.join(path), "PYTHONDONTWRITEBYTECODE": "1"}
