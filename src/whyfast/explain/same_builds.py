"""Are two builds the same: programs up to addresses, or the files that could be run or read?"""

from __future__ import annotations

import ast
import io
import os
import re
import tokenize
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from whyfast.explain.functions import COMPILED
from whyfast.explain.same_code import changed, same_code
from whyfast.model.build import is_layout
from whyfast.model.code import CodeComparison

#: Files for people alone, and what Python makes of its files.
_NOT_READ = {".md", ".rst", ".adoc", ".pyc"}
#: Folders of which nothing runs: caches, version control, and an installer's notes on packages.
_NOT_RUN = {"__pycache__", ".git", ".github"}
_RECORDS = (".dist-info", ".egg-info")
#: Files at the top of a project that no program reads: what to measure, which is compared by
#: itself, and those for version control and editors.
_ASIDE = {
    *("whyfast.toml", ".gitignore", ".gitattributes", ".editorconfig", ".pre-commit-config.yaml"),
    *("LICENSE", "COPYING", "README", "NEWS", "CHANGES", "CHANGELOG", "AUTHORS", "TODO", "HISTORY"),
}


def same_builds(base: tuple[Path, Path], head: tuple[Path, Path]) -> CodeComparison:
    """Compare two builds, each the folder that it was built in and the program's path in it. A
    program of machine code runs by itself, with the shared libraries that were built with it. Of
    any other, such as a script or the interpreter of a virtual environment, every file of the
    folder could be run or read, but for documents; a file of Python is the same when it says the
    same to Python."""
    programs = [_machine_code(*build) for build in (base, head)]
    if programs[0] is None or programs[1] is None:
        return _files(base[0], head[0])
    parts = []
    for name in sorted({*programs[0], *programs[1]}):
        left, right = programs[0].get(name), programs[1].get(name)
        if left is None or right is None:
            side = "base" if right is None else "head"
            parts.append(changed(f"the library {name} is only in the build of {side}"))
            continue
        part = same_code(left, right, (base[0], head[0]))
        library = f"{name}: " if name else ""
        parts.append(replace(part, reasons=tuple(f"{library}{r}" for r in part.reasons)))
    return CodeComparison(
        identical=all(p.identical for p in parts),
        same=all(p.same for p in parts),
        functions=tuple(f for p in parts for f in p.functions),
        reasons=tuple(r for p in parts for r in p.reasons),
        traced=all(p.traced for p in parts),
    )


#: Functions of Go's tests, with those inside of them.
_GO_TEST = re.compile(r"\.(Test|Example|Fuzz)([^a-z.][^.]*)?(\.|$)")


def without_go_tests(code: CodeComparison) -> CodeComparison:
    """With the tests in a program of Go's benchmarks as code that nothing runs: it is called to
    run benchmarks alone."""
    functions = tuple(
        replace(f, reached=f.reached and not _GO_TEST.search(f.name)) for f in code.functions
    )
    same = code.same or (not code.reasons and not any(f.reached for f in functions))
    return replace(code, same=same, functions=functions)


#: Sources of which a program may hold only what it uses.
_INCLUDED = (".h", ".hh", ".hpp", ".hxx", ".inl", ".rs", ".go")
#: Names of sources beside the program.
_BESIDE = re.compile(r"test|fuzz|example|demo|sample", re.IGNORECASE)
#: A comment, or in the group a string or character, which may look like one.
_COMMENT = re.compile(r"""("(?:\\.|[^"\\])*"|'(?:\\.|[^'\\\n])')|//[^\n]*|/\*.*?\*/""", re.DOTALL)


def not_linked(
    builds: Sequence[tuple[Path, Path]], names: Iterable[str], differ: Iterable[str]
) -> tuple[str, ...]:
    """Of the project's files ``names`` those that ``differ`` and are sources of which none of the
    builds, given as for :func:`same_builds`, holds anything, but for tests. None where the programs
    name none of the sources, as if stripped."""
    parts = [machine_code(*build) for build in builds]
    code = b"".join(file.read_bytes() for part in parts if part for file in part.values())

    def held(name: str) -> bool:
        return os.path.basename(name).encode() + b"\0" in code

    sources = [name for name in names if name.endswith(COMPILED)]
    if not any(map(held, sources)):
        return ()
    return tuple(n for n in differ if n in sources and not held(n) and not _BESIDE.search(n))


def of_tests(name: str) -> bool:
    """Whether that file of a project is one of its tests or examples, which no benchmark misses."""
    return bool(_BESIDE.search(name))


