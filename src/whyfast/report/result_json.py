"""A result as versioned JSON, and back."""

from __future__ import annotations

import csv
import io
import json
import math
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from whyfast import __version__
from whyfast.fleet.joining import OneResult
from whyfast.formats.input import WANTED, plausible, read_text
from whyfast.model.codec import Malformed, decode, encode
from whyfast.model.errors import UserError
from whyfast.model.result import MachineResult, Merged, Result
from whyfast.model.sample import Block
from whyfast.model.verdict import Outcome, Verdict
from whyfast.report.answer import answer_of
from whyfast.report.sections.distribution import Distribution, distributions
from whyfast.report.sections.over_machines import machine_sentences

#: Raised by one whenever a reader of the old form would misread the new one.
SCHEMA = "whyfast-result/2"

#: The most bytes of a file; parsed, they take some ten times as much memory.
_LIMIT = 1_000_000_000


def to_json(result: Result) -> dict[str, Any]:
    """The whole result as plain JSON, see docs/result-json.md; :func:`from_json` reads it back."""
    judged = encode(result.judged)
    for name, told in _TOLD.items():
        judged[name] = [told(item) for item in judged[name]]
    return {
        "schema": SCHEMA,
        "generator": {"name": "whyfast", "version": __version__},
        # What a person looks for comes first, the bulk of raw values last.
        "answer": encode(answer_of(result)),
        "question": encode(result.question),
        "judged": judged,
        "distributions": [_distribution_out(d) for d in distributions(result)],
        "found": encode(result.found),
        "recorded": encode(result.recorded),
    }


def from_json(data: Mapping[str, Any], *, where: str | Path | None = None) -> Result:
    """The result that :func:`to_json` wrote. ``where`` names the file in error messages."""
    if not isinstance(data, Mapping):
        raise UserError("a JSON object is wanted at the top", where=where)
    schema = data.get("schema")
    if schema is None:
        raise UserError(
            "is no result of whyfast, which has a schema; --json of run, ab or check writes one",
            where=where,
        )
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
    return dump_lines(to_json(result)) + "\n"


def load_result(path: Path) -> Result:
    """The result in that file."""
    return from_json(read_json(path), where=path)


def read_json(path: Path) -> Any:
    """What a JSON file holds. UserError naming the file where it cannot be read as JSON."""
    try:
        return json.loads(read_text(path, _LIMIT))
    except ValueError as error:
        raise UserError(f"is not JSON: {error}", where=path) from error
    except RecursionError:
        raise UserError("is not JSON of whyfast: nested too deeply", where=path) from None


def _result_in(data: dict[str, Any]) -> Result:
    judged = data.get("judged")
    if isinstance(judged, dict):
        restored = {
            name: [restore(item) for item in judged[name]]
            for name, restore in _RESTORED.items()
            if isinstance(judged.get(name), list)
        }
        data["judged"] = {**judged, **restored}
    result: Result = decode(Result, data)
    if not result.question.baselines:
        raise Malformed("question.baselines", "one or more are wanted")
    _check(result)
    return result


def _check(result: Result) -> None:
    """Malformed where parts of a result do not fit each other, which no type tells."""
    variants = {v.name for v in result.question.variants}

    def known(name: str, key: str) -> None:
        if name not in variants:
            raise Malformed(key, f"{name!r:.60} is no variant of the study")

    for i, name in enumerate(result.question.baselines):
        known(name, f"question.baselines[{i}]")
    for i, build in enumerate(result.recorded.builds):
        known(build.variant, f"recorded.builds[{i}].variant")
    for i, block in enumerate(result.recorded.blocks):
        _check_block(block, f"recorded.blocks[{i}]", variants)
    judged = result.judged
    verdicts: dict[str, Verdict] = {
        **{f"verdicts[{i}]": v for i, v in enumerate(judged.verdicts)},
        **{f"metrics[{i}]": v for i, v in enumerate(judged.metrics)},
        **{f"suites[{i}].verdict": s.verdict for i, s in enumerate(judged.suites)},
        **{f"placements[{i}].linked": p.linked for i, p in enumerate(judged.placements)},
        **{f"placements[{i}].varied": p.varied for i, p in enumerate(judged.placements)},
        **{f"interactions[{i}].verdict": x.verdict for i, x in enumerate(judged.interactions)},
    }
    for place, verdict in verdicts.items():
        known(verdict.variant, f"judged.{place}.variant")
        known(verdict.baseline, f"judged.{place}.baseline")
        ratios = {"ratio": verdict.ratio, **verdict.statistics}
        for name, ratio in ratios.items():
            if not (math.isnan(ratio) or plausible(ratio)):
                raise Malformed(f"judged.{place}.{name}", "a number above 0 is wanted")


