"""Where built programs run: those of a toolchain with a root of its own, in that root."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from whyfast.investigate.prepare import Prepared, to_measure
from whyfast.measure.pyperf_runner import hook_folder
from whyfast.model.build import Build
from whyfast.model.errors import CannotBuildHere, UserError
from whyfast.model.study import Study
from whyfast.store.home import Home
from whyfast.toolchain.sandbox import Box, around_program


def exec_prefixes(
    study: Study,
    prepared: Prepared,
    home: Home,
    *,
    readable: Sequence[Path] = (),
    writable: Sequence[Path] = (),
) -> Mapping[str, tuple[str, ...]]:
    """For each built variant the words before its commands.

    Empty where no toolchain has a root. Where one has, the programs of the others are started in
    the same way, in the machine's own root, so that starting costs every variant the same.
    ``readable`` and ``writable`` are folders that are shown beside those of study and build.
    """
    # By digest: two roots may have a compiler of the same name, with other packages beside it.
    found = {t.digest: t.root for t in prepared.toolchains}
    programs = to_measure(study, prepared)
    roots = {b.variant: found[b.provenance["toolchain"]["digest"]] for b in programs}
    if not any(roots.values()):
        return dict.fromkeys(roots, ())
    packages = (prepared.packages.pyperf, prepared.packages.pyperformance)
    seen = (
        *readable,
        study.folder,
        study.source.folder,
        hook_folder(),
        *(p for p in packages if p is not None),
    )
    try:
        return {
            build.variant: tuple(
                around_program(
                    Box(
                        root=roots[build.variant],
                        writable=(_build_folder(build, home), *writable),
                        readable=seen,
                        network=True,
                    ),
                    home.sandbox,
                )
            )
            for build in programs
        }
    except CannotBuildHere as error:
        raise UserError(str(error), where=study.folder / "study.toml") from error


def _build_folder(build: Build, home: Home) -> Path:
    """The store's folder of the build, which holds its program and other layouts of it."""
    return home.builds / build.digest
