"""Which programs a Makefile makes, as its text shows: nothing of it is run."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from whyfast.study.project import text_of

#: Names of targets that gather others.
_GATHERS = frozenset({"all", "build", "default", "main"})

#: Names of targets that make no program, whatever their recipe says.
_CHORES = re.compile(
    r"(bench|build-?tests?|check|clean|cov|deps|dist|doc|example|fmt|format|fuzz|help|init|install|"
    r"lint|man|release|run|setup|tags|test|tidy|uninstall|update|vendor|vet)(s|all|ed|ing|erage)?"
    r"([-_].*)?|(dist|very|real|maintainer)clean|(un)?install[-_].*"
    r"|(GNU)?[Mm]akefile|config(ure|\.\w+)?|stamp.*|\..+|libtool|TAGS"
)

#: Endings of what is made and no program.
_NO_PROGRAM = re.compile(
    r"\.(a|la|lo|o|d|c|cc|cpp|h|in|py|sh|pl|txt|md|html?|pdf|ps|xml|json|gz|xz|zip|tar|pc|dSYM|new|tmp|res|obj|[1-8])$"
    r"|\.so(\.|$)|\.dylib$"
)

#: Endings of sources that are made.
_SOURCE = re.compile(r"\.[ch](c|h|pp|xx)?$")

#: A recipe with one of these names the file that it makes.
_MAKES = re.compile(r"\$@|\$[({]@|(?<!\S)-o\b|\$[({]call\b")
_OUTPUT = re.compile(r"(?<!\S)-o\s+([^\s-]\S*)")

#: A name without anything that make or a shell would replace.
_PLAIN = re.compile(r"[\w./+-]+")

#: Targets that make a program for measuring, or only run one.
_BENCHMARK = re.compile(r"(.*[-_])?bench(mark)?s?([-_].*)?")

#: Words in the path of a program that is not built to be fast, and a flag in its recipe.
_CHECKED = "-fsanitize="
_DEBUGGED = re.compile(r"(?i:(?<![a-z])(debug|dbg|(a|t|ub|m)san|sanitized?|coverage)(?![a-z]))")

#: A flag of a recipe that runs what it makes, to make it again by the profile: no two are the same.
_PROFILED = "-fprofile-generate"

#: What a compiler makes whose command names no file, by a recipe that compiles.
_UNNAMED, _COMPILES = "a.out", re.compile(r"\$[({](CC|CXX)[)}]|(?<!\S)(g?cc|[gc]\+\+|clang)\s")

#: What fetches a file from the network.
_FETCHES = re.compile(r"(?<![\w./-])(curl|wget)\s")

#: ``$(NAME)``, ``${NAME}`` or ``$N``.
_VARIABLE = re.compile(r"(?<!\$)\$(?:[({](\w+)[)}]|(\w))")

#: A call of make's functions, whose value is not known.
_FUNCTION = re.compile(r"\$\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)")

#: What configure puts into a Makefile.in; most of it is empty.
_CONFIGURED = re.compile(r"@(\w+)@")

#: Another Makefile is asked: the folder and, if they are named, the file and the target.
_ASKS = re.compile(
    r"\$[({]MAKE[)}](?:[^;&|\n$]|\$(?![({]MAKE))*?-C\s*(?P<there>\S+)"
    r"(?:\s+-f\s*(?P<file>\S+))?(?:\s+(?P<what>[^\s;&|]+))?"
    r"|\bcd\s+(?P<gone>\S+)\s*(?:&&|;)\s*\$[({]MAKE[)}](?:\s+(?P<then>[^\s;&|]+))?"
)

_RULE = re.compile(
    r"(?P<targets>[^\s#:=][^#:=]*?)\s*::?(?!=)(?P<needs>(?:\$[({][^)}]*[)}]|\$(?![({])|[^#;=$])*+)(?:;(?P<recipe>[^#]*))?(#.*)?$"
)

#: The lines of conditions; a recipe goes on behind them.
_CONDITION = re.compile(r" *(?:(else)\b *)?(?:(ifn?eq|ifn?def)\b *\(?([^,]*),?(.*?)\)? *)?(#.*)?")

#: How deep Makefiles ask others, at most.
_DEEPEST = 4
#: Targets that are looked at, at most: one that calls the next is a call of Python, too.
_MOST_TARGETS = 200

#: Characters of a line that is read: a list of a thousand files has as many.
_LONGEST = 20_000


@dataclass
class Makefile:
    """What the text says: no functions, no included files.

    ``needs`` and ``recipes`` are by target, in the order of the file.
    """

    folder: Path
    variables: dict[str, str] = field(default_factory=dict)
    needs: dict[str, list[str]] = field(default_factory=dict)
    recipes: dict[str, str] = field(default_factory=dict)
    phony: set[str] = field(default_factory=set)

    def expand(self, text: str) -> str:
        """With the values of variables; unset ones are empty, as in make."""
        for _ in range(_DEEPEST):
            if len(text) > _LONGEST:
                return ""
            text = _VARIABLE.sub(lambda v: self.variables.get(v[1] or v[2], ""), text)
        return _FUNCTION.sub("", text)

    @property
    def runs_twice(self) -> bool:
        """Whether jobs side by side may write one source at once, as for ``a.c a.h: a.y``."""
        recipes = [r for t, r in self.recipes.items() if _SOURCE.search(t) and "$@" not in r]
        return len(set(recipes)) < len(recipes)

    @property
    def fetched(self) -> list[str]:
        """Files that are not there and would be fetched, as those that a checked-in one is of."""
        fetching = [t for t, recipe in self.recipes.items() if _FETCHES.search(recipe)]
        files = [t for t in fetching if _PLAIN.fullmatch(t) and t not in self.phony]
        return [name for name in files if not (self.folder / name).exists()]


def makefile_in(folder: Path) -> Path | None:
    """The file that make would read."""
    names = ("GNUmakefile", "makefile", "Makefile")
    return next((f for name in names if (f := folder / name).is_file()), None)


def read_makefile(file: Path) -> Makefile:
    """The variables, the targets and their recipes; of a ``Makefile.in`` as configure makes it."""
    makefile = Makefile(file.parent)
    text = text_of(file).replace("\\\n", " ")
    if file.suffix == ".in":
        text = _CONFIGURED.sub(lambda name: "o" if name[1] == "OBJEXT" else "", text)
    lines: list[str] = []
    for line in _taken(makefile, (line for line in text.splitlines() if len(line) <= _LONGEST)):
        lines.append(line)
        if match := re.match(r"\s*(?:export\s+)?(\w+)\s*(\+|::?|\?)?=\s*([^#]*)", line):
            before = makefile.variables.get(match[1], "") if match[2] == "+" else ""
            makefile.variables[match[1]] = f"{before} {match[3].strip()}".strip()
    targets: list[str] = []
    for line in lines:
        if line.startswith("\t"):
            for target in targets:
                makefile.recipes[target] = makefile.recipes.get(target, "") + line + "\n"
        elif match := _RULE.match(line):
            targets = makefile.expand(match["targets"]).split()
            needs = makefile.expand(match["needs"].split("|")[0]).split()
            if ".PHONY" in targets:
                makefile.phony.update(needs)
            for target in targets:
                makefile.needs.setdefault(target, []).extend(needs)
                if match["recipe"]:
                    before = makefile.recipes.get(target, "")
                    makefile.recipes[target] = f"{before}\t{match['recipe']}\n"
        elif line.strip() and not line.lstrip().startswith("#"):
            targets = []
    return makefile


def _taken(makefile: Makefile, lines: Iterable[str]) -> Iterator[str]:
    """The lines that make takes, given the variables of those before: of the branches of a
    condition on variables that the file sets one, of one on others all."""
    around: list[bool | None] = []  # True in the branch that is taken, None where that is unknown
    done: list[bool] = []
    for line in lines:
        match = _CONDITION.fullmatch(line)
        if re.match(r" *endif\b", line):
            around[-1:], done[-1:] = [], []
        elif not match or not (match[1] or match[2]):
            if False not in around:
                yield line
        elif not match[1]:
            around.append(_holds(makefile, match))
            done.append(around[-1] is True)
        elif around and around[-1] is not None:
            around[-1] = not done[-1] and (_holds(makefile, match) if match[2] else True)
            done[-1] = done[-1] or around[-1] is not False


def _holds(makefile: Makefile, condition: re.Match[str]) -> bool | None:
    """Whether the condition does; None where it asks for what others set."""
    _, word, left, right, _ = condition.groups()
    asked = [a or b for a, b in _VARIABLE.findall(left + right)]
    if not (word.endswith("eq") and "," in condition[0] and asked):
        return None
    if not {*asked} <= {*makefile.variables}:
        return None
    equal = makefile.expand(left).strip() == makefile.expand(right).strip()
    return equal == (word == "ifeq")


def programs_of(file: Path) -> list[tuple[str, str]]:
    """Each target to make with the program that it makes, relative to the folder of the file: first
    of benchmarks, which time what the project is for; then of ``all``, of the first target and of
    the others, in their order; last those that are built to be debugged."""
    walk = _Walk()
    makefile = walk.read(file)
    targets = [t for t in makefile.needs if not t.startswith(".")]
    targets.sort(key=lambda target: target not in _GATHERS)
    found = [p for target in targets for p in _programs(makefile, target, walk, _DEEPEST)]
    found.sort(
        key=lambda made: bool(
            _DEBUGGED.search(made[1])
            or _CHECKED in makefile.expand(makefile.recipes.get(made[0], ""))
        )
    )
    return sorted(found, key=lambda made: not _BENCHMARK.fullmatch(made[0].rpartition("/")[2]))


class _Walk:
    """What was read and looked at: Makefiles may ask themselves and each other in circles."""

    def __init__(self) -> None:
        self._made: dict[Path, Makefile] = {}
        self._seen: set[tuple[int, str]] = set()

    def read(self, file: Path) -> Makefile:
        """The Makefile, read once."""
        if (real := file.resolve()) not in self._made:
            self._made[real] = read_makefile(file)
        return self._made[real]

    def again(self, makefile: Makefile, target: str) -> bool:
        """Whether the target was looked at, or many others were."""
        key = id(makefile), target  # one folder may have several
        if key in self._seen or len(self._seen) >= _MOST_TARGETS:
            return True
        self._seen.add(key)
        return False


def _programs(
    makefile: Makefile, target: str, walk: _Walk, depth: int
) -> Iterator[tuple[str, str]]:
    """Targets of this file with the programs behind them, the nearest first."""
    name = target.rsplit("/", 1)[-1]
    if not _PLAIN.fullmatch(target) or _NO_PROGRAM.search(name):
        return
    timed = _BENCHMARK.fullmatch(name)
    if walk.again(makefile, target) or (_CHORES.fullmatch(name) and not timed):
        return
    unnamed = "" if target in makefile.needs else makefile.recipes.get(".DEFAULT", "")
    recipe = makefile.recipes.get(target, unnamed)
    if asked := next(_asked(makefile, target, recipe), None):
        if depth:
            yield from ((target, program) for program in _asks(*asked, walk, depth - 1))
        return
    if _PROFILED in recipe:
        return
    needs = makefile.needs.get(target, [])
    if target in makefile.phony or name in _GATHERS:
        for need in needs:
            yield from _programs(makefile, need, walk, depth)
    elif recipe:
        compiles = _COMPILES.search(recipe)
        makes = _MAKES.search(recipe) or _MAKES.search(makefile.expand(recipe))
        if (compiles or not timed) and makes:
            if program := _output(makefile, target, recipe):
                yield target, program
        elif name == _UNNAMED and compiles:
            yield target, target
    elif target not in makefile.needs or any(re.search(r"\.(o|c|cc|cpp)$|\$", n) for n in needs):
        # By a rule that make has itself, or by one with a pattern.
        if not (makefile.folder / target).exists():
            yield target, target
    else:
        for need in needs:
            yield from _programs(makefile, need, walk, depth)


def _output(makefile: Makefile, target: str, recipe: str) -> str:
    """The program that the recipe makes: the target, unless it names other files alone; empty where
    none of these is a program."""
    files = [makefile.expand(name) for name in _OUTPUT.findall(recipe)]
    if not files or any(not _PLAIN.fullmatch(f) or f == target for f in files):
        return target
    return next((f for f in reversed(files) if not _NO_PROGRAM.search(f)), "")


def _asked(makefile: Makefile, target: str, recipe: str) -> Iterator[tuple[Path, str, str]]:
    """The other Makefile that the recipe asks, its folder as written, and the target."""
    for match in _ASKS.finditer(recipe):
        there = makefile.expand(match["there"] or match["gone"])
        what = makefile.expand(match["what"] or match["then"] or "").replace("$@", target)
        folder = makefile.folder / there
        file = folder / makefile.expand(match["file"]) if match["file"] else makefile_in(folder)
        if _PLAIN.fullmatch(there) and file and file.is_file():
            yield file, there, "" if "=" in what or what.startswith("-") else what


def _asks(file: Path, there: str, target: str, walk: _Walk, depth: int) -> Iterator[str]:
    makefile = walk.read(file)
    first = [target] if target else [t for t in makefile.needs if not t.startswith(".")][:1]
    for first_target in first:
        for _, program in _programs(makefile, first_target, walk, depth):
            yield posixpath.normpath(f"{there}/{program}")
