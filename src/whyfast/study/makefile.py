"""Which program a Makefile makes, by its text: nothing of it is run."""

from __future__ import annotations

import re
from collections.abc import Iterator
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
)

#: Endings of what is made and no program.
_NO_PROGRAM = re.compile(
    r"\.(a|la|lo|o|d|c|cc|cpp|h|in|py|sh|pl|txt|md|html?|pdf|ps|xml|json|gz|xz|zip|tar|pc|res|obj|[1-8])$"
    r"|\.so(\.|$)|\.dylib$"
)

#: Endings of sources that are made.
_SOURCE = re.compile(r"\.[ch](c|h|pp|xx)?$")

#: A recipe with one of these names the file that it makes.
_MAKES = re.compile(r"\$@|\$[({]@|(?<!\S)-o\b|\$[({]call\b")

#: What a compiler makes whose command names no file, by a recipe that compiles.
_UNNAMED, _COMPILES = "a.out", re.compile(r"\$[({](CC|CXX)[)}]|(?<!\S)(g?cc|[gc]\+\+|clang)\s")

#: ``$(NAME)``, ``${NAME}`` or ``$N``.
_VARIABLE = re.compile(r"(?<!\$)\$(?:[({](\w+)[)}]|(\w))")

#: What configure puts into a Makefile.in; most of it is empty.
_CONFIGURED = re.compile(r"@(\w+)@")

#: Another Makefile is asked: the folder and, if it is named, the target.
_ASKS = re.compile(
    r"\$[({]MAKE[)}](?:[^;&|\n$]|\$(?![({]MAKE))*?-C\s*(?P<there>\S+)(?:\s+(?P<what>[^\s;&|]+))?"
    r"|\bcd\s+(?P<gone>\S+)\s*(?:&&|;)\s*\$[({]MAKE[)}](?:\s+(?P<then>[^\s;&|]+))?"
)

_RULE = re.compile(
    r"(?P<targets>[^\s#:=][^#:=]*?)\s*::?(?!=)(?P<needs>(?:\$[({][^)}]*[)}]|\$(?![({])|[^#;=$])*+)(?:;(?P<recipe>[^#]*))?(#.*)?$"
)

#: So deep do Makefiles ask others, at most.
_DEEPEST = 4
#: So many targets are looked at, at most: one that calls the next is a call of Python, too.
_MOST_TARGETS = 200

#: Characters of a line that is read: a list of a thousand files has as many.
_LONGEST = 20_000


@dataclass
class Makefile:
    """What the text says: no conditions, no functions, no included files.

    ``needs`` and ``recipes`` are by target, in the order of the file.
    """

    folder: Path
    variables: dict[str, str] = field(default_factory=dict)
    needs: dict[str, list[str]] = field(default_factory=dict)
    recipes: dict[str, str] = field(default_factory=dict)
    phony: set[str] = field(default_factory=set)

    def expand(self, text: str) -> str:
        """With the values of variables; those that have none are empty, as in make."""
        for _ in range(_DEEPEST):
            if len(text) > _LONGEST:
                return ""
            text = _VARIABLE.sub(lambda v: self.variables.get(v[1] or v[2], ""), text)
        return text

    @property
    def runs_twice(self) -> bool:
        """Whether jobs side by side may write one source at once, as for ``a.c a.h: a.y``."""
        recipes = [r for t, r in self.recipes.items() if _SOURCE.search(t) and "$@" not in r]
        return len(set(recipes)) < len(recipes)


def makefile_in(folder: Path) -> Path | None:
    """The file that make would read."""
    names = ("GNUmakefile", "makefile", "Makefile")
    return next((f for name in names if (f := folder / name).is_file()), None)


