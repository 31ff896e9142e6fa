"""Variants whose program does not show what their name promises."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from whyfast.model.evidence import Unmet
from whyfast.model.question import Question
from whyfast.report.names import listed, shown


def lost_baselines(study: Question, unmet: Sequence[Unmet]) -> tuple[list[str], list[str]]:
    """What cannot be answered because a baseline is not what it should be: what to say before
    anything else, as the main baseline is among them, and what to say in its place."""
    refuted = {u.variant: u for u in unmet if u.found is not None}
    lost = [b for b in study.baselines if b in refuted]
    if not lost:
        return [], []
    left = [b for b in study.baselines if b not in refuted]
    said = " and ".join(f"{shown(b)} ({contradiction(refuted[b])})" for b in lost)
    verb = "is" if len(lost) == 1 else "are"
    text = f"Nothing is compared with {said}, which {verb} not what the name says"
    if left:
        text += f"; what is left is compared with {listed([shown(b) for b in left])}."
    else:
        text += ": there is no baseline, and so no verdict."
    return ([text], []) if study.baselines[0] in refuted else ([], [text])


def without_lost(study: Question, unmet: Sequence[Unmet]) -> Question:
    """The study with the baselines that are what they should be, where any is."""
    refuted = {u.variant for u in unmet if u.found is not None}
    left = tuple(b for b in study.baselines if b not in refuted)
    return replace(study, baselines=left) if left else study


def unmet_sentences(study: Question, unmet: Sequence[Unmet]) -> tuple[str, ...]:
    """One sentence for each expectation that a program contradicts or that could not be checked."""
    sentences = []
    for one in unmet:
        name = shown(one.variant)
        if one.found is None:
            sentences.append(
                f"Whether {name} is what it should be could not be checked: {one.wanted} {one.key} "
                f"is expected, but {one.reason}."
            )
        elif one.variant not in study.baselines:
            sentences.append(
                f"{name} is not what it should be and is not compared: {one.wanted} {one.key} is "
                f"expected, its program has {one.found} ({one.reason})."
            )
    return tuple(sentences)


def contradiction(unmet: Unmet) -> str:
    """ "merged, not replicated": what the program has instead of what is expected."""
    return f"{unmet.key} {unmet.found}, not {unmet.wanted}"


def claim_untested(study: Question, unmet: Sequence[Unmet]) -> list[str]:
    """Why the study's claim is not tested, if one of its sides is not what it should be."""
    if study.claim is None:
        return []
    sides = (study.claim.variant, study.claim.baseline)
    wrong = [u for u in unmet if u.found is not None and u.variant in sides]
    if not wrong:
        return []
    variant, baseline = (shown(name) for name in sides)
    said = " and ".join(f"{shown(u.variant)} has {contradiction(u)}" for u in wrong)
    return [f"The claim that {variant} beats {baseline} is not tested: {said}."]
