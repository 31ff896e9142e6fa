"""What V8's profiler and coverage saw of JavaScript, with functions named alike on both sides."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from whyfast.measure.runtimes import Document

#: The script of what node brings along, in JavaScript or in machine code.
NODE = "node:"


class JsFunction(NamedTuple):
    """A function by its script's path (empty for the program) and name."""

    script: str
    name: str


@dataclass
class NodeSide:
    """``runs`` have seconds by stack, from the outermost function inwards; ``main`` is the
    program's script. ``lines`` are those of functions, ``calls`` how often each was called,
    ``blocks`` how often the block of it ran that ran most. ``collections`` are of garbage, by kind,
    ``deoptimised`` by function's name and ``reasons`` by V8's words."""

    runs: list[dict[tuple[JsFunction, ...], float]] = field(default_factory=list)
    main: str = ""
    lines: dict[JsFunction, int] = field(default_factory=dict)
    calls: Counter[JsFunction] = field(default_factory=Counter)
    blocks: Counter[JsFunction] = field(default_factory=Counter)
    collections: Counter[str] = field(default_factory=Counter)
    deoptimised: Counter[str] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)

    def scripts(self) -> set[str]:
        """Those of the program beside its first one."""
        return {f.script for f in self.calls if f.script and not f.script.startswith(NODE)}


def read_profile(documents: Sequence[Document], side: NodeSide) -> None:
    """Add one run of all its threads and processes."""
    stacks: dict[tuple[JsFunction, ...], float] = {}
    for document in documents:
        nodes = {n["id"]: n for n in document["nodes"]}
        parents = {c: n["id"] for n in document["nodes"] for c in n.get("children", ())}
        main = _main_script(document)
        side.main = side.main or main
        known: dict[int, tuple[JsFunction, ...]] = {}

        for number, node in nodes.items():  # parents stand before their children
            frame = node["callFrame"]
            line = frame["lineNumber"] + 1
            inside = line > 1 or frame.get("columnNumber", 0) > 0
            name = frame["functionName"] or f"<anonymous at {line}>" * inside
            function = _function(frame["url"], name, main)
            side.lines.setdefault(function, line)
            known[number] = (*known.get(parents.get(number, 0), ()), function)
        for number, microseconds in zip(document["samples"], document["timeDeltas"], strict=False):
            path = known[number]
            if path[-1] not in _UNCOUNTED:
                stacks[path] = stacks.get(path, 0.0) + max(0, microseconds) / 1e6
    side.runs.append(stacks)


def _main_script(document: Document) -> str:
    """The first script that is not node's own is the program."""
    urls = (n["callFrame"]["url"] for n in document["nodes"])
    return next((u for u in urls if u and not u.startswith("node:")), "")


#: What is no work of the program: waiting, and messages to the inspector that the profiler opens.
_UNCOUNTED = (JsFunction("", "(idle)"), JsFunction(NODE, "consoleCall"))

#: How V8 names the machine code of a regular expression.
REGEXP = "RegExp: "


def _function(url: str, name: str, main: str) -> JsFunction:
    """``<module>`` is a script's code outside of functions, which has no name either."""
    if url.startswith(NODE) or (not url and name and not name.startswith("(")):
        return JsFunction(url or NODE, name)
    return JsFunction(
        "" if url == main else url.removeprefix("file://"), name or "<module>" * bool(url)
    )


def countable(function: JsFunction) -> bool:
    """Whether its calls tell something: of node's own functions those that do not load modules."""
    loads = function.script.startswith((f"{NODE}internal/modules", f"{NODE}internal/bootstrap"))
    return not loads and function.name not in ("", "<module>", "<anonymous>")


def of_program(function: JsFunction) -> bool:
    return not function.script.startswith(NODE) and not function.name.startswith("(")


def read_coverage(documents: Sequence[Document], side: NodeSide) -> None:
    """Calls by function, of all processes."""
    for document in documents:
        scripts = [s for s in document["result"] if s["url"].startswith(("file:", NODE))]
        main = next((s["url"] for s in scripts if s["url"].startswith("file:")), "")
        for script in scripts:
            for function in script["functions"]:
                inside = function["ranges"][0]["startOffset"] > 0
                name = function["functionName"] or ("<anonymous>" if inside else "<module>")
                counts = [r["count"] for r in function["ranges"]]
                key = _function(script["url"], name, main)
                side.calls[key] += counts[0]
                if of_program(key):
                    side.blocks[key] = max(side.blocks[key], *counts)
