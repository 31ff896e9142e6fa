"""The last stage: from what was recorded to the result."""

from __future__ import annotations

from whyfast.explain.calls import calls_left
from whyfast.explain.troubles import find_troubles
from whyfast.investigate.code_kept import kept_code
from whyfast.investigate.commits_touch import touched_code
from whyfast.investigate.work import Work
from whyfast.judge.expectations import refuted
from whyfast.judge.whole import judge_whole
from whyfast.model.result import Found, Recorded, Result
from whyfast.model.study import Study


def judge(work: Work[Study], recorded: Recorded) -> Result:
    """What was asked and recorded, what that says, and what explains it."""
    work.observer.phase("judge")
    judged = judge_whole(work.question, recorded, work.evidence)
    return Result(work.question, recorded, judged, _found(work))


def _found(work: Work[Study]) -> Found:
    study, evidence, unmet = work.question, work.evidence, work.unmet
    compared = {v.name for v in study.measured} - refuted(study, unmet)
    return Found(
        evidence=evidence,
        unmet=unmet,
        troubles=find_troubles(study, work.toolchains, evidence),
        calls=calls_left(
            study.evidence, [e for e in evidence if e.variant in compared] or evidence
        ),
        counted=work.counted,
        changed=touched_code(work),
        observed=work.observed,
        code=kept_code(work),
    )
