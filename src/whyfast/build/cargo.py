"""Builds by cargo, which go on from what the last build compiled of other packages.

Cargo compiles a package of a registry again when a flag or the path of its source differs
(``CARGO_LOG=cargo::core::compiler::fingerprint=info`` says which). So all builds have the same
flags, and where the sandbox has a ``/tmp`` of its own, the same CARGO_HOME in it: the name of the
build's folder is kept out of the program by a wrapper of rustc, of which cargo takes no notice, and
so is the version of the source's own packages: by a hash of it the compiler orders and divides the
code, so that of a release with the same code many functions would be others.
"""

from __future__ import annotations

import re
import shlex
import shutil
from collections.abc import Mapping, Sequence
from contextlib import suppress
from itertools import pairwise
from pathlib import Path

from whyfast.build.recipe import Recipe
from whyfast.store.builds import BuildStore, StoredBuild

#: The wrapper, beside the folder in which the steps run.
WRAPPER = "rustc"

#: CARGO_HOME where ``/tmp`` is empty at each step and only the step sees it.
_HOME = "/tmp/cargo"

#: Where the steps that ``whyfast new`` writes have cargo compile.
_TARGET = "target"

_NAME = re.compile(r'(?m)^\s*name\s*=\s*"([^"]+)"')


#: Two packages of one name may be in a program, but only one of them in the source; its library and
#: its program or test may have one name. ``printf`` fills in the folder of the build.
_SCRIPT = """\
#!/bin/sh
case $CARGO_MANIFEST_DIR in
"" | */registry/src/* | */git/checkouts/* | */vendor/*) ;;
*)
  kind=
  for a; do
    case $a in bin | lib | rlib | dylib | cdylib | staticlib | proc-macro | --test)
      kind=$kind-$a ;;
    esac
  done
  for a; do
    shift
    case $a in metadata=*) a=metadata=$CARGO_PKG_NAME$kind ;; esac
    set -- "$@" "$a"
  done ;;
esac
exec "$@" --remap-path-prefix=%s=/whyfast
"""


def write_wrapper(folder: Path) -> None:
    """The wrapper of the build in ``folder``; :func:`repeat_lines` has the same for people."""
    file = folder / WRAPPER
    file.write_text(_SCRIPT % (folder / "work"))
    file.chmod(0o755)


def environment(folder: Path, within: Sequence[str]) -> dict[str, str]:
    """The variables of a step by cargo, within those words of a sandbox."""
    private = ("--tmpfs", "/tmp") in pairwise(within)
    home = _HOME if private else str(folder / "work" / "cargo")
    return {"CARGO_HOME": home, "RUSTC_WRAPPER": str(folder / WRAPPER)}


def repeat_lines(env: Mapping[str, str]) -> list[str]:
    """Lines of a shell that do the same in the present folder; none for other builds."""
    if not env.get("RUSTC_WRAPPER", "").endswith(f"/{WRAPPER}"):
        return []
    return [
        f'printf {shlex.quote(_SCRIPT)} "$PWD" > {WRAPPER}; chmod +x {WRAPPER}',
        f'export CARGO_HOME="$PWD/cargo" RUSTC_WRAPPER="$PWD/{WRAPPER}"',
    ]


def set_aside(folder: Path) -> None:
    """Keep what an unfinished build in that folder compiled, for :func:`take_over`."""
    if (folder / "provenance.json").exists():  # complete, but its program was changed since
        return
    with suppress(OSError):  # there is none, or what was kept before stays
        (folder / "work" / _TARGET).rename(_aside(folder))


def _aside(folder: Path) -> Path:
    return folder.with_name(f"{folder.name}.{_TARGET}")


def take_over(recipe: Recipe, work: Path, store: BuildStore) -> None:
    """Move into ``work`` what an unfinished build of the same compiled; or else copy what the last
    build of the same packages compiled of others.

    Of the packages in the source nothing is taken: all files there have one date, by which cargo
    could not tell that they changed. Cargo decides what it can use of the rest.
    """
    with suppress(OSError):
        _aside(work.parent).rename(work / _TARGET)
        return
    own = _packages(work / "src")
    last = next((b for b in store.all() if _like(recipe, b, own)), None)
    if last is None:
        return
    names = {name.replace("-", "_") for name in own}

    def ignored(folder: str, entries: list[str]) -> list[str]:
        return [
            e
            for e in entries
            if e in ("incremental", "examples")
            or ".rcgu." in e  # objects, and what the compiler saves on the way to them
            or e.rpartition("-")[0].removeprefix("lib").replace("-", "_") in names
        ]

    shutil.copytree(last.folder / "work" / _TARGET, work / _TARGET, symlinks=True, ignore=ignored)


def _like(recipe: Recipe, build: StoredBuild, own: set[str]) -> bool:
    """Whether cargo can use of that build what it compiled."""
    work, inputs = build.folder / "work", build.provenance["inputs"]
    return (
        build.provenance["toolchain"].get("digest") == recipe.toolchain.digest
        and all(inputs.get(key) == recipe.inputs[key] for key in ("cflags", "env"))
        and (work / _TARGET).is_dir()
        and not own.isdisjoint(_packages(work / "src"))
    )


def _packages(source: Path) -> set[str]:
    """Names of packages, and of their targets, in the manifests of the source."""
    texts = (f.read_text(errors="replace") for f in source.rglob("Cargo.toml") if f.is_file())
    return {name for text in texts for name in _NAME.findall(text)}
