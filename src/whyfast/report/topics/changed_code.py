"""Which code a change has changed, in sentences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from whyfast.report.names import count, listed, visible

if TYPE_CHECKING:
    from whyfast.model.check import Check, FunctionChange, Reach

#: Names that a sentence lists before it only counts the rest.
NAMES = 5


def changed_code(check: Check) -> Iterator[str]:
    """Which functions changed, and what cannot be shown not to have."""
    code = check.code
    if code.same:
        idle = code.functions
        if idle:
            names = some([f"`{visible(f.name)}`" for f in idle], "more")
            yield f"Nothing that runs refers to {names}; only where the rest lies can differ."
        yield "Nothing was measured."
    elif code.reached:
        # The instructions of others are the same, but for what the data holds that they refer to.
        own = [f for f in code.reached if f.diff or f.kind != "changed"]
        own.sort(key=lambda f: _place(f, check.reaches))
        if own:
            names = some([f"`{visible(f.name)}`" for f in own], "more")
            yield f"{count(len(own), 'function')} changed: {names}."
        if rest := len(code.reached) - len(own):
            further = " more" if own else ""
            verbs = ("has", "refers") if rest == 1 else ("have", "refer")
            yield (
                f"{count(rest, 'function')}{further} {verbs[0]} the same instructions and "
                f"{verbs[1]} to data that differs."
            )
    if not code.same and code.reasons:
        more = len(code.reasons) - NAMES
        said = [*code.reasons[:NAMES], *([f"and {more} more such"] if more > 0 else [])]
        yield f"Counts as changed: {'; '.join(said)}."


def change_sentence(change: FunctionChange) -> str:
    """What became of one function, without a full stop."""
    name = f"`{visible(change.name)}`"
    if change.kind == "added":
        return f"{name} is new"
    if change.kind == "removed":
        return f"{name} is gone"
    said = []
    if change.calls:
        said.append(f"now calls {some([f'`{visible(c)}`' for c in change.calls], 'more')}")
    if change.called:
        gone = some([f"`{visible(c)}`" for c in change.called], "more")
        said.append(f"no longer calls {gone}")
    if not said:
        before, after = change.sizes
        said.append(
            f"has other instructions ({before} bytes)"
            if before == after
            else f"went from {before} to {after} bytes"
        )
    return f"{name} {' and '.join(said)}"


def _place(change: FunctionChange, reaches: Sequence[Reach]) -> int:
    """Where among the functions that are executed; those that are not come last."""
    ran = list(dict.fromkeys(n for r in reaches for n in r.executes or ()))
    return next((i for i, name in enumerate(ran) if is_called(change, name)), len(ran))


def is_called(change: FunctionChange, name: str) -> bool:
    """Whether a function is called so, but for what the compiler put behind (``.isra.0``)."""
    return change.name == name or change.name.startswith(f"{name}.")


def some(items: Sequence[str], rest: str, most: int = NAMES) -> str:
    if len(items) <= most:
        return listed(items)
    return f"{', '.join(items[:most])} and {len(items) - most} {rest}"