def _check_block(block: Block, key: str, variants: set[str]) -> None:
    if block.loops < 1:
        raise Malformed(f"{key}.loops", f"1 or more is wanted, not {block.loops}")
    names = {"values": block.values, "order": {n for turn in block.order for n in turn}}
    for part, used in {**names, "start_order": block.start_order}.items():
        if strange := set(used) - (variants if part == "values" else set(block.values)):
            raise Malformed(f"{key}.{part}", f"{min(strange)!r:.60} is no variant of the block")
    for name, values in block.values.items():
        if len(values) != len(block.order):
            said = f"{len(values)} values do not go with {len(block.order)} turns in order"
            raise Malformed(f"{key}.values.{name}", said)
        if not all(map(plausible, values)):
            raise Malformed(f"{key}.values.{name}", f"{WANTED} in each turn")


def _verdict_out(verdict: dict[str, Any]) -> dict[str, Any]:
    """The word is called ``verdict``; an end that no block bounds yet, 0 or inf, is null."""
    out = {("verdict" if k == "outcome" else k): v for k, v in verdict.items()}
    return {**out, "low": verdict["low"] or None}


def _suite_out(suite: dict[str, Any]) -> dict[str, Any]:
    """A verdict like the others, whose benchmark is null, with the influences beside."""
    return {
        **_verdict_out(suite["verdict"]),
        "influence": suite["influence"],
        "carriers": suite["carriers"],
    }


def _distribution_out(d: Distribution) -> dict[str, Any]:
    """Follows from the verdicts and suites; readers that build a result compute it anew."""
    words: tuple[Outcome, ...] = ("faster", "slower", "same", "undecided")
    return {
        "variant": d.variant,
        "baseline": d.baseline,
        "benchmarks": len(d.verdicts),
        "best": {"benchmark": d.best.benchmark, "ratio": d.best.ratio, "verdict": d.best.outcome},
        "worst": {
            "benchmark": d.worst.benchmark,
            "ratio": d.worst.ratio,
            "verdict": d.worst.outcome,
        },
        "verdicts": {outcome: d.words.get(outcome, 0) for outcome in words},
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
        **({"added_high": math.inf} if data.get("added_high", 0) is None else {}),
        **{k: _verdict_in(data[k]) for k in ("linked", "varied") if k in data},
    }


def _interaction_out(interaction: dict[str, Any]) -> dict[str, Any]:
    return {**interaction, "verdict": _verdict_out(interaction["verdict"])}


def _interaction_in(data: Any) -> Any:
    if not isinstance(data, dict) or "verdict" not in data:
        return data
    return {**data, "verdict": _verdict_in(data["verdict"])}


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
    key = re.sub(r"^(judged\.suites\[\d+\])\.verdict\b", r"\1", key)
    return re.sub(r"^(judged\.(?:suites|verdicts|metrics)\[\d+\])\.outcome$", r"\1.verdict", key)


def _verdict_in(data: Any) -> Any:
    if not isinstance(data, dict):
        return data
    unbounded = {"ratio": math.nan, "low": 0.0, "high": math.inf}
    named = {("outcome" if k == "verdict" else k): v for k, v in data.items()}
    if isinstance(few := data.get("small_sample"), dict):
        named["small_sample"] = _bounded(
            few, {**unbounded, "normal_low": 0.0, "normal_high": math.inf}
        )
    return _bounded(named, unbounded)


def _bounded(data: dict[str, Any], unbounded: dict[str, float]) -> dict[str, Any]:
    """What null stands for where it stands."""
    return data | {k: v for k, v in unbounded.items() if k in data and data[k] is None}


def _suite_in(data: Any) -> Any:
    if not isinstance(data, dict):
        return data
    beside = {k: data[k] for k in ("influence", "carriers") if k in data}
    verdict = {k: v for k, v in data.items() if k not in beside}
    return {"verdict": _verdict_in(verdict), **beside}


