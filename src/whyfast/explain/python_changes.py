"""Which functions of a Python package a change touches, by their syntax."""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from whyfast.explain.python_files import (
    MODULE,
    PythonFile,
    PythonFunction,
    module_name,
    read_file,
)
from whyfast.model.code import ChangeKind, CodeComparison, FunctionChange

#: Lines of a difference of source text.
_LINES = 60

#: What the package does not read when it runs. Benchmarks and tests are those of the head on both
#: sides; what setup.py builds is compared itself.
_ASIDE = re.compile(
    r"(tests?|docs?|bench\w*|examples?|perf|asv_bench|scripts|ci)/"
    r"|[^/]*\.(toml|cfg|ini|txt|lock|ya?ml|in|conf\.jsonc?)$|(setup|noxfile|tasks|conftest)\.py$"
    r"|\.[^/]*/|([Mm]ake|GNUmake|[Jj]ust|Docker|Pip)file$"
)

#: Stubs for checkers; and what an extension is compiled from, which is compared itself.
_STUB, _COMPILED = ".pyi", (".c", ".cc", ".cpp", ".cxx", ".h", ".hpp", ".pyx", ".pxd", ".o")
#: Names by which docstrings are read, annotations are, and by which code gets at functions without
#: their names.
_DOCSTRINGS = "__doc__", "getdoc"
_ANNOTATIONS = (
    *("__annotations__", "get_annotations", "get_type_hints"),
    *("signature", "getfullargspec", "__signature__"),
)
_LOOKS_THROUGH = {".__dict__", "vars", "dir", "globals", "getmembers", ".getmembers"}


def with_functions(
    code: CodeComparison, base: Path, head: Path, commands: Iterable[str] = ()
) -> CodeComparison:
    """The comparison of two builds of a Python package with changed functions in place of changed
    files, where the files are Python; ``base`` and ``head`` are the folders of the builds, and
    ``commands`` the words that start benchmarks, of which some may be files. What else differs
    stays a reason. A docstring, an annotation, or what a name is plainly given when a module is
    imported, counts for the functions that may read it."""
    if code.functions or not code.reasons:
        return code
    functions: list[FunctionChange] = []
    reasons: list[str] = []
    values: dict[str, set[str]] = {}
    elsewhere: set[str] = set()
    aside: dict[tuple[str, tuple[str, ...]], set[str]] = {}
    unread = (_STUB, *(_COMPILED if next((head / "src").rglob("*.so"), None) else ()))
    for reason in code.reasons:
        # As same_builds writes them: the file NAME differs; the file NAME is only in SIDE.
        file = reason.removeprefix("the file ").rsplit(" differs")[0].rsplit(" is only in ")[0]
        if _ASIDE.match(file) or file.endswith(unread):
            continue
        before, after = read_file(base, file), read_file(head, file)
        outside = not any((folder / "src" / file).is_file() for folder in (base, head))
        if not file.endswith(".py") or outside or before is None or after is None:
            reasons.append(reason)
            continue
        functions += _changes(before.functions, after.functions)
        values[file] = {n for n, _ in before.bindings.items() ^ after.bindings.items()}
        # What only one side has, others cannot have asked for.
        elsewhere |= values[file] & before.bindings.keys() & after.bindings.keys()
        for name in before.functions.keys() & after.functions.keys():
            f, g = before.functions[name], after.functions[name]
            by_name = f.by_name if g.by_name else ""
            if f.docstrings != g.docstrings:
                aside.setdefault((file, _DOCSTRINGS), set()).add(by_name)
            if f.annotations != g.annotations:
                aside.setdefault((file, _ANNOTATIONS), set()).add(by_name)
    known = {f.name for f in functions}
    run = {word.removeprefix("{source}/").partition("/")[0] for word in commands}
    for words in (_DOCSTRINGS, _ANNOTATIONS):
        of_file = {file: names for (file, by), names in aside.items() if by == words}
        handed = _handed({n for names in of_file.values() for n in names}, words, base, head, run)
        for file, names in of_file.items():
            if names & handed:
                values[file].update(words)
                elsewhere.update(words)
    functions += [f for f in _readers(values, elsewhere, base, head, run) if f.name not in known]
    return replace(
        code,
        same=not functions and not reasons,
        functions=tuple(functions),
        reasons=tuple(reasons),
        traced=not reasons,
    )


