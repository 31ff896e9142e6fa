"""The code that a change made different: in sentences, in order of what it makes of the times, and
by the benchmarks that execute it; what differs in size."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from whyfast.explain.functions import COMPILED, base_name
from whyfast.explain.objects import short_name
from whyfast.model.result import Result
from whyfast.report import document as doc
from whyfast.report import formatting as fmt

if TYPE_CHECKING:
    from whyfast.model.code import ChangeCoverage, Check, FunctionChange
    from whyfast.model.cost import SizeChange

#: Names that a sentence lists before it only counts the rest.
NAMES = 5
#: Characters of a function's name that is listed whole.
_LONG = 60


def changed_code(check: Check) -> Iterator[str]:
    """Which functions changed, and what cannot be shown not to have."""
    code = check.code
    if code.same:
        if code.functions:
            names = some_code(dict.fromkeys(f.name for f in code.functions))
            yield f"Nothing that runs uses {names}; only the placement of other code can differ."
        yield "Nothing was measured."
        if any(name.endswith(COMPILED) for name in check.not_linked):
            yield (
                "To time what has changed, name a program that holds it in [build] of the study, "
                "and its last step."
            )
        elif check.not_linked:
            yield "To time what has changed, add a benchmark that uses it."
        return
    # The instructions of others are the same, but for what the data holds that they refer to.
    changed = [f for f in code.reached if f.diff or f.kind != "changed"]
    executed = list(dict.fromkeys(n for r in check.reaches for n in r.executes or ()))
    changed.sort(
        key=lambda f: next((i for i, n in enumerate(executed) if is_called(f, n)), len(executed))
    )
    if changed:
        lines = dict.fromkeys(_in_a_line(f.name) for f in changed)
        yield f"{fmt.pluralize(len(lines), 'function')} changed: {some_code(lines)}."
    if rest := len(code.reached) - len(changed):
        which = f"{fmt.pluralize(rest, 'function')}{' more' if changed else ''}"
        has, refers = ("has", "refers") if rest == 1 else ("have", "refer")
        yield f"{which} {has} the same instructions and {refers} to data that differs."
    if any(f.name.endswith("<module>") for f in changed):
        yield "`<module>` runs when a module is imported; who uses what it sets is not known."
    if code.reasons:
        more = len(code.reasons) - NAMES
        reasons = [*code.reasons[:NAMES], *([f"and {more} more"] if more > 0 else [])]
        yield f"Counts as changed: {'; '.join(reasons)}."


def _in_a_line(name: str) -> str:
    """A function's name; of a long one without parameters, template arguments and suffixes."""
    if len(name) <= _LONG:
        return name
    return short_name(base_name(name)).replace("(anonymous namespace)::", "")


def change_sentence(change: FunctionChange) -> str:
    """What became of one function, without a full stop."""
    name, (before, after) = fmt.as_code(change.name), change.sizes
    if change.kind != "changed":
        return f"{name} is {'new' if change.kind == 'added' else 'gone'}"
    changes = [f"now calls {some_code(change.calls)}"] if change.calls else []
    changes += [f"no longer calls {some_code(change.called)}"] if change.called else []
    if not changes and not change.diff and before == after:
        changes = ["refers to data that differs"]
    if not changes and before == after:
        changes = [f"has other instructions ({before} bytes)" if before else "has changed"]
    return f"{name} {' and '.join(changes) or f'went from {before} to {after} bytes'}"


def is_called(change: FunctionChange, name: str) -> bool:
    """Whether a function is called so, but for what the compiler put behind (``.isra.0``)."""
    return change.name == name or change.name.startswith(f"{name}.")


def some_code(names: Iterable[str]) -> str:
    """The first names of functions or files, as code."""
    return fmt.join(map(fmt.as_code, names), NAMES)


def check_of(result: Result) -> Check:
    """The check that the result is of."""
    assert result.found.check is not None
    return result.found.check


def executes_text(reach: ChangeCoverage | None) -> str:
    """The changed functions that a benchmark executes."""
    if reach is None or reach.executes is None:
        return "not known"
    if not reach.executes:
        return "none: placement only"
    few = [fmt.escape_controls(n) for n in reach.executes[:2]]
    more = len(reach.executes) - len(few)
    return ", ".join(few) + (f" and {more} more" if more else "")


