"""Which machine a result is of, and what it says of itself."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from whyfast.model.merged import Machine
from whyfast.model.result import Result
from whyfast.model.sample import Session

#: Facts of a session's environment that are shown of a machine, in the order of reports.
FACTS = (
    *("cpu_model", "cpus", "architecture", "hypervisor", "system", "os", "hostname"),
    *("governor", "smt", "spectre_v2", "whyfast"),
)
UNNAMED = "unnamed"


def main_session(result: Result) -> Session | None:
    """The session that took most blocks; None where there is none."""
    blocks = Counter(b.session for b in result.recorded.blocks)
    return max(result.recorded.sessions, key=lambda s: blocks[s.id], default=None)


def machine_of(result: Result) -> Machine:
    """By the name that its user gave it (``WHYFAST_MACHINE``), else by its host's."""
    facts = _environment(result)
    name = _text(facts, "machine") or _text(facts, "hostname") or UNNAMED
    return Machine(name, {key: text for key in FACTS if (text := _text(facts, key))})


def same_machine(a: Result, b: Result) -> bool:
    """Whether both were measured on one machine.

    Names that users gave decide. Else one boot is one machine, whatever a container calls it, and
    so is one installation (``machine_id``) under one name of a host, as copies of an image may
    share the first; what neither tells is told by the host's name and CPU.
    """
    one, other = _environment(a), _environment(b)
    if not any(_names(one, other)) and same_boot(a, b):
        return True
    return same_environment(one, other)


def same_environment(one: Mapping[str, object], other: Mapping[str, object]) -> bool:
    """Whether these environments of sessions are of one machine, as :func:`same_machine`."""
    if any(named := _names(one, other)):
        return named[0] == named[1]
    if _text(one, "boot_id") and _text(one, "boot_id") == _text(other, "boot_id"):
        return True
    keys = ("machine_id", "hostname")
    if _text(one, "machine_id") and _text(other, "machine_id"):
        return all(_text(one, key) == _text(other, key) for key in keys)
    known = ("hostname", "cpu_model")
    return bool(_text(one, "hostname")) and all(_text(one, k) == _text(other, k) for k in known)


def same_boot(a: Result, b: Result) -> bool:
    """Whether some session of one ran under the same boot of a kernel as one of the other."""
    one, other = (
        {_text(s.environment, "boot_id") for s in result.recorded.sessions} - {""}
        for result in (a, b)
    )
    return bool(one & other)


def _names(one: Mapping[str, object], other: Mapping[str, object]) -> tuple[str, str]:
    """Those that users gave."""
    return _text(one, "machine"), _text(other, "machine")


def _environment(result: Result) -> Mapping[str, object]:
    session = main_session(result)
    return session.environment if session else {}


def _text(facts: Mapping[str, object], key: str) -> str:
    value = facts.get(key)
    return str(value) if isinstance(value, str | int | float) else ""
