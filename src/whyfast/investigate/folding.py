"""The stage that keeps equal programs from being measured twice."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from whyfast.build.interchangeable import differing_files
from whyfast.investigate.work import Work
from whyfast.model.build import Build
from whyfast.model.differences import MAKING, differ_in
from whyfast.model.study import Study

#: What may differ between variants whose equal programs are run alike; not the interpreter.
_MAY_DIFFER = frozenset(MAKING) - {"python", "twin_of"}


def fold(work: Work[Study]) -> Work[Study]:
    """Let one variant stand for all whose builds are byte-identical and that are run alike.

    It is the first of them, a baseline or a side of the claim where there is one. Builds whose
    programs are equal while another file differs that these could read are measured each.
    """
    same: dict[str, str] = {}
    first: list[Build] = []
    for build in _by_weight(work):
        found = next((other for other in first if _run_alike(work, other, build)), None)
        if found is None:
            first.append(build)
        else:
            same[build.variant] = found.variant
    for name in dict.fromkeys(same.values()):
        names = [name, *(other for other, one in same.items() if one == name)]
        work.observer.note(f"{' = '.join(names)}: byte-identical, so {name} is measured for all")
    return replace(work, same=same)


def _by_weight(work: Work[Study]) -> Iterator[Build]:
    """The usable builds, those first that others are compared with."""
    study = work.question
    claim = (study.claim.variant, study.claim.baseline) if study.claim else ()
    order = [*study.baselines, *claim]
    rank = {name: i for i, name in reversed(list(enumerate(order)))}
    yield from sorted(work.usable, key=lambda b: rank.get(b.variant, len(order)))


def _run_alike(work: Work[Study], a: Build, b: Build) -> bool:
    variants = (work.question.variant(a.variant), work.question.variant(b.variant))
    if a.program_sha256 != b.program_sha256 or not differ_in(*variants) <= _MAY_DIFFER:
        return False
    if _root(a) != _root(b):  # with another C library
        return False
    differing = differing_files(a, b)
    if differing:
        more = f" and {len(differing) - 1} more" if len(differing) > 1 else ""
        work.observer.note(
            f"{a.variant} and {b.variant} have equal programs, but differ in {differing[0]}{more}; "
            "both are measured"
        )
    return not differing


def _root(build: Build) -> object:
    return build.provenance.get("toolchain", {}).get("root")
