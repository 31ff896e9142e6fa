"""study.toml → Study; every mistake has its file, line, key and what would be right."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from whyfast.study.load import load_study

__all__ = ["load_study"]


def __getattr__(name: str) -> Any:
    """Imported when it is asked for: who wants one small module of the package has not to wait."""
    if name != "load_study":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from whyfast.study.load import load_study

    return load_study
