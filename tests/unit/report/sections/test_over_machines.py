from collections.abc import Callable
from dataclasses import replace

import pytest
from tests.golden_files import check_golden, paragraphs
from tests.unit.fleet.machines import measured, study
from tests.unit.report.parts import texts

from whyfast.fleet.merging import merge_results
from whyfast.model.result import (
    Judged,
    Machine,
    MachineDifference,
    MachineResult,
    Merged,
    OneResult,
    Pooled,
    Recorded,
    Result,
)
from whyfast.model.study import Claim
from whyfast.model.verdict import Outcome, Verdict
from whyfast.report.sections.machines import overall_table
from whyfast.report.sections.over_machines import cpu_text, machine_sentences, pooled_sentence

ASKED = study()


def verdict(outcome: Outcome, ratio: float, low: float, high: float, blocks: int = 30) -> Verdict:
    return Verdict("slow", "base", "fib", outcome, ratio, low, high, 0.99, 9.0, blocks)


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


def _judged(*results: Result) -> Merged:
    return merge_results([OneResult(r.recorded.run, r) for r in results])


def _claimed() -> Merged:
    asked = replace(study(variants=("base", "tail")), claim=Claim("tail", "base"))
    ratios = {"kite": 0.9, "wren": 1.0, "owl": 0.9}.items()
    return _judged(
        *(measured(n, {"tail": r}, asked=asked, seed=i) for i, (n, r) in enumerate(ratios))
    )


def _folded() -> Merged:
    """A compiler that makes the same of both; the other machine's makes a difference."""
    whole = measured("kite", {"slow": 1.1, "tail": 0.9})
    asked = study(variants=("base", "slow", "tail"))
    folded = measured("wren", {"tail": 0.9}, asked=asked, seed=2)
    return _judged(whole, replace(folded, recorded=replace(folded.recorded, same={"slow": "base"})))


MORE = verdict("slower", 1.13, 1.10, 1.16)
MOST = verdict("slower", 1.3, 1.27, 1.33)
CPUS = {"kite": "AMD EPYC 7B13 64-Core Processor", "wren": "Intel X", "owl": "Intel X"}
TURNED = difference(("owl",), ("wren",), ("kite",), ratio=1.32)
MACHINES: dict[str, Callable[[], Merged]] = {
    "slower on both": lambda: merged({"kite": SLOWER, "wren": MORE}),
    "the same on all": lambda: merged({"a": SAME, "b": SAME, "c": SAME}),
    "alike but not by as much": lambda: merged(
        {"kite": SLOWER, "wren": MOST}, difference(("kite",), ("wren",), ratio=1.18)
    ),
    "on one only, with its CPU": lambda: merged(
        {"kite": SLOWER, "wren": SAME, "owl": SAME}, difference(("owl", "wren"), ("kite",)), CPUS
    ),
    "turned around": lambda: merged({"kite": SLOWER, "wren": SAME, "owl": FASTER}, TURNED),
    "unequal words are no difference": lambda: merged({"kite": SLOWER, "wren": UNDECIDED}),
    "one machine": lambda: merged({"kite": SLOWER}),
    "a claim that holds on some": _claimed,
    "one program on one machine": _folded,
}


@pytest.mark.golden
def test_machines_in_sentences() -> None:
    sentences = {name: machine_sentences(make()) for name, make in MACHINES.items()}
    check_golden("report", "machines.md", paragraphs(sentences))


def test_one_program_on_one_machine_is_the_same_and_not_lacking() -> None:
    found = _folded()
    assert texts(overall_table(found)) == [
        ["slow", "1.100x slower", "same"],
        ["tail", "1.111x faster", "1.110x faster"],
    ]
    assert found.lacking == ()


def test_pooled() -> None:
    one = Pooled(
        *("slow", "base", None, "slower", 1.1, 1.05, 1.15, 0.99), *(0.0144, 1.02, 1.18, 7, ("owl",))
    )
    assert pooled_sentence(one, 0.01) == (
        "Over machines like these 7, slow is 1.10x slower than base [1.05, 1.15]; between "
        "machines the ratio varies by 1.44 %, so a further one may show [1.02, 1.18] (owl has too "
        "few blocks)."
    )


def test_what_a_cpu_is_called() -> None:
    name = "Intel(R) Xeon(R) CPU E5-2680 v4 @ 2.40GHz"
    assert cpu_text({"cpu_model": name}) == "Intel Xeon E5-2680 v4"
    assert cpu_text({}) == ""
