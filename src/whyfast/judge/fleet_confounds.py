"""What differs between the machines of a merged result beside the machines: compilers, sources,
programs, dispatch, versions of whyfast."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from whyfast.model.build import Build
from whyfast.model.result import Result
from whyfast.model.verdict import Confound

#: Names of variants that a sentence has before the rest is a number.
_NAMED = 4


def fleet_confounds(results: Mapping[str, Result]) -> tuple[Confound, ...]:
    """Everything that the records show, warnings first; ``results`` by machine."""
    found = [
        *_compilers(results),
        *_sources(results),
        *_programs(results),
        *_dispatch(results),
        *_layouts(results),
        *_incomplete(results),
        *_means(results),
        *_virtual(results),
        *_versions(results),
    ]
    return tuple(sorted(found, key=lambda c: c.severity != "warning"))


def _compilers(results: Mapping[str, Result]) -> Iterator[Confound]:
    names = dict.fromkeys(t.name for r in results.values() for t in r.recorded.toolchains)
    for name in names:
        said = {
            machine: t.version
            for machine, r in results.items()
            for t in r.recorded.toolchains
            if t.name == name
        }
        if len(set(said.values())) > 1:
            yield Confound(
                "machine-compiler",
                f"{name} is not the same compiler on all machines: {_sides(said)}; a difference "
                "between them may be the compiler's",
            )


def _sources(results: Mapping[str, Result]) -> Iterator[Confound]:
    said = {
        machine: digests
        for machine, r in results.items()
        if (digests := _from_builds(r, "source", "digest"))
    }
    variants = _not_alike(said)
    if variants:
        yield Confound(
            "machine-source",
            f"{_some(variants)} not made of the same source on all machines",
            "warning",
            tuple(variants),
        )


def _programs(results: Mapping[str, Result]) -> Iterator[Confound]:
    said = {
        machine: {b.variant: b.program_sha256 for b in r.recorded.builds if isinstance(b, Build)}
        for machine, r in results.items()
    }
    variants = _not_alike(said)
    if variants:
        yield Confound(
            "machine-program",
            f"{_some(variants)} not the same program, byte for byte, on all machines: a "
            "difference between them may be the programs'",
            "note",
            tuple(variants),
        )


def _dispatch(results: Mapping[str, Result]) -> Iterator[Confound]:
    forms: dict[str, dict[str, str]] = {}
    for machine, r in results.items():
        for e in r.found.evidence:
            if e.dispatch is not None and e.dispatch.form != "unknown":
                forms.setdefault(e.variant, {})[machine] = f"{e.dispatch.style} {e.dispatch.form}"
    for variant, said in forms.items():
        if len(set(said.values())) > 1:
            yield Confound(
                "machine-dispatch",
                f"{variant} does not dispatch alike on all machines: {_sides(said)}",
                "warning",
                (variant,),
            )


def _layouts(results: Mapping[str, Result]) -> Iterator[Confound]:
    said = {
        name: "over drawn layouts" if r.judged.about == "change" else "of programs as linked"
        for name, r in results.items()
    }
    if len(set(said.values())) > 1:
        yield Confound("machine-layouts", f"verdicts are not about the same: {_sides(said)}")


def _incomplete(results: Mapping[str, Result]) -> Iterator[Confound]:
    open_ = [name for name, r in results.items() if not r.recorded.complete]
    if open_:
        yield Confound("machine-incomplete", f"the run is not complete on {', '.join(open_)}")


def _means(results: Mapping[str, Result]) -> Iterator[Confound]:
    """Means over other benchmarks are other quantities."""
    sets = {
        name: frozenset(v.benchmark for v in r.judged.verdicts)
        for name, r in results.items()
        if r.judged.suites
    }
    if len(set(sets.values())) > 1:
        said = {name: f"{len(own)} benchmarks" for name, own in sets.items()}
        yield Confound(
            "machine-mean",
            f"the geometric mean is not over the same benchmarks on all machines ({_sides(said)}), "
            "and is compared only where it is",
        )


def _virtual(results: Mapping[str, Result]) -> Iterator[Confound]:
    said = {}
    for name, r in results.items():
        known = [s.environment.get("hypervisor") for s in r.recorded.sessions]
        said[name] = "in a virtual machine" if any(known) else "on the machine itself"
    if len(set(said.values())) > 1:
        yield Confound("machine-virtual", f"measured {_sides(said)}", "note")


def _versions(results: Mapping[str, Result]) -> Iterator[Confound]:
    said = {}
    for name, r in results.items():
        versions = [str(s.environment.get("whyfast")) for s in r.recorded.sessions]
        if versions and versions[-1] != "None":
            said[name] = versions[-1]
    if len(set(said.values())) > 1:
        yield Confound("machine-whyfast", f"other versions of whyfast: {_sides(said)}", "note")


def _from_builds(result: Result, *keys: str) -> dict[str, str]:
    """Of each variant that was built, what its provenance has there."""
    found = {}
    for build in result.recorded.builds:
        if isinstance(build, Build):
            value: Any = build.provenance
            for key in keys:
                value = value.get(key) if isinstance(value, Mapping) else None
            if isinstance(value, str):
                found[build.variant] = value
    return found


def _not_alike(said: Mapping[str, Mapping[str, str]]) -> list[str]:
    variants = dict.fromkeys(name for own in said.values() for name in own)
    return [v for v in variants if len({own[v] for own in said.values() if v in own}) > 1]


def _some(variants: list[str]) -> str:
    named = variants[:_NAMED]
    more = [f"{len(variants) - _NAMED} more"] if len(variants) > _NAMED else []
    return f"{', '.join([*named, *more])} {'is' if len(variants) == 1 else 'are'}"


def _sides(said: Mapping[str, str]) -> str:
    """Each thing said, with the machines that say it."""
    groups: dict[str, list[str]] = {}
    for machine, text in said.items():
        groups.setdefault(text, []).append(machine)
    return "; ".join(f"{text} ({', '.join(names)})" for text, names in groups.items())
