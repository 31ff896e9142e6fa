"""What differs between recorded runs beside the question: their metadata side by side."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise

from whyfast.formats.input import epoch_seconds
from whyfast.measure.doctor.system import BUSY
from whyfast.model.series import MetadataValue, Recording
from whyfast.model.verdict import Confound, Verdict

#: Windows computes the time of boot from the clock and the time since, and is off by a second.
_JITTER = 2.0

#: As few digits name a commit.
_HASH = re.compile(r"[0-9a-f]{7,64}\+?")
_BOOTS = ("boot_time",)
_REVISION = re.compile(r"\b[0-9a-f]{7,64}\b\+?")


def same_fact(key: str, a: str, b: str) -> bool:
    """Whether ``a`` and ``b`` are equal; times of boot within two seconds are, and hashes of
    commits of which one begins with the other."""
    if a == b:
        return True
    if key in _BOOTS:
        one, other = epoch_seconds(a), epoch_seconds(b)
        return one is not None and other is not None and abs(one - other) <= _JITTER
    return same_revision(a, b)


def same_revision(a: str, b: str) -> bool:
    """Whether two names of commits are one commit's, as far as their digits go."""
    if a == b:
        return True
    one, other = a.lower(), b.lower()
    if not (_HASH.fullmatch(one) and _HASH.fullmatch(other)):
        return False
    # "+" marks a checkout with changes of its own.
    if one.endswith("+") != other.endswith("+"):
        return False
    one, other = one.rstrip("+"), other.rstrip("+")
    digits = re.search(r"[a-f]", one + other) is not None
    return digits and (one.startswith(other) or other.startswith(one))


def one_form(key: str, texts: Iterable[str]) -> dict[str, str]:
    """Each text with the form in which those that say the same are equal.

    Times of boot are in the form of the first of their row, in which each is as near to the next as
    :func:`same_fact` wants. Revisions are the shortest of those that are the same, wherever in a
    text they stand.
    """
    every = list(dict.fromkeys(texts))
    if key in _BOOTS:
        return _boots(key, every)
    found = sorted({r for text in every for r in _REVISION.findall(text)}, key=len)
    short: dict[str, str] = {}
    for revision in found:
        alike = (s for s in short.values() if same_revision(revision, s))
        short[revision] = next(alike, revision)
    return {text: _REVISION.sub(lambda m: short[m[0]], text) for text in every}


def _boots(key: str, texts: list[str]) -> dict[str, str]:
    forms = {text: text for text in texts}
    dated = [text for text in texts if epoch_seconds(text) is not None]
    for one, other in pairwise(sorted(dated, key=lambda text: epoch_seconds(text) or 0.0)):
        if same_fact(key, one, other):
            forms[other] = forms[one]
    return forms


DRIFT = "session drift is not excluded"
_HOUR, _DAY = 3600.0, 86400.0


def date_confounds(
    recordings: Sequence[Recording], reruns: Sequence[Recording], drifts: Sequence[float] = ()
) -> Iterator[Confound]:
    """That the runs were not interleaved, how far apart they lie, and which overlap.

    ``drifts``: for each head, the standard deviation of drift that was allowed for a benchmark.
    """
    yield _drift(reruns, drifts)
    base, *heads = recordings
    after: list[str] = []
    before: list[str] = []
    overlapping: list[str] = []
    for head in heads:
        gap = _gap(base, head)
        if gap is None or _copied(base, head):
            continue
        if gap == 0:
            overlapping.append(head.name)
        else:
            (after if gap > 0 else before).append(f"{head.name} {_duration(abs(gap))}")
    for outcome, apart in (("after", after), ("before", before)):
        if apart:
            yield Confound("date", f"recorded {outcome} {base.name}: {', '.join(apart)}", "note")
    if overlapping:
        yield Confound(
            "overlap",
            f"recorded while {base.name} was: {', '.join(overlapping)}; they may have disturbed "
            "each other",
        )


