"""A study that cannot be run here, and the one that it names to be run instead."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from whyfast.measure.bpf import why_no_bpf
from whyfast.model.errors import UserError
from whyfast.model.study import Study
from whyfast.study.load import load_study


def runnable(study: Study, why_not: Callable[[], str] = why_no_bpf) -> Study:
    """The study itself, or the one that it names in ``otherwise``, with ``stands_for`` saying why.

    UserError when it needs what this machine or user has not, and names no other.
    """
    if not study.measured or all(b.runner != "bpf" for b in study.benchmarks):
        return study
    reason = why_not()
    if not reason:
        return study
    if not study.otherwise:
        raise UserError(f"cannot be run: {reason}", where=study.folder / "study.toml")
    other = load_study(study.otherwise)
    said = f"{study.name} cannot be run here: {reason}"
    return replace(other, stands_for=said)
