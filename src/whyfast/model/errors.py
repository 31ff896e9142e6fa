"""Errors that a user can mend; the command line turns them into one line and exit code 2."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


class UserError(Exception):
    """Bad input. The message names what is wrong and what would be right. ``where`` is a file,
    argument or ``file:line``; it is printed before the message."""

    def __init__(self, message: str, *, where: str | Path | None = None) -> None:
        self.message = message
        self.where = None if where is None else str(where)
        super().__init__(f"{self.where}: {message}" if self.where else message)


class StudyError(UserError):
    """A mistake in a study file, with its line and key. ``hint`` is the nearest valid name or the
    form that would be right."""

    def __init__(
        self,
        message: str,
        *,
        file: Path,
        line: int | None,
        key: str | None,
        hint: str | None = None,
    ) -> None:
        self.file = file
        self.line = line
        self.key = key
        self.hint = hint
        where = f"{file}:{line}" if line else str(file)
        text = f"{key}: {message}" if key else message
        super().__init__(f"{text}; {hint}" if hint else text, where=where)


class CannotBuildHere(Exception):
    """A variant needs something that its toolchain or this machine cannot do; the study goes on."""


@contextmanager
def optional(module: str, extra: str, *, where: str | Path | None = None) -> Iterator[None]:
    """Imports what only some need. UserError with how to install it, where it is missing."""
    try:
        yield
    except ModuleNotFoundError as error:
        if (error.name or "").split(".")[0] != module:
            raise
        message = f"needs {module}, which is not installed; pip install 'whyfast[{extra}]'"
        raise UserError(message, where=where) from None
