"""How reports print names, texts of other programs, ratios, intervals, shares, times and sizes."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias, TypeVar

if TYPE_CHECKING:
    from whyfast.model.history import Drift, Shift
    from whyfast.model.result import MachineDifference, Pooled
    from whyfast.model.verdict import Verdict

K = TypeVar("K")
V = TypeVar("V")
# White space that is no space, then what steers a terminal, turns the direction of text, or has no
# form of its own: control characters, format controls but those that join letters, halves of
# characters, private ones.
_WHITE = re.compile(r"[\t-\r\x85\u2028\u2029]")
_UNSEEN = re.compile(
    r"[\x00-\x08\x0e-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f"
    r"\ud800-\udfff\ue000-\uf8ff\ufeff\ufff9-\ufffb\U000e0000-\U000e007f\U000f0000-\U0010ffff]"
)


#: Around names with spaces, the first that a name does not have itself.
_QUOTES = (("'", "'"), ('"', '"'), ("“", "”"))


def escape_controls(text: str) -> str:
    """``text`` on one line, with an escape (``\\x1b``) in place of each character that has no form:
    no name can steer a terminal, forge a line or turn the text around it."""
    spaced = _WHITE.sub(" ", text)
    return _UNSEEN.sub(lambda match: match[0].encode("unicode_escape").decode(), spaced)


def quote(name: str) -> str:
    """A variant's name within a sentence: a command, which has spaces, is put in quotes, and in
    such as it has not itself."""
    clean = escape_controls(name)
    if " " not in clean and clean:
        return clean
    opening, closing = next((q for q in _QUOTES if not set(q) & set(clean)), _QUOTES[-1])
    return f"{opening}{clean}{closing}"


def join(words: Iterable[str], most: int = 0) -> str:
    """``a, b and c``; of more than ``most`` words the first and a number: ``a, b and 3 more``."""
    items = list(words)
    if most and len(items) > most:
        items = [*items[:most], f"{len(items) - most} more"]
    if len(items) < 2:
        return "".join(items)
    return f"{', '.join(items[:-1])} and {items[-1]}"


def quoted(names: Iterable[str], most: int = 0) -> str:
    """The variants' names within a sentence, see :func:`quote` and :func:`join`."""
    return join(map(quote, names), most)


def as_code(name: str) -> str:
    """The name of a function or a file, which reports print as code."""
    return f"`{escape_controls(name)}`"


def grouped(pairs: Iterable[tuple[K, V]]) -> dict[K, list[V]]:
    """What each key has, in the order in which they come."""
    groups: dict[K, list[V]] = {}
    for key, value in pairs:
        groups.setdefault(key, []).append(value)
    return groups


def pluralize(number: int, noun: str) -> str:
    """``1 block``, ``2 blocks``, ``3 passes``, ``4 quantities``."""
    if number == 1:
        return f"1 {noun}"
    if noun.endswith("ty"):
        return f"{number} {noun[:-1]}ies"
    return f"{number} {noun}{'es' if noun.endswith(('s', 'ch')) else 's'}"


def sentence(text: str) -> str:
    """``text`` with a full stop, unless it ends a sentence already."""
    text = text.strip()
    return text if text.endswith((".", "!", "?")) else f"{text}."


def has(names: Sequence[str], singular: str, plural: str) -> str:
    """The names, and the verb that fits their number: ``a and b are``."""
    return f"{join(names)} {singular if len(names) == 1 else plural}"


UNBOUNDED = "–"
MOST_DECIMALS = 5
#: What differs by a smaller part, of the ratio or of the width of its interval, is printed alike.
ALIKE, ALIKE_IN_WIDTH = 1e-5, 0.05


@dataclass(frozen=True)
class RatioText:
    """A ratio in print: ``value`` ("2.14x"), ``direction`` ("slower", "faster" or empty when it is
    printed as 1 and may be 1) and ``interval`` ("[2.10, 2.19]")."""

    value: str
    direction: str
    interval: str

    @property
    def factor(self) -> str:
        """Value and direction: "2.14x slower"."""
        return f"{self.value} {self.direction}".rstrip()

    def than(self, baseline: str) -> str:
        """ "2.14x slower than b", or "1.00x the time of b"."""
        return f"{self.factor} {'than' if self.direction else 'the time of'} {baseline}"

    def __str__(self) -> str:
        return f"{self.factor} {self.interval}"


