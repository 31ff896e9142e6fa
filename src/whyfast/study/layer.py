"""What one table of the file sets of a variant, and how such layers add up."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from whyfast.model.toolchain import FEATURES
from whyfast.study.table import Table
from whyfast.study.wording import Key, quoted

#: Lists that a plain value replaces and ``.add`` appends to.
LISTS = ("cflags", "ldflags", "configure", "requires")
#: Every key of a layer.
LAYER_KEYS = ("toolchain", *LISTS, "env", "expect", "about")
#: What a variant may be expected to be, by the evidence that shows it.
EXPECTATIONS = {
    "dispatch": ("replicated", "merged", "partly merged", "none", "loop", "tail-call"),
}


@dataclass(frozen=True)
class Change:
    """What a layer does to a list: append to it, or replace it."""

    values: tuple[str, ...]
    append: bool


@dataclass(frozen=True)
class Layer:
    """One table's settings; what it does not set is inherited."""

    toolchain: str = ""
    lists: Mapping[str, Change] = field(default_factory=dict)
    env: Mapping[str, str] = field(default_factory=dict)
    expect: Mapping[str, str] = field(default_factory=dict)
    about: str = ""


@dataclass(frozen=True)
class Settings:
    """Layers added up."""

    toolchain: str
    lists: Mapping[str, tuple[str, ...]]
    env: Mapping[str, str]
    expect: Mapping[str, str]


def read_layer(table: Table) -> Layer:
    """The layer of a ``[variant.NAME]`` or ``[axes.AXIS.VALUE]`` table; its keys are checked."""
    return Layer(
        toolchain=_toolchain(table),
        lists={name: _change(table, name) for name in LISTS if name in table},
        env=table.variables("env"),
        expect=_expect(table),
        about=table.sentence("about"),
    )


def add_up(layers: Iterable[Layer]) -> Settings:
    """The settings that the layers give, each applied over those before it."""
    toolchain = ""
    lists: dict[str, tuple[str, ...]] = dict.fromkeys(LISTS, ())
    env: dict[str, str] = {}
    expect: dict[str, str] = {}
    for layer in layers:
        toolchain = layer.toolchain or toolchain
        for name, change in layer.lists.items():
            lists[name] = lists[name] + change.values if change.append else change.values
        env.update(layer.env)
        expect.update(layer.expect)
    # A feature may be required by several layers; the order of FEATURES is that of reports.
    lists["requires"] = tuple(f for f in FEATURES if f in lists["requires"])
    return Settings(toolchain, lists, env, expect)


def _toolchain(table: Table) -> str:
    toolchain = table.string("toolchain")
    provider, colon, name = toolchain.partition(":")
    if toolchain and not (colon and provider.strip() and name.strip()):
        message = f"{quoted(toolchain)} is not a toolchain"
        raise table.error(("toolchain",), message, 'write provider:name, as in "path:gcc"')
    return toolchain


def _change(table: Table, name: str) -> Change:
    value = table.data[name]
    if isinstance(value, dict):
        inner = table.table(name)
        inner.check_keys("add")
        inner.require("add", f'{name}.add = ["…"]')
        change = Change(inner.strings("add"), append=True)
        where: Key = (name, "add")
    else:
        change = Change(table.strings(name), append=False)
        where = (name,)
    if name == "requires":
        for i, feature in enumerate(change.values):
            table.check_choice((*where, i), feature, FEATURES)
    return change


def _expect(table: Table) -> dict[str, str]:
    inner = table.table("expect")
    inner.check_keys(*EXPECTATIONS)
    return {name: inner.choice(name, EXPECTATIONS[name], "") for name in inner.data}
