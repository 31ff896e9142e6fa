"""Looks at a Python program from inside: Python imports this at its start if PYTHONPATH names the
folder.

``WHYFAST_PROBE`` is ``MODE:FOLDER``; each process writes ``FOLDER/PID.json`` at its end. Modes:

``sample``  where CPU time goes: the stack every millisecond, weighted by the CPU time since the one
            before; collections of garbage with their time; which modules are loaded
``count``   calls of every function of Python and C and from where, by ``_lsprof`` (cProfile's
            profiler, which works through ``sys.monitoring`` from Python 3.12 on)
``reach``   the same, and what runs code that is not seen so, or reads a file of Python as data
``lines``   how often and how long each line ran in the functions that ``FOLDER/targets`` names, a
            line each (file, first line and name with tabs between), what its variables held, and
            its bytecodes

Works on Python 3.6 and newer, imports little, and nothing of whyfast: what it imported would be
taken for the program's."""

import _thread
import atexit
import gc
import os
import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import CodeType, FrameType
    from typing import Any

#: Seconds between samples.
INTERVAL = 0.001

#: Lines that are traced: about a second's worth.
EVENTS = 1000000

_OWN = __file__


class Codes:
    """Code objects by their identity, kept alive so that it stays unique."""

    def __init__(self) -> None:
        self._codes = {}  # type: dict[int, CodeType]

    def number(self, code: "CodeType") -> int:
        key = id(code)
        if key not in self._codes:
            self._codes[key] = code
        return key

    def table(self) -> "dict[str, list[Any]]":
        """File, first line, name and qualified name (empty before 3.11) of each."""
        return {
            str(k): [c.co_filename, c.co_firstlineno, c.co_name, getattr(c, "co_qualname", "")]
            for k, c in self._codes.items()
        }

    def items(self) -> "list[tuple[int, CodeType]]":
        return list(self._codes.items())


def stack_of(frame: "FrameType | None", codes: Codes) -> "tuple[object, ...]":
    """From the innermost frame outwards: a number of a code and its line, or ``+NAME`` for an
    import in progress, ``+`` for the compilation of a module; each with its line or 0. A collection
    of garbage has ``-`` in front."""
    stack = []  # type: list[object]
    while frame is not None:
        code = frame.f_code
        if code.co_filename.startswith("<frozen importlib"):
            if code.co_name == "_find_and_load":
                stack += ["+" + str(frame.f_locals.get("name", "")), 0]
            elif code.co_name == "source_to_code":
                stack += ["+", 0]
        elif code.co_filename != _OWN:
            stack += [codes.number(code), frame.f_lineno or 0]
        frame = frame.f_back
    return tuple(stack)


class Sampler:
    def __init__(self, codes: Codes) -> None:
        import _signal  # type: ignore[import-not-found]

        self.codes, self.signal = codes, _signal
        self.stacks = {}  # type: dict[tuple[object, ...], list[float]]
        self.collections = [0, 0, 0]
        self.gc_start = self.gc_time = self.gc_before = 0.0
        self.in_gc = False
        self.began = self.last = time.process_time()
        self.last_wall = time.perf_counter()
        self.before = set(sys.modules)
        gc.callbacks.append(self.collecting)
        _signal.signal(_signal.SIGALRM, self.alarm)
        _signal.setitimer(_signal.ITIMER_REAL, INTERVAL, INTERVAL)

    def forget(self) -> None:
        """In a forked child, which has used none of this time."""
        self.stacks.clear()
        self.began = self.last = time.process_time()
        self.signal.setitimer(self.signal.ITIMER_REAL, INTERVAL, INTERVAL)

    def alarm(self, number: int, frame: "FrameType | None") -> None:
        if self.in_gc:  # what it took so far is not known before its end
            return
        cpu, wall = time.process_time(), time.perf_counter()
        cell = self.stacks.setdefault(stack_of(frame, self.codes), [0.0, 0.0])
        cell[0] += max(0.0, cpu - self.last - (self.gc_time - self.gc_before))
        cell[1] += wall - self.last_wall
        self.gc_before = self.gc_time
        self.last, self.last_wall = time.process_time(), time.perf_counter()

    def collecting(self, phase: str, info: "dict[str, int]") -> None:
        if phase == "start":
            self.in_gc = True
            self.gc_start = time.process_time()
            return
        spent = time.process_time() - self.gc_start
        self.gc_time += spent
        self.in_gc = False
        self.collections[info["generation"]] += 1
        stack = ("-", 0, *stack_of(sys._getframe(1), self.codes))
        cell = self.stacks.setdefault(stack, [0.0, 0.0])
        cell[0] += spent

    def end(self) -> "dict[str, Any]":
        self.signal.setitimer(self.signal.ITIMER_REAL, 0)
        ended = time.process_time()
        modules = {
            name: str(getattr(module, "__file__", None) or "")
            for name, module in list(sys.modules.items())
            if name not in self.before and name != "__main__"
        }
        gc.callbacks.remove(self.collecting)
        return {
            "began": self.began,
            "ended": ended,
            "children": sum(os.times()[2:4]),
            "modules": modules,
            "collections": self.collections,
            "stacks": [[list(k), v] for k, v in self.stacks.items()],
        }


