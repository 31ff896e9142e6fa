"""A variant before inheritance: which others it extends, and what it adds."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from whyfast.model.build import FEATURES
from whyfast.model.study import BuildSpec, EvidenceSpec
from whyfast.model.variant import RUNNER_KINDS, Benchmark, Variant
from whyfast.study.notation import kind, names_in, quoted
from whyfast.study.sections import INTERPRETER_NAMES, check_entries
from whyfast.study.toml_table import Key, TomlDocument, TomlTable, suggestion


@dataclass(frozen=True)
class VariantRecipe:
    """A variant as written, or as spanned by axes. ``layers`` are its own, by the key of the table
    that each comes from; ``extends`` holds names with the key at which each is written; ``key`` is
    where to report that the whole is wrong. ``fixes`` is not inherited: what extends a fix need not
    be one."""

    name: str
    key: Key
    extends: tuple[tuple[str, Key], ...]
    layers: Mapping[Key, Layer]
    abstract: bool = False
    axes: Mapping[str, str] = field(default_factory=dict)
    about: str = ""
    fixes: str | None = None


def read_recipes(variants: TomlTable) -> tuple[VariantRecipe, ...]:
    """The ``[variant.NAME]`` tables, in file order."""
    recipes = []
    for name, table in variants.tables():
        table.check_name("a variant")
        table.check_keys("abstract", "extends", "fixes", *LAYER_KEYS)
        layer = read_layer(table)
        recipe = VariantRecipe(
            name=name,
            key=table.key,
            extends=table.one_or_more("extends"),
            layers={table.key: layer},
            abstract=table.flag("abstract"),
            about=layer.about,
            fixes=table.string("fixes") or None,
        )
        recipes.append(recipe)
    return tuple(recipes)


_SETTING = re.compile(r"[a-z0-9_]+(\.[A-Za-z0-9_-]+)+")
#: What a command in a virtual machine cannot use: there is nothing there but the program.
_OUTSIDE = ("source", "study", "pyperformance")


def read_sysctl(table: TomlTable) -> dict[str, str]:
    """``sysctl = { "net.core.bpf_jit_harden" = 2 }``: names as the program sysctl has them."""
    inner = table.table("sysctl")
    settings = {}
    for name, value in inner.data.items():
        if not _SETTING.fullmatch(name):
            message = f"{quoted(name)} is not the name of a kernel setting"
            hint = 'quote the whole name: sysctl = { "net.core.bpf_jit_harden" = 2 }'
            raise inner.error((name,), message, hint)
        if isinstance(value, bool) or not isinstance(value, int | str) or value == "":
            raise inner.error((name,), f"must be a whole number or a string, not {kind(value)}")
        settings[name] = str(value)
    return settings


def check_running(
    top: TomlTable,
    variants: Sequence[Variant],
    benchmarks: Sequence[Benchmark],
    evidence: EvidenceSpec,
) -> None:
    """Refuse a way to run that some benchmark would not heed."""
    for variant in variants:
        at: Key = ("variant", variant.name)
        for benchmark in benchmarks:
            if variant.run and not _uses_run(benchmark.command):
                message = f"{variant.name} has run, but the command never uses {{run}}"
                raise top.error(
                    ("benchmarks", benchmark.family_name, "command"),
                    message,
                    'add the word "{run}"',
                )
            if variant.sysctl and not benchmark.kind.says_ready:
                message = (
                    f"sysctl needs a program that reports that it is ready; programs of the runner "
                    f"{benchmark.runner} ({benchmark.family_name}) do not"
                )
                able = [quoted(k.name) for k in RUNNER_KINDS.values() if k.says_ready]
                raise top.error((*at, "sysctl"), message, f"use runner = {' or '.join(able)}")
        if variant.run and evidence.image and not _uses_run(evidence.image):
            message = f"{variant.name} has run, but the command never uses {{run}}"
            raise top.error(("evidence", "image"), message, 'add the word "{run}"')


def check_interpreters(
    top: TomlTable, build: BuildSpec, variants: Sequence[Variant], benchmarks: Sequence[Benchmark]
) -> None:
    """``{python}`` stands for something in every variant, and an interpreter is used."""
    evidence = build.evidence.steps if build.evidence else ()
    uses: dict[Key, Sequence[str]] = {
        ("build", "steps"): (*build.steps, *evidence, build.link or ""),
        **{("benchmarks", b.name, "command"): b.command for b in benchmarks},
    }
    used = [
        (key, name)
        for key, words in uses.items()
        for word in words
        for name in names_in(word)
        if name in INTERPRETER_NAMES
    ]
    for v in variants:
        if not v.python and used:
            key, name = used[0]
            message = f"{{{name}}} has no value: {v.name} has no python"
            raise top.error(key, message, 'write python = "pyenv:3.12"')
        if v.python and not used:
            message = f"{v.name} has python, but nothing uses {{python}}"
            hint = 'begin the command of a benchmark with "{python}"'
            raise top.error(("variant", v.name, "python"), message, hint)


def _uses_run(command: Sequence[str]) -> bool:
    return any("run" in names_in(word) for word in command)


def check_vms(top: TomlTable, variants: Sequence[Variant], benchmarks: Sequence[Benchmark]) -> None:
    """All variants have a kernel or none has; and what runs there can."""
    bare = [v.name for v in variants if not v.kernel]
    booted = [v.name for v in variants if v.kernel]
    if booted and bare:
        message = f"{booted[0]} has a kernel and {bare[0]} has none"
        raise top.error(("variant",), message, "give every variant a kernel, or no variant")
    for v in variants:
        if v.boot and not v.kernel:
            message = f"{v.name} has boot parameters and no kernel"
            raise top.error(("variant",), message, 'write kernel = "debian:linux-6.12"')
    if bare:
        return
    for benchmark in benchmarks:
        at = ("benchmarks", benchmark.family_name)
        if not benchmark.kind.boots:
            able = [k.name for k in RUNNER_KINDS.values() if k.boots]
            needed = " or ".join(able)
            message = f"variants with a kernel need the runner {needed}, not {benchmark.runner}"
            hint = f"write runner = {' or '.join(map(quoted, able))}"
            raise top.error((*at, "runner"), message, hint)
        for word in benchmark.command:
            for name in names_in(word):
                if name in _OUTSIDE:
                    message = f"{{{name}}} is not available in a virtual machine"
                    hint = "build everything that it needs into the program"
                    raise top.error((*at, "command"), message, hint)


#: Lists that a plain value replaces and ``.add`` appends to.
LISTS = ("cflags", "ldflags", "configure", "packages", "requires", "keep", "run", "boot")
#: Every key of a layer; but for ``about``, each is a field of :class:`Variant`.
LAYER_KEYS = (
    *("toolchain", "python", "kernel", "revision", *LISTS),
    *("env", "sysctl", "expect", "evidence_only", "about"),
)
#: What a variant may be expected to be, by the evidence that shows it.
EXPECTATIONS = {"dispatch": ("replicated", "merged", "partly merged", "none", "loop", "tail-call")}


@dataclass(frozen=True)
class ListChange:
    """What a layer does to a list: append to it, or replace it."""

    values: tuple[str, ...]
    append: bool


@dataclass(frozen=True)
class Layer:
    """What one table sets, by the fields of a variant; what it does not set is inherited. A value
    replaces the one before, the entries of a table are added to those before."""

    values: Mapping[str, str | bool]
    lists: Mapping[str, ListChange]
    tables: Mapping[str, Mapping[str, str]]
    about: str


def read_layer(table: TomlTable) -> Layer:
    """The layer of a ``[variant.NAME]`` or ``[axes.AXIS.VALUE]`` table; its keys are checked."""
    texts = {
        "toolchain": _provided(table, "toolchain", "a toolchain", "path:gcc"),
        "python": _provided(table, "python", "an interpreter", "pyenv:3.12"),
        "revision": _revision(table),
        "kernel": _provided(table, "kernel", "a kernel", "debian:linux-6.12"),
    }
    values: dict[str, str | bool] = {name: text for name, text in texts.items() if text}
    if "evidence_only" in table:
        values["evidence_only"] = table.flag("evidence_only")
    expect = table.table("expect")
    expect.check_keys(*EXPECTATIONS)
    return Layer(
        values=values,
        lists={name: _change(table, name) for name in LISTS if name in table},
        tables={
            "env": table.variables("env"),
            "expect": {n: expect.choice(n, EXPECTATIONS[n], "") for n in expect.data},
            "sysctl": read_sysctl(table),
        },
        about=table.sentence("about"),
    )


def _provided(table: TomlTable, key: str, what: str, example: str) -> str:
    """``PROVIDER:NAME``; empty when it is not given."""
    text = table.string(key)
    provider, colon, name = text.partition(":")
    if text and not (colon and provider.strip() and name.strip()):
        hint = f'write PROVIDER:NAME, e.g. "{example}"'
        raise table.error((key,), f"{quoted(text)} is not {what}", hint)
    return text


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
    check_entries(table, where, change.values)
    if name == "requires":
        for i, feature in enumerate(change.values):
            table.check_choice((*where, i), feature, FEATURES)
    return change


def resolve(
    document: TomlDocument, product: Iterable[VariantRecipe], by_hand: Iterable[VariantRecipe]
) -> tuple[Variant, ...]:
    """The variants that can be built: those of the product, then those written by hand. Abstract
    ones are checked like the others and left out."""
    recipes = {recipe.name: recipe for recipe in product}
    for recipe in by_hand:
        if recipe.name in recipes:
            hint = "rename it, or exclude that combination"
            raise document.error(recipe.key, "[axes] has a variant of this name, too", hint)
        recipes[recipe.name] = recipe
    variants = [_variant(document, recipe, recipes) for recipe in recipes.values()]
    built = tuple(v for v in variants if v is not None)
    _check_fixes(document, built, recipes)
    return built


def _check_fixes(
    document: TomlDocument, variants: Iterable[Variant], recipes: Mapping[str, VariantRecipe]
) -> None:
    """What is fixed is another variant, one that is built."""
    names = [v.name for v in variants]
    for v in variants:
        if v.fixes is not None and (v.fixes == v.name or v.fixes not in names):
            if v.fixes == v.name:
                message = f"{quoted(v.name)} fixes itself"
            elif v.fixes in recipes:
                message = f"{quoted(v.fixes)} is abstract, so it is never built"
            else:
                message = f"no variant {quoted(v.fixes)}"
            hint = suggestion(v.fixes, [name for name in names if name != v.name])
            raise document.error((*recipes[v.name].key, "fixes"), message, hint)


def _variant(
    document: TomlDocument, recipe: VariantRecipe, recipes: Mapping[str, VariantRecipe]
) -> Variant | None:
    layers: dict[Key, Layer] = {}
    for name in ancestry(document, recipe, recipes):
        for key, layer in recipes[name].layers.items():
            layers.setdefault(key, layer)
    fields = _add_up(layers.values())
    if recipe.abstract:
        return None
    if "toolchain" not in fields:
        message = "has no toolchain" if not recipe.axes else f"{recipe.name} has no toolchain"
        hint = 'write toolchain = "path:gcc", or extend a variant that has one'
        raise document.error(recipe.key, message, hint)
    return Variant(recipe.name, axes=recipe.axes, about=recipe.about, fixes=recipe.fixes, **fields)


def _add_up(layers: Iterable[Layer]) -> dict[str, Any]:
    """The fields of a variant that the layers set, each applied over those before it."""
    fields: dict[str, Any] = {}
    for layer in layers:
        fields.update(layer.values)
        for name, change in layer.lists.items():
            before = fields.get(name, ()) if change.append else ()
            fields[name] = before + change.values
        for name, entries in layer.tables.items():
            fields[name] = {**fields.get(name, {}), **entries}
    # A feature may be required by several layers; the order of FEATURES is that of reports.
    fields["requires"] = tuple(f for f in FEATURES if f in fields.get("requires", ()))
    return fields


def ancestry(
    document: TomlDocument, recipe: VariantRecipe, recipes: Mapping[str, VariantRecipe]
) -> list[str]:
    """The names whose layers make up the recipe, in the order in which they apply, itself last. One
    that is reached along several ways applies once, where it is met first: with ``extends = ["a",
    "b"]`` and both extending ``base``, that is base, a, b."""
    done: dict[str, None] = {}
    # Depth first with a stack of our own: a long chain must not exhaust Python's.
    open_: dict[str, Iterator[tuple[str, Key]]] = {recipe.name: iter(recipe.extends)}
    while open_:
        current = next(reversed(open_))
        parent = next(open_[current], None)
        if parent is None:
            del open_[current]
            done[current] = None
            continue
        name, key = parent
        if name not in recipes:
            others = [other for other in recipes if other != current]
            raise document.error(key, f"no variant {quoted(name)}", suggestion(name, others))
        if name in open_:
            chain = list(open_)
            circle = [*chain[chain.index(name) :], name]
            raise document.error(key, "circular extends: " + " → ".join(circle))
        if name not in done:
            open_[name] = iter(recipes[name].extends)
    return list(done)
