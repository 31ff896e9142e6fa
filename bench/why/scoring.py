"""What an answer of ``whyfast why`` to a pair with a known cause is worth."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

from bench.why.catalogue import Pair

#: A cause with a smaller share of the difference is not in the first screen's sentences.
FIRST_SCREEN = 0.1

#: ``right``: the first cause is accepted; of two causes, both are in the first screen. ``half``:
#: one of the two. ``later``: an accepted cause is in the first screen, another one before it.
#: ``silent``: no cause, rightly so for equal programs. ``wrong``: the first cause is not accepted.
#: ``failed``: no account came back.
Outcome = Literal["right", "half", "later", "silent", "wrong", "failed"]


@dataclass(frozen=True)
class Answer:
    """The causes of an account in the order of their shares, and what they explain together.

    ``places`` are the functions and items that the causes name, ``sentences`` what they say.
    ``trouble`` says why there is none.
    """

    keys: tuple[str, ...] = ()
    shares: tuple[float, ...] = ()
    places: tuple[str, ...] = ()
    sentence: str = ""
    explained: float = 0.0
    seconds: float = 0.0
    trouble: str = ""
    sentences: tuple[str, ...] = ()

    @property
    def screen(self) -> tuple[str, ...]:
        """The causes in the first screen."""
        return tuple(
            key for key, share in zip(self.keys, self.shares, strict=True) if share >= FIRST_SCREEN
        )


@dataclass(frozen=True)
class Score:
    """One pair with its answer, as a line of the file of results has it."""

    pair: str
    kind: str
    expected: str
    outcome: Outcome
    place_named: bool | None
    answer: Answer

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @staticmethod
    def from_json(line: Mapping[str, Any]) -> Score:
        given: dict[str, Any] = {
            k: tuple(v) if isinstance(v, list) else v for k, v in line["answer"].items()
        }
        return Score(**{**line, "answer": Answer(**given)})


def answer(envelope: Mapping[str, Any], seconds: float) -> Answer:
    """What an envelope ``{schema, generator, data: {found: {account}}}`` answers."""
    account = envelope["data"]["found"].get("account")
    if account is None:
        return Answer(seconds=seconds, trouble="no account")
    causes = sorted(account["causes"], key=lambda cause: -float(cause["share"]))
    return Answer(
        keys=tuple(cause["key"] for cause in causes),
        shares=tuple(round(float(cause["share"]), 3) for cause in causes),
        places=tuple(place for cause in causes for place in _places(cause)),
        sentence=causes[0]["sentence"] if causes else "",
        explained=float(account["explained"]),
        seconds=seconds,
        sentences=tuple(cause["sentence"] for cause in causes),
    )


def score(pair: Pair, answer: Answer) -> Score:
    """How right the answer is."""
    named = None
    if pair.where and answer.screen:
        named = any(pair.where in place for place in (*answer.places, answer.sentence))
    expected = " + ".join(keys[0] for keys in (pair.causes, pair.causes2) if keys)
    return Score(pair.name, pair.kind, expected or "none", _outcome(pair, answer), named, answer)


def _outcome(pair: Pair, answer: Answer) -> Outcome:
    if answer.trouble:
        return "failed"
    if not answer.screen:
        return "silent"
    first = _accepted(answer, pair.causes, pair.pattern)
    second = _accepted(answer, pair.causes2, pair.pattern2)
    if pair.kind == "equal" or 0 not in first | second:
        return "later" if pair.kind != "equal" and first | second else "wrong"
    if pair.kind == "two":
        return "right" if first and second else "half"
    return "right"


def _accepted(answer: Answer, keys: Sequence[str], pattern: str) -> set[int]:
    """Which causes of the first screen have one of the ``keys``, or a sentence that matches."""
    said = zip(answer.screen, answer.sentences, strict=False)
    return {
        number
        for number, (key, sentence) in enumerate(said)
        if key in keys or (pattern and re.search(pattern, sentence, re.I))
    }


def _places(cause: Mapping[str, Any]) -> Iterator[str]:
    yield from cause.get("items", ())
    place = cause.get("place") or {}
    yield from (place[part] for part in ("function", "library") if place.get(part))


def table(scores: Sequence[Score], markdown: bool) -> str:
    """A row a pair."""
    head = ("pair", "expected", "answered", "share", "explained", "outcome", "seconds")
    rows = [head, *(_row(score) for score in scores)]
    if markdown:
        lines = [f"| {' | '.join(row)} |" for row in rows]
        lines.insert(1, "| --- | --- | --- | ---: | ---: | --- | ---: |")
        return "\n".join(lines) + "\n"
    widths = [max(len(row[i]) for row in rows) for i in range(len(head))]
    return "".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        + "\n"
        for row in rows
    )


def _row(score: Score) -> tuple[str, ...]:
    given = score.answer
    outcome: str = "not explained" if score.outcome == "silent" else score.outcome
    if score.kind == "equal" and score.outcome == "silent":
        outcome = "right"
    if score.place_named is False:
        outcome += ", place not named"
    return (
        score.pair,
        score.expected,
        given.trouble or (given.keys[0] if given.keys else "none"),
        f"{given.shares[0]:.0%}" if given.shares else "",
        "" if given.trouble else f"{given.explained:.0%}",
        outcome,
        f"{given.seconds:.1f}",
    )


def totals(scores: Sequence[Score]) -> str:
    """The figures that the goals are about: named, wrong, equal programs with a cause."""
    different = [s for s in scores if s.kind != "equal"]
    equal = [s for s in scores if s.kind == "equal"]
    lines = []
    for kind in ("one", "two"):
        mine = [s for s in different if s.kind == kind]
        found = sum(s.outcome == "right" or (kind == "one" and s.outcome == "later") for s in mine)
        partly = sum(s.outcome == "half" for s in mine)
        text = f"{kind} cause{'s' if kind == 'two' else ''}: named in the first screen"
        text += f" {found} of {len(mine)}" + (f", half of it {partly}" if partly else "")
        if mine:
            lines.append(text)
    if different:
        wrong = [s for s in different if s.outcome in ("wrong", "later")]
        silent = sum(s.outcome == "silent" for s in different)
        lines.append(f"first cause wrong: {len(wrong)} of {len(different)}" + _names(wrong))
        lines.append(f"not explained: {silent} of {len(different)}")
        asked = [s for s in different if s.place_named is not None]
        named = sum(bool(s.place_named) for s in asked)
        lines.append(f"place named: {named} of {len(asked)}")
    if equal:
        wrong = [s for s in equal if s.outcome == "wrong"]
        lines.append(f"equal programs with a cause: {len(wrong)} of {len(equal)}" + _names(wrong))
    if failed := [s for s in scores if s.outcome == "failed"]:
        lines.append(f"failed: {len(failed)}" + _names(failed))
    if times := sorted(s.answer.seconds for s in scores):
        lines.append(f"seconds: median {times[len(times) // 2]:.1f}, longest {times[-1]:.1f}")
    return "\n".join(lines) + "\n"


def _names(scores: Sequence[Score]) -> str:
    return f" ({', '.join(s.pair for s in scores)})" if scores else ""
