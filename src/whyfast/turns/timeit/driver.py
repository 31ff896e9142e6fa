"""Runs a statement or a function of a file in turns; the child process of ``whyfast timeit``.

    driver.py fork CONTROL (IN OUT N WORD...)...      measures, as whyfast.measure.forks describes
    driver.py inspect CLOCK SETUP WORK...             what it does, as JSON: inspection.py

The N words of a side are ``measure`` or ``measure-whole``, CLOCK, SETUP and WORK: ``statement
TEXT`` or ``file FILE FUNCTION``.

The setup runs once a process. Each turn times so many loops and as many empty ones, and answers the
difference. Runs on CPython 2.7 and 3.6 or newer and on PyPy, with the standard library alone, of
which it imports little: it is started for every block. So what is long is in workload.py, whose
compiled form Python keeps."""

# Python 2.7 has neither annotations nor f-strings.
# ruff: noqa: F401, RUF005, UP004

import gc
import itertools
import os
import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

#: Nanoseconds of loops before those that are timed, and of a loop that needs none.
WARM, LONG = 50e3, 1e6

#: The empty loops of so many turns, of which the shortest counts.
RECENT = 5


def main(arguments):
    # type: (list[str]) -> None
    """Serve turns, or write what the workload does to standard output."""
    out = _take_standard_output()
    # What is imported from here on is the user's: from the folder where whyfast was started.
    here = sys.path[0]
    turns = _own(os.path.join(os.path.dirname(here), "include"), "whyfast_turn")
    workload = _own(here, "workload")
    gc.disable()  # as timeit does; the setup may enable it
    if arguments[0] == "inspect":
        inspection = _own(here, "inspection", "loop_values")
        sys.path[0] = ""
        _, clock, setup, kind = arguments[:4]
        read = _clock(clock, turns)
        inspection.inspect(workload, out, read, setup, kind, arguments[4:])
        return
    sys.path[0] = ""
    kept = _heap()
    grants, answers, words = _forked(int(arguments[1]), _sides(arguments[2:]))
    mode, clock, setup, kind = words[:4]
    granted = turns.Turns(grants, answers)
    try:
        work = workload.prepare(setup, kind, words[4:])
        read = _clock(clock, turns)
        empty = workload.empty_loop() if mode == "measure" else None
        work.run(WarmTurns(granted, read, empty), read)
        del kept
    except Exception as error:
        granted.failed(error)
    _leave()


def _heap():
    # type: () -> list[Any]
    """Objects of a number and a size that each block draws, to be kept. How full the interpreter's
    arenas are when the setup begins decides which loops get new pages from the kernel each time:
    2,100 numbers were dumped as JSON 5 % faster than 2,000, by one interpreter in every process.
    The most objects fill an arena of Python 3.10 and newer, 1 MiB."""
    number, size = (ord(byte) if isinstance(byte, str) else byte for byte in os.urandom(2))
    return [bytearray(400) for _ in range(9 * number)] + [bytearray(512 * size)]


def _clock(name, turns):
    # type: (str, Any) -> Callable[[], int]
    return time.process_time_ns if name == "process" else turns.best_clock()


def _sides(words):
    # type: (list[str]) -> list[Any]
    """(descriptor of grants, of answers, words of its own) of each."""
    sides = []
    while words:
        end = 3 + int(words[2])
        sides.append((int(words[0]), int(words[1]), words[3:end]))
        words = words[end:]
    return sides


def _forked(control, sides):
    # type: (int, list[Any]) -> Any
    """The side that this process is a fork for. Does not return in the one that forks."""
    with os.fdopen(control) as lines:
        for line in iter(lines.readline, ""):
            own, sides[int(line)] = sides[int(line)], None
            if os.fork() == 0:
                for other in sides:
                    if other is not None:  # or its end of file would not be seen
                        os.close(other[0])
                        os.close(other[1])
                return own
            os.close(own[0])
            os.close(own[1])
    status = 0
    while status == 0:
        try:
            status = os.wait()[1]
        except OSError:  # all have ended
            break
    if os.WIFSIGNALED(status):
        os.kill(os.getpid(), os.WTERMSIG(status))
    os._exit(os.WEXITSTATUS(status))


def _take_standard_output():
    # type: () -> int
    """A descriptor of standard output, to which nothing else is written: what the statement prints
    is dropped, as a pipe that nobody reads in its turn would hold it up."""
    out = os.dup(1)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.close(nowhere)
    return out


def _own(folder, name, first=""):
    # type: (str, str, str) -> Any
    """A module of whyfast, of which no name is left where the user's modules are looked up; it may
    import the one that is imported ``first``."""
    sys.path.insert(0, folder)
    try:
        return [__import__(each) for each in (first, name) if each][-1]
    finally:
        del sys.path[0]
        for each in (first, name):
            sys.modules.pop(each, None)


class WarmTurns(object):
    """The loops of each turn; the answer is without what as many of the ``empty`` loops take, the
    least of the last :data:`RECENT` turns: one that is interrupted would leave nothing of the time.
    Some loops before them, which are not timed, load what the turns of other sides left cold: so a
    turn can be short."""

    def __init__(self, granted, clock, empty):
        # type: (Any, Callable[[], int], Any) -> None
        self._granted = granted
        self._clock = clock
        self._empty = empty
        self._empties = []  # type: list[int]
        self._loops = 0
        self._timed = False
        self._a_loop = 1.0  # nanoseconds

    def __iter__(self):
        # type: () -> Any
        for loops in self._granted:
            if self._a_loop < LONG:
                self._timed = False
                yield itertools.repeat(None, min(loops, 1 + int(WARM / self._a_loop)))
            if loops != self._loops:
                self._empties = []
            self._loops, self._timed = loops, True
            yield itertools.repeat(None, loops)

    def took(self, nanoseconds):
        # type: (int) -> None
        if not self._timed:
            return
        self._a_loop = max(1.0, float(nanoseconds) / self._loops)
        if self._empty is not None:
            for _ in range(RECENT):  # one, but more of the first turn, and if all were interrupted
                empty = self._empty(self._clock, itertools.repeat(None, self._loops))
                self._empties = self._empties[1 - RECENT :] + [empty]
                if len(self._empties) == RECENT and nanoseconds > min(self._empties):
                    break
            nanoseconds -= min(self._empties)
        self._granted.took(max(1, nanoseconds))


def _leave():
    # type: () -> None
    """End without taking the interpreter apart, which takes as long as some turns; what was
    registered for the end is done."""
    exits = getattr(sys.modules.get("atexit"), "_run_exitfuncs", None)
    if exits is not None:
        exits()
    os._exit(0)


if __name__ == "__main__":
    main(sys.argv[1:])
