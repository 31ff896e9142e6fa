"""Dataclasses to plain JSON data and back, driven by their type annotations."""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from numbers import Integral, Real
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints


class Malformed(Exception):
    """Data that does not fit; ``key`` is its place, such as ``verdicts[3].ratio``."""

    def __init__(self, key: str, message: str) -> None:
        self.key = key
        self.message = message
        super().__init__(f"{key}: {message}")


def encode(value: object) -> Any:
    """``value`` as dicts, lists, strings, numbers, booleans and None; a number that is not finite
    becomes None, as JSON has no word for it. Fields that a dataclass keeps out of its ``repr`` are
    secrets, and left out."""
    if value is None or isinstance(value, (str, bool)):
        return value
    if isinstance(value, Integral):
        return int(value)
    if isinstance(value, Real):
        return float(value) if math.isfinite(value) else None
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

    Keys that a dataclass does not have are passed over, so that a later whyfast may add some.
    """
    if kind is Any or kind is object:
        return data
    if is_dataclass(kind) and isinstance(kind, type):
        return _decode_dataclass(kind, data, key)
    origin, inner = get_origin(kind), get_args(kind)
    if origin is Literal:
        if data not in inner:
            words = ", ".join(repr(word) for word in inner)
            raise Malformed(key, f"one of {words} is wanted, not {data!r:.60}")
        return data
    if origin in (Union, UnionType):
        return _decode_union(inner, data, key)
    if origin in (tuple, frozenset):
        items = _decode_items(inner, _wanted(data, list, key), key)
        return origin(items)
    if origin is not None and issubclass(origin, Mapping):
        _, of = inner
        return {k: decode(of, v, f"{key}.{k}") for k, v in _wanted(data, dict, key).items()}
    if kind is float:
        if isinstance(data, bool) or not isinstance(data, (int, float)):
            raise Malformed(key, f"a number is wanted, not {_named(data)}")
        try:
            return float(data)
        except OverflowError:
            raise Malformed(key, "a number is wanted, not one so large") from None
    if kind is Path:
        return Path(_wanted(data, str, key))
    if kind is int and isinstance(data, bool):
        raise Malformed(key, "a whole number is wanted, not true or false")
    if kind is int and isinstance(data, int) and data.bit_length() > 64:
        raise Malformed(key, "a whole number is wanted, not one so large")
    return _wanted(data, kind, key)


@cache
def field_types(kind: type) -> dict[str, Any]:
    """The types of a dataclass's fields, evaluated once: that takes longer than all the rest. What
    its module imports for type checkers only, its ``late_types`` imports."""
    late = getattr(sys.modules[kind.__module__], "late_types", dict)
    return get_type_hints(kind, localns=late())


def _decode_dataclass(kind: type, data: Any, key: str) -> Any:
    _wanted(data, dict, key)
    hints = field_types(kind)
    values = {}
    for f in fields(kind):
        place = f"{key}.{f.name}" if key else f.name
        if f.name in data:
            values[f.name] = decode(hints[f.name], data[f.name], place)
        elif f.default is MISSING and f.default_factory is MISSING:
            raise Malformed(place, "is missing")
    return kind(**values)


def _decode_union(kinds: tuple[Any, ...], data: Any, key: str) -> Any:
    if data is None and NoneType in kinds:
        return None
    rest = [kind for kind in kinds if kind is not NoneType]
    if len(rest) == 1:
        return decode(rest[0], data, key)
    # Dataclasses that say which they are, by a Literal in the field ``kind``.
    said = {word: kind for kind in rest for word in get_args(field_types(kind)["kind"])}
    found = _wanted(data, dict, key).get("kind")
    if not isinstance(found, str) or found not in said:
        words = ", ".join(repr(word) for word in said)
        raise Malformed(
            f"{key}.kind" if key else "kind", f"one of {words} is wanted, not {found!r:.60}"
        )
    return decode(said[found], data, key)


def _decode_items(inner: tuple[Any, ...], data: list[Any], key: str) -> list[Any]:
    if len(inner) == 2 and inner[1] is not Ellipsis:
        if len(data) != 2:
            raise Malformed(key, f"two items are wanted, not {len(data)}")
        return [
            decode(of, item, f"{key}[{i}]")
            for i, (of, item) in enumerate(zip(inner, data, strict=True))
        ]
    if inner[0] in (float, str) and all(type(item) is inner[0] for item in data):
        return data  # most of all that there is: times
    return [decode(inner[0], item, f"{key}[{i}]") for i, item in enumerate(data)]


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


def _wanted(data: Any, kind: type, key: str) -> Any:
    if not isinstance(data, kind):
        raise Malformed(key, f"{_NAMES[kind]} is wanted, not {_named(data)}")
    return data
