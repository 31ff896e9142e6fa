"""What a statement does in a loop, beside taking time: calls, memory, collections, its bytecode.

Imported by driver.py in the interpreter under study; written as JSON. What it returns and changes
is in loop_values.py. Nothing here is timed for a verdict. Runs where driver.py does."""

# Python 2.7 has neither annotations nor f-strings.
# ruff: noqa: C401, C402, F401, SIM905, UP004, UP028, UP031, UP036

import dis
import gc
import itertools
import json
import os
import platform
import re
import sys
import sysconfig

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from whyfast.turns.timeit.loop_values import (
        ADDRESS,
        changes,
        name_of,
        shown,
        tokens_of,
        variables,
    )
else:
    import loop_values  # Python 2.7 clears a module that nothing holds
    from loop_values import ADDRESS, changes, name_of, shown, tokens_of, variables

#: Nanoseconds of loops after which the interpreter has specialised what it will.
WARM = 2 * 10**6
MOST_LOOPS = 10**7

#: Loops under a profiler, and in which collections are counted; fewer where they take longer.
WATCHED, COLLECTED = 50, 20000
#: Nanoseconds that either may take without its tool.
PATIENCE = 2 * 10**7
#: Loops after which memory that is left is no cache, and nanoseconds of one of which no more than
#: four are looked at.
LEAKING, SLOW = 10, 5 * 10**8

#: Python functions whose bytecode is kept, those called most first.
MOST_FUNCTIONS = 4

#: What sysconfig says of how the interpreter was built; see facts_of of whyfast.interpreter.
_BUILD = """
CONFIG_ARGS OPT PY_CFLAGS PY_CORE_CFLAGS CONFIGURE_CFLAGS CONFIGURE_CFLAGS_NODIST PY_CFLAGS_NODIST
Py_DEBUG Py_GIL_DISABLED Py_ENABLE_SHARED
""".split()


def inspect(workload, out, clock, setup, kind, rest):
    # type: (Any, int, Callable[[], int], str, str, list[str]) -> None
    """Write what the workload does, or ``{"error": ...}``, to the descriptor ``out``."""
    answer = {}  # type: dict[str, Any]
    kept = None
    try:
        answer.update(_python())
        kept = _Watched(workload.prepare(setup, kind, rest, keep=True), clock)
        kept.work.run(kept, clock)
        answer.update(kept.found)
        work, empty = kept.work, workload.empty_loop()
        answer["empty"] = float(empty(clock, itertools.repeat(None, 1000))) / 1000
        if kept.found["loop"] < SLOW:
            work = workload.prepare(setup, kind, rest)
            plain = _Timed(work, clock, empty)
            work.run(plain, clock)
            answer.update(plain.found)
        answer["code"] = _listings(work, kept.codes)
        if kind == "statement":
            answer["folded"] = _folded(rest[0])
    except SyntaxError as error:
        where = {"<setup>": "setup", "<statement>": "statement"}.get(error.filename or "", "")
        where = where or error.filename or kind
        line = " line %s" % error.lineno if error.lineno else ""
        shown = ": " + error.text.strip() if error.text else ""
        answer = {"error": "%s%s: %s%s" % (where, line, error.msg, shown)}
    except workload.CannotPrepare as error:
        answer = {"error": str(error)}
    except Exception as error:
        name = type(error).__name__
        text = "%s: %s" % (name, error) if str(error) else name
        if kept is not None and "value" in kept.found:
            text += "; not in its first loop, but later: does it use up what the setup made?"
        answer = {"error": text}
    text = json.dumps(answer, sort_keys=True)
    data = text if isinstance(text, bytes) else text.encode("utf-8", "backslashreplace")
    while data:
        data = data[os.write(out, data) :]


def _python():
    # type: () -> dict[str, Any]
    known = sysconfig.get_config_vars()
    return {
        "implementation": platform.python_implementation(),
        "version": platform.python_version(),
        "compiler": platform.python_compiler(),
        "variables": dict((name, known.get(name)) for name in _BUILD),
    }


