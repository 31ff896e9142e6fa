"""Which file a user means by WHERE: a folder, a file, or the name of a bundled study."""

from __future__ import annotations

import contextlib
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from whyfast.model.errors import UserError
from whyfast.study.notation import quoted
from whyfast.study.toml_table import TomlTable, nearest, suggestion

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


FILE = "study.toml"
#: The study of a whole repository, at its root: its source is the folder that it lies in.
ROOT_FILE = "whyfast.toml"


def find_study(where: str | Path) -> Path:
    """The study file; in a folder ``study.toml``, or else ``whyfast.toml``.

    What exists as a folder or file goes before a bundled study of that name.

    UserError, with the nearest bundled study, when there is none.
    """
    path = Path(where)
    try:
        for name in (FILE, ROOT_FILE):
            if str(where).strip() and (path / name).is_file():
                return path / name
        if path.is_file():
            return path
        is_folder, exists = path.is_dir(), path.exists()
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise UserError(f"cannot be read: {reason}", where=str(where)) from None
    names = bundled_names("studies")
    if str(where) in names:
        return bundled_folder("studies") / str(where) / FILE
    if is_folder and str(where).strip():
        raise UserError(f"this folder has no {FILE}", where=where)
    if exists and str(where).strip():
        raise UserError("neither a folder nor a regular file", where=where)
    hint = suggestion(str(where), names)
    message = f"no study {quoted(str(where))}: no such file or folder, nor a bundled study"
    raise UserError(f"{message}; {hint}" if hint else message)


def read_otherwise(table: TomlTable, folder: Path) -> str:
    """``otherwise``, the study to run where this one cannot be: the path of its file, or "".

    A name is looked for beside this study's folder and then among the bundled ones, a path from
    this study's folder on.
    """
    if "otherwise" not in table:
        return ""
    name = table.string("otherwise")
    bundled = bundled_names("studies")
    places = [folder / name, folder.parent / name]
    if name in bundled:  # by its path: the name may also be that of something where we were started
        places.append(bundled_folder("studies") / name)
    for where in places:
        with contextlib.suppress(UserError):
            return str(find_study(where).resolve())
    message = f"no study {quoted(name)}: no such file or folder, nor a bundled study"
    near = nearest(name, bundled)
    hint = "name a study that runs anywhere, by its name or its path from here"
    raise table.error(("otherwise",), message, f"did you mean {quoted(near)}?" if near else hint)


def is_study(where: str) -> bool:
    """Whether the word names a study: a folder with one, a TOML file, or a bundled study."""
    path = Path(where)
    with contextlib.suppress(OSError, ValueError):
        if (path / FILE).is_file() or (path.suffix == ".toml" and path.is_file()):
            return True
    return where in bundled_names("studies")
