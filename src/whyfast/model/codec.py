"""Dataclasses to plain JSON data and back, driven by their type annotations; and the envelope of
all JSON that whyfast writes: ``{"schema": "whyfast-NAME/VERSION", "generator": …, "data": …}``.

Numbers that are not finite are the strings ``inf``, ``-inf`` and ``nan``. Names are those of the
dataclasses.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterable, Mapping
from dataclasses import MISSING, fields, is_dataclass
from functools import cache, partial
from itertools import repeat
from numbers import Integral, Real
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from whyfast import __version__
from whyfast.model.errors import UserError

#: The version of each kind of file, raised by one whenever a reader of the old form would misread
#: the new one.
VERSIONS = {
    "result": 3,
    "merged": 2,
    "check": 2,
    "document": 2,
    "doctor": 2,
    "explain": 2,
    "history": 2,
    "search": 3,
    "search-set": 2,
    "shipped": 1,
    "survey": 1,
    "actions": 1,
}


class Malformed(Exception):
    """Data that does not fit; ``key`` is its place, such as ``verdicts[3].ratio``."""

    def __init__(self, key: str, message: str) -> None:
        self.key = key
        self.message = message
        super().__init__(f"{key}: {message}")


def encode(value: object) -> Any:
    """``value`` as dicts, lists, strings, numbers, booleans and None; a number that is not finite
    becomes the string ``inf``, ``-inf`` or ``nan``, as JSON has no number for it. Fields that a
    dataclass keeps out of its ``repr`` are secrets, and left out."""
    if value is None or isinstance(value, (str, bool)):
        return value
    if isinstance(value, Integral):
        return int(value)
    if isinstance(value, Real):
        return float(value) if math.isfinite(value) else str(float(value))
    if is_dataclass(value) and not isinstance(value, type):
        return {f.name: encode(getattr(value, f.name)) for f in fields(value) if f.repr}
    if isinstance(value, Mapping):
        return {str(key): encode(item) for key, item in value.items()}
    if isinstance(value, (set, frozenset)):
        return sorted(encode(item) for item in value)
    if isinstance(value, (list, tuple)):
        if all(type(item) is str or type(item) is int for item in value):
            return list(value)
        return [encode(item) for item in value]
    return str(value)


def decode(kind: Any, data: Any, key: str = "") -> Any:
    """``data`` as a ``kind``: a dataclass, Literal, tuple, Mapping, Path, Optional or plain type.
    Keys that a dataclass does not have are passed over, so that a later whyfast may add some."""
    if kind is Any or kind is object:
        return data
    if is_dataclass(kind) and isinstance(kind, type):
        return _decode_dataclass(kind, data, key)
    origin, inner = get_origin(kind), get_args(kind)
    if origin is Literal:
        if data not in inner:
            words = ", ".join(repr(word) for word in inner)
            raise Malformed(key, f"expected one of {words}, not {data!r:.60}")
        return data
    if origin in (Union, UnionType):
        return _decode_union(inner, data, key)
    if origin in (tuple, frozenset):
        items = _decode_items(inner, _expect(data, list, key), key)
        return origin(items)
    if origin is not None and issubclass(origin, Mapping):
        _, item_kind = inner
        return {k: decode(item_kind, v, f"{key}.{k}") for k, v in _expect(data, dict, key).items()}
    if kind is float:
        if data in ("inf", "-inf", "nan"):
            return float(data)
        if isinstance(data, bool) or not isinstance(data, (int, float)):
            raise Malformed(key, f"expected a number, not {_named(data)}")
        try:
            return float(data)
        except OverflowError:
            raise Malformed(key, "the number is too large") from None
    if kind is Path:
        return Path(_expect(data, str, key))
    if kind is int and isinstance(data, bool):
        raise Malformed(key, "expected a whole number, not true or false")
    if kind is int and isinstance(data, int) and data.bit_length() > 64:
        raise Malformed(key, "the whole number is too large")
    return _expect(data, kind, key)


# The envelope.


def pack(name: str, data: object) -> dict[str, Any]:
    """``data`` in the envelope of the files called ``name``, see :data:`VERSIONS`."""
    return {
        "schema": f"whyfast-{name}/{VERSIONS[name]}",
        "generator": {"name": "whyfast", "version": __version__},
        "data": encode(data),
    }


def dump(name: str, data: object, levels: int | None = None) -> str:
    """The JSON text of :func:`pack`. ``levels``: one line for each entry down to that level, so
    that files can be compared line by line; None: one line for each value."""
    whole = pack(name, data)
    if levels is None:
        return json.dumps(whole, indent=1, ensure_ascii=False, allow_nan=False) + "\n"
    return _dump_lines(whole, levels) + "\n"


def _dump_lines(value: Any, levels: int, depth: int = 0) -> str:
    compact = partial(json.dumps, ensure_ascii=False, allow_nan=False)
    if depth == levels or not isinstance(value, (dict, list)) or not value:
        return compact(value)
    if isinstance(value, dict):
        items = [f"{compact(k)}: {_dump_lines(v, levels, depth + 1)}" for k, v in value.items()]
    else:
        items = [_dump_lines(item, levels, depth + 1) for item in value]
    opening, closing = "{}" if isinstance(value, dict) else "[]"
    lines = ",\n".join(" " * (depth + 1) + item for item in items)
    return f"{opening}\n{lines}\n{' ' * depth}{closing}"


def is_packed(document: object, name: str) -> bool:
    """Whether the schema of a JSON document is ``name``, in any version."""
    schema = document.get("schema") if isinstance(document, Mapping) else None
    return isinstance(schema, str) and schema.startswith(f"whyfast-{name}/")


def unpack(document: object, name: str, where: str | Path | None = None) -> dict[str, Any]:
    """The data of a JSON document of this version; UserError for anything else."""
    if not isinstance(document, Mapping):
        raise UserError(f"not a whyfast {name}: expected a JSON object at the top", where=where)
    schema, known = document.get("schema"), f"whyfast-{name}/{VERSIONS[name]}"
    if schema is None:
        raise UserError(f'not a whyfast {name}: no "schema" key', where=where)
    if schema != known:
        raise UserError(
            f"schema: {schema!r:.60} is not supported; this whyfast reads {known!r}", where=where
        )
    data = document.get("data")
    if not isinstance(data, dict):
        raise UserError(f"data: expected an object, not {_named(data)}", where=where)
    return data


@cache
def field_types(kind: type) -> dict[str, Any]:
    """The types of a dataclass's fields, evaluated once: that takes longer than all the rest. What
    its module imports for type checkers only, its ``late_types`` imports."""
    late = getattr(sys.modules[kind.__module__], "late_types", dict)
    return get_type_hints(kind, localns=late())


#: Names of fields in files of earlier versions.
_FORMER = {"control_of": "twin_of"}


def _decode_dataclass(kind: type, data: Any, key: str) -> Any:
    _expect(data, dict, key)
    hints = field_types(kind)
    values = {}
    for f in fields(kind):
        place = f"{key}.{f.name}" if key else f.name
        name = f.name if f.name in data else _FORMER.get(f.name)
        if name in data:
            values[f.name] = decode(hints[f.name], data[name], place)
        elif f.default is MISSING and f.default_factory is MISSING:
            raise Malformed(place, "is missing")
    return kind(**values)


def _decode_union(kinds: tuple[Any, ...], data: Any, key: str) -> Any:
    if data is None and NoneType in kinds:
        return None
    rest = [kind for kind in kinds if kind is not NoneType]
    if len(rest) == 1:
        return decode(rest[0], data, key)
    # Dataclasses that are distinguished by a Literal in the field ``kind``.
    kinds_by_name = {name: k for k in rest for name in get_args(field_types(k)["kind"])}
    name = _expect(data, dict, key).get("kind")
    if not isinstance(name, str) or name not in kinds_by_name:
        words = ", ".join(map(repr, kinds_by_name))
        raise Malformed(
            f"{key}.kind" if key else "kind", f"expected one of {words}, not {name!r:.60}"
        )
    return decode(kinds_by_name[name], data, key)


def _decode_items(inner: tuple[Any, ...], data: list[Any], key: str) -> list[Any]:
    kinds: Iterable[Any] = repeat(inner[0])
    if len(inner) == 2 and inner[1] is not Ellipsis:
        if len(data) != 2:
            raise Malformed(key, f"expected two items, not {len(data)}")
        kinds = inner
    elif inner[0] in (float, str) and all(type(item) is inner[0] for item in data):
        return data  # times, the bulk of a result
    places = (f"{key}[{i}]" for i in range(len(data)))
    return list(map(decode, kinds, data, places))


_NAMES = {
    dict: "an object",
    list: "a list",
    str: "a string",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    NoneType: "null",
}


def _named(data: Any) -> str:
    return _NAMES.get(type(data), type(data).__name__)


def _expect(data: Any, kind: type, key: str) -> Any:
    if not isinstance(data, kind):
        raise Malformed(key, f"expected {_NAMES[kind]}, not {_named(data)}")
    return data
