"""A result as versioned JSON, and back."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from whyfast import __version__
from whyfast.model.build import Build, BuildFailure, BuildOutcome
from whyfast.model.errors import UserError
from whyfast.model.result import Result
from whyfast.model.verdict import Word
from whyfast.report.codec import Malformed, decode, encode
from whyfast.report.distribution import Distribution, distributions

#: Raised by one whenever a reader of the old form would misread the new one.
SCHEMA = "whyfast-result/1"


def to_json(result: Result) -> dict[str, Any]:
    """The whole result as plain JSON, see docs/result-json.md; :func:`from_json` reads it back."""
    data: dict[str, Any] = {
        "schema": SCHEMA,
        "generator": {"name": "whyfast", "version": __version__},
        **encode(result),
    }
    data["builds"] = [_build_out(build) for build in result.builds]
    data["verdicts"] = [_verdict_out(verdict) for verdict in data["verdicts"]]
    data["metrics"] = [_verdict_out(verdict) for verdict in data["metrics"]]
    data["placements"] = [_placement_out(p) for p in data["placements"]]
    data["suites"] = [_suite_out(suite) for suite in data["suites"]]
    data["distributions"] = [_distribution_out(d) for d in distributions(result)]
    # The parts a person looks for come first, the bulk of raw values last.
    data["blocks"] = data.pop("blocks")
    return data


def from_json(data: Mapping[str, Any], *, where: str | Path | None = None) -> Result:
    """The result that :func:`to_json` wrote. ``where`` names the file in error messages."""
    if not isinstance(data, Mapping):
        raise UserError("a JSON object is wanted at the top", where=where)
    schema = data.get("schema")
    if schema != SCHEMA:
        raise UserError(
            f"schema: {schema!r} cannot be read; this whyfast reads {SCHEMA!r}", where=where
        )
    try:
        return _result_in(dict(data))
    except Malformed as error:
        said = Malformed(_key_in_file(error.key), error.message)
        raise UserError(str(said), where=where) from error


def dump_result(result: Result) -> str:
    """The JSON text of a result: one line a verdict, build or block, so that two of them can
    be compared line by line."""
    return _dump(to_json(result), 0) + "\n"


def load_result(path: Path) -> Result:
    """The result in that file."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UserError(f"cannot be read: {error.strerror}", where=path) from error
    except ValueError as error:
        raise UserError(f"is not JSON: {error}", where=path) from error
    return from_json(data, where=path)


def _build_out(build: BuildOutcome) -> dict[str, Any]:
    data: dict[str, Any] = encode(build)
    return (
        {"status": "built", **data}
        if isinstance(build, Build)
        else {"status": data["kind"], **data}
    )


def _result_in(data: dict[str, Any]) -> Result:
    if "builds" not in data:
        raise Malformed("builds", "is missing")
    builds: list[object] = decode(list, data["builds"], "builds")
    made = tuple(_build_in(build, f"builds[{i}]") for i, build in enumerate(builds))
    data["builds"] = []
    for name, restore in _RESTORED.items():
        if isinstance(data.get(name), list):
            data[name] = [restore(item) for item in data[name]]
    result: Result = decode(Result, data)
    if not result.study.baselines:
        raise Malformed("study.baselines", "one or more are wanted")
    return replace(result, builds=made)


def _build_in(data: Any, key: str) -> BuildOutcome:
    status = data.get("status") if isinstance(data, dict) else None
    if status == "built":
        built: Build = decode(Build, data, key)
        return built
    if status in ("not-buildable", "failed"):
        failed: BuildFailure = decode(BuildFailure, data, key)
        return failed
    raise Malformed(f"{key}.status", "'built', 'not-buildable' or 'failed' is wanted")


def _verdict_out(verdict: dict[str, Any]) -> dict[str, Any]:
    """The word is called ``verdict``; an end that no block bounds yet, 0 or inf, is null."""
    out = {("verdict" if k == "word" else k): v for k, v in verdict.items()}
    return {**out, "low": verdict["low"] or None}


