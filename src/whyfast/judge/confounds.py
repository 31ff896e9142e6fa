"""What else differs, or weakens the measurement, beside the question under study."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal

from whyfast.judge.option_confounds import option_confounds
from whyfast.measure.doctor.system import BUSY, STOLEN
from whyfast.model.build import FACTS, Build, BuildOutcome
from whyfast.model.evidence import Evidence
from whyfast.model.sample import WAITED, Block, Session
from whyfast.model.study import Question
from whyfast.model.variant import MAKING, Variant, alike
from whyfast.model.verdict import Confound

# ---- In what interpreters differ beside the version that a study is about.

#: What is said of each fact where it differs, and how much it can mislead. That profile-guided
#: optimisation is worth a tenth of the time and more, docs/studies/cpython-tail-call-pgo.md
#: measures.
_SAID: dict[str, tuple[str, Literal["warning", "note"]]] = {
    "compiler": ("were made by different compilers", "warning"),
    "flags": ("were made with different flags", "warning"),
    "PGO": (
        "differ, or may, in optimisation guided by a profile, which can be worth a tenth and more",
        "warning",
    ),
    "LTO": ("differ, or may, in optimisation at link time", "warning"),
    "libpython": (
        "are not all linked alike: calls into a shared library go by way of a table",
        "note",
    ),
    "build": ("are of different kinds", "warning"),
}


def interpreter_confounds(builds: Sequence[Build]) -> Iterable[Confound]:
    """One confound a fact in which the interpreters of the builds differ."""
    facts = {
        b.variant: python["facts"] for b in builds if (python := b.provenance.get("interpreter"))
    }
    for fact in FACTS:
        groups: dict[str, list[str]] = {}
        for variant, said in facts.items():
            groups.setdefault(said.get(fact) or "not known", []).append(variant)
        if len(groups) > 1:
            text, severity = _SAID[fact]
            listed = "; ".join(f"{value}: {', '.join(of)}" for value, of in groups.items())
            yield Confound(
                f"interpreter-{fact.lower()}",
                f"the interpreters {text}: {listed}",
                severity,
                tuple(facts),
            )


# ---- What differs between the roots of builds beside the compiler: their packages, by version.

#: Debian's package of the C library, which every program runs in.
LIBC = "libc6"

#: What else goes into a program or runs with it, and what it does.
_TELLING = {
    "binutils": "assembler and linker",
    "libc6-dev": "start-up code and headers",
    "libgcc-s1": "unwinding",
    "libstdc++6": "C++ library",
    "linux-libc-dev": "headers of the kernel",
}
#: Libraries of compilers belong to the compiler, and these tools to no program.
_SHARED_LIBRARY = re.compile(r"lib\S*\d\S*|zlib1g")
_NOT_LINKED = re.compile(
    r"lib(apt-|asan|lsan|tsan|ubsan|hwasan|cc1|isl|mpc|mpfr|gmp|ctf|binutils|sframe|gprofng|pam|"
    r"audit|selinux|semanage|sepol|systemd|udev|mount|smartcols|blkid|db5|debconf|hogweed|nettle|"
    r"cap-ng|acl|attr|seccomp|jansson|clang|llvm|LLVM)\S*|\S+-(dev|bin|common|data)"
)
_NAMED = 8


def root_confounds(builds: Sequence[Build]) -> Iterator[Confound]:
    """The C library as a confound of its own; other packages in one note.

    Only builds that were made in Debian roots are compared, and only packages that all of these
    roots have: others come with the compiler.
    """
    roots = {b.variant: p for b in builds if (p := b.provenance["toolchain"].get("packages"))}
    if len(roots) < 2:
        return
    shared = set.intersection(*(set(p) for p in roots.values()))
    differing = {n: g for n in sorted(shared) if len(g := _groups(n, roots)) > 1}
    variants = tuple(roots)
    if LIBC in differing:
        yield Confound(
            "root-libc",
            f"the programs run with different C libraries: {_sides(differing[LIBC])}; what they "
            "spend in it (memory, strings, mathematics) may differ by more than the compiler",
            "warning",
            variants,
        )
    others = [n for n in _TELLING if n in differing]
    others += [n for n in differing if n not in others and n != LIBC and _linked(n)]
    if others:
        yield Confound(
            "root-packages",
            f"the roots differ in more than the compiler: {_by_sides(others, differing)}",
            "note",
            variants,
        )


def _groups(name: str, roots: Mapping[str, Mapping[str, str]]) -> dict[str, list[str]]:
    """Exact version → variants; the same version with another hash is another package."""
    groups: dict[str, list[str]] = {}
    for variant, packages in roots.items():
        groups.setdefault(packages[name], []).append(variant)
    return groups


def _sides(groups: Mapping[str, Sequence[str]]) -> str:
    return " against ".join(
        f"{version} ({', '.join(variants)})"
        for version, variants in zip(_versions(groups), groups.values(), strict=True)
    )


def _versions(groups: Mapping[str, Sequence[str]]) -> list[str]:
    """Without the hashes, where the versions alone tell them apart."""
    versions = [recorded.split()[0] for recorded in groups]
    return versions if len(set(versions)) == len(versions) else list(groups)


def _by_sides(names: Sequence[str], differing: Mapping[str, Mapping[str, Sequence[str]]]) -> str:
    """Packages that split the variants alike are listed together, so that these are named once."""
    splits: dict[tuple[tuple[str, ...], ...], list[str]] = {}
    for name in names[:_NAMED]:
        split = tuple(tuple(variants) for variants in differing[name].values())
        splits.setdefault(split, []).append(name)
    said = []
    for split, mine in splits.items():
        versions = ", ".join(
            f"{n}{f' ({_TELLING[n]})' if n in _TELLING else ''} "
            + " against ".join(_versions(differing[n]))
            for n in mine
        )
        said.append(f"{versions}: {' against '.join(', '.join(side) for side in split)}")
    more = f"; and {len(names) - _NAMED} more packages" if len(names) > _NAMED else ""
    return "; ".join(said) + more


def _linked(name: str) -> bool:
    return bool(_SHARED_LIBRARY.fullmatch(name)) and not _NOT_LINKED.fullmatch(name)


# ---- What the machine was like while the blocks of one run were taken, where that was not one and
# the
# same: settings that changed, and what the host, heat and other programs did meanwhile.

#: Findings of ``whyfast doctor`` that hold until somebody changes them, by key.
SETTINGS = {
    "governor": "CPU frequency governor",
    "turbo": "turbo, boost",
    "smt": "SMT (hyper-threading)",
    "isolated": "isolated CPUs",
    "nohz_full": "CPUs without timer tick",
    "aslr": "address space randomisation",
    "huge_pages": "transparent huge pages",
    "mitigations": "mitigations of CPU vulnerabilities",
    "clock_source": "clock source",
    "cpu_quota": "container CPU limit",
    "virtualisation": "virtualisation",
}

#: Facts beside the findings; a run can move to another machine with its data folder.
MACHINE_CONFOUNDS_FACTS = {"hostname": "host", "cpu_model": "CPU model", "cpus": "number of CPUs"}


def machine_confounds(sessions: Sequence[Session], blocks: Sequence[Block]) -> list[Confound]:
    """Settings that were not the same in all sessions with blocks, or changed during one; time that
    the host kept for itself, and throttling, while measuring."""
    taken = {b.session for b in blocks}
    used = [s for s in sessions if s.id in taken]
    apart = _apart(used, blocks)
    return [*_settings(used, blocks, apart), *_hosts(apart), *_steal(used), *_throttling(used)]


def _apart(sessions: Sequence[Session], blocks: Sequence[Block]) -> dict[str, set[str]]:
    """Hosts and their benchmarks where benchmarks were spread over hosts, each on one; else
    empty."""
    host = {s.id: _value(s.environment, "hostname", "") for s in sessions}
    name = {s.id: str(s.environment.get("machine") or host[s.id]) for s in sessions}
    found: dict[str, set[str]] = {}
    for block in blocks:
        if block.session in name:
            found.setdefault(name[block.session], set()).add(block.benchmark)
    whole = [benchmark for names in found.values() for benchmark in names]
    return found if len(found) > 1 and len(set(whole)) == len(whole) else {}


def _hosts(apart: Mapping[str, set[str]]) -> Iterator[Confound]:
    if apart:
        sides = "; ".join(f"{host} ({len(names)})" for host, names in sorted(apart.items()))
        yield Confound(
            "hosts",
            f"the benchmarks were spread over {len(apart)} hosts: {sides}; every comparison lies "
            "within one host, and a geometric mean goes over all of them",
            "note",
        )


def _settings(
    sessions: Sequence[Session], blocks: Sequence[Block], apart: Mapping[str, set[str]]
) -> Iterator[Confound]:
    number = {s.id: sum(b.session == s.id for b in blocks) for s in sessions}
    for key, title in {**MACHINE_CONFOUNDS_FACTS, **SETTINGS}.items():
        groups: dict[str, int] = {}
        changed: list[tuple[str, str]] = []
        for session in sessions:
            start, end = (_value(session.environment, key, when) for when in ("", "at_end"))
            if start is None:
                continue
            if end is not None and end != start:
                changed.append((start, end))
            groups[start] = groups.get(start, 0) + number[session.id]
        if len(groups) > 1 and not apart:
            sides = "; ".join(
                f"{value} ({n} block{'' if n == 1 else 's'})" for value, n in groups.items()
            )
            yield Confound(
                f"machine-{key}",
                f"the machine was not the same for all blocks, {title}: {sides}; each block lies "
                "within one setting, but the ratio itself may depend on it",
            )
        for start, end in dict.fromkeys(changed):
            yield Confound(
                f"machine-{key}", f"the machine changed while measuring, {title}: {start} → {end}"
            )


def _value(environment: Mapping[str, object], key: str, when: str) -> str | None:
    """What was found, at the start or at the end; None where it was not known."""
    facts: Any = environment.get(when, {}) if when else environment
    if not isinstance(facts, Mapping):
        return None
    if key in MACHINE_CONFOUNDS_FACTS:
        return str(facts[key]) if facts.get(key) is not None else None
    doctor: Any = facts.get("doctor")
    finding = doctor.get(key) if isinstance(doctor, Mapping) else None
    if not isinstance(finding, Mapping) or finding.get("state") == "unknown":
        return None
    return str(finding.get("value"))


def _steal(sessions: Sequence[Session]) -> Iterator[Confound]:
    stolen = [_grown(s, "stolen_ticks") for s in sessions]
    ticks = [_grown(s, "ticks") for s in sessions]
    known = [(a, b) for a, b in zip(stolen, ticks, strict=True) if a is not None and b]
    share = sum(a for a, _ in known) / sum(b for _, b in known) if known else 0.0
    if share >= STOLEN:
        yield Confound(
            "steal",
            f"the host gave {share * 100:.1f} % of the time on these CPUs to other machines while "
            "measuring (steal time); turns hold against that, but absolute times are too long",
            "note",
        )


def _throttling(sessions: Sequence[Session]) -> Iterator[Confound]:
    events = sum(_grown(s, "throttle_events") or 0 for s in sessions)
    if events:
        yield Confound(
            "throttling",
            "heat slowed CPUs while measuring (events of cores and packages, over all CPUs: "
            f"{events}); turns hold against that, but absolute times are too long",
            "note",
        )


def _grown(session: Session, key: str) -> int | None:
    """By how much a count of the kernel grew during the session."""
    start, end = (
        found.get(key) if isinstance(found, Mapping) else None
        for found in (session.environment.get(when) for when in ("at_start", "at_end"))
    )
    return end - start if isinstance(start, int) and isinstance(end, int) else None


#: From which share of the time of all runs on, and from how many seconds of a run on average, it is
#: told that they waited for a CPU: some 35 µs of each wait are whyfast's own, as it leaves the CPU.
OTHERS, OTHERS_LEAST = 0.02, 1e-4


def find_confounds(
    study: Question,
    builds: Sequence[BuildOutcome],
    sessions: Sequence[Session],
    blocks: Sequence[Block],
    evidence: Sequence[Evidence] = (),
) -> tuple[Confound, ...]:
    """Everything that the records show; most misleading first."""
    found = [
        *option_confounds(study, _built(builds), evidence),
        *_providers(builds),
        *root_confounds(_built(builds)),
        *interpreter_confounds(_built(builds)),
        *_stand_in(study),
        *_identical(study, builds),
        *_boots(sessions),
        *_busy(sessions),
        *_waited(blocks),
        *machine_confounds(sessions, blocks),
        *_virtual(sessions),
        *_one_layout(builds, blocks),
    ]
    return tuple(sorted(found, key=lambda c: c.severity != "warning"))


def _built(builds: Iterable[BuildOutcome]) -> list[Build]:
    return [b for b in builds if isinstance(b, Build)]


def _providers(builds: Sequence[BuildOutcome]) -> Iterable[Confound]:
    """Compilers from different providers bring their own linker, headers and default flags."""
    by_provider: dict[str, list[str]] = {}
    for b in _built(builds):
        by_provider.setdefault(b.provenance["toolchain"]["name"].split(":")[0], []).append(
            b.variant
        )
    if len(by_provider) > 1:
        groups = "; ".join(f"{p}: {', '.join(v)}" for p, v in by_provider.items())
        yield Confound(
            "toolchain-provider",
            "compilers of different origin differ in more than the compiler (linker, start-up "
            f"code, default flags): {groups}",
            "note",
            tuple(v for vs in by_provider.values() for v in vs),
        )


def _stand_in(study: Question) -> Iterable[Confound]:
    if study.stands_for:
        yield Confound(
            "stand-in",
            f"{study.stands_for}; what is measured instead is {study.name}, another program, whose "
            "times say nothing about it",
        )


def identical_programs(
    study: Question, builds: Sequence[BuildOutcome]
) -> tuple[tuple[str, ...], ...]:
    """The groups of variants whose programs are equal byte by byte and are run alike."""
    by_program: dict[str, list[Variant]] = {}
    for build in _built(builds):
        by_program.setdefault(build.program_sha256, []).append(study.variant(build.variant))
    found = (alike(same, but=MAKING) for same in by_program.values())
    return tuple(
        tuple(v.name for v in group) for groups in found for group in groups if len(group) > 1
    )


def _identical(study: Question, builds: Sequence[BuildOutcome]) -> Iterable[Confound]:
    for names in sorted(tuple(sorted(group)) for group in identical_programs(study, builds)):
        yield Confound(
            "identical-programs",
            f"{' and '.join(names)} are the same program byte for byte; any difference "
            "between them is a false alarm",
            "note",
            names,
        )


def _boots(sessions: Sequence[Session]) -> Iterable[Confound]:
    # Of one machine: that several have been started is no news.
    machines = {s.environment.get("machine") for s in sessions}
    if len(machines) > 1:
        for machine in machines:
            yield from _boots([s for s in sessions if s.environment.get("machine") == machine])
        return
    boots = {s.environment.get("boot_id") for s in sessions} - {None}
    systems = {s.environment.get("system") for s in sessions} - {None}
    if len(systems) > 1:
        yield Confound("kernel", f"measured under several kernels: {_list(systems)}")
    elif len(boots) > 1:
        yield Confound(
            "boot",
            f"measured over {len(boots)} boots; each block lies within one, so ratios stand, but "
            "memory layout of the kernel may have changed between blocks",
            "note",
        )


def _busy(sessions: Sequence[Session]) -> Iterable[Confound]:
    worst = 0.0
    for s in sessions:
        load, cpus = s.environment.get("load"), s.environment.get("cpus")
        if isinstance(load, int | float) and isinstance(cpus, int) and cpus:
            worst = max(worst, load / cpus)
    if worst > BUSY:
        yield Confound(
            "load",
            f"the machine was busy when measuring began (load {worst:.1f} per CPU); turns hold "
            "against that, but absolute times are too long",
            "note",
        )


def _waited(blocks: Sequence[Block]) -> Iterable[Confound]:
    waited = total = 0.0
    runs = 0
    for block in blocks:
        for variant, values in block.values.items():
            each = block.extra.get(variant, {}).get(WAITED, ())
            runs += len(each)
            waited += sum(each)
            total += sum(values) + sum(each)
    if waited > max(OTHERS * total, OTHERS_LEAST * runs):
        yield Confound(
            "waited",
            f"other programs wanted these CPUs: the runs waited {100 * waited / total:.0f} % of "
            "their time for one, which is no part of the times here",
            "note",
        )


def _virtual(sessions: Sequence[Session]) -> Iterable[Confound]:
    if any(s.environment.get("hypervisor") for s in sessions):
        yield Confound(
            "virtual-machine",
            "measured in a virtual machine: neighbours share its caches, and hardware counters may "
            "be missing",
            "note",
        )


def _one_layout(builds: Sequence[BuildOutcome], blocks: Sequence[Block]) -> Iterable[Confound]:
    programs = {b.program_sha256 for b in _built(builds)}
    if len(programs) > 1 and not any(b.layouts for b in blocks):
        yield Confound(
            "one-layout",
            "each build has one memory layout; the verdicts are about these binaries, and a "
            "difference of a few per cent may be where the linker placed the code",
            "note",
        )


def _list(items: Iterable[object]) -> str:
    return ", ".join(sorted(str(i) for i in items))
