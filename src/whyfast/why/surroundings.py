"""What differs around a program: the words of its command, variables, input and libraries.

:func:`compare_surroundings` finds the :class:`Factor` s by which two commands differ apart from
their programs. Each can be swapped between the sides; where nothing else differs, the whole
difference in time is its own.
"""

from __future__ import annotations

import filecmp
import math
import os
import re
import shlex
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from pathlib import Path

#: Variables that choose a language, its conventions and its encoding (locale(7)).
_LOCALE = re.compile(r"^(LC_\w+|LANG|LANGUAGE|LOCPATH)$")

#: Variables by which the dynamic loader chooses libraries (ld.so(8)).
_LIBRARY = re.compile(r"^LD_(PRELOAD|LIBRARY_PATH|AUDIT)$")

#: Programs whose first argument, or first file, is the program proper.
_INTERPRETER = re.compile(
    r"^(python[\d.]*|pypy[\d.]*|node|nodejs|deno|bun|ruby|perl|php|lua(jit)?|java|Rscript|guile"
    r"|sh|bash|dash|zsh|awk|gawk|mawk|sed)$"
)
_SCRIPT = re.compile(r"\.(py|pyc|m?js|rb|pl|php|lua|jar|class|java|R|scm|sh|awk|sed|wasm|go)$")

#: Programs that start another one, which their arguments name.
_LAUNCHERS = frozenset(
    {"env", "nice", "ionice", "taskset", "chrt", "numactl", "setarch", "stdbuf", "timeout"}
    | {"nohup", "prlimit", "setsid", "exec", "time"}
)

#: Syntax of a shell line whose words cannot be swapped one by one.
_OPAQUE = re.compile(r"[|;&`$*?(){}~]|\n|(?<!\\)!")
_REDIRECTIONS = ("<", ">", ">>")

#: Bytes of a file or folder up to which its content is compared; beyond, its size.
_COMPARED = 1 << 28


@dataclass(frozen=True)
class CommandLine:
    """A command in its parts: ``prefix`` words before the program, without the assignments of
    ``env`` in ``variables``; ``shell`` words if a shell runs the line."""

    program: str
    arguments: tuple[str, ...]
    variables: Mapping[str, str]
    prefix: tuple[str, ...] = ()
    shell: tuple[str, ...] = ()

    def words(self) -> tuple[str, ...]:
        """The command to execute."""
        assigned = tuple(f"{k}={v}" for k, v in self.variables.items())
        inner = (*self.prefix, self.program, *self.arguments)
        if not self.shell:
            return (*(("env", *assigned) if assigned else ()), *inner)
        line = " ".join(w if w in _REDIRECTIONS else shlex.quote(w) for w in inner)
        return (*(("env", *assigned) if assigned else ()), *self.shell, f"exec {line}")


@dataclass(frozen=True)
class Factor:
    """One thing that differs. ``key`` is ``locale``, ``environment``, ``input`` or ``library``;
    ``text`` says what the slow side has and the fast one, as ``{fast}``. ``fast`` and ``slow`` are
    the commands of these sides with what the other side has."""

    key: str
    text: str
    fast: tuple[str, ...]
    slow: tuple[str, ...]


@dataclass(frozen=True)
class Surroundings:
    """``factors`` by which the commands differ, and whether the programs are the same: their
    files, and what an interpreter runs."""

    factors: tuple[Factor, ...] = ()
    same_program: bool = False

    @property
    def alone(self) -> Factor | None:
        """The factor that is the only difference between the sides."""
        return self.factors[0] if self.same_program and len(self.factors) == 1 else None


def compare_surroundings(
    fast: Sequence[str],
    slow: Sequence[str],
    env: Mapping[str, str],
    folder: Path,
    began: float = math.inf,
) -> Surroundings:
    """What differs between two commands that are executed in ``folder`` with the variables
    ``env``. Files that were written since they ``began``, in seconds since the epoch, are their
    output."""
    a, b = parse_invocation(fast, env), parse_invocation(slow, env)
    if a is None or b is None:
        return Surroundings()
    same = _same_file(_found(a.program, env), _found(b.program, env), folder)
    factors = [*_variables(a, b, env), *_prefixes(a, b)]
    if _INTERPRETER.match(Path(a.program).name) or _INTERPRETER.match(Path(b.program).name):
        same = same and _same_scripts(a, b, folder)
        if same:
            factors += _arguments(a, b, folder, began)
    elif _same_options(a, b):
        factors += _arguments(a, b, folder, began)
    if a.shell != b.shell:
        same = False
    return Surroundings(tuple(factors), same)


