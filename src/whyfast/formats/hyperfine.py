"""hyperfine's ``--export-json``: every time is one execution of the command, a process."""

from __future__ import annotations

from whyfast.formats.input import Format, Given
from whyfast.model.series import SECOND, Recording, Series

#: What the commands of a file do, when they are compared with each other.
_TASK = "command"


def claims(given: Given) -> bool:
    """An object with a list ``results`` whose entries name a command."""
    if not given.has("results") or not isinstance(given.root.value["results"], list):
        return False
    return all(entry.has("command") for entry in given.root.need("results").items())


def read(given: Given) -> Recording:
    """One benchmark per command. Times are seconds."""
    doc = given.root
    series: dict[str, Series] = {}
    failed = []
    for entry in doc.need("results").items():
        name = entry.need("command").text()
        if name in series:
            entry.fail(f"duplicate command: {name[:60]}")
        times = [time.time() for time in entry.need("times").items()]
        if not times:
            entry.fail("times: expected at least one")
        series[name] = Series(
            name, SECOND, tuple((time,) for time in times), subject=name, task=_TASK
        )
        codes = entry.get("exit_codes")
        if codes is not None and (count := sum(c.value not in (0, None) for c in codes.items())):
            failed.append(f"{name}: {count} of its runs ended with an error")
    if not series:
        doc.need("results").fail("no command")
    return Recording(given.name, given.where, "hyperfine", series, left_out=tuple(failed))


FORMAT = Format("hyperfine", claims, read)