class CallCounter:
    def __init__(self, codes: Codes) -> None:
        import _lsprof

        self.codes = codes
        self.profiler = _lsprof.Profiler()
        self.profiler.enable(subcalls=True, builtins=True)

    def forget(self) -> None:
        self.profiler.clear()

    def end(self) -> "dict[str, Any]":
        self.profiler.disable()
        functions = []
        for entry in self.profiler.getstats():
            calls = [[self.key(s.code), s.callcount, s.inlinetime] for s in entry.calls or ()]
            functions.append([self.key(entry.code), entry.callcount, entry.inlinetime, calls])
        return {"functions": functions}

    def key(self, code: "CodeType | str") -> "int | str":
        return code if isinstance(code, str) else self.codes.number(code)


#: Audit events of what starts code that no profile of this process has.
UNSEEN = {
    "os.exec": "other processes",
    "os.fork": "other processes",
    "os.forkpty": "other processes",
    "os.posix_spawn": "other processes",
    "os.system": "other processes",
    "subprocess.Popen": "other processes",
    "cpython.PyInterpreterState_New": "other interpreters",
}
if sys.version_info < (3, 12):
    UNSEEN["sys.setprofile"] = "a profiler"


def of_platform(frame: "Any") -> bool:
    """Whether Python's module platform asks, as pyperf has it do about every run."""
    while frame is not None and frame.f_globals.get("__name__") != "platform":
        frame = frame.f_back
    return frame is not None


class ReachCounter(CallCounter):
    def __init__(self, codes: Codes) -> None:
        self.unseen = set()  # type: set[str]
        self.read = {getattr(m, "__file__", None) for m in list(sys.modules.values())}
        # A script that starts Python in its own place, as those of pyenv, has children before.
        self.children = sum(os.times()[2:4])
        super().__init__(codes)
        if hasattr(sys, "addaudithook"):
            sys.addaudithook(self.audit)
        else:
            self.unseen.add("a Python before 3.8")
        if sys.version_info < (3, 12):  # of which the profiler sees one
            self.note_threads()

    def note_threads(self) -> None:
        start = _thread.start_new_thread

        def noting(*args: "Any", **named: "Any") -> int:
            self.unseen.add("threads")
            return start(*args, **named)

        _thread.start_new_thread = noting
        if "threading" in sys.modules:
            vars(sys.modules["threading"])["_start_new_thread"] = noting

    def audit(self, event: str, args: "tuple[Any, ...]") -> None:
        if event == "subprocess.Popen" and of_platform(sys._getframe()):
            # It goes on as on a machine without uname and file, which run nothing of a package.
            raise OSError("not run while changed code is looked for")
        if event in UNSEEN:
            self.unseen.add(UNSEEN[event])
        elif event == "open" and isinstance(args[0], (str, bytes)):
            name, caller = os.fsdecode(args[0]), sys._getframe().f_back
            file = caller.f_code.co_filename if caller else _OWN  # Python opens the program itself
            if name.endswith(".py") and file != _OWN and not file.startswith("<frozen importlib"):
                self.read.add(name)

    def end(self) -> "dict[str, Any]":
        if sum(os.times()[2:4]) > self.children:
            self.unseen.add("other processes")
        unseen = sorted(self.unseen)  # what follows is our own
        read = sorted(os.path.abspath(name) for name in self.read if name)
        return dict(super().end(), unseen=unseen, read=read)


