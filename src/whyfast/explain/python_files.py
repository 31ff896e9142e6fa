"""A file of a Python package as its functions and what its module does, by its syntax."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import TypeVar

#: The code of a file outside of its functions.
MODULE = "<module>"
#: Names of a module that Python itself reads.
_OF_PYTHON = {
    *("__annotations__", "__builtins__", "__cached__", "__dir__", "__doc__", "__file__"),
    *("__getattr__", "__loader__", "__name__", "__package__", "__path__", "__spec__"),
}
#: Modules that Python loads when it starts.
_STARTED = {"abc", "builtins", "codecs", "io", "os", "stat", "sys", "time"}
#: Decorators that keep docstrings and annotations, and do nothing else with them.
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
    without comments, layout, docstrings, annotations of arguments and names of variables;
    ``docstrings`` and ``annotations`` have these. ``reads`` are the names of which it may read a
    value that others set, ``text`` what a difference shows. ``by_name`` is the only name by which
    its docstring and annotations are got at, if there is one."""

    name: str
    first: int
    last: int
    says: str
    docstrings: tuple[str, ...] = ()
    annotations: tuple[str, ...] = ()
    reads: frozenset[str] = frozenset()
    text: tuple[str, ...] = ()
    by_name: str = ""


@dataclass(frozen=True)
class PythonFile:
    """A file of Python: its functions, with its code outside of them as :data:`MODULE`, and the
    statements that give a name its one plain value or take it from a module; ``made_of`` are the
    names that such a value reads. ``imported`` are names that it takes from others, ``*`` for all;
    ``handed`` as :func:`_handed_on` finds them."""

    functions: Mapping[str, PythonFunction] = field(default_factory=dict)
    bindings: Mapping[str, str] = field(default_factory=dict)
    made_of: Mapping[str, frozenset[str]] = field(default_factory=dict)
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
        tree = ast.parse(text)
        tree = _Unannotated(tree).visit(tree)
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
    bindings, made_of = _bindings(tree)
    whole = _said(f"{module}.{MODULE}", 0, 0, tree)
    functions[whole.name] = replace(whole, text=tuple(ast.unparse(tree).splitlines()))
    return PythonFile(functions, bindings, made_of, imported, handed)


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


def _bindings(tree: ast.Module) -> tuple[dict[str, str], dict[str, frozenset[str]]]:
    """Takes the statements away that give a name its one plain value, or take it from a module;
    these, by name, and what they read. That the module is loaded stays."""
    stored = [
        n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
    ]
    bindings: dict[str, str] = {}
    made_of: dict[str, frozenset[str]] = {}
    loaded: dict[str, ast.ImportFrom] = {}
    for statement in list(tree.body):
        given, imports = _given(statement), isinstance(statement, ast.Import | ast.ImportFrom)
        if not given or any(n in bindings or stored.count(n) > (not imports) for n in given):
            continue
        bindings |= given
        if not imports:
            made_of |= dict.fromkeys(given, _read_by(statement))
        tree.body.remove(statement)
        if isinstance(statement, ast.ImportFrom):
            statement.names = [ast.alias("...")]
            loaded["." * statement.level + str(statement.module)] = statement
    known = {a.name for s in tree.body if isinstance(s, ast.Import) for a in s.names}
    tree.body[:0] = [loaded[name] for name in sorted(loaded.keys() - known - _STARTED)]
    return bindings, made_of


def _given(statement: ast.stmt) -> dict[str, str]:
    """The names that it only gives a plain value or takes from a module, and how."""
    if isinstance(statement, ast.ImportFrom) and statement.module not in (None, "__future__"):
        if any(a.name == "*" or a.asname not in (None, a.name) for a in statement.names):
            return {}
        module = "." * statement.level + str(statement.module)
        return {a.name: f"from {module} import {a.name}" for a in statement.names}
    if isinstance(statement, ast.Import) and {a.name for a in statement.names} <= _STARTED:
        return {a.asname or a.name: f"import {a.name}" for a in statement.names}
    target: ast.expr
    value: ast.expr | None
    if isinstance(statement, ast.AnnAssign) and _SETTLED.search(ast.unparse(statement.annotation)):
        target, value = statement.target, statement.value
    elif isinstance(statement, ast.Assign) and len(statement.targets) == 1:
        (target,), value = statement.targets, statement.value
    else:
        return {}
    if not isinstance(target, ast.Name) or target.id in _OF_PYTHON or value is None:
        return {}
    return {target.id: ast.unparse(statement)} if _plain(value) else {}


#: Annotations of what is set once.
_SETTLED = re.compile(r"\b(TypeAlias|Final)\b")
#: What types are put together from.
_OF_TYPES = (
    *(ast.Name, ast.Attribute, ast.Subscript, ast.Constant, ast.Tuple, ast.List),
    *(ast.BinOp, ast.BitOr, ast.expr_context),
)