def parse_invocation(words: Sequence[str], env: Mapping[str, str]) -> CommandLine | None:
    """A command in its parts; None for a line of a shell that does more than run one program."""
    shell: tuple[str, ...] = ()
    words = tuple(words)
    if len(words) == 3 and Path(words[0]).name in ("sh", "bash", "dash") and words[1] == "-c":
        line = words[2]
        bare = re.sub(r"'[^']*'", "", line)
        if _OPAQUE.search(bare):
            return None
        shell = words[:2]
        lexer = shlex.shlex(line, posix=True, punctuation_chars="<>")
        lexer.whitespace_split = True
        try:
            words = tuple(lexer)
        except ValueError:
            return None
        if any(set(w) <= {"<", ">"} and w not in _REDIRECTIONS for w in words):
            return None
        if words[:1] == ("exec",):
            words = words[1:]
    variables: dict[str, str] = {}
    prefix: list[str] = []
    for i, word in enumerate(words):
        name, sign, value = word.partition("=")
        if sign and name.isidentifier():
            variables[name] = value
        elif Path(word).name in _LAUNCHERS:
            prefix += [word] if Path(word).name not in ("env", "exec") else []
        elif not prefix or (not word.startswith("-") and _found(word, env) is not None):
            if word.startswith("-"):  # an option of env
                return None
            return CommandLine(word, words[i + 1 :], variables, tuple(prefix), shell)
        else:
            prefix.append(word)
    return None


def _found(program: str, env: Mapping[str, str]) -> Path | None:
    path = shutil.which(program, path=env.get("PATH"))
    return Path(path) if path else None


def _same_file(a: Path | None, b: Path | None, folder: Path) -> bool:
    if a is None or b is None:
        return False
    a, b = folder / a, folder / b
    try:
        if a.is_dir() and b.is_dir():
            return _same_folder(a, b)
        if a.resolve() == b.resolve():
            return True
        sizes = a.stat().st_size, b.stat().st_size
        if sizes[0] != sizes[1]:
            return False
        return sizes[0] > _COMPARED or filecmp.cmp(a, b, shallow=False)
    except OSError:
        return False


def _same_folder(a: Path, b: Path, most: int = 2000) -> bool:
    if a.resolve() == b.resolve():
        return True
    names = [sorted(p.relative_to(f) for p in f.rglob("*") if p.is_file()) for f in (a, b)]
    if names[0] != names[1] or len(names[0]) > most:
        return False
    return all(_same_file(a / name, b / name, a) for name in names[0])


def _same_options(a: CommandLine, b: CommandLine) -> bool:
    """Whether one program can be given the other's arguments: options of programs of other names
    mean other things, and may do harm."""
    optional = any(word.startswith("-") for word in (*a.arguments, *b.arguments))
    return Path(a.program).name == Path(b.program).name or not optional


def _variables(a: CommandLine, b: CommandLine, env: Mapping[str, str]) -> list[Factor]:
    """A factor for each kind of variable that differs: a locale is often several variables."""
    mine, theirs = {**env, **a.variables}, {**env, **b.variables}
    kinds: dict[str, list[str]] = {}
    for name in sorted(a.variables.keys() | b.variables.keys()):
        if mine.get(name) != theirs.get(name):
            kinds.setdefault(_kind(name), []).append(name)
    return [
        Factor(
            key,
            " and ".join(_assigned(n, mine.get(n), theirs.get(n)) for n in names),
            _with(a, b, names).words(),
            _with(b, a, names).words(),
        )
        for key, names in kinds.items()
    ]


def _kind(variable: str) -> str:
    if _LOCALE.match(variable):
        return "locale"
    return "library" if _LIBRARY.match(variable) else "environment"


def _assigned(name: str, fast: str | None, slow: str | None) -> str:
    def of(value: str | None) -> str:
        return "not set" if value is None else f"`{value}`"

    return f"`{name}` is {of(slow)} ({{fast}}: {of(fast)})"


def _with(side: CommandLine, other: CommandLine, names: Sequence[str]) -> CommandLine:
    """One side with some variables of the other."""
    kept = {k: v for k, v in side.variables.items() if k not in names}
    return replace(
        side, variables={**kept, **{n: other.variables[n] for n in names if n in other.variables}}
    )


def _prefixes(a: CommandLine, b: CommandLine) -> list[Factor]:
    if a.prefix == b.prefix:
        return []
    text = f"it is started by `{shlex.join(b.prefix)}`" if b.prefix else "it is started plainly"
    text += f" ({{fast}}: by `{shlex.join(a.prefix)}`)" if a.prefix else " ({fast}: plainly)"
    return [
        Factor(
            "environment",
            text,
            replace(a, prefix=b.prefix).words(),
            replace(b, prefix=a.prefix).words(),
        )
    ]


def _same_scripts(a: CommandLine, b: CommandLine, folder: Path) -> bool:
    """Whether an interpreter runs the same program: all of its words that name code."""

    def code(side: CommandLine) -> list[str]:
        words = side.arguments
        if "-c" in words[:4] or "-e" in words[:4]:
            return list(words)
        return [
            w
            for i, w in enumerate(words)
            if _SCRIPT.search(w) or (folder / w).is_dir() or words[i - 1 : i] == ("-m",)
        ]

    ours, theirs = code(a), code(b)
    return len(ours) == len(theirs) and all(
        x == y or _same_file(Path(x), Path(y), folder) for x, y in zip(ours, theirs, strict=True)
    )


