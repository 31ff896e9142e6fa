"""The sections of a study that stand for themselves: build, measure and quick."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import PurePosixPath
from typing import cast

from whyfast.model.study import BuildSpec, EvidenceBuild, MeasureSpec, Quick, StopRule
from whyfast.model.variant import Benchmark, Variant
from whyfast.study.placeholders import LINK_NAMES, STEP_NAMES, names_in
from whyfast.study.quantities import parse_duration, parse_size
from whyfast.study.toml_table import TomlTable
from whyfast.study.wording import Key, kind, quoted, suggestion

_BUDGET = 'budget = "3m" or "90s"'
_PACKAGE = re.compile(r"[a-z0-9][a-z0-9+.-]+")
#: A verdict over layouts takes at least nine blocks, each with a fresh layout.
FEWEST_LAYOUTS = 12


def read_build(table: TomlTable) -> BuildSpec:
    """``[build]``."""
    table.check_keys(
        *("steps", "link", "program", "env", "packages", "takes", "room", "evidence"),
        *("incremental", "hide"),
    )
    return BuildSpec(
        steps=_steps(table, "make -j{jobs}"),
        program=_made(table, "program", "NAME"),
        env=table.variables("env"),
        link=_link(table),
        packages=_packages(table),
        evidence=_evidence_build(table.table("evidence")) if "evidence" in table else None,
        takes=_takes(table),
        room=_room(table),
        incremental=table.flag("incremental"),
        hide=table.strings("hide"),
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
    return table.converted("takes", parse_duration, 'takes = "6m" or "90s"', None)


def _room(table: TomlTable) -> int | None:
    """Bytes of one build, about."""
    room = table.converted("room", parse_size, 'room = "480MB" or "1.5GB"', None)
    return None if room is None else int(room)


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


def check_packages(table: TomlTable, at: Key, names: Sequence[str]) -> None:
    """Refuse what cannot be the name of a Debian package; ``at`` is the list of them."""
    for i, name in enumerate(names):
        if not _PACKAGE.fullmatch(name):
            message = f"{quoted(name)} is not the name of a Debian package"
            raise table.error((*at, i), message, 'write it as in "zlib1g-dev"')


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
    stop = table.choice("stop", ("decided", "budget"), default.stop)
    return MeasureSpec(
        budget=table.converted("budget", parse_duration, _BUDGET, default.budget),
        stop=cast(StopRule, stop),
        turn=table.converted("turn", parse_duration, 'turn = "1ms" or "500us"', default.turn),
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


def read_quick(
    table: TomlTable, variants: Sequence[Variant], benchmarks: Sequence[Benchmark]
) -> Quick:
    """``[quick]``: what ``--quick`` is restricted to, with every name in it known to exist."""
    table.check_keys("variants", "benchmarks", "budget")
    return Quick(
        variants=_names(table, "variants", "variant", [v.name for v in variants]),
        benchmarks=_names(table, "benchmarks", "benchmark", [b.name for b in benchmarks]),
        budget=table.converted("budget", parse_duration, _BUDGET, None),
    )


def _names(table: TomlTable, key: str, kind: str, known: Sequence[str]) -> tuple[str, ...]:
    """Names that must exist; left out means all, so that none at all would be a mistake."""
    if key not in table:
        return ()
    given = table.one_or_more(key)
    if not given:
        raise table.error((key,), "is empty", f"name a {kind}, or leave it out for all")
    for name, at in given:
        table.check_known(at[len(table.key) :], kind, name, known)
    return tuple(name for name, _ in given)
