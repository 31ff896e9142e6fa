"""Known troubles of compilers (``troubles.toml``), and the builds whose code has the symptoms."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from itertools import pairwise
from typing import Any

from whyfast.model.build import Toolchain
from whyfast.model.evidence import Evidence, Trouble
from whyfast.model.study import Study
from whyfast.model.variant import ASPECTS, Variant, same_source

MERGED, SAVING = "merged computed gotos", "handlers save registers"

#: What stands in front of the name of an option.
_OPTION = re.compile(r"^-+(param=|f(?=no-))?")

_COMPILER = re.compile(r"(clang|gcc) (\d+(?:\.\d+)*)")


@dataclass(frozen=True)
class KnownTrouble:
    """One entry of the file, whose head says what each field means."""

    name: str
    title: str
    compiler: str
    symptom: str
    sources: tuple[str, ...]
    first: str = ""
    before: str = ""
    levels: tuple[str, ...] = ()
    cflags: tuple[str, ...] = ()
    or_cflags: tuple[str, ...] = ()
    remedy: str = ""
    seen: str = ""

    def covers(self, version: str) -> bool:
        """Whether the trouble is known of that version, e.g. ``19.1.7``."""
        number = _number(version)
        return (not self.first or number >= _number(self.first)) and (
            not self.before or number < _number(self.before)
        )


@cache
def known_troubles() -> tuple[KnownTrouble, ...]:
    """All entries, in the order of the file."""
    text = (files("whyfast.explain") / "troubles.toml").read_text(encoding="utf-8")
    troubles = []
    for entry in tomllib.loads(text)["trouble"]:
        fields: dict[str, Any] = {
            k: tuple(v) if isinstance(v, list) else v for k, v in entry.items()
        }
        troubles.append(KnownTrouble(first=fields.pop("from", ""), **fields))
    return tuple(troubles)


def compiler_of(version: str) -> tuple[str, str] | None:
    """(family, version) of a toolchain's own description such as ``clang 19.1.7``."""
    match = _COMPILER.search(version)
    return (match.group(1), match.group(2)) if match else None


def look_up(
    family: str, version: str, symptom: str, flags: Sequence[str] | None
) -> tuple[KnownTrouble | None, bool]:
    """The trouble that goes with a symptom, and whether this version is known for it. Where only
    other versions of the same compiler are, that entry comes with False. ``flags`` is None when
    nobody knows them: where the level decides which trouble it is, it may be any."""
    fitting = [t for t in known_troubles() if (t.compiler, t.symptom) == (family, symptom)]
    if flags is not None:
        level = next((flag for flag in reversed(flags) if re.fullmatch(r"-O\w*", flag)), "")
        fitting = [t for t in fitting if not t.levels or level in t.levels]
    listed = [t for t in fitting if t.covers(version)]
    if flags is None and len(listed) > 1 and any(t.levels for t in listed):
        return _any_of(listed), True
    if listed:
        return listed[0], True
    return (fitting[0], False) if fitting else (None, False)


def _any_of(troubles: Sequence[KnownTrouble]) -> KnownTrouble:
    """Of which one is known by the level of optimisation: the remedy names it for each."""
    ways = [
        f"{_ways(t)} where it was compiled by {', '.join(t.levels)}" if t.levels else _ways(t)
        for t in sorted(troubles, key=lambda t: not t.levels)
    ]
    return KnownTrouble(
        name=" or ".join(t.name for t in troubles),
        title=", or ".join(t.title for t in troubles),
        compiler=troubles[0].compiler,
        symptom=troubles[0].symptom,
        sources=tuple(dict.fromkeys(source for t in troubles for source in t.sources)),
        remedy=f"{', otherwise '.join(ways)}; the program does not record its optimisation level",
    )


def _ways(trouble: KnownTrouble) -> str:
    flags = " or ".join(f"`{' '.join(w)}`" for w in (trouble.cflags, trouble.or_cflags) if w)
    return "; ".join(filter(None, (flags, trouble.remedy)))


def _number(version: str) -> tuple[int, ...]:
    """Its parts, without zeros at the end: 19.1 is 19.1.0."""
    parts = [int(part) for part in version.split(".")]
    while parts and not parts[-1]:
        parts.pop()
    return tuple(parts)


#: Handlers that push fewer registers than this may do so to align the stack.
_PUSHES = 2


