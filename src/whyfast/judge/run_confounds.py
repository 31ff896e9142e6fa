"""What differs between recorded runs beside the question: their metadata side by side."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Literal

from whyfast.formats.input import epoch_seconds
from whyfast.judge.confounds import grouped, sides, warnings_first
from whyfast.measure.doctor import BUSY
from whyfast.model.sample import MetadataValue, Recording
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
        first, second = epoch_seconds(a), epoch_seconds(b)
        return first is not None and second is not None and abs(first - second) <= _JITTER
    return same_revision(a, b)


def same_revision(a: str, b: str) -> bool:
    """Whether two names of commits are one commit's, as far as their digits go."""
    if a == b:
        return True
    first, second = a.lower(), b.lower()
    if not (_HASH.fullmatch(first) and _HASH.fullmatch(second)):
        return False
    # "+" marks a checkout with changes of its own.
    if first.endswith("+") != second.endswith("+"):
        return False
    first, second = first.rstrip("+"), second.rstrip("+")
    digits = re.search(r"[a-f]", first + second) is not None
    return digits and (first.startswith(second) or second.startswith(first))


def one_form(key: str, texts: Iterable[str]) -> dict[str, str]:
    """Each text with the form in which texts of one meaning are equal. Times of boot are in the
    form of the first of their row, in which each is as near to the next as :func:`same_fact` wants.
    Each revision has its shortest form, wherever in a text it stands."""
    every = list(dict.fromkeys(texts))
    if key in _BOOTS:
        boots = {text: text for text in every}
        dated = [text for text in every if epoch_seconds(text) is not None]
        for first, second in pairwise(sorted(dated, key=lambda text: epoch_seconds(text) or 0.0)):
            if same_fact(key, first, second):
                boots[second] = boots[first]
        return boots
    revisions = sorted({r for text in every for r in _REVISION.findall(text)}, key=len)
    short: dict[str, str] = {}
    for revision in revisions:
        alike = (s for s in short.values() if same_revision(revision, s))
        short[revision] = next(alike, revision)
    return {text: _REVISION.sub(lambda m: short[m[0]], text) for text in every}


DRIFT = "session drift is not excluded"
_HOUR, _DAY = 3600.0, 86400.0


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
_NAMES = {
    "compiler": ("python_compiler", "compiler"),
    "flags": ("python_cflags", "python_config_args"),
    "commit": ("commit_id", "commit"),
}

#: Where the program was; two builds are seldom in the same place.
_PLACE = ("python_executable",)
_LONG = 60


def date_confounds(
    recordings: Sequence[Recording], reruns: Sequence[Recording], drifts: Sequence[float] = ()
) -> Iterator[Confound]:
    """That the runs were not interleaved, how far apart they were recorded, and which overlap.
    ``drifts``: for each head, the standard deviation of drift that was allowed for a benchmark."""
    yield _drift(reruns, drifts)
    base, *heads = recordings
    names: dict[str, list[str]] = {"after": [], "before": [], "while": []}
    for head in heads:
        gap = _gap(base, head)
        copied = (base.started, base.ended) == (head.started, head.ended)
        if gap is None or (copied and base.series == head.series):
            continue
        if gap == 0:
            names["while"].append(head.name)
        else:
            names["after" if gap > 0 else "before"].append(f"{head.name} {_duration(abs(gap))}")
    for when in ("after", "before"):
        if names[when]:
            text = f"recorded {when} {base.name}: {', '.join(names[when])}"
            yield Confound("date", text, "note")
    if names["while"]:
        yield Confound(
            "overlap",
            f"recorded at the same time as {base.name}: {', '.join(names['while'])}; the runs may "
            "have disturbed each other",
        )


def _drift(reruns: Sequence[Recording], drifts: Sequence[float]) -> Confound:
    begin = f"the runs were not interleaved, so {DRIFT}: the intervals allow for "
    if reruns:
        few = "; more reruns would narrow the intervals" if len(reruns) < 5 else ""
        text = f"{begin}the drift that {len(reruns)} reruns of one build show{few}"
        return Confound("session-drift", text, "note")
    allowed = " and ".join(dict.fromkeys(f"{drift * 100:.2g} %" for drift in drifts if drift))
    by = f" (standard deviation {allowed} per benchmark)" if allowed else ""
    return Confound(
        "session-drift",
        f"{begin}the usual drift between runs of one build{by}, not for changes between these; "
        "give reruns of one build as --noise to measure it",
    )


def _gap(base: Recording, head: Recording) -> float | None:
    """Seconds from the end of one to the start of the other; negative when the head was first,
    0 when they overlap, None when either has no dates."""
    if base.started is None or base.ended is None or head.started is None or head.ended is None:
        return None
    if head.started == head.ended == base.started == base.ended:
        return None  # one date for each file, that of the campaign that both belong to
    if head.started > base.ended:
        return head.started - base.ended
    return head.ended - base.started if base.started > head.ended else 0.0


