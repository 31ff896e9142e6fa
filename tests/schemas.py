"""The JSON Schemas (draft 2020-12) in docs/schemas: the types of the data that ``--json`` of each
command writes, and how types become schemas, as :mod:`whyfast.model.codec` writes them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import MISSING, dataclass, field, fields, is_dataclass
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin

from whyfast.cli.output import Action
from whyfast.explain.program import CodeTotals
from whyfast.explain.source_lines import TouchedFunctions
from whyfast.history.findings import Coincidence
from whyfast.model.build import MachineFinding, SettingChange
from whyfast.model.code import CodeRow
from whyfast.model.codec import VERSIONS, field_types
from whyfast.model.counters import Counts, Heat, HotFunction, Overlap
from whyfast.model.evidence import DispatchFacts, Evidence, ShippedRow, SurveyedProgram, Trouble
from whyfast.model.history import Drift, Finding, Outlier, SeriesHistory, Shift
from whyfast.model.result import (
    Found,
    Judged,
    Lacks,
    Machine,
    MachineDifference,
    NeededBlocks,
    Pooled,
    Recorded,
)
from whyfast.model.study import Commands, Recordings, Study
from whyfast.model.verdict import Confound, Outcome
from whyfast.report.answer import Answer
from whyfast.report.document import Document, ReportSection
from whyfast.report.pages.code_page import Comparison
from whyfast.search.results import SearchResult, SetResult

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


# What each kind of file holds.

_EXTREME = {"benchmark": str | None, "ratio": float, "outcome": Outcome}
_DISTRIBUTION = {
    "variant": str,
    "baseline": str,
    "benchmarks": int,
    "best": _EXTREME,
    "worst": _EXTREME,
    "outcomes": Mapping[str, int],
    "estimates": {"faster": int, "slower": int},
    "moved_by": [{"benchmark": str, "without": float}],
}
_RESULT = {
    "answer": Answer,
    "question": Study | Commands | Recordings,
    "judged": Judged,
    "distributions": [_DISTRIBUTION],
    "found": Found,
    "recorded": Recorded,
}
_MACHINE = {
    "machine": Machine,
    "sources": tuple[str, ...],
    "notes": tuple[str, ...],
    "result": _RESULT,
}
_CHECKED = {"outcome": Outcome, "ratio": float, "seconds": Mapping[str, float]}

#: Points are named, not numbered.
_FINDING = With(Finding, {"before": str, "at": str})
_SERIES = With(
    SeriesHistory,
    {
        "shifts": [With(Shift, {"before": str, "at": str})],
        "drifts": [With(Drift, {"start": str, "end": str})],
        "outliers": [With(Outlier, {"at": str})],
    },
)
_CANDIDATE = {"function": str, "dispatch": DispatchFacts, "interprets": bool, "why_not": str}
_CODE = {
    "a": str,
    "b": str,
    "functions": [{"name": str, "rows": tuple[CodeRow, ...]}],
    "others": int,
}
_PROGRAM = With(
    Evidence,
    {
        "totals": Maybe(CodeTotals),
        "candidates": Maybe([_CANDIDATE]),
        "handlers": Maybe(Either({"functions": str, "dispatch": DispatchFacts}, None)),
    },
)

#: The keys of ``data`` of each kind of file.
DOCUMENTS: Mapping[str, Mapping[str, Any] | With] = {
    "result": _RESULT,
    "merged": {
        "answer": tuple[str, ...],
        "question": Study | Commands,
        "differences": tuple[MachineDifference, ...],
        "pooled": tuple[Pooled, ...],
        "lacking": tuple[Lacks, ...],
        "confounds": tuple[Confound, ...],
        "needed": NeededBlocks,
        "machines": [_MACHINE],
    },
    "check": {
        "head": str,
        "base": str,
        "date": str,
        "same": bool,
        "benchmarks": Each(_CHECKED),
        "costs": Maybe(Each({"base": float | None, "head": float})),
    },
    "document": With(Document, {"sections": [With(ReportSection, {"blocks": [Any]})]}),
    "doctor": {
        "findings": tuple[MachineFinding, ...],
        "action": Literal["tune", "restore"] | None,
        "changes": tuple[SettingChange, ...],
        "message": str,
    },
    "explain": {
        "programs": Maybe([_PROGRAM]),
        "comparisons": Maybe(tuple[Comparison, ...]),
        "troubles": Maybe(tuple[Trouble, ...]),
        "unmatched": Maybe(tuple[str, ...]),
        "counts": Maybe(tuple[Counts, ...]),
        "hot": Maybe(tuple[HotFunction, ...]),
        "overlap": Maybe(tuple[Overlap, ...]),
        "touched": Maybe(With(TouchedFunctions, {"hot": tuple[str, ...]})),
        "code": Maybe([_CODE]),
        "profile": Maybe(Heat),
    },
    "history": {
        "headline": str,
        "false_steps": float,
        "by": str,
        "points": tuple[str, ...],
        "major": [_FINDING],
        "largest": [{"series": str, "name": str, "ratio": float, "others": int}],
        "findings": [_FINDING],
        "coincidences": [With(Coincidence, {"finding": _FINDING})],
        "search": tuple[str, ...],
        "machines": tuple[str, ...],
        "when": tuple[float | None, ...],
        "facts": Mapping[str, tuple[Mapping[str, str] | None, ...]],
        "suite": [_SERIES],
        "series": [_SERIES],
    },
    "search": With(SearchResult, {"headline": str}),
    "search-set": With(SetResult, {"headline": str}),
    "shipped": {"rows": tuple[ShippedRow, ...]},
    "survey": {"programs": tuple[SurveyedProgram, ...]},
    "actions": {"command": str, "actions": tuple[Action, ...], "notes": tuple[str, ...]},
}


def schema_of(name: str, *, closed: bool = False) -> dict[str, Any]:
    """The JSON Schema of the files of that name; ``closed``: without further keys."""
    return document_schema(name, DOCUMENTS[name], closed=closed)
