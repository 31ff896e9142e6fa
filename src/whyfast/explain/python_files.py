"""A file of a Python package as its functions and what its module does, by its syntax."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import TypeVar

#: The code of a file outside of its functions.
MODULE = "<module>"
#: Names of a module that Python itself reads.
_OF_PYTHON = {
    *("__all__", "__annotations__", "__builtins__", "__cached__", "__dir__", "__doc__", "__file__"),
    *("__getattr__", "__loader__", "__name__", "__package__", "__path__", "__spec__"),
}
#: Decorators that do nothing with a docstring but keep it.
_KEEPS = {
    *("staticmethod", "classmethod", "property", "setter", "overload", "override"),
    *("abstractmethod", "contextmanager", "wraps", "cache", "lru_cache", "cached_property"),
}

_Function = ast.FunctionDef | ast.AsyncFunctionDef
_Documented = _Function | ast.ClassDef | ast.Module


@dataclass(frozen=True)
class PythonFunction:
    """``name`` is qualified by its module and classes, with a number from the second of a name on;
    ``first`` and ``last`` are lines of its file, decorators included; ``says`` is its syntax,
    without comments, layout, docstrings and names of variables; ``docstrings`` has these. ``reads``
    are the names of which it may read a value that others set, ``text`` what a difference shows.
    ``by_name`` is the only name by which its docstring is got at, if there is one."""

    name: str
    first: int
    last: int
    says: str
    docstrings: tuple[str, ...] = ()
    reads: frozenset[str] = frozenset()
    text: tuple[str, ...] = ()
    by_name: str = ""


@dataclass(frozen=True)
class PythonFile:
    """A file of Python: its functions, with its code outside of them as :data:`MODULE`, and the
    statements that give a name its one plain value. ``imported`` are names that it takes from
    others, ``*`` for all; ``handed`` as :func:`_handed_on` finds them."""

    functions: Mapping[str, PythonFunction] = field(default_factory=dict)
    constants: Mapping[str, str] = field(default_factory=dict)
    imported: frozenset[str] = frozenset()
    handed: frozenset[str] = frozenset()


@lru_cache(maxsize=4096)
def read_file(folder: Path, file: str) -> PythonFile | None:
    """The file of a build; empty where there is no such file, None where it is not Python."""
    path = folder / "src" / file
    if not path.is_file():
        return PythonFile()
    text = path.read_bytes()
    try:
        tree = _Unannotated().visit(ast.parse(text))
    except (SyntaxError, ValueError, RecursionError):
        return None
    module = module_name(file)
    lines = text.decode("utf-8", "replace").splitlines()
    functions: dict[str, PythonFunction] = {}
    imported = frozenset(
        a.name for n in ast.walk(tree) if isinstance(n, ast.ImportFrom) for a in n.names
    )
    handed = frozenset(_handed_on(tree))
    for function in _defined(tree, module):
        name, number = function.name, 2
        while name in functions:  # as of a property, which has several functions
            name, number = f"{function.name} ({number})", number + 1
        functions[name] = replace(
            function, name=name, text=tuple(lines[function.first - 1 : function.last])
        )
    _Empty().visit(tree)
    constants = _constants(tree)
    whole = _said(f"{module}.{MODULE}", 0, 0, tree)
    functions[whole.name] = replace(whole, text=tuple(ast.unparse(tree).splitlines()))
    return PythonFile(functions, constants, imported, handed)


def _handed_on(tree: ast.Module) -> Iterator[str]:
    """The names of what the code has as an object, but for what it just calls and for variables and
    arguments of functions; ``*`` for what it gets at by a name that it computes."""
    aside = {node.func for node in ast.walk(tree) if isinstance(node, ast.Call)}
    for function in ast.walk(tree):
        if isinstance(function, _Function):
            body = [node for part in function.body for node in ast.walk(part)]
            names = {n.name for n in function.body if isinstance(n, _Function)} | _stored(function)
            names |= {a.arg for a in ast.walk(function.args) if isinstance(a, ast.arg)}
            outer = (n for n in body if isinstance(n, ast.Global | ast.Nonlocal))
            names -= {name for node in outer for name in node.names}
            aside.update(n for n in body if isinstance(n, ast.Name) and n.id in names)
    for node in ast.walk(tree):
        if isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Load):
            if node not in aside:
                yield node.id if isinstance(node, ast.Name) else node.attr
        elif isinstance(node, ast.alias) and node.asname not in (None, node.name):
            yield node.name
        elif isinstance(node, ast.Call) and getattr(node.func, "id", "") == "getattr":
            yield next((str(a.value) for a in node.args[1:2] if isinstance(a, ast.Constant)), "*")


def _constants(tree: ast.Module) -> dict[str, str]:
    """Takes the statements away that give a name its one plain value; these, by name."""
    names = [
        n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
    ]
    constants: dict[str, str] = {}
    for statement in list(tree.body):
        if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
            continue
        target = statement.targets[0]
        if (
            not isinstance(target, ast.Name)
            or target.id in _OF_PYTHON
            or names.count(target.id) > 1
        ):
            continue
        try:
            ast.literal_eval(statement.value)
        except (ValueError, TypeError, SyntaxError, RecursionError):
            continue
        constants[target.id] = ast.unparse(statement)
        tree.body.remove(statement)
    return constants


def module_name(file: str) -> str:
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
            yield _said(f"{prefix}.{node.name}", first, last, node)
        elif isinstance(node, ast.ClassDef):
            yield from _defined(node, f"{prefix}.{node.name}")
        else:
            yield from _defined(node, prefix)


class _Unannotated(ast.NodeTransformer):
    """Takes away the annotations of local variables, which Python neither evaluates nor keeps."""

    _local = False

    def _inside(self, node: ast.AST, local: bool) -> ast.AST:
        before, self._local = self._local, local
        self.generic_visit(node)
        self._local = before
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        return self._inside(node, True)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> ast.AST:
        return self._inside(node, True)

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        return self._inside(node, False)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        # One without a value makes the name local.
        if not (self._local and node.simple and node.value):
            return node
        return ast.copy_location(ast.Assign([node.target], node.value), node)


class _Empty(ast.NodeTransformer):
    """Takes the bodies of functions away, and plain defaults: they are compared by themselves."""

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        return _emptied(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> ast.AsyncFunctionDef:
        return _emptied(node)


_AnyFunction = TypeVar("_AnyFunction", ast.FunctionDef, ast.AsyncFunctionDef)


def _emptied(node: _AnyFunction) -> _AnyFunction:
    node.body = []
    arguments = node.args
    arguments.defaults = [v for v in arguments.defaults if not isinstance(v, ast.Constant)]
    arguments.kw_defaults = [v for v in arguments.kw_defaults if not isinstance(v, ast.Constant)]
    return node


#: What makes the names of variables count.
_ASKS_FOR_NAMES = {"locals", "vars", "dir", "eval", "exec", "_getframe", "currentframe"}
_OWN_SCOPE = (
    *(ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda),
    *(ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp),
)


def _stored(function: _Function) -> set[str]:
    """The names that it sets, outside of what has names of its own."""
    names = set[str]()
    todo: list[ast.AST] = [*function.body]
    while todo:
        node = todo.pop()
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
        if not isinstance(node, _OWN_SCOPE):
            todo += ast.iter_child_nodes(node)
    return names


def _locals(function: _Function) -> dict[ast.Name, str]:
    """Where the function names its variables, and a number for each: what these are called makes no
    difference. Left out are those that have a name in other ways, too, or outside of it."""
    variables = _stored(function)
    inside = [node for statement in function.body for node in ast.walk(statement)]
    around = [node for part in (function.args, *function.decorator_list) for node in ast.walk(part)]
    around += ast.walk(function.returns) if function.returns else []
    named = {node.id for node in around if isinstance(node, ast.Name)}
    for node in (*inside, *around):
        if isinstance(node, ast.Global | ast.Nonlocal):
            named.update(node.names)
        # Other ways to give a name: arguments, imports, functions, except, match.
        values = (getattr(node, key, None) for key in ("arg", "name", "asname", "rest"))
        named.update(value.partition(".")[0] for value in values if isinstance(value, str))
    asked = {getattr(node, "id", getattr(node, "attr", "")) for node in inside}
    if asked & _ASKS_FOR_NAMES or any(isinstance(node, ast.ClassDef) for node in inside):
        return {}
    numbers: dict[str, str] = {}
    return {
        node: numbers.setdefault(node.id, str(len(numbers)))
        for node in inside
        if isinstance(node, ast.Name) and node.id in variables - named
    }


def _said(name: str, first: int, last: int, node: ast.AST) -> PythonFunction:
    """What the code says and reads. Its docstrings are taken away for that, then given back."""
    docstrings: list[tuple[list[ast.stmt], ast.stmt]] = []
    reads = set[str]()
    for inner in ast.walk(node):
        if isinstance(inner, _Documented) and ast.get_docstring(inner, clean=False) is not None:
            docstrings.append((inner.body, inner.body.pop(0)))
        if isinstance(inner, ast.Name):
            reads.add(inner.id)
        elif isinstance(inner, ast.AugAssign) and isinstance(inner.target, ast.Attribute):
            reads.add(f".{inner.target.attr}")
        elif isinstance(inner, ast.Attribute) and not isinstance(inner.ctx, ast.Store):
            reads.add(f".{inner.attr}")
        elif isinstance(inner, ast.Constant) and isinstance(inner.value, str):
            reads.add(f".{inner.value}")  # as of getattr
        elif isinstance(inner, ast.alias) and inner.asname not in (None, inner.name):
            reads.add(inner.name)
    locals_ = _locals(node) if isinstance(node, _Function) else {}
    for variable, number in locals_.items():
        variable.id, locals_[variable] = number, variable.id
    says = ast.dump(node)
    for variable, called in locals_.items():
        variable.id = called
    for body, docstring in docstrings:
        body.insert(0, docstring)
    by_name = ""
    if isinstance(node, _Function) and all(body is node.body for body, _ in docstrings):
        decorators = [d.func if isinstance(d, ast.Call) else d for d in node.decorator_list]
        by = {getattr(d, "id", getattr(d, "attr", "")) for d in decorators}
        by_name = node.name if by <= _KEEPS else ""
    return PythonFunction(
        *(name, first, last, says, tuple(ast.dump(d) for _, d in docstrings)),
        reads=frozenset(reads),
        by_name=by_name,
    )
