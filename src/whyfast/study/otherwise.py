"""``otherwise``: the study to run where this one cannot be."""

from __future__ import annotations

import contextlib
from pathlib import Path

from whyfast.model.errors import UserError
from whyfast.study.bundled import bundled_folder, bundled_names
from whyfast.study.find import find_study
from whyfast.study.suggest import nearest
from whyfast.study.toml_table import TomlTable
from whyfast.study.wording import quoted


def read_otherwise(table: TomlTable, folder: Path) -> str:
    """The path of that study's file, or "". A name is looked for beside this study's folder and
    then among the bundled ones, a path from this study's folder on."""
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
