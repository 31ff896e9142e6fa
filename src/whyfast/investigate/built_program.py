"""Programs by their files: those that whyfast built in a root run in it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from whyfast.model.errors import CannotBuildHere, UserError
from whyfast.store.builds import BuildStore
from whyfast.store.home import Home
from whyfast.toolchain.sandbox import Box, around_program


def entrances_of(
    files: Sequence[Path],
    home: Home,
    *,
    start: Path,
    readable: Sequence[Path] = (),
    writable: Sequence[Path] = (),
) -> tuple[tuple[str, ...], ...]:
    """For each program the words before its command, none where no program was built in a root.

    Where one was, the others are started in the same way, in the machine's own root. They begin
    in the folder ``start``, which they see, as they do ``readable`` and ``writable``. UserError
    when a root is gone or cannot be entered.
    """
    roots = [_root(file, home) for file in files]
    if not any(roots):
        return ((),) * len(files)
    found = []
    for file, root in zip(files, roots, strict=True):
        build = _folder(file, home)
        box = Box(
            root=root,
            writable=(*([build] if build else []), *writable),
            readable=(start, file.resolve().parent, *readable),
            network=True,
            start=start,
        )
        try:
            found.append(tuple(around_program(box, home.sandbox)))
        except CannotBuildHere as error:
            raise UserError(str(error), where=file) from error
    return tuple(found)


def _folder(file: Path, home: Home) -> Path | None:
    """The store's folder of the build that made the file."""
    builds, path = home.builds.resolve(), file.resolve()
    return builds / path.relative_to(builds).parts[0] if path.is_relative_to(builds) else None


def _root(file: Path, home: Home) -> Path | None:
    folder = _folder(file, home)
    build = BuildStore(home.builds).find(folder.name) if folder else None
    root = build.provenance["toolchain"].get("root") if build else None
    if build is None or root is None:
        return None
    if not (Path(root).parent / "digest").exists():
        raise UserError(
            "the Debian root that it was built in, and runs in, was removed; whyfast toolchain "
            f"install --from {build.digest[:12]}",
            where=file,
        )
    return Path(root)
