"""``include = "FILE"``: what several studies have in common, written once."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

from whyfast.model.errors import StudyError
from whyfast.study.toml_document import TomlDocument, read_document
from whyfast.study.toml_table import TomlTable
from whyfast.study.wording import quoted

INCLUDE = "include"


def read_included(document: TomlDocument) -> TomlDocument:
    """The document with the values of the file that it includes, its own over those.

    Tables are merged key by key, anything else is replaced. The included file may include another.
    """
    return _read(document, (document.file,))


def _read(document: TomlDocument, chain: tuple[Path, ...]) -> TomlDocument:
    if INCLUDE not in document.data:
        return document
    table = TomlTable(document, (), document.data)
    name = table.string(INCLUDE)
    file = Path(os.path.normpath(document.file.parent / os.path.expanduser(name)))
    if any(_same(file, other) for other in chain):
        raise table.error((INCLUDE,), f"{quoted(name)} includes itself in a circle")
    try:
        base = _read(read_document(file), (*chain, file))
    except StudyError as error:
        if error.file == file and error.line is None and error.key is None:  # no such file, say
            reason = f"{quoted(name)} {error.message}"
            raise table.error((INCLUDE,), reason, f"relative to {document.file.parent}") from None
        raise
    merged = _merged(base.data, document.data)
    return replace(document, data=merged, own=document.data, base=base)


def _same(a: Path, b: Path) -> bool:
    try:
        return a.samefile(b)
    except OSError:
        return a == b


def _merged(base: dict[str, Any], own: dict[str, Any]) -> dict[str, Any]:
    """Keys of the base first, in its order."""
    both = {**base, **own}
    for name in base.keys() & own.keys():
        if isinstance(base[name], dict) and isinstance(own[name], dict):
            both[name] = _merged(base[name], own[name])
    return both
