"""The sections of a study that stand for themselves: source, build, measure, evidence."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path, PurePosixPath
from typing import cast

from whyfast.model.study import BuildSpec, EvidenceSpec, MeasureSpec, Source, StopRule
from whyfast.study.bundled import bundled_folder, bundled_names
from whyfast.study.placeholders import LINK_NAMES, STEP_NAMES, names_in
from whyfast.study.quantities import parse_duration
from whyfast.study.suggest import suggestion
from whyfast.study.table import Table
from whyfast.study.wording import Key, kind, quoted

_LATER = ("debian", "git", "revision", "tarball", "sha256")


def read_source(table: Table, folder: Path) -> Source:
    """``[source]``; a relative path is taken from the study's folder."""
    for name in _LATER:
        if name in table:
            raise table.error((name,), "is not supported yet", "use subject or path")
    table.check_keys("subject", "path")
    if "subject" in table and "path" in table:
        raise table.error(("path",), "a study has one source", "give either subject or path")
    if "subject" in table:
        return _subject(table)
    table.require("path", 'subject = "NAME" or path = "FOLDER"')
    name = table.string("path")
    # normpath and not resolve: what the user called the folder is what reports should call it.
    path = Path(os.path.normpath(folder / os.path.expanduser(name)))
    try:
        is_folder = path.is_dir()
    except OSError as error:
        raise table.error(("path",), f"{quoted(name)}: {error.strerror}") from None
    if not is_folder:
        what = "is not a folder" if os.path.lexists(path) else "does not exist"
        hint = None if Path(name).is_absolute() else f"relative to {folder}"
        raise table.error(("path",), f"{quoted(name)} {what}", hint)
    return Source("path", name, path)


def _subject(table: Table) -> Source:
    name = table.string("subject")
    names = bundled_names("subjects")
    if name not in names:
        raise table.error(("subject",), f"no subject {quoted(name)}", suggestion(name, names))
    return Source("subject", name, bundled_folder("subjects") / name)


def read_build(table: Table) -> BuildSpec:
    """``[build]``."""
    table.check_keys("steps", "link", "program", "env")
    table.require("steps", 'steps = ["make -j{jobs}"]')
    steps = table.strings("steps", words=False)
    if not steps:
        raise table.error(("steps",), "is empty", 'write steps = ["make -j{jobs}"]')
    for i, step in enumerate(steps):
        check_placeholders(table, ("steps", i), step, STEP_NAMES)
    table.require("program", 'program = "NAME", the file that the steps make')
    program = table.string("program")
    path = PurePosixPath(program)
    if path.is_absolute() or ".." in path.parts or path == PurePosixPath("."):
        message = f"{quoted(program)} is not a path inside the build folder"
        raise table.error(("program",), message, 'write it as in "bin/name"')
    return BuildSpec(steps=steps, program=program, env=table.variables("env"), link=_link(table))


def _link(table: Table) -> str | None:
    """The step that can be run again for another layout."""
    if "link" not in table:
        return None
    link = table.string("link")
    check_placeholders(table, ("link",), link, LINK_NAMES)
    for name in ("program", "layout"):
        if name not in names_in(link):
            message = f"does not use {{{name}}}, so no other layout can be linked"
            hint = 'write link = "{cc} -o {program} *.o {layout} {ldflags}"'
            raise table.error(("link",), message, hint)
    return link


def check_placeholders(table: Table, at: Key, text: str, valid: Iterable[str]) -> None:
    """Refuse a placeholder that is not among the valid ones, and a brace that belongs to none."""
    names = list(valid)
    literal = "write {{ or }} for a literal brace"
    try:
        used = names_in(text)
    except ValueError as error:
        raise table.error(at, f"{error} in {quoted(text)}", literal) from None
    for name in used:
        if name not in names:
            hint = suggestion(f"{{{name}}}", [f"{{{one}}}" for one in names])
            message = f"no placeholder {quoted(f'{{{name}}}')}"
            raise table.error(at, message, f"{hint} ({literal})")


def read_measure(table: Table) -> MeasureSpec:
    """``[measure]``."""
    table.check_keys("budget", "stop", "turn", "turns", "layouts")
    default = MeasureSpec()
    budget, turn = default.budget, default.turn
    if "budget" in table:
        budget = table.converted("budget", parse_duration, 'budget = "3m" or "90s"')
    if "turn" in table:
        turn = table.converted("turn", parse_duration, 'turn = "1ms" or "500us"')
    stop = table.choice("stop", ("decided", "budget"), default.stop)
    return MeasureSpec(
        budget=budget,
        stop=cast(StopRule, stop),
        turn=turn,
        turns=_whole(table, "turns", 1),
        layouts=_whole(table, "layouts", 2) or 0,
    )


def _whole(table: Table, name: str, least: int) -> int | None:
    if name not in table:
        return None
    number = table.data[name]
    if not isinstance(number, int) or isinstance(number, bool):
        raise table.error((name,), f"must be a whole number, not {kind(number)}")
    if number < least:
        raise table.error((name,), f"must be at least {least}, not {number}")
    return number


def read_evidence(table: Table) -> EvidenceSpec:
    """``[evidence]``."""
    table.check_keys("dispatch", "functions")
    return EvidenceSpec(table.strings("dispatch"), table.strings("functions"))