def find_troubles(
    study: Study, toolchains: Sequence[Toolchain], evidence: Sequence[Evidence]
) -> tuple[Trouble, ...]:
    """Every symptom in the order of the study's variants, A/A controls left out."""
    versions = {t.name: t.version for t in toolchains}
    facts = {e.variant: e for e in evidence}
    troubles = []
    for variant in study.variants:
        if variant.name not in facts or variant.control_of:
            continue
        compiler = versions.get(variant.toolchain) or facts[variant.name].compiler
        for symptom, shows in _symptoms(variant, study, facts, versions):
            troubles.append(_trouble(variant, compiler, symptom, shows, study, facts))
    return tuple(troubles)


def has_symptom(symptom: str, evidence: Evidence) -> bool:
    """Whether a build shows one of the symptoms of :func:`known_troubles`."""
    dispatch, entry = evidence.dispatch, evidence.entry
    if symptom == MERGED:
        return (
            dispatch is not None
            and dispatch.style == "loop"
            and dispatch.form == "merged"
            and dispatch.computed_goto is True
        )
    return (
        dispatch is not None
        and dispatch.style == "tail-call"
        and entry is not None
        and entry.pushes_median >= _PUSHES
    )


def _symptoms(
    variant: Variant, study: Study, facts: Mapping[str, Evidence], versions: Mapping[str, str]
) -> Iterator[tuple[str, str]]:
    """(symptom, what the code shows, beside that of another variant) of a build."""
    for symptom, shows in _shown(facts[variant.name]):
        peer = _peer(variant, study, facts) if symptom == MERGED else None
        other = facts[peer.name].dispatch if peer else None
        if peer is not None and other is not None:
            version = versions.get(peer.toolchain, "")
            by = f" by {version}" if version and peer.toolchain != variant.toolchain else ""
            shows += f" where {peer.name} (the same source{by}) has {other.indirect_jumps}"
        yield symptom, shows


def _shown(evidence: Evidence) -> Iterator[tuple[str, str]]:
    """(symptom, what the code shows) of a program."""
    if has_symptom(MERGED, evidence):
        yield MERGED, _jumps(evidence)
    entry = evidence.entry
    if entry is not None and has_symptom(SAVING, evidence):
        median = f"{entry.pushes_median:g} registers"
        yield SAVING, f"the median of {entry.handlers} handlers pushes {median}"


def _jumps(evidence: Evidence) -> str:
    dispatch = evidence.dispatch
    if dispatch is None:
        return ""
    plural = "jump" if dispatch.indirect_jumps == 1 else "jumps"
    return f"{dispatch.indirect_jumps} indirect {plural} for {dispatch.targets} handlers"


def _peer(variant: Variant, study: Study, facts: Mapping[str, Evidence]) -> Variant | None:
    """A variant of the same source whose dispatch is replicated: a baseline, or else any."""
    peers = []
    for other in study.variants:
        evidence = facts.get(other.name)
        dispatch = evidence.dispatch if evidence and not other.control_of else None
        if dispatch is None:
            continue
        loop = dispatch.style == "loop" and dispatch.form == "replicated"
        if loop and dispatch.computed_goto is not False and same_source(other, variant):
            peers.append(other)
    first = [v for v in peers if v.name in study.baselines]
    return next(iter([*first, *peers]), None)


def _trouble(
    variant: Variant,
    compiler: str,
    symptom: str,
    shows: str,
    study: Study,
    facts: Mapping[str, Evidence],
) -> Trouble:
    words = (*variant.cflags, *variant.env.get("CFLAGS", "").split())
    bare, known = _known(variant.name, compiler or variant.toolchain, symptom, shows, words)
    if known is None or not known.cflags:
        return bare
    flags = known.cflags
    same: list[Variant] = []
    for way in (known.cflags, known.or_cflags):
        those = list(_with_flags(variant, way, (*study.variants, *study.left_out)))
        cured = any(v.name in facts and not has_symptom(symptom, facts[v.name]) for v in those)
        if those and (cured or not same):
            flags, same = way, those
    still = {v.name: has_symptom(symptom, facts[v.name]) for v in same if v.name in facts}
    return replace(
        bare,
        flags=flags,
        cured=tuple(name for name, shown in still.items() if not shown),
        uncured=tuple(name for name, shown in still.items() if shown),
        degrees={
            name: jumps for name in still if symptom == MERGED and (jumps := _jumps(facts[name]))
        },
        untried=tuple(v.name for v in same if v.name not in facts),
        toml=() if same else variant_with(variant, known),
    )


