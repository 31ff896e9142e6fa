"""Method calls and little else, as a pyperf benchmark.

A loop makes 61 calls, written out so that the loop around them costs little: with and without
arguments, by keyword, through a bound method, a class, a static method, a property, an inherited
method that calls up, a callable instance, and methods written in C.
"""

from __future__ import annotations

import time

import pyperf


class Base:
    """What is inherited."""

    def __init__(self, start: int) -> None:
        self.value = start

    def none(self) -> None:
        pass

    def one(self, a: object) -> object:
        return a

    def three(self, a: object, b: object, c: object) -> object:
        return b

    def default(self, a: object, b: object = None) -> object:
        return b

    def chain(self) -> Base:
        return self

    def up(self, a: object) -> object:
        return a

    @classmethod
    def of_class(cls, a: object) -> object:
        return a

    @staticmethod
    def static(a: object) -> object:
        return a

    @property
    def shown(self) -> int:
        return self.value

    def __call__(self, a: object) -> object:
        return a


class Derived(Base):
    """What inherits, and calls up."""

    def up(self, a: object) -> object:
        return super().up(a)


def calls(loops: int) -> float:
    """Seconds for ``loops`` loops."""
    x = Derived(1)
    bound = x.one
    items: list[int] = []
    text = "abc"
    start = time.perf_counter()
    for _ in range(loops):
        x.none()
        x.one(1)
        x.three(1, 2, 3)
        x.default(1)
        x.default(1, b=2)
        x.chain().chain().chain()
        bound(1)
        x.up(1)
        Derived.one(x, 1)
        x.of_class(1)
        x.static(1)
        x.shown  # noqa: B018
        x(1)
        items.append(1)
        items.pop()
        text.upper()
        text.find("c")
        Derived(2)

        x.none()
        bound(1)
        x.one(1)
        x.up(1)
        x.three(1, 2, 3)
        x(1)
        x.default(1, b=2)
        x.shown  # noqa: B018
        x.chain().chain().chain()
        x.default(1)
        items.append(1)
        x.of_class(1)
        text.find("c")
        x.static(1)
        text.upper()
        Derived.one(x, 1)
        Derived(2)
        items.pop()

        Derived(2)
        x(1)
        x.static(1)
        x.of_class(1)
        x.shown  # noqa: B018
        x.up(1)
        x.none()
        x.none()
        x.one(1)
        x.one(2)
        x.three(1, 2, 3)
        bound(1)
        x.chain().chain().chain()
        items.append(1)
        items.pop()
        Derived.one(x, 1)
        text.upper()
        x.default(1)
        text.find("c")
    return time.perf_counter() - start


if __name__ == "__main__":
    pyperf.Runner().bench_time_func("call_method", calls, inner_loops=61)