def ratio_text(ratio: float, low: float, high: float) -> RatioText:
    """A ratio of times and its interval, as read from the slower side: below 1 it is printed as its
    reciprocal with "faster". Ends of 0 or inf are unbounded. An estimate outside of its interval,
    as another statistic may have it, is printed as the nearer end."""
    if not (math.isfinite(ratio) and ratio > 0):
        return RatioText(UNBOUNDED, "", f"[{UNBOUNDED}, {UNBOUNDED}] (too few blocks)")
    return _text(*_from_slower(ratio, low, high))


def _from_slower(ratio: float, low: float, high: float) -> tuple[float, float, float, str]:
    """Ratio, ends and direction as read from the slower side."""
    ratio = within(ratio, low, high)
    if ratio < 1:
        return 1 / ratio, _reciprocal(high), _reciprocal(low), "faster"
    return ratio, low, high, "slower" if ratio > 1 else ""


def plain_ratio_text(ratio: float, low: float, high: float) -> RatioText:
    """A ratio of times as it is, without a direction: for differences that do not matter."""
    return _text(within(ratio, low, high), low, high, "")


def within(ratio: float, low: float, high: float) -> float:
    """The ratio, or the end of its interval that is nearest to it."""
    return min(max(ratio, low), high) if low <= high else ratio


def size_of(ratio: float) -> float:
    """How far a ratio is from 1 in either direction; 0 for a number that is no ratio."""
    return abs(math.log(ratio)) if 0 < ratio < math.inf else 0.0


def exact_text(ratio: float) -> RatioText:
    """The :func:`ratio_text` of an estimate without an interval."""
    return ratio_text(ratio, ratio, ratio)


#: What has a ratio of times with its interval; and which of that is judged.
Estimate: TypeAlias = "Verdict | Pooled | MachineDifference | Shift | Drift"
Judgement: TypeAlias = "Verdict | Pooled"


def text_of(estimate: Estimate) -> RatioText:
    """Its :func:`ratio_text`."""
    return ratio_text(estimate.ratio, estimate.low, estimate.high)


def plain_text_of(estimate: Estimate) -> RatioText:
    """Its :func:`plain_ratio_text`."""
    return plain_ratio_text(estimate.ratio, estimate.low, estimate.high)


def verdict_text(verdict: Judgement) -> RatioText:
    """The ratio of a verdict; of "same" without a direction."""
    return (plain_text_of if verdict.outcome == "same" else text_of)(verdict)


#: A ``line`` stands alone or after a name: "same within 1 % (1.00x [0.99, 1.01])". A ``clause``
#: names the baseline and follows "is": "2.08x faster than b [2.00, 2.15]"; ``brief``: no interval.
VerdictStyle = Literal["line", "clause", "brief"]


def verdict(
    verdict: Judgement, margin: float, style: VerdictStyle = "line", baseline: str = ""
) -> str:
    """The verdict in words; ``margin`` is relative. ``baseline``: to be called so."""
    text, base = verdict_text(verdict), baseline or quote(verdict.baseline)
    if verdict.outcome == "same":
        same = "same" if style == "line" else f"the same as {base}"
        figures = "" if style == "brief" else f" ({text})"
        return f"{same} within {percent(margin)}{figures}"
    if style == "line":
        return f"undecided, {text}" if verdict.outcome == "undecided" else str(text)
    clause = text.than(base) if style == "brief" else f"{text.than(base)} {text.interval}"
    return f"{clause} (undecided)" if verdict.outcome == "undecided" else clause


#: From this ratio on a difference is a factor, and no longer in per cent.
_FACTOR = 1.5


def percent_text(estimate: Estimate) -> RatioText:
    """A difference from the slower side: "2.3 % slower [1.9, 2.7] %"; from 1.50x on a factor."""
    unknown = f"{UNBOUNDED}, {UNBOUNDED}"
    if not (math.isfinite(estimate.ratio) and estimate.ratio > 0):
        return RatioText(UNBOUNDED, "", f"[{unknown}]")
    text = text_of(estimate)
    ratio, low, high, _ = _from_slower(estimate.ratio, estimate.low, estimate.high)
    if ratio >= _FACTOR:
        return text
    bounded = _bounded(low) and _bounded(high)
    ends = f"{(low - 1) * 100:.1f}, {(high - 1) * 100:.1f}" if bounded else unknown
    return RatioText(f"{(ratio - 1) * 100:.1f} %", text.direction, f"[{ends}] %")


