"""How each program dispatches: indirect jumps, what handlers save, traces of compiler options."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import product

from whyfast.model.evidence import DispatchFacts, Evidence, FunctionFacts, OptionTrace
from whyfast.model.result import Judged, Result
from whyfast.model.variant import Aspect, Difference, Variant, differences
from whyfast.model.verdict import Verdict
from whyfast.report import document as doc
from whyfast.report import formatting as fmt
from whyfast.report.sections.main_table import verdict_cell
from whyfast.report.sections.programs import without_lost


def jump_table(result: Result) -> doc.Table | None:
    """The indirect jumps of every program that was looked at, measured or not, beside its time;
    None when none was looked at for its dispatch."""
    facts = {e.variant: e.dispatch for e in result.found.evidence if e.dispatch is not None}
    every = result.question.variants
    order = {v.name: i for i, v in enumerate(every)}
    versions = {t.name: t.version for t in result.recorded.toolchains if t.version}
    compilers = {v.name: versions[v.toolchain] for v in every if v.toolchain in versions}
    baselines = without_lost(result).question.baselines
    main = baselines[0] if baselines and result.judged.pairs else None
    # The symptom, and whether it is known of this version of the compiler.
    troubled = {
        t.variant: doc.Cell(t.symptom, "known" if t.listed else "unknown in this version")
        for t in result.found.troubles
    }

    def time(name: str) -> doc.Cell:
        """The verdict without its interval, which stands in the first table."""
        if name == main:
            return doc.Cell("baseline")
        verdict = result.judged.overall(name, main or "")
        return replace(verdict_cell(verdict), detail="") if verdict else doc.Cell("not measured")

    rows = [
        (
            *(name, jumps_cell(facts[name]), kind_cell(facts[name]), compilers.get(name)),
            *(troubled.get(name, doc.Cell("none seen")), time(name)),
        )
        for name in sorted(facts, key=lambda name: order.get(name, len(order)))
    ]
    columns = (
        *("variant", *doc.right("indirect jumps"), "dispatch"),
        *("compiler" if compilers else None, "trouble" if troubled else None),
        f"time against {main}" if main else None,
    )
    return doc.table("Indirect jumps of the dispatch", columns, rows)


def jumps_cell(facts: DispatchFacts) -> doc.Cell | None:
    """The number of indirect jumps, where the dispatch could be read."""
    if facts.form in ("none", "unknown"):
        return None
    return doc.Cell(str(facts.indirect_jumps), number=facts.indirect_jumps)


def kind_cell(facts: DispatchFacts) -> doc.Cell:
    """Replicated, merged, or tail calls with the number of functions."""
    if facts.style != "tail-call" or facts.form in ("none", "unknown"):
        return doc.Cell("no dispatch" if facts.form == "none" else facts.form)
    merged = "" if facts.form == "replicated" else f", {facts.form}"
    return doc.Cell("tail calls", f"over {fmt.pluralize(facts.functions, 'function')}{merged}")


def dispatch_table(result: Result) -> doc.Table | None:
    """The functions behind the table of indirect jumps; None without any."""
    rows = [
        (
            *(e.variant, "unknown" if facts.targets is None else facts.targets),
            *(
                facts.functions,
                doc.number_cell(facts.instructions),
                doc.number_cell(facts.size, " B"),
            ),
            facts.reason,
        )
        for e in result.found.evidence
        if (facts := e.dispatch) is not None
    ]
    numbers = doc.right("targets", "functions", "instructions", "size")
    return doc.table("The dispatching functions", ("variant", *numbers, "reason"), rows)


def entry_table(result: Result) -> doc.Table | None:
    """A row for each build whose handlers are known; None without any."""
    rows = []
    for e in result.found.evidence:
        if (facts := e.entry) is not None:
            tail = e.dispatch is not None and e.dispatch.style == "tail-call"
            counts = (facts.handlers, facts.saving, facts.pushes, facts.spills)
            median = f"{facts.pushes_median:g} + {facts.spills_median:g}"
            rows.append((e.variant, "functions" if tail else "parts of a loop", *counts, median))
    numbers = doc.right("handlers", "saving", "pushes", "spills", "in the median handler")
    caption = "Registers that handlers save before their first branch or call"
    return doc.table(caption, ("variant", "handlers are", *numbers), rows)


def option_table(result: Result) -> doc.Table | None:
    """Options as rows, builds as columns; None when no build shows a trace of any."""
    builds = {
        e.variant: {t.option: t for t in e.options}
        for e in result.found.evidence
        if e.options is not None
    }
    names = dict.fromkeys(option for traces in builds.values() for option in traces)

    def cell(trace: OptionTrace | None) -> doc.Cell | None:
        if trace is None:
            return None
        seen = f"{trace.handlers} of {trace.of}" if trace.handlers else "not in the code"
        return doc.Cell(seen, trace.recorded)

    rows = [(name, *(cell(traces.get(name)) for traces in builds.values())) for name in names]
    caption = (
        "Compiler options with a trace in the dispatching functions, or in the compiler's record"
    )
    return doc.table(caption, ("option", *builds), rows)


# Dispatch as an explanation of a difference, worded as strongly as the variants allow.

_MERGED = ("merged", "partly merged")


@dataclass(frozen=True)
class Witness:
    """A variant that shows the cause: it differs from ``slow`` in compiler flags only, has
    replicated dispatch and is fast again. ``regained`` is the share of the loss that it wins
    back, as a ratio of logarithms. ``against`` is another with replicated dispatch that wins back
    next to nothing, and its jumps: then the flags are the cause, and not what they do to it."""

    name: str
    slow: str
    added: tuple[str, ...]
    removed: tuple[str, ...]
    jumps: int
    gain: str
    regained: float
    against: tuple[str, int] | None = None


def dispatch_of(evidence: Mapping[str, Evidence], name: str) -> DispatchFacts | None:
    """The dispatch of that variant's build, if its form is known."""
    facts = evidence[name].dispatch if name in evidence else None
    return None if facts is None or facts.form in ("none", "unknown") else facts


