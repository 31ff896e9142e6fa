"""``[axes]``: one variant for every combination of the axes' values."""

from __future__ import annotations

import itertools
import math
import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from whyfast.model.errors import UserError
from whyfast.store.git import git
from whyfast.study.notation import NAME_HINT, is_name, listed, quoted, substitute
from whyfast.study.sections import placeholders
from whyfast.study.toml_table import Key, TomlDocument, TomlTable, suggestion
from whyfast.study.variants import LAYER_KEYS, Layer, VariantRecipe, read_layer

_OWN_KEYS = ("extends", "name", "exclude", "only")
_MOST = 10_000

#: The values of each axis, by name, each with the table that it stands in.
Axes = Mapping[str, Mapping[str, tuple[Key, Layer]]]
#: One value of each axis.
Combination = Mapping[str, str]
#: A pattern of combinations: for some axes, the values that match.
Pattern = Mapping[str, tuple[str, ...]]


def span(table: TomlTable) -> tuple[VariantRecipe, ...]:
    """A recipe for each combination that ``only`` and ``exclude`` leave; the last axis varies
    fastest."""
    extends = table.one_or_more("extends")
    axes = _read_axes(table)
    only, exclude = (
        [_pattern(entry, axes) for entry in table.entries(name)] for name in ("only", "exclude")
    )
    count = math.prod(len(values) for values in axes.values())
    if count > _MOST:
        raise table.error((), f"has {count} combinations; at most {_MOST} are allowed")
    product = (dict(zip(axes, values, strict=True)) for values in itertools.product(*axes.values()))
    chosen = [
        combination
        for combination in product
        if ("only" not in table or _matches(combination, only))
        and not _matches(combination, exclude)
    ]
    if not chosen:
        filters = [name for name in ("only", "exclude") if name in table]
        if len(filters) > 1:
            raise table.error((), "only and exclude together exclude every combination")
        what = "excludes every" if filters == ["exclude"] else "matches no"
        raise table.error((filters[0],), f"{what} combination of the axes")
    recipes: dict[str, VariantRecipe] = {}
    template = _template(table, axes)
    for combination in chosen:
        name = substitute(template, combination)
        if not is_name(name):
            message = f"{quoted(name)} cannot be the name of a variant"
            raise table.error(("name",), message, NAME_HINT)
        if name in recipes:
            message = f"gives two combinations the same name {quoted(name)}"
            hint = "include " + " ".join(f"{{{axis}}}" for axis in axes)
            raise table.error(("name",), message, hint)
        layers = dict(axes[axis][value] for axis, value in combination.items())
        about = ", ".join(layer.about for layer in layers.values() if layer.about)
        recipes[name] = VariantRecipe(
            name, table.key, extends, layers, axes=combination, about=about
        )
    return tuple(recipes.values())


def _read_axes(table: TomlTable) -> Axes:
    axes: dict[str, Mapping[str, tuple[Key, Layer]]] = {}
    for name in table.data:
        if name in _OWN_KEYS:
            continue
        if not isinstance(table.data[name], dict):
            raise table.error((name,), "unknown key", suggestion(name, _OWN_KEYS))
        axis = table.table(name)
        axis.check_name("an axis")
        values = {value: (inner.key, _read_value(inner)) for value, inner in axis.tables()}
        if not values:
            raise axis.error((), "has no values", f"write [axes.{name}.VALUE]")
        axes[name] = values
    if not axes:
        raise table.error((), "has no axes", "write [axes.AXIS.VALUE]")
    return axes


def _read_value(table: TomlTable) -> Layer:
    table.check_name("a value of an axis")
    for name in ("abstract", "extends"):
        if name in table:
            hint = "write it under [axes]" if name == "extends" else "use exclude"
            raise table.error((name,), "not allowed in a value of an axis", hint)
    table.check_keys(*LAYER_KEYS)
    return read_layer(table)


