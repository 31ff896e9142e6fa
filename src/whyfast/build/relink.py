"""A finished build linked again in other layouts, kept beside it in the store."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from whyfast.build.enclose import enclose
from whyfast.build.layout import make_layouts
from whyfast.build.recipe import Recipe, expand_link
from whyfast.build.run import Steps, scratch_of
from whyfast.model.build import Build
from whyfast.store.builds import BuildStore
from whyfast.store.lock import exclusive


def relink(recipe: Recipe, build: Build, store: BuildStore, seeds: Sequence[int]) -> list[Path]:
    """The programs of the layouts ``seeds`` of a build, made where they are missing.

    Raises :class:`~whyfast.build.layout.CannotRelink`. What the linker prints is added to the
    build's log.
    """
    folder = store.folder(build.digest)
    work = folder / "work"
    env = {**recipe.env, "HOME": str(work), "TMPDIR": str(folder)}
    steps = Steps()
    within, _ = enclose(recipe, folder, scratch_of(store))
    with exclusive(store.lock(build.digest)), (folder / "log.txt").open("ab") as log:

        def run_step(step: str) -> int:
            log.write(f"+ {step}\n".encode())
            log.flush()
            return steps.run(step, work, env, log.fileno(), within)

        return make_layouts(
            work,
            lambda layout, program: expand_link(recipe, work, layout, program),
            run_step,
            recipe.program,
            seeds,
        )
