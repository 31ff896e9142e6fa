"""What builds a project of C: a Makefile that makes one program, or the C files themselves."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

from whyfast.model.errors import UserError
from whyfast.study.library import c_library
from whyfast.study.project import (
    SECTIONS,
    WHOLE,
    Project,
    first_group,
    instead_of,
    linked_again,
    needed,
    others,
    shell_word,
    sources,
    text_of,
    tools,
    wanted_first,
)

# Which program a Makefile makes shows in its text: nothing of it is run.

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

#: A call of make's functions, whose value is not known.
_FUNCTION = re.compile(r"\$\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)")

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

#: How deep Makefiles ask others, at most.
_DEEPEST = 4
#: Targets that are looked at, at most: one that calls the next is a call of Python, too.
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
    lines = [line for line in text.splitlines() if len(line) <= _LONGEST]
    for line in lines:
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


def program_of(file: Path) -> tuple[str, str] | None:
    """The target to make and the program that it makes, relative to the folder of the file; that of
    ``all`` or of the first target if it has one, else the first that there is."""
    walk = _Walk()
    makefile = walk.read(file)
    targets = [t for t in makefile.needs if not t.startswith(".")]
    targets.sort(key=lambda target: target not in _GATHERS)
    programs = (p for target in targets for p in _programs(makefile, target, walk, _DEEPEST))
    return next(programs, None)


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

    def again(self, makefile: Makefile, target: str) -> bool:
        """Whether the target was looked at, or many others were."""
        key = makefile.folder.resolve(), target
        if key in self._seen or len(self._seen) >= _MOST_TARGETS:
            return True
        self._seen.add(key)
        return False


def _programs(
    makefile: Makefile, target: str, walk: _Walk, depth: int
) -> Iterator[tuple[str, str]]:
    """Targets of this file with the programs behind them, the nearest first."""
    name = target.rsplit("/", 1)[-1]
    if not re.fullmatch(r"[\w./+-]+", target) or _NO_PROGRAM.search(name):
        return
    if walk.again(makefile, target) or _CHORES.fullmatch(name):
        return
    unnamed = "" if target in makefile.needs else makefile.recipes.get(".DEFAULT", "")
    recipe = makefile.recipes.get(target, unnamed)
    if asked := next(_asked(makefile, target, recipe), None):
        if depth:
            yield from ((target, program) for program in _asks(*asked, walk, depth - 1))
        return
    needs = makefile.needs.get(target, [])
    if target in makefile.phony or name in _GATHERS:
        for need in needs:
            yield from _programs(makefile, need, walk, depth)
    elif recipe:
        if _MAKES.search(recipe) or (name == _UNNAMED and _COMPILES.search(recipe)):
            yield target, target
    elif target not in makefile.needs or any(re.search(r"\.(o|c|cc|cpp)$|\$", n) for n in needs):
        # By a rule that make has itself, or by one with a pattern.
        if not (makefile.folder / target).exists():
            yield target, target
    else:
        for need in needs:
            yield from _programs(makefile, need, walk, depth)


def _asked(makefile: Makefile, target: str, recipe: str) -> Iterator[tuple[Path, str, str]]:
    """The other Makefile that the recipe asks, its folder as written, and the target."""
    for match in _ASKS.finditer(recipe):
        there = makefile.expand(match["there"] or match["gone"])
        what = makefile.expand(match["what"] or match["then"] or "").replace("$@", target)
        if re.fullmatch(r"[\w./+-]+", there) and (file := makefile_in(makefile.folder / there)):
            yield file, there, "" if "=" in what or what.startswith("-") else what


def _asks(file: Path, there: str, target: str, walk: _Walk, depth: int) -> Iterator[str]:
    makefile = walk.read(file)
    first = [target] if target else [t for t in makefile.needs if not t.startswith(".")][:1]
    for first_target in first:
        for _, program in _programs(makefile, first_target, walk, depth):
            yield f"{there.rstrip('/')}/{program}"


def c(folder: Path) -> Project:
    """A Makefile that makes one program, or the C files themselves."""
    makefile = makefile_in(folder)
    files = sources(folder, ("*.c", "src/*.c"))
    if makefile is not None:
        if not files and not re.search(
            r"\$[({]CC[)}]|\b(gcc|cc|clang)\b|\.[co]\b", text_of(makefile)
        ):
            raise UserError("compiles no C", where=makefile)
        try:
            return _make(makefile)
        except UserError:
            if not _mains(files):
                raise
    # A library has programs of its own in other folders.
    mains = _mains(files) or _mains(sources(folder, _ASIDE))
    if not mains:
        raise UserError("no C file with a main()", where=folder)
    mains = _likeliest(mains, folder)
    further: list[Project] = []
    for main in mains[1:4]:
        with suppress(UserError):  # a name that no step may hold
            further.append(_of_files(folder, files, [main, *(f for f in mains if f != main)]))
    with suppress(UserError):
        return replace(_of_files(folder, files, mains, further), otherwise=c_library(folder))
    return _of_files(folder, files, mains, further)


#: Where a library has programs.
_ASIDE = ("bench*/*.c", "example*/*.c", "test*/*.c")


def _mains(files: Sequence[Path]) -> list[Path]:
    return [f for f in files if re.search(r"\bmain\s*\(", text_of(f))]


def _of_files(
    folder: Path, files: Sequence[Path], mains: Sequence[Path], further: Sequence[Project] = ()
) -> Project:
    """The first of those with a main() with the files that have none."""
    chosen = mains[0]
    files = [*files, *(f for f in mains if f not in files)]
    linked = [f for f in files if f == chosen or f not in mains]
    names = " ".join("{source}/" + shell_word(f.relative_to(folder)) for f in linked)
    include = "-I{source} -I{source}/include" if (folder / "include").is_dir() else "-I{source}"
    comments = [f"The program consists of {chosen.name} and the files without a main()."]
    if mains[1:]:
        names_of = ", ".join(str(f.relative_to(folder)) for f in mains[1:])
        comments.append(f"Left out, with a main() of their own: {names_of}.")
    plain = Project(
        "path:cc",
        (f"{{cc}} {{cflags}} {include} -o {{program}} {names} {{ldflags}} -lm",),
        "program",
        cflags=("-O2", "-g"),
        benchmarks=WHOLE,
        comments=tuple(comments),
        others=tuple(further),
    )
    return replace(
        plain,
        # Each by itself: two folders may have files of one name.
        steps=(
            f"mkdir -p objects && for f in {names}; do "
            f'{{cc}} {{cflags}} {include} -c -o "objects/$(echo $f | tr / _).o" $f || exit; done',
        ),
        cflags=("-O2", "-g", SECTIONS),
        link="{cc} {cflags} -o {program} objects/*.o {layout} {ldflags} -lm",
        as_linked=plain,
    )


def _likeliest(mains: Sequence[Path], folder: Path) -> list[Path]:
    """First a benchmark; or what bears the project's name; or ``main.c``."""
    name = first_group(r"^([a-z]*)", folder.resolve().name.lower())
    return sorted(mains, key=lambda f: ("bench" not in f.name, f.stem != name, f.stem != "main"))


