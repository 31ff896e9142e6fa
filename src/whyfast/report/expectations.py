"""Variants whose program does not show what their name promises."""

from __future__ import annotations

from collections.abc import Mapping

from whyfast.model.evidence import DispatchFacts, Evidence
from whyfast.model.study import Study
from whyfast.report.names import shown

_STYLES = ("loop", "tail-call", "none")


def unmet_expectations(study: Study, evidence: Mapping[str, Evidence]) -> tuple[str, ...]:
    """One sentence for each ``expect`` entry that the evidence contradicts or cannot confirm.

    ``expect = {dispatch = …}`` may name a style (``loop``, ``tail-call``) or a form
    (``replicated``, ``merged``, ``partly merged``). A variant without evidence is passed over.
    """
    sentences = []
    for variant in study.variants:
        found = evidence.get(variant.name)
        if found is None:
            continue
        for key, wanted in variant.expect.items():
            said = _contradiction(key, wanted, found.dispatch)
            if said:
                sentences.append(f"{shown(variant.name)} is not what it should be: {said}.")
    return tuple(sentences)


def _contradiction(key: str, wanted: str, facts: DispatchFacts | None) -> str | None:
    if key != "dispatch":
        return f"`{key} = {wanted}` is expected, which the evidence cannot tell"
    if facts is None or facts.form == "unknown":
        return f"{wanted} dispatch is expected, but its dispatch could not be read"
    shows = facts.style if wanted in _STYLES else facts.form
    return None if shows == wanted else f"{wanted} dispatch is expected, its program has {shows}"
