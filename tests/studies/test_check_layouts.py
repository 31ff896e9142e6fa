"""A check of two commits by make, whose difference is where the linker put the code: a program that
simulates its times, so that no load counts."""

from pathlib import Path

import pytest
from tests.studies.commit_study import Repository
from tests.studies.test_search_history import PACED
from tests.unit.investigate.doubles import Watcher, own

from whyfast.investigate.check_measuring import LAYOUTS
from whyfast.investigate.check_run import Request, run_check
from whyfast.judge.ratios import as_linked, over_layouts
from whyfast.report.sections.check import check_sentences

#: As `whyfast new` writes it for a Makefile.
STUDY = '''
[study]
title = "Did this change make it slower?"
baseline = "release"
[build]
steps = ['make -C {source} -j{jobs} CC={cc} CFLAGS="{cflags}" paced']
link = """
rm -f src/paced
make -C {source} CFLAGS="{cflags}" CC="{cc} {layout}" paced
cp src/paced {program}"""
program = "src/paced.linked"
[variant.release]
toolchain = "path:gcc"
cflags = ["-O1", "-ffunction-sections", "-fno-toplevel-reorder"]
[benchmarks.paced]
runner = "turn"
command = ["{program}"]
[measure]
turns = 5
'''


def test_code_that_never_runs_is_called_placement(tmp_path: Path) -> None:
    repository = Repository(tmp_path / "repo")
    (repository.folder / "whyfast.toml").write_text(STUDY)
    (repository.folder / "Makefile").write_text("paced: paced.o\n\t$(CC) -o $@ paced.o\n")
    source = PACED.read_text().replace("1.04", "1.02")
    (repository.folder / "paced.c").write_text(source)
    repository.commit("first")
    # The loop takes 1 ns in 60,000 longer; all of the rest is the code in front of it.
    changed = source.replace("STEPS 60000", "STEPS 60001").replace("#ifdef MOVED", "#if 1")
    assert changed != source
    (repository.folder / "paced.c").write_text(changed)
    result = run_check(Request(repository.folder, budget=600.0), own(tmp_path), Watcher())
    blocks = result.recorded.blocks
    assert len(over_layouts(blocks)) == LAYOUTS
    assert len(as_linked(blocks)) > 0
    (placement,) = [p for p in result.judged.placements if p.linked.benchmark]
    assert max(placement.linked.ratio, 1 / placement.linked.ratio) == pytest.approx(1.02, abs=0.001)
    assert placement.linked.outcome in ("faster", "slower")
    assert placement.varied.low < 1.0 < placement.varied.high
    assert 0.0 < placement.spread < 0.03 < 10 * placement.spread_high
    assert result.judged.about == "change"
    said = " ".join(check_sentences(result))
    assert "Placement alone moves" in said
    assert "over them" in said