def _drift(reruns: Sequence[Recording], drifts: Sequence[float]) -> Confound:
    if not reruns:
        allowed = " and ".join(dict.fromkeys(f"{drift * 100:.2g} %" for drift in drifts if drift))
        by = f" (a standard deviation of {allowed} a benchmark)" if allowed else ""
        return Confound(
            "session-drift",
            f"the runs were not interleaved, so {DRIFT}: the intervals allow for as much as runs "
            f"of one build differ by elsewhere{by}, not for what changed between these; reruns of "
            "one build given as --noise would show how much that is",
        )
    few = "; more reruns would narrow the intervals" if len(reruns) < 5 else ""
    return Confound(
        "session-drift",
        f"the runs were not interleaved, so {DRIFT}; the intervals allow for as much as "
        f"{len(reruns)} reruns of one build show{few}",
        "note",
    )


def _copied(base: Recording, head: Recording) -> bool:
    """Whether it is the same run once more, which disturbed nothing."""
    times = [(r.started, r.ended) for r in (base, head)]
    return times[0] == times[1] and base.series == head.series


def _gap(base: Recording, head: Recording) -> float | None:
    """Seconds from the end of one to the start of the other; negative when the head was first,
    0 when they overlap, None when either has no dates."""
    if base.started is None or base.ended is None or head.started is None or head.ended is None:
        return None
    if head.started == head.ended == base.started == base.ended:
        return None  # one stamp a file, of the campaign that both belong to
    if head.started > base.ended:
        return head.started - base.ended
    if base.started > head.ended:
        return head.ended - base.started
    return 0.0


def _duration(seconds: float) -> str:
    if seconds < 2 * _HOUR:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / _HOUR:.0f} h" if seconds < 2 * _DAY else f"{seconds / _DAY:.0f} days"


#: Facts about the machine and the measuring: a difference can pass for one of the subject.
MACHINE = {
    "hostname": "host",
    "platform": "system (kernel)",
    "os": "operating system",
    "architecture": "architecture",
    "boot_time": "boot",
    "cpu_model_name": "CPU model",
    "cpu_count": "number of CPUs",
    "cpu_config": "CPU configuration",
    "cpu_affinity": "CPUs used",
    "cpu_scaling_enabled": "CPU frequency scaling",
    "aslr": "address space randomisation",
    "timer": "timer",
    "python_hash_seed": "hash seed",
    "gomaxprocs": "GOMAXPROCS",
    "perf_version": "pyperf version",
    "performance_version": "pyperformance version",
}

#: Facts about the subject: a difference here may be the very one under study.
SUBJECT = {
    "python_version": "Python version",
    "python_implementation": "Python implementation",
    "python_compiler": "compiler",
    "compiler": "compiler",
    "python_cflags": "compiler flags",
    "python_config_args": "configure arguments",
    "commit_id": "commit",
    "commit_branch": "branch",
    "commit_date": "date of the commit",
    "library_build_type": "build type",
}
_COMPILER = ("python_compiler", "compiler")
_FLAGS = ("python_cflags", "python_config_args")
_COMMIT = ("commit_id", "commit")

#: Where the program was; two builds are seldom in the same place.
_PLACE = ("python_executable",)
_LONG = 60


def metadata_confounds(recordings: Sequence[Recording]) -> tuple[Confound, ...]:
    """Every difference between the files' metadata, warnings first. The first file is the base."""
    facts = facts_in_one_form(recordings)
    ordered = sorted(facts, key=_rank)
    found = [
        c for key in ordered if key not in _PLACE for c in _difference(key, facts[key], recordings)
    ]
    found += [*_load(recordings), *_identical(recordings), *_unnamed(recordings)]
    return tuple(sorted(found, key=lambda c: c.severity != "warning"))


def noise_confounds(base: Recording, reruns: Sequence[Recording]) -> Iterator[Confound]:
    """Whether the reruns that calibrate the noise are of the same machine as the base."""
    for key, label in MACHINE.items():
        mine = base.metadata.get(key)
        others = {_text(r.metadata[key]) for r in reruns if key in r.metadata}
        if mine is not None and others and _text(mine) not in others and key != "boot_time":
            yield Confound(
                "noise-machine",
                f"the --noise runs have another {label} ({'; '.join(sorted(others))}) than "
                f"{base.name} ({_text(mine)}), so their noise may not be its noise",
            )


def _rank(key: str) -> tuple[int, int]:
    for group, names in enumerate((list(MACHINE), list(SUBJECT))):
        if key in names:
            return group, names.index(key)
    return 2, 0


