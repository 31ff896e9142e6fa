"""``[quick]``: what ``--quick`` is restricted to."""

from __future__ import annotations

from collections.abc import Sequence

from whyfast.model.study import Quick
from whyfast.model.variant import Benchmark, Variant
from whyfast.study.quantities import parse_duration
from whyfast.study.suggest import suggestion
from whyfast.study.toml_table import TomlTable
from whyfast.study.wording import quoted


def read_quick(
    table: TomlTable, variants: Sequence[Variant], benchmarks: Sequence[Benchmark]
) -> Quick:
    """The restriction, with every name in it known to exist."""
    table.check_keys("variants", "benchmarks", "budget")
    return Quick(
        variants=_names(table, "variants", "variant", [v.name for v in variants]),
        benchmarks=_names(table, "benchmarks", "benchmark", [b.name for b in benchmarks]),
        budget=table.converted("budget", parse_duration, 'budget = "3m" or "90s"')
        if "budget" in table
        else None,
    )


def _names(table: TomlTable, key: str, kind: str, known: Sequence[str]) -> tuple[str, ...]:
    """Names that must exist; left out means all, so that none at all would be a mistake."""
    if key not in table:
        return ()
    given = table.one_or_more(key)
    if not given:
        raise table.error((key,), "is empty", f"name a {kind}, or leave it out for all")
    for name, at in given:
        if name not in known:
            hint = suggestion(name, known)
            raise table.error(at[len(table.key) :], f"no {kind} {quoted(name)}", hint)
    return tuple(name for name, _ in given)
