"""hyperfine's ``--export-json``: every time is one execution of the command, a process."""

from __future__ import annotations

from whyfast.formats.input import Format, Given, Node
from whyfast.model.series import SECOND, Recording, Series

#: What the commands of a file do, when they are compared with each other.
_TASK = "command"


def claims(given: Given) -> bool:
    """An object with a list ``results`` whose entries name a command."""
    doc = given.document
    if doc is None or not doc.has("results") or not isinstance(doc.value["results"], list):
        return False
    return all(entry.has("command") for entry in doc.need("results").items())


def read(given: Given) -> Recording:
    """One benchmark a command. Times are seconds."""
    doc = given.document
    assert doc is not None
    series: dict[str, Series] = {}
    failed = []
    for entry in doc.need("results").items():
        name = entry.need("command").text()
        if name in series:
            entry.fail(f"the command {name[:60]!r} stands there twice")
        times = [time.time() for time in entry.need("times").items()]
        if not times:
            entry.fail("times: at least one is wanted")
        series[name] = Series(
            name, SECOND, tuple((time,) for time in times), subject=name, task=_TASK
        )
        if _failures(entry):
            failed.append(f"{name}: {_failures(entry)} of its runs ended with an error")
    if not series:
        doc.need("results").fail("there is no command")
    return Recording(given.name, given.where, "hyperfine", series, left_out=tuple(failed))


def _failures(entry: Node) -> int:
    codes = entry.get("exit_codes")
    return 0 if codes is None else sum(code.value not in (0, None) for code in codes.items())


FORMAT = Format("hyperfine", claims, read)
