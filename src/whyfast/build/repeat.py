"""Building again what is built already, to measure what that takes."""

from __future__ import annotations

import shutil
import uuid
from dataclasses import dataclass

from whyfast.build.recipe import Recipe
from whyfast.build.run import make_build
from whyfast.build.steps import Steps
from whyfast.model.build import BuildFailure
from whyfast.store.builds import BuildStore
from whyfast.store.home import Home


@dataclass(frozen=True)
class Rebuilt:
    """One build from scratch: ``seconds`` of all its steps, and the ``peak`` memory in bytes of the
    largest process among them; None where none was larger than this one, see
    :class:`whyfast.build.steps.Steps`."""

    seconds: float
    peak: float | None


def rebuild(recipe: Recipe, home: Home, jobs: int) -> Rebuilt | BuildFailure:
    """Make the build in a folder of its own, which is removed; the stored build stays as it is.

    Copying the source is not part of the time, linking is.
    """
    folder = home.cache / "rebuilt" / uuid.uuid4().hex
    store, steps = BuildStore(folder / "builds"), Steps()
    try:
        store.root.mkdir(parents=True)
        outcome = make_build(recipe, store, jobs, steps, lambda text: None)
        if isinstance(outcome, BuildFailure):
            return outcome
        return Rebuilt(steps.seconds, steps.peak or None)
    except BaseException:
        steps.cancel()
        raise
    finally:
        shutil.rmtree(folder, ignore_errors=True)
