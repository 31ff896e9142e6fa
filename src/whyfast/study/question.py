"""``[study]``: what is asked, and of which variants."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from whyfast.model.question import Claim
from whyfast.model.variant import Variant
from whyfast.study.quantities import parse_margin
from whyfast.study.toml_table import TomlTable
from whyfast.study.variant_recipe import VariantRecipe
from whyfast.study.wording import Key, quoted, suggestion

_MARGIN = 0.01
_ALONG = 'write baseline = { AXIS = "VALUE" }'


@dataclass(frozen=True)
class StudyTable:
    """The ``[study]`` table."""

    title: str
    baselines: tuple[str, ...]
    margin: float
    claim: Claim | None
    twin: bool | None
    evidence_only: bool
    along: Mapping[str, str] = field(default_factory=dict)


def check_question(table: TomlTable) -> None:
    """What can be said about the table before the variants are known."""
    table.check_keys("title", "baseline", "margin", "claim", "twin", "evidence_only", "otherwise")
    table.require("title", 'title = "Is … faster than …?"')
    if isinstance(table.data.get("baseline"), dict):
        if not table.data["baseline"]:
            raise table.error(("baseline",), "names no axis", _ALONG)
    elif "baseline" in table and not table.one_or_more("baseline"):
        raise table.error(("baseline",), "is empty", 'write baseline = "NAME"')


def read_question(
    table: TomlTable, variants: Sequence[Variant], by_hand: Sequence[VariantRecipe]
) -> StudyTable:
    """The question, with every variant that it names known to exist."""
    known = _Known([v.name for v in variants], [r.name for r in by_hand if r.abstract])
    margin = table.converted("margin", parse_margin, 'margin = "1%" or 0.01', _MARGIN)
    along = read_along(table, variants)
    baselines = _along_axes(table, variants, along) if along else _named(table, variants)
    for name, key in baselines:
        known.check(table, key, name)
    evidence_only = table.flag("evidence_only")
    if not evidence_only and not all(v.evidence_only for v in variants):
        _check_measured(table, baselines, variants)
    return StudyTable(
        title=table.sentence("title"),
        baselines=tuple(name for name, _ in baselines),
        margin=margin,
        claim=_claim(table.table("claim"), known) if "claim" in table else None,
        twin=table.flag("twin") if "twin" in table else None,
        evidence_only=evidence_only,
        along=along,
    )


def read_along(table: TomlTable, variants: Sequence[Variant]) -> Mapping[str, str]:
    """``baseline = { dispatch = "switch" }``: values of axes that exist; empty for names."""
    if not isinstance(table.data.get("baseline"), dict):
        return {}
    given = table.table("baseline")
    values: dict[str, dict[str, None]] = {}
    for variant in variants:
        for axis, value in variant.axes.items():
            values.setdefault(axis, {})[value] = None
    if not values:
        hint = 'name a variant, as in baseline = "NAME"'
        raise given.error((), "is along an axis, and this study has no [axes]", hint)
    along = {}
    for axis in given.data:
        given.check_known((axis,), "axis", axis, values)
        along[axis] = given.string(axis)
        given.check_known((axis,), f"value of the axis {axis}", along[axis], values[axis])
    return along


def _named(table: TomlTable, variants: Sequence[Variant]) -> tuple[tuple[str, Key], ...]:
    """The baselines by name; the only variant is one unsaid."""
    if len(variants) == 1 and "baseline" not in table:
        return ((variants[0].name, (*table.key, "baseline")),)
    table.require("baseline", 'baseline = "NAME"')
    return table.one_or_more("baseline")


def _along_axes(
    table: TomlTable, variants: Sequence[Variant], along: Mapping[str, str]
) -> tuple[tuple[str, Key], ...]:
    """The baselines, in the order of the study; StudyError for a variant that has none."""
    measured = [v for v in variants if not v.evidence_only] or list(variants)
    found = [v for v in measured if v.axes and along.items() <= v.axes.items()]
    places = [v.axes for v in found]
    said = " and ".join(f"{axis} {quoted(value)}" for axis, value in along.items())
    for v in measured:
        if not v.axes:
            message = f"{quoted(v.name)} stands on no axis, and so has no baseline with {said}"
            hint = "make it a value of an axis, or evidence_only, or name baselines instead"
            raise table.error(("baseline",), message, hint)
        if {**v.axes, **along} not in places:
            message = f"{quoted(v.name)} has no counterpart with {said}"
            hint = "exclude it under [axes] too, or leave its counterpart in"
            raise table.error(("baseline",), message, hint)
    return tuple((v.name, (*table.key, "baseline")) for v in found)


def _check_measured(
    table: TomlTable, baselines: Sequence[tuple[str, Key]], variants: Sequence[Variant]
) -> None:
    """What is compared with others has to be measured."""
    unmeasured = {v.name for v in variants if v.evidence_only}
    claim = table.table("claim")
    named = [(name, key[len(table.key) :]) for name, key in baselines]
    named += [(claim.string(k), ("claim", k)) for k in ("variant", "baseline") if k in claim]
    for name, at in named:
        if name in unmeasured:
            hint = "name one without evidence_only"
            raise table.error(at, f"{quoted(name)} is for evidence only, never measured", hint)


@dataclass(frozen=True)
class _Known:
    concrete: list[str]
    abstract: list[str]

    def check(self, table: TomlTable, key: Key, name: str) -> None:
        at = key[len(table.key) :]
        if name in self.abstract:
            hint = suggestion(name, self.concrete)
            raise table.error(at, f"{quoted(name)} is abstract and is never built", hint)
        table.check_known(at, "variant", name, self.concrete)


def _claim(table: TomlTable, known: _Known) -> Claim:
    table.check_keys("variant", "baseline")
    for name in ("variant", "baseline"):
        table.require(name, 'claim = { variant = "…", baseline = "…" }')
        known.check(table, (*table.key, name), table.string(name))
    claim = Claim(table.string("variant"), table.string("baseline"))
    if claim.variant == claim.baseline:
        message = f"{quoted(claim.variant)} cannot beat itself"
        raise table.error(("baseline",), message, "name another variant")
    return claim
