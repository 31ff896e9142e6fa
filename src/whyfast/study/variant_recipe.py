"""A variant before inheritance: which others it extends, and what it adds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from whyfast.study.layer import LAYER_KEYS, Layer, read_layer
from whyfast.study.toml_table import TomlTable
from whyfast.study.wording import Key


@dataclass(frozen=True)
class VariantRecipe:
    """A variant as written, or as spanned by axes.

    ``layers`` are its own, by the key of the table that each comes from; ``extends`` holds names
    with the key at which each is written; ``key`` is where to report that the whole is wrong.
    ``fixes`` is not inherited: what extends a fix need not be one.
    """

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
    return tuple(_recipe(name, table) for name, table in variants.tables())


def _recipe(name: str, table: TomlTable) -> VariantRecipe:
    table.check_name("a variant")
    table.check_keys("abstract", "extends", "fixes", *LAYER_KEYS)
    layer = read_layer(table)
    return VariantRecipe(
        name=name,
        key=table.key,
        extends=table.one_or_more("extends"),
        layers={table.key: layer},
        abstract=table.flag("abstract"),
        about=layer.about,
        fixes=table.string("fixes") or None,
    )
