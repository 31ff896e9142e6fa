"""The providers of interpreters by name. A new one is one file and one line here."""

from __future__ import annotations

from whyfast.interpreter.debian import DebianPythons
from whyfast.interpreter.local import BuiltPythons, PathPythons, PyenvPythons, UvPythons
from whyfast.interpreter.provider import InterpreterProvider, Progress
from whyfast.model.build import Interpreter
from whyfast.model.errors import UserError
from whyfast.store.home import Home


def providers() -> dict[str, InterpreterProvider]:
    """All providers by name."""
    return {
        "pyenv": PyenvPythons(),
        "path": PathPythons(),
        "uv": UvPythons(),
        "debian": DebianPythons(),
        "build": BuiltPythons(),
    }


def resolve_interpreter(full: str, home: Home, progress: Progress) -> Interpreter:
    """The interpreter of that full name, e.g. ``pyenv:3.12``; see
    :meth:`~whyfast.interpreter.provider.InterpreterProvider.resolve`."""
    provider, name = _provider(full)
    return provider.resolve(name, home, progress)


def interpreter_installed(full: str, home: Home) -> bool:
    """See :meth:`~whyfast.interpreter.provider.InterpreterProvider.installed`."""
    provider, name = _provider(full)
    return provider.installed(name, home)


def _provider(full: str) -> tuple[InterpreterProvider, str]:
    provider, _, name = full.partition(":")
    known = providers()
    if provider not in known or not name:
        raise UserError(
            f"invalid interpreter {full!r}; expected PROVIDER:NAME, e.g. pyenv:3.12; providers: "
            f"{', '.join(known)}"
        )
    return known[provider], name
