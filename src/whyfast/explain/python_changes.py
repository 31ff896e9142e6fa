"""Which functions of a Python package a change touches, by their syntax."""

from __future__ import annotations

import ast
import difflib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from whyfast.model.code import ChangeKind, CodeComparison, FunctionChange

#: Lines of a difference of source text.
_LINES = 60
#: The code of a file outside of its functions.
MODULE = "<module>"

#: What the package does not read when it runs. Benchmarks and tests are those of the head on both
#: sides; what setup.py builds is compared itself.
_ASIDE = re.compile(
    r"(tests?|docs?|bench\w*|examples?|perf|asv_bench|scripts|ci)/"
    r"|[^/]*\.(toml|cfg|ini|txt|lock|ya?ml|in)$|(setup|noxfile|tasks|conftest)\.py$|\.[^/]*/"
)

_Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class PythonFunction:
    """``name`` is qualified by its module and classes, with a number from the second of a name on;
    ``first`` and ``last`` are lines of its file, decorators included; ``says`` is its syntax,
    without comments and layout."""

    name: str
    first: int
    last: int
    says: str


def with_functions(code: CodeComparison, base: Path, head: Path) -> CodeComparison:
    """The comparison of two builds of a Python package with changed functions in place of changed
    files, where the files are Python; ``base`` and ``head`` are the folders of the builds.

    What else differs stays a reason.
    """
    if code.functions or not code.reasons:
        return code
    functions: list[FunctionChange] = []
    reasons: list[str] = []
    for reason in code.reasons:
        # As same_builds writes them: the file NAME differs; the file NAME is only in SIDE.
        file = reason.removeprefix("the file ").rsplit(" differs")[0].rsplit(" is only in ")[0]
        if _ASIDE.match(file):
            continue
        both = _functions(base, file), _functions(head, file)
        outside = not any((folder / "src" / file).is_file() for folder in (base, head))
        if not file.endswith(".py") or outside or None in both:
            reasons.append(reason)
            continue
        functions += _changes(both[0] or {}, both[1] or {}, (base, head), file)
    return replace(
        code,
        same=not functions and not reasons,
        functions=tuple(functions),
        reasons=tuple(reasons),
        traced=not reasons,
    )


def executed_name(folder: Path, code: tuple[str, int, str]) -> str:
    """What a code object that ran, by its file, first line and name, is called in
    :func:`with_functions`; empty when it is none of the build's own."""
    file, line, name = code
    try:
        relative = Path(file).relative_to(folder / "src")
    except ValueError:
        return ""
    if name == MODULE:
        return f"{_module(str(relative))}.{MODULE}"
    known = _functions(folder, str(relative)) or {}
    around = [f for f in known.values() if f.first <= line <= f.last]
    return max(around, key=lambda f: f.first).name if around else ""


def _functions(folder: Path, file: str) -> Mapping[str, PythonFunction] | None:
    """By name; empty where there is no such file, None where it is not Python."""
    path = folder / "src" / file
    if not path.is_file():
        return {}
    try:
        tree = ast.parse(path.read_bytes())
    except (SyntaxError, ValueError, RecursionError):
        return None
    module = _module(file)
    found: dict[str, PythonFunction] = {}
    for function in _defined(tree, module):
        name, number = function.name, 2
        while name in found:  # as of a property, which has several functions
            name, number = f"{function.name} ({number})", number + 1
        found[name] = replace(function, name=name)
    _Empty().visit(tree)
    found[f"{module}.{MODULE}"] = PythonFunction(f"{module}.{MODULE}", 0, 0, ast.dump(tree))
    return found


def _module(file: str) -> str:
    parts = Path(file).with_suffix("").parts
    if parts[0] in ("src", "lib") and len(parts) > 1:
        parts = parts[1:]
    return ".".join(parts[:-1] if parts[-1] == "__init__" and len(parts) > 1 else parts)


def _defined(tree: ast.AST, prefix: str) -> Iterator[PythonFunction]:
    """Functions and methods; what is defined inside of one belongs to it."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, _Function):
            first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
            last = node.end_lineno or node.lineno
            yield PythonFunction(f"{prefix}.{node.name}", first, last, ast.dump(node))
        elif isinstance(node, ast.ClassDef):
            yield from _defined(node, f"{prefix}.{node.name}")
        else:
            yield from _defined(node, prefix)


class _Empty(ast.NodeTransformer):
    """Takes the bodies of functions away: they are compared by themselves."""

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        node.body = []
        return node

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> ast.AsyncFunctionDef:
        node.body = []
        return node


def _changes(
    before: Mapping[str, PythonFunction],
    after: Mapping[str, PythonFunction],
    folders: tuple[Path, Path],
    file: str,
) -> Iterator[FunctionChange]:
    for name in dict.fromkeys((*after, *before)):
        old, new = before.get(name), after.get(name)
        if old and new and old.says == new.says:
            continue
        kind: ChangeKind = "changed" if old and new else "added" if new else "removed"
        before_text, after_text = _text(folders[0], file, old), _text(folders[1], file, new)
        diff = list(difflib.unified_diff(before_text, after_text, lineterm="", n=2))[2:]
        more = len(diff) - _LINES
        shown = (*diff[:_LINES], *([f"… {more} more lines"] if more > 0 else []))
        yield FunctionChange(name, kind, (0, 0), diff=shown if kind == "changed" else ())


def _text(folder: Path, file: str, function: PythonFunction | None) -> list[str]:
    if function is None or not function.first:
        return []
    text = (folder / "src" / file).read_text(encoding="utf-8", errors="replace")
    return text.splitlines()[function.first - 1 : function.last]
