"""Do two builds run the same? Their programs, and what else they are made of that runs."""

from __future__ import annotations

import ast
import io
import tokenize
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from whyfast.explain.same_code import same_code
from whyfast.model.code import CodeComparison

#: What is read by people alone.
_FOR_PEOPLE = {".md", ".rst", ".adoc"}
#: Folders of which nothing runs: version control, what Python makes of its files by itself, and
#: what an installer notes about packages.
_NOT_RUN = {"__pycache__", ".git", ".github"}
_RECORDS = (".dist-info", ".egg-info")
#: Files at the top of a project that no program reads: what to measure, which is compared by
#: itself, and those for version control and editors.
_ASIDE = {
    "whyfast.toml",
    ".gitignore",
    ".gitattributes",
    ".editorconfig",
    ".pre-commit-config.yaml",
    "LICENSE",
    "COPYING",
}


def same_builds(base: tuple[Path, Path], head: tuple[Path, Path]) -> CodeComparison:
    """Compare two builds, each the folder that it was built in and the program's path in it.

    A program of machine code runs by itself, with the shared libraries that were built with it. Of
    any other, such as a script or the interpreter of a virtual environment, every file of the
    folder could be run or read, but for documents; a file of Python is the same when it says the
    same to Python.
    """
    own = [_is_machine_code(folder / program, folder) for folder, program in (base, head)]
    if own == [True, True]:
        return _machine_code(base, head)
    return _files(base[0], head[0])


def machine_code(folder: Path, program: Path) -> dict[str, Path] | None:
    """The program and the shared libraries that were built with it, by their names in the folder;
    None where the program is no machine code of its own."""
    if not _is_machine_code(folder / program, folder):
        return None
    return {str(program): folder / program, **_libraries(folder)}


def _machine_code(base: tuple[Path, Path], head: tuple[Path, Path]) -> CodeComparison:
    folders = base[0], head[0]
    found = same_code(base[0] / base[1], head[0] / head[1], folders)
    libraries = [_libraries(folder) for folder, _ in (base, head)]
    parts = [found]
    for name in sorted({*libraries[0], *libraries[1]}):
        one, other = libraries[0].get(name), libraries[1].get(name)
        if one is None or other is None:
            side = "base" if other is None else "head"
            said = f"the library {name} is only in the build of {side}"
            parts.append(CodeComparison(False, False, reasons=(said,)))
            continue
        part = same_code(one, other, folders)
        parts.append(replace(part, reasons=tuple(f"{name}: {r}" for r in part.reasons)))
    return CodeComparison(
        identical=all(p.identical for p in parts),
        same=all(p.same for p in parts),
        functions=tuple(f for p in parts for f in p.functions),
        reasons=tuple(r for p in parts for r in p.reasons),
        traced=all(p.traced for p in parts),
    )


def _is_machine_code(program: Path, folder: Path) -> bool:
    """Whether the file is a program of its own, and not an interpreter from elsewhere."""
    if not program.resolve().is_relative_to(folder.resolve()):
        return False
    return _begins(program, b"\x7fELF") and not (program.parent.parent / "pyvenv.cfg").exists()


def _begins(path: Path, mark: bytes) -> bool:
    with path.open("rb") as file:
        return file.read(len(mark)) == mark


def _libraries(folder: Path) -> dict[str, Path]:
    return {
        str(path.relative_to(folder)): path
        for path in sorted(folder.rglob("*.so*"))
        if path.is_file() and not path.is_symlink() and _begins(path, b"\x7fELF")
    }


def _files(base: Path, head: Path) -> CodeComparison:
    files = [dict(_relevant(folder)) for folder in (base, head)]
    reasons = []
    for name in sorted({*files[0], *files[1]}):
        one, other = files[0].get(name), files[1].get(name)
        shown = name.removeprefix("src/")  # where the source is copied to
        if one is None or other is None:
            reasons.append(f"the file {shown} is only in {'base' if other is None else 'head'}")
        elif not _same_file(one, other, (base, head)):
            reasons.append(f"the file {shown} differs")
    return CodeComparison(not reasons, not reasons, reasons=tuple(reasons), traced=not reasons)


def _relevant(folder: Path) -> Iterator[tuple[str, Path]]:
    for path in sorted(folder.rglob("*")):
        relative = path.relative_to(folder)
        if not path.is_file() or path.suffix in (*_FOR_PEOPLE, ".pyc"):
            continue
        if (
            relative.name in _ASIDE
            or _NOT_RUN.intersection(relative.parts)
            or any(part.endswith(_RECORDS) for part in relative.parts)
        ):
            continue
        yield str(relative), path


def _same_file(one: Path, other: Path, folders: tuple[Path, Path]) -> bool:
    texts = [
        path.read_bytes().replace(str(folder).encode(), b"\0")
        for path, folder in zip((one, other), folders, strict=True)
    ]
    if texts[0] == texts[1]:
        return True
    if one.suffix == ".py":
        said = [_python(text) for text in texts]
        return said[0] is not None and said[0] == said[1]
    if ".so" in one.name and texts[0].startswith(b"\x7fELF"):
        return same_code(one, other, folders).same
    return False


def _python(text: bytes) -> str | None:
    """What a file of Python says, without comments and layout; None when it is not Python."""
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(text).readline)
        return ast.dump(ast.parse(text.decode(encoding)))
    except (SyntaxError, ValueError, LookupError, RecursionError):
        return None