def _arguments(a: CommandLine, b: CommandLine, folder: Path, began: float) -> list[Factor]:
    """One factor for all arguments that differ: names of files whose content is the same do not,
    nor those of files that are written."""

    def read(word: str) -> bool:
        return (folder / word).is_file() and (folder / word).stat().st_mtime < began

    def written(word: str) -> bool:
        return (folder / word).is_file() and not read(word)

    if len(a.arguments) == len(b.arguments):
        pairs = list(zip(a.arguments, b.arguments, strict=True))
        pairs = [(x, y) for x, y in pairs if x != y and not (written(x) and written(y))]
        differ = [(x, y) for x, y in pairs if not _same_file(Path(x), Path(y), folder)]
        if not differ:
            return []
        text = " and ".join(_described(x, y, folder) for x, y in differ[:2])
    else:
        text = _differing_words(a.arguments, b.arguments)
        files, theirs = ([w for w in side.arguments if read(w)] for side in (b, a))
        if files != theirs and files:
            text += f"; it reads {', '.join(f'`{f}`' for f in files[:2])}"
    return [
        Factor(
            "input",
            text,
            replace(a, arguments=b.arguments).words(),
            replace(b, arguments=a.arguments).words(),
        )
    ]


def _differing_words(fast: Sequence[str], slow: Sequence[str]) -> str:
    """The words that one side alone has."""
    removed: list[str] = []
    added: list[str] = []
    for kind, i, j, k, m in SequenceMatcher(None, fast, slow, autojunk=False).get_opcodes():
        if kind != "equal":
            removed += fast[i:j]
            added += slow[k:m]
    if not removed:
        return f"it has the further arguments {_short(added)}"
    if not added:
        return f"it lacks the arguments {_short(removed)}"
    return f"it has the arguments {_short(added)} where {{fast}} has {_short(removed)}"


def _short(words: Sequence[str], most: int = 60) -> str:
    line = shlex.join(words)
    return f"`{line if len(line) <= most else line[: most - 1] + '…'}`"


def _described(fast: str, slow: str, folder: Path) -> str:
    sizes = [_size(folder / w) for w in (fast, slow)]
    names = [os.path.basename(w) if len(w) > 40 else w for w in (fast, slow)]
    if None in sizes:
        return f"its argument is `{names[1]}` ({{fast}}: `{names[0]}`)"
    if sizes[0] != sizes[1]:
        return (
            f"its input `{names[1]}` has {sizes[1]:,} bytes ({{fast}}: `{names[0]}`, {sizes[0]:,})"
        )
    same = _same_lines(folder / fast, folder / slow)
    other = "the same lines in another order" if same else "as many bytes"
    return f"its input is another: `{names[1]}` ({{fast}}: `{names[0]}`, {other})"


def _same_lines(a: Path, b: Path, most: int = 1 << 26) -> bool:
    """Whether two files differ in the order of their lines only."""
    if a.stat().st_size > most:
        return False
    return sorted(a.read_bytes().splitlines()) == sorted(b.read_bytes().splitlines())


def _size(path: Path) -> int | None:
    try:
        return path.stat().st_size if path.is_file() else None
    except OSError:
        return None


_LDD = re.compile(r"^\s*(\S+)(?: => (/\S+))? \(0x[0-9a-f]+\)$", re.MULTILINE)


def parse_ldd(text: str) -> dict[str, Path]:
    """The files of the libraries that ldd lists, by the names that the program asks for."""
    return {
        os.path.basename(name): Path(path or name)
        for name, path in _LDD.findall(text)
        if path or name.startswith("/")
    }


def libraries_differ(fast: Mapping[str, Path], slow: Mapping[str, Path]) -> str:
    """What the slow side loads of libraries that the fast one does not; empty for the same."""
    changed = [n for n in slow if n in fast and not _same_file(fast[n], slow[n], Path())]
    texts = [f"it loads `{_version(slow[n])}` ({{fast}}: `{_version(fast[n])}`)" for n in changed]
    if more := [n for n in slow if n not in fast]:
        texts.append(f"it loads {', '.join(f'`{slow[n]}`' for n in more[:3])}")
    elif less := [n for n in fast if n not in slow]:
        texts.append(f"it does not load {', '.join(f'`{fast[n]}`' for n in less[:3])}")
    return " and ".join(texts[:2])


def _version(path: Path) -> Path:
    """The file itself: its name often ends in the version of the library."""
    try:
        return path.resolve()
    except OSError:
        return path


def with_libraries(
    around: Surroundings, fast: Sequence[str], slow: Sequence[str], differ: str
) -> Surroundings:
    """Adds what :func:`libraries_differ` says: to the variable that chooses libraries, or as a
    factor of its own where the program is the same and nothing else chooses them."""
    if not differ:
        return around
    factors = [
        replace(f, text=f"{differ}: {f.text}") if f.key == "library" else f for f in around.factors
    ]
    if around.same_program and not any(f.key == "library" for f in factors):
        factors.append(Factor("library", differ, tuple(slow), tuple(fast)))
    return replace(around, factors=tuple(factors))
