"""What passes between the coordinator and the process that holds Dask's client: a line of JSON,
then the bytes that it counts. Whoever reads believes nothing of it before it is checked."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import IO, Literal

from whyfast.fleet.messages import LARGEST
from whyfast.model.codec import Malformed, decode, encode

#: Characters of a line, and of a host's name.
_LINE, _NAME = 10_000, 200


@dataclass(frozen=True)
class PipeLine:
    """``number`` tells a task and its answer apart from others of that host; ``text`` is for the
    user; ``sizes`` are those of the bytes behind it."""

    kind: Literal["connected", "note", "joined", "gone", "task", "answered", "unanswered"]
    host: str = ""
    text: str = ""
    number: int = 0
    sizes: tuple[int, ...] = ()


def is_name(host: str) -> bool:
    """Whether a host may be called so, which its worker chooses."""
    return 0 < len(host) <= _NAME and host.isprintable()


def send(pipe: IO[bytes], line: PipeLine, *parts: bytes) -> None:
    """Raises OSError where nobody reads."""
    whole = {**encode(line), "text": line.text[:1000], "sizes": [len(part) for part in parts]}
    pipe.write(b"".join([json.dumps(whole).encode(), b"\n", *parts]))
    pipe.flush()


def receive(pipe: IO[bytes]) -> tuple[PipeLine, list[bytes]] | None:
    """None at the end. Malformed for anything else than :func:`send` writes."""
    text = pipe.readline(_LINE)
    if not text:
        return None
    try:
        line: PipeLine = decode(PipeLine, json.loads(text))
    except (ValueError, RecursionError) as error:
        raise Malformed("line", f"is not JSON: {error}") from error
    if line.host and not is_name(line.host):
        raise Malformed("host", f"not a host name: {line.host!r:.60}")
    if len(line.sizes) > 2 or any(not 0 <= size <= LARGEST for size in line.sizes):
        raise Malformed("sizes", f"expected at most two, of {LARGEST} bytes at most")
    parts = [pipe.read(size) for size in line.sizes]
    if [len(part) for part in parts] != list(line.sizes):
        return None  # it was killed
    return line, parts
