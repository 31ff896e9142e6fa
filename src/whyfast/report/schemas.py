"""What ``--json`` of each command writes: the types of the data of every kind of file, from which
the JSON Schemas in docs/schemas are made."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from whyfast.explain.program import CodeTotals
from whyfast.explain.source_lines import TouchedFunctions
from whyfast.history.findings import Coincidence
from whyfast.model.action import Action
from whyfast.model.code import CodeRow
from whyfast.model.counters import Counts, Heat, HotFunction, Overlap
from whyfast.model.evidence import DispatchFacts, Evidence, Trouble
from whyfast.model.history import Drift, Finding, Outlier, SeriesHistory, Shift
from whyfast.model.machine import MachineFinding, SettingChange
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
from whyfast.model.schema import Each, Either, Maybe, With, document_schema
from whyfast.model.study import Commands, Recordings, Study
from whyfast.model.survey import ShippedRow, SurveyedProgram
from whyfast.model.verdict import Confound, Outcome
from whyfast.report.answer import Answer
from whyfast.report.document import Document, ReportSection
from whyfast.report.pages.code_page import Comparison
from whyfast.search.results import SearchResult, SetResult

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
