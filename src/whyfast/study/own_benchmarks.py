"""Which benchmarks a project has itself, by the text of its files: of Criterion, Google and Go."""

from __future__ import annotations

import re
from collections.abc import Iterator

#: Commands by the name of a benchmark.
Commands = dict[str, tuple[str, ...]]

#: A group, or one benchmark of the receiver in front.
_CRITERION = re.compile(
    r'benchmark_group\(\s*"(?P<group>[^"]+)"|(?P<of>\w+)\s*\.\s*bench_function\(\s*"(?P<name>[^"]+)"'
)
_GOOGLE = re.compile(r"^[ \t]*BENCHMARK(?:_F)?\(\s*(\w+)\s*(?:,\s*(\w+)\s*)?\)", re.MULTILINE)
_GO_INSIDE = re.compile(r'^([ \t]*+)[^\n"]*?\bb\.Run\((?:"([^"\n]+)",)?', re.MULTILINE)
_GO = re.compile(r"^func Benchmark(\w+)\(\w+ \*testing\.B\)", re.MULTILINE)


def criterion(text: str) -> Commands:
    """What ``bench_function`` names; in a group, the group's name stands in front. Those whose name
    is made at run time are left out."""
    return {_key(n): ("{program}", f"^{_literal(n)}$") for n in _criterion_names(text)}


def _criterion_names(text: str) -> Iterator[str]:
    group = ""
    for found in _CRITERION.finditer(text):
        if found["group"]:
            group = found["group"]
        elif found["of"] in ("c", "criterion") or not group:
            yield found["name"]
        else:
            yield f"{group}/{found['name']}"


def _literal(name: str) -> str:
    """For a regular expression of Rust, which knows no backslash before a space."""
    return re.sub(r"([.^$*+?()[\]{}|\\])", r"\\\1", name)


def google(text: str) -> Commands:
    """What ``BENCHMARK`` and ``BENCHMARK_F`` register."""
    names = ["/".join(n for n in found.groups() if n) for found in _GOOGLE.finditer(text)]
    return {_key(n): ("{program}", f"--benchmark_filter=^{n}$") for n in dict.fromkeys(names)}


def go(text: str) -> Commands:
    """The benchmarks of a test file, and those inside of one that has them, by their names."""
    commands: Commands = {}
    for name, inside in _go_benchmarks(text):
        if inside is None:
            continue
        for one in inside:
            within = f"/^{_literal(one.replace(' ', '_'))}$" if one else ""
            commands[_key(f"{name}/{one}")] = (
                "{program}",
                f"-test.bench=^Benchmark{name}${within}",
            )
    return commands


def go_unnamed(text: str) -> tuple[str, ...]:
    """Benchmarks of a test file that have others inside, whose names are made when it runs."""
    return tuple(f"Benchmark{name}" for name, inside in _go_benchmarks(text) if inside is None)


def _go_benchmarks(text: str) -> Iterator[tuple[str, tuple[str, ...] | None]]:
    """Each with the names of those inside: "" alone where there are none, None where they are made
    when it runs. As gofmt indents, those that stand in a loop or in another one are deeper."""
    for found in _GO.finditer(text):
        body = text[found.end() :].partition("\nfunc ")[0]
        inside = _GO_INSIDE.findall(body)
        if not inside:
            yield found[1], ("",)
        elif all(indent == "\t" and name for indent, name in inside):
            yield found[1], tuple(name for _, name in inside)
        else:
            yield found[1], None


def _key(name: str) -> str:
    """As benchmarks of a study may be called."""
    return re.sub(r"[^\w.+-]+", "-", name, flags=re.ASCII).strip("-.+") or "benchmark"
