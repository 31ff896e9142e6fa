"""How the stretches of the pinned form are chosen from profiles."""

import re

import pytest
from bench.vm.profiles import Piece, lettered, pieces, read_profile, registers
from bench.vm.programs import SUBJECT
from bench.vm.stretches import as_text, choose, cost, kind, likely_pairs

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
