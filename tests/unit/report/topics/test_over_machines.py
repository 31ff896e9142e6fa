from __future__ import annotations

from dataclasses import replace

from tests.unit.fleet.machines import measured, study

from whyfast.fleet.joining import OneResult
from whyfast.fleet.merging import merge_results
from whyfast.model.merged import Machine, MachineDifference, MachineResult, Merged, Pooled
from whyfast.model.question import Claim
from whyfast.model.result import Judged, Recorded, Result
from whyfast.model.verdict import Verdict, Word
from whyfast.report.topics.machines import overall_table
from whyfast.report.topics.over_machines import cpu_text, machine_sentences, pooled_sentence

ASKED = study()


def verdict(word: Word, ratio: float, low: float, high: float, blocks: int = 30) -> Verdict:
    return Verdict("slow", "base", "fib", word, ratio, low, high, 0.99, 9.0, blocks)


SAME = verdict("same", 1.0, 0.998, 1.002)
SLOWER = verdict("slower", 1.1, 1.08, 1.12)
FASTER = verdict("faster", 1 / 1.2, 1 / 1.22, 1 / 1.18)
UNDECIDED = verdict("undecided", 1.02, 0.97, 1.07)


def merged(
    verdicts: dict[str, Verdict],
    difference: MachineDifference | None = None,
    cpus: dict[str, str] | None = None,
) -> Merged:
    machines = tuple(
        MachineResult(
            Machine(name, {"cpu_model": cpus[name]} if cpus else {}),
            (f"{name}.json",),
            Result(ASKED, Recorded(name, 0.0), Judged("binaries", (v,))),
        )
        for name, v in verdicts.items()
    )
    return Merged(ASKED, machines, (difference,) if difference else ())


def difference(
    *groups: tuple[str, ...], ratio: float = 1.1, between: tuple[str, ...] = ()
) -> MachineDifference:
    ends = ratio - 0.02, ratio + 0.02
    return MachineDifference("slow", "base", "fib", groups, between, ratio, *ends, 0.99)


def test_alike_on_all() -> None:
    more = verdict("slower", 1.13, 1.10, 1.16)
    assert machine_sentences(merged({"kite": SLOWER, "wren": more})) == [
        "slow is slower than base on both machines, 1.10x to 1.13x."
    ]
    assert machine_sentences(merged({"a": SAME, "b": SAME, "c": SAME})) == [
        "slow is the same as base within 1 % on all 3 machines."
    ]


def test_alike_but_not_by_as_much() -> None:
    more = verdict("slower", 1.3, 1.27, 1.33)
    told = difference(("kite",), ("wren",), ratio=1.18)
    assert machine_sentences(merged({"kite": SLOWER, "wren": more}, told)) == [
        "slow is slower than base on both machines, from 1.10x (kite) to 1.30x (wren); the ratio "
        "on wren is 1.18x [1.16, 1.20] that on kite."
    ]


def test_on_one_only_with_its_cpu() -> None:
    cpus = {"kite": "AMD EPYC 7B13 64-Core Processor", "wren": "Intel X", "owl": "Intel X"}
    told = difference(("owl", "wren"), ("kite",))
    assert machine_sentences(merged({"kite": SLOWER, "wren": SAME, "owl": SAME}, told, cpus)) == [
        "slow is slower than base on kite (AMD EPYC 7B13) only (1.10x [1.08, 1.12]), the same "
        "elsewhere; the ratio on kite is 1.10x [1.08, 1.12] that on owl and wren."
    ]


def test_turned_around() -> None:
    told = difference(("owl",), ("wren",), ("kite",), ratio=1.32)
    said = machine_sentences(merged({"kite": SLOWER, "wren": SAME, "owl": FASTER}, told))
    assert said == [
        "slow is slower than base on kite only (1.10x [1.08, 1.12]), faster on owl, the same on "
        "wren; the ratio on kite is 1.32x [1.30, 1.34] that on owl."
    ]


def test_unequal_words_are_not_a_difference() -> None:
    assert machine_sentences(merged({"kite": SLOWER, "wren": UNDECIDED})) == [
        "slow is slower than base on kite (1.10x [1.08, 1.12]), undecided on wren; that the "
        "machines differ is not shown by that."
    ]


def test_too_few_blocks_to_tell() -> None:
    found = merge_results(
        [
            OneResult("a", measured("kite", {"slow": 1.0}, blocks=9)),
            OneResult("b", measured("wren", {"slow": 1.1}, blocks=9, seed=2)),
        ]
    )
    assert found.needed.benchmarks == 10
    (said,) = machine_sentences(found)
    assert said.endswith("; whether the machines differ takes 10 blocks on each to tell.")


def test_one_program_on_one_machine() -> None:
    """A compiler that makes the same of both; the other machine's makes a difference."""
    whole = measured("kite", {"slow": 1.1, "tail": 0.9})
    asked = study(variants=("base", "slow", "tail"))
    folded = measured("wren", {"tail": 0.9}, asked=asked, seed=2)
    folded = replace(folded, recorded=replace(folded.recorded, same={"slow": "base"}))
    found = merge_results([OneResult("a", whole), OneResult("b", folded)])
    said = machine_sentences(found)
    assert any(text.endswith("; on wren (Arm-wren) the two are one program.") for text in said)
    table = overall_table(found)
    assert table is not None
    assert [[cell.text for cell in row] for row in table.rows] == [
        ["slow", "1.100x slower", "same"],
        ["tail", "1.111x faster", "1.110x faster"],
    ]
    assert found.lacking == ()


def test_one_machine_alone() -> None:
    assert machine_sentences(merged({"kite": SLOWER}))[0] == (
        "All that was given is of one machine, kite: there is nothing to compare between machines. "
        "Where they are several of one name, set WHYFAST_MACHINE on each."
    )


def test_a_claim_that_holds_on_some_machines() -> None:
    asked = replace(study(variants=("base", "tail")), claim=Claim("tail", "base"))
    found = merge_results(
        [
            OneResult(name, measured(name, {"tail": ratio}, asked=asked, seed=i))
            for i, (name, ratio) in enumerate({"kite": 0.9, "wren": 1.0, "owl": 0.9}.items())
        ]
    )
    assert machine_sentences(found)[0] == (
        "The claim that tail beats base holds on kite and owl; it does not hold on wren (Arm-wren)."
    )


def test_pooled() -> None:
    one = Pooled(
        *("slow", "base", None, "slower", 1.1, 1.05, 1.15, 0.99),
        *(0.0144, 1.02, 1.18, 7, ("owl",)),
    )
    assert pooled_sentence(one, 0.01) == (
        "Over machines like these 7, slow against base is 1.10x slower [1.05, 1.15]; between "
        "machines the ratio varies by 1.44 %, so a further one may show [1.02, 1.18] (owl has too "
        "few blocks)."
    )


def test_what_a_cpu_is_called() -> None:
    name = "Intel(R) Xeon(R) CPU E5-2680 v4 @ 2.40GHz"
    assert cpu_text({"cpu_model": name}) == "Intel Xeon E5-2680 v4"
    assert cpu_text({}) == ""
