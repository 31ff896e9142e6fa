"""The variants as programs: builds, failed expectations, failed runs, what is missing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from whyfast.judge.confounds import identical_programs
from whyfast.model.build import Build, BuildFailure, BuildOutcome
from whyfast.model.evidence import FailedExpectation
from whyfast.model.result import Result
from whyfast.model.sample import RunFailure
from whyfast.model.study import Question
from whyfast.report import document as doc
from whyfast.report import formatting as fmt

#: Hex digits of a digest that tell builds apart.
_SHORT = 12
#: Keys of a provenance that hold the commands to repeat the build by hand, as lines of shell.
_COMMANDS = ("by_hand", "commands", "script")
#: More benchmarks that a variant lacks are not named, and more characters of output not quoted.
_NAMES, _OUTPUT = 3, 400


def lost_baselines(result: Result) -> tuple[list[str], list[str]]:
    """Sentences on baselines that fail their expectations: those that go before all others, as
    the main baseline is among them, and those for their usual place."""
    refuted, baselines = contradictions(result.found.failed_expectations), result.question.baselines
    lost = [f"{fmt.quote(b)} ({refuted[b]})" for b in baselines if b in refuted]
    if not lost:
        return [], []
    left = fmt.quoted(b for b in baselines if b not in refuted)
    verb = "is" if len(lost) == 1 else "are"
    end = f"; the others are compared with {left}."
    if not left:
        end = ": there is no baseline, and so no verdict."
    text = f"Nothing is compared with {' and '.join(lost)}, which {verb} not what the name promises"
    return ([text + end], []) if baselines[0] in refuted else ([], [text + end])


def without_lost(result: Result) -> Result:
    """With the baselines that are what they should be, where any is."""
    refuted = contradictions(result.found.failed_expectations)
    left = tuple(b for b in result.question.baselines if b not in refuted)
    return replace(result, question=replace(result.question, baselines=left)) if left else result


def failed_expectation_sentences(result: Result) -> Iterator[str]:
    """One sentence for each expectation that a program contradicts or that could not be checked."""
    for failed in result.found.failed_expectations:
        name, why = fmt.quote(failed.variant), failed.reason
        expected = f"expected {failed.key} {failed.wanted}"
        if failed.found is None:
            yield f"The expectation of {name} could not be checked: {expected}, but {why}."
        elif failed.variant not in result.question.baselines:
            yield (
                f"{name} does not meet its expectation and is not compared: {expected}, the "
                f"program has {failed.found} ({why})."
            )


def contradiction(failed: FailedExpectation) -> str:
    """ "dispatch merged, not replicated": what the program has instead of what is expected."""
    return f"{failed.key} {failed.found}, not {failed.wanted}"


def contradictions(failed: Sequence[FailedExpectation]) -> dict[str, str]:
    """Those of each variant whose program is not what it should be."""
    return {u.variant: contradiction(u) for u in failed if u.found is not None}


def claim_untested(result: Result) -> list[str]:
    """Why the study's claim is not tested, if one of its sides fails its expectations."""
    if (claim := result.question.claim) is None:
        return []
    sides, failed = (claim.variant, claim.baseline), result.found.failed_expectations
    wrong = [u for u in failed if u.found is not None and u.variant in sides]
    text = " and ".join(f"{fmt.quote(u.variant)} has {contradiction(u)}" for u in wrong)
    variant, baseline = map(fmt.quote, sides)
    return [f"The claim that {variant} beats {baseline} is not tested: {text}."] if wrong else []


def unmeasured_sentences(study: Question, builds: Sequence[BuildOutcome]) -> list[str]:
    """One sentence that names the variants that were read only, where others were measured."""
    built = {b.variant for b in builds if isinstance(b, Build)}
    names = [fmt.quote(v.name) for v in study.variants if v.evidence_only and v.name in built]
    text = f"{fmt.has(names, 'is', 'are')} evidence only: the machine code was read, "
    text += "nothing was measured."
    return [text] if names and study.measured else []


def folded_sentences(same: Mapping[str, str]) -> list[str]:
    """Which variants are one program, and were measured once."""
    return [
        f"{fmt.quoted([kept, *names])} are identical byte for byte; measured once, as "
        f"{fmt.quote(kept)}."
        for kept, names in fmt.grouped((kept, name) for name, kept in same.items()).items()
    ]


def identical_sentences(result: Result) -> list[str]:
    """Programs that are equal byte for byte and are run alike, and were measured each."""
    measured = {v.name for v in result.question.measured} - result.recorded.same.keys()
    builds = [b for b in result.recorded.builds if b.variant in measured]
    return [
        f"{fmt.quoted(names)} are byte-identical: any difference between them is measurement error."
        for names in identical_programs(result.question, builds)
    ]


