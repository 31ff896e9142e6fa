"""What a provider of interpreters does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from whyfast.model.interpreter import Interpreter
from whyfast.store.home import Home

Progress = Callable[[str], None]


class InterpreterProvider(Protocol):
    """One source of interpreters."""

    def names(self) -> list[str]:
        """What can be asked for here, for lists and suggestions."""

    def resolve(self, name: str, home: Home, progress: Progress) -> Interpreter:
        """The interpreter, installed if need be.

        Raises :class:`~whyfast.model.errors.CannotBuildHere` when it cannot be had on this machine
        and :class:`UserError` when no such name can be.
        """

    def installed(self, name: str, home: Home) -> bool:
        """Whether :meth:`resolve` needs no download: to find an interpreter, or that there is
        none."""