class _Watched(object):
    """Takes the turns in which the value, the variables, calls and memory are looked at."""

    def __init__(self, work, clock):
        # type: (Any, Callable[[], int]) -> None
        self.work = work
        self.found = {}  # type: dict[str, Any]
        self.codes = []  # type: list[Any]
        self._clock = clock
        self._nanoseconds = 1

    def __iter__(self):
        # type: () -> Iterator[Any]
        before = variables(sys._getframe(1))
        yield itertools.repeat(None, 1)
        first = self._nanoseconds
        slow = first >= SLOW
        self.found["loop"] = float(first)
        values = [shown(sys._getframe(1))]
        self.found["value"] = tokens_of(sys._getframe(1))
        states = [before, variables(sys._getframe(1))]
        calls, watched = _Calls(self._clock), _fitting(WATCHED, first)
        for loops in (1, 1) if slow else (1, 6):
            if slow and len(states) == 3:
                sys.setprofile(calls)
                watched = 1
            yield itertools.repeat(None, loops)
            values.append(shown(sys._getframe(1)))
            sys.setprofile(None)
            states.append(variables(sys._getframe(1)))
        self.found["shown"] = values[0]
        self.found["later"] = next((v for v in values if v != values[0]), None)
        self.found["changed"] = changes(states)
        if not slow:
            sys.setprofile(calls)
            yield itertools.repeat(None, watched)
            sys.setprofile(None)
        self.found["calls"], self.codes = calls.per_loop(watched)
        raised = _Raised()
        if first < PATIENCE:
            sys._getframe(1).f_trace = raised
            sys.settrace(raised)
            yield itertools.repeat(None, 1)
            sys.settrace(None)
        self.found["raised"] = raised.names
        for part in self._memory(first):  # yield from is not of 2.7
            yield part
        loops = _fitting(COLLECTED, first)
        if hasattr(gc, "get_stats") and not slow:
            gc.collect()  # else what came before may be what makes it run
            gc.enable()
            runs = _collections()
            yield itertools.repeat(None, loops)
            self.found["collections"] = float(_collections() - runs) / loops
            gc.disable()

    def _memory(self, first):
        # type: (int) -> Iterator[Any]
        """Most bytes that a loop has at once, and what each leaves behind."""
        try:
            import _tracemalloc as tracemalloc  # that one imports pickle and more
        except ImportError:  # Python 2.7 and PyPy
            return
        peaks = []
        for loops in (0, 1):  # without loops it is what a turn needs
            tracemalloc.start()
            yield itertools.repeat(None, loops)
            peaks.append(tracemalloc.get_traced_memory()[1])
            tracemalloc.stop()
        self.found["peak"] = max(0, peaks[1] - peaks[0])
        if hasattr(sys, "getallocatedblocks") and first < SLOW:
            loops = max(LEAKING, _fitting(WATCHED, first))
            gc.collect()  # empties the lists of free objects, too, which fill again
            blocks = sys.getallocatedblocks()
            yield itertools.repeat(None, loops)
            left = sys.getallocatedblocks() - blocks
            if gc.collect() < loops:  # no garbage that the collector would have to find
                left = sys.getallocatedblocks() - blocks
            self.found["left"] = float(left) / loops if left >= loops else 0.0

    def took(self, nanoseconds):
        # type: (int) -> None
        self._nanoseconds = max(1, nanoseconds)


class _Timed(object):
    """Takes turns until the loop is warm; what a loop takes then, and an empty one."""

    def __init__(self, work, clock, empty):
        # type: (Any, Callable[[], int], Callable[..., int]) -> None
        self.work = work
        self.found = {}  # type: dict[str, Any]
        self._clock = clock
        self._empty = empty
        self._nanoseconds = 0

    def __iter__(self):
        # type: () -> Iterator[Any]
        loops = 1
        while self._nanoseconds < WARM and loops < MOST_LOOPS:
            loops *= 2
            yield itertools.repeat(None, loops)
        times = []  # type: list[tuple[float, float]]
        for _ in range(3):
            yield itertools.repeat(None, loops)
            empty = self._empty(self._clock, itertools.repeat(None, loops))
            times.append((float(self._nanoseconds) / loops, float(empty) / loops))
        self.found["loop"] = min(times)[0]
        self.found["empty"] = min(empty for _, empty in times)

    def took(self, nanoseconds):
        # type: (int) -> None
        self._nanoseconds = nanoseconds


