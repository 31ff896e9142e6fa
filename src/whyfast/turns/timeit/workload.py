"""What one side does in a loop: its setup with the statement, or a function of a file.

The statement stands in a loop inside of a function, with the setup before it, as in ``timeit``: its
names are local variables. Imported by driver.py, and runs where that does."""

# Python 2.7 has neither annotations nor f-strings.
# ruff: noqa: B904, F401, RUF005, UP004, UP024, UP031

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

#: The function around the workload. SETUP and WORK stand for statements. What iterates over
#: ``_turns`` waits for a grant; the clock is read right before and after the loops.
TEMPLATE = """
def _inner(_turns, _clock{names}):
    SETUP
    for _loops in _turns:
        _start = _clock()
        for _i in _loops:
            WORK
        _turns.took(_clock() - _start)
"""

#: The same around nothing: what the loop itself costs.
EMPTY = """
def _empty(_clock, _loops):
    _start = _clock()
    for _i in _loops:
        pass
    return _clock() - _start
"""

_ONLY_AST = 0x400  # ast.PyCF_ONLY_AST; the module takes longer to import than all else here

#: The nodes that make a function one of another kind, and those in which a function begins anew.
_AWAITING = ("Await", "AsyncFor", "AsyncWith")
_OTHER_FUNCTIONS = ("FunctionDef", "AsyncFunctionDef", "Lambda", "ClassDef", "GeneratorExp")


class CannotPrepare(Exception):
    """The statement, the setup, the file or the function cannot be used; says why."""


def empty_loop():
    # type: () -> Any
    """The function of :data:`EMPTY`."""
    names = {}  # type: dict[str, Any]
    exec(compile(EMPTY, "<empty loop>", "exec", 0, True), names)
    return names["_empty"]


class Workload(object):
    """``function`` is the inner function, ``values`` what it takes beside turns and clock.
    ``called`` is the user's function where one of a file is called, else None. ``waits``: the
    function is one of coroutines."""

    def __init__(self, function, values, called, waits):
        # type: (Any, tuple[Any, ...], Any, bool) -> None
        self.function = function
        self.values = values
        self.called = called
        self.waits = waits

    def run(self, turns, clock):
        # type: (Any, Callable[[], int]) -> None
        """Until there are no more turns."""
        result = self.function(turns, clock, *self.values)
        if not self.waits:
            return
        import asyncio

        if hasattr(asyncio, "run"):  # from 3.7 on
            asyncio.run(result)
        else:
            asyncio.get_event_loop().run_until_complete(result)


def prepare(setup, kind, rest, keep=False):
    # type: (str, str, list[str], bool) -> Workload
    """The workload; ``keep``: the value of its last expression is kept in ``_value``. Raises
    CannotPrepare, SyntaxError, and whatever the file and the setup of a function raise."""
    if kind == "file":
        return _function_of_file(setup, rest[0], rest[1], keep)
    names = {"__name__": "__main__", "__builtins__": __builtins__}  # type: dict[str, Any]
    before, _ = _statements(setup, "<setup>")
    work, waits = _statements(rest[0], "<statement>")
    before_waits = _waits(before)
    inner = _inner(before, work, keep, waits or before_waits, (), names)
    return Workload(inner, (), None, waits or before_waits)


def _function_of_file(setup, file, name, keep):
    # type: (str, str, str, bool) -> Workload
    """Calls the function; its parameters are names of the setup or the file, see :func:`_fixture`.
    The setup runs after the file, in its names."""
    module = _module(file)
    exec(compile(setup, "<setup>", "exec", 0, True), module.__dict__)
    called = module
    for part in name.split("."):
        if not hasattr(called, part):
            here = sorted(n for n, f in vars(module).items() if callable(f) and n[0] != "_")
            raise CannotPrepare(
                "%s has no function %s; it has %s" % (file, name, ", ".join(here[:20]) or "none")
            )
        called = getattr(called, part)
    parameters = _parameters(called, name)
    values = tuple(_fixture(module, p, (name,)) for p in parameters)
    waits = bool(getattr(_plain(called), "__code__", None)) and bool(
        _plain(called).__code__.co_flags & 0x80  # inspect.CO_COROUTINE
    )
    text = "%s_function(%s)" % ("await " if waits else "", ", ".join(parameters))
    # Inside of a coroutine even where nothing waits, it would be another loop than without.
    work, _ = _statements(text, "<call>")
    inner = _inner([], work, keep, waits, ("_function",) + parameters, {})
    return Workload(inner, (called,) + values, _plain(called), waits)