def differ_to_read(folders: tuple[Path, Path], names: Iterable[str]) -> tuple[str, ...]:
    """Of the files ``names`` that differ between two builds of a program of machine code, or that
    one lacks, those that it could read: not documents, nor libraries, which :func:`same_builds` has
    compared, nor other programs, nor what says the same in both."""
    found = []
    for name in names:
        path = Path(name)
        left, right = (folder / path for folder in folders)
        aside = path.name in _ASIDE or path.suffix in _NOT_READ or _NOT_RUN & {*path.parts}
        if aside or any(p.is_file() and _is_elf(p) for p in (left, right)):
            continue
        if not (left.is_file() and right.is_file() and _same_file(left, right, folders)):
            found.append(name)
    return tuple(found)


def unused_code(base: Path, head: Path, differ: Iterable[str]) -> tuple[str, ...]:
    """Of the sources that ``differ`` between the folders those with other code than before, and not
    just other comments or spaces, though the programs are the same."""
    found = []
    for name in differ:
        sides = [folder / name for folder in (base, head)]
        if not name.endswith((*COMPILED, *_INCLUDED)) or _BESIDE.search(name):
            continue
        texts = {_code(s.read_text(errors="replace")) if s.is_file() else "" for s in sides}
        found += [name] if len(texts) > 1 else []
    return tuple(found)


def _code(text: str) -> str:
    """Without comments and spaces, of a language with those of C."""
    return re.sub(r"\s+", "", _COMMENT.sub(lambda m: m[1] or "", text))


def machine_code(folder: Path, program: Path) -> dict[str, Path] | None:
    """The program and the shared libraries that were built with it, by their names in the folder;
    None where the program is no machine code of its own."""
    parts = _machine_code(folder, program)
    return parts and {name or str(program): path for name, path in parts.items()}


def _machine_code(folder: Path, program: Path) -> dict[str, Path] | None:
    """The program under an empty name, and the libraries; None for another's interpreter."""
    path = folder / program
    if not path.resolve().is_relative_to(folder.resolve()) or not _is_elf(path):
        return None
    if (path.parent.parent / "pyvenv.cfg").exists():
        return None
    libraries = {
        str(library.relative_to(folder)): library
        for library in sorted(folder.rglob("*.so*"))
        if library.is_file()
        and not library.is_symlink()
        and not is_layout(library.name)
        and _is_elf(library)
    }
    return {"": path, **libraries}


def _is_elf(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(4) == b"\x7fELF"


def _files(base: Path, head: Path) -> CodeComparison:
    files = [dict(_relevant(folder)) for folder in (base, head)]
    reasons, identical = [], True
    for name in sorted({*files[0], *files[1]}):
        left, right = files[0].get(name), files[1].get(name)
        shown = name.removeprefix("src/")  # where the source is copied to
        if left is None or right is None:
            reasons.append(f"the file {shown} is only in {'base' if right is None else 'head'}")
            continue
        a, b = _content(left, base), _content(right, head)
        identical = identical and a == b
        if a != b and not _says_the_same(left, right, a, b, (base, head)):
            reasons.append(f"the file {shown} differs")
    same = not reasons
    return CodeComparison(same and identical, same, reasons=tuple(reasons), traced=same)


def _relevant(folder: Path) -> Iterator[tuple[str, Path]]:
    for path in sorted(folder.rglob("*")):
        relative = path.relative_to(folder)
        aside = relative.name in _ASIDE or path.suffix in _NOT_READ
        not_run = any(p in _NOT_RUN or p.endswith(_RECORDS) for p in relative.parts)
        if path.is_file() and not aside and not not_run and not is_layout(path.name):
            yield str(relative), path


def _content(path: Path, folder: Path) -> bytes:
    """Without the place of the build."""
    return path.read_bytes().replace(str(folder).encode(), b"\0")


def _same_file(left: Path, right: Path, folders: tuple[Path, Path]) -> bool:
    a, b = _content(left, folders[0]), _content(right, folders[1])
    return a == b or _says_the_same(left, right, a, b, folders)


def _says_the_same(left: Path, right: Path, a: bytes, b: bytes, folders: tuple[Path, Path]) -> bool:
    if left.suffix == ".py":
        return (tree := _python(a)) is not None and tree == _python(b)
    library = ".so" in left.name and a.startswith(b"\x7fELF")
    return library and same_code(left, right, folders).same


def _python(text: bytes) -> str | None:
    """What a file of Python says, without comments and layout; None when it is not Python."""
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(text).readline)
        return ast.dump(ast.parse(text.decode(encoding)))
    except (SyntaxError, ValueError, LookupError, RecursionError):
        return None