def changed_hot(result: Result) -> list[FunctionChange]:
    """The changed functions that benchmarks execute; all that are reached where that is not known.
    Those first that carry the difference: by the account of it, then by how much their executed
    instructions changed in the benchmark with the largest difference."""
    check, account = check_of(result), result.found.account
    known = {r.benchmark: r.executes for r in check.reaches if r.executes is not None}
    reached = check.code.reached
    order = [item.name for item in account.items] if account else []
    largest = sorted(result.judged.verdicts, key=lambda v: -fmt.size_of(v.ratio))
    for verdict in largest:
        order += known.get(verdict.benchmark or "", ())
    order += [name for names in known.values() for name in names]
    rank = {name: number for number, name in reversed(list(enumerate(order)))}
    if not known:
        return sorted(reached, key=lambda f: rank.get(f.name, len(order)))
    return sorted((f for f in reached if f.name in rank), key=lambda f: rank[f.name])


#: What an address, an offset or a register is in a line of disassembly. A constant is none.
_PLACES = re.compile(
    r"\[[^\]]*\]|\+0x[0-9a-f]+|\bloc_[0-9a-f]+"
    r"|\b(?:[er]?(?:ax|bx|cx|dx|si|di|bp|sp)|[abcd][lh]|(?:si|di|bp|sp)l|r(?:8|9|1[0-5])[dwb]?|[xyz]mm\d+)\b"
)


def only_moved(change: FunctionChange) -> bool:
    """Whether its instructions differ in offsets, addresses and registers alone, as far as they
    are shown; a function that has grown differs in more."""
    if change.kind != "changed" or change.calls or change.called or not change.diff:
        return False
    if len(change.diff) > 0 and change.diff[-1].startswith("…") and len(set(change.sizes)) > 1:
        return False
    sides: dict[str, list[str]] = {"-": [], "+": []}
    for line in change.diff:
        if line[:1] in sides:
            sides[line[0]].append(_PLACES.sub("·", line[1:]))
    return sides["-"] == sides["+"]


# What grew.

#: Functions named as inlined.
_NAMED = 2


def growth_section(result: Result) -> doc.ReportSection | None:
    """Which functions, data, sections and source files differ most in size."""
    groups = []
    pairs = fmt.grouped(((c.variant, c.baseline), c) for c in result.found.growth)
    for (variant, baseline), changes in pairs.items():
        rows = [
            (
                "source file" if c.of == "source" else c.of,
                doc.Cell(c.name, f"{c.number} of them" if c.number > 1 else ""),
                *(doc.number_cell(c.before), doc.number_cell(c.after)),
                doc.Cell(f"{c.more:+,}", number=c.more),
                reason_text(c).replace("`", ""),  # as the names beside it
            )
            for c in changes
        ]
        heads = ("of", "name", *doc.right("before", "after", "bytes more"), "because")
        title = f"Sizes in {variant} against {baseline}"
        groups.append(doc.group(title, doc.table(title, heads, rows, fixed=2)))
    return doc.detail("growth", "What grew", *groups)


def reason_text(change: SizeChange) -> str:
    """Why it grew or shrank: ``unrolled``; empty where the code shows no reason."""
    why, grew = change.why, change.more > 0
    if why is None:
        return ""
    if why.kind == "inlined":
        shown = list(map(fmt.as_code, why.names[:_NAMED]))
        if (others := len(why.names) - _NAMED) > 0:
            shown.append(fmt.pluralize(others, "other"))
        return f"{fmt.join(shown)} {'' if grew else 'not '}inlined"
    if why.kind == "copies":
        word, template = "more" if grew else "fewer", "<…>" in change.name
        text = fmt.pluralize(why.amount, f"{word} {'instance' if template else 'function'}")
        return text if template else f"{text} of this name"
    texts = {
        "alone": ("new", "gone"),
        "apart": ("not inlined", "inlined"),
        "padding": ("alignment", "less alignment"),
        "unrolled": ("unrolled", "not unrolled"),
        "vectorised": (f"vectorised, {why.amount} bytes", "not vectorised"),
    }
    return texts[why.kind][not grew]