def _plain(value: ast.expr) -> bool:
    """Whether it is a constant, or puts a type together, which nothing else notices."""
    try:
        ast.literal_eval(value)
    except (ValueError, TypeError, SyntaxError, RecursionError):
        return all(isinstance(node, _OF_TYPES) for node in ast.walk(value))
    return True


def _read_by(statement: ast.stmt) -> frozenset[str]:
    nodes = [n for n in ast.walk(statement) if isinstance(getattr(n, "ctx", None), ast.Load)]
    names = {n.id for n in nodes if isinstance(n, ast.Name)}
    return frozenset(names | {f".{n.attr}" for n in nodes if isinstance(n, ast.Attribute)})


def _last_name(node: ast.AST) -> str:
    return str(getattr(node, "id", getattr(node, "attr", "")))


def module_name(file: str) -> str:
    parts = Path(file).with_suffix("").parts
    if parts[0] in ("src", "lib") and len(parts) > 1:
        parts = parts[1:]
    return ".".join(parts[:-1] if parts[-1] == "__init__" and len(parts) > 1 else parts)


def _defined(tree: ast.AST, prefix: str) -> Iterator[PythonFunction]:
    """Functions and methods, but for overloads, which never run; what is defined inside of one
    belongs to it."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, _Function):
            if "overload" in _decorators(node):
                continue
            first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
            last = node.end_lineno or node.lineno
            yield _said(f"{prefix}.{node.name}", first, last, node)
        elif isinstance(node, ast.ClassDef):
            yield from _defined(node, f"{prefix}.{node.name}")
        else:
            yield from _defined(node, prefix)


class _Unannotated(ast.NodeTransformer):
    """Takes away what does not run: annotations in functions, and what only checkers of types see;
    where Python keeps annotations as texts, they are."""

    _local = False

    def __init__(self, tree: ast.Module) -> None:
        imports = (s for s in tree.body if isinstance(s, ast.ImportFrom))
        self._as_texts = any(
            s.module == "__future__" and any(a.name == "annotations" for a in s.names)
            for s in imports
        )

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

    def visit_If(self, node: ast.If) -> ast.AST | list[ast.stmt]:
        self.generic_visit(node)
        asked = getattr(node.test, "id", getattr(node.test, "attr", ""))
        return node.orelse if asked == "TYPE_CHECKING" else node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        # One without a value makes the name local.
        if not (self._local and node.value):
            if self._as_texts and not self._local:
                # Not as getattr would be given a name.
                node.annotation = ast.Constant(f": {ast.unparse(node.annotation)}")
            return node
        return ast.copy_location(ast.Assign([node.target], node.value), node)


class _Empty(ast.NodeTransformer):
    """Takes functions away, which are compared by themselves: as a whole where their definition
    does nothing on import but give them their names, else their bodies and plain defaults."""

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef | None:
        return _emptied(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> ast.AsyncFunctionDef | None:
        return _emptied(node)


_AnyFunction = TypeVar("_AnyFunction", ast.FunctionDef, ast.AsyncFunctionDef)


def _emptied(node: _AnyFunction) -> _AnyFunction | None:
    arguments: ast.arguments = node.args
    defaults = [v for v in (*arguments.defaults, *arguments.kw_defaults) if v]
    node.body = []
    if _decorators(node) <= _KEEPS and not any(
        isinstance(inner, ast.Call) for value in defaults for inner in ast.walk(value)
    ):
        # That a class has one of these is seen by Python itself.
        special = node.name.startswith("__") and node.name.endswith("__")
        node.args, node.returns = ast.arguments([], [], None, [], [], None, []), None
        return node if special else None
    arguments.defaults = [v for v in arguments.defaults if not isinstance(v, ast.Constant)]
    arguments.kw_defaults = [v for v in arguments.kw_defaults if not isinstance(v, ast.Constant)]
    return node


def _decorators(function: _Function) -> set[str]:
    """Their last names."""
    called = [d.func if isinstance(d, ast.Call) else d for d in function.decorator_list]
    return {_last_name(d) for d in called}


def _annotations(function: _Function) -> Iterator[str]:
    """Takes them away from its arguments and its result."""
    args = function.args
    for arg in (*args.posonlyargs, *args.args, *args.kwonlyargs, args.vararg, args.kwarg):
        if arg and arg.annotation:
            yield f"{arg.arg}: {ast.dump(arg.annotation)}"
            arg.annotation = None
    if function.returns:
        yield ast.dump(function.returns)
        function.returns = None


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
    """What the code says and reads. Its docstrings are taken away for that, then given back;
    annotations are not, where nothing but their readers can see them."""
    known = isinstance(node, _Function) and _decorators(node) <= _KEEPS
    annotations = tuple(_annotations(node)) if isinstance(node, _Function) and known else ()
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
        by_name = node.name if known else ""
    return PythonFunction(
        *(name, first, last, says, tuple(ast.dump(d) for _, d in docstrings), annotations),
        reads=frozenset(reads),
        by_name=by_name,
    )
