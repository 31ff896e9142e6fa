"""pyperf benchmarks, unmodified, taking turns value by value through a pyperf hook."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

from whyfast.measure.launch_arguments import LaunchArguments

#: More values than any block has; the worker leaves when its grants end.
_VALUES = 10**9

#: What makes a pyperf script a single process whose values take turns.
WORKER = ("--worker", "--loops=1", f"--values={_VALUES}", "--warmups=0", "--hook=whyfast")


def hook_folder() -> Path:
    """What has to be on the ``PYTHONPATH`` of the interpreter under study."""
    return Path(__file__).resolve().parent.parent / "turns" / "pyperf_hook"


def as_workers(arguments: LaunchArguments) -> LaunchArguments:
    """The same for pyperf scripts: the commands are an interpreter and a script each.

    The scripts run as pyperf workers: one process, no warm-ups or calibration of pyperf's own, the
    hook and ``packages`` within reach. Hash randomisation stays on, a new seed a process, as one
    more thing that each block draws anew.
    """
    path = [str(hook_folder())]
    if arguments.packages is not None:
        path.append(str(arguments.packages))
    if arguments.env.get("PYTHONPATH"):
        path.append(arguments.env["PYTHONPATH"])
    more = {"PYTHONPATH": os.pathsep.join(path), "PYTHONDONTWRITEBYTECODE": "1"}
    return replace(
        arguments,
        commands={v: (*argv, *WORKER) for v, argv in arguments.commands.items()},
        layouts={v: [(*argv, *WORKER) for argv in of] for v, of in arguments.layouts.items()},
        env={**arguments.env, **more},
    )
