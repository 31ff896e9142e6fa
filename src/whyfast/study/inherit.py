"""Recipes → variants, with everything inherited filled in."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from whyfast.model.toolchain import FEATURES
from whyfast.model.variant import Variant
from whyfast.study.layer import Layer
from whyfast.study.toml_document import TomlDocument
from whyfast.study.variant_recipe import VariantRecipe
from whyfast.study.wording import Key, quoted, suggestion


def resolve(
    document: TomlDocument, product: Iterable[VariantRecipe], by_hand: Iterable[VariantRecipe]
) -> tuple[Variant, ...]:
    """The variants that can be built: those of the product, then those written by hand.

    Abstract ones are checked like the others and left out.
    """
    recipes = {recipe.name: recipe for recipe in product}
    for recipe in by_hand:
        if recipe.name in recipes:
            hint = "rename it, or exclude that combination"
            raise document.error(recipe.key, "[axes] spans a variant of this name too", hint)
        recipes[recipe.name] = recipe
    variants = [_variant(document, recipe, recipes) for recipe in recipes.values()]
    found = tuple(v for v in variants if v is not None)
    _check_fixes(document, found, recipes)
    return found


def _check_fixes(
    document: TomlDocument, variants: Iterable[Variant], recipes: Mapping[str, VariantRecipe]
) -> None:
    """What is fixed is another variant, one that is built."""
    names = [v.name for v in variants]
    for v in variants:
        if v.fixes is not None and (v.fixes == v.name or v.fixes not in names):
            abstract = v.fixes in recipes and v.fixes not in names
            if v.fixes == v.name:
                message = f"{quoted(v.name)} cannot be a fix of itself"
            elif abstract:
                message = f"{quoted(v.fixes)} is abstract and is never built"
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
    """The names whose layers make up the recipe, in the order in which they apply, itself last.

    One that is reached along several ways applies once, where it is met first: with
    ``extends = ["a", "b"]`` and both extending ``base``, that is base, a, b.
    """
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
            raise document.error(key, "extends itself in a circle: " + " → ".join(circle))
        if name not in done:
            open_[name] = iter(recipes[name].extends)
    return list(done)
