"""Keeps the coordinator from running what a worker has pickled.

Dask's messages may hold pickles, which it unpickles whatever deserializers a client names, and the
error of a task is always one. To unpickle is to run what the sender wants. The coordinator needs
one thing that way: that a result is ``bytes``, whose type Dask sends as a pickle.
"""

from __future__ import annotations

import io
import pickle
from collections.abc import Iterable
from typing import Any

import distributed.protocol.pickle as of_dask

_ALLOWED = frozenset({("builtins", "bytes"), ("builtins", "bytearray")})


class RefusedPickle(TypeError):
    """A pickle wants something to be imported. (Dask passes over a TypeError in an error.)"""


class _Unpickler(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        if (module, name) in _ALLOWED:
            return super().find_class(module, name)
        raise RefusedPickle(f"{module}.{name} in a message is not unpickled")


def plain_loads(data: bytes, *, buffers: Iterable[Any] = ()) -> Any:
    """What was pickled, where that needs nothing but ``bytes``. RefusedPickle for anything else."""
    return _Unpickler(io.BytesIO(data), buffers=buffers).load()


def refuse_pickles() -> None:
    """From now on, in this process."""
    of_dask.loads = plain_loads
