"""A pyperf hook that lets the values of a benchmark take turns with those of other builds.

This folder is put on the ``PYTHONPATH`` of the interpreter under study, which then offers the hook
``whyfast`` to pyperf 2.6 or newer; nothing is installed. It imports the standard library only and
must run on every Python that pyperf supports.

pyperf enters the hook right before each value and leaves it right after. Here entering waits for a
grant of the turn protocol (docs/turn-protocol.md), and leaving answers with the seconds between."""

import os
import sys
import time
from typing import Any


class Hook:
    """The context manager that pyperf wraps around each value."""

    def __init__(self) -> None:
        numbers = os.environ.get("WHYFAST_TURN", "").split(",")
        if len(numbers) != 2:
            sys.exit("the whyfast hook is for whyfast run; WHYFAST_TURN is not set")
        self._grants = os.fdopen(int(numbers[0]), "r")
        self._answer = int(numbers[1])
        self._start = 0
        self._say("ready 1")

    def __enter__(self) -> "Hook":
        line = self._grants.readline()
        if not line:
            # All values are told already; pyperf's own summary is not wanted.
            os._exit(0)
        if not line.strip().isdigit() or int(line) < 1:
            self._say("error malformed grant")
            os._exit(2)
        _worker_task().loops = int(line)
        self._start = time.perf_counter_ns()
        return self

    def __exit__(self, kind: Any, error: Any, traceback: Any) -> None:
        elapsed = time.perf_counter_ns() - self._start
        if error is not None:
            self._say("error " + " ".join(f"{kind.__name__}: {error}".split()))
            os._exit(1)
        # Whole numbers: what it takes to print a float depends on the float.
        seconds, rest = divmod(elapsed, 10**9)
        self._say(f"{seconds}.{rest:09d}")

    def teardown(self, metadata: Any) -> None:
        """Called by pyperf after the last value."""

    def _say(self, line: str) -> None:
        os.write(self._answer, (line + "\n").encode())


def _worker_task() -> Any:
    """pyperf's task whose value comes next. pyperf hands its hooks no arguments, but the number of
    loops has to change from grant to grant while turns are calibrated. pyperf reads ``self.loops``
    of the task after entering the hooks."""
    frame: Any = sys._getframe(1)
    while frame is not None:
        task = frame.f_locals.get("self")
        if frame.f_code.co_name == "_compute_values" and hasattr(task, "loops"):
            return task
        frame = frame.f_back
    sys.exit("this version of pyperf is not known to whyfast's hook; 2.6 to 2.10 are")
