"""What zstd packed, by whatever on this machine can unpack it.

Python has a module for it from 3.14 on; older ones may have a wheel, and the system a command.
"""

from __future__ import annotations

import importlib
import shutil
import subprocess
import tempfile
from typing import IO, Any

#: What can unpack, the first that is there is taken; the last is a command.
READERS = ("compression.zstd", "zstandard", "pyzstd", "zstd")

#: So much of what the command complains of is kept.
_SAID = 1000
_AT_ONCE = 1 << 20


class NoReader(Exception):
    """Nothing on this machine unpacks zstd."""


class Damaged(Exception):
    """What should be unpacked is damaged; the message says how."""


class TooLarge(Exception):
    """It would unpack to more than is wanted."""


def unpack(packed: IO[bytes], to: IO[bytes], most: int) -> None:
    """Write the bytes of one or more frames to a file, at most ``most`` of them.

    Raises NoReader, Damaged or TooLarge.
    """
    for name in READERS[:-1]:
        try:
            module = importlib.import_module(name)
        except ImportError:
            continue
        return _by_module(module, packed, to, most)
    program = shutil.which(READERS[-1])
    if program is None:
        raise NoReader
    return _by_command(program, packed, to, most)


def _by_module(module: Any, packed: IO[bytes], to: IO[bytes], most: int) -> None:
    try:
        if hasattr(module, "ZstdFile"):
            file = module.ZstdFile(packed)
        else:  # the wheel `zstandard`
            file = module.ZstdDecompressor().stream_reader(packed, read_across_frames=True)
        with file as reader:
            _copy(reader, to, most)
    except TooLarge:
        raise
    except Exception as error:  # each module has an exception of its own
        raise Damaged(str(error)) from None


def _by_command(program: str, packed: IO[bytes], to: IO[bytes], most: int) -> None:
    with tempfile.TemporaryFile() as complaint:
        started = subprocess.Popen(
            [program, "-d", "-q", "-c"], stdin=packed, stdout=subprocess.PIPE, stderr=complaint
        )
        with started:
            assert started.stdout is not None
            try:
                _copy(started.stdout, to, most)
            except TooLarge:
                started.kill()
                raise
        complaint.seek(0)
        said = complaint.read(_SAID).decode(errors="replace").strip()
    if started.returncode:
        raise Damaged(said or "zstd failed")


def _copy(packed: Any, to: IO[bytes], most: int) -> None:
    while piece := packed.read(_AT_ONCE):
        most -= len(piece)
        if most < 0:
            raise TooLarge
        to.write(piece)
