"""The sections of a study that are read alone: build, measure, quick, evidence; and commands."""

from __future__ import annotations

import contextlib
import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from pathlib import PurePosixPath
from typing import cast

from whyfast.model.cost import COSTS, CostsSpec
from whyfast.model.counters import MEASURED, SIMULATED
from whyfast.model.study import (
    HIDDEN,
    BuildSpec,
    CountersFrom,
    EvidenceBuild,
    EvidenceSpec,
    MeasureSpec,
    Quick,
    Source,
    StopRule,
    Ways,
)
from whyfast.model.variant import Benchmark, Variant
from whyfast.study.notation import (
    kind,
    names_in,
    parse_duration,
    parse_margin,
    parse_size,
    quoted,
)
from whyfast.study.toml_table import Key, TomlTable, suggestion

#: Names of environment variables whose values are hidden in any study, in any case of letters.
ALWAYS = ("*TOKEN*", "*SECRET*", "*KEY*", "*PASSWORD*")


def hide(
    build: BuildSpec, variants: Sequence[Variant]
) -> tuple[BuildSpec, tuple[Variant, ...], dict[str, str]]:
    """Both with a digest in place of each value that is to be hidden, and the values by digest.
    Different values have different digests, so they still make different builds."""
    patterns = tuple(p.upper() for p in (*ALWAYS, *build.hide))
    values: dict[str, str] = {}

    def shown(env: Mapping[str, str]) -> dict[str, str]:
        out = dict(env)
        for name, value in env.items():
            if value and any(fnmatchcase(name.upper(), p) for p in patterns):
                out[name] = HIDDEN + hashlib.sha256(f"{name}={value}".encode()).hexdigest()[:16]
                values[out[name]] = value
        return out

    build = replace(build, env=shown(build.env))
    return build, tuple(replace(v, env=shown(v.env)) for v in variants), values


# The placeholders that there are.

#: What a line of ``build.steps`` may use.
STEP_NAMES = (
    *("cc", "cflags", "ldflags", "configure", "source", "include", "jobs", "program"),
    *("python", "python_cflags", "profile"),
)
#: What ``build.link`` may use.
LINK_NAMES = (*STEP_NAMES, "layout")
#: What a word of a benchmark's ``command`` may use.
COMMAND_NAMES = ("program", "source", "study", "pyperformance", "python", "run")
#: What a word of a command may use beside, where the benchmark has a parameter.
PARAMETER_NAME = "parameter"
#: What a word of a command may use beside, where the benchmark has names.
NAMES_NAME = "name"
#: What stands for the interpreter of a variant.
INTERPRETER_NAMES = ("python", "python_cflags")

_BUDGET = 'budget = "3m" or "90s"'
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
        program=_output(table, "program", "NAME"),
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
        object=_output(table, "object", "loop.o"),
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


_LITERAL = "write {{ or }} for a literal brace"
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
        if match := _UNQUOTED.search(step):
            message = f"{match[0]} is split by the shell if there are several flags"
            hint = f"""write {match[1]}="{{{match[2]}}}", and the step in '…'"""
            raise table.error(("steps", i), message, hint)
    return steps


def _output(table: TomlTable, key: str, example: str) -> str:
    """The file that the steps make, a path inside the build folder."""
    table.require(key, f'{key} = "{example}", the file that the steps make')
    output = table.string(key)
    path = PurePosixPath(output)
    if path.is_absolute() or ".." in path.parts or path == PurePosixPath("."):
        message = f"{quoted(output)} is not a path inside the build folder"
        raise table.error((key,), message, 'write e.g. "bin/name"')
    return output


def _packages(table: TomlTable) -> tuple[str, ...]:
    """What the steps need beside the compiler, by Debian's names."""
    packages = table.strings("packages")
    check_entries(table, ("packages",), packages)
    return tuple(dict.fromkeys(packages))


