"""The providers of interpreters by name, of which a new one is a function and a line here."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from whyfast.interpreter.providers import (
    built_python,
    debian_python,
    debian_python_installed,
    path_python,
    pyenv_python,
    uv_python,
)
from whyfast.model.build import Interpreter
from whyfast.model.errors import UserError
from whyfast.store.home import Home
from whyfast.toolchain.provider import Progress

#: By the name before the colon, what returns the interpreter of the name after it, installed if
#: need be. CannotBuildHere when it is not available on this machine, UserError for an invalid name.
PROVIDERS: Mapping[str, Callable[[str, Home, Progress], Interpreter]] = {
    "pyenv": pyenv_python,
    "path": path_python,
    "uv": uv_python,
    "debian": debian_python,
    "build": built_python,
}


def resolve_interpreter(full: str, home: Home, progress: Progress) -> Interpreter:
    """The interpreter of that full name, e.g. ``pyenv:3.12``; see :data:`PROVIDERS`."""
    provider, name = _split(full)
    return PROVIDERS[provider](name, home, progress)


def interpreter_installed(full: str, home: Home) -> bool:
    """Whether :func:`resolve_interpreter` needs no download: only Debian's are downloaded."""
    provider, name = _split(full)
    return provider != "debian" or debian_python_installed(name, home)


def _split(full: str) -> tuple[str, str]:
    provider, _, name = full.partition(":")
    if provider not in PROVIDERS or not name:
        raise UserError(
            f"invalid interpreter {full!r}; expected PROVIDER:NAME, e.g. pyenv:3.12; providers: "
            f"{', '.join(PROVIDERS)}"
        )
    return provider, name
