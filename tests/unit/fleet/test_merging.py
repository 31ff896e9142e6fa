from __future__ import annotations

from dataclasses import replace

import pytest
from tests.golden_files import Hear
from tests.unit.fleet.machines import measured, study

from whyfast.fleet.merging import merge_results
from whyfast.model.build import BuildFailure
from whyfast.model.errors import UserError
from whyfast.model.evidence import DispatchFacts, Evidence
from whyfast.model.result import Found, Lacks, Merged, OneResult, Result
from whyfast.model.study import Claim

#: Two machines that say the same.
KITE, WREN = measured("kite", {"slow": 1.1}), measured("wren", {"slow": 1.1}, seed=2)


def merged(*results: Result) -> Merged:
    return merge_results([OneResult(f"{i}.json", r) for i, r in enumerate(results)])


def words(result: Merged) -> dict[str, list[str]]:
    return {m.machine.name: [v.outcome for v in m.result.judged.verdicts] for m in result.machines}


def test_each_machine_has_its_own_verdict_and_the_odd_one_out_is_named() -> None:
    found = merged(
        measured("kite", {"slow": 1.0}, seed=1),
        measured("wren", {"slow": 1.1}, seed=2),
        measured("finch", {"slow": 1.0}, seed=3),
    )
    assert words(found) == {"kite": ["same"], "wren": ["slower"], "finch": ["same"]}
    (difference,) = found.differences
    assert [sorted(group) for group in difference.groups] == [["finch", "kite"], ["wren"]]
    assert difference.between == ()
    assert difference.benchmark == "fib"
    assert difference.low < 1.1 < difference.high
    assert difference.ratio == pytest.approx(1.1, abs=0.003)
    assert difference.confidence == 0.99
    assert found.pooled == ()


def test_what_is_the_same_everywhere_is_no_difference() -> None:
    found = merged(*(measured(f"m{i}", {"slow": 1.1}, seed=i) for i in range(4)))
    assert found.differences == ()
    assert words(found) == {f"m{i}": ["slower"] for i in range(4)}


@pytest.mark.parametrize(
    ("ratios", "noises", "blocks", "outcomes"),
    [
        # One machine's interval is too wide to decide, which tells nothing about the machine.
        ((1.02, 1.02), (0.002, 0.05), 30, ["slower", "undecided"]),
        # A certain difference within the margin.
        ((1.1, 1.104), (0.0002, 0.0002), 60, ["slower", "slower"]),
    ],
)
def test_what_is_no_difference_between_machines(
    ratios: tuple[float, ...], noises: tuple[float, ...], blocks: int, outcomes: list[str]
) -> None:
    found = merged(
        *(
            measured(f"m{i}", {"slow": ratio}, seed=i + 1, noise=noise, blocks=blocks)
            for i, (ratio, noise) in enumerate(zip(ratios, noises, strict=True))
        )
    )
    assert words(found) == {f"m{i}": [outcome] for i, outcome in enumerate(outcomes)}
    assert found.differences == ()


def test_five_machines_are_pooled_and_four_are_not() -> None:
    ratios = [1.08, 1.09, 1.10, 1.11, 1.12]
    results = [measured(f"m{i}", {"slow": r}, seed=i) for i, r in enumerate(ratios)]
    assert merged(*results[:4]).pooled == ()
    (pooled,) = merged(*results).pooled
    assert (pooled.benchmark, pooled.machines, pooled.outcome) == ("fib", 5, "slower")
    assert pooled.ratio == pytest.approx(1.10, abs=0.003)
    assert pooled.low < 1.1 < pooled.high
    # of the five logarithms: 0.0144
    assert pooled.tau == pytest.approx(0.0144, abs=0.001)
    assert pooled.expect_low < pooled.low < pooled.high < pooled.expect_high


def test_runs_of_one_machine_are_one_run() -> None:
    once = measured("kite", {"slow": 1.02}, seed=1, blocks=15)
    again = measured("kite", {"slow": 1.02}, seed=2, blocks=15)
    found = merged(again, once)
    (kite,) = found.machines
    assert kite.sources == ("1.json", "0.json")
    assert kite.result.judged.verdicts[0].blocks == 30
    assert [b.index for b in kite.result.recorded.blocks] == list(range(30))
    assert kite.result.recorded.blocks[:15] == once.recorded.blocks


def test_a_run_given_twice_counts_once(golden: Hear) -> None:
    found = merged(KITE, KITE, WREN)
    assert [m.sources for m in found.machines] == [("1.json",), ("2.json",)]
    golden(*[c.text for c in found.confounds])


def test_an_earlier_run_of_other_programs_is_left_out(golden: Hear) -> None:
    old = measured("kite", {"slow": 1.1}, seed=1, compiler="12.2.0")
    found = merged(old, measured("kite", {"slow": 1.1}, seed=2))
    (kite,) = found.machines
    assert kite.result.judged.verdicts[0].blocks == 30
    golden(*[c.text for c in found.confounds])


def test_containers_on_one_host_are_one_machine_and_names_given_decide(golden: Hear) -> None:
    boot = {"boot_id": "b"}
    one = measured("c1", {"slow": 1.1}, seed=1, environment=boot)
    other = measured("c2", {"slow": 1.1}, seed=2, environment=boot)
    assert len(merged(one, other).machines) == 1
    named = [
        measured("c", {"slow": 1.1}, seed=i, environment={**boot, "machine": name})
        for i, name in enumerate(("rack 1", "rack 2"))
    ]
    found = merged(*named)
    assert [m.machine.name for m in found.machines] == ["rack 1", "rack 2"]
    golden(*[c.text for c in found.confounds])


