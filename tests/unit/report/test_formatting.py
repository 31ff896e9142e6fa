"""How names, ratios, intervals, shares and times are printed."""

import math
import re
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.report.example import verdict

from whyfast.model.verdict import Outcome
from whyfast.report import formatting as fmt


@pytest.mark.parametrize(
    ("ratio", "low", "high", "text"),
    [
        (2.14, 2.10, 2.19, "2.14x slower [2.10, 2.19]"),
        (1 / 1.37, 1 / 1.41, 1 / 1.33, "1.37x faster [1.33, 1.41]"),
        (1.002, 0.998, 1.006, "1.002x slower [0.998, 1.006]"),
        (1 / 1.002, 1 / 1.006, 1 / 0.998, "1.002x faster [0.998, 1.006]"),
        (1.0, 0.98, 1.02, "1.00x [0.98, 1.02]"),
        (1.02, 0.0, math.inf, "1.02x slower [–, –] (too few blocks)"),
        (0.5, 0.4, math.inf, "2.00x faster [–, 2.50] (too few blocks)"),
        (1.00021, 1.00012, 1.00030, "1.0002x slower [1.0001, 1.0003]"),
        (41.23, 38.2, 44.9, "41.2x slower [38.2, 44.9]"),
        (412.3, 382.1, 449.2, "412x slower [382, 449]"),
        (59430.0, 59000.0, 60000.0, "59430x slower [59000, 60000]"),
        (math.nan, 0.0, math.inf, "– [–, –] (too few blocks)"),
        # An end beside 1 is not rounded onto it.
        (1.03, 1.003, 1.06, "1.030x slower [1.003, 1.060]"),
        (1.03, 0.998, 1.06, "1.030x slower [0.998, 1.060]"),
        # The estimate is told from 1, and from the ends.
        (1.002, 0.994, 1.011, "1.002x slower [0.994, 1.011]"),
        (1.0118, 1.0059, 1.0177, "1.012x slower [1.006, 1.018]"),
        (1.0255, 1.0249, 1.0261, "1.0255x slower [1.0249, 1.0261]"),
        # 1 as far as anybody can see, and so neither faster nor slower.
        (1.0004, 0.98, 1.02, "1.00x [0.98, 1.02]"),
        (1.2, 1.00002, 1.4, "1.20000x slower [1.00002, 1.40000]"),
        # An exact ratio fmt.has no row of zeros.
        (2.0, 2.0 - 1e-9, 2.0 + 1e-9, "2.00x slower [2.00, 2.00]"),
        (2.0, 1.99, 2.01, "2.00x slower [1.99, 2.01]"),
        (2.0, 1.9998, 2.0002, "2.0000x slower [1.9998, 2.0002]"),
        # So near to 1 that nothing depends on it.
        (1.000002, 1.000001, 1.000004, "1.00x slower [1.00, 1.00]"),
        (1.15, 1.000001, 1.3, "1.15x slower [1.00, 1.30]"),
        (1 / 412.3, 1 / 412.30001, 1 / 412.3, "412x faster [412, 412]"),
    ],
)
def test_a_ratio_has_its_intervals_digits(ratio: float, low: float, high: float, text: str) -> None:
    assert str(fmt.ratio_text(ratio, low, high)) == text


@given(below=st.floats(-4, -0.5), above=st.floats(-4, -0.5), at=st.floats(0.5, 9))
def test_ends_are_told_from_estimate_and_from_one(below: float, above: float, at: float) -> None:
    low, high = at * (1 - 10**below), at * (1 + 10**above)
    text = fmt.plain_ratio_text(at, low, high)
    value, least, most = _printed(str(text))
    width = high - low
    for end, printed in ((low, least), (high, most)):
        assert (printed == value) <= (abs(end - at) <= width / 20)
        assert (printed == 1) <= (abs(end - 1) <= 1e-5)


@pytest.mark.parametrize(
    ("low", "high", "text"),
    [
        (0.994, 1.011, "No difference found between new and old: 1.002x [0.994, 1.011]"),
        (0.0, math.inf, "Too few values to tell a difference between new and old: 1.00x so far"),
        # Processes of one side are unlike the others, which forbids to say more.
        (1.001, 1.003, "Undecided between new and old: 1.002x [1.001, 1.003]"),
    ],
)
def test_a_sentence_without_a_finding_leads_with_that(low: float, high: float, text: str) -> None:
    open_one = verdict("new", "old", "undecided", 1.002, low, high)
    assert fmt.no_difference(open_one, "new", "old") == text


@pytest.mark.parametrize(
    ("outcome", "ratio", "low", "high", "line", "clause", "brief"),
    [
        (
            *("slower", 1.2, 1.1, 1.3, "1.20x slower [1.10, 1.30]"),
            *("1.20x slower than a [1.10, 1.30]", "1.20x slower than a"),
        ),
        (
            *("same", 1.001, 0.998, 1.004, "same within 1 % (1.001x [0.998, 1.004])"),
            *("the same as a within 1 % (1.001x [0.998, 1.004])", "the same as a within 1 %"),
        ),
        (
            *("same", 1.0, 1.0 - 1e-6, 1.0 + 1e-6, "same within 1 % (1.00x [1.00, 1.00])"),
            *("the same as a within 1 % (1.00x [1.00, 1.00])", "the same as a within 1 %"),
        ),
        (
            *("undecided", 1.02, 0.97, 1.08, "undecided, 1.02x slower [0.97, 1.08]"),
            *("1.02x slower than a [0.97, 1.08] (undecided)", "1.02x slower than a (undecided)"),
        ),
    ],
)
def test_a_verdict_in_each_style(
    outcome: Outcome, ratio: float, low: float, high: float, line: str, clause: str, brief: str
) -> None:
    judged = verdict("b", "a", outcome, ratio, low, high)
    texts = [fmt.verdict(judged, 0.01, style) for style in get_args(fmt.VerdictStyle)]
    assert texts == [line, clause, brief]


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.0, "0 s"),
        (3.21e-7, "321 ns"),
        (1.5e-5, "15.0 µs"),
        (0.0009999, "1.00 ms"),
        (0.01123, "11.2 ms"),
        (0.9999, "1.00 s"),
        (12.34, "12.3 s"),
        (59.99, "1 min"),
        (65, "1 min 5 s"),
        (4800, "1 h 20 min"),
    ],
)
def test_seconds(seconds: float, text: str) -> None:
    assert fmt.seconds(seconds) == text