#: The form of the entries of lists, and what to write.
_ENTRIES = {
    "packages": (r"[a-z0-9][a-z0-9+.-]+", "a name of a Debian package", 'e.g. "zlib1g-dev"'),
    "boot": (r"\S+", "one kernel parameter", 'one word per parameter, e.g. "spectre_v2=off"'),
    # Sections that stay together in layouts are written to linker scripts as they are.
    "keep": (r"\.text[\w.$*?-]*", "a name or pattern of code sections", 'e.g. ".text.hot.*"'),
}


def check_entries(table: TomlTable, at: Key, entries: Sequence[str]) -> None:
    """Refuse what has not the form of such entries; ``at`` is the list of them."""
    if at[0] not in _ENTRIES:
        return
    form, what, example = _ENTRIES[str(at[0])]
    for i, entry in enumerate(entries):
        if not re.fullmatch(form, entry):
            raise table.error((*at, i), f"{quoted(entry)} is not {what}", f"write {example}")


def _link(table: TomlTable) -> str | None:
    """The step that can be run again for another layout."""
    if "link" not in table:
        return None
    link = table.string("link")
    check_placeholders(table, ("link",), link, LINK_NAMES)
    for name in ("program", "layout"):
        if name not in names_in(link):
            message = f"does not use {{{name}}}"
            hint = 'write link = "{cc} -o {program} *.o {layout} {ldflags}"'
            raise table.error(("link",), message, hint)
    return link


def check_placeholders(table: TomlTable, at: Key, text: str, valid: Iterable[str]) -> None:
    """Refuse a placeholder that is not among the valid ones, and a brace that belongs to none."""
    names = list(valid)
    for name in placeholders(table, at, text):
        if name not in names:
            hint = suggestion(f"{{{name}}}", [f"{{{n}}}" for n in names])
            message = f"no placeholder {quoted(f'{{{name}}}')}"
            raise table.error(at, message, f"{hint} ({_LITERAL})")


def placeholders(table: TomlTable, at: Key, text: str) -> list[str]:
    """:func:`names_in`; StudyError for a stray brace."""
    try:
        return names_in(text)
    except ValueError as error:
        raise table.error(at, f"{error} in {quoted(text)}", _LITERAL) from None


