"""What zstd packed, by whatever on this machine can unpack it.

Python has a module for it from 3.14 on; older ones may have a wheel, and the system a command.
"""

from __future__ import annotations

import importlib
import io
import shutil
import subprocess
from collections.abc import Callable
from typing import Any

#: What can unpack, the first that is there is taken; the last is a command.
READERS = ("compression.zstd", "zstandard", "pyzstd", "zstd")

_SECONDS = 120


class NoReader(Exception):
    """Nothing on this machine unpacks zstd."""


class Damaged(Exception):
    """What should be unpacked is damaged; the message says how."""


def unpacked(data: bytes) -> bytes:
    """The bytes of one or more frames. Raises NoReader, or Damaged."""
    for name in READERS[:-1]:
        try:
            module = importlib.import_module(name)
        except ImportError:
            continue
        return _by_module(module, data)
    program = shutil.which(READERS[-1])
    if program is None:
        raise NoReader
    try:
        done = subprocess.run(
            [program, "-d", "-q", "-c"], input=data, capture_output=True, timeout=_SECONDS
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise Damaged(str(error)) from None
    if done.returncode:
        raise Damaged(done.stderr.decode(errors="replace").strip() or "zstd failed")
    return done.stdout


def _by_module(module: Any, data: bytes) -> bytes:
    try:
        if hasattr(module, "decompress") and not hasattr(module, "ZstdDecompressionReader"):
            unpack: Callable[[bytes], bytes] = module.decompress
            return unpack(data)
        # The wheel `zstandard`: only its reader goes on behind the first frame.
        with module.ZstdDecompressor().stream_reader(
            io.BytesIO(data), read_across_frames=True
        ) as reader:
            return bytes(reader.read())
    except Exception as error:  # each module has an exception of its own
        raise Damaged(str(error)) from None