def _suite_out(suite: dict[str, Any]) -> dict[str, Any]:
    """A verdict like the others, whose benchmark is null, with the influences beside."""
    return {**_verdict_out(suite["verdict"]), "influence": suite["influence"]}


def _distribution_out(d: Distribution) -> dict[str, Any]:
    """Follows from the verdicts and suites; readers that build a result compute it anew."""
    words: tuple[Word, ...] = ("faster", "slower", "same", "undecided")
    return {
        "variant": d.variant,
        "baseline": d.baseline,
        "benchmarks": len(d.verdicts),
        "best": {"benchmark": d.best.benchmark, "ratio": d.best.ratio, "verdict": d.best.word},
        "worst": {"benchmark": d.worst.benchmark, "ratio": d.worst.ratio, "verdict": d.worst.word},
        "verdicts": {word: d.words.get(word, 0) for word in words},
        "estimates": {"faster": d.gained, "slower": d.lost},
        "moved_by": [{"benchmark": c.benchmark, "without": c.without} for c in d.carriers],
    }


def _placement_out(placement: dict[str, Any]) -> dict[str, Any]:
    return {**placement, **{k: _verdict_out(placement[k]) for k in ("linked", "varied")}}


def _placement_in(data: Any) -> Any:
    if not isinstance(data, dict):
        return data
    spread = {"spread": math.nan} if data.get("spread", 0) is None else {}
    return {
        **data,
        **spread,
        **{k: _verdict_in(data[k]) for k in ("linked", "varied") if k in data},
    }


def _fix_in(data: Any) -> Any:
    """Nothing measured is NaN in all four numbers; an end that nothing bounds is infinite."""
    if not isinstance(data, dict):
        return data
    absent = data.get("spread", 0) is None
    missing = {"spread": math.nan, "without": math.nan, "low": math.nan}
    missing["high"] = math.nan if absent else math.inf
    return data | {k: v for k, v in missing.items() if k in data and data[k] is None}


def _key_in_file(key: str) -> str:
    """A key of the model as the file calls it; see :func:`_verdict_out`, :func:`_suite_out`."""
    key = re.sub(r"^(suites\[\d+\])\.verdict\b", r"\1", key)
    return re.sub(r"^((?:suites|verdicts|metrics)\[\d+\])\.word$", r"\1.verdict", key)


def _verdict_in(data: Any) -> Any:
    if not isinstance(data, dict):
        return data
    unbounded = {"ratio": math.nan, "low": 0.0, "high": math.inf}
    named = {("word" if k == "verdict" else k): v for k, v in data.items()}
    return named | {k: v for k, v in unbounded.items() if k in data and data[k] is None}


def _suite_in(data: Any) -> Any:
    if not isinstance(data, dict):
        return data
    verdict = {k: v for k, v in data.items() if k != "influence"}
    influence = {"influence": data["influence"]} if "influence" in data else {}
    return {"verdict": _verdict_in(verdict), **influence}


#: Lists that hold verdicts, and how an item of each is read.
_RESTORED = {
    "verdicts": _verdict_in,
    "metrics": _verdict_in,
    "suites": _suite_in,
    "placements": _placement_in,
    "fixes": _fix_in,
}


def _dump(value: Any, depth: int) -> str:
    """JSON with one line an entry down to the second level, compact below."""
    if depth < 2 and isinstance(value, (dict, list)) and value:
        pad, end = " " * (depth + 1), " " * depth
        if isinstance(value, dict):
            items = [f"{_compact(k)}: {_dump(v, depth + 1)}" for k, v in value.items()]
            opening, closing = "{", "}"
        else:
            items = [_compact(item) for item in value]
            opening, closing = "[", "]"
        return opening + "\n" + ",\n".join(pad + item for item in items) + "\n" + end + closing
    return _compact(value)


def _compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)
