"""Compiler options that fall on one side."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.golden_files import Hear
from tests.unit.judge.example_study import plain_study

from whyfast.judge.option_confounds import option_confounds, switched_on
from whyfast.model.build import Build
from whyfast.model.evidence import DispatchFacts, Evidence, OptionTrace
from whyfast.model.study import Study
from whyfast.model.variant import Variant
from whyfast.model.verdict import Confound

ZERO = "-fzero-call-used-regs"


def _study(**cflags: tuple[str, ...]) -> Study:
    variants = (Variant(name, "path:gcc", flags) for name, flags in cflags.items())
    return plain_study(*variants, baseline="loop")


def _build(variant: str, **inputs: Any) -> Build:
    provenance: Mapping[str, Any] = {"inputs": inputs, "env": inputs.get("env", {})}
    return Build(variant, "d", Path(variant), variant, provenance, False)


def _evidence(variant: str, style: str, *traces: OptionTrace) -> Evidence:
    facts = DispatchFacts(style, "replicated", 200, 228, 228, 9, 9, "")  # type: ignore[arg-type]
    return Evidence(variant, "x86-64", facts, (), options=traces)


def _find(study: Study, builds: list[Build], *evidence: Evidence) -> list[Confound]:
    return list(option_confounds(study, builds, evidence))


def _beside_a_loop(style: str, loop: list[OptionTrace], *traces: OptionTrace) -> list[Confound]:
    """Of a loop and a variant of that style, with what their code shows."""
    return _find(
        _study(loop=(), tail=("-DTAIL",)),
        [_build("loop"), _build("tail")],
        _evidence("loop", "loop", *loop),
        _evidence("tail", style, *traces),
    )


def test_an_option_that_only_the_handlers_have(golden: Hear) -> None:
    trace = OptionTrace(ZERO, 220, 228, "-fzero-call-used-regs=used-gpr")
    (one,) = _beside_a_loop("tail-call", [], trace)
    assert (one.kind, one.severity) == ("compiler-option", "warning")
    assert one.variants == ("tail", "loop")
    golden(one.text)


def test_an_option_that_all_have_falls_harder_on_tail_calls() -> None:
    loop, tail = OptionTrace(ZERO, 1, 1), OptionTrace(ZERO, 220, 228)
    (one,) = _beside_a_loop("tail-call", [loop], tail)
    assert one.text.startswith("`-fzero-call-used-regs` is on in all variants (220 of 228 handlers")


def test_between_loops_alone_an_option_of_all_is_none() -> None:
    loop = OptionTrace(ZERO, 1, 1)
    assert _beside_a_loop("loop", [loop], loop) == []


def test_without_a_trace_in_the_code_it_is_only_noted() -> None:
    trace = OptionTrace(ZERO, 0, 228, "-fzero-call-used-regs=used")
    (one,) = _beside_a_loop("tail-call", [], trace)
    assert one.severity == "note"
    assert "given as `-fzero-call-used-regs=used`, no trace in the dispatching code" in one.text


@pytest.mark.parametrize(
    "inputs",
    [
        {"cflags": ["-O2", "-fno-omit-frame-pointer"]},
        {"cc_flags": ["-fno-omit-frame-pointer"]},
        {"env": {"CFLAGS": "-O2 -fno-omit-frame-pointer"}},
        {"configure": ["CFLAGS=-O2 -fno-omit-frame-pointer"]},
    ],
)
def test_options_are_read_from_the_commands_of_a_build(inputs: dict[str, Any]) -> None:
    study = _study(loop=("-O2",), tail=("-O2", "-DTAIL"))
    (one,) = _find(study, [_build("loop"), _build("tail", **inputs)])
    assert "-fno-omit-frame-pointer` is on in tail" in one.text


def test_an_option_that_is_the_question_is_no_confound() -> None:
    study = _study(loop=("-O2",), framed=("-O2", "-fno-omit-frame-pointer"))
    builds = [
        _build("loop", cflags=["-O2"]),
        _build("framed", cflags=["-O2", "-fno-omit-frame-pointer"]),
    ]
    assert _find(study, builds) == []


CET = "-fcf-protection"
PLAIN = Variant("loop", "path:gcc", ("-O2",))


def _only_question(other: Variant) -> bool:
    """Whether nothing is said of an option that ``other`` has and ``loop`` has not."""
    study = replace(_study(), variants=(PLAIN, other))
    return not _find(study, [_build("loop"), _build(other.name, cflags=[CET])])


@pytest.mark.parametrize(
    ("beside", "alone"),
    [
        ({}, True),
        ({"ldflags": (CET,)}, True),
        ({"cflags": ("-O3", CET)}, False),
        ({"revision": "0123abc", "ldflags": ("-flto",)}, False),
        ({"revision": "0123abc"}, False),
        ({"ldflags": ("-flto",)}, False),
        ({"packages": ("libfoo-dev",)}, False),
        ({"run": ("--fast",)}, False),
        ({"sysctl": {"vm.swappiness": "0"}}, False),
    ],
)
def test_an_option_is_the_question_where_nothing_else_differs(
    beside: dict[str, Any], alone: bool
) -> None:
    marked = replace(PLAIN, name="marked", cflags=("-O2", CET))
    assert _only_question(replace(marked, **beside)) is alone


def test_an_option_that_moves_others_is_not_alone_the_question() -> None:
    both = replace(PLAIN, name="marked", cflags=("-O3", "-O2", CET))
    study = replace(_study(), variants=(replace(PLAIN, cflags=("-O2", "-O3")), both))
    assert len(_find(study, [_build("loop"), _build("marked", cflags=[CET])])) == 1


def test_the_last_word_on_an_option_counts() -> None:
    flags = ["-fstack-protector-strong", "-fcf-protection", "-fno-stack-protector", "-pg", "-O2"]
    assert switched_on(flags) == {"-fcf-protection": "-fcf-protection", "-pg": "-pg"}
    assert switched_on(["-fzero-call-used-regs=skip", "-fcf-protection=none"]) == {}
