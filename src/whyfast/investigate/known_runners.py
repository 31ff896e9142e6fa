"""Commands that are benchmark runners themselves, whose time is mostly their own calibration."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from whyfast.model.errors import UserError

_PYTHON = re.compile(r"(python|pypy)[0-9.]*")

#: Options of timeit that take a word.
_WITH_WORD = {"n", "r", "s", "u", "number", "repeat", "setup", "unit"}


@dataclass
class _Timeit:
    """The parts of a ``python -m timeit`` command line."""

    python: str
    statement: list[str] = field(default_factory=list)
    setup: list[str] = field(default_factory=list)
    process: bool = False


def refuse_runners(lines: Sequence[str]) -> None:
    """UserError for a command that is a benchmark runner, with the command that does it right."""
    commands = [_words(line) for line in lines]
    timeits = [_timeit(words) for words in commands]
    if any(timeits):
        known = [t for t in timeits if t is not None]
        raise UserError(_refusal(lines[timeits.index(known[0])], "timeit", _instead(known)))
    for line, words in zip(lines, commands, strict=True):
        for name, fits, instead in _RUNNERS:
            if words and fits(words):
                raise UserError(_refusal(line, name, instead(words)))


def _refusal(line: str, name: str, instead: str) -> str:
    return (
        f"{line!r} is a benchmark runner ({name}), whose whole run is mostly its own warm-up and "
        f"calibration; instead: {instead}; to time the whole run anyway: --whole"
    )


def _words(line: str) -> list[str]:
    """The program, by its name alone, and its arguments; none of what is no command line."""
    try:
        program, *rest = shlex.split(line)
    except ValueError:
        return []
    program = program.rsplit("/", 1)[-1]
    if _PYTHON.fullmatch(program) and rest and re.match(r"-m\w", rest[0]):  # -mtimeit
        rest = ["-m", rest[0][2:], *rest[1:]]
    return [program, *rest]


def _timeit(words: Sequence[str]) -> _Timeit | None:
    """What ``python -m timeit`` or ``python -m pyperf timeit`` was given; None of others."""
    rest = _after(words, "timeit") or _after(words, "pyperf", "timeit")
    if rest is None:
        return None
    # pyperf's own program says nothing of its interpreter.
    found = _Timeit(words[0] if _PYTHON.fullmatch(words[0]) else "python3")
    waiting = list(rest)
    while waiting:
        word = waiting.pop(0)
        if not word.startswith("-") or word == "-":
            found.statement += [word, *waiting]
            break
        name, equals, value = word.lstrip("-").partition("=")
        if not word.startswith("--"):
            name, value = word[1:2], word[2:]
        if name in _WITH_WORD and not equals and not value:
            value = waiting.pop(0) if waiting else ""
        if name in ("s", "setup"):
            found.setup.append(value)
        found.process = found.process or name in ("p", "process")
    return found


def _after(words: Sequence[str], module: str, *more: str) -> list[str] | None:
    """The arguments behind ``python -m MODULE MORE``, or behind the program of that name."""
    if not words:
        return None
    start = [module, *more]
    if _PYTHON.fullmatch(words[0]) and "-m" in words:
        at = words.index("-m") + 1
        if list(words[at : at + len(start)]) == start:
            return list(words[at + len(start) :])
    if len(start) > 1 and list(words[: len(start)]) == start:
        return list(words[len(start) :])
    return None


def _instead(timeits: Sequence[_Timeit]) -> str:
    """The ``whyfast timeit`` of these; statements, setups and interpreters once each where they
    are the same."""
    statements = ["\n".join(t.statement) or "pass" for t in timeits]
    setups = ["\n".join(t.setup) for t in timeits]
    pythons = list(dict.fromkeys(t.python for t in timeits))
    words = ["whyfast", "timeit", *(statements if len(set(statements)) > 1 else statements[:1])]
    if len(set(setups)) == 1:
        words += ["-s", setups[0]] if setups[0] else []
    else:
        words += [word for setup in setups for word in ("--setup-each", setup)]
    if any(t.process for t in timeits):
        words.append("-p")
    if len(pythons) > 1 or pythons[0] not in ("python", "python3"):
        words += [word for python in pythons for word in ("--python", python)]
    return shlex.join(words)


def _hyperfine(words: Sequence[str]) -> str:
    commands = [word for word in words[1:] if " " in word]
    return shlex.join(["whyfast", "ab", *(commands or ["COMMAND", "COMMAND"])])


_STUDY = "a study that runs its benchmarks unmodified, side by side: whyfast new, whyfast check"

_TURNS = "programs that take turns (docs/turn-protocol.md), or whyfast compare on what it writes"

#: (name, whether the words are such a command, what to do instead)
_RUNNERS: tuple[
    tuple[str, Callable[[Sequence[str]], bool], Callable[[Sequence[str]], str]], ...
] = (
    ("hyperfine", lambda w: w[0] == "hyperfine", _hyperfine),
    (
        "pyperf",
        lambda w: _after(w, "pyperf") is not None or w[0] in ("pyperf", "pyperformance"),
        lambda w: _STUDY,
    ),
    ("pytest-benchmark", lambda w: any(x.startswith("--benchmark-") for x in w), lambda w: _STUDY),
    ("cargo bench", lambda w: w[0] == "cargo" and "bench" in w[1:3], lambda w: _STUDY),
    ("Criterion", lambda w: "--bench" in w[1:] and w[0] != "cargo", lambda w: _STUDY),
    (
        "go test -bench",
        lambda w: w[0] == "go" and "test" in w and any(x.lstrip("-")[:5] == "bench" for x in w),
        lambda w: _STUDY,
    ),
    (
        "JMH",
        lambda w: w[0] == "java" and any(x.endswith(("benchmarks.jar", "jmh.Main")) for x in w),
        lambda w: _TURNS,
    ),
    ("vitest bench", lambda w: "bench" in w[1:3] and "vitest" in w[:2], lambda w: _TURNS),
)