def _duration(seconds: float) -> str:
    if seconds < 2 * _HOUR:
        return f"{seconds / 60:.0f} min" if seconds >= 2 * 60 else f"{seconds:.0f} s"
    return f"{seconds / _HOUR:.0f} h" if seconds < 2 * _DAY else f"{seconds / _DAY:.0f} days"


def metadata_confounds(recordings: Sequence[Recording]) -> tuple[Confound, ...]:
    """Every difference between the files' metadata, warnings first. The first file is the base."""
    facts = facts_in_one_form(recordings)
    order = [*MACHINE, *SUBJECT]
    keys = sorted(facts, key=lambda key: order.index(key) if key in order else len(order))
    confounds = [
        c for key in keys if key not in _PLACE for c in _difference(key, facts[key], recordings)
    ]
    confounds += [*_load(recordings), *_identical(recordings), *_unnamed(recordings, facts)]
    return warnings_first(confounds)


def noise_confounds(base: Recording, reruns: Sequence[Recording]) -> Iterator[Confound]:
    """Whether the reruns that calibrate the noise are of the same machine as the base."""
    for key, label in MACHINE.items():
        value = base.metadata.get(key)
        others = {_text(r.metadata[key]) for r in reruns if key in r.metadata}
        if value is not None and others and _text(value) not in others and key != "boot_time":
            yield Confound(
                "noise-machine",
                f"the --noise runs have another {label} ({'; '.join(sorted(others))}) than "
                f"{base.name} ({_text(value)}): their noise may differ from its noise",
            )


def _difference(
    key: str, texts: Mapping[str, str], recordings: Sequence[Recording]
) -> Iterator[Confound]:
    label, groups = fact_label(key), grouped(texts)
    names = tuple(r.name for r in recordings)
    if len(groups) > 1:
        severity: Literal["warning", "note"] = "warning" if key in MACHINE else "note"
        yield Confound(key, f"different {label}: {_differing_sides(groups)}", severity, names)
    elif len(texts) < len(recordings) and (key in MACHINE or key in SUBJECT):
        lacking = ", ".join(name for name in names if name not in texts)
        text = f"{label} is recorded for {', '.join(texts)}, not for {lacking}: it may differ"
        yield Confound(key, text, "note", names)


def _differing_sides(groups: Mapping[str, Sequence[str]]) -> str:
    """Each value with the files that have it; of long ones only the words that tell them apart."""
    if all(len(text) <= _LONG for text in groups):
        return sides(groups)
    words = [set(text.split(" ")) for text in groups]
    shared = set.intersection(*words)
    if set.union(*words) == shared:
        return "the same words, in another order or repeated"
    parts = []
    for text, names in groups.items():
        different = " ".join(word for word in text.split(" ") if word not in shared)
        value = f"… {different}" if different else "only what all have"
        parts.append(sides({value: names}))
    return "; ".join(parts)


def _text(value: MetadataValue, forms: Mapping[str, str] | None = None) -> str:
    """The fact in words, each text in the form that equal ones share."""
    if isinstance(value, float):
        return f"{value:.6g}"
    texts = value if isinstance(value, tuple) else (value,)
    return " and ".join(sorted({(forms or {}).get(text, text) for text in texts}))


def _load(recordings: Sequence[Recording]) -> Iterator[Confound]:
    busy = []
    for r in recordings:
        load, cpus = r.metadata.get("load_avg_1min"), _number(r.metadata.get("cpu_count", ""))
        if isinstance(load, float) and cpus and (load - 1) / cpus > BUSY:  # 1 is the benchmark's
            busy.append(f"{r.name} {load:.1f} on {cpus:.0f} CPUs")
    if busy:
        text = f"the machine was busy with other work: load {'; '.join(busy)}"
        yield Confound("load", f"{text}; times may be inflated")


def _number(value: MetadataValue) -> float | None:
    try:
        return None if isinstance(value, tuple) else float(value)
    except ValueError:
        return None


def _identical(recordings: Sequence[Recording]) -> Iterator[Confound]:
    for other, first in ((b, a) for i, a in enumerate(recordings) for b in recordings[:i]):
        if first.series and first.series == other.series:
            yield Confound(
                "same-values",
                f"{other.name} and {first.name} hold the same values: one is a copy",
                "warning",
                (other.name, first.name),
            )


