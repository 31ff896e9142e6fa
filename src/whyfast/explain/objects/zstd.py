"""What zstd packed, by whatever on this machine can unpack it.

Python has a module for it from 3.14 on; older ones may have a wheel, and the system a command.
"""

from __future__ import annotations

import importlib
import io
import shutil
import subprocess
import tempfile
from typing import Any

#: What can unpack, the first that is there is taken; the last is a command.
READERS = ("compression.zstd", "zstandard", "pyzstd", "zstd")

#: So much of what the command complains of is kept.
_SAID = 1000


class NoReader(Exception):
    """Nothing on this machine unpacks zstd."""


class Damaged(Exception):
    """What should be unpacked is damaged; the message says how."""


class TooLarge(Exception):
    """It would unpack to more than is wanted."""


def unpacked(data: bytes, most: int) -> bytes:
    """The bytes of one or more frames, at most ``most`` of them.

    Raises NoReader, Damaged or TooLarge.
    """
    for name in READERS[:-1]:
        try:
            module = importlib.import_module(name)
        except ImportError:
            continue
        found = _by_module(module, data, most)
        break
    else:
        program = shutil.which(READERS[-1])
        if program is None:
            raise NoReader
        found = _by_command(program, data, most)
    if len(found) > most:
        raise TooLarge
    return found


def _by_module(module: Any, data: bytes, most: int) -> bytes:
    """One byte more than ``most``, if there are that many."""
    packed = io.BytesIO(data)
    try:
        if hasattr(module, "ZstdFile"):
            file = module.ZstdFile(packed)
        else:  # the wheel `zstandard`
            file = module.ZstdDecompressor().stream_reader(packed, read_across_frames=True)
        with file as reader:
            return bytes(reader.read(most + 1))
    except Exception as error:  # each module has an exception of its own
        raise Damaged(str(error)) from None


def _by_command(program: str, data: bytes, most: int) -> bytes:
    with tempfile.TemporaryFile() as packed, tempfile.TemporaryFile() as complaint:
        packed.write(data)
        packed.seek(0)
        started = subprocess.Popen(
            [program, "-d", "-q", "-c"], stdin=packed, stdout=subprocess.PIPE, stderr=complaint
        )
        with started:
            assert started.stdout is not None
            found = started.stdout.read(most + 1)
            if len(found) > most:
                started.kill()
                return found
        complaint.seek(0)
        said = complaint.read(_SAID).decode(errors="replace").strip()
    if started.returncode:
        raise Damaged(said or "zstd failed")
    return found