def _difference(
    key: str, said: Mapping[str, str], recordings: Sequence[Recording]
) -> Iterator[Confound]:
    label = fact_label(key)
    known = [r for r in recordings if key in r.metadata]
    groups: dict[str, list[str]] = {}
    for name, text in said.items():
        groups.setdefault(text, []).append(name)
    names = tuple(r.name for r in recordings)
    if len(groups) > 1:
        yield Confound(
            key,
            f"not the same {label}: {_sides(groups)}",
            "warning" if key in MACHINE else "note",
            names,
        )
    elif len(known) < len(recordings) and (key in MACHINE or key in SUBJECT):
        has = ", ".join(r.name for r in known)
        lacks = ", ".join(r.name for r in recordings if key not in r.metadata)
        yield Confound(key, f"{label} is named for {has} and not for {lacks}", "note", names)


def _sides(groups: dict[str, list[str]]) -> str:
    """Each value with the files that have it; of long ones only the words that tell them apart."""
    words = [text.split(" ") for text in groups]
    shared = set(words[0]).intersection(*words[1:])
    sides = []
    for text, names in groups.items():
        if any(len(other) > _LONG for other in groups):
            own = " ".join(outcome for outcome in text.split(" ") if outcome not in shared)
            text = f"… {own}" if own else "nothing but what all have"
        sides.append(f"{text} ({', '.join(names)})")
    return "; ".join(sides)


def _text(value: MetadataValue) -> str:
    if isinstance(value, tuple):
        return " and ".join(sorted(value))
    return value if isinstance(value, str) else f"{value:.6g}"


def _texts(value: MetadataValue) -> tuple[str, ...]:
    return value if isinstance(value, tuple) else (value,) if isinstance(value, str) else ()


def _in(forms: Mapping[str, str], value: MetadataValue) -> MetadataValue:
    """The value with its texts in the form that those which mean the same share."""
    if isinstance(value, tuple):
        found = tuple(dict.fromkeys(forms[text] for text in value))
        return found if len(found) > 1 else found[0]
    return forms[value] if isinstance(value, str) else value


def _load(recordings: Sequence[Recording]) -> Iterator[Confound]:
    busy = []
    for r in recordings:
        load, cpus = r.metadata.get("load_avg_1min"), _number(r.metadata.get("cpu_count"))
        if isinstance(load, float) and cpus and (load - 1) / cpus > BUSY:  # one is the benchmark's
            busy.append(f"{r.name} {load:.1f} on {cpus:.0f} CPUs")
    if busy:
        yield Confound("load", f"the machine was busy with other work: load {'; '.join(busy)}")


def _number(value: MetadataValue | None) -> float | None:
    if isinstance(value, tuple) or value is None:
        return None
    try:
        return float(value)
    except ValueError:
        return None


def _identical(recordings: Sequence[Recording]) -> Iterator[Confound]:
    for i, one in enumerate(recordings):
        for other in recordings[:i]:
            if one.series and one.series == other.series:
                yield Confound(
                    "same-values",
                    f"{other.name} and {one.name} hold the very same values: one is a copy",
                    "warning",
                    (other.name, one.name),
                )


def _unnamed(recordings: Sequence[Recording]) -> Iterator[Confound]:
    groups = (("compiler", _COMPILER), ("flags", _FLAGS), ("commit", _COMMIT))
    missing = [
        f"no {outcome}"
        for outcome, keys in groups
        if not any(key in r.metadata for key in keys for r in recordings)
    ]
    if missing:
        yield Confound("unnamed", f"the files name {', '.join(missing)}", "note")
    base, *heads = recordings
    subjects = _subjects(recordings)
    alike = [
        r.name for r, subject in zip(heads, subjects[1:], strict=True) if subject == subjects[0]
    ]
    if alike and "no compiler" not in missing:
        differs = any(_differs(key, recordings) for key in MACHINE)
        what = "of the subject " if differs else "in the metadata "
        yield Confound(
            "alike",
            f"nothing {what}tells {', '.join(alike)} from {base.name} but the file's name: what "
            "was changed is not on record",
            "note",
        )


def _differs(key: str, recordings: Sequence[Recording]) -> bool:
    return len(set(facts_in_one_form(recordings).get(key, {}).values())) > 1


def _subjects(recordings: Sequence[Recording]) -> list[dict[str, str]]:
    facts = facts_in_one_form(recordings)
    return [
        {key: facts[key][r.name] for key in SUBJECT if r.name in facts.get(key, {})}
        for r in recordings
    ]


