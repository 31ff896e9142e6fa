"""Which compiler a variant has, before anything is built with it."""

from __future__ import annotations

from whyfast.build.recipe import packages_here
from whyfast.investigate.work import Work
from whyfast.model.errors import CannotBuildHere, UserError
from whyfast.model.study import Study
from whyfast.model.variant import Variant


def compiler_of(work: Work[Study], variant: Variant, where: str) -> str:
    """Its name and version, ``gcc 12.2.0``. UserError, about ``where``, when it cannot be had."""
    packages = packages_here(work.question.build, variant, work.home)
    try:
        note = work.observer.step
        return work.outside.toolchain(variant.toolchain, work.home, note, packages).version
    except CannotBuildHere as error:
        raise UserError(str(error), where=where) from error
