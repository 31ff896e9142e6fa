"""What else differs, or weakens the measurement, beside the question under study."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from whyfast.judge.interpreter_confounds import interpreter_confounds
from whyfast.judge.machine_confounds import machine_confounds
from whyfast.judge.option_confounds import option_confounds
from whyfast.judge.root_confounds import root_confounds
from whyfast.measure.doctor.system_load import BUSY
from whyfast.model.build import Build, BuildOutcome
from whyfast.model.differences import MAKING, alike
from whyfast.model.evidence import Evidence
from whyfast.model.question import Question
from whyfast.model.sample import WAITED, Block, Session
from whyfast.model.variant import Variant
from whyfast.model.verdict import Confound

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