def _pattern(entry: TomlTable, axes: Axes) -> Pattern:
    if not entry.data:
        raise entry.error((), "names no axis", f"valid: {listed(axes)}")
    pattern = {}
    for axis in entry.data:
        if axis not in axes:
            raise entry.error((axis,), "unknown axis", suggestion(axis, axes))
        wanted = entry.one_or_more(axis)
        for value, key in wanted:
            if value not in axes[axis]:
                message = f"unknown value of the axis {axis}: {quoted(value)}"
                hint = suggestion(value, axes[axis])
                raise entry.error(key[len(entry.key) :], message, hint)
        pattern[axis] = tuple(value for value, _ in wanted)
    return pattern


def _matches(combination: Combination, patterns: Iterable[Pattern]) -> bool:
    return any(
        all(combination[axis] in values for axis, values in pattern.items()) for pattern in patterns
    )


def _template(table: TomlTable, axes: Axes) -> str:
    template = table.string("name", "-".join(f"{{{axis}}}" for axis in axes))
    for name in placeholders(table, ("name",), template):
        if name not in axes:
            hint = suggestion(name, axes)
            raise table.error(("name",), f"unknown axis {quoted(name)}", hint)
    return template


# Which interpreters are installed here shows in their files alone: none is started.

_PYTHON = re.compile(r"python\d+\.\d+")
_NUMBERS = re.compile(r"\d+")


def pyenv_folder() -> Path:
    """Where pyenv keeps its versions (``PYENV_ROOT`` moves it)."""
    root = os.environ.get("PYENV_ROOT")
    return (Path(root) if root else Path(os.path.expanduser("~/.pyenv"))) / "versions"


def pyenv_versions() -> list[str]:
    """Their names, the oldest version first."""
    try:
        names = [f.name for f in pyenv_folder().iterdir() if (f / "bin" / "python").exists()]
    except OSError:
        return []
    return sorted(names, key=version_key)


def pythons_on_path() -> list[str]:
    """``python3.11`` and the like, the oldest version first; pyenv's shims are left out."""
    names: set[str] = set()
    for folder in os.get_exec_path():
        if Path(folder) == pyenv_folder().parent / "shims":
            continue
        try:
            names.update(n for n in os.listdir(folder) if _PYTHON.fullmatch(n))
        except OSError:
            continue
    return sorted(names, key=version_key)


def version_key(name: str) -> tuple[list[int], str]:
    """Sorts names by the numbers in them: ``3.9`` before ``3.10``."""
    return [int(n) for n in _NUMBERS.findall(name)], name


#: Providers whose interpreters can be listed by their files, and so matched by a pattern.
_LISTED = {"pyenv": pyenv_versions, "path": pythons_on_path}


def spread_interpreters(document: TomlDocument) -> TomlDocument:
    """The document with every ``[variant.NAME]`` and ``[axes.AXIS.VALUE]`` whose ``python`` is a
    list or a pattern, as in ``["pyenv:3.6", "pyenv:3.1*"]``, replaced by one table per interpreter,
    ``NAME-3.6``: with what stands behind the colon of the interpreter's name. A pattern of file
    names (``pyenv:3.*``) stands for what is installed here. StudyError when that is nothing."""
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
    tables_by_name: dict[str, Any] = {}
    for name, value in tables.data.items():
        python = value.get("python") if isinstance(value, dict) else None
        if not isinstance(python, list) and not (isinstance(python, str) and _is_pattern(python)):
            tables_by_name[name] = value
            continue
        for full in _interpreters(tables.table(name)):
            spread_name = f"{name}-{full.partition(':')[2].replace('/', '-').replace('@', '-')}"
            if spread_name in tables_by_name:
                message = f"names {quoted(full)} twice"
                raise tables.error((name, "python"), message)
            tables_by_name[spread_name] = {**value, "python": full}
    return tables_by_name