def _unnamed(
    recordings: Sequence[Recording], facts: Mapping[str, Mapping[str, str]]
) -> Iterator[Confound]:
    missing = [
        f"no {name}"
        for name, keys in _NAMES.items()
        if not any(key in r.metadata for key in keys for r in recordings)
    ]
    if missing and any(r.tool != "values" for r in recordings):  # of whyfast.judge: no files
        yield Confound("unnamed", f"the files name {', '.join(missing)}", "note")
    base, *subjects = (
        {key: facts[key][r.name] for key in SUBJECT if r.name in facts.get(key, {})}
        for r in recordings
    )
    alike = [r.name for r, subject in zip(recordings[1:], subjects, strict=True) if subject == base]
    if alike and "no compiler" not in missing:
        differs = any(len(set(facts.get(key, {}).values())) > 1 for key in MACHINE)
        what = "of the subject" if differs else "in the metadata"
        yield Confound(
            "alike",
            f"nothing {what} distinguishes {', '.join(alike)} from {recordings[0].name} but the "
            "file name: the change is not on record",
            "note",
        )


def facts_in_one_form(recordings: Sequence[Recording]) -> dict[str, dict[str, str]]:
    """For each fact but loads, its text in each recording (by name), equal facts in equal words."""
    facts: dict[str, dict[str, str]] = {}
    for key in dict.fromkeys(key for r in recordings for key in r.metadata):
        if not key.startswith("load_avg"):
            known = {r.name: r.metadata[key] for r in recordings if key in r.metadata}
            texts = [v if isinstance(v, tuple) else (v,) for v in known.values()]
            forms = one_form(key, [t for some in texts for t in some if isinstance(t, str)])
            facts[key] = {name: _text(value, forms) for name, value in known.items()}
    return facts


def fact_label(key: str) -> str:
    """The name of a fact in sentences."""
    return MACHINE.get(key) or SUBJECT.get(key) or key


# Benchmarks that are outliers in several files, and what only those files share: a benchmark at
# 0.40x in every file of one fork of the source, with and without the change under test, says
# something about the fork and nothing about the change.

#: A verdict with a ratio beyond this, either way, stands apart.
APART = 1.2

#: Benchmarks that a sentence names.
_NAMED = 4
_TOKEN = re.compile(r"[A-Za-z0-9]+")


def shared_outliers(
    recordings: Sequence[Recording], verdicts: Sequence[Verdict]
) -> Iterator[Confound]:
    """For two heads or more that stand apart on the same benchmarks, and not all of them: what the
    files say that these have and no other has. ``recordings[0]`` is the base of all verdicts."""
    apart: defaultdict[tuple[str, bool], list[Verdict]] = defaultdict(list)
    judged: defaultdict[str, set[str]] = defaultdict(set)
    for v in verdicts:
        if v.benchmark is None or v.baseline != recordings[0].name:
            continue
        judged[v.benchmark].add(v.variant)
        if v.outcome in ("faster", "slower") and abs(math.log(v.ratio)) > math.log(APART):
            apart[v.benchmark, v.ratio > 1].append(v)
    groups: defaultdict[tuple[tuple[str, ...], bool], dict[str, list[Verdict]]] = defaultdict(dict)
    for (benchmark, slower), outlying in apart.items():
        heads = tuple(v.variant for v in outlying)
        if 1 < len(heads) < len(judged[benchmark]):
            groups[heads, slower][benchmark] = outlying
    for (heads, slower), by_benchmark in groups.items():
        shared = _shared(recordings, heads)
        if not shared:
            continue
        named = ", ".join([*by_benchmark][:_NAMED])
        if len(by_benchmark) > _NAMED:
            named += f" and {len(by_benchmark) - _NAMED} more"
        factors = [max(v.ratio, 1 / v.ratio) for some in by_benchmark.values() for v in some]
        how = "slower" if slower else "faster"
        text = (
            f"{', '.join(heads)} are {min(factors):.2f}x to {max(factors):.2f}x {how} on {named}, "
            f"and no other file is: this goes with what these alone share ({'; '.join(shared)}), "
            "not with what differs between them"
        )
        yield Confound("shared-outliers", text, "note", heads)


def _shared(recordings: Sequence[Recording], heads: tuple[str, ...]) -> list[str]:
    """Facts, and parts of names, that those heads have alike and no other file has."""
    facts = []
    for key, values in facts_in_one_form(recordings).items():
        values_here = {values.get(name) for name in heads}
        others = {value for name, value in values.items() if name not in heads}
        if len(values_here) == 1 and None not in values_here and not values_here & others:
            facts.append(f"{fact_label(key)} {next(iter(values_here))}")
    if facts:
        return facts[:3]
    tokens = {r.name: set(_TOKEN.findall(r.name)) for r in recordings}
    tokens_here = set.intersection(*(tokens[name] for name in heads))
    tokens_elsewhere = set().union(*(t for name, t in tokens.items() if name not in heads))
    return [f"“{token}” in their names" for token in sorted(tokens_here - tokens_elsewhere)][:3]
