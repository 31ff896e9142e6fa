"""Results of several machines as versioned JSON, and back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from whyfast import __version__
from whyfast.fleet.joining import OneResult
from whyfast.model.codec import Malformed, decode, encode
from whyfast.model.errors import UserError
from whyfast.model.merged import MachineResult, Merged
from whyfast.report.result_json import dump_lines, from_json, to_json
from whyfast.report.topics.over_machines import machine_sentences

#: Raised by one whenever a reader of the old form would misread the new one.
SCHEMA = "whyfast-merged/1"


def dump_merged(merged: Merged) -> str:
    """The JSON text: each machine's whole result, and what is said over all; docs/merge.md has the
    keys."""
    head = {
        "schema": SCHEMA,
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
    if data.get("schema") != SCHEMA:
        raise UserError(f"schema: {SCHEMA!r} is wanted", where=where)
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
