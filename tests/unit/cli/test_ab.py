"""Options of ab, and what it imports."""

import subprocess
import sys
from pathlib import Path

import pytest

from whyfast.cli.main import main

Capture = pytest.CaptureFixture[str]
pytestmark = pytest.mark.usefixtures("own_home")


def test_short_options_and_a_number_of_runs(capsys: Capture) -> None:
    # A command that fails counts with -i, and three runs of each are too few for any verdict.
    assert main(["ab", "-N", "-i", "-w", "1", "-r", "3", "-v", "false", "true"]) == 0
    out = capsys.readouterr().out
    assert "3 blocks are too few for a verdict" in out
    assert "Time of a run" in out


def test_prepare_set_up_and_clear_up(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: Capture
) -> None:
    monkeypatch.chdir(tmp_path)
    aside = ["-s", "mkdir made", "-p", "touch made/ready", "-c", "rm -r made"]
    # A folder that is there cannot be made, and one that is not cannot be removed: each once.
    commands = ["test -e made/ready", "test -d made"]
    assert main(["ab", "-S", "none", "-r", "2", *aside, *commands]) == 0
    assert "test -e made/ready" in capsys.readouterr().out
    assert not (tmp_path / "made").exists()


def test_a_pipe_is_run_by_sh_and_the_summary_says_so(capsys: Capture) -> None:
    assert main(["ab", "-r", "9", "seq 9 | sort", "test $(seq 2 | wc -l) = 2"]) == 0
    assert "ran through `sh -c`" in capsys.readouterr().out


def test_a_command_that_does_not_end_is_named_after_the_budget(capsys: Capture) -> None:
    assert main(["ab", "--budget", "1s", "yes", "true"]) == 2
    last = capsys.readouterr().err.splitlines()[-1]
    assert last.startswith("whyfast: yes: still running after 1 s")
    assert "--timeout" in last


#: Every module that `whyfast ab` of two commands uses up to its report on a terminal.
IMPORTS = """
import sys
import whyfast.cli.ab, whyfast.cli.output, whyfast.cli.results
import whyfast.investigate.ab_run
import whyfast.report.progress, whyfast.report.result_json, whyfast.store.home
import whyfast.report.pages.results, whyfast.report.render.terminal
print(*sys.modules)
"""


#: Runs `whyfast ab` up to its first block.
FIRST_BLOCK = """
import os, sys
from whyfast.measure import campaign
def end(*_):
    print(*sys.modules, flush=True)
    os._exit(0)
campaign.run_block = campaign.calibrate = end
from whyfast.cli.main import main
main(["ab", "true", "sleep 0"])
"""


def modules_of(program: str) -> set[str]:
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    # whyfast itself imports some packages, without what is in them.
    return set(done.stdout.split()) - {
        *("whyfast.explain", "whyfast.history", "whyfast.judge", "whyfast.why"),
    }


def test_the_first_block_waits_neither_for_the_judge_nor_for_reports() -> None:
    loaded = modules_of(FIRST_BLOCK)
    assert "whyfast.measure.campaign" in loaded
    assert not loaded & {"numpy", "scipy", "tomllib", "msgspec"}
    packages = {"judge", "explain", "why", "search", "build", "interpreter", "history"}
    assert not {m for m in loaded if m.split(".")[1:2] and m.split(".")[1] in packages}
    # A dataclass costs about a millisecond: those of results, studies' files and pages are many.
    assert not loaded & {
        *("whyfast.model.result", "whyfast.model.evidence", "whyfast.model.counters"),
        "whyfast.model.verdict",
        *("whyfast.study.toml_table", "whyfast.study.sections"),
        *("whyfast.report.document", "whyfast.report.sections", "whyfast.report.render"),
        "whyfast.store.builds",
    }


def test_nothing_is_imported_that_only_studies_need() -> None:
    loaded = modules_of(IMPORTS)
    heavy = {"scipy", "elftools", "plotly", "capstone", "lief", "jinja2", "tomlkit", "debian"}
    assert loaded & heavy == set()
    packages = {".".join(m.split(".")[:2]) for m in loaded if m.startswith("whyfast.")}
    assert packages & {"whyfast.build", "whyfast.interpreter", "whyfast.history"} == set()
    assert not {"whyfast.study.load", "whyfast.explain.program"} & loaded
    # Nor what few results hold, though a result names its types.
    assert not {"whyfast.model.code", "whyfast.model.history"} & loaded
    # Nor what only other kinds of runners, counting and instruction by instruction need.
    assert not loaded & {
        "whyfast.measure.harnesses",
        "whyfast.measure.simulate",
        "whyfast.toolchain.wheels",
        "whyfast.toolchain.debian",
    }
