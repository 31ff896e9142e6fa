"""``python = ["pyenv:3.6", "pyenv:3.1*"]``: one variant, or value of an axis, an interpreter."""

from __future__ import annotations

from dataclasses import replace
from fnmatch import fnmatchcase
from typing import Any

from whyfast.study.installed import pyenv_versions, pythons_on_path
from whyfast.study.toml_document import TomlDocument
from whyfast.study.toml_table import TomlTable
from whyfast.study.wording import quoted

#: Providers whose interpreters can be listed by their files, and so matched by a pattern.
_LISTED = {"pyenv": pyenv_versions, "path": pythons_on_path}


def spread_interpreters(document: TomlDocument) -> TomlDocument:
    """The document with every ``[variant.NAME]`` and ``[axes.AXIS.VALUE]`` whose ``python`` is a
    list or a pattern replaced by one table an interpreter, ``NAME-3.6``: with what stands behind
    the colon of the interpreter's name.

    A pattern of file names (``pyenv:3.*``) stands for what is installed here. StudyError when that
    is nothing.
    """
    data = dict(document.data)
    top = TomlTable(document, (), document.data)
    if isinstance(data.get("variant"), dict):
        data["variant"] = _spread(top.table("variant"))
    if isinstance(data.get("axes"), dict):
        axes = top.table("axes")
        data["axes"] = {
            name: _spread(axes.table(name)) if isinstance(value, dict) else value
            for name, value in axes.data.items()
        }
    return replace(document, data=data)


def _spread(tables: TomlTable) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in tables.data.items():
        python = value.get("python") if isinstance(value, dict) else None
        if not isinstance(python, list) and not (isinstance(python, str) and _is_pattern(python)):
            found[name] = value
            continue
        for full in _interpreters(tables.table(name)):
            made = f"{name}-{full.partition(':')[2].replace('/', '-').replace('@', '-')}"
            if made in found:
                message = f"names {quoted(full)} twice"
                raise tables.error((name, "python"), message)
            found[made] = {**value, "python": full}
    return found


def _interpreters(table: TomlTable) -> list[str]:
    """Full names, in the order given and found."""
    given = [name for name, _ in table.one_or_more("python")]
    if not given:
        raise table.error(("python",), "is empty", 'write python = ["pyenv:3.12"]')
    found: list[str] = []
    for full in given:
        provider, _, pattern = full.partition(":")
        if not _is_pattern(full):
            found.append(full)
            continue
        if provider not in _LISTED:
            message = f"{quoted(full)}: only {' and '.join(_LISTED)} can be matched by a pattern"
            raise table.error(("python",), message, "name them in a list")
        here = _LISTED[provider]()
        matching = [f"{provider}:{name}" for name in here if fnmatchcase(name, pattern)]
        if not matching:
            message = f"{quoted(full)} matches no interpreter here"
            raise table.error(("python",), message, f"there are {', '.join(here) or 'none'}")
        found += matching
    return found


def _is_pattern(text: str) -> bool:
    return any(c in text for c in "*?[")
