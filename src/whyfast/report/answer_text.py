"""The form of an answer."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Answer:
    """The result in sentences, most important first."""

    headline: str
    sentences: tuple[str, ...] = ()
