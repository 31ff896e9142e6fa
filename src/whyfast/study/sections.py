"""The sections of a study that stand for themselves: build and measure."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import PurePosixPath
from typing import cast

from whyfast.model.study import BuildSpec, EvidenceBuild, MeasureSpec, StopRule
from whyfast.study.packages import check_packages
from whyfast.study.placeholders import LINK_NAMES, STEP_NAMES, names_in
from whyfast.study.quantities import parse_duration, parse_size
from whyfast.study.suggest import suggestion
from whyfast.study.toml_table import TomlTable
from whyfast.study.wording import Key, kind, quoted

#: A verdict over layouts takes at least nine blocks, each with a fresh layout.
FEWEST_LAYOUTS = 12


def read_build(table: TomlTable) -> BuildSpec:
    """``[build]``."""
    table.check_keys("steps", "link", "program", "env", "packages", "takes", "room", "evidence")
    return BuildSpec(
        steps=_steps(table, "make -j{jobs}"),
        program=_made(table, "program", "NAME"),
        env=table.variables("env"),
        link=_link(table),
        packages=_packages(table),
        evidence=_evidence_build(table.table("evidence")) if "evidence" in table else None,
        takes=_takes(table),
        room=_room(table),
    )


def _evidence_build(table: TomlTable) -> EvidenceBuild:
    """``[build.evidence]``."""
    table.check_keys("steps", "object", "packages", "takes", "room")
    return EvidenceBuild(
        steps=_steps(table, "{cc} {cflags} -c {source}/loop.c"),
        object=_made(table, "object", "loop.o"),
        packages=_packages(table),
        takes=_takes(table),
        room=_room(table),
    )


def _takes(table: TomlTable) -> float | None:
    """Seconds of one build, about."""
    if "takes" not in table:
        return None
    return table.converted("takes", parse_duration, 'takes = "6m" or "90s"')


def _room(table: TomlTable) -> int | None:
    """Bytes of one build, about."""
    if "room" not in table:
        return None
    return int(table.converted("room", parse_size, 'room = "480MB" or "1.5GB"'))


#: Several flags given to a variable or option without quotes.
_UNQUOTED = re.compile(r"([\w-]+)=\{(cflags|ldflags|configure)\}")


def _steps(table: TomlTable, example: str) -> tuple[str, ...]:
    example = f'steps = ["{example}"]'
    table.require("steps", example)
    steps = table.strings("steps", words=False)
    if not steps:
        raise table.error(("steps",), "is empty", f"write {example}")
    for i, step in enumerate(steps):
        check_placeholders(table, ("steps", i), step, STEP_NAMES)
        if found := _UNQUOTED.search(step):
            message = f"{found[0]} is one word to the shell only while there is a single flag"
            hint = f"""write {found[1]}="{{{found[2]}}}", and the step in '…'"""
            raise table.error(("steps", i), message, hint)
    return steps


def _made(table: TomlTable, key: str, example: str) -> str:
    """The file that the steps make, a path inside the build folder."""
    table.require(key, f'{key} = "{example}", the file that the steps make')
    made = table.string(key)
    path = PurePosixPath(made)
    if path.is_absolute() or ".." in path.parts or path == PurePosixPath("."):
        message = f"{quoted(made)} is not a path inside the build folder"
        raise table.error((key,), message, 'write it as in "bin/name"')
    return made


def _packages(table: TomlTable) -> tuple[str, ...]:
    """What the steps need beside the compiler, by Debian's names."""
    packages = table.strings("packages")
    check_packages(table, ("packages",), packages)
    return tuple(dict.fromkeys(packages))


def _link(table: TomlTable) -> str | None:
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


def check_placeholders(table: TomlTable, at: Key, text: str, valid: Iterable[str]) -> None:
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


def read_measure(table: TomlTable) -> MeasureSpec:
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
        layouts=_whole(table, "layouts", FEWEST_LAYOUTS) or 0,
    )


def _whole(table: TomlTable, name: str, least: int) -> int | None:
    if name not in table:
        return None
    number = table.data[name]
    if not isinstance(number, int) or isinstance(number, bool):
        raise table.error((name,), f"must be a whole number, not {kind(number)}")
    if number < least:
        raise table.error((name,), f"must be at least {least}, not {number}")
    return number
