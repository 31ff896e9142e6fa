"""Functions of one name in two programs: which of them is which."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from itertools import count

from whyfast.explain.normal_code import Key, Side
from whyfast.explain.objects import Function

#: Rounds in which namesakes are paired, at most: each looks one call further.
_MOST_ROUNDS = 8
#: Bytes of data that are looked at.
_MOST_DATA = 256


def pair(a: Side, b: Side) -> None:
    """Give the functions of both the same keys, as far as they are the same ones."""
    _fold_copies(a)
    _fold_copies(b)
    _pair_namesakes(a, b)


def _fold_copies(side: Side) -> None:
    """Count as one the functions of one name whose code is the same and leads to the same: each
    unit brings its own instance of a function that it uses."""
    names = Counter(name for name, _ in side.functions)
    several = [f for (name, _), f in side.functions.items() if names[name] > 1]
    while True:
        first: dict[object, Key] = {}
        keys = dict(side.keys)
        for function in several:
            key, code = side.keys[function.address], side.code(function)
            catches = side.exceptions.get(function.address)
            same = key[0], code.plain, _leads(side, function, lambda _, at: f"{at:#x}"), catches
            keys[function.address] = first.setdefault(same, key)
        if keys == side.keys:
            break
        side.keys = keys
    kept = set(side.keys.values())
    side.functions = {key: f for key, f in side.functions.items() if key in kept}


def _pair_namesakes(a: Side, b: Side) -> None:
    """Number the functions of one name in ``b`` by those of ``a`` with the same code that leads to
    the same, else with the same code, else in their order: one more of them, an instance for
    another type, changes none of those behind it."""
    names = Counter(name for side in (a, b) for name, _ in side.functions)
    left, new = ({k: f for k, f in s.functions.items() if names[k[0]] > 2} for s in (a, b))
    for _ in range(_MOST_ROUNDS):
        keys: dict[Key, Key] = {}
        for alike in (_led_to, _functions_led_to, _plain, lambda *_: None):
            free: dict[object, list[Key]] = {}
            taken = set(keys.values())
            for key, function in left.items():
                if key not in taken:
                    free.setdefault((key[0], alike(a, function)), []).append(key)
            for key, function in new.items():
                if key not in keys and (those := free.get((key[0], alike(b, function)))):
                    keys[key] = those.pop(0)
        more = count(len(a.program.functions))
        for key in new:
            if key not in keys:
                keys[key] = key[0], next(more)
        if all(key == other for key, other in keys.items()):
            break
        new = {keys[key]: f for key, f in new.items()}
        b.functions = {keys.get(key, key): f for key, f in b.functions.items()}
        b.keys = {address: keys.get(key, key) for address, key in b.keys.items()}


def _led_to(side: Side, function: Function) -> object:
    return _plain(side, function), _leads(side, function, _held)


def _functions_led_to(side: Side, function: Function) -> object:
    return _plain(side, function), _leads(side, function, lambda *_: None)


def _plain(side: Side, function: Function) -> object:
    return side.code(function).plain


def _leads(
    side: Side, function: Function, data: Callable[[Side, int], object]
) -> tuple[object, ...]:
    """What its addresses mean: a distance in the function, a place in another, or by ``data``."""
    begin, end = function.address, function.end
    return tuple(
        at - begin if begin <= at < end else side.place(at) or data(side, at)
        for at in side.references(function)
    )


def _held(side: Side, data: int) -> object:
    """The functions that data leads to, as the table of a type does, or what it holds."""
    end = min(side.end_of(data), data + _MOST_DATA)
    places = [p for p in side.places_between(data, end) if p in side.words]
    return tuple(side.place(side.words[p]) for p in places) or side.image.read(data, end - data)