def _interpreters(table: TomlTable) -> list[str]:
    """Full names, in the order given and found."""
    given = [name for name, _ in table.one_or_more("python")]
    if not given:
        raise table.error(("python",), "is empty", 'write python = ["pyenv:3.12"]')
    names: list[str] = []
    for full in given:
        provider, _, pattern = full.partition(":")
        if not _is_pattern(full):
            names.append(full)
            continue
        if provider not in _LISTED:
            message = f"{quoted(full)}: patterns are for {' and '.join(_LISTED)} only"
            raise table.error(("python",), message, "name them in a list")
        here = _LISTED[provider]()
        matching = [f"{provider}:{name}" for name in here if fnmatchcase(name, pattern)]
        if not matching:
            message = f"{quoted(full)} matches no interpreter here"
            raise table.error(("python",), message, f"available: {', '.join(here) or 'none'}")
        names += matching
    return names


def _is_pattern(text: str) -> bool:
    return any(c in text for c in "*?[")


#: ``revisions = "v1.0..main"`` under an axis makes one value of each commit.
KEY = "revisions"
_RANGE = re.compile(r"(?P<base>[^.\s-](?:\.?[^.\s])*)\.\.(?P<head>[^.\s-](?:\.?[^.\s])*)")
_EXAMPLE = 'write revisions = "v1.0..main"'


def spread_revisions(document: TomlDocument, folder: Path) -> TomlDocument:
    """The document with ``revisions`` of every ``[axes.AXIS]`` replaced by one value per commit,
    each with its ``revision`` and with its subject as ``about``. First comes BASE, then what the
    range holds, oldest first, along first parents. The ends are called as they are written where
    that can be a name, else ``base`` and ``head``; the others by the short form of their hash.
    ``folder`` is where the study's paths start. StudyError where git knows of no such commits."""
    top = TomlTable(document, (), document.data)
    if not isinstance(document.data.get("axes"), dict):
        return document
    axes = top.table("axes")
    named = [n for n, v in axes.data.items() if isinstance(v, dict) and KEY in v]
    if not named:
        return document
    spread = {name: _commits_spread(top, axes.table(name), folder) for name in named}
    return replace(document, data={**document.data, "axes": {**axes.data, **spread}})


def _commits_spread(top: TomlTable, axis: TomlTable, folder: Path) -> dict[str, Any]:
    text = axis.string(KEY)
    ends = _RANGE.fullmatch(text)
    if ends is None:
        raise axis.error((KEY,), f"{quoted(text)} is not BASE..HEAD", _EXAMPLE)
    repository = _repository(top, axis, folder)
    base, head = ends["base"], ends["head"]
    commits = _log(axis, repository, "-1", base)
    commits += _log(axis, repository, "--reverse", "--first-parent", f"{base}..{head}")
    if len(commits) < 2:
        raise axis.error((KEY,), f"no commits in {quoted(text)}", _EXAMPLE)
    names = [short for _, short, _ in commits]
    names[0] = base if is_name(base) else "base"
    names[-1] = head if is_name(head) else "head"
    values = {
        name: {"revision": commit, **({"about": subject} if subject.strip() else {})}
        for name, (commit, _, subject) in zip(names, commits, strict=True)
    }
    return {**values, **{k: v for k, v in axis.data.items() if k != KEY}}


def _repository(top: TomlTable, axis: TomlTable, folder: Path) -> Path:
    source = top.table("source")
    if "git" not in source:
        hint = "write [source] git = … and revision = …"
        raise axis.error((KEY,), "needs a source from git", hint)
    place = folder / os.path.expanduser(source.string("git"))
    if not place.is_dir():
        hint = "clone it, and name the folder in [source] git"
        raise axis.error((KEY,), "needs a repository on this machine", hint)
    return place


def _log(axis: TomlTable, repository: Path, *what: str) -> list[tuple[str, str, str]]:
    """Hash, its short form and the subject of each commit."""
    try:
        done = git(repository, "log", "--format=%H%x09%h%x09%s", *what, "--")
    except UserError as error:
        raise axis.error((KEY,), error.message) from None
    if done.returncode:
        message = (done.stderr.strip().splitlines() or ["git failed"])[0]
        raise axis.error((KEY,), message.removeprefix("fatal: "), "name two revisions")
    rows = [line.split("\t", 2) for line in done.stdout.splitlines()]
    return [(commit, short, subject) for commit, short, subject in rows]
