"""What is measured: one call, made again and again from Python or from C.

A workload has

``run(loops)``
    makes the call so often; what it returns is no answer where the call is made from Python.
``answer(result)``
    the call's answer as one word, the same on every interpreter.
``once(loops)``
    a callable and its arguments that do what ``run`` does, with everything else done before.
``painted(callconv)``
    a callable and its arguments for callconv.call_depth.
``watched``
    the objects that take part in the call, to count their references.
``nest``
    a function of a number that nests the call in itself so often, or None.

Runs on CPython 2.7 and 3.6 or newer.
"""

import itertools

#: The call stands so often in the body of the loop, so that the loop costs a tenth.
UNROLLED = 10

#: Calls on a painted stack, of which the last is looked at: what is done once is done by then.
REPEATED = 20

LOOP = """
def loop({parameters}):
    for _ in times:
{block}
    for _ in rest:
        {expression}


def answer({names}):
    return {expression}
"""


class FromPython(object):
    """A call that is an expression of Python, with ``names`` as local variables."""

    def __init__(self, expression, names, word=str, nest=None):
        self.expression = expression
        self.watched = list(names.values())
        self.nest = nest
        self._values = tuple(names.values())
        self._word = word
        self.loop, self._answer = _compiled(expression, ["times", "rest"] + list(names))

    def run(self, loops):
        """The loop; nothing is returned."""
        function, args = self.once(loops)
        function(*args)

    def once(self, loops):
        """The loop and its arguments."""
        return self.loop, self._arguments(loops)

    def painted(self, callconv):
        """The loop over an iterator that paints the stack below each call."""
        return self.loop, ((), callconv.Painter(REPEATED)) + self._values

    def answer(self, _):
        """The call is made once more for it: keeping each result would cost time."""
        return self._word(self._answer(*self._values))

    def _arguments(self, loops):
        whole, rest = divmod(loops, UNROLLED)
        return (itertools.repeat(None, whole), itertools.repeat(None, rest)) + self._values


def _compiled(expression, parameters):
    source = LOOP.format(
        parameters=", ".join(parameters),
        names=", ".join(parameters[2:]),
        block="\n".join(["        " + expression] * UNROLLED),
        expression=expression,
    )
    space = {}
    exec(compile(source, "<workload>", "exec"), space)
    return space["loop"], space["answer"]


class FromC(object):
    """A call that C makes, by one form of the C API; see callers.c."""

    def __init__(self, callconv, form, callable_, args, method=None, key=False):
        self.watched = [callable_] + list(args)
        self.nest = None
        self._from_c = callconv.from_c
        self._before = (form, callable_, args)
        self._after = (method, int(key))

    def run(self, loops):
        """The loop; the last result."""
        function, args = self.once(loops)
        return function(*args)

    def once(self, loops):
        """The function that calls, and its arguments."""
        return self._from_c, self._before + (loops,) + self._after

    def painted(self, callconv):
        """As it is: from_c paints before it calls."""
        return self.once(1)

    def answer(self, result):
        """The last result as a word."""
        return str(result)
