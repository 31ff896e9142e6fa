"""What Dask runs on a worker: the one function that the coordinator sends the name of."""

from __future__ import annotations

from collections.abc import Callable

#: The slot of a worker that every task takes.
SLOT = "bench"

#: What answers in this process; set when a worker starts.
_ANSWERS: list[Callable[[bytes, bytes], bytes]] = []


def answer_with(answers: Callable[[bytes, bytes], bytes]) -> None:
    """From now on tasks in this process are answered so."""
    _ANSWERS[:] = [answers]


def run_task(task: bytes, data: bytes) -> bytes:
    """Answer a task. RuntimeError in a process that is no whyfast worker."""
    if not _ANSWERS:
        raise RuntimeError("this Dask worker was not started by whyfast worker")
    return _ANSWERS[0](task, data)
