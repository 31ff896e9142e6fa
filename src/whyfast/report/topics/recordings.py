"""What the comparison of recorded runs says, in sentences."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence

from whyfast.judge.run_dates import DRIFT
from whyfast.model.result import Result
from whyfast.model.verdict import Carrier, Verdict, Word
from whyfast.report.names import count, listed, shown
from whyfast.report.numbers import format_percent, plain_ratio_text, ratio_text

_MOST_CARRIERS = 3
_MOST_NAMED = 3


def recording_sentences(result: Result) -> list[str]:
    """First which is faster, by how much, and how sure that is."""
    margin = result.question.margin
    sentences = [_headline(result, _whole(result))]
    for suite in result.judged.suites:
        sentences += _carried(suite.verdict, suite.carriers, margin)
    for head in result.question.variants[1:]:
        mine = [v for v in result.judged.verdicts if v.variant == head.name]
        if len(mine) > 1:
            sentences += _tally(mine, head.name)
    return sentences


def _two_digits(ratio: float) -> str:
    """ "1.09x slower", with the two decimals that other tools print; the same from either side."""
    if not (math.isfinite(ratio) and ratio > 0):
        return "–"
    text = f"{max(ratio, 1 / ratio):.2f}x"
    return f"{text} {'slower' if ratio > 1 else 'faster'}" if ratio != 1 else text


def _whole(result: Result) -> list[Verdict]:
    """The overall verdict of each head, in the order of the files."""
    suites = {s.verdict.variant: s.verdict for s in result.judged.suites}
    single = {v.variant: v for v in result.judged.verdicts}
    return [suites.get(v.name) or single[v.name] for v in result.question.variants[1:]]


def _headline(result: Result, whole: Sequence[Verdict]) -> str:
    base = shown(whole[0].baseline)
    names = {v.benchmark for v in result.judged.verdicts}
    over = (
        f"over {count(len(names), 'benchmark')}"
        if len(names) > 1
        else f"on {shown(next(iter(names)) or '')}"
    )
    if len(whole) == 1:
        said = _said(whole[0], result.question.margin, base)
        return f"{shown(whole[0].variant)} {said}, {over}; {DRIFT}."
    parts = [f"{shown(v.variant)} {_said(v, result.question.margin, None)}" for v in whole]
    return f"Against {base}, {over}: {'; '.join(parts)}; {DRIFT}."


def _said(verdict: Verdict, margin: float, base: str | None) -> str:
    than = f" than {base}" if base else ""
    factor = _two_digits(verdict.ratio)
    text = ratio_text(verdict.ratio, verdict.low, verdict.high)
    if verdict.word == "same":
        as_ = f" as {base}" if base else ""
        plain = plain_ratio_text(verdict.ratio, verdict.low, verdict.high)
        return f"is the same{as_} within {format_percent(margin)} ({factor} {plain.interval})"
    if verdict.word == "undecided":
        if verdict.ratio == 1 and base:  # neither faster nor slower "than"
            than = f" the time of {base}"
        if not (verdict.low > 0 and math.isfinite(verdict.high)):
            return f"measured {factor}{than}, which cannot be judged"
        return f"measured {factor}{than}, which is undecided {text.interval}"
    return f"is {factor}{than} {text.interval}"


def _carried(verdict: Verdict, found: Sequence[Carrier], margin: float) -> Iterable[str]:
    for carrier in found[:_MOST_CARRIERS]:
        without = _factor(carrier.without, verdict)
        who = f"{shown(carrier.benchmark)} alone"
        what = f"{shown(verdict.variant)}'s {_two_digits(verdict.ratio)}"
        if 0 < carrier.share < 1:
            text = f"{who} carries {format_percent(round(carrier.share, 2))} of {what}"
        else:
            text = f"{who} sways {what}"
        text += f": without it the geometric mean is {without}"
        if carrier.word != verdict.word:
            text += f", and the verdict is {_word(carrier.word, margin)}"
        yield f"{text}."
    if len(found) > _MOST_CARRIERS:
        yield (
            f"{count(len(found) - _MOST_CARRIERS, 'further benchmark')} each carry more than a "
            f"third of {shown(verdict.variant)}'s mean, or its verdict."
        )


def _word(word: Word, margin: float) -> str:
    return f"the same within {format_percent(margin)}" if word == "same" else word


def _factor(ratio: float, like: Verdict) -> str:
    """A ratio with one decimal more than the headline has, to show how little is left."""
    scale = ratio / like.ratio
    text = ratio_text(ratio, like.low * scale, like.high * scale)
    precise = f"{max(ratio, 1 / ratio):.3f}x"
    return f"{precise} {text.direction}".rstrip()


def _tally(mine: Sequence[Verdict], name: str) -> Iterable[str]:
    words = Counter(v.word for v in mine)
    parts = [
        f"{'the same' if w == 'same' else w} on {words[w]}"
        for w in ("faster", "slower", "same", "undecided")
        if words[w]
    ]
    text = f"Of {count(len(mine), 'benchmark')}, {shown(name)} is {listed(parts)}"
    decided = sorted(
        (v for v in mine if v.word in ("faster", "slower")), key=lambda v: -abs(math.log(v.ratio))
    )
    if decided:
        most = [f"{shown(v.benchmark or '')} {_two_digits(v.ratio)}" for v in decided[:_MOST_NAMED]]
        text += f"; most of all {listed(most)}"
    yield f"{text}."