def _make(makefile: Path) -> Project:
    program_and_target = program_of(makefile)
    if program_and_target is None:
        raise UserError(
            "no target names the program that it builds; use --kind cmake, meson, …, or add such a "
            "target",
            where=makefile,
        )
    target, program = program_and_target
    jobs = "" if read_makefile(makefile).runs_twice else " -j{jobs}"
    make, flags = f"make -C {{source}}{jobs}", 'CFLAGS="{cflags}"'
    replaced = Project(
        "path:cc",
        (f"{make} CC={{cc}} {flags} {target}",),
        f"src/{program}",
        cflags=("-O2", "-g"),
        benchmarks=WHOLE,
        comments=("CFLAGS replace those of the Makefile; leave them out to have its own.",),
    )
    again = f'CC="{{cc}} {{layout}}" {target}'
    # A Makefile with CFLAGS += adds to those of the environment; with CFLAGS = it has its own.
    added = replace(
        replaced,
        steps=(f"{flags} {make} CC={{cc}} {target}",),
        comments=(
            "The Makefile sets CFLAGS, or adds to these; it does not build without its own.",
        ),
    )
    own = replace(
        replaced,
        steps=(f"{make} {target}",),
        cflags=(),
        comments=("Compiler and flags are those of the Makefile.",),
    )
    added = linked_again(added, f"{flags} {make} {again}")
    replaced = linked_again(replaced, f"{make} {flags} {again}")
    return replace(replaced, otherwise=replace(added, otherwise=own))


_FILES = ("Makefile.am", "*/Makefile.am", "*/*/Makefile.am")
_PROGRAMS = re.compile(r"^[ \t]*(bin|noinst)_PROGRAMS\s*\+?=\s*([^#\n]*)", re.MULTILINE)


