"""What is unusual about blocks, in sentences."""

from __future__ import annotations

from dataclasses import replace

from tests.unit.report.example import verdict

from whyfast.model.verdict import AsymmetricOutliers, SmallSample
from whyfast.report.sections.timeline import unusual_sentences

PLAIN = verdict("b", "a", "same", 1.001, 0.999, 1.003, benchmark="fib")


def test_a_verdict_as_any_other_is_passed_over() -> None:
    assert unusual_sentences([PLAIN]) == []


def test_two_kinds_of_processes() -> None:
    found = AsymmetricOutliers("b", True, 9, 0, 100, 0.04, 0.17, 1.3, 1.027, 1e-3)
    assert unusual_sentences([replace(PLAIN, outcome="undecided", asymmetric_outliers=found)]) == [
        "b on fib has two kinds of processes: in 9 of 100 blocks they took 1.3x longer than mostly "
        "(4% to 17% of all processes); that changes the ratio of the mean times by +2.7 %, so "
        "that the medians being the same is not all there is."
    ]
    fast = replace(found, slow=False, ratio=0.5, mean=0.97)
    assert unusual_sentences([replace(PLAIN, asymmetric_outliers=fast)]) == [
        "b on fib has two kinds of processes: in 9 of 100 blocks they took 2x shorter than mostly "
        "(4% to 17% of all processes); that changes the ratio of the mean times by -3 %."
    ]


def test_a_single_odd_process_is_no_kind() -> None:
    once = AsymmetricOutliers("b", True, 1, 0, 9, 0.02, 0.43, 1.1, 1.01, 1.0)
    assert unusual_sentences([replace(PLAIN, asymmetric_outliers=once)]) == []


def test_blocks_that_follow_one_another() -> None:
    assert unusual_sentences([replace(PLAIN, correlation=0.456)]) == [
        "The blocks of b against a on fib follow one another (correlation 0.46 of each with the "
        "next): its interval is widened."
    ]


def test_too_few_blocks() -> None:
    few = SmallSample("slower", 1.2, 1.31, 0.75, 1.15, 1.36, 9)
    found = replace(PLAIN, outcome="undecided", ratio=1.25, blocks=3, small_sample=few)
    assert unusual_sentences([found]) == [
        "b against a on fib: 3 blocks are too few for a verdict, which takes 9 or more; their "
        "ratios lie in [1.20, 1.31]; slower if the noise is normal, [1.15, 1.36]."
    ]
    unsure = replace(found, small_sample=replace(few, outcome="undecided"))
    assert unusual_sentences([unsure])[0].endswith("their ratios lie in [1.20, 1.31].")


def test_few_blocks_on_one_side_say_something_at_a_weaker_level() -> None:
    few = SmallSample("undecided", 0.81, 0.93, 1 - 2.0**-5, 0.7, 1.02, 9)
    found = replace(PLAIN, outcome="undecided", ratio=0.87, blocks=6, small_sample=few)
    (said,) = unusual_sentences([found])
    assert said.endswith(
        "their ratios lie in [0.81, 0.93]; all are faster, as chance alone has them all on one "
        "side in 3.125 % of cases."
    )


def test_many_of_a_kind_are_counted() -> None:
    few = SmallSample("slower", 1.2, 1.31, 0.75, 1.15, 1.36, 19)
    side = AsymmetricOutliers("b", True, 9, 0, 100, 0.04, 0.17, 1.3, 1.027, 1e-3)
    many = [
        replace(
            PLAIN,
            benchmark=f"b{i}",
            blocks=3,
            small_sample=few,
            correlation=0.5,
            asymmetric_outliers=side,
        )
        for i in range(5)
    ]
    said = unusual_sentences(many)
    assert len(said) == 6
    assert said[3:] == [
        "2 more have two kinds of processes; the JSON has them all.",
        "The blocks of 5 of 5 comparisons follow one another: their intervals are widened for it.",
        "5 of 5 comparisons have too few blocks for a verdict; among so many, one takes up to 19.",
    ]
