"""A result, of one machine or of several, as versioned JSON and back; and its values as CSV."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any, get_args

from whyfast.formats.input import WANTED, plausible, read_text
from whyfast.model.codec import Malformed, decode, dump, encode, is_packed, pack, unpack
from whyfast.model.errors import UserError
from whyfast.model.result import Merged, OneResult, Result
from whyfast.model.sample import Block
from whyfast.model.verdict import Outcome, Verdict
from whyfast.report.answer import answer_of
from whyfast.report.sections.distribution import Distribution, distributions
from whyfast.report.sections.over_machines import machine_sentences

#: The most bytes of a file; parsed, they take some ten times as much memory.
_LIMIT = 1_000_000_000


def to_json(result: Result) -> dict[str, Any]:
    """The whole result as plain JSON, see docs/result-json.md; :func:`from_json` reads it back."""
    return pack("result", _result_data(result))


def dump_result(result: Result) -> str:
    """The JSON text, with one line for each verdict, build and block."""
    return dump("result", _result_data(result), levels=4)


def _result_data(result: Result) -> dict[str, Any]:
    return {
        # What a person looks for comes first, the bulk of raw values last.
        "answer": encode(answer_of(result)),
        "question": encode(result.question),
        "judged": encode(result.judged),
        "distributions": [_distribution_data(d) for d in distributions(result)],
        "found": encode(result.found),
        "recorded": encode(result.recorded),
    }


def _distribution_data(d: Distribution) -> dict[str, Any]:
    """Follows from the verdicts and suites; readers of a result compute it anew."""
    best, worst = (
        {key: getattr(v, key) for key in ("benchmark", "ratio", "outcome")}
        for v in (d.best, d.worst)
    )
    return {
        "variant": d.variant,
        "baseline": d.baseline,
        "benchmarks": len(d.verdicts),
        "best": best,
        "worst": worst,
        "outcomes": {outcome: d.words.get(outcome, 0) for outcome in get_args(Outcome)},
        "estimates": {"faster": d.gained, "slower": d.lost},
        "moved_by": [{"benchmark": c.benchmark, "without": c.without} for c in d.carriers],
    }


def load_result(path: Path) -> Result:
    """The result in that file."""
    return from_json(read_json(path), where=path)


def read_json(path: Path) -> Any:
    """The data of a JSON file. UserError naming the file where it cannot be read as JSON."""
    try:
        return json.loads(read_text(path, _LIMIT))
    except ValueError as error:
        raise UserError(f"not JSON: {error}", where=path) from error
    except RecursionError:
        raise UserError("not JSON of whyfast: nested too deeply", where=path) from None


def from_json(document: object, *, where: str | Path | None = None) -> Result:
    """The result that :func:`to_json` wrote. ``where`` names the file in errors."""
    try:
        return _decode_result(unpack(document, "result", where))
    except Malformed as error:
        raise UserError(str(error), where=where) from error


def _decode_result(data: object, key: str = "") -> Result:
    result: Result = decode(Result, data, key)
    try:
        _check(result)
    except Malformed as error:
        raise Malformed(f"{key}.{error.key}".lstrip("."), error.message) from None
    return result


def _check(result: Result) -> None:
    """Malformed where parts of a result contradict each other, which no type shows."""
    if not result.question.baselines:
        raise Malformed("question.baselines", "expected one or more")
    variants = {v.name for v in result.question.variants}

    def known(name: str, key: str) -> None:
        if name not in variants:
            raise Malformed(key, f"{name!r:.60} is not a variant of the study")

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
            if not (math.isnan(ratio) or 0 < ratio < math.inf):
                raise Malformed(f"judged.{place}.{name}", "expected a number above 0")


def _check_block(block: Block, key: str, variants: set[str]) -> None:
    if block.loops < 1:
        raise Malformed(f"{key}.loops", f"expected 1 or more, not {block.loops}")
    names = {"values": block.values, "order": {n for turn in block.order for n in turn}}
    for part, used in {**names, "start_order": block.start_order}.items():
        if strange := set(used) - (variants if part == "values" else set(block.values)):
            raise Malformed(f"{key}.{part}", f"{min(strange)!r:.60} is not a variant of the block")
    for name, values in block.values.items():
        if len(values) != len(block.order):
            message = f"{len(values)} values for {len(block.order)} turns in order"
            raise Malformed(f"{key}.values.{name}", message)
        if not all(map(plausible, values)):
            raise Malformed(f"{key}.values.{name}", f"{WANTED} in each turn")


# Results of several machines.


def dump_merged(merged: Merged) -> str:
    """The JSON text: the whole result of each machine and their comparison, as
    docs/schemas/whyfast-merged-2.json describes it."""
    machines = [
        {f.name: encode(getattr(m, f.name)) for f in fields(m) if f.name != "result"}
        | {"result": _result_data(m.result)}
        for m in merged.machines
    ]
    rest = {f.name: getattr(merged, f.name) for f in fields(merged) if f.name != "machines"}
    data = {"answer": machine_sentences(merged), **rest, "machines": machines}
    return dump("merged", data, levels=7)


def is_merged(document: object) -> bool:
    """Whether a JSON document holds the results of several machines."""
    return is_packed(document, "merged")


def results_in(document: object, *, where: str | Path) -> list[OneResult]:
    """The results in a file that :func:`dump_merged` wrote, to be merged anew: all else follows
    from them. UserError naming the key that is wrong."""
    data = unpack(document, "merged", where)
    results: list[OneResult] = []
    try:
        machines = decode(tuple[Mapping[str, object], ...], data.get("machines"), "machines")
        for i, machine in enumerate(machines):
            key = f"machines[{i}]"
            sources, notes = (
                decode(tuple[str, ...], machine.get(name), f"{key}.{name}")
                for name in ("sources", "notes")
            )
            result = _decode_result(machine.get("result"), f"{key}.result")
            results.append(OneResult(", ".join(sources), result, notes))
    except Malformed as error:
        raise UserError(str(error), where=where) from None
    if not results:
        raise UserError("machines: expected one or more", where=where)
    return results


def values_csv(result: Result) -> str:
    """One line for each value: benchmark, block, turn, variant, place in the turn, loops, seconds,
    and the quantities that the kernel accounted for."""
    extra = sorted({k for b in result.recorded.blocks for per in b.extra.values() for k in per})
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["benchmark", "block", "turn", "variant", "place", "loops", "seconds", *extra])
    for b in result.recorded.blocks:
        for turn, order in enumerate(b.order):
            for place, variant in enumerate(order):
                per = b.extra.get(variant, {})
                further = (repr(per[k][turn]) if k in per else "" for k in extra)
                values = b.loops, repr(b.values[variant][turn]), *further
                writer.writerow([b.benchmark, b.index, turn, variant, place, *values])
    return out.getvalue()