#: Lists that hold verdicts, and how an item of each is written …
_TOLD = {
    "verdicts": _verdict_out,
    "metrics": _verdict_out,
    "suites": _suite_out,
    "placements": _placement_out,
    "interactions": _interaction_out,
}
#: … and read.
_RESTORED = {
    "verdicts": _verdict_in,
    "metrics": _verdict_in,
    "suites": _suite_in,
    "placements": _placement_in,
    "fixes": _fix_in,
    "interactions": _interaction_in,
}


def dump_lines(value: Any, depth: int = 0) -> str:
    """JSON with one line an entry down to the third level, compact below; with a ``depth`` below 0
    by as many levels further down."""
    if depth < 3 and isinstance(value, (dict, list)) and value:
        pad, end = " " * (depth + 1), " " * depth
        if isinstance(value, dict):
            items = [f"{_compact(k)}: {dump_lines(v, depth + 1)}" for k, v in value.items()]
            opening, closing = "{", "}"
        else:
            items = [_compact(item) for item in value]
            opening, closing = "[", "]"
        return opening + "\n" + ",\n".join(pad + item for item in items) + "\n" + end + closing
    return _compact(value)


def _compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


# ---- Results of several machines as versioned JSON, and back.

#: Raised by one whenever a reader of the old form would misread the new one.
MERGED_JSON_SCHEMA = "whyfast-merged/1"


def dump_merged(merged: Merged) -> str:
    """The JSON text: each machine's whole result, and what is said over all; docs/merge.md has the
    keys."""
    head = {
        "schema": MERGED_JSON_SCHEMA,
        "generator": {"name": "whyfast", "version": __version__},
        "answer": machine_sentences(merged),
        **encode(replace(merged, machines=())),
    }
    del head["machines"]
    # What a person looks for comes first, the bulk of raw values last.
    machines = ",\n".join(dump_lines(_machine(m), -1) for m in merged.machines)
    return f'{dump_lines(head)[:-2]},\n "machines": [\n{machines}\n ]\n}}\n'


def _machine(m: MachineResult) -> dict[str, Any]:
    return {
        "machine": encode(m.machine),
        "sources": list(m.sources),
        "notes": list(m.notes),
        "result": to_json(m.result),
    }


def results_in(data: Mapping[str, Any], *, where: str | Path) -> list[OneResult]:
    """The results in a file that :func:`dump_merged` wrote, to be merged anew: all else follows
    from them. UserError naming the key that is wrong."""
    if data.get("schema") != MERGED_JSON_SCHEMA:
        raise UserError(f"schema: {MERGED_JSON_SCHEMA!r} is wanted", where=where)
    try:
        machines = decode(tuple[Mapping[str, object], ...], data.get("machines"), "machines")
        found: list[OneResult] = []
        for i, one in enumerate(machines):
            sources = decode(tuple[str, ...], one.get("sources"), f"machines[{i}].sources")
            result = one.get("result")
            if not isinstance(result, Mapping):
                raise Malformed(f"machines[{i}].result", "an object is wanted")
            notes = decode(tuple[str, ...], one.get("notes"), f"machines[{i}].notes")
            own = from_json(result, where=f"{where}: machines[{i}].result")
            found.append(OneResult(", ".join(sources), own, notes))
    except Malformed as error:
        raise UserError(str(error), where=where) from None
    if not found:
        raise UserError("machines: one or more are wanted", where=where)
    return found


# ---- Every raw value of a result as CSV.


def values_csv(result: Result) -> str:
    """One line a value: benchmark, block, turn, variant, place in the turn, loops, seconds, and
    what the kernel accounted, where it did."""
    extra = sorted({k for b in result.recorded.blocks for per in b.extra.values() for k in per})
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["benchmark", "block", "turn", "variant", "place", "loops", "seconds", *extra])
    for b in result.recorded.blocks:
        for turn, order in enumerate(b.order):
            for place, variant in enumerate(order):
                per = b.extra.get(variant, {})
                writer.writerow(
                    [
                        b.benchmark,
                        b.index,
                        turn,
                        variant,
                        place,
                        b.loops,
                        repr(b.values[variant][turn]),
                        *(repr(per[k][turn]) if k in per else "" for k in extra),
                    ]
                )
    return out.getvalue()