def test_hosts_of_one_image_are_told_apart_and_equal_names_numbered() -> None:
    image = {"machine_id": "i"}
    one = measured("kite", {"slow": 1.1}, seed=1, environment=image)
    other = measured("wren", {"slow": 1.1}, seed=2, environment=image)
    assert len(merged(one, other).machines) == 2
    same_name = [
        measured("vm", {"slow": 1.1}, seed=i, environment={"machine_id": f"{i}", "boot_id": f"{i}"})
        for i in range(3)
    ]
    names = [m.machine.name for m in merged(*same_name).machines]
    assert names == ["vm", "vm (2)", "vm (3)"]


def test_what_one_machine_lacks_is_said_and_the_rest_is_merged() -> None:
    whole = measured("kite", {"slow": 1.1, "tail": 0.9})
    part = measured("wren", {"slow": 1.1}, seed=2, asked=study(variants=("base", "slow", "tail")))
    failed = BuildFailure("tail", "not-buildable", "its compiler has no musttail")
    builds = (*part.recorded.builds, failed)
    part = replace(part, recorded=replace(part.recorded, builds=builds))
    found = merged(whole, part)
    assert found.lacking == (Lacks("wren", "tail", None, "its compiler has no musttail"),)
    assert [len(m.result.judged.verdicts) for m in found.machines] == [2, 1]


def test_means_over_other_benchmarks_are_not_compared(golden: Hear) -> None:
    both, one_more = ("fib", "sort"), ("fib", "sort", "hash")
    asked = study(benchmarks=both)
    found = merged(
        measured("kite", {"slow": 1.1}, asked=asked),
        measured("wren", {"slow": 1.1}, asked=asked, seed=2),
        measured("finch", {"slow": 1.3}, asked=study(benchmarks=one_more), seed=3),
    )
    assert {d.benchmark for d in found.differences} == set(both)
    golden(*[c.text for c in found.confounds])
    assert Lacks("kite", "slow", "hash", "that benchmark is not part of that run") in found.lacking


def test_other_compilers_are_named() -> None:
    found = merged(
        measured("kite", {"slow": 1.1}, seed=1, compiler="12.2.0"),
        measured("wren", {"slow": 1.1}, seed=2, compiler="13.2.0"),
    )
    assert [(c.severity, c.kind) for c in found.confounds] == [
        ("warning", "machine-compiler"),
        ("note", "machine-program"),
    ]
    assert "12.2.0 (kite); 13.2.0 (wren)" in found.confounds[0].text


@pytest.mark.parametrize(
    "change",
    [
        {"name": "other"},
        {"margin": 0.02},
        {"baselines": ("slow",)},
        {"claim": Claim("slow", "base")},
        {"variants": tuple(replace(v, cflags=("-O3",)) for v in study().variants)},
        {"benchmarks": tuple(replace(b, check="7") for b in study().benchmarks)},
        {"benchmarks": study(benchmarks=("sort",)).benchmarks},
        {"variants": study(variants=("base", "tail")).variants},
    ],
)
def test_other_questions_are_refused(change: dict[str, object], golden: Hear) -> None:
    other = replace(WREN, question=replace(WREN.question, **change))  # type: ignore[arg-type]
    with pytest.raises(UserError) as error:
        merged(KITE, other)
    golden(str(error.value))


@pytest.mark.parametrize("bad", [0.0, -1.0, float("nan"), float("inf")])
def test_times_that_no_clock_gives_are_refused(bad: float, golden: Hear) -> None:
    first, *others = KITE.recorded.blocks
    spoilt = replace(first, values={**first.values, "slow": (0.01, bad, 0.01)})
    wrong = replace(KITE, recorded=replace(KITE.recorded, blocks=(spoilt, *others)))
    with pytest.raises(UserError) as error:
        merged(KITE, wrong)
    golden(str(error.value))


def test_instructions_are_not_compared_with_times(golden: Hear) -> None:
    counted = replace(WREN, judged=replace(WREN.judged, about="counts"))
    with pytest.raises(UserError) as error:
        merged(KITE, counted)
    golden(str(error.value))


def test_layouts_on_one_machine_alone_are_named(golden: Hear) -> None:
    varied = replace(WREN, judged=replace(WREN.judged, about="change"))
    golden(*[c.text for c in merged(KITE, varied).confounds])


def test_other_dispatch_and_unfinished_runs_are_named() -> None:
    found = []
    for i, (name, form) in enumerate({"kite": "merged", "wren": "replicated"}.items()):
        one = measured(name, {"slow": 1.1}, seed=i)
        facts = DispatchFacts("loop", form, 6, 172, 1, 4100, 16_384, "seen")  # type: ignore[arg-type]
        evidence = Evidence("slow", "x86-64", facts, ())
        recorded = replace(one.recorded, complete=name == "kite")
        found.append(replace(one, recorded=recorded, found=Found(evidence=(evidence,))))
    assert [(c.severity, c.kind) for c in merged(*found).confounds] == [
        ("warning", "machine-dispatch"),
        ("warning", "machine-incomplete"),
    ]
