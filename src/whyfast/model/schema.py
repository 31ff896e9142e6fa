"""JSON Schema (draft 2020-12) of what :mod:`whyfast.model.codec` writes, from the same types."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import MISSING, dataclass, field, fields, is_dataclass
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin

from whyfast.model.codec import VERSIONS, field_types

_DRAFT = "https://json-schema.org/draft/2020-12/schema"
_PLAIN = {str: "string", bool: "boolean", int: "integer", NoneType: "null"}

#: The form of a number that is not finite.
_NOT_FINITE = {"enum": ["inf", "-inf", "nan"]}


@dataclass(frozen=True)
class Maybe:
    """The value of a key that may be missing."""

    kind: Any


@dataclass(frozen=True)
class With:
    """A dataclass with other or further keys, by name."""

    kind: type
    keys: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Each:
    """An object whose keys are names; ``kind`` is that of every value."""

    kind: Any


@dataclass(frozen=True)
class Either:
    """One of two kinds."""

    first: Any
    second: Any


def document_schema(
    name: str, data: Mapping[str, Any] | With, *, closed: bool = False
) -> dict[str, Any]:
    """The schema of the files called ``name``, with the type of their ``data``: keys with types, or
    :class:`With`. A list of one type is an array of it. A later whyfast may add keys under the same
    version; ``closed`` allows none."""
    found: dict[str, Any] = {}
    content = _schema(data, found, closed)
    generator = {"name": {"const": "whyfast"}, "version": {"type": "string"}}
    return {
        "$schema": _DRAFT,
        "title": f"whyfast-{name}/{VERSIONS[name]}",
        "type": "object",
        "properties": {
            "schema": {"const": f"whyfast-{name}/{VERSIONS[name]}"},
            "generator": {"type": "object", "properties": generator, "required": [*generator]},
            "data": content,
        },
        "required": ["schema", "generator", "data"],
        "$defs": dict(sorted(found.items())),
    }


@dataclass(frozen=True)
class _Key:
    kind: Any
    needed: bool = True


def _object(keys: Mapping[str, _Key], found: dict[str, Any], closed: bool) -> dict[str, Any]:
    kinds = {k: v.kind.kind if isinstance(v.kind, Maybe) else v.kind for k, v in keys.items()}
    needed = [k for k, v in keys.items() if v.needed and not isinstance(v.kind, Maybe)]
    return {
        "type": "object",
        "properties": {key: _schema(kind, found, closed) for key, kind in kinds.items()},
        **({"required": needed} if needed else {}),
        **({"additionalProperties": False} if closed else {}),
    }


def _schema(kind: Any, found: dict[str, Any], closed: bool) -> dict[str, Any]:
    """Of a type; dataclasses are put into ``found`` and referred to."""
    if isinstance(kind, With):
        return _object({**_keys(kind.kind), **_as_keys(kind.keys)}, found, closed)
    if isinstance(kind, Mapping):
        return _object(_as_keys(kind), found, closed)
    if isinstance(kind, Each):
        return {"type": "object", "additionalProperties": _schema(kind.kind, found, closed)}
    if isinstance(kind, Either):
        return {"anyOf": [_schema(one, found, closed) for one in (kind.first, kind.second)]}
    if isinstance(kind, list):
        return {"type": "array", "items": _schema(kind[0], found, closed)}
    if is_dataclass(kind) and isinstance(kind, type):
        if kind.__name__ not in found:
            found[kind.__name__] = {}  # it may contain itself
            about = " ".join((kind.__doc__ or "").split()).replace("``", "`")
            about = re.sub(r":\w+:(`)~?([^`]*`)", r"\1\2", about)
            found[kind.__name__] = {
                "description": about,
                **_object(_keys(kind), found, closed),
            }
        return {"$ref": f"#/$defs/{kind.__name__}"}
    origin, inner = get_origin(kind), get_args(kind)
    if origin is Literal:
        return {"enum": [*inner]}
    if origin in (Union, UnionType):
        return {"anyOf": [_schema(one, found, closed) for one in inner]}
    if origin is tuple and not (len(inner) == 2 and inner[1] is Ellipsis):
        parts = [_schema(one, found, closed) for one in inner]
        return {"type": "array", "prefixItems": parts, "minItems": len(parts), "items": False}
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return {"type": "object", "additionalProperties": _schema(inner[1], found, closed)}
    if isinstance(origin, type) and issubclass(origin, (Sequence, Set)):
        return {"type": "array", "items": _schema(inner[0], found, closed)}
    if kind is float:
        return {"anyOf": [{"type": "number"}, _NOT_FINITE]}
    if kind is Path:
        return {"type": "string"}
    kind = NoneType if kind is None else kind
    if kind in _PLAIN:
        return {"type": _PLAIN[kind]}
    if kind is Any or kind is object or origin is Callable:
        return {}
    raise TypeError(f"no schema of {kind!r}")


def _as_keys(keys: Mapping[str, Any]) -> dict[str, _Key]:
    return {name: _Key(kind) for name, kind in keys.items()}


def _keys(kind: type) -> dict[str, _Key]:
    """The fields that are written; readers need those without a default."""
    types = field_types(kind)
    return {
        f.name: _Key(types[f.name], f.default is MISSING and f.default_factory is MISSING)
        for f in fields(kind)
        if f.repr
    }