def test_a_rough_share_has_no_power_of_ten() -> None:
    shares = [fmt.rough(x) for x in (0.0053, 0.091, 0.994, 9.1, 59.43)]
    assert shares == ["0.53 %", "9.1 %", "99 %", "910 %", "5,943 %"]


def test_sizes_and_amounts_have_three_digits() -> None:
    sizes = [fmt.size(n) for n in (512, 999.6, 1_234_000, 3.2e12)]
    assert sizes == ["512 B", "1.00 kB", "1.23 MB", "3200 GB"]
    amounts = [fmt.amount(n) for n in (812, 17_300, 999_600, -1_320_000)]
    assert amounts == ["812", "17.3 k", "1.00 M", "−1.32 M"]


def test_percent_and_e_value() -> None:
    assert (fmt.percent(0.01), fmt.percent(0.005)) == ("1 %", "0.5 %")
    assert (fmt.e_value(0.0), fmt.e_value(27.6)) == ("1", "10^12")


RATIOS = st.floats(-6, 6).map(math.exp)
ENDS = st.floats(1e-7, 3).map(math.exp)


def _printed(text: str) -> list[float]:
    """Every number in it, an end without a bound as what it may be."""
    return [float(number) for number in re.findall(r"\d+(?:\.\d+)?", text)]


@given(ratio=RATIOS, below=ENDS, above=ENDS, off=st.floats(-4, 4).map(math.exp))
def test_an_estimate_in_its_interval(ratio: float, below: float, above: float, off: float) -> None:
    """Also one that another statistic puts elsewhere, in every form in which a ratio is printed."""
    low, high, estimate = ratio / below, ratio * above, ratio * off
    for text in (
        str(fmt.ratio_text(estimate, low, high)),
        str(fmt.plain_ratio_text(estimate, low, high)),
        *(
            fmt.verdict(verdict("b", "a", outcome, estimate, low, high), 0.01).split("(")[-1]
            for outcome in ("faster", "slower", "same", "undecided")
        ),
    ):
        value, least, most = _printed(text)[:3]
        assert least <= value <= most, text


@given(ratio=RATIOS, below=ENDS, above=ENDS)
def test_digits_are_what_the_interval_carries(ratio: float, below: float, above: float) -> None:
    """At most three significant digits beyond the place of the first in which the ends differ, or
    as many as tell an end, or the ratio, from 1."""
    text = fmt.ratio_text(ratio, ratio / below, ratio * above)
    _, least, most = _printed(str(text))
    decimals = len(text.value.removesuffix("x").partition(".")[2])
    exact = [1 / x if ratio < 1 else x for x in (ratio, ratio / below, ratio * above)]
    usual = 2 if exact[0] < 10 else 1 if exact[0] < 100 else 0
    carried = 2 - math.floor(math.log10(most - least)) if most > least else usual
    from_one = [abs(x - 1) for x in exact if abs(x - 1) > fmt.ALIKE]
    assert decimals <= max(usual, carried, *(-math.floor(math.log10(x)) for x in from_one))


@given(ratio=RATIOS, below=ENDS, above=ENDS, off=st.floats(-4, 4).map(math.exp))
def test_a_change_is_in_its_interval(ratio: float, below: float, above: float, off: float) -> None:
    text = fmt.percent_text(verdict("b", "a", "slower", ratio * off, ratio / below, ratio * above))
    numbers = [float(n) for n in re.findall(r"-?\d+(?:\.\d+)?", text.interval)]
    value = float(re.findall(r"\d+(?:\.\d+)?", text.factor)[0])
    assert numbers[0] <= value <= numbers[1], text


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("plain µ – 名前 👩‍🔬", "plain µ – 名前 👩‍🔬"),
        ("\x1b[31mred\x07", "\\x1b[31mred\\x07"),
        ("a\x00b", "a\\x00b"),
        ("two\nlines\r\n\tand\u2028more", "two lines   and more"),
        ("\u202eevil\u2066", "\\u202eevil\\u2066"),
        ("\udcff\ue000\U000e0001", "\\udcff\\ue000\\U000e0001"),
    ],
)
def test_what_has_no_form_is_an_escape(text: str, seen: str) -> None:
    assert fmt.escape_controls(text) == seen


def test_a_name_with_spaces_is_quoted() -> None:
    assert [fmt.quote(n) for n in ("a", "sleep 1", "", "a\nb")] == ["a", "'sleep 1'", "''", "'a b'"]


def test_a_name_with_quotes_is_put_in_others() -> None:
    assert fmt.quote("awk '{print}' f") == "\"awk '{print}' f\""
    assert fmt.quote("""sh -c 'echo "a"'""") == """“sh -c 'echo "a"'”"""


def test_the_verb_follows_the_number() -> None:
    assert fmt.has(["a"], "is", "are") == "a is"
    assert fmt.has(["a", "b", "c"], "is", "are") == "a, b and c are"
