"""``[axes]``: one variant for every combination of the axes' values."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping

from whyfast.study.layer import LAYER_KEYS, Layer, read_layer
from whyfast.study.placeholders import names_in, substitute
from whyfast.study.toml_table import NAME_HINT, TomlTable, is_name
from whyfast.study.variant_recipe import VariantRecipe
from whyfast.study.wording import Key, listed, quoted, suggestion

_OWN_KEYS = ("extends", "name", "exclude", "only")
_MOST = 10_000

#: The values of each axis, by name, each with the table that it stands in.
Axes = Mapping[str, Mapping[str, tuple[Key, Layer]]]
#: One value of each axis.
Combination = Mapping[str, str]
#: A pattern of combinations: for some axes, the values that match.
Pattern = Mapping[str, tuple[str, ...]]


def span(table: TomlTable) -> tuple[VariantRecipe, ...]:
    """A recipe for each combination that ``only`` and ``exclude`` leave; the last axis varies
    fastest."""
    extends = table.one_or_more("extends")
    axes = _read_axes(table)
    only, exclude = (_patterns(table, name, axes) for name in ("only", "exclude"))
    chosen = [
        combination
        for combination in _product(table, axes)
        if ("only" not in table or _matches(combination, only))
        and not _matches(combination, exclude)
    ]
    if not chosen:
        filters = [name for name in ("only", "exclude") if name in table]
        if len(filters) == 1:
            raise table.error((filters[0],), "leaves no combination of the axes")
        raise table.error((), "only and exclude together leave no combination")
    recipes: dict[str, VariantRecipe] = {}
    template = _template(table, axes)
    for combination in chosen:
        name = substitute(template, combination)
        if not is_name(name):
            message = f"{quoted(name)} cannot be the name of a variant"
            raise table.error(("name",), message, NAME_HINT)
        if name in recipes:
            message = f"gives two combinations the same name {quoted(name)}"
            raise table.error(("name",), message, "let it contain " + _all_placeholders(axes))
        layers = dict(axes[axis][value] for axis, value in combination.items())
        about = ", ".join(layer.about for layer in layers.values() if layer.about)
        recipes[name] = VariantRecipe(
            name, table.key, extends, layers, axes=combination, about=about
        )
    return tuple(recipes.values())


def _read_axes(table: TomlTable) -> Axes:
    axes: dict[str, Mapping[str, tuple[Key, Layer]]] = {}
    for name in table.data:
        if name in _OWN_KEYS:
            continue
        if not isinstance(table.data[name], dict):
            raise table.error((name,), "unknown key", suggestion(name, _OWN_KEYS))
        axis = table.table(name)
        axis.check_name("an axis")
        values = {value: (inner.key, _read_value(inner)) for value, inner in axis.tables()}
        if not values:
            raise axis.error((), "has no values", f"write [axes.{name}.VALUE]")
        axes[name] = values
    if not axes:
        raise table.error((), "has no axes", "write [axes.AXIS.VALUE]")
    return axes


def _read_value(table: TomlTable) -> Layer:
    table.check_name("a value of an axis")
    for name in ("abstract", "extends"):
        if name in table:
            hint = "write it under [axes]" if name == "extends" else "use exclude"
            raise table.error((name,), "is not for a value of an axis", hint)
    table.check_keys(*LAYER_KEYS)
    return read_layer(table)


def _patterns(table: TomlTable, name: str, axes: Axes) -> tuple[Pattern, ...]:
    return tuple(_pattern(entry, axes) for entry in table.entries(name))


def _pattern(entry: TomlTable, axes: Axes) -> Pattern:
    if not entry.data:
        raise entry.error((), "names no axis", f"valid: {listed(axes)}")
    pattern = {}
    for axis in entry.data:
        if axis not in axes:
            raise entry.error((axis,), "is no axis of this study", suggestion(axis, axes))
        wanted = entry.one_or_more(axis)
        for value, key in wanted:
            if value not in axes[axis]:
                message = f"{quoted(value)} is no value of the axis {axis}"
                hint = suggestion(value, axes[axis])
                raise entry.error(key[len(entry.key) :], message, hint)
        pattern[axis] = tuple(value for value, _ in wanted)
    return pattern


def _matches(combination: Combination, patterns: Iterable[Pattern]) -> bool:
    return any(
        all(combination[axis] in values for axis, values in pattern.items()) for pattern in patterns
    )


def _product(table: TomlTable, axes: Axes) -> list[Combination]:
    count = math.prod(len(values) for values in axes.values())
    if count > _MOST:
        message = f"spans {count} combinations; at most {_MOST} are possible"
        raise table.error((), message)
    return [dict(zip(axes, values, strict=True)) for values in itertools.product(*axes.values())]


def _template(table: TomlTable, axes: Axes) -> str:
    template = table.string("name", "-".join(f"{{{axis}}}" for axis in axes))
    try:
        names = names_in(template)
    except ValueError as error:
        message = f"{error} in {quoted(template)}"
        raise table.error(("name",), message, "write {{ or }} for a literal brace") from None
    for name in names:
        if name not in axes:
            hint = suggestion(name, axes)
            raise table.error(("name",), f"{quoted(name)} is no axis of this study", hint)
    return template


def _all_placeholders(axes: Axes) -> str:
    return " ".join(f"{{{axis}}}" for axis in axes)
