"""Sampled runs, from a perf that is a double."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.golden_files import Hear
from tests.unit.measure.tools import Answer, Replay, said

from whyfast.formats.profiles import StackFrame
from whyfast.measure import perf
from whyfast.measure.perf import SampledRun, sample_in_turns
from whyfast.measure.tools import CannotCount, Finished, ToolRun

COMMANDS = {"fast": ("./fast", "an input"), "slow": ("./slow",)}

#: What a run of each side leaves in `perf script`: of the slow one, a child does the work.
RUNS = {
    "./fast": """\
 1/1 0.1: PERF_RECORD_FORK({0}:{0}):(1:1)
 {0}/{0} 0.1: PERF_RECORD_COMM exec: fast:{0}/{0}
 {0}/{0} 0.2:  250000000
\t 1205 work+0x5 (/x/fast)

""",
    "./slow": """\
 1/1 0.1: PERF_RECORD_FORK({0}:{0}):(1:1)
 {0}/{0} 0.1: PERF_RECORD_COMM exec: sh:{0}/{0}
 {0}/{0} 0.2:  250000000
\t 99 start (/usr/bin/sh)

 {0}/{0} 0.3: PERF_RECORD_FORK(5{0}:5{0}):({0}:{0})
 5{0}/5{0} 0.3: PERF_RECORD_COMM exec: slow:5{0}/5{0}
 5{0}/5{0} 0.4:  500000000
\t 1305 work+0x5 (/x/slow)

 5{0}/5{0} 0.5:  500000000
\t 1305 work+0x5 (/x/slow)

""",
}
SHELL = StackFrame("start", 0, "/usr/bin/sh", 0x99)
FAST, SLOW = (
    StackFrame("work", 5, f"/x/{side}", p) for side, p in (("fast", 4613), ("slow", 4869))
)


class Perf:
    """Writes what the script that it is to record asks for; ``order`` is that of the runs."""

    def __init__(self, failing: str | None = None, sampled: bool = True) -> None:
        self.order: list[str] = []
        self.script = ""
        self.failing, self.sampled = failing, sampled

    def __call__(self, argv: Sequence[str]) -> Finished:
        return self._record(argv) if argv[1] == "record" else self._show(Path(argv[3]))

    def _record(self, argv: Sequence[str]) -> Finished:
        if self.failing is not None:
            return said(self.failing, 255)
        script = Path(argv[-1])
        self.script = script.read_text()
        lines = [line for line in self.script.splitlines() if line.startswith("./")]
        self.order = [line.split()[0] for line in lines]
        statuses = "".join(f"{3 if name == './slow' else 0}\n" for name in self.order)
        script.with_name("status").write_text(statuses)
        Path(argv[argv.index("-o") + 1]).touch()
        return said()

    def _show(self, into: Path) -> Finished:
        text = " 1/1 0.0: PERF_RECORD_COMM exec: sh:1/1\n"
        for number, name in enumerate(self.order, 10):
            text += RUNS[name].format(number)
        kept = [line for line in text.splitlines() if self.sampled or "PERF_RECORD" in line]
        into.write_text("\n".join(kept))
        return said()


def sample(
    answers: dict[str, Answer], *, callers: bool = False, rounds: int = 4
) -> list[SampledRun]:
    shell = {"sh": answers["perf"]} if "perf" in answers else {}  # puts what perf says into a file
    return sample_in_turns(
        COMMANDS,
        rounds,
        ToolRun((), Replay({**answers, **shell}), {"LANG": "C", "LC_ALL": "de_DE"}, 9.0),
        seed=7,
        stdin="/my data",
        callers=callers,
    )


def test_each_round_runs_every_command_once_in_random_order() -> None:
    perf = Perf()
    runs = sample({"perf": perf}, rounds=12)
    assert [f"./{r.side}" for r in runs] == perf.order
    pairs = [tuple(perf.order[i : i + 2]) for i in range(0, 24, 2)]
    assert set(pairs) == {("./fast", "./slow"), ("./slow", "./fast")}
    again = Perf()
    sample({"perf": again}, rounds=12)
    assert again.order == perf.order


def test_a_run_has_the_seconds_of_all_its_processes() -> None:
    runs = {r.side: r for r in sample({"perf": Perf()})}
    assert runs["fast"] == SampledRun("fast", {(FAST,): 0.25}, 1, 0)
    assert runs["slow"] == SampledRun("slow", {(SHELL,): 0.25, (SLOW,): 1.0}, 3, 3)
    assert runs["slow"].seconds == 1.25


def test_programs_have_their_own_environment_and_input() -> None:
    perf = Perf()
    sample({"perf": perf}, rounds=1)
    assert perf.script.splitlines()[:2] == ["export LC_ALL=de_DE", "unset DEBUGINFOD_URLS"]
    lines = {line.split(";")[0] for line in perf.script.splitlines()[2:4]}
    assert lines == {
        "./fast 'an input' <'/my data' >/dev/null 2>&1",
        "./slow <'/my data' >/dev/null 2>&1",
    }


def test_the_script_is_one_that_a_shell_understands(tmp_path: Path) -> None:
    perf = Perf()
    sample({"perf": perf}, rounds=1)
    file = tmp_path / "script"
    file.write_text(perf.script)
    assert subprocess.run(["sh", "-n", str(file)], check=False).returncode == 0


@pytest.mark.parametrize(
    ("callers", "faults", "words"),
    [
        (False, 0, ["cpu-clock:u", "-F", "3989", "--call-graph", "fp"]),
        (True, 0, ["cpu-clock:u", "-F", "997", "--call-graph", "dwarf,16384"]),
        (True, 50, ["page-faults:u", "-c", "50", "--call-graph", "dwarf,16384"]),
    ],
)
def test_user_time_is_sampled_by_the_timer_and_faults_by_their_number(
    callers: bool, faults: int, words: list[str]
) -> None:
    perf = Perf()
    replay = Replay({"perf": perf, "sh": perf})
    around = ToolRun((), replay, {}, 9.0)
    sample_in_turns(COMMANDS, 1, around, seed=1, callers=callers, faults=faults)
    record = replay.calls[0]
    assert record[:2] == ("/usr/bin/perf", "record")
    first = record.index("-e") + 1
    assert list(record[first : first + 5]) == words
    assert replay.environments[0]["LC_ALL"] == "C"


def _slow_to_end(argv: Sequence[str]) -> Finished:
    raise TimeoutError("still running after 9 s")


def _not_executable(argv: Sequence[str]) -> Finished:
    raise PermissionError(13, "Permission denied")


@pytest.mark.parametrize(
    ("answers", "paranoid"),
    [
        ({}, "2"),
        ({"perf": Perf("Error:\nAccess to performance monitoring … is limited.")}, "4"),
        ({"perf": Perf("perf_event_open: Permission denied")}, "2"),
        ({"perf": Perf("Error:\n\nunknown option `no-bpf-event'\n Usage: perf record")}, "2"),
        ({"perf": Perf("")}, "2"),
        ({"perf": Perf(sampled=False)}, "2"),
        ({"perf": _slow_to_end}, "2"),
        ({"perf": _not_executable}, "2"),
    ],
    ids=["missing", "forbidden", "refused", "too old", "silent", "too short", "too slow", "broken"],
)
def test_why_nothing_was_sampled(
    answers: dict[str, Answer],
    paranoid: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    golden: Hear,
) -> None:
    setting = tmp_path / "paranoid"
    setting.write_text(paranoid)
    monkeypatch.setattr(perf, "_PARANOID", setting)
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    with pytest.raises(CannotCount) as raised:
        sample(answers)
    golden(str(raised.value))
