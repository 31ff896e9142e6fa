"""From a set that carries most of a difference on to what carries what is left of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from whyfast.model.errors import UserError
from whyfast.search.axes.mixing import Mixing
from whyfast.search.run_set import SetResult


def search_all(mixing: Mixing, search: Callable[[Mixing], SetResult]) -> SetResult:
    """The search of a mixing, with those of what is left in ``further``.

    What was found is as at the good end from then on, so every further search has fewer
    differences; the first that finds no set is the last. One that cannot be made, for want of an
    end that builds, is told in ``note``.
    """
    found = search(mixing)
    parts = frozenset(d for part in found.answer.parts for d in part)
    if not parts or len(parts) == len(mixing.differences):
        return found
    try:
        return replace(found, further=search_all(mixing.without(parts), search))
    except UserError as error:
        return replace(found, note=f"what is left could not be searched: {error}")
