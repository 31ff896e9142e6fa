"""What tools and packages say that are older than a project wants them."""

from __future__ import annotations

import re

#: What is too old, what of it says so with the version that is ``wanted`` and the one ``here``
#: where it is told, and the command that brings a newer one, where there is one for all systems.
#: The words are those of Meson 1.0, CMake 3.25, cargo 1.95, Go 1.26, Autoconf 2.71 and Automake
#: 1.16.
_RULES = tuple(
    (tool, re.compile(pattern), remedy)
    for tool, pattern, remedy in (
        (
            "meson",
            r"Meson version is (?P<here>\S+) but project requires >?=?\s*(?P<wanted>[\d.]+)",
            "pip install 'meson>={wanted}'",
        ),
        (
            "cmake",
            r"CMake (?P<wanted>[\d.]+) or higher is required\.\s+You are running version "
            r"(?P<here>[\w.]*\w)",
            "pip install 'cmake>={wanted}'",
        ),
        (
            "rustc",
            r"rustc (?P<here>[\d.]+)\S* is not supported by the following packages?:\s+"
            r"(?:\S+ requires rustc [\d.]+\s+)*\S+ requires rustc (?P<wanted>[\d.]+)",
            "rustup update",
        ),
        (
            "cargo",
            r"this version of Cargo is older than the `(?P<wanted>\d+)` edition|"
            r"The package requires the Cargo feature called `(?P<feature>edition\d+)`",
            "rustup update",
        ),
        (
            "go",
            r"requires go >= (?P<wanted>[\d.]*\d) \(running go (?P<here>[\w.]+)|"
            r"note: module requires Go (?P<newer>[\d.]*\d)",
            "install it from go.dev/dl",
        ),
        ("autoconf", r"Autoconf version (?P<wanted>[\d.]+) or higher is required", ""),
        ("automake", r"require Automake (?P<wanted>[\d.]+), but have (?P<here>[\d.]+)", ""),
        (
            "",
            r"need '(?P<tool>[\w.+-]+)' \['>?=?\s*(?P<wanted>[\w.]+)'.*?\] "
            r"found '(?P<here>[\w.]+)'|"
            r"Could\s+NOT\s+find\s+(?P<package>[\w.+-]+):\s+Found\s+unsuitable\s+version\s+"
            r"\"(?P<there>[\w.]+)\",\s+but\s+required\s+is\s+(?:at\s+least|exact\s+version)\s+"
            r"\"(?P<least>[\w.]+)\"",
            "",
        ),
    )
)

#: How the reason begins, by which it is known again.
TOO_OLD = re.compile(r"(?P<tool>\S+) is too old; ")


def too_old(text: str) -> str:
    """What the text of a tool says is too old, which version is wanted and here, and how to get a
    newer one; empty where it says nothing of the kind."""
    for tool, pattern, remedy in _RULES:
        if match := pattern.search(text):
            told = {k: v for k, v in match.groupdict().items() if v}
            name = tool or told.get("tool") or told["package"]
            wanted = next(told[k] for k in ("wanted", "feature", "newer", "least") if k in told)
            here = told.get("here") or told.get("there")
            available = (
                f"{here} is here, the project wants {wanted}"
                if here
                else f"the project wants {wanted}"
            )
            how = remedy.format(wanted=wanted) or f"install a newer {name}"
            return f"{name} is too old; {available}; {how}"
    return ""
