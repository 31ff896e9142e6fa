"""What differs between a culprit and its parent, beside their time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from whyfast.explain.objects.elf import open_elf
from whyfast.explain.same_builds import same_builds
from whyfast.model.check import CodeComparison, Reach
from whyfast.model.errors import UserError
from whyfast.model.evidence import DispatchFacts


@dataclass(frozen=True)
class SectionSize:
    """A section of the program that differs, bytes in the parent and in the culprit."""

    name: str
    before: int
    after: int


@dataclass(frozen=True)
class StepEvidence:
    """Parent and culprit side by side.

    ``code``: which functions differ. ``reaches``: whether each benchmark executes them, empty where
    nothing could be run for it. ``dispatch``: of parent and culprit, where the study names the
    functions that dispatch. ``sections``: those whose size differs. ``files``: what the step
    changed in the source, a path each.
    """

    code: CodeComparison
    reaches: tuple[Reach, ...] = ()
    dispatch: tuple[DispatchFacts, DispatchFacts] | None = None
    sections: tuple[SectionSize, ...] = ()
    files: tuple[str, ...] = ()


def compared(
    parent: tuple[Path, Path], culprit: tuple[Path, Path], files: Sequence[str] = ()
) -> StepEvidence:
    """The programs compared; each is the folder that it was built in, and its path in there."""
    sizes = _sizes(parent[0] / parent[1]), _sizes(culprit[0] / culprit[1])
    return StepEvidence(
        same_builds(parent, culprit),
        sections=tuple(
            SectionSize(name, sizes[0].get(name, 0), sizes[1].get(name, 0))
            for name in dict.fromkeys((*sizes[0], *sizes[1]))
            if sizes[0].get(name, 0) != sizes[1].get(name, 0)
        ),
        files=tuple(files),
    )


def _sizes(program: Path) -> dict[str, int]:
    """Bytes of the sections that are loaded; nothing of what is no ELF file."""
    try:
        found = open_elf(program)
    except UserError:
        return {}
    sizes: dict[str, int] = {}
    for one in found.sections:
        if one.loaded:
            sizes[one.name] = sizes.get(one.name, 0) + one.size
    return sizes