def autotools(folder: Path) -> Project:
    """The first of ``bin_PROGRAMS``, or else of ``noinst_PROGRAMS``; without Automake what the
    ``Makefile.in`` makes."""
    generated = (folder / "configure").is_file()
    if not generated and not (folder / "configure.ac").is_file():
        raise UserError("has no configure and no configure.ac", where=folder)
    programs: dict[str, list[str]] = {"bin": [], "noinst": []}
    for file in sources(folder, _FILES):
        for kind, words in _PROGRAMS.findall(text_of(file).replace("\\\n", " ")):
            names = [w for w in words.split() if re.fullmatch(r"[\w./+-]+", w)]
            programs[kind] += [str((file.parent / n).relative_to(folder)) for n in names]
    names, target = programs["bin"] or programs["noinst"], ""
    if not names and (by_hand := program_of(folder / "Makefile.in")):
        target, names = f" {by_hand[0]}", [by_hand[1]]
    if not names:
        raise UserError(
            "no Makefile.am here names a program (bin_PROGRAMS), and no Makefile.in makes one",
            where=folder,
        )
    in_c, in_cxx = (
        len(sources(folder, tuple(f"{place}*.{end}" for place in ("", "*/") for end in ends)))
        for ends in (("c",), ("cc", "cpp", "cxx"))
    )
    cxx = in_cxx > in_c
    compiler, flags = ("CXX", "CXXFLAGS") if cxx else ("CC", "CFLAGS")
    # One that came with the source has the same date as the rest, so it is not made again.
    generate = () if generated else ("cd {source} && autoreconf -fi",)
    make = f"make -C {{source}} --silent -j{{jobs}}{target}"
    # With its shared libraries, libtool makes a shell script in the program's place.
    asked = text_of(folder / "configure.ac") + text_of(folder / "configure")
    static = (
        " --disable-shared" if re.search(r"LT_INIT|PROG_LIBTOOL|--enable-shared", asked) else ""
    )

    def way(names: list[str], further: Sequence[Project] = ()) -> Project:
        project = Project(
            "path:c++" if cxx else "path:cc",
            (
                *generate,
                f"cd {{source}} && ./configure --quiet{static} {compiler}={{cc}} "
                f'{flags}="{{cflags}}" LDFLAGS="{{ldflags}}"',
                make,
            ),
            f"src/{names[0]}",
            cflags=("-O2", "-g"),
            env=tools("autoreconf", "make"),
            benchmarks=WHOLE,
            comments=others(names),
            others=tuple(further),
        )
        return linked_again(project, f'{make} LDFLAGS="{{ldflags}} {{layout}}"')

    return way(names, [way(n) for n in instead_of(names)])


_MESON_DOCS = re.compile(r"\boption\s*\(\s*'((?:gtk_)?docs?|man(?:pages?)?)'[^)]*?'(bool|feature)")
_OFF = {"bool": "false", "feature": "disabled"}


def meson(folder: Path) -> Project:
    """A program that meson.build adds, of the project's name or installed; no documentation."""
    text = needed(folder / "meson.build")
    project = first_group(r"project\s*\(\s*'([\w.-]+)'", text)
    places, installed = dict[str, Path](), list[str]()
    for place in ("", *re.findall(r"\bsubdir\s*\(\s*'([\w./-]+)'", text)):
        # A name that goes on behind the quote is made when meson runs.
        for name, rest in re.findall(
            r"executable\s*\(\s*'([\w.-]+)'\s*(?![\s+/.])([^)]*)",
            text_of(folder / place / "meson.build"),
        ):
            places.setdefault(name, Path(place))
            installed += [name] if re.search(r"install\s*:\s*true", rest) else []
    names = wanted_first({n: p / n for n, p in places.items()}, project, installed)
    if not names:
        raise UserError("has no executable", where=folder / "meson.build")
    cxx = bool(re.search(r"project\s*\([^()]*'cpp'", text))
    compiler, language = ("CXX", "cpp") if cxx else ("CC", "c")
    options = text_of(folder / "meson_options.txt") + text_of(folder / "meson.options")
    without = [f"-D{o}={_OFF[kind]}" for o, kind in _MESON_DOCS.findall(options)]

    def way(names: list[str], further: Sequence[Project] = ()) -> Project:
        program = places[names[0]] / names[0]
        make = f"meson compile -C build -j{{jobs}} {program}:executable"
        made = Project(
            "path:c++" if cxx else "path:cc",
            (
                f"{compiler}={{cc}} meson setup --buildtype=release -Ddebug=true "
                f"{' '.join(('--wrap-mode=nodownload', *without))} "
                f'-D{language}_args="{{cflags}}" build {{source}}',
                make,
            ),
            f"build/{program}",
            env=tools("meson", "ninja"),
            benchmarks=WHOLE,
            comments=others(names),
            others=tuple(further),
        )
        again = f'meson configure build -D{language}_link_args="{{ldflags}} {{layout}}" && {make}'
        return linked_again(made, again)

    return way(names, [way(n) for n in instead_of(names)])
