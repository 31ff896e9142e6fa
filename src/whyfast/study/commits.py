"""``revisions = "v1.0..main"`` under an axis: one value of it a commit."""

from __future__ import annotations

import os
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

from whyfast.model.errors import UserError
from whyfast.store.git import git
from whyfast.study.toml_document import TomlDocument
from whyfast.study.toml_table import TomlTable, is_name
from whyfast.study.wording import quoted

KEY = "revisions"
_RANGE = re.compile(r"(?P<base>[^.\s-](?:\.?[^.\s])*)\.\.(?P<head>[^.\s-](?:\.?[^.\s])*)")
_EXAMPLE = 'write revisions = "v1.0..main"'


def spread_revisions(document: TomlDocument, folder: Path) -> TomlDocument:
    """The document with ``revisions`` of every ``[axes.AXIS]`` replaced by a value a commit, each
    with its ``revision`` and with its subject as ``about``.

    First comes BASE, then what the range holds, oldest first, along first parents. The ends are
    called as they are written where that can be a name, else ``base`` and ``head``; the others by
    the short form of their hash. ``folder`` is where the study's paths start. StudyError where git
    knows of no such commits.
    """
    top = TomlTable(document, (), document.data)
    if not isinstance(document.data.get("axes"), dict):
        return document
    axes = top.table("axes")
    named = [n for n, v in axes.data.items() if isinstance(v, dict) and KEY in v]
    if not named:
        return document
    spread = {name: _spread(top, axes.table(name), folder) for name in named}
    return replace(document, data={**document.data, "axes": {**axes.data, **spread}})


def _spread(top: TomlTable, axis: TomlTable, folder: Path) -> dict[str, Any]:
    text = axis.string(KEY)
    found = _RANGE.fullmatch(text)
    if found is None:
        raise axis.error((KEY,), f"{quoted(text)} is not BASE..HEAD", _EXAMPLE)
    repository = _repository(top, axis, folder)
    base, head = found["base"], found["head"]
    commits = _log(axis, repository, "-1", base)
    commits += _log(axis, repository, "--reverse", "--first-parent", f"{base}..{head}")
    if len(commits) < 2:
        raise axis.error((KEY,), f"there is no commit in {quoted(text)}", _EXAMPLE)
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
        said = (done.stderr.strip().splitlines() or ["git failed"])[0]
        raise axis.error((KEY,), said.removeprefix("fatal: "), "name two revisions")
    rows = [line.split("\t", 2) for line in done.stdout.splitlines()]
    return [(commit, short, subject) for commit, short, subject in rows]
