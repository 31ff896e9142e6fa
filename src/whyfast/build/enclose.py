"""What a build step is run in: the root of its toolchain, shut off from the rest of the machine."""

from __future__ import annotations

from pathlib import Path

from whyfast.build.recipe import Recipe
from whyfast.toolchain.sandbox import Box, around_steps, surroundings


def enclose(recipe: Recipe, folder: Path, scratch: Path) -> tuple[list[str], str]:
    """The words before ``sh -euc STEP``, and the sandbox in words, for the provenance.

    ``folder`` is all that the step may write; it starts in its ``work``. ``scratch`` is a folder
    for small files that stay.
    CannotBuildHere when the toolchain has a root that cannot be entered here.
    """
    toolchain = recipe.toolchain
    readable = toolchain.readable
    if toolchain.root is None:
        readable += surroundings(toolchain.cc[0], recipe.env)
    box = Box(toolchain.root, (*toolchain.writable, folder), readable, start=folder / "work")
    return around_steps(box, scratch)
