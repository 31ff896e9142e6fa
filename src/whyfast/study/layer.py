"""What one table of the file sets of a variant, and how such layers add up."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from whyfast.model.toolchain import FEATURES
from whyfast.study.sections import check_packages
from whyfast.study.toml_table import TomlTable
from whyfast.study.ways_to_run import check_boot, read_kernel, read_sysctl
from whyfast.study.wording import Key, quoted

#: Lists that a plain value replaces and ``.add`` appends to.
LISTS = ("cflags", "ldflags", "configure", "packages", "requires", "keep", "run", "boot")
#: What stays together in layouts: it is written to linker scripts as it is.
_SECTION = re.compile(r"\.text[\w.$*?-]*")
#: Every key of a layer; but for ``about``, each is a field of :class:`Variant`.
LAYER_KEYS = (
    *("toolchain", "python", "kernel", "revision", *LISTS),
    *("env", "sysctl", "expect", "evidence_only", "about"),
)
#: What a variant may be expected to be, by the evidence that shows it.
EXPECTATIONS = {
    "dispatch": ("replicated", "merged", "partly merged", "none", "loop", "tail-call"),
}


@dataclass(frozen=True)
class ListChange:
    """What a layer does to a list: append to it, or replace it."""

    values: tuple[str, ...]
    append: bool


@dataclass(frozen=True)
class Layer:
    """What one table sets, by the fields of a variant; what it does not set is inherited.

    A value replaces the one before, the entries of a table are added to those before.
    """

    values: Mapping[str, str | bool]
    lists: Mapping[str, ListChange]
    tables: Mapping[str, Mapping[str, str]]
    about: str


def read_layer(table: TomlTable) -> Layer:
    """The layer of a ``[variant.NAME]`` or ``[axes.AXIS.VALUE]`` table; its keys are checked."""
    texts = {
        "toolchain": _toolchain(table),
        "python": _python(table),
        "revision": _revision(table),
        "kernel": read_kernel(table),
    }
    values: dict[str, str | bool] = {name: text for name, text in texts.items() if text}
    if "evidence_only" in table:
        values["evidence_only"] = table.flag("evidence_only")
    return Layer(
        values=values,
        lists={name: _change(table, name) for name in LISTS if name in table},
        tables={
            "env": table.variables("env"),
            "expect": _expect(table),
            "sysctl": read_sysctl(table),
        },
        about=table.sentence("about"),
    )


def _toolchain(table: TomlTable) -> str:
    toolchain = table.string("toolchain")
    provider, colon, name = toolchain.partition(":")
    if toolchain and not (colon and provider.strip() and name.strip()):
        message = f"{quoted(toolchain)} is not a toolchain"
        raise table.error(("toolchain",), message, 'write provider:name, as in "path:gcc"')
    return toolchain


def _python(table: TomlTable) -> str:
    python = table.string("python")
    provider, colon, name = python.partition(":")
    if python and not (colon and provider.strip() and name.strip()):
        message = f"{quoted(python)} is not an interpreter"
        raise table.error(("python",), message, 'write provider:name, as in "pyenv:3.12"')
    return python


def _revision(table: TomlTable) -> str:
    revision = table.string("revision")
    if revision.startswith("-"):
        raise table.error(("revision",), f"{quoted(revision)} begins with a dash")
    if revision and table.document.data.get("source", {}).get("git") is None:
        hint = "write [source] git = … and revision = …"
        raise table.error(("revision",), "needs a source from git", hint)
    return revision


def _change(table: TomlTable, name: str) -> ListChange:
    value = table.data[name]
    if isinstance(value, dict):
        inner = table.table(name)
        inner.check_keys("add")
        inner.require("add", f'{name}.add = ["…"]')
        change = ListChange(inner.strings("add"), append=True)
        where: Key = (name, "add")
    else:
        change = ListChange(table.strings(name), append=False)
        where = (name,)
    if name == "packages":
        check_packages(table, where, change.values)
    if name == "requires":
        for i, feature in enumerate(change.values):
            table.check_choice((*where, i), feature, FEATURES)
    if name == "boot":
        check_boot(table, change.values)
    if name == "keep":
        for i, pattern in enumerate(change.values):
            if not _SECTION.fullmatch(pattern):
                message = f"{quoted(pattern)} is not the name of a section of code, or a pattern"
                raise table.error((*where, i), message, 'write it as in ".text.hot.*"')
    return change


def _expect(table: TomlTable) -> dict[str, str]:
    inner = table.table("expect")
    inner.check_keys(*EXPECTATIONS)
    return {name: inner.choice(name, EXPECTATIONS[name], "") for name in inner.data}
