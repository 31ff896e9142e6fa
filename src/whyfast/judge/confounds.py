"""What else differs, or weakens the measurement, beside the question. :data:`WARNINGS` and
:data:`NOTES` have every confound by its kind: *what differs: what it does to the verdict*."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any, Literal

from whyfast.judge.option_confounds import option_confounds
from whyfast.measure.doctor import BUSY, STOLEN
from whyfast.model.build import FACTS, Build, BuildOutcome
from whyfast.model.evidence import Evidence
from whyfast.model.sample import WAITED, Block, Session
from whyfast.model.study import Question
from whyfast.model.variant import MAKING, Variant, alike
from whyfast.model.verdict import Confound

#: The kind of code that layouts do not move.
UNMOVED = "unmoved-libraries"

_ABSOLUTE = "ratios are unaffected; absolute times are inflated"

#: The text of each kind that can mislead; ``{names}`` are the variants or machines concerned,
#: ``{sides}`` the values with those that have them. That profile-guided optimisation is worth a
#: tenth of the time and more, docs/studies/cpython-tail-call.md measures.
WARNINGS = {
    "interpreter-compiler": (
        "different compilers made the interpreters ({sides}): a difference may be the compiler's"
    ),
    "interpreter-flags": (
        "different flags made the interpreters ({sides}): a difference may be that of the flags"
    ),
    "interpreter-pgo": (
        "the interpreters differ, or may differ, in profile-guided optimisation ({sides}): it can "
        "be worth a tenth of the time and more"
    ),
    "interpreter-lto": (
        "the interpreters differ, or may differ, in link-time optimisation ({sides}): a difference "
        "may come from it"
    ),
    "interpreter-build": (
        "the interpreters are different kinds of build ({sides}): a difference may come from that"
    ),
    "root-libc": (
        "different C libraries ({sides}): time spent in the library (memory, strings, mathematics) "
        "may differ by more than the compiler's effect"
    ),
    "stand-in": (
        "{reason}; {name} was measured instead, another program: its times say nothing about the "
        "original question"
    ),
    "kernel": "measured under several kernels ({names}): a difference may be the kernel's",
    "machine-compiler": (
        "{names} is not the same compiler on all machines ({sides}): differences between machines "
        "may be the compiler's"
    ),
    "machine-source": (
        "different sources for {names}: verdicts of the machines are about different code"
    ),
    "machine-dispatch": (
        "{names} dispatches differently ({sides}): differences between machines may come from that"
    ),
    "machine-layouts": "verdicts have different subjects: {sides}",
    "machine-incomplete": "the run is incomplete on {names}: blocks are missing there",
    "machine-mean": (
        "the geometric mean covers different benchmarks ({sides}): it is compared only where it "
        "covers the same ones"
    ),
}

#: The text of each kind that is worth knowing.
NOTES = {
    "interpreter-libpython": (
        "the interpreters are linked differently ({sides}): calls into a shared library go through "
        "a table"
    ),
    "root-packages": (
        "different packages in the build roots ({sides}): a difference may be theirs and not the "
        "compiler's"
    ),
    "toolchain-provider": (
        "compilers from different providers ({sides}): linker, start-up code and default flags "
        "differ too"
    ),
    "identical-programs": (
        "{names} are the same program byte for byte: any difference between them is a false alarm"
    ),
    "boot": (
        "measured over {boots} boots: each block lies within one, so ratios are unaffected, but "
        "the kernel's memory layout may have changed between blocks"
    ),
    "load": "the machine was busy at the start (load {load:.1f} per CPU): " + _ABSOLUTE,
    "waited": (
        "other programs competed for these CPUs: the runs waited {share:.0f} % of their time, "
        "which is excluded from the times here"
    ),
    "virtual-machine": (
        "measured in a virtual machine: neighbours share its caches, and hardware counters may be "
        "missing"
    ),
    UNMOVED: (
        "layouts move the code of the program, not that of {names}, built beside it: the spread "
        "does not include placement in there; link it statically to include it"
    ),
    "one-layout": (
        "each build has one memory layout: the verdicts are about these binaries, and a difference "
        "of a few per cent may come from where the linker placed the code"
    ),
    "hosts": (
        "the benchmarks are spread over {number} hosts ({sides}): each comparison lies within one "
        "host, and a geometric mean spans all of them"
    ),
    "steal": (
        "the host gave {share:.1f} % of the time on these CPUs to other machines (steal time): "
        + _ABSOLUTE
    ),
    "throttling": (
        "heat slowed CPUs down while measuring ({events} events of cores and packages, over all "
        "CPUs): " + _ABSOLUTE
    ),
    "machine-program": (
        "different programs for {names}, compared byte for byte: differences between machines may "
        "be the programs'"
    ),
    "machine-virtual": "measured {sides}: neighbours may disturb a virtual machine",
    "machine-whyfast": "different versions of whyfast ({sides}): they may measure differently",
}

#: Settings that ``whyfast doctor`` finds, by key: they hold until somebody changes them.
SETTINGS = {
    "governor": "CPU frequency governor",
    "turbo": "turbo, boost",
    "smt": "SMT (hyper-threading)",
    "isolated": "isolated CPUs",
    "nohz_full": "CPUs without timer tick",
    "aslr": "address space randomisation",
    "transparent_hugepages": "transparent huge pages",
    "mitigations": "mitigations of CPU vulnerabilities",
    "clock_source": "clock source",
    "cpu_quota": "container CPU limit",
    "virtualisation": "virtualisation",
}
#: Facts beside the settings; a run can move to another machine with its data folder.
_FACTS = {"hostname": "host", "cpu_model": "CPU model", "cpus": "number of CPUs"}

#: Waiting for a CPU is reported from this share of the time of all runs on, and from this many
#: seconds of a run on average: some 35 µs of each wait are whyfast's own, as it leaves the CPU.
OTHERS, OTHERS_LEAST = 0.02, 1e-4


def find_confounds(
    study: Question,
    builds: Sequence[BuildOutcome],
    sessions: Sequence[Session],
    blocks: Sequence[Block],
    evidence: Sequence[Evidence] = (),
) -> tuple[Confound, ...]:
    """All confounds of one run, warnings first."""
    built = [b for b in builds if isinstance(b, Build)]
    confounds = [*option_confounds(study, built, evidence)]
    found: list[Confound] = []
    for together in _compared(study, built):
        providers = {b.variant: b.provenance["toolchain"]["name"].split(":")[0] for b in together}
        in_groups = [v for variants in grouped(providers).values() for v in variants]
        found += differing("toolchain-provider", providers, in_groups)
        found += [*root_confounds(together), *interpreter_confounds(together)]
    confounds += dict.fromkeys(found)
    if study.stands_for:
        confounds.append(confound("stand-in", reason=study.stands_for, name=study.name))
    for names in sorted(sorted(group) for group in identical_programs(study, builds)):
        confounds.append(confound("identical-programs", names, names=" and ".join(names)))
    confounds += [*_boots(sessions), *_busy(sessions), *_waited(blocks)]
    confounds += machine_confounds(sessions, blocks)
    if any(s.environment.get("hypervisor") for s in sessions):
        confounds.append(confound("virtual-machine"))
    if len({b.program_sha256 for b in built}) > 1 and not any(b.layouts for b in blocks):
        confounds.append(confound("one-layout"))
    if any(b.layouts for b in blocks):
        beside = {b.variant: b.provenance.get("libraries", ()) for b in built}
        if libraries := dict.fromkeys(
            PurePosixPath(n).name for each in beside.values() for n in each
        ):
            of = [name for name, each in beside.items() if each]
            confounds.append(confound(UNMOVED, of, names=", ".join(libraries)))
    return warnings_first(confounds)


def warnings_first(confounds: Iterable[Confound]) -> tuple[Confound, ...]:
    """Otherwise in their order."""
    return tuple(sorted(confounds, key=lambda c: c.severity != "warning"))


def grouped(values: Mapping[str, str]) -> dict[str, list[str]]:
    """Each value with the names that have it."""
    groups: dict[str, list[str]] = {}
    for name, value in values.items():
        groups.setdefault(value, []).append(name)
    return groups


def sides(groups: Mapping[str, Sequence[str]]) -> str:
    """``gcc 13 (a, b); gcc 14 (c)``, of many names the first few."""
    return "; ".join(f"{value} ({_few(names)})" for value, names in groups.items())


def _few(names: Sequence[str]) -> str:
    more = len(names) - _FEW
    return ", ".join(names) if more <= 1 else f"{', '.join(names[:_FEW])} and {more} more"


def confound(kind: str, variants: Iterable[str] = (), **values: object) -> Confound:
    """The confound of that kind of :data:`WARNINGS` or :data:`NOTES`, with its ``values``."""
    severity: Literal["warning", "note"] = "warning" if kind in WARNINGS else "note"
    text = (WARNINGS | NOTES)[kind].format(**values)
    return Confound(kind, text, severity, tuple(variants))


def differing(
    kind: str, values: Mapping[str, str], variants: Sequence[str] = (), name: str = ""
) -> Iterator[Confound]:
    """One where the variants or machines of ``values`` have different ones."""
    groups = grouped(values)
    if len(groups) > 1:
        yield confound(kind, variants, names=name, sides=sides(groups))


def interpreter_confounds(builds: Sequence[Build]) -> Iterator[Confound]:
    """A confound for each fact in which the interpreters of the builds differ."""
    facts = {
        b.variant: python["facts"] for b in builds if (python := b.provenance.get("interpreter"))
    }
    for fact in FACTS:
        values = {v: known.get(fact) or "not known" for v, known in facts.items()}
        yield from differing(f"interpreter-{fact.lower()}", values, list(facts))


# Packages of the Debian roots that builds were made in, by version.

#: Debian's package of the C library, which every program runs in.
_LIBC = "libc6"
#: Other packages that go into a program or run with it.
_LINKED_IN = {
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
#: Packages, and variants with one, that are named.
_NAMED, _FEW = 8, 4


def _compared(study: Question, builds: Sequence[Build]) -> Iterator[Sequence[Build]]:
    """Those that are compared with each other: all, or with baselines along axes those of each."""
    by_name = {b.variant: b for b in builds}
    own = {n: str(study.along and study.counterpart(study.variant(n))) for n in by_name}
    yield from ([by_name[n] for n in names] for names in grouped(own).values())


def root_confounds(builds: Sequence[Build]) -> Iterator[Confound]:
    """The C library as a confound of its own; other packages in one note. Only builds that were
    made in Debian roots are compared, and only packages that all of these roots have: others come
    with the compiler."""
    roots = {b.variant: p for b in builds if (p := b.provenance["toolchain"].get("packages"))}
    if len(roots) < 2:
        return
    shared = sorted(set.intersection(*(set(packages) for packages in roots.values())))
    # The same version with another hash is another package.
    groups = {
        name: grouped({v: packages[name] for v, packages in roots.items()}) for name in shared
    }
    differing = {name: group for name, group in groups.items() if len(group) > 1}
    if _LIBC in differing:
        libc = differing[_LIBC]
        named = dict(zip(_versions(libc), libc.values(), strict=True))
        yield confound("root-libc", roots, sides=sides(named))
    others = [n for n in _LINKED_IN if n in differing]
    others += [
        n
        for n in differing
        if n not in others and n != _LIBC and _SHARED_LIBRARY.fullmatch(n)
        if not _NOT_LINKED.fullmatch(n)
    ]
    if others:
        yield confound("root-packages", roots, sides=_by_split(others, differing))


def _versions(groups: Mapping[str, Sequence[str]]) -> list[str]:
    """Without the hashes, where the versions alone tell them apart."""
    versions = [recorded.split()[0] for recorded in groups]
    return versions if len(set(versions)) == len(versions) else list(groups)


def _by_split(names: Sequence[str], differing: Mapping[str, Mapping[str, Sequence[str]]]) -> str:
    """Packages that split the variants alike are listed together, so that these are named once."""
    splits = grouped(
        {n: " against ".join(", ".join(v) for v in differing[n].values()) for n in names[:_NAMED]}
    )
    parts = []
    for split, packages in splits.items():
        versions = ", ".join(
            f"{n}{f' ({_LINKED_IN[n]})' if n in _LINKED_IN else ''} "
            + " against ".join(_versions(differing[n]))
            for n in packages
        )
        parts.append(f"{versions}: {split}")
    more = f"; and {len(names) - _NAMED} more packages" if len(names) > _NAMED else ""
    return "; ".join(parts) + more


def identical_programs(
    study: Question, builds: Sequence[BuildOutcome]
) -> tuple[tuple[str, ...], ...]:
    """The groups of variants whose programs are equal byte by byte and are run alike."""
    by_program: dict[str, list[Variant]] = {}
    for build in builds:
        if isinstance(build, Build):
            by_program.setdefault(build.program_sha256, []).append(study.variant(build.variant))
    equal = (alike(variants, but=MAKING) for variants in by_program.values())
    return tuple(
        tuple(v.name for v in group) for groups in equal for group in groups if len(group) > 1
    )


def _boots(sessions: Sequence[Session]) -> Iterator[Confound]:
    # Each machine apart: several machines have several boots anyway.
    machines = {s.environment.get("machine") for s in sessions}
    if len(machines) > 1:
        for machine in machines:
            yield from _boots([s for s in sessions if s.environment.get("machine") == machine])
        return
    boots = {s.environment.get("boot_id") for s in sessions} - {None}
    systems = {s.environment.get("system") for s in sessions} - {None}
    if len(systems) > 1:
        yield confound("kernel", names=", ".join(sorted(map(str, systems))))
    elif len(boots) > 1:
        yield confound("boot", boots=len(boots))


def _busy(sessions: Sequence[Session]) -> Iterator[Confound]:
    worst = 0.0
    for s in sessions:
        load, cpus = s.environment.get("load"), s.environment.get("cpus")
        if isinstance(load, int | float) and isinstance(cpus, int) and cpus:
            worst = max(worst, load / cpus)
    if worst > BUSY:
        yield confound("load", load=worst)


def _waited(blocks: Sequence[Block]) -> Iterator[Confound]:
    waited = total = 0.0
    runs = 0
    for block in blocks:
        for variant, values in block.values.items():
            waits = block.extra.get(variant, {}).get(WAITED, ())
            runs += len(waits)
            waited += sum(waits)
            total += sum(values) + sum(waits)
    if waited > max(OTHERS * total, OTHERS_LEAST * runs):
        yield confound("waited", share=100 * waited / total)


def machine_confounds(sessions: Sequence[Session], blocks: Sequence[Block]) -> list[Confound]:
    """Settings that differed or changed while measuring; steal time; throttling."""
    number = {s.id: sum(b.session == s.id for b in blocks) for s in sessions}
    used = [s for s in sessions if number[s.id]]
    apart = _benchmarks_by_host(used, blocks)
    confounds = [*_changed_settings(used, number, spread=bool(apart))]
    if apart:
        hosts = "; ".join(f"{host} ({len(names)})" for host, names in sorted(apart.items()))
        confounds.append(confound("hosts", number=len(apart), sides=hosts))
    stolen = [(_growth(s, "stolen_ticks"), _growth(s, "ticks")) for s in used]
    known = [(a, b) for a, b in stolen if a is not None and b]
    share = sum(a for a, _ in known) / sum(b for _, b in known) if known else 0.0
    if share >= STOLEN:
        confounds.append(confound("steal", share=share * 100))
    events = sum(_growth(s, "throttle_events") or 0 for s in used)
    if events:
        confounds.append(confound("throttling", events=events))
    return confounds


def _benchmarks_by_host(
    sessions: Sequence[Session], blocks: Sequence[Block]
) -> dict[str, set[str]]:
    """The benchmarks of each host, where each was measured on one of several; else empty."""
    name = {
        s.id: str(s.environment.get("machine") or _value(s.environment, "hostname", ""))
        for s in sessions
    }
    by_host: dict[str, set[str]] = {}
    for block in blocks:
        if block.session in name:
            by_host.setdefault(name[block.session], set()).add(block.benchmark)
    benchmarks = [benchmark for names in by_host.values() for benchmark in names]
    return by_host if len(by_host) > 1 and len(set(benchmarks)) == len(benchmarks) else {}


def _changed_settings(
    sessions: Sequence[Session], number: Mapping[str, int], *, spread: bool
) -> Iterator[Confound]:
    for key, title in {**_FACTS, **SETTINGS}.items():
        groups: dict[str, int] = {}
        changes: list[tuple[str, str]] = []
        for session in sessions:
            start, end = (_value(session.environment, key, when) for when in ("", "at_end"))
            if start is None:
                continue
            if end is not None and end != start:
                changes.append((start, end))
            groups[start] = groups.get(start, 0) + number[session.id]
        if len(groups) > 1 and not spread:
            values = "; ".join(f"{v} ({n} block{'' if n == 1 else 's'})" for v, n in groups.items())
            text = f"{title} differed between blocks: {values}; the ratio may depend on it"
            yield Confound(f"machine-{key}", text)
        for start, end in dict.fromkeys(changes):
            text = f"{title} changed while measuring: {start} → {end}; the ratio may depend on it"
            yield Confound(f"machine-{key}", text)


def _value(environment: Mapping[str, object], key: str, when: str) -> str | None:
    """The fact or setting at the start, or ``at_end``; None where it is not known."""
    facts: Any = environment.get(when, {}) if when else environment
    if not isinstance(facts, Mapping):
        return None
    if key in _FACTS:
        return str(facts[key]) if facts.get(key) is not None else None
    doctor: Any = facts.get("doctor")
    finding = doctor.get(key) if isinstance(doctor, Mapping) else None
    if not isinstance(finding, Mapping) or finding.get("state") == "unknown":
        return None
    return str(finding.get("value"))


def _growth(session: Session, key: str) -> int | None:
    """By how much a count of the kernel grew during the session."""
    start, end = (
        counts.get(key) if isinstance(counts, Mapping) else None
        for counts in (session.environment.get(when) for when in ("at_start", "at_end"))
    )
    return end - start if isinstance(start, int) and isinstance(end, int) else None
