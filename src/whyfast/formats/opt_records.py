"""Records of a compiler's missed optimisations: ``-fsave-optimization-record`` of GCC and Clang,
what Go's compiler prints with ``-m=2``.

GCC's file is gzipped JSON (``optinfo-emit-json.cc``): metadata, passes, and records with ``kind``,
``location``, ``function`` and ``message``; scopes have records in ``children``. Clang's is YAML
(LLVM's *Remarks*): a document for each, a key a line; the values of ``Args`` make the message."""

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


_PLACE = re.compile(r"File: (?:'([^']*)'|([^,]*)), Line: (\d+)")
_PAIR = re.compile(r"^(  - )?(\w+): +(.*)$")


def read_clang_record(path: Path) -> list[MissedOptimisation]:
    """Those in a file ``*.opt.yaml``; empty for what is no such file."""
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return []
    return [m for d in text.split("--- !")[1:] if (m := _of_document(d)) is not None]


def _of_document(text: str) -> MissedOptimisation | None:
    """A missed optimisation, or why a loop is not vectorised, which is of another kind."""
    kind, *lines = text.splitlines()
    keys: dict[str, str] = {}
    message, symbols = "", list[str]()
    for line in lines:
        if (pair := _PAIR.match(line)) is None:
            continue
        in_arguments, key, value = pair[1], pair[2], _unquoted(pair[3])
        if not in_arguments:
            keys.setdefault(key, value)
            continue
        message += value
        if key in ("Callee", "Caller"):
            symbols.append(value)
    analysed = kind == "Analysis" and "not vectorized: " in message
    if not (kind == "Missed" or analysed) or keys.get("Name") == "MissedDetails":
        return None
    place = _PLACE.search(keys.get("DebugLoc", ""))
    return MissedOptimisation(
        tuple(dict.fromkeys(filter(None, (keys.get("Function", ""), *symbols)))),
        message.strip(" .;"),
        Path(place[1] or place[2]).name if place else "",
        int(place[3]) if place else 0,
    )


def _unquoted(value: str) -> str:
    if value[:1] == value[-1:] == "'" and len(value) > 1:
        return value[1:-1].replace("''", "'")
    return value.strip('"')


_GO = re.compile(r"^(\S*?\.go):(\d+):\d+: (cannot inline ([\w.()*\[\]]+): .*?)$", re.MULTILINE)


def read_go_record(text: str) -> list[MissedOptimisation]:
    """The functions that Go's compiler cannot inline, with its reason: ``cannot inline (*T).next:
    function too complex: cost 84 exceeds budget 80``. ``text`` is all that a build printed."""
    missed = (
        MissedOptimisation((name,), message.strip(), Path(file).name, int(line))
        for file, line, message, name in _GO.findall(text)
    )
    return list(dict.fromkeys(missed))
