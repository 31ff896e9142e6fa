"""All benchmarks by name, with what makes each, or why this interpreter lacks it.

    function-CONVENTION-ARGS    a function of C, called from Python
    method-CONVENTION-ARGS      a method of C, called from Python
    state-CONVENTION-ARGS       ... that reaches for the state of its module
    object-HOW-ARGS             an object that is called
    new-HOW-ARGS                a type that is called to make an object
    call-FORM-CALLEE-ARGS       C calls CALLEE
    callmethod-FORM-CALLEE-ARGS C calls a method

and the expressions of expressions.py. ARGS is 0, 1, 3 or 8 positional arguments, or ``key``: one
keyword.
"""

import datetime

from expressions import EXPRESSIONS
from workloads import FromC, FromPython

KEY = -1
COUNTS = (0, 1, 3, 8, KEY)

#: The arguments that a convention can be called with, where that is not all.
POSSIBLE = {"noargs": (0,), "onearg": (1,), "varargs": (0, 1, 3, 8), "fastcall": (0, 1, 3, 8)}

#: The type of each way to be called and to be made.
OBJECTS = {"tp_call": "TpCall", "vectorcall": "Vectorcall"}
CONSTRUCTORS = {"tp_new": "New", "tp_init": "Init", "vectorcall": "Make"}


#: Why there is no datetime.timezone here, or None.
NO_TIMEZONE = None if hasattr(datetime, "timezone") else "datetime.timezone came with 3.2"


class Argument(object):
    """An argument. Every one is an object of its own, so that its references can be counted."""

    def __init__(self, name):
        self.name = name

    def __str__(self):
        return self.name


class Benchmark(object):
    """``make()`` returns the workload. ``lack`` says why there is none, else it is None."""

    def __init__(self, name, lack, make):
        self.name = name
        self.lack = lack
        self.make = make


def all_benchmarks(callconv):
    """Every benchmark that any version has, in order."""
    found = [Benchmark(name, None, make) for name, make in EXPRESSIONS]
    found += _from_python(callconv)
    found += _from_c(callconv)
    return found


def _from_python(callconv):
    groups = (
        ("function", callconv.CALLEES, _function),
        ("method", callconv.CALLEES, _method),
        ("state", callconv.STATES, _state),
        ("object", callconv.OBJECTS, _object),
        ("new", callconv.CONSTRUCTORS, _new),
    )
    for group, forms, make in groups:
        for form in sorted(forms):
            if (group, form) == ("function", "method"):
                continue  # METH_METHOD is for methods only
            for count in POSSIBLE.get(form, COUNTS):
                name = "-".join((group, form, _args(count)))
                yield Benchmark(name, forms[form], _later(make, callconv, form, count))


def _later(make, *args):
    return lambda: make(*args)


def _args(count):
    return "key" if count == KEY else str(count)


def _arguments(count):
    """The arguments: fresh objects, called after letters."""
    return tuple(Argument(letter) for letter in "abcdefgh"[: abs(count)])


def _call(what, count, callee, word=str):
    """The workload that calls the expression ``what``, in which ``callee`` is a name."""
    args = _arguments(count)
    names = {"callee": callee}
    names.update((arg.name, arg) for arg in args)
    listed = "key=a" if count == KEY else ", ".join(arg.name for arg in args)
    return FromPython("%s(%s)" % (what, listed), names, word)


def _function(callconv, form, count):
    return _call("callee", count, getattr(callconv, form))


def _method(callconv, form, count):
    return _call("callee." + form, count, callconv.Methods())


def _state(callconv, form, count):
    return _call("callee." + form, count, callconv.Stateful())


def _object(callconv, form, count):
    return _call("callee", count, getattr(callconv, OBJECTS[form])())


def _new(callconv, form, count):
    return _call("callee", count, getattr(callconv, CONSTRUCTORS[form]), lambda o: str(o.value))


# C that calls.


def none():
    """Takes nothing."""


def last_of_1(a):
    """Its last argument; so do the others."""
    return a