def _handed(
    names: set[str], words: tuple[str, ...], base: Path, head: Path, run: Collection[str]
) -> set[str]:
    """Of the functions of these ``names``, empty for what has other ways to it, too, those that
    may be had as objects, of which ``words`` read docstrings or annotations, and not only be
    called: all of them where what does so looks through what there is."""
    if not names - {""}:
        return names
    asking = {f".{word}" for word in words} | {word for word in words if word[0] != "_"}
    sought = [name.encode() for name in (*(names - {""}), *words)]
    found = {""}
    for path in sorted((head / "src").rglob("*.py")):
        file, text = str(path.relative_to(head / "src")), path.read_bytes()
        aside = _ASIDE.match(file) and Path(file).parts[0] not in run
        if aside or not any(word in text for word in sought):
            continue
        for side in filter(None, (read_file(base, file), read_file(head, file))):
            reads = {name for f in side.functions.values() for name in f.reads}
            if reads & asking and ("*" in side.handed or reads & _LOOKS_THROUGH):
                return names
            found |= side.handed
    return names & found


def _readers(
    values: dict[str, set[str]], elsewhere: set[str], base: Path, head: Path, run: Collection[str]
) -> Iterator[FunctionChange]:
    """The functions that may read one of the ``values`` that differ, by the file that sets them,
    those in other files only of ``elsewhere``, or a value that is made of one;
    in place of those that a file may read which lies beside the package, in a folder from which one
    is ``run``, the code that sets them."""
    more = True
    while more:
        more = False
        for file, side, seen in _seen(values, elsewhere, base, head):
            made = {name for name, reads in side.made_of.items() if reads & seen}
            if made - values.setdefault(file, set()):
                values[file] |= made
                elsewhere |= made
                more = True
    aside = set[str]()
    changes: dict[str, FunctionChange] = {}
    for file, side, seen in _seen(values, elsewhere, base, head):
        for function in side.functions.values():
            if not (reads := function.reads & seen):
                continue
            if Path(file).parts[0] in run and _ASIDE.match(file):
                aside |= {name.removeprefix(".") for name in reads}
            elif not _ASIDE.match(file):
                changes[function.name] = FunctionChange(function.name, "changed", (0, 0))
    for file, names in values.items():
        if names & aside:
            sides = [(read_file(folder, file) or PythonFile()).bindings for folder in (base, head)]
            diff = [
                f"{sign}{side[name]}"
                for name in sorted(names & aside)
                for sign, side in zip("-+", sides, strict=True)
                if name in side
            ]
            name = f"{module_name(file)}.{MODULE}"
            changes[name] = FunctionChange(name, "changed", (0, 0), diff=tuple(diff))
    yield from changes.values()


def _seen(
    values: Mapping[str, set[str]], elsewhere: set[str], base: Path, head: Path
) -> Iterator[tuple[str, PythonFile, set[str]]]:
    """The files, of both sides, that hold one of the values' names, and by which words code reads
    these there."""
    changed = {name for names in values.values() for name in names}
    words = [name.encode() for name in changed]
    for path in sorted((head / "src").rglob("*.py")):
        file, text = str(path.relative_to(head / "src")), path.read_bytes()
        if not any(word in text for word in words):
            continue
        for side in filter(None, (read_file(base, file), read_file(head, file))):
            bare = set(values.get(file, ())) | (changed if "*" in side.imported else set())
            names = {f".{name}" for name in elsewhere} | bare | (side.imported & elsewhere)
            yield file, side, names


def of_the_package(names: Iterable[str]) -> list[str]:
    """Of a project's files those of Python that its package may read when it runs."""
    return [name for name in names if name.endswith(".py") and not _ASIDE.match(name)]


def executed_name(folder: Path, code: tuple[str, int, str]) -> str:
    """What a code object that ran, by its file, first line and name, is called in
    :func:`with_functions`; empty when it is none of the build's own."""
    file, line, name = code
    try:
        relative = Path(file).relative_to(folder / "src")
    except ValueError:
        return ""
    if name == MODULE:
        return f"{module_name(str(relative))}.{MODULE}"
    known = read_file(folder, str(relative)) or PythonFile()
    around = [f for f in known.functions.values() if f.first <= line <= f.last]
    return max(around, key=lambda f: f.first).name if around else ""


def _changes(
    before: Mapping[str, PythonFunction],
    after: Mapping[str, PythonFunction],
) -> Iterator[FunctionChange]:
    for name in dict.fromkeys((*after, *before)):
        old, new = before.get(name), after.get(name)
        if old and new and old.says == new.says:
            continue
        kind: ChangeKind = "changed" if old and new else "added" if new else "removed"
        before_text, after_text = (f.text if f else () for f in (old, new))
        diff = list(difflib.unified_diff(before_text, after_text, lineterm="", n=2))[2:]
        more = len(diff) - _LINES
        shown = (*diff[:_LINES], *([f"… {more} more lines"] if more > 0 else []))
        yield FunctionChange(name, kind, (0, 0), diff=shown if kind == "changed" else ())
