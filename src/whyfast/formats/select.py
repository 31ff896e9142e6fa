"""Some rows of a table as a run of their own: ``costs.csv:kernel=v5.4,retpoline=y``."""

from __future__ import annotations

import os
from pathlib import Path

from whyfast.model.errors import UserError

Chosen = tuple[tuple[str, str], ...]


def split_choice(argument: str) -> tuple[Path, Chosen]:
    """The file and the columns with the values that its rows must have; () for all rows.

    A file whose name is the whole argument is taken as it is. UserError for a column named twice.
    """
    if ":" not in argument or _exists(argument):
        return Path(argument), ()
    file, _, choice = argument.rpartition(":")
    pairs = [pair.partition("=") for pair in choice.split(",")]
    if not _exists(file) or not all(column and sign for column, sign, _ in pairs):
        return Path(argument), ()
    chosen = tuple((column.strip(), value.strip()) for column, _, value in pairs)
    if len({column for column, _ in chosen}) < len(chosen):
        raise UserError("a column can have one value only", where=argument)
    return Path(file), chosen


def _exists(path: str) -> bool:
    try:
        return os.path.exists(path)
    except ValueError:
        return False