def dispatch_contrast(verdict: Verdict, evidence: Mapping[str, Evidence]) -> str | None:
    """ "its dispatch is merged (6 indirect jumps where b has 168)", if the two forms differ."""
    mine, other = (dispatch_of(evidence, n) for n in (verdict.variant, verdict.baseline))
    if mine is None or other is None or mine.form == other.form:
        return None
    return (
        f"its dispatch is {mine.form} ({fmt.pluralize(mine.indirect_jumps, 'indirect jump')} where "
        f"{fmt.quote(verdict.baseline)} has {other.indirect_jumps})"
    )


def runs_against(verdict: Verdict, evidence: Mapping[str, Evidence]) -> bool:
    """Whether the side with merged dispatch is the faster one, so that it explains nothing."""
    slow = verdict.variant if verdict.outcome == "slower" else verdict.baseline
    facts = dispatch_of(evidence, slow)
    return facts is None or facts.form not in _MERGED


def merged_from(result: Result) -> Iterator[str]:
    """A sentence for each variant that keeps half of the main baseline's indirect jumps, or fewer,
    from some value of a parameter on: in functions whose names end in these values."""
    parameters = [b.parameter for b in result.question.benchmarks if b.parameter]
    names = {p.value: p.name for p in parameters if not p.linear}
    facts: dict[str, dict[int, FunctionFacts]] = {}
    for e in result.found.evidence:
        ends = ((re.search(r"\d+$", f.name), f) for f in e.functions)
        facts[e.variant] = {int(m[0]): f for m, f in ends if m and int(m[0]) in names}
    for base in result.question.baselines[:1]:
        for variant, jumps in facts.items():
            pairs = [(n, jumps[n], facts.get(base, {}).get(n)) for n in sorted(jumps)]
            known = [(n, a, b) for n, a, b in pairs if b is not None and b.indirect_jumps > 1]
            lost = [2 * a.indirect_jumps <= b.indirect_jumps for _, a, b in known]
            first = lost.index(True) if True in lost else 0
            if not first or not all(lost[first:]):
                continue
            at, few, many = known[first]
            yield (
                f"From {fmt.pluralize(at, names[at])} on, {fmt.quote(variant)} has merged the "
                f"dispatch: {fmt.pluralize(few.indirect_jumps, 'indirect jump')} in `{few.name}` "
                f"where {fmt.quote(base)} has {many.indirect_jumps}; up to {known[first - 1][0]} "
                "it has not."
            )


#: The share of a loss that a variant wins back at least to show its cause.
_SOME = 1 / 3


def find_witness(verdict: Verdict, result: Result) -> Witness | None:
    """The variant that wins back most of what the slow side of ``verdict`` has lost, by flags."""
    evidence = {e.variant: e for e in result.found.evidence}
    if verdict.outcome not in ("faster", "slower") or runs_against(verdict, evidence):
        return None
    pair = (verdict.variant, verdict.baseline)
    name, fast = pair if verdict.outcome == "slower" else pair[::-1]
    slow = next((v for v in result.question.variants if v.name == name), None)
    slow_facts, lost = dispatch_of(evidence, name), abs(math.log(verdict.ratio))
    if slow is None or slow_facts is None:
        return None
    witnesses, against = list[Witness](), None
    for other in result.question.variants:
        flags, facts = _flag_difference(other, slow), dispatch_of(evidence, other.name)
        if flags is None or facts is None:
            continue
        if (facts.style, facts.form) != (slow_facts.style, "replicated"):
            continue
        gain = _gain(other.name, name, fast, result.judged)
        jumps, direct = facts.indirect_jumps, result.judged.overall(other.name, name)
        if gain is not None and gain[1] / lost >= _SOME:
            witnesses.append(Witness(other.name, name, *flags, jumps, gain[0], gain[1] / lost))
        elif direct is not None and direct.low > 0 and -math.log(direct.low) / lost < _SOME:
            against = other.name, jumps
    found = max(witnesses, key=lambda w: w.regained, default=None)
    return replace(found, against=against) if found else None


