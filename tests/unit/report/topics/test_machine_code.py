"""What the machine code says, in words."""

from __future__ import annotations

from dataclasses import replace

from tests.unit.report.example import SUITES, sample_evidence, sample_result, sample_study
from tests.unit.report.parts import answer_from, changed

from whyfast.model.codec import decode, encode
from whyfast.model.evidence import CalleeCounts, EntryFacts, Evidence, OptionTrace, Unmet
from whyfast.model.trouble import Trouble
from whyfast.report.answer import Answer
from whyfast.report.document import CodeBlock
from whyfast.report.topics.machine_code import (
    calls_sentences,
    evidence_tables,
    trouble_code,
    trouble_sentences,
)

TROUBLE = Trouble(
    "clang19-goto",
    "clang 19.1.7",
    "merged computed gotos",
    "6 indirect jumps for 172 handlers where clang18-goto (the same source by clang 18.1.8) has "
    "168",
    name="llvm-tail-duplication-limit",
    title="a limit leaves computed gotos merged",
    listed=True,
    flags=("-mllvm", "-tail-dup-pred-size=5000"),
    sources=("https://example.org/1",),
    toml=("[variant.x]", 'extends = "clang19-goto"'),
)
KNOWN = (
    "clang19-goto has the symptom of a known trouble of clang 19.1.7: a limit leaves computed "
    "gotos merged (https://example.org/1). What its code shows: 6 indirect jumps for 172 handlers "
    "where clang18-goto (the same source by clang 18.1.8) has 168. "
)


def _said(trouble: Trouble) -> str:
    return trouble_sentences([trouble], ["clang19-goto"])[0]


def test_a_known_trouble_and_the_ways_out() -> None:
    assert _said(TROUBLE) == (
        KNOWN + "`-mllvm -tail-dup-pred-size=5000` may work around it: add the variant below to "
        "the study and run it again."
    )
    assert _said(replace(TROUBLE, toml=(), cured=("good",))) == (
        KNOWN + "good, the same with `-mllvm -tail-dup-pred-size=5000`, does not show it."
    )
    assert _said(replace(TROUBLE, toml=(), untried=("good",))) == (
        KNOWN + "The study has the same with `-mllvm -tail-dup-pred-size=5000`: run it with "
        "`--only good`."
    )


def test_versions_that_are_not_known_for_it() -> None:
    assert _said(replace(TROUBLE, listed=False, toml=(), flags=())).startswith(
        "clang19-goto has the symptom of a trouble that is known of other versions than its "
        "clang 19.1.7: a limit"
    )
    bare = Trouble("x", "tcc 0.9", "merged computed gotos", "1 indirect jump for 9 handlers")
    assert _said(bare) == (
        "x (tcc 0.9) shows merged computed gotos: 1 indirect jump for 9 handlers. whyfast knows "
        "of no trouble of this compiler with that symptom."
    )


def test_the_others_are_cleared() -> None:
    sentences = trouble_sentences([TROUBLE], ["clang19-goto", "a", "b", "c"])
    assert sentences[1:] == ("The machine code of the 3 other variants shows no such symptom.",)


def test_lines_for_the_study() -> None:
    assert trouble_code([TROUBLE, TROUBLE]) == CodeBlock((*TROUBLE.toml, "", *TROUBLE.toml), "toml")
    assert trouble_code([]) is None


def test_calls_that_one_build_makes_often() -> None:
    counts = {"gcc": 22, "old": 0, "new": 0}
    rows = [
        CalleeCounts("dispatch", "close", True, counts),
        CalleeCounts("dispatch", "rare", True, {"gcc": 2, "old": 0}),
        CalleeCounts("dispatch", "global", False, counts),
    ]
    assert calls_sentences(rows) == (
        "gcc (22) calls close from the dispatching code, where old and new have it inlined or do "
        "without.",
    )


