"""A subject of one file, and recipes to build it."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from pathlib import Path

from whyfast.build.recipe import Recipe, make_recipe, scan_source
from whyfast.build.run import build_all
from whyfast.model.build import Build, BuildFailure, BuildOutcome, Toolchain
from whyfast.model.study import BuildSpec, Source, Study
from whyfast.model.variant import Variant
from whyfast.store.builds import BuildStore

#: Carries its own name in debug information and in the text of the assertion.
PROGRAM = """\
#include <assert.h>
#include <stdio.h>
#ifndef TEXT
#define TEXT "plain"
#endif
int main(int argc, char **argv)
{
    (void)argv;
    assert(argc < 3);
    puts(TEXT);
    return 0;
}
"""

#: What compiles it, and what makes a program without any compiler.
COMPILE = ("{cc} {cflags} -o {program} {source}/main.c {ldflags}",)
COPY = ("cp {source}/main.c {program}",)


def write_source(folder: Path) -> Path:
    """The source folder of the subject, made when missing."""
    source = folder / "subject"
    source.mkdir(exist_ok=True)
    (source / "main.c").write_text(PROGRAM)
    return source


def toolchain(
    *,
    cc: tuple[str, ...] = ("cc",),
    digest: str = "t1",
    env: Mapping[str, str] | None = None,
    name: str = "path:cc",
) -> Toolchain:
    """A toolchain that nothing was probed for."""
    return Toolchain(name, "path", "cc 1.0", "x86_64-linux", digest, cc, frozenset(), env or {})


def gcc() -> Toolchain:
    """The machine's gcc."""
    path = shutil.which("gcc")
    assert path is not None
    return Toolchain("path:gcc", "path", "gcc", "native", "gcc", (path,), frozenset())


def study(
    source: Path,
    *,
    steps: tuple[str, ...] = COPY,
    program: str = "vm",
    env: Mapping[str, str] | None = None,
) -> Study:
    """A study of the subject; everything that does not concern building is left empty."""
    return Study(
        name="demo",
        title="demo",
        folder=source.parent,
        baselines=("base",),
        margin=0.01,
        source=Source("path", "subject", source),
        build=BuildSpec(steps, program, env or {}),
        variants=(),
        benchmarks=(),
    )


def recipe(
    source: Path,
    *,
    steps: tuple[str, ...] = COPY,
    program: str = "vm",
    env: Mapping[str, str] | None = None,
    variant: Variant | None = None,
    compiler: Toolchain | None = None,
) -> Recipe:
    """How to build the subject; by default its source is copied and called a program."""
    return make_recipe(
        study(source, steps=steps, program=program, env=env),
        variant or Variant("base", "path:cc"),
        compiler or toolchain(),
        scan_source(source),
    )


def silent(text: str) -> None:
    """Nobody listens."""


def built(made: Recipe, store: BuildStore, progress: Callable[[str], None] = silent) -> Build:
    """The build, which succeeds."""
    (build,) = build_all([made], store, progress)
    assert isinstance(build, Build), build
    return build


def failed(made: Recipe, store: BuildStore) -> BuildFailure:
    """Why the build fails."""
    (failure,) = build_all([made], store, silent)
    assert isinstance(failure, BuildFailure)
    return failure


def named(name: str, *cflags: str) -> Variant:
    """A variant with these flags."""
    return Variant(name, "path:cc", cflags=cflags)


def reasons(outcomes: list[BuildOutcome]) -> list[str | None]:
    """Why each failed; None for those that did not."""
    return [getattr(o, "reason", None) for o in outcomes]