def facts_in_one_form(recordings: Sequence[Recording]) -> dict[str, dict[str, str]]:
    """For each fact but loads, what each recording (by name) says, the same in the same words."""
    found: dict[str, dict[str, str]] = {}
    for key in dict.fromkeys(key for r in recordings for key in r.metadata):
        if key.startswith("load_avg"):
            continue
        known = [r for r in recordings if key in r.metadata]
        forms = one_form(key, [text for r in known for text in _texts(r.metadata[key])])
        found[key] = {r.name: _text(_in(forms, r.metadata[key])) for r in known}
    return found


def fact_label(key: str) -> str:
    """What a fact is called in sentences."""
    return MACHINE.get(key) or SUBJECT.get(key) or key


# Benchmarks that are outliers in several files, and what only those files share.
#
# A benchmark at 0.40x in every file of one fork of the source, with and without the change under
# test, says something of the fork and nothing of the change.

#: A verdict with a ratio beyond this, either way, stands apart.
APART = 1.2

#: Benchmarks that a sentence names.
_NAMED = 4
_TOKEN = re.compile(r"[A-Za-z0-9]+")

#: Heads, and whether they are slower there.
_Group = tuple[tuple[str, ...], bool]


def shared_outliers(
    recordings: Sequence[Recording], verdicts: Sequence[Verdict]
) -> Iterator[Confound]:
    """For two heads or more that stand apart on the same benchmarks, and not all of them: what the
    files say that these have and no other has. ``recordings[0]`` is the base of all verdicts."""
    names = [r.name for r in recordings]
    groups: defaultdict[_Group, list[str]] = defaultdict(list)
    apart: defaultdict[tuple[str, bool], list[Verdict]] = defaultdict(list)
    judged: defaultdict[str, set[str]] = defaultdict(set)
    for v in verdicts:
        if v.benchmark is None or v.baseline != names[0]:
            continue
        judged[v.benchmark].add(v.variant)
        if v.outcome in ("faster", "slower") and abs(math.log(v.ratio)) > math.log(APART):
            apart[v.benchmark, v.ratio > 1].append(v)
    ratios: defaultdict[_Group, list[float]] = defaultdict(list)
    for (benchmark, slower), found in apart.items():
        heads = tuple(v.variant for v in found)
        if 1 < len(heads) < len(judged[benchmark]):
            groups[heads, slower].append(benchmark)
            ratios[heads, slower] += [v.ratio for v in found]
    for (heads, slower), benchmarks in groups.items():
        shared = _shared(recordings, heads)
        if shared:
            yield _confound(heads, slower, benchmarks, ratios[heads, slower], shared)


def _confound(
    heads: tuple[str, ...],
    slower: bool,
    benchmarks: list[str],
    ratios: list[float],
    shared: list[str],
) -> Confound:
    listed = ", ".join(benchmarks[:_NAMED])
    if len(benchmarks) > _NAMED:
        listed += f" and {len(benchmarks) - _NAMED} more"
    factors = sorted(max(r, 1 / r) for r in ratios)
    how = "slower" if slower else "faster"
    text = (
        f"{', '.join(heads)} are {factors[0]:.2f}x to {factors[-1]:.2f}x {how} on {listed}, and no "
        f"other file is: this goes with what these alone share ({'; '.join(shared)}), not with "
        "what differs between them"
    )
    return Confound("shared-outliers", text, "note", heads)


def _shared(recordings: Sequence[Recording], heads: tuple[str, ...]) -> list[str]:
    """Facts, and parts of names, that those heads have alike and no other file has."""
    found = []
    for key, values in facts_in_one_form(recordings).items():
        mine = {values.get(name) for name in heads}
        others = {value for name, value in values.items() if name not in heads}
        if len(mine) == 1 and None not in mine and not mine & others:
            found.append(f"{fact_label(key)} {next(iter(mine))}")
    if found:
        return found[:3]
    tokens = {r.name: set(_TOKEN.findall(r.name)) for r in recordings}
    mine_all = set.intersection(*(tokens[name] for name in heads))
    theirs = set().union(*(t for name, t in tokens.items() if name not in heads))
    return [f"“{token}” in their names" for token in sorted(mine_all - theirs)][:3]