def witness_sentence(witness: Witness) -> str:
    """What the witness shows, in one sentence."""
    flags = (("with", witness.added), ("without", witness.removed))
    how = " and ".join(f"{word} `{' '.join(words)}`" for word, words in flags if words)
    cost = "the cause" if witness.regained >= 2 / 3 else "part of the cause"
    verdict = f"merged dispatch is {cost}"
    if witness.against:
        name, jumps = witness.against
        verdict = (
            f"its dispatch is not the cause, as {fmt.quote(name)} has "
            f"{fmt.pluralize(jumps, 'indirect jump')} without such a gain"
        )
    return (
        f"The same source {how} ({fmt.quote(witness.name)}) keeps "
        f"{fmt.pluralize(witness.jumps, 'indirect jump')} and is {witness.gain} than "
        f"{fmt.quote(witness.slow)}: {verdict}."
    )


#: The most pairs that say what replicating the jumps costs.
_PAIRS = 2


def replication_sentences(result: Result) -> list[str]:
    """What it costs to replicate the jumps of a loop, in bytes and where builds were repeated in
    time, for variants that differ in compiler flags alone: those of the source only where no other
    flags did it."""
    evidence = {e.variant: e for e in result.found.evidence}
    seconds = {c.variant: c.value for c in result.found.costs if c.key == "build-time" and c.value}
    pairs: list[tuple[bool, int, str]] = []
    for merged, other in product(result.question.variants, repeat=2):
        before, after = dispatch_of(evidence, merged.name), dispatch_of(evidence, other.name)
        aspects = _flags_apart(merged, other)
        if (
            before is None
            or after is None
            or merged.control_of
            or other.control_of
            or before.size in (0, after.size)
            or before.form not in _MERGED
            or after.form != "replicated"
            or {before.style, after.style} != {"loop"}
            or not aspects
        ):
            continue
        text = (
            f"The dispatch is replicated in {fmt.quote(other.name)} and {before.form} in "
            f"{fmt.quote(merged.name)}: its functions take {fmt.size(after.size)} instead of "
            f"{fmt.size(before.size)} ({after.size / before.size:.2f}x)"
        )
        if merged.name in seconds and other.name in seconds:
            sides = (fmt.seconds(seconds[name]) for name in (other.name, merged.name))
            text += ", and the build {} instead of {}".format(*sides)
        source = any(d.changes_source for d in aspects.values())
        pairs.append((source, before.size - after.size, f"{text}."))
    pure = [p for p in pairs if not p[0]] or pairs
    return [text for _, _, text in sorted(pure)[:_PAIRS]]


def _gain(name: str, slow: str, fast: str, judged: Judged) -> tuple[str, float] | None:
    """By how much ``name`` is certainly faster than ``slow``: in words, and as a logarithm."""
    direct = judged.overall(name, slow)
    if direct is not None:
        if direct.outcome != "faster":
            return None
        return fmt.text_of(direct).factor, -math.log(direct.ratio)
    to_fast, slow_to_fast = judged.overall(name, fast), judged.overall(slow, fast)
    if to_fast is None or slow_to_fast is None or to_fast.high >= slow_to_fast.low:
        return None
    # Not judged against each other, but apart beyond both intervals.
    ratio = to_fast.ratio / slow_to_fast.ratio
    return f"about {fmt.ratio_text(ratio, 0.0, math.inf).factor}", -math.log(ratio)


def _flags_apart(a: Variant, b: Variant) -> Mapping[Aspect, Difference]:
    """The flags that set two variants apart; nothing where anything else differs too."""
    aspects = {d.aspect: d for d in differences(a, b)}
    return {} if aspects.keys() - {"cflags", "ldflags"} else aspects


def _flag_difference(
    other: Variant, slow: Variant
) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
    """Compiler flags that ``other`` adds and leaves out; None if anything else differs too."""
    aspects = _flags_apart(slow, other)
    # The linker repeats the flag when it generates the code; saying it once is enough.
    flags = aspects.get("cflags") or aspects.get("ldflags")
    source = any(d.changes_source for d in aspects.values())
    return None if source or not flags or not flags.words else (flags.added, flags.removed)
