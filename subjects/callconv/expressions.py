"""Thirteen expressions of Python whose cost is a call: the rows of the table of 2016.

They are those of V. Stinner, "Fast call: A new calling convention for the Python C API" (2016). Lists
have a thousand items. The same work is asked of every version: where Python 3 has an iterator and 2.7
a list, a list is made; and bytes(), which is str() in 2.7, finds the same method there.
"""

import collections
import sys

from workloads import FromPython

ITEMS = 1000
OLD = sys.version_info < (3,)


class Plain(object):
    """An object with an attribute and a method."""

    def __init__(self):
        self.x = 0

    def method(self, a, b):
        """The last argument."""
        return b


class Bytes(object):
    """An object that knows its bytes."""

    def __bytes__(self):
        return b"abc"

    __str__ = __bytes__ if OLD else object.__str__


Pair = collections.namedtuple("Pair", "attr other")


def itself(x):
    """The key and the filter of the table: ``lambda x: x``."""
    return x


def nothing():
    """``func()``."""


def third(a, b, c):
    """``func(1, 2, 3)``."""
    return c


# Each nests its call n deep.


def nest(n):
    if n:
        nest(n - 1)


def nest_filter(n):
    if n:
        list(filter(nest_filter, [n - 1]))


def nest_map(n):
    if n:
        list(map(nest_map, [n - 1]))


def nest_sorted(n):
    if n:
        sorted([n - 1], key=nest_sorted)


def _sum(values):
    return str(sum(values))


def _filter():
    return FromPython(
        "filter(function, items)" if OLD else "list(filter(function, items))",
        {"function": itself, "items": list(range(ITEMS))},
        _sum,
        nest_filter,
    )


def _map():
    return FromPython(
        "map(function, items)" if OLD else "list(map(function, items))",
        {"function": itself, "items": list(range(ITEMS))},
        _sum,
        nest_map,
    )


def _sorted_key():
    return FromPython(
        "sorted(items, key=function)",
        {"function": itself, "items": list(range(ITEMS))},
        _sum,
        nest_sorted,
    )


def _sorted():
    return FromPython("sorted(items)", {"items": list(range(ITEMS))}, _sum)


def _bytes():
    return FromPython("bytes(b)", {"b": Bytes()}, lambda made: made.decode("ascii"))


def _namedtuple():
    return FromPython("t.attr", {"t": Pair(1234567, 2)})


def _setattr():
    names = {"object_setattr": object.__setattr__, "obj": Plain(), "value": 1234567}
    return FromPython("object_setattr(obj, 'x', value)", names)


def _getattribute():
    obj = Plain()
    obj.x = 1234567
    names = {"object_getattribute": object.__getattribute__, "obj": obj}
    return FromPython("object_getattribute(obj, 'x')", names)


def _getattr():
    return FromPython("getattr(1, 'real')", {"getattr": getattr})


def _bound():
    return FromPython("bound(1, 2)", {"bound": Plain().method})


def _unbound():
    return FromPython("unbound(obj, 1, 2)", {"unbound": Plain.method, "obj": Plain()})


def _func():
    return FromPython("func()", {"func": nothing}, str, nest)


def _func3():
    return FromPython("func(1, 2, 3)", {"func": third}, str, nest)


#: Name, and what makes the workload; in the order of the table.
EXPRESSIONS = (
    ("filter", _filter),
    ("map", _map),
    ("sorted-key", _sorted_key),
    ("sorted", _sorted),
    ("bytes", _bytes),
    ("namedtuple-attr", _namedtuple),
    ("object-setattr", _setattr),
    ("object-getattribute", _getattribute),
    ("getattr", _getattr),
    ("bound-method", _bound),
    ("unbound-method", _unbound),
    ("func-0", _func),
    ("func-3", _func3),
)
