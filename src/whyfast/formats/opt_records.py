"""Records of a compiler's missed optimisations: GCC's ``-fsave-optimization-record``.

The file, gzipped JSON, is described in GCC's ``optinfo-emit-json.cc``: a list of metadata, the tree
of passes, and records. A record has a ``kind``, a ``location``, the ``function`` that was optimised
and a ``message`` of texts, expressions, statements and symbols; scopes have records in
``children``.
"""

from __future__ import annotations

import gzip
import json
import re
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class MissedOptimisation:
    """What was not done: ``symbols`` are the functions that it is about, first the one that was
    optimised; ``line`` is 0 where none is known."""

    symbols: tuple[str, ...]
    text: str
    file: str = ""
    line: int = 0


#: GCC numbers symbols in a unit (``scan/1``).
_NUMBER = re.compile(r"/\d+$")


def read_gcc_record(path: Path) -> list[MissedOptimisation]:
    """Those in a file ``*.opt-record.json.gz``; empty for what is no such file."""
    try:
        data = json.loads(gzip.decompress(path.read_bytes()))
        return list(_missed(data[2]))
    except (OSError, ValueError, EOFError, zlib.error, LookupError, TypeError, AttributeError):
        return []


def _missed(records: list[Mapping[str, Any]]) -> Iterator[MissedOptimisation]:
    for record in records:
        if record.get("kind") == "failure" and (missed := _of_record(record)).text:
            yield missed
        yield from _missed(record.get("children", []))


def _of_record(record: Mapping[str, Any]) -> MissedOptimisation:
    symbols = [str(record["function"])] if "function" in record else []
    parts = []
    for part in record.get("message", []):
        if isinstance(part, str):
            parts.append(part)
        elif "symtab_node" in part:
            name = _NUMBER.sub("", str(part["symtab_node"]))
            symbols.append(name)
            parts.append(name)
        else:
            parts.append(str(part.get("expr", part.get("stmt", ""))))
    location = record.get("location", {})
    lines = "".join(parts).strip().splitlines()
    return MissedOptimisation(
        tuple(dict.fromkeys(symbols)),
        lines[0].strip(" .;") if lines else "",
        Path(str(location.get("file", ""))).name,
        int(location.get("line", 0)),
    )