def no_difference(verdict: Verdict, variant: str, baseline: str) -> str:
    """The sentence on an undecided verdict, without its full stop: it leads with what was found."""
    text = plain_text_of(verdict)
    between = f"between {variant} and {baseline}"
    if not (_bounded(verdict.low) and _bounded(verdict.high)):
        return f"Too few values to tell a difference {between}: {text.value} so far"
    if not verdict.low <= 1 <= verdict.high:
        return f"Undecided {between}: {text}"
    return f"No difference found {between}: {text}"


def percent(share: float) -> str:
    """A share of 1 in per cent, with no more digits than it needs: "1 %", "0.5 %"."""
    return f"{share * 100:.4g} %"


def rough(share: float) -> str:
    """A share of 1 in per cent with two digits: "0.53 %", "9.1 %", "910 %"."""
    percent = share * 100
    return f"{percent:.2g} %" if abs(percent) < 99.5 else f"{percent:,.0f} %"


def seconds(seconds: float) -> str:
    """A duration in seconds with three digits and a fitting unit: "11.2 ms", "1 min 5 s"."""
    if seconds >= 59.95:
        minutes, rest = divmod(round(seconds), 60)
        hours, beyond = divmod(minutes, 60)
        if hours:
            return f"{hours} h {beyond} min" if beyond else f"{hours} h"
        return f"{minutes} min {rest} s" if rest else f"{minutes} min"
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= size * 0.9995:
            return f"{_three_digits(seconds / size)} {unit}"
    return "0 s" if seconds <= 0 else f"{_three_digits(seconds / 1e-9)} ns"


def size(number: float) -> str:
    """A size in decimal units with three digits: ``512 B``, ``1.23 MB``."""
    return _scaled(number, ("B", "kB", "MB", "GB"))


def amount(number: float, *, sign: bool = False) -> str:
    """A count with three digits: ``812``, ``17.3 k``, ``1.32 M``; with a sign where wanted."""
    before = "−" if number < 0 else "+" if sign else ""
    return before + _scaled(abs(number), ("", "k", "M", "G"))


def _scaled(size: float, units: Sequence[str]) -> str:
    """Three digits in the fitting unit, each a thousand of the one before; whole of the first."""
    place = 0
    while size >= 999.5 and place < len(units) - 1:
        size, place = size / 1000, place + 1
    return f"{_three_digits(size) if place else f'{size:.0f}'} {units[place]}".rstrip()


def amount_text(number: float, unit: str) -> str:
    """How often something ran, or the seconds that it took; empty for never."""
    if not number:
        return ""
    return seconds(number) if unit == "seconds" else amount(number)


def e_value(log_e: float) -> str:
    """The evidence against "no difference" from its natural logarithm: "0.83", "10^12"."""
    if log_e < math.log(1e4):
        return f"{math.exp(log_e):.3g}"
    return f"10^{log_e / math.log(10):.0f}"


def _text(ratio: float, low: float, high: float, direction: str) -> RatioText:
    decimals = _decimals(ratio, low, high)
    ends = [f"{end:.{decimals}f}" if _bounded(end) else UNBOUNDED for end in (low, high)]
    interval = f"[{ends[0]}, {ends[1]}]"
    if UNBOUNDED in ends:
        interval += " (too few blocks)"
    value = f"{ratio:.{decimals}f}"
    if float(value) == 1 and low <= 1 <= high:
        direction = ""
    return RatioText(f"{value}x", direction, interval)


def _decimals(ratio: float, low: float, high: float) -> int:
    """As many as tell the ratio from the ends of its interval, and each of them from 1: on which
    side of it an end lies is the verdict. What is nearly alike needs no row of zeros."""
    ends = [end for end in (low, high) if _bounded(end)]
    near = max(ALIKE * ratio, ALIKE_IN_WIDTH * (high - low))
    pairs = [(ratio, x) for x in (1.0, *ends) if abs(ratio - x) > near]
    pairs += [(end, 1.0) for end in ends if abs(end - 1) > ALIKE]
    decimals = 2 if ratio < 10 else 1 if ratio < 100 else 0
    while decimals < MOST_DECIMALS and any(
        f"{a:.{decimals}f}" == f"{b:.{decimals}f}" for a, b in pairs
    ):
        decimals += 1
    return decimals


def _bounded(end: float) -> bool:
    return math.isfinite(end) and end > 0


def _reciprocal(end: float) -> float:
    if end == 0:
        return math.inf
    return 0.0 if math.isinf(end) else 1 / end


def _three_digits(number: float) -> str:
    if number >= 99.95:
        return f"{number:.0f}"
    return f"{number:.1f}" if number >= 9.995 else f"{number:.2f}"
