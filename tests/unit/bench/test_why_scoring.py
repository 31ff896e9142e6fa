"""What an answer to a pair with a known cause counts as, and what the catalogue must keep to."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from bench.why.__main__ import asked, built, main
from bench.why.catalogue import FOLDER, Pair, catalogue, chosen
from bench.why.scoring import Answer, Score, answer, score, table, totals

ONE = Pair(
    name="mix",
    kind="one",
    requires=(),
    sources=(),
    build_fast="",
    build_slow="",
    run_fast="true",
    run_slow="sleep 0",
    causes=("vectorisation", "bounds-checks"),
    where="mix",
)
TWO = replace(ONE, kind="two", causes=("sleep",), causes2=("division",), where="")
EQUAL = replace(ONE, kind="equal", causes=(), where="")


def envelope(*causes: tuple[str, float], function: str = "mix") -> dict[str, Any]:
    """What ``whyfast why --json`` writes, cut down to what is read of it."""
    account = {
        "explained": sum(share for _, share in causes),
        "split": {"user": {"fast": 0.1, "slow": 0.3, "low": 0.1, "high": 0.3}},
        "causes": [
            {
                "key": key,
                "sentence": f"it is {key}",
                "share": share,
                "items": [function],
                "place": {"function": function, "file": "", "line": 0, "library": ""},
            }
            for key, share in causes
        ],
    }
    data = {"found": {"account": account}}
    return {"schema": "whyfast-result/3", "generator": {"name": "whyfast"}, "data": data}


def outcome(pair: Pair, *causes: tuple[str, float]) -> str:
    return score(pair, answer(envelope(*causes), 1.0)).outcome


@pytest.mark.parametrize(
    ("causes", "expected"),
    [
        ([("vectorisation", 0.95)], "right"),
        ([("bounds-checks", 0.95)], "right"),
        ([("spills", 0.6), ("vectorisation", 0.3)], "later"),
        ([("spills", 0.9), ("vectorisation", 0.05)], "wrong"),
        ([("vectorisation", 0.09)], "silent"),
        ([], "silent"),
    ],
)
def test_one_cause(causes: list[tuple[str, float]], expected: str) -> None:
    assert outcome(ONE, *causes) == expected


def test_causes_are_taken_in_the_order_of_their_shares() -> None:
    assert outcome(ONE, ("spills", 0.2), ("vectorisation", 0.7)) == "right"


def test_two_causes_must_both_be_in_the_first_screen() -> None:
    assert outcome(TWO, ("sleep", 0.5), ("division", 0.4)) == "right"
    assert outcome(TWO, ("division", 0.9), ("sleep", 0.05)) == "half"
    assert outcome(TWO, ("spills", 0.6), ("sleep", 0.4)) == "later"


def test_equal_programs_have_no_cause() -> None:
    assert outcome(EQUAL) == "silent"
    assert outcome(EQUAL, ("placement", 0.8)) == "wrong"
    assert outcome(EQUAL, ("placement", 0.05)) == "silent"


def test_the_place_must_be_named() -> None:
    named = score(ONE, answer(envelope(("vectorisation", 0.9)), 1.0))
    other = score(ONE, answer(envelope(("vectorisation", 0.9), function="main"), 1.0))
    assert (named.place_named, other.place_named) == (True, False)
    assert score(TWO, answer(envelope(("sleep", 0.9)), 1.0)).place_named is None


def test_a_result_without_an_account_failed() -> None:
    assert score(ONE, answer({"data": {"found": {"account": None}}}, 2.0)).outcome == "failed"


def test_totals() -> None:
    scores = [
        score(ONE, answer(envelope(("vectorisation", 0.9)), 3.0)),
        score(replace(ONE, name="b"), answer(envelope(("spills", 0.6), ("vectorisation", 0.4)), 4)),
        score(replace(ONE, name="c"), answer(envelope(), 5.0)),
        score(TWO, answer(envelope(("sleep", 0.9)), 6.0)),
        score(EQUAL, answer(envelope(("placement", 0.9)), 7.0)),
        score(replace(ONE, name="d"), Answer(trouble="not built")),
    ]
    assert totals(scores).splitlines() == [
        "one cause: named in the first screen 2 of 4",
        "two causes: named in the first screen 0 of 1, half of it 1",
        "first cause wrong: 1 of 5 (b)",
        "not explained: 1 of 5",
        "place named: 2 of 2",
        "equal programs with a cause: 1 of 1 (mix)",
        "failed: 1 (d)",
        "seconds: median 5.0, longest 7.0",
    ]


def test_table_of_one_row() -> None:
    scores = [score(ONE, answer(envelope(("vectorisation", 0.9)), 3.0))]
    assert table(scores, markdown=True).splitlines()[2] == (
        "| mix | vectorisation | vectorisation | 90% | 90% | right | 3.0 |"
    )
    assert "not explained" in table([score(ONE, Answer())], markdown=False)
    assert "not explained" not in table([score(EQUAL, Answer())], markdown=False)


def test_a_line_of_the_results_is_read_as_it_was_written() -> None:
    kept = score(ONE, answer(envelope(("vectorisation", 0.9)), 3.0))
    assert Score.from_json(json.loads(json.dumps(kept.to_json()))) == kept


#: Stands for ``whyfast why A B --json FILE``: writes a recorded envelope.
RECORDED = """
import json, pathlib, sys
pathlib.Path(sys.argv[sys.argv.index("--json") + 1]).write_text(sys.argv[1])
"""


def recorded(text: Mapping[str, Any]) -> list[str]:
    return [sys.executable, "-c", RECORDED, json.dumps(text)]


def test_a_pair_is_built_and_asked() -> None:
    pair = replace(ONE, build_fast="touch {out}", build_slow="test -d {src} && touch {out}")
    found = asked(pair, recorded(envelope(("vectorisation", 0.9))), seed=1, timeout=30)
    assert (found.outcome, found.place_named) == ("right", True)


def test_what_does_not_build_or_end_failed() -> None:
    broken = asked(replace(ONE, build_slow="echo no such tool >&2; false"), ["true"], 1, 30)
    assert (broken.outcome, broken.answer.trouble) == ("failed", "not built: no such tool")
    slow = asked(ONE, [sys.executable, "-c", "import time; time.sleep(60)"], 1, 0.2)
    assert slow.answer.trouble == "no answer within 0 s"
    silent = asked(ONE, [sys.executable, "-c", "raise SystemExit('bad input')"], 1, 30)
    assert silent.answer.trouble == "exit code 1: bad input"


def test_the_order_of_the_sides_is_drawn(tmp_path: Path) -> None:
    orders = set()
    for seed in range(8):
        folder = tmp_path / str(seed)
        folder.mkdir()
        orders.add(tuple(built(ONE, folder, seed)))
    assert orders == {("true", "sleep 0"), ("sleep 0", "true")}


def test_results_are_not_asked_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    results = tmp_path / "results.jsonl"
    kept = [replace(score(p, Answer(("sleep",), (0.9,))), outcome="right") for p in catalogue()]
    results.write_text("".join(json.dumps(s.to_json()) + "\n" for s in kept))
    assert main(["--results", str(results), "--kind", "equal", "--command", "false"]) == 0
    assert "failed" not in capsys.readouterr().out


def test_a_sentence_that_matches_the_pattern_is_right_by_any_key() -> None:
    told = replace(ONE, pattern="IS DIV")
    assert outcome(told, ("division", 0.9)) == "right"
    assert outcome(told, ("sleep", 0.9)) == "wrong"
    told = replace(ONE, pattern="IS SPILLS")
    causes = envelope(("spills", 0.6), ("spills", 0.3))
    first = causes["data"]["found"]["account"]["causes"][0]
    first["sentence"] = "something else"
    assert score(told, answer(causes, 1.0)).outcome == "later"
    both = replace(TWO, pattern2="copying|locks")
    assert outcome(both, ("sleep", 0.5), ("locks", 0.4)) == "right"


PAIRS = catalogue()
HELD_OUT = catalogue(FOLDER / "heldout.toml")
BLIND = tuple(p for n in ("", *range(2, 11)) for p in catalogue(FOLDER / f"blind{n}.toml"))
ACCOUNT = (FOLDER.parent.parent / "docs" / "account.md").read_text(encoding="utf-8")
KEYS = set(re.findall(r"`([\w-]+)`", ACCOUNT.partition("## Causes\n")[2].partition("\n## ")[0]))


def test_there_are_enough_pairs() -> None:
    kinds = Counter(pair.kind for pair in PAIRS)
    assert kinds["one"] >= 44
    assert kinds["two"] >= 10
    assert kinds["equal"] >= 10
    assert len({pair.name for pair in PAIRS}) == len(PAIRS)


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair.name)
def test_each_pair_is_whole(pair: Pair) -> None:
    assert {*pair.causes, *pair.causes2} <= KEYS
    assert bool(pair.causes) == (pair.kind != "equal")
    assert bool(pair.causes2) == (pair.kind == "two")
    assert pair.check
    assert pair.requires
    for source in pair.sources:
        assert (FOLDER / "programs" / source).is_file()
    commands = (pair.build_fast, pair.build_slow, pair.run_fast, pair.run_slow)
    for name in re.findall(r"\{src\}/([\w.]+)", " ".join(commands)):
        assert name in pair.sources


@pytest.mark.parametrize("pair", HELD_OUT + BLIND, ids=lambda pair: pair.name)
def test_each_held_out_pair_is_whole(pair: Pair) -> None:
    assert {*pair.causes, *pair.causes2} <= KEYS
    assert bool(pair.causes) == (pair.kind != "equal")
    assert bool(pair.causes2) == (pair.kind == "two")
    assert (pair.build_fast, pair.run_fast) != (pair.build_slow, pair.run_slow)
    (source,) = pair.sources
    assert (FOLDER / "programs" / source).is_file()


def test_marks_divide_the_lines_of_a_source_between_the_sides(tmp_path: Path) -> None:
    pair = next(p for p in HELD_OUT if p.name == "h-two-py")  # LIST|SPAWN
    texts = {}
    for command in built(pair, tmp_path, 1):
        text = Path(command.split()[-1]).read_text()
        texts["slow" if "subprocess.run" in text else "fast"] = text
    assert "names = list(names)" in texts["slow"]
    assert "names = set(names)" not in texts["slow"]
    assert "names = set(names)" in texts["fast"]
    assert all("queue = deque(orders)" in text for text in texts.values())
    assert not any("#LIST" in text or "#-POP" in text for text in texts.values())


def test_each_source_is_used() -> None:
    used = {source for pair in PAIRS for source in pair.sources}
    assert used == {file.name for file in (FOLDER / "programs").iterdir() if file.is_file()}


def test_pairs_are_chosen_by_the_beginnings_of_names_and_kinds() -> None:
    assert {p.name for p in chosen(PAIRS, ["mix-"], [])} == {"mix-level", "mix-flag", "mix-width"}
    assert {p.kind for p in chosen(PAIRS, [], ["two", "equal"])} == {"two", "equal"}


def test_the_list_is_printed_without_building() -> None:
    command = [sys.executable, "-m", "bench.why", "--list", "mix-level"]
    done = subprocess.run(
        command, capture_output=True, text=True, check=True, cwd=FOLDER.parents[1]
    )
    assert done.stdout.split() == ["mix-level", "one", "vectorisation", "mix"]
