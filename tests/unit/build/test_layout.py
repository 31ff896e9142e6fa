"""Layouts: drawn from a seed, and nothing else."""

import re

from tests.golden_files import Hear

from whyfast.build.pieces import Piece
from whyfast.build.relink import FIRST_GAP, GAP, GAPS, STEP, draw_layout, layout_seeds

PIECES = [Piece(f".text.f{i}") for i in range(50)]


def _script(number: int, seed: int) -> str:
    return draw_layout(PIECES[:number], seed).script


def _placed(script: str) -> list[tuple[int, str]]:
    """The gap in front of each unit, in the order of the script."""
    return [(int(g), u) for g, u in re.findall(r"\. = \. \+ (\d+); (.+)", script)]


def test_equal_seeds_make_equal_scripts_and_others_do_not() -> None:
    assert draw_layout(PIECES, 7) == draw_layout(PIECES, 7)
    assert len({_script(50, seed) for seed in range(20)}) == 20


def test_a_script_places_each_section_once_with_gaps_that_keep_alignment() -> None:
    layout = draw_layout(PIECES, 7)
    placed = _placed(layout.script)
    names = [name for _, name in placed]
    assert sorted(names) == sorted(f"*({p.section})" for p in PIECES)
    assert names != [f"*({p.section})" for p in PIECES]
    gaps = [gap for gap, _ in placed]
    assert all(gap % STEP == 0 for gap in gaps)
    assert gaps[0] < FIRST_GAP
    assert max(gaps[1:]) < GAP
    assert len(set(gaps)) > 5
    assert layout.gaps == sum(gaps)
    assert layout.script.startswith("SECTIONS\n{\n  .text.whyfast : {\n")
    assert layout.script.endswith("INSERT BEFORE .text;\n")


def test_over_seeds_every_section_comes_first_and_the_first_gap_covers_a_page() -> None:
    first = [_placed(_script(4, seed))[0] for seed in range(400)]
    assert {name for _, name in first} == {f"*(.text.f{i})" for i in range(4)}
    assert len({gap // 64 for gap, _ in first}) == 64


def test_a_piece_of_certain_files_is_placed_from_these(golden: Hear) -> None:
    piece = Piece(".text", ("[a].o", "*/a.o", "*libx.a:a.o"))
    golden(piece.statements)
    assert [u for _, u in _placed(draw_layout([piece], 1).script)] == [piece.statements]


def test_what_is_kept_together_is_moved_as_one_in_the_order_of_the_patterns() -> None:
    pieces = [Piece(f".text.{n}") for n in ("hot.a", "hot.b", "sorted", "x", "y", "z")]
    units = [
        [u for _, u in _placed(draw_layout(pieces, seed, [".text.sorted", ".text.hot.*"]).script)]
        for seed in range(30)
    ]
    kept = "*(.text.sorted) *(.text.hot.*)"
    assert {frozenset(u) for u in units} == {
        frozenset([kept, "*(.text.x)", "*(.text.y)", "*(.text.z)"])
    }
    assert {u.index(kept) for u in units} == {0, 1, 2, 3}


def test_large_programs_get_no_more_gaps_than_small_ones() -> None:
    many = [Piece(f".text.f{i}") for i in range(5000)]
    gaps = [gap for gap, _ in _placed(draw_layout(many, 3).script)]
    assert len(gaps) == 5000
    assert GAPS * 0.9 < sum(gap > 0 for gap in gaps) <= GAPS


def test_seeds_are_the_same_at_every_run_and_shared_by_no_two_variants() -> None:
    assert layout_seeds("base", 8) == layout_seeds("base", 8)
    assert layout_seeds("base", 8) == layout_seeds("base", 12)[:8]
    assert not {*layout_seeds("base", 50)} & {*layout_seeds("other", 50)}
    assert len({*layout_seeds("base", 200)}) == 200