class Liner:
    def __init__(self, codes: Codes, folder: str) -> None:
        self.codes = codes
        with open(os.path.join(folder, "targets")) as file:
            self.targets = {tuple(line.rstrip("\n").split("\t")) for line in file}
        self.lines = {}  # type: dict[tuple[int, int], list[Any]]
        self.open = []  # type: list[list[Any]]
        self.left = EVENTS
        sys.settrace(self.call)

    def forget(self) -> None:
        self.lines.clear()

    def call(self, frame: "FrameType", event: str, arg: object) -> "Any":
        code = frame.f_code
        if (code.co_filename, str(code.co_firstlineno), code.co_name) not in self.targets:
            return None
        self.open.append([self.codes.number(code), 0, time.perf_counter()])
        return self.line

    def line(self, frame: "FrameType", event: str, arg: object) -> "Any":
        now = time.perf_counter()
        if event == "exception" or not self.open:
            cell = self.lines.get((self.codes.number(frame.f_code), frame.f_lineno))
            if cell:
                cell[3] += 1
            return self.line
        self.left -= 1
        if self.left < 0:
            sys.settrace(None)
            return None
        top = self.open[-1]
        if top[1]:
            self.lines[top[0], top[1]][1] += now - top[2]
        if event == "return":
            self.open.pop()
            return None
        cell = self.lines.setdefault((top[0], frame.f_lineno), [0, 0.0, {}, 0])
        cell[0] += 1
        if cell[0] & (cell[0] - 1) == 0:
            cell[2].update(held(frame))
        top[1] = frame.f_lineno
        top[2] = time.perf_counter()
        return self.line

    def end(self) -> "dict[str, Any]":
        sys.settrace(None)
        import dis

        bytecodes = {}
        for number, code in self.codes.items():
            starts = dict(dis.findlinestarts(code))
            line, rows = 0, {}  # type: tuple[int | None, dict[int, list[str]]]
            for instruction in dis.get_instructions(code):
                line = starts.get(instruction.offset, line)
                rows.setdefault(line or 0, []).append(instruction.opname)
            bytecodes[str(number)] = {str(k): v for k, v in rows.items()}
        lines = [[c, n, *cell] for (c, n), cell in self.lines.items()]
        return {"lines": lines, "bytecodes": bytecodes, "stopped": self.left < 0}


#: Types whose length says how much an operator has to do, and asking for it runs no program.
SIZED = (str, bytes, bytearray, list, tuple, dict, set, frozenset)


def held(frame: "FrameType") -> "dict[str, list[object]]":
    """Type and length (-1: none) of what the names of a function hold, and attributes of those
    (``a.b``)."""
    values = dict(frame.f_locals)
    for name in frame.f_code.co_names:
        if name in frame.f_globals:
            values.setdefault(name, frame.f_globals[name])
    for name, value in list(values.items()):
        attributes = getattr(type(value), "__dict__", {}).get("__dict__")
        if attributes is not None and not isinstance(value, type):
            own = object.__getattribute__(value, "__dict__")
            for attribute in frame.f_code.co_names:
                if attribute in own:
                    values[name + "." + attribute] = own[attribute]
    return {n: [type(v).__name__, len(v) if type(v) in SIZED else -1] for n, v in values.items()}


def start() -> None:
    mode, _, folder = os.environ.get("WHYFAST_PROBE", "").partition(":")
    if not mode or not folder:
        return
    codes = Codes()
    probe = (
        Sampler(codes)
        if mode == "sample"
        else CallCounter(codes)
        if mode == "count"
        else ReachCounter(codes)
        if mode == "reach"
        else Liner(codes, folder)
    )  # type: Any

    def finish() -> None:
        given = probe.end()
        import json

        # Python takes the file's name away when the program has ended.
        main = getattr(sys.modules.get("__main__"), "__file__", None) or sys.argv[0]
        given.update(
            version=list(sys.version_info[:3]),
            executable=sys.executable,
            main=os.path.abspath(main),
            path=[os.path.abspath(p) for p in sys.path],
            prefixes=[sys.prefix, sys.base_prefix],
            codes=codes.table(),
        )
        with open(os.path.join(folder, str(os.getpid()) + ".json"), "w") as file:
            json.dump(given, file)

    atexit.register(finish)
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=probe.forget)


def give_way() -> None:
    """Leave the path as the program expects it, and import what this module hides."""
    own = os.path.dirname(os.path.abspath(__file__))
    sys.path[:] = [p for p in sys.path if os.path.abspath(p) != own]
    mine = sys.modules.pop("sitecustomize", None)
    try:
        import sitecustomize  # type: ignore[import-not-found]  # noqa: F401
    except ImportError:
        pass
    finally:
        if mine is not None:
            sys.modules.setdefault("sitecustomize", mine)


if __name__ == "sitecustomize":
    give_way()
    start()