def not_built(builds: Sequence[BuildOutcome], *, what: str = "built") -> list[str]:
    """Why each variant without a program has none."""
    return [
        fmt.sentence(
            f"{fmt.quote(b.variant)} cannot be {what} here: {b.reason}"
            if b.kind == "not-buildable"
            else f"The build of {fmt.quote(b.variant)} failed: {b.reason}"
            + (f"; its log: whyfast builds log {b.log.parent.name[:_SHORT]}" if b.log else "")
        )
        for b in builds
        if isinstance(b, BuildFailure)
    ]


def failure_text(failure: RunFailure) -> str:
    """One failure on a line: what failed, or what is lacking, and why."""
    if failure.lacks:
        return f"{failure.variant} has no {failure.benchmark}: {failure.reason}"
    return f"{failure.variant} failed on {failure.benchmark}: {reason_and_output(failure)}"


def reason_and_output(failure: RunFailure) -> str:
    """Why, with the last line that the program printed."""
    lines = [
        fmt.escape_controls(line).strip() for line in failure.output.splitlines() if line.strip()
    ]
    if not lines:
        return failure.reason
    last = lines[-1] if len(lines[-1]) <= _OUTPUT else f"{lines[-1][: _OUTPUT - 1]}…"
    return f"{failure.reason}; last output: {last}"


def failed_sentences(failed: Sequence[RunFailure]) -> Iterator[str]:
    """For each reason the variants and benchmarks that failed, and how often."""
    reasons = fmt.grouped((reason_and_output(f), (f.variant, f.benchmark)) for f in failed)
    for reason, pairs in reasons.items():
        variants, benchmarks = (dict.fromkeys(names) for names in zip(*pairs, strict=True))
        on = fmt.quoted(benchmarks) if len(benchmarks) == 1 else f"{len(benchmarks)} benchmarks"
        often = f" ({len(pairs)} times)" if len(pairs) > len(set(pairs)) else ""
        yield fmt.sentence(f"{fmt.quoted(variants)} failed on {on}{often}: {reason}")


def lacking_sentences(lacking: Sequence[RunFailure]) -> list[str]:
    """One sentence for each variant and reason; then the consequence for geometric means."""
    groups = fmt.grouped(((lack.variant, lack.reason), lack.benchmark) for lack in lacking)
    texts = [
        fmt.sentence(f"{fmt.quote(variant)} has no {fmt.quoted(benchmarks, _NAMES)}: {reason}")
        for (variant, reason), benchmarks in groups.items()
    ]
    if texts:
        texts.append("A geometric mean covers the benchmarks that both sides have.")
    return texts


def build_table(result: Result) -> doc.Table | None:
    """What became of each variant; None when nothing was built, as for two commands."""
    toolchains = {v.name: v.toolchain for v in result.question.variants}
    versions = {t.name: t.version for t in result.recorded.toolchains}
    rows: list[doc.Row] = []
    for build in result.recorded.builds:
        toolchain = toolchains.get(build.variant, "")
        start = (build.variant, doc.Cell(toolchain, versions.get(toolchain, "")))
        if isinstance(build, Build):
            state = "reused" if build.reused else "built"
            rows.append((*start, state, build.digest[:_SHORT], build.program_sha256[:_SHORT]))
        else:
            state = "not buildable" if build.kind == "not-buildable" else "failed"
            rows.append((*start, doc.Cell(state, build.reason), None, None))
    columns = ("variant", "toolchain", "state", "inputs", "program")
    return doc.table("Builds, with the digests of inputs and program", columns, rows)


def provenance_section(result: Result) -> doc.ReportSection | None:
    """How to repeat each build, and why one failed."""
    groups: list[doc.Block | None] = []
    for build in result.recorded.builds:
        if isinstance(build, Build):
            groups.append(doc.group(f"How {build.variant} was built", *_provenance(build)))
        elif build.log_tail:
            groups.append(
                doc.group(f"Why {build.variant} failed", doc.CodeBlock(tuple(build.log_tail)))
            )
    return doc.section("provenance", "How they were built", *groups, importance="record")


def _provenance(build: Build) -> Iterator[doc.Block | None]:
    if lines := _commands(build.provenance):
        # The commands alone do not repeat it: source, headers and environment belong to them.
        yield doc.sentences(
            [
                f"`whyfast builds show {build.digest[:_SHORT]} --script` prints a script that "
                "makes the same program in an empty folder, on the machine that built it and while "
                "it keeps the build. These commands ran in a folder with a copy of the source:"
            ]
        )
        yield doc.CodeBlock(tuple(lines), "sh")
    yield doc.sentences(["Inputs of the build:"])
    inputs = {k: v for k, v in build.provenance.items() if k not in _COMMANDS}
    digests = {"digest of all inputs": build.digest, "sha256 of the program": build.program_sha256}
    yield doc.FactTree({**digests, **inputs})


def _commands(provenance: Mapping[str, Any]) -> list[str]:
    for key in _COMMANDS:
        commands = provenance.get(key)
        if isinstance(commands, str):
            return commands.splitlines()
        if isinstance(commands, (list, tuple)):
            return [x if isinstance(x, str) else " ".join(map(str, x)) for x in commands]
    return []
