"""``[study]``: what is asked, and of which variants."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, cast

from whyfast.model.study import Claim
from whyfast.model.variant import (
    RUNNER_KINDS,
    Benchmark,
    Parameter,
    RunnerKind,
    RunnerName,
    Variant,
)
from whyfast.study.notation import (
    NAME_HINT,
    bind,
    is_name,
    kind,
    names_in,
    parse_duration,
    parse_margin,
    quoted,
)
from whyfast.study.sections import NAMES_NAME, PARAMETER_NAME, read_command
from whyfast.study.toml_table import Key, TomlTable, suggestion
from whyfast.study.variants import VariantRecipe

#: The key of the A/A control; its old name is still read.
CONTROL, OLD_CONTROL = "control", "twin"

_MARGIN = 0.01
_ALONG = 'write baseline = { AXIS = "VALUE" }'


@dataclass(frozen=True)
class StudyTable:
    """The ``[study]`` table."""

    title: str
    baselines: tuple[str, ...]
    margin: float
    claim: Claim | None
    control: bool | None
    evidence_only: bool
    along: Mapping[str, str] = field(default_factory=dict)


def check_question(table: TomlTable) -> None:
    """What can be said about the table before the variants are known."""
    table.check_keys(
        *("title", "baseline", "margin", "claim", CONTROL, "evidence_only", "otherwise"),
        old=(OLD_CONTROL,),
    )
    if CONTROL in table and OLD_CONTROL in table:
        message = f"the old name of {CONTROL}, which is given too"
        raise table.error((OLD_CONTROL,), message, "remove it")
    table.require("title", 'title = "Is … faster than …?"')
    if isinstance(table.data.get("baseline"), dict):
        if not table.data["baseline"]:
            raise table.error(("baseline",), "names no axis", _ALONG)
    elif "baseline" in table and not table.one_or_more("baseline"):
        raise table.error(("baseline",), "is empty", 'write baseline = "NAME"')


def control_key(table: TomlTable) -> str:
    """The key under which ``[study]`` gives the A/A control."""
    return OLD_CONTROL if OLD_CONTROL in table else CONTROL


def read_question(
    table: TomlTable, variants: Sequence[Variant], by_hand: Sequence[VariantRecipe]
) -> StudyTable:
    """The question, with every variant that it names known to exist."""
    concrete = [v.name for v in variants]
    abstract = [r.name for r in by_hand if r.abstract]

    def check(table: TomlTable, at: Key, name: str) -> None:
        if name in abstract:
            hint = suggestion(name, concrete)
            raise table.error(at, f"{quoted(name)} is abstract, so it is never built", hint)
        table.check_known(at, "variant", name, concrete)

    margin = table.converted("margin", parse_margin, 'margin = "1%" or 0.01', _MARGIN)
    along = read_along(table, variants)
    baselines = _along_axes(table, variants, along) if along else _named(table, variants)
    for name, key in baselines:
        check(table, key[len(table.key) :], name)
    evidence_only = table.flag("evidence_only")
    control = control_key(table)
    if not evidence_only and not all(v.evidence_only for v in variants):
        _check_measured(table, baselines, variants)
    return StudyTable(
        title=table.sentence("title"),
        baselines=tuple(name for name, _ in baselines),
        margin=margin,
        claim=_claim(table.table("claim"), check) if "claim" in table else None,
        control=table.flag(control) if control in table else None,
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
        hint = 'name a variant: baseline = "NAME"'
        raise given.error((), "baseline along an axis, but this study has no [axes]", hint)
    along = {}
    for axis in given.data:
        given.check_known((axis,), "axis", axis, values)
        along[axis] = given.string(axis)
        given.check_known((axis,), f"value of the axis {axis}", along[axis], values[axis])
    return along


def _named(table: TomlTable, variants: Sequence[Variant]) -> tuple[tuple[str, Key], ...]:
    """The baselines by name; the only variant is one by default."""
    if len(variants) == 1 and "baseline" not in table:
        return ((variants[0].name, (*table.key, "baseline")),)
    table.require("baseline", 'baseline = "NAME"')
    return table.one_or_more("baseline")


def _along_axes(
    table: TomlTable, variants: Sequence[Variant], along: Mapping[str, str]
) -> tuple[tuple[str, Key], ...]:
    """The baselines, in the order of the study; StudyError for a variant that has none."""
    measured = [v for v in variants if not v.evidence_only] or list(variants)
    baselines = [v for v in measured if v.axes and along.items() <= v.axes.items()]
    places = [v.axes for v in baselines]
    values = " and ".join(f"{axis} {quoted(value)}" for axis, value in along.items())
    for v in measured:
        if not v.axes:
            message = f"{quoted(v.name)} has no axis, so it has no baseline with {values}"
            hint = "make it a value of an axis, or evidence_only, or name baselines instead"
            raise table.error(("baseline",), message, hint)
        if {**v.axes, **along} not in places:
            message = f"{quoted(v.name)} has no counterpart with {values}"
            hint = "exclude it under [axes] too, or leave its counterpart in"
            raise table.error(("baseline",), message, hint)
    return tuple((v.name, (*table.key, "baseline")) for v in baselines)


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
            hint = "name a variant without evidence_only"
            raise table.error(at, f"{quoted(name)} is evidence_only, so it is never measured", hint)


def _claim(table: TomlTable, check: Callable[[TomlTable, Key, str], None]) -> Claim:
    table.check_keys("variant", "baseline")
    for name in ("variant", "baseline"):
        table.require(name, 'claim = { variant = "…", baseline = "…" }')
        check(table, (name,), table.string(name))
    claim = Claim(table.string("variant"), table.string("baseline"))
    if claim.variant == claim.baseline:
        message = f"{quoted(claim.variant)} is compared with itself"
        raise table.error(("baseline",), message, "name another variant")
    return claim


#: By the key that makes several benchmarks of one, the placeholder in commands that it fills.
_BOUND = {"names": NAMES_NAME, "parameter": PARAMETER_NAME, "": ""}
_EXAMPLE = 'write parameter = { name = "tail call", values = [0, 1, 2, 4] }'


def read_benchmarks(table: TomlTable, *, needed: bool = True) -> tuple[Benchmark, ...]:
    """The benchmarks in file order; there must be one unless nothing is measured."""
    benchmarks = tuple(
        benchmark
        for name, inner in table.tables()
        for benchmark in _spread(inner, _benchmark(name, inner))
    )
    names = [b.name for b in benchmarks]
    for name in names:
        if names.count(name) > 1:
            message = f"names or a parameter give another benchmark the name {quoted(name)} too"
            raise table.error((name,), message, "rename one of them")
    if needed and not benchmarks:
        hint = 'write [benchmarks.NAME] with command = ["{program}"]'
        raise table.error((), "a study needs a benchmark", hint)
    return benchmarks


def _benchmark(name: str, table: TomlTable) -> Benchmark:
    table.check_name("a benchmark")
    table.check_keys(
        *("runner", "command", "check", "timeout", "folder", "names", "parameter"),
        *("distribution", "overhead", "figures"),
    )
    if "names" in table and "parameter" in table:
        hint = "leave one of them out"
        raise table.error(("names",), "a benchmark has names or a parameter, not both", hint)
    bound = _BOUND[next((key for key in _BOUND if key in table), "")]
    runner = cast("RunnerName", table.choice("runner", tuple(RUNNER_KINDS), "command"))
    table.require("command", 'command = ["{program}", "argument"]')
    return Benchmark(
        name=name,
        runner=runner,
        command=read_command(table, "command", bound=bound),
        check=_check(table, RUNNER_KINDS[runner]),
        timeout=table.converted("timeout", parse_duration, 'timeout = "10s"', Benchmark.timeout),
        folder=_folder(table),
        distribution=read_command(table, "distribution", bound=bound),
        overhead=read_command(table, "overhead", bound=bound),
        figures=read_command(table, "figures", bound=bound),
    )


def _folder(table: TomlTable) -> str:
    """The folder that the command runs in, empty where the study names none."""
    if "folder" not in table:
        return ""
    folder = table.string("folder")
    if not folder.startswith(("{source}", "{study}", "/")) or len(names_in(folder)) > 1:
        message = f"{quoted(folder)} does not begin at a known place"
        raise table.error(("folder",), message, 'write folder = "{source}/tests", or {study}')
    return folder


def _check(table: TomlTable, runner: RunnerKind) -> str | None:
    if "check" not in table:
        return None
    check = table.string("check")
    if not runner.checks:
        message = f"the {runner.name} runner reports no result to check"
        raise table.error(("check",), message, 'remove it, or write runner = "turn"')
    if len(check.split()) != 1 or check != check.strip():
        raise table.error(("check",), f"{quoted(check)} contains spaces; expected one word")
    return check


def _spread(table: TomlTable, benchmark: Benchmark) -> tuple[Benchmark, ...]:
    """One benchmark for each value of its ``parameter``, ``NAME-VALUE``, or each of its ``names``,
    in the order given; itself when it has neither. ``{parameter}`` in its commands is the value,
    ``{name}`` the name."""
    if "names" in table:
        return _benchmarks_named(table, benchmark)
    if "parameter" not in table:
        return (benchmark,)
    inner = table.table("parameter")
    inner.check_keys("name", "values", "linear")
    inner.require("name", 'name = "tail call", what the numbers count, in the singular')
    inner.require("values", "values = [0, 1, 2, 4]")
    name = inner.sentence("name")
    values = _values(inner)
    if not any(PARAMETER_NAME in names_in(word) for word in benchmark.command):
        message = "does not use {parameter}, so all values would run the same command"
        raise table.error(("command",), message, 'as in "--length", "{parameter}"')
    linear = inner.flag("linear") if "linear" in inner else True
    return tuple(
        replace(
            _bound_to(benchmark, PARAMETER_NAME, str(value)),
            name=f"{benchmark.name}-{value}",
            parameter=Parameter(benchmark.name, name, value, linear),
        )
        for value in values
    )


def _benchmarks_named(table: TomlTable, benchmark: Benchmark) -> tuple[Benchmark, ...]:
    names = table.strings("names")
    if not names:
        raise table.error(("names",), "is empty", 'write names = ["NAME"]')
    for i, name in enumerate(names):
        if not is_name(name):
            message = f"{quoted(name)} cannot be the name of a benchmark"
            raise table.error(("names", i), message, NAME_HINT)
        if name in names[:i]:
            raise table.error(("names", i), f"{quoted(name)} is in the list twice")
    if not any(NAMES_NAME in names_in(word) for word in benchmark.command):
        message = "does not use {name}, so all names would run the same command"
        raise table.error(("command",), message, 'add the word "{name}"')
    return tuple(replace(_bound_to(benchmark, NAMES_NAME, name), name=name) for name in names)


def _values(table: TomlTable) -> tuple[int, ...]:
    values = table.data["values"]
    if not isinstance(values, list):
        raise table.error(("values",), f"must be a list of numbers, not {kind(values)}", _EXAMPLE)
    for i, value in enumerate(values):
        if isinstance(value, bool) or not isinstance(value, int) or value < 0:
            raise table.error(("values", i), "must be a whole number, 0 or more", _EXAMPLE)
        if value in values[:i]:
            raise table.error(("values", i), f"{value} is in the list twice")
    if len(values) < 2:
        raise table.error(("values",), "needs two values or more", _EXAMPLE)
    return tuple(values)


def _bound_to(benchmark: Benchmark, placeholder: str, value: str) -> Benchmark:
    """With the value in all its commands."""
    commands: dict[str, Any] = {
        name: tuple(bind(word, placeholder, value) for word in getattr(benchmark, name))
        for name in ("command", "distribution", "overhead", "figures")
    }
    return replace(benchmark, **commands)
