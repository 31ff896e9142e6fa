"""The values and variables of a statement, in a form that other processes' can be compared with.

Imported by inspection.py in the interpreter under study; runs where driver.py does."""

# Python 2.7 has neither annotations nor f-strings.
# ruff: noqa: F401, RUF005, UP004, UP031

import re
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

#: A value with more parts is compared by a digest; deeper ones are cut off.
MOST_TOKENS, DEEPEST = 20000, 40

#: Words of a value that are read at all, and how deep objects of classes are looked into.
MOST_READ, DEEPEST_OBJECT = 300000, 4

#: Values that their name stands for.
_NAMED = (type(sys), type, type(len))

#: What of a text differs in every process.
ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")

_BUILT_IN = ("builtins", "__builtin__")


def name_of(thing):
    # type: (Any) -> str
    kinds = ("__qualname__", "co_qualname", "__name__", "co_name")
    name = next((str(getattr(thing, kind)) for kind in kinds if hasattr(thing, kind)), "?")
    name = name.replace("_inner.<locals>.", "")  # what the setup defines
    module = getattr(thing, "__module__", None)
    return "%s.%s" % (module, name) if isinstance(module, str) and module not in _BUILT_IN else name


def variables(frame):
    # type: (Any) -> dict[str, tuple[Any, Any]]
    """Of each variable a digest of its value, and its length where it has one."""
    found = {}  # type: dict[str, tuple[Any, Any]]
    for name, value in dict(frame.f_locals).items():
        if name[:1] != "_":
            try:
                digest = hash(tuple(_rounded(canonical(value))))  # type: Any
            except TooManyParts:
                digest = "length %s" % _length(value)
            except Exception:  # whatever the user's own classes raise
                continue
            found[name] = (digest, _length(value))
    return found


def _length(value):
    # type: (Any) -> Any
    try:
        return len(value)
    except Exception:
        return None


def changes(states):
    # type: (list[dict[str, tuple[Any, Any]]]) -> list[dict[str, Any]]
    """Variables of the setup that the statement changes. ``states`` are those before the first
    loop, after it, after the second, and after eight."""
    found = []
    for name in sorted(states[0]):
        if not all(name in state for state in states):
            continue
        digests = [state[name][0] for state in states]
        lengths = [state[name][1] for state in states]
        if len(set(digests)) == 1:
            continue
        known = all(isinstance(n, int) for n in lengths)
        if known and lengths[1] < lengths[2] < lengths[3]:
            how = "grows"
        elif known and lengths[0] > lengths[1] > lengths[2]:
            how = "shrinks"
        elif digests[0] != digests[1] and len(set(digests[1:])) == 1:
            how = "once"
        else:
            how = "always"
        found.append({"name": name, "how": how, "lengths": lengths if known else []})
    return found


def shown(frame):
    # type: (Any) -> str
    """The value of the last expression, for people; empty without one."""
    if "_value" not in frame.f_locals:
        return ""
    try:
        text = ADDRESS.sub("", repr(frame.f_locals["_value"]))
    except Exception as error:
        text = "a value whose repr raises %s" % type(error).__name__
    text = " ".join(text.split())
    return text if len(text) <= 60 else text[:57] + "..."


def tokens_of(frame):
    # type: (Any) -> Any
    """The value in a form that can be compared with that of another process; None without one, and
    where it cannot be read."""
    if "_value" not in frame.f_locals:
        return None
    try:
        tokens = canonical(frame.f_locals["_value"])
    except Exception:  # whatever the user's own classes raise
        return None
    return tokens if len(tokens) <= MOST_TOKENS else ["digest " + _digest(tokens)]


def _digest(tokens):
    # type: (list[str]) -> str
    """The same in every process, as :func:`hash` is not."""
    import hashlib

    total = hashlib.sha256()
    for token in _rounded(tokens):
        total.update(token.encode("utf-8", "backslashreplace") + b"\0")
    return total.hexdigest()


def _rounded(tokens):
    # type: (list[str]) -> Any
    """With floats, which may differ in the last places, cut off."""
    return ("#%.9g" % float(t[1:]) if t[:1] == "#" else t for t in tokens)


class TooManyParts(Exception):
    """The value has too many parts to be read."""


def canonical(value):
    # type: (Any) -> list[str]
    """Words that are the same for equal values, whatever the hash seed and the interpreter;
    numbers begin with ``#``, what cannot be looked into with ``?``. Raises TooManyParts."""
    return _Reading().words(value, ())


class _Reading(object):
    """Reads one value; ``_left`` is how many more words it may have."""

    def __init__(self):
        # type: () -> None
        self._left = MOST_READ

    def words(self, value, inside):
        # type: (Any, tuple[int, ...]) -> list[str]
        """``inside`` are the ids of the values that it is part of."""
        self._left -= 1
        if self._left < 0:
            raise TooManyParts()
        if value is None or value is Ellipsis:
            return [str(value)]
        if isinstance(value, (bool, int, float)) or type(value).__name__ == "long":
            return ["#" + repr(value + 0).rstrip("L")]  # True equals 1
        if isinstance(value, complex):
            return ["complex", "#%r" % value.real, "#%r" % value.imag]
        if isinstance(value, str) or type(value).__name__ == "unicode":
            return ["'" + value]
        if isinstance(value, (bytes, bytearray)):
            return ["b'" + value.decode("latin-1")]
        if id(value) in inside or len(inside) >= DEEPEST:
            return ["..."]
        return self._parts(value, inside + (id(value),))

    def _parts(self, value, inside):
        # type: (Any, tuple[int, ...]) -> list[str]
        """Of a value with values inside."""
        if isinstance(value, (list, tuple, type(range(0)))):
            kind = "list" if isinstance(value, list) else "tuple"
            return self._several(kind, [self.words(part, inside) for part in value])
        if isinstance(value, dict):
            return self._several("dict", self._in_order(value.items(), inside))
        if isinstance(value, (set, frozenset)):
            return self._several("set", self._in_order(value, inside))
        if hasattr(value, "tolist") and hasattr(value, "dtype"):  # arrays, scalars of numpy
            if getattr(value, "size", 1) > MOST_TOKENS:
                return ["array of %s" % value.dtype, repr(hash(value.tobytes()))]
            return self.words(value.tolist(), inside)
        if hasattr(value, "__next__") or hasattr(value, "next"):
            return ["an iterator: " + type(value).__name__]
        if isinstance(value, _NAMED) or hasattr(value, "__qualname__"):
            return [type(value).__name__, name_of(value)]
        if hasattr(value, "__dict__") and len(inside) < DEEPEST_OBJECT:
            own = self._in_order(vars(value).items(), inside)
            return self._several("object " + type(value).__name__, own)
        return ["?" + type(value).__name__]  # nothing is known of its parts

    def _in_order(self, parts, inside):
        # type: (Any, tuple[int, ...]) -> list[list[str]]
        """In an order that no hash decides."""
        return sorted(self.words(part, inside) for part in parts)

    @staticmethod
    def _several(kind, parts):
        # type: (str, list[list[str]]) -> list[str]
        return [kind, "("] + [word for part in parts for word in part] + [")"]
