"""Results that the store keeps, by the name of their study."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from whyfast.model.errors import UserError

if TYPE_CHECKING:
    from whyfast.model.result import Result


def kept_result(study: str) -> Mapping[str, Any] | None:
    """The JSON data of the last result of a study (``ab`` for commands); None when none is kept."""
    from whyfast.store.private import own_home
    from whyfast.store.samples import SampleStore

    path = own_home().database
    if not path.exists():
        return None
    store = SampleStore(path)
    try:
        found = store.latest(study)
    finally:
        store.close()
    return None if found is None else found[1]


def own_result(argument: str) -> Result:
    """The result in a file, or the last that is kept of a study. UserError without either."""
    from whyfast.report.result_json import from_json, load_result

    if Path(argument).exists():
        return load_result(Path(argument))
    kept = kept_result(argument)
    if kept is None:
        raise UserError("no result is kept under this name", where=argument)
    return from_json(kept)
