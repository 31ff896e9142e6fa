"""How bench/vm chooses programs, refuses contenders, and sums up. How the stretches of the pinned
form are chosen from profiles."""

import math
import random
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from bench.vm.__main__ import arguments, chosen, main, ubpf_asked
from bench.vm.contenders import Contender, find_one
from bench.vm.measuring import Effort, measure, refusal
from bench.vm.profiles import Piece, lettered, pieces, read_profile, registers
from bench.vm.programs import FOLDERS, SUBJECT, programs
from bench.vm.stretches import as_text, choose, cost, kind, likely_pairs
from bench.vm.table import Ratio, Row, geometric_mean, means, row_table, summary
from tests.golden_files import Hear

from whyfast.model.errors import UserError


@pytest.fixture
def goto(build_vm: Callable[[str], Path]) -> Contender:
    vm = str(build_vm("GOTO"))
    return Contender(
        "goto",
        "",
        lambda program: [vm, "turn", str(program.bytecode), "--mem-size", str(program.memory)],
    )


def test_both_sets_are_there_and_apart() -> None:
    tuning, held_out = (programs(kind) for kind in FOLDERS)
    assert len(tuning) > 20
    assert len(held_out) >= 12
    assert not {p.name for p in tuning} & {p.name for p in held_out}
    assert "chain" not in {p.name for p in tuning}
    assert all(p.bytecode.is_file() and p.source.is_file() for p in [*tuning, *held_out])
    assert {p.name: (p.memory, p.result) for p in tuning}["sieve"] == (4096, "0x23400000ffd")


def test_programs_by_name() -> None:
    found = chosen(["sha256", "collatz", "sieve"])
    names = {kind: [p.name for p in each] for kind, each in found.items()}
    assert names == {"tuning": ["collatz", "sieve"], "held-out": ["sha256"]}
    assert list(chosen(["lz"])) == ["held-out"]
    with pytest.raises(UserError, match="--programs quicksort: there are aes128, base64"):
        chosen(["lz", "quicksort"])


def test_who_returns_another_result_is_refused(goto: Contender) -> None:
    [collatz] = chosen(["collatz"])["tuning"]
    assert refusal(goto, collatz) == ""
    wrong = replace(collatz, result="0x1")
    assert refusal(goto, wrong) == "wrong result: 0x1470000008f, expected 0x1"
    absent = replace(collatz, name="absent")
    assert "absent.hex: No such file or directory" in refusal(goto, absent)


def test_a_program_is_measured_against_the_first(goto: Contender) -> None:
    [sieve] = chosen(["sieve"])["tuning"]
    row = measure([goto, replace(goto, name="again")], sieve, Effort(2, 1), random.Random(1))
    assert row.program == "sieve"
    assert list(row.ratios) == ["again"]
    assert 0 < row.ratios["again"].low < row.ratios["again"].value < row.ratios["again"].high


def test_the_interval_of_a_mean() -> None:
    found = geometric_mean([2.0, 8.0])
    assert found.value == pytest.approx(4.0)
    # s of (log 2, log 8) is log(4)/sqrt(2); t of 0.975 with one degree of freedom is 12.706.
    half = 12.7062047 * math.log(4) / math.sqrt(2) / math.sqrt(2)
    assert (found.low, found.high) == pytest.approx((4 / math.exp(half), 4 * math.exp(half)))
    assert str(geometric_mean([3.0])) == "3.00 [open]"


def ratio(value: float) -> Ratio:
    return Ratio(value, value / 2, value * 2)


def test_tables(golden: Hear) -> None:
    rows = [Row("one", {"slow": ratio(4.0), "rare": ratio(3.0)}), Row("two", {"slow": ratio(4.0)})]
    golden(row_table(rows, ["slow", "rare"]))
    assert means(rows, ["slow"])["slow"][1] == 2
    golden(summary({"tuning": rows, "held-out": rows[1:]}, ["slow", "rare"]))


def test_where_an_installed_library_is(tmp_path: Path) -> None:
    assert ubpf_asked(f"gcc-O3={tmp_path}") == ("gcc-O3", tmp_path)
    assert ubpf_asked(str(tmp_path)) == (tmp_path.name, tmp_path)
    with pytest.raises(UserError, match="--ubpf nowhere: there is no folder nowhere"):
        ubpf_asked("nowhere")
    with pytest.raises(UserError, match=r"expected one libubpf.a below it, the library, found 0"):
        find_one(tmp_path, "libubpf.a", "the library")
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "libubpf.a").touch()
    assert find_one(tmp_path, "libubpf.a", "the library") == tmp_path / "lib" / "libubpf.a"