def program_troubles(evidence: Evidence, flags: Sequence[str] | None = None) -> tuple[Trouble, ...]:
    """The same of one program of which nothing is known but its file; ``flags`` are those of its
    compiler, where it recorded them."""
    compiler = evidence.compiler or "an unknown compiler"
    return tuple(
        replace(trouble, remedy=_ways(known) if known and known.or_cflags else trouble.remedy)
        for symptom, shows in _shown(evidence)
        for trouble, known in [_known(evidence.variant, compiler, symptom, shows, flags)]
    )


def workarounds(variant: Variant, compiler: str, evidence: Evidence) -> Iterator[Variant]:
    """The variant with each set of flags by which known troubles that its code shows can be worked
    around; none where it has them. ``compiler`` such as ``gcc 12.2.0``."""
    for symptom, shows in _shown(evidence):
        words = (*variant.cflags, *variant.env.get("CFLAGS", "").split())
        _, known = _known(variant.name, compiler, symptom, shows, words)
        if known is None:
            continue
        for flags in (known.cflags, known.or_cflags):
            if flags and not _contains(words, flags):
                yield replace(
                    variant,
                    name="-".join([variant.name, *_option_names(flags)]),
                    about=f"{variant.name} with {' '.join(flags)}",
                    expect={},
                    cflags=(*variant.cflags, *flags),
                    ldflags=(*variant.ldflags, *_linked(variant, flags)),
                )


def _known(
    name: str, compiler: str, symptom: str, shows: str, words: Sequence[str] | None
) -> tuple[Trouble, KnownTrouble | None]:
    """The symptom with what is known of it; ``words`` are the flags of the compiler, if known."""
    family = compiler_of(compiler)
    known, listed = look_up(*family, symptom, words) if family else (None, False)
    if known is None:
        return Trouble(name, compiler, symptom, shows), None
    trouble = Trouble(
        variant=name,
        compiler=compiler,
        symptom=symptom,
        shows=shows,
        name=known.name,
        title=known.title,
        listed=listed,
        flags=known.cflags,
        remedy=known.remedy,
        sources=known.sources,
    )
    return trouble, known


def _with_flags(
    variant: Variant, flags: Sequence[str], others: Sequence[Variant]
) -> Iterator[Variant]:
    """The variants of the same compiler and source that have ``flags`` in their place."""
    for other in others:
        alike = other.toolchain == variant.toolchain and same_source(other, variant)
        another = other.name != variant.name and not other.control_of
        more = _contains(other.cflags, flags) and not _contains(variant.cflags, flags)
        if flags and alike and another and more:
            yield other


def _contains(words: Sequence[str], part: Sequence[str]) -> bool:
    n = len(part)
    return any(tuple(words[i : i + n]) == tuple(part) for i in range(len(words) - n + 1))


def _option_names(flags: Sequence[str]) -> list[str]:
    return [_OPTION.sub("", f).partition("=")[0] for f in flags if f != "-mllvm"]


def _linked(variant: Variant, flags: Sequence[str]) -> tuple[str, ...]:
    """Those of LLVM's own among ``flags`` for the linker, where code is generated by it."""
    words = (*variant.cflags, *variant.ldflags, *variant.configure)
    late = any(w.startswith(("-flto", "--with-lto")) for w in words)
    own = pairwise(flags)
    return tuple(f"-Wl,-mllvm,{flag}" for word, flag in own if late and word == "-mllvm")


def variant_with(variant: Variant, known: KnownTrouble) -> tuple[str, ...]:
    """The lines of a study that add a variant with the workaround."""
    import tomlkit  # takes 0.04 s, and few builds have a trouble

    def line(key: str, value: str | Sequence[str]) -> str:
        words = value if isinstance(value, str) else list(value)
        return f"{key} = {tomlkit.item(words).as_string()}"

    linked = _linked(variant, known.cflags)
    if not variant.axes:
        lines = [line("extends    ", variant.name), line("cflags.add ", known.cflags)]
        lines += [line("ldflags.add", linked)] if linked else []
    else:
        # A place in a product of axes cannot be extended: it is written out.
        cflags, ldflags = (*variant.cflags, *known.cflags), (*variant.ldflags, *linked)
        whole = replace(variant, cflags=cflags, ldflags=ldflags)
        lines = []
        for key in (*ASPECTS, "requires"):
            value = getattr(whole, key)
            if isinstance(value, Mapping):
                lines += [line(tomlkit.key([key, k]).as_string(), v) for k, v in value.items()]
            elif value:
                lines.append(line(key, value))
    name = tomlkit.key(f"{variant.name}-workaround").as_string()
    return (f"[variant.{name}]", *lines)