def _answer(unmet: list[Unmet], baselines: tuple[str, ...] = ()) -> Answer:
    study = sample_study()
    lost = {u.variant for u in unmet if u.found}
    return answer_from(
        replace(study, baselines=baselines or study.baselines),
        verdicts=(),
        suites=[s for s in SUITES if not {s.verdict.variant, s.verdict.baseline} & lost],
        evidence=sample_evidence(),
        unmet=unmet,
    )


def test_a_claim_whose_side_is_not_what_it_should_be() -> None:
    said = _answer([Unmet("clang19-tail", "dispatch", "tail-call", "loop", "168 jumps")])
    assert said.headline == (
        "The claim that clang19-tail beats clang19-goto is not tested: clang19-tail has dispatch "
        "loop, not tail-call."
    )
    assert (
        "clang19-tail is not what it should be and is not compared: tail-call dispatch is "
        "expected, its program has loop (168 jumps)."
    ) in said.sentences
    assert not any("clang19-tail is 1." in s for s in (said.headline, *said.sentences))


def test_a_main_baseline_that_is_not_what_it_should_be() -> None:
    wrong = Unmet("clang18-goto", "dispatch", "merged", "replicated", "168 jumps")
    said = _answer([wrong])
    assert said.headline == (
        "Nothing is compared with clang18-goto (dispatch replicated, not merged), which is not "
        "what the name says; what is left is compared with clang19-goto."
    )
    assert any(s.startswith("clang19-goto-taildup is 2.1") for s in said.sentences)
    assert _answer([wrong], ("clang18-goto",)).headline.endswith(
        "there is no baseline, and so no verdict."
    )


def test_an_expectation_that_could_not_be_checked() -> None:
    said = _answer([Unmet("clang19-tail", "dispatch", "tail-call", None, "no such function")])
    assert (
        "Whether clang19-tail is what it should be could not be checked: tail-call dispatch is "
        "expected, but no such function."
    ) in said.sentences
    assert said.headline.startswith("clang19-tail is 2.1")


def test_facts_of_older_results_are_unknown() -> None:
    (first, *_) = sample_evidence()
    old = {k: v for k, v in encode(first).items() if k not in ("entry", "options", "compiler")}
    assert decode(Evidence, old) == first
    assert (first.entry, first.options, first.compiler) == (None, None, "")


def test_tables_of_handlers_options_and_calls() -> None:
    base = sample_result()
    (first, second, *_) = base.found.evidence
    entry = EntryFacts(228, 184, 184, 1.0, 82, 0.0)
    trace = OptionTrace("-pg", 220, 228)
    found = changed(
        base,
        evidence=(
            replace(first, entry=entry, options=(trace,)),
            replace(second, options=()),
        ),
        calls=(CalleeCounts("dispatch", "close", True, {"a": 22, "b": 0}),),
    )
    tables = {t.caption: t for t in evidence_tables(found)}
    (handlers,) = [t for c, t in tables.items() if c.startswith("What handlers save")]
    assert [c.text for c in handlers.rows[0]] == [
        "clang18-goto",
        "parts of a loop",
        "228",
        "184",
        "184",
        "82",
        "1 + 0",
    ]
    (options,) = [t for c, t in tables.items() if c.startswith("Compiler options")]
    assert [c.text for c in options.rows[0]] == ["-pg", "220 of 228", "–"]
    (calls,) = [t for c, t in tables.items() if c.startswith("Calls that one build")]
    assert [c.text for c in calls.rows[0]] == ["dispatching code", "close", "22", "0"]


def test_how_far_a_workaround_reaches() -> None:
    degrees = {
        "good": "14 indirect jumps for 83 handlers",
        "bad": "1 indirect jump for 83 handlers",
    }
    tried = replace(TROUBLE, toml=(), degrees=degrees)
    assert _said(replace(tried, cured=("good",))) == (
        KNOWN + "good (14 indirect jumps for 83 handlers), the same with "
        "`-mllvm -tail-dup-pred-size=5000`, does not show it."
    )
    assert _said(replace(tried, uncured=("bad",))) == (
        KNOWN + "`-mllvm -tail-dup-pred-size=5000` is said to work around it, but bad (1 indirect "
        "jump for 83 handlers) has it."
    )
