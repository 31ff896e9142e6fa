"""``otherwise``: the study to run where this one cannot be."""

from __future__ import annotations

from pathlib import Path

from whyfast.model.errors import UserError
from whyfast.study.find import find_study
from whyfast.study.table import Table


def read_otherwise(table: Table, folder: Path) -> str:
    """The path of that study's file, or "". A name is looked for beside this study's folder and
    then among the bundled ones, a path from this study's folder on."""
    if "otherwise" not in table:
        return ""
    name = table.string("otherwise")
    problem = ""
    for where in (folder / name, folder.parent / name, name):
        try:
            return str(find_study(where).resolve())
        except UserError as error:
            problem = error.message
    hint = "name a study that runs anywhere, by its name or its path from here"
    raise table.error(("otherwise",), problem, hint)