def read_measure(table: TomlTable) -> MeasureSpec:
    """``[measure]``."""
    table.check_keys("budget", "stop", "turn", "turns", "layouts", "profiles", "copies")
    default = MeasureSpec()
    stop = table.choice("stop", ("decided", "budget"), default.stop)
    return MeasureSpec(
        budget=table.converted("budget", parse_duration, _BUDGET, default.budget),
        stop=cast("StopRule", stop),
        turn=table.converted("turn", parse_duration, 'turn = "1ms" or "500us"', default.turn),
        turns=_whole(table, "turns", 1),
        layouts=_whole(table, "layouts", FEWEST_LAYOUTS) or 0,
        profiles=_whole(table, "profiles", 1) or 0,
        copies=table.flag("copies"),
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


def read_ways(table: TomlTable, benchmarks: Sequence[Benchmark]) -> tuple[Ways, ...]:
    """``[ways."WHAT"]``: names of ways, each with the benchmark that goes it."""
    names = [b.name for b in benchmarks]
    found = []
    for what, one in table.tables():
        for way in one.data:
            one.check_known((way,), "benchmark", one.string(way), names)
        if len(one.data) < 2:
            raise one.error((), "has fewer than two ways", 'write WAY = "BENCHMARK" for each')
        found.append(Ways(what, {way: one.string(way) for way in one.data}))
    return tuple(found)


def read_costs(table: TomlTable) -> CostsSpec:
    """``[costs]``: the margin of each cost; a margin of what is counted or built asks for that."""
    table.check_keys("build", "count", *COSTS)
    margins = {
        key: table.converted(key, parse_margin, f'{key} = "1%"', 0.0)
        for key in COSTS
        if key in table
    }
    return CostsSpec(
        margins,
        build=table.flag("build") or any(key.startswith("build-") for key in margins),
        count=table.flag("count") or any(COSTS[key].kind == "counted" for key in margins),
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


#: The placeholders that a benchmark binds, what it has then, and how that is written.
_BINDING = {
    PARAMETER_NAME: ("parameter", 'parameter = { name = "tail call", values = [0, 1, 2, 4] }'),
    NAMES_NAME: ("list of names", 'names = ["NAME", "NAME"]'),
}


def read_command(table: TomlTable, name: str, *, bound: str = "") -> tuple[str, ...]:
    """The command under that key; empty when it is not given. ``bound`` is the placeholder that its
    words may use beside those of all commands."""
    if name not in table:
        return ()
    example = f'{name} = ["{{program}}", "argument"]'
    command = table.strings(name, empty=True)
    if not command or not command[0].strip():
        raise table.error((name,), "names no program", f"write {example}")
    valid = (*COMMAND_NAMES, bound) if bound else COMMAND_NAMES
    for i, word in enumerate(command):
        with contextlib.suppress(ValueError):  # a stray brace, refused below
            for other in _BINDING.keys() & set(names_in(word)) - {bound}:
                what, how = _BINDING[other]
                raise table.error((name, i), f"this benchmark has no {what}", f"write {how}")
        check_placeholders(table, (name, i), word, valid)
    if not any({"program", "python"} & set(names_in(word)) for word in command):
        message = "does not use {program}, so every variant would run the same command"
        raise table.error((name,), message, f"write {example}")
    return command


_EXAMPLE = 'write counters = true, "simulated", or names as in ["instructions"]'
_NAMES = tuple(dict.fromkeys((*MEASURED, *SIMULATED)))


def read_evidence(
    table: TomlTable, benchmarks: Sequence[Benchmark], source: Source
) -> EvidenceSpec:
    """``[evidence]``, with every benchmark that it names known to exist."""
    table.check_keys("dispatch", "functions", "counters", "counted", "change", "image", "why")
    counters, events = _counters(table)
    counted = table.strings("counted")
    names = [b.name for b in benchmarks]
    for i, name in enumerate(counted):
        table.check_known(("counted", i), "benchmark", name, names)
    change = _change(table, source)
    if counters == "nothing" and counted and not change:
        raise table.error(("counted",), "needs counters", "write counters = true")
    return EvidenceSpec(
        dispatch=table.strings("dispatch"),
        functions=table.strings("functions"),
        # Which functions are hot is known from counting alone.
        counters="hardware or simulation" if change and counters == "nothing" else counters,
        events=events,
        counted=counted,
        change=change,
        image=read_command(table, "image"),
        why=table.flag("why"),
    )


def _counters(table: TomlTable) -> tuple[CountersFrom, tuple[str, ...]]:
    value = table.data.get("counters", False)
    if isinstance(value, bool):
        return ("hardware or simulation" if value else "nothing"), ()
    if isinstance(value, str):
        if value != "simulated":
            raise table.error(("counters",), f"cannot be {quoted(value)}", _EXAMPLE)
        return "simulation", ()
    if not isinstance(value, list):
        message = f"must be true, false, a string or a list of strings, not {kind(value)}"
        raise table.error(("counters",), message, _EXAMPLE)
    events = table.strings("counters")
    if not events:
        raise table.error(("counters",), "is empty", _EXAMPLE)
    for i, name in enumerate(events):
        table.check_known(("counters", i), "counter", name, _NAMES)
    return "hardware or simulation", events


def _change(table: TomlTable, source: Source) -> str:
    """A range of commits, BASE..HEAD."""
    text = table.string("change")
    if not text:
        return ""
    base, dots, head = text.partition("..")
    if not (base and dots and head) or head.startswith(".") or text.startswith("-"):
        raise table.error(("change",), f"{quoted(text)} is not BASE..HEAD", "name two revisions")
    if source.kind != "git":
        hint = "write [source] git = … and revision = …"
        raise table.error(("change",), "needs a source from git", hint)
    return text
