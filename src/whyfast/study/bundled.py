"""The studies and subjects that come with whyfast."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from whyfast.model.errors import UserError

Kind = Literal["studies", "subjects"]

_PACKAGE = Path(__file__).resolve().parents[1]


@dataclass(frozen=True)
class BundledStudy:
    """A study to be run by name. ``title`` is empty when its file cannot be read."""

    name: str
    title: str
    folder: Path


def bundled_folder(kind: Kind) -> Path:
    """The folder of all bundled studies or subjects; UserError when there is none."""
    folder = _find(kind)
    if folder is None:
        raise UserError(f"this installation of whyfast comes without its {kind}")
    return folder


def bundled_names(kind: Kind) -> tuple[str, ...]:
    """The bundled studies or subjects, sorted; none when this installation comes without."""
    folder = _find(kind)
    if folder is None:
        return ()
    return tuple(
        sorted(
            path.name
            for path in folder.iterdir()
            if path.name[0] not in "._"
            and path.is_dir()
            and (kind == "subjects" or (path / "study.toml").is_file())
        )
    )


def bundled_studies() -> tuple[BundledStudy, ...]:
    """Every bundled study with its title."""
    names = bundled_names("studies")
    return tuple(_study(bundled_folder("studies") / name) for name in names)


def _study(folder: Path) -> BundledStudy:
    # Only the title is wanted: a mistake elsewhere in one study must not hide the others.
    try:
        title = tomllib.loads((folder / "study.toml").read_text("utf-8"))["study"]["title"]
    except (OSError, ValueError, LookupError, TypeError):
        title = ""
    return BundledStudy(folder.name, " ".join(str(title).split()), folder)


def _find(kind: Kind) -> Path | None:
    candidates = [_PACKAGE / "bundled" / kind]
    if _PACKAGE.parent.name == "src":  # a checkout, or installed from one with -e
        candidates.append(_PACKAGE.parents[1] / kind)
    return next((folder for folder in candidates if folder.is_dir()), None)