def test_bad_arguments_are_one_line(capsys: pytest.CaptureFixture[str], golden: Hear) -> None:
    assert main(["--blocks", "1"]) == 2
    golden(capsys.readouterr().err)
    assert arguments([]).form == "pinned"


#: r1 = r2; r1 += constant 40; if r1 == constant 41 goto start; then r3 = r1, r0 = r3, exit. The
#: loop runs ten times; nothing before it.
LOOP = """\
mov64 1 2 255 0 10 10
add64 1 40 1 0 10 10
jeq64 1 41 1 0 10 1
mov64 3 1 1 0 1 1
mov64 0 3 3 0 1 1
- 0 0 0 1 1 0
"""
MOVE_ADD = (("mov64", "A", "X"), ("add64", "A", "X"))
MOVE_ADD_TEST = (*MOVE_ADD, ("jeq64", "A", "X"))


def test_a_profile_is_read() -> None:
    profile = read_profile(LOOP)
    assert profile.total == 33
    assert profile.instructions[2].through == 1
    assert profile.forms[0] == {
        2: (MOVE_ADD, MOVE_ADD),
        3: (MOVE_ADD_TEST, MOVE_ADD_TEST),
        4: ((*MOVE_ADD_TEST, ("mov64", "B", "A")), (*MOVE_ADD_TEST, ("mov64", "B", "A"))),
    }
    assert profile.forms[4] == {}


def test_letters() -> None:
    instructions = read_profile(LOOP).instructions
    assert lettered(instructions[1:3], True) == (("add64", "A", "X"), ("jeq64", "A", "X"))
    assert lettered(instructions[2:4], True) == (("jeq64", "P", "X"), ("mov64", "A", "P"))
    assert lettered(instructions[2:4], False) == (("jeq64", "X", "X"), ("mov64", "A", "X"))
    assert lettered(instructions[4:6], True) is None  # exit is no step
    assert lettered(instructions[0:5], True) is None  # writes three registers


def test_what_a_stretch_costs() -> None:
    assert (registers(MOVE_ADD), cost(MOVE_ADD)) == (1, 10)
    assert cost((("jeq64", "X", "X"), ("ja", "X", "X"))) == 1
    assert cost((("mov64", "A", "X"), ("mov64", "B", "A"))) == 90


def test_how_a_program_is_cut() -> None:
    profile = read_profile(LOOP)
    assert pieces(profile, {MOVE_ADD}) == [
        Piece(0, 2, 10.0, 10.0),
        Piece(2, 1, 10.0, 1.0),
        Piece(3, 1, 1.0, 1.0),
        Piece(4, 1, 1.0, 1.0),
        Piece(5, 1, 1.0, 0.0),
    ]
    assert [piece.length for piece in pieces(profile, {MOVE_ADD_TEST})] == [3, 1, 1, 1]


def test_pairs_that_never_ran_are_likely_too() -> None:
    found = likely_pairs([read_profile(LOOP)])
    assert found[MOVE_ADD] > found[("mov64", "A", "X"), ("mov64", "A", "X")] > 0
    assert ("ja", "X", "X") not in {step for pair in found for step in pair}


def test_what_several_programs_want_is_chosen() -> None:
    profile = read_profile(LOOP)
    both = choose([profile, profile], 60)
    assert MOVE_ADD in both
    assert MOVE_ADD_TEST in both
    assert sum(map(cost, choose([profile], 20))) == 20
    assert sum(map(cost, both)) >= 60
    assert choose([], 100) == []


@pytest.mark.parametrize(
    ("step", "wanted"),
    [
        ("ldxw", "load"),
        ("flddw", "load"),
        ("stxb", "store"),
        ("fsth", "store"),
        ("ja", "goto"),
        ("jset32", "test"),
        ("arsh64", "arithmetic"),
    ],
)
def test_kinds(step: str, wanted: str) -> None:
    assert kind(step) == wanted


def test_the_list_is_as_it_is_written() -> None:
    text = (SUBJECT / "stretches.inc").read_text()
    found = []
    for words in re.findall(r"^STRETCH\(\d, \d, (.*)\)$", text, flags=re.MULTILINE):
        parts = words.split(", ")
        found.append(tuple((parts[i], parts[i + 1], parts[i + 2]) for i in range(0, len(parts), 3)))
    assert as_text(reversed(found)) == text