def _fitting(most, nanoseconds):
    # type: (int, int) -> int
    """Loops that take no longer than PATIENCE, three at the least."""
    return int(max(3, min(most, PATIENCE // nanoseconds)))


def _collections():
    # type: () -> int
    return sum(stats["collections"] for stats in gc.get_stats())


class _Calls(object):
    """A profiler that counts calls by the name of what is called."""

    def __init__(self, clock):
        # type: (Callable[[], int]) -> None
        self._clock = clock
        self._counts = {}  # type: dict[tuple[str, str], int]
        self._codes = {}  # type: dict[tuple[str, str], Any]

    def __call__(self, frame, event, argument):
        # type: (Any, str, Any) -> None
        if frame.f_globals.get("__name__") in (__name__, "whyfast_turn"):  # what looks on
            return
        if event == "c_call" and argument is not self._clock:
            key = ("C", name_of(argument))
        elif event == "call":
            key = ("Python", name_of(frame.f_code))
            self._codes[key] = frame.f_code
        else:
            return
        self._counts[key] = self._counts.get(key, 0) + 1

    def per_loop(self, loops):
        # type: (int) -> tuple[list[list[Any]], list[Any]]
        """[kind, name, calls a loop] and the code of Python functions, the most calls first. From
        3.12 on the first loop may have run before the profiler saw it."""
        ordered = sorted(self._counts.items(), key=lambda item: (-item[1], item[0]))
        calls = [[key[0], key[1], _round(float(n) / loops, loops)] for key, n in ordered]
        codes = [self._codes[key] for key, _ in ordered if key in self._codes]
        return calls, codes[:MOST_FUNCTIONS]


_ENDS = ("StopIteration", "StopAsyncIteration", "GeneratorExit")


class _Raised(object):
    """A tracer that notes the exceptions that are raised, but for those that end an iteration."""

    def __init__(self):
        # type: () -> None
        self.names = []  # type: list[str]

    def __call__(self, frame, event, argument):
        # type: (Any, str, Any) -> Any
        name = argument[0].__name__ if event == "exception" else _ENDS[0]
        if name not in _ENDS and name not in self.names:
            self.names.append(name)
        return self


def _round(number, loops):
    # type: (float, int) -> float
    """Without what a missed loop makes of a whole number."""
    whole = round(number)
    return float(whole) if whole and abs(number - whole) <= whole * 1.5 / loops else number


# Bytecode.


def _listings(work, codes):
    # type: (Any, list[Any]) -> list[dict[str, Any]]
    """The instructions of the statement, or of the function, and of Python functions called."""
    if work.called is None:
        first = [("statement", _in_loop(_instructions(work.function.__code__)))]
    else:
        code = getattr(work.called, "__code__", None)
        first = [(code.co_name, _instructions(code))] if code is not None else []
    own = getattr(work.called, "__code__", None)
    others = [(name_of(c), _instructions(c)) for c in codes if c is not own]
    return [
        {"name": name, "instructions": [[i[0], i[1], i[2]] for i in listing]}
        for name, listing in first + others
    ]


def _instructions(code):
    # type: (Any) -> list[tuple[str, str, str, int, Any]]
    """(name, argument in words, specialised name or empty, offset, argument) of each."""
    if not hasattr(dis, "get_instructions"):  # Python 2.7
        return []
    plain = list(dis.get_instructions(code))
    special = {}  # type: dict[int, str]
    if sys.version_info >= (3, 11) and platform.python_implementation() == "CPython":
        adaptive = dis.get_instructions(code, adaptive=True)
        special = dict((i.offset, i.opname) for i in adaptive)
    found = []
    for i in plain:
        if i.opname in ("CACHE", "EXTENDED_ARG"):
            continue
        other = special.get(i.offset, i.opname)
        if other.endswith("_ADAPTIVE"):  # what 3.11 has where it has not specialised yet
            other = i.opname
        argument = ADDRESS.sub("", i.argrepr)
        if i.opname.startswith(("JUMP", "POP_JUMP", "FOR_ITER")) or argument.startswith("to "):
            argument = ""  # an offset says nothing beside another listing
        found.append((i.opname, argument, other if other != i.opname else "", i.offset, i.argval))
    return found


def _in_loop(listing):
    # type: (list[tuple[str, str, str, int, Any]]) -> list[tuple[str, str, str, int, Any]]
    """Those of the statement: behind the store of the loop's variable, up to the jump back."""
    start = next((n for n, i in enumerate(listing) if "STORE" in i[0] and "_i" in _words(i)), None)
    if start is None:
        return listing
    head = next((i for i in reversed(listing[:start]) if i[0] == "FOR_ITER"), None)
    end = head[4] if head is not None else None
    inside = [i for i in listing[start + 1 :] if not isinstance(end, int) or i[3] < end]
    if listing[start][0] == "STORE_FAST_LOAD_FAST":  # one instruction for both, from 3.13 on
        name = _words(listing[start])[-1]
        inside.insert(0, ("LOAD_FAST", name, "", listing[start][3], name))
    while inside and inside[-1][0] in ("JUMP_BACKWARD", "JUMP_ABSOLUTE", "END_FOR"):
        inside.pop()
    return inside


def _words(instruction):
    # type: (tuple[str, str, str, int, Any]) -> list[str]
    return re.findall(r"\w+", instruction[1])


#: All that the code of a constant consists of.
_OF_A_CONSTANT = frozenset(
    ("LOAD_CONST", "LOAD_SMALL_INT", "RETURN_VALUE", "RETURN_CONST", "RESUME")
)


def _folded(text):
    # type: (str) -> list[list[str]]
    """[expression, value] of each part that the compiler has computed beforehand."""
    import ast

    if sys.version_info < (3, 8):  # no source of a node, no names of constants
        return []
    found = []
    waiting = list(ast.parse(text).body) if "await" not in text else []  # type: list[Any]
    while waiting:
        node = waiting.pop(0)
        if isinstance(node, (ast.BinOp, ast.UnaryOp)) and not _is_number(node):
            code = compile(ast.Expression(node), "<part>", "eval")
            if set(i.opname for i in dis.get_instructions(code)) <= _OF_A_CONSTANT:
                value = repr(eval(code, {"__builtins__": {}}))
                source = ast.get_source_segment(text, node) or "?"
                found.append([source, value if len(value) <= 40 else value[:37] + "..."])
                continue
        waiting.extend(ast.iter_child_nodes(node))
    return found


def _is_number(node):
    # type: (Any) -> bool
    """A number with a sign, which is written like an operation."""
    return type(node).__name__ == "UnaryOp" and type(node.operand).__name__ == "Constant"