def _module(file):
    # type: (str) -> Any
    """The file as a module under its own name; its folder is where it imports from."""
    import types

    path = os.path.abspath(file)
    name = os.path.splitext(os.path.basename(path))[0]
    sys.path[0] = os.path.dirname(path)
    module = types.ModuleType(str(name))
    module.__file__ = path
    sys.modules[name] = module
    try:
        with open(path, "rb") as source:
            text = source.read()
    except (IOError, OSError) as error:
        raise CannotPrepare("%s cannot be read: %s" % (file, error.strerror))
    exec(compile(text, path, "exec", 0, True), module.__dict__)
    return module


def _parameters(function, name):
    # type: (Any, str) -> tuple[str, ...]
    """The names of the arguments that a call needs: positional parameters without a default."""
    plain = _plain(function)
    code = getattr(plain, "__code__", None)
    if code is None:  # a class, a function of C: called without arguments
        if not callable(plain):
            raise CannotPrepare("%s is no function" % name)
        return ()
    bound = 1 if getattr(function, "__self__", None) is not None else 0
    needed = code.co_argcount - len(plain.__defaults__ or ())
    return tuple(code.co_varnames[bound:needed])


def _plain(function):
    # type: (Any) -> Any
    """The function that the user wrote, also where pytest has made a fixture of it."""
    for attribute in ("_get_wrapped_function", "__pytest_wrapped__"):
        inner = getattr(function, attribute, None)
        if inner is not None:
            return inner() if callable(inner) else inner.obj
    return getattr(function, "__func__", function)


def _fixture(module, name, asked):
    # type: (Any, str, tuple[str, ...]) -> Any
    """The value of a parameter: what the function of that name returns (or yields first), given
    its own parameters in the same way; or the variable of that name."""
    if name in asked or not hasattr(module, name):
        raise CannotPrepare(
            "%s() needs %r, and there is no function or variable of that name in the file or the "
            "setup" % (asked[-1], name)
        )
    value = _plain(getattr(module, name))
    if not hasattr(value, "__code__"):
        return getattr(module, name)
    values = [_fixture(module, p, asked + (name,)) for p in _parameters(value, name)]
    made = value(*values)
    return next(made) if value.__code__.co_flags & 0x20 else made  # inspect.CO_GENERATOR


def _statements(text, place):
    # type: (str, str) -> tuple[list[Any], bool]
    """The statements of a text and whether they wait. SyntaxError also for what cannot stand in
    a loop of its own, such as ``return`` or ``break``."""
    try:
        nodes = compile(text, place, "exec", _ONLY_AST, True).body
    except SyntaxError:
        wrapped = _inside("async def _():", text)
        if sys.version_info[:2] != (3, 6) or "await" not in text:
            raise
        nodes = compile(wrapped, place, "exec", _ONLY_AST, True).body[0].body
    waits = _waits(nodes)
    if not waits:
        compile(text, place, "exec", 0, True)
    elif _has(nodes, ("Return", "Yield", "YieldFrom")):
        raise SyntaxError("'return' and 'yield' cannot be timed")
    return nodes, waits


def _inside(head, text):
    # type: (str, str) -> str
    return head + "\n" + "\n".join(" " + line for line in text.splitlines()) + "\n"


def _waits(nodes):
    # type: (list[Any]) -> bool
    return _has(nodes, _AWAITING) or _has(nodes, ("comprehension",), "is_async")


def _has(nodes, kinds, flag=""):
    # type: (list[Any], tuple[str, ...], str) -> bool
    """Whether a node of one of these kinds is there, outside of functions of their own."""
    for node in nodes:
        kind = type(node).__name__
        if kind in kinds and (not flag or getattr(node, flag)):
            return True
        if kind in _OTHER_FUNCTIONS or not hasattr(node, "_fields"):
            continue
        for name in node._fields:
            value = getattr(node, name, None)
            if _has(value if isinstance(value, list) else [value], kinds, flag):
                return True
    return False


def _inner(before, work, keep, waits, names, scope):
    # type: (list[Any], list[Any], bool, bool, tuple[str, ...], dict[str, Any]) -> Any
    """The function of :data:`TEMPLATE` with these statements in their places."""
    text = TEMPLATE.format(names="".join(", " + name for name in names)).strip()
    if waits:
        text = "async " + text
    tree = compile(text, "<loop>", "exec", _ONLY_AST, True)
    body = tree.body[0].body
    turns = body[1]
    loop = turns.body[1]
    loop.body = work or compile("pass", "<loop>", "exec", _ONLY_AST, True).body
    if keep and type(loop.body[-1]).__name__ == "Expr":
        kept = compile("_value = None", "<loop>", "exec", _ONLY_AST, True).body[0]
        kept.value = loop.body[-1].value
        loop.body = loop.body[:-1] + [kept]
    body[:1] = before
    exec(compile(tree, "<statement>", "exec", 0, True), scope)
    return scope["_inner"]
