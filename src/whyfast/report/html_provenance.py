"""The provenance of builds and of the machine, as HTML."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from whyfast.model.build import Build
from whyfast.model.result import Result
from whyfast.report.detail_tables import SHORT, build_table
from whyfast.report.html_text import details, section, table, text, tree, when

#: Keys of a provenance that hold the commands to repeat the build by hand, as lines of shell.
_COMMANDS = ("by_hand", "commands", "script")


def builds_section(result: Result) -> str:
    """What became of each variant, and for each build how to repeat it; empty without builds."""
    data = build_table(result)
    if data is None:
        return ""
    folded = []
    for build in result.recorded.builds:
        if isinstance(build, Build):
            folded.append(details(f"How {build.variant} was built", _provenance(build)))
        elif build.log_tail:
            log = text("\n".join(build.log_tail))
            folded.append(details(f"Why {build.variant} failed", f"<pre>{log}</pre>"))
    return section("builds", "The builds", table(data) + "\n" + "\n".join(folded))


def _provenance(build: Build) -> str:
    inputs = {k: v for k, v in build.provenance.items() if k not in _COMMANDS}
    digests = {"digest of all inputs": build.digest, "sha256 of the program": build.program_sha256}
    lines = _commands(build.provenance)
    by_hand = ""
    if lines:
        shell = text("\n".join(lines))
        # The commands alone do not repeat it: source, headers and environment belong to them.
        script = f"<code>whyfast builds show {text(build.digest[:SHORT])} --script</code>"
        by_hand = (
            "<h3>To repeat it by hand</h3>\n"
            f"<p>{script} prints a script that makes the same program in an empty folder, on the "
            "machine that built it and while it keeps the build. These commands were run, in a "
            f"folder with a copy of the source:</p>\n<pre>{shell}</pre>"
        )
    return f"{by_hand}\n<h3>What went into it</h3>\n{tree({**digests, **inputs})}"


def _commands(provenance: Mapping[str, Any]) -> list[str]:
    for key in _COMMANDS:
        found = provenance.get(key)
        if isinstance(found, str):
            return found.splitlines()
        if isinstance(found, (list, tuple)):
            return [line if isinstance(line, str) else " ".join(map(str, line)) for line in found]
    return []


def machine_section(result: Result) -> str:
    """The environment of each session."""
    sessions = [
        details(f"Session {s.id}, started {when(s.started)}", tree(s.environment))
        for s in result.recorded.sessions
    ]
    return section("environment", "The machine", "\n".join(sessions))