def last_of_3(a, b, c):
    return c


def last_of_8(a, b, c, d, e, f, g, h):
    return h


def last_of_key(key=None):
    return key


FUNCTIONS = {0: none, 1: last_of_1, 3: last_of_3, 8: last_of_8, KEY: last_of_key}


class Methods(object):
    """The same as methods."""

    def take_0(self):
        """Takes nothing."""

    def take_1(self, a):
        return a

    def take_3(self, a, b, c):
        return c

    def take_8(self, a, b, c, d, e, f, g, h):
        return h

    def take_key(self, key=None):
        return key


def _python(callconv, count):
    return None, lambda: (FUNCTIONS[count], None, _arguments(count))


def _bound(callconv, count):
    name = "take_" + _args(count)
    return None, lambda: (getattr(Methods(), name), None, _arguments(count))


def _convention(positional, with_key):
    def find(callconv, count):
        form = with_key if count == KEY else positional
        lack = callconv.CALLEES[form]
        return lack, lambda: (getattr(callconv, form), None, _arguments(count))

    return find


def _python_method(callconv, count):
    return None, lambda: (Methods(), "take_" + _args(count), _arguments(count))


def _method_of_c(form):
    def find(callconv, count):
        if count not in POSSIBLE[form]:
            return None
        return callconv.CALLEES[form], lambda: (callconv.Methods(), form, _arguments(count))

    return find


def _built_in(args, make, lack=None):
    def find(callconv, count):
        return (lack, make) if count == args else None

    return find


def _utcoffset():
    return datetime.timezone.utc, "utcoffset", (datetime.datetime(2026, 6, 9),)


#: What C calls. A function of the module and the number of arguments returns why that is lacking, or
#: None, and what makes the callable (or the object whose method is called), the name of the method
#: and the arguments; None: not with so many arguments.
CALLEES = (
    ("python", _python),
    ("bound", _bound),
    ("varargs", _convention("varargs", "varargs_keywords")),
    ("fastcall", _convention("fastcall", "fastcall_keywords")),
)

#: The last four are methods that were measured upstream in 2026: python/cpython issue 151157.
METHODS = (
    ("python", _python_method),
    ("noargs", _method_of_c("noargs")),
    ("onearg", _method_of_c("onearg")),
    ("varargs", _method_of_c("varargs")),
    ("fastcall", _method_of_c("fastcall")),
    ("dict_get", _built_in(1, lambda: ({"k": Argument("value")}, "get", ("k",)))),
    ("str_count", _built_in(1, lambda: ("one.two.three", "count", (".",)))),
    ("bit_length", _built_in(0, lambda: (10**6, "bit_length", ()))),
    ("utcoffset", _built_in(1, _utcoffset, NO_TIMEZONE)),
)


def _from_c(callconv):
    for form, of_methods, counts, lack in callconv.CALLERS:
        group = "callmethod" if of_methods else "call"
        short = form[len("method_") :] if of_methods else form
        for callee, find in METHODS if of_methods else CALLEES:
            for count in counts:
                found = find(callconv, count)
                if found is not None:
                    name = "-".join((group, short, callee, _args(count)))
                    make = _later(_called, callconv, form, callee, count, found[1])
                    yield Benchmark(name, lack or found[0], make)


def _called(callconv, form, callee, count, make):
    target, method, args = make()
    workload = FromC(callconv, form, target, args, method, count == KEY)
    if count == 1 and callee in ("python", "bound"):
        workload.nest = _nested(callconv, form, callee, method)
    return workload


def _nested(callconv, form, callee, method):
    """A function of n that makes C call Python by that form, n deep."""

    def again(n):
        if n:
            callconv.from_c(form, again, (n - 1,), 1)

    class Nest(object):
        """The same as a method."""

        def take_1(self, n):
            if n:
                callconv.from_c(form, target, (n - 1,), 1, method)

    nest = Nest()
    target = nest if method else nest.take_1
    return again if callee == "python" and not method else nest.take_1
