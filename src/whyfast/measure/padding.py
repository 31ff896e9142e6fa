"""Padding of a process: its environment and the path of its program, longer by chance.

Both lie above the stack and move it, which alone can change the speed of a program (Mytkowicz et
al., ASPLOS 2009). The path is an argument too, of which programs keep copies, so its length moves
what lies on their heaps. It is what can be varied in programs that cannot be linked again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

#: The environment variable whose length is drawn at random.
PAD_VARIABLE = "WHYFAST_PAD"

#: What makes a path longer and leaves it the path of the same file.
_DOT = "/."
#: The path gets an even number of bytes, from 0 to 62.
_STEP, _LENGTHS = 64, 32


def padded(env: Mapping[str, str], pad: int) -> dict[str, str]:
    """``env`` with a variable of ``pad`` bytes added."""
    return {**env, PAD_VARIABLE: "x" * pad}


def padded_process(
    env: Mapping[str, str], argv: Sequence[str], program: int | None, pad: int
) -> tuple[dict[str, str], tuple[str, ...]]:
    """Environment and argument vector that are together ``pad`` bytes longer.

    ``program`` is the place in ``argv`` of the path that may be written longer (``/a/././b`` is
    ``/a/b``); None, or a word that is no absolute path, leaves all to the environment. The share of
    the path follows from the high bits of ``pad``, so that it tells nothing of where in a cache
    line or on a vector boundary the stack begins.
    """
    if program is None or not argv[program].startswith("/"):
        return padded(env, pad), tuple(argv)
    dots = pad // _STEP % _LENGTHS
    folder, _, name = argv[program].rpartition("/")
    longer = f"{folder}{_DOT * dots}/{name}"
    return (
        padded(env, pad - dots * len(_DOT)),
        (*argv[:program], longer, *argv[program + 1 :]),
    )