def read_makefile(file: Path) -> Makefile:
    """The variables, the targets and their recipes; of a ``Makefile.in`` as configure makes it."""
    made = Makefile(file.parent)
    text = text_of(file).replace("\\\n", " ")
    if file.suffix == ".in":
        text = _CONFIGURED.sub(lambda name: "o" if name[1] == "OBJEXT" else "", text)
    lines = text.splitlines()
    lines = [line for line in lines if len(line) <= _LONGEST]
    for line in lines:
        if found := re.match(r"\s*(?:export\s+)?(\w+)\s*(\+|::?|\?)?=\s*([^#]*)", line):
            before = made.variables.get(found[1], "") if found[2] == "+" else ""
            made.variables[found[1]] = f"{before} {found[3].strip()}".strip()
    targets: list[str] = []
    for line in lines:
        if line.startswith("\t"):
            for target in targets:
                made.recipes[target] = made.recipes.get(target, "") + line + "\n"
        elif found := _RULE.match(line):
            targets = made.expand(found["targets"]).split()
            needs = made.expand(found["needs"].split("|")[0]).split()
            if ".PHONY" in targets:
                made.phony.update(needs)
            for target in targets:
                made.needs.setdefault(target, []).extend(needs)
                if found["recipe"]:
                    before = made.recipes.get(target, "")
                    made.recipes[target] = f"{before}\t{found['recipe']}\n"
        elif line.strip() and not line.lstrip().startswith("#"):
            targets = []
    return made


def program_of(file: Path) -> tuple[str, str] | None:
    """The target to make and the program that it makes, relative to the folder of the file; that of
    ``all`` or of the first target if it has one, else the first that there is."""
    walk = _Walk()
    made = walk.read(file)
    own = [t for t in made.needs if not t.startswith(".")]
    first = [t for t in own if t in _GATHERS] + own
    for target in dict.fromkeys(first):
        for found in _programs(made, target, walk, _DEEPEST):
            return found
    return None


class _Walk:
    """What was read and looked at: Makefiles may ask themselves and each other in circles."""

    def __init__(self) -> None:
        self._made: dict[Path, Makefile] = {}
        self._seen: set[tuple[Path, str]] = set()

    def read(self, file: Path) -> Makefile:
        """The Makefile, read once."""
        if (real := file.resolve()) not in self._made:
            self._made[real] = read_makefile(file)
        return self._made[real]

    def again(self, made: Makefile, target: str) -> bool:
        """Whether the target was looked at, or many others were."""
        key = made.folder.resolve(), target
        if key in self._seen or len(self._seen) >= _MOST_TARGETS:
            return True
        self._seen.add(key)
        return False


def _programs(made: Makefile, target: str, walk: _Walk, depth: int) -> Iterator[tuple[str, str]]:
    """Targets of this file with the programs behind them, the nearest first."""
    name = target.rsplit("/", 1)[-1]
    if not re.fullmatch(r"[\w./+-]+", target) or _NO_PROGRAM.search(name):
        return
    if walk.again(made, target):
        return
    if _CHORES.fullmatch(name):
        return
    unnamed = "" if target in made.needs else made.recipes.get(".DEFAULT", "")
    recipe = made.recipes.get(target, unnamed)
    if asked := next(_asked(made, target, recipe), None):
        if depth:
            yield from ((target, program) for program in _asks(*asked, walk, depth - 1))
        return
    needs = made.needs.get(target, [])
    if target in made.phony or name in _GATHERS:
        for need in needs:
            yield from _programs(made, need, walk, depth)
    elif recipe:
        if _MAKES.search(recipe) or (name == _UNNAMED and _COMPILES.search(recipe)):
            yield target, target
    elif target not in made.needs or any(re.search(r"\.(o|c|cc|cpp)$|\$", n) for n in needs):
        # By a rule that make has itself, or by one with a pattern.
        if not (made.folder / target).exists():
            yield target, target
    else:
        for need in needs:
            yield from _programs(made, need, walk, depth)


def _asked(made: Makefile, target: str, recipe: str) -> Iterator[tuple[Path, str, str]]:
    """The other Makefile that the recipe asks, its folder as written, and the target."""
    for found in _ASKS.finditer(recipe):
        there = made.expand(found["there"] or found["gone"])
        what = made.expand(found["what"] or found["then"] or "").replace("$@", target)
        if re.fullmatch(r"[\w./+-]+", there) and (file := makefile_in(made.folder / there)):
            yield file, there, "" if "=" in what or what.startswith("-") else what


def _asks(file: Path, there: str, target: str, walk: _Walk, depth: int) -> Iterator[str]:
    made = walk.read(file)
    first = [target] if target else [t for t in made.needs if not t.startswith(".")][:1]
    for one in first:
        for _, program in _programs(made, one, walk, depth):
            yield f"{there.rstrip('/')}/{program}"
