"""What every build does for the same work, by tools that are doubles. Programs by their files, as
they are counted. Counters of commands, from a perf that is a double."""

import os
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
from tests.golden_files import Hear
from tests.unit.build.example import study as example
from tests.unit.build.example import write_source
from tests.unit.investigate.doubles import Watcher, World, own
from tests.unit.measure.tools import Replay, option, said

from whyfast.investigate import context as context_module
from whyfast.investigate.ab_run import ROUNDS
from whyfast.investigate.context import RunContext
from whyfast.investigate.counting import WHOLE, CountRequest, count, file_tasks
from whyfast.investigate.recording import recording
from whyfast.judge.judge_run import judge_metrics
from whyfast.measure.count import Profiler
from whyfast.measure.perf import GROUPS, count_in_rounds
from whyfast.measure.tools import Finished, ToolRun
from whyfast.model.build import Build
from whyfast.model.counters import Counted
from whyfast.model.sample import Calibration
from whyfast.model.study import Commands, EvidenceSpec, Study
from whyfast.model.variant import Benchmark, RunnerName, Variant
from whyfast.model.verdict import Verdict
from whyfast.store.home import Home
from whyfast.toolchain.sandbox import Box

#: Instructions to start, and of each loop, by the name of the program.
COSTS = {"a": (100_000, 3_000_000), "b": (100_000, 6_000_000)}


@dataclass
class Tools:
    """Programs that take turns where they are granted any, under Valgrind and perf.

    ``counts`` says whether the hardware does.
    """

    counts: bool = False
    replay: Replay = field(init=False)

    def __post_init__(self) -> None:
        tools = {"valgrind": self.valgrind, "perf": self.perf}
        self.replay = Replay({**tools, **dict.fromkeys(COSTS, self.alone)})

    def alone(self, argv: Sequence[str]) -> Finished:
        self._run(argv)
        return said()

    def valgrind(self, argv: Sequence[str]) -> Finished:
        if argv[-1] == "--version":
            return said("valgrind-3.25.0")
        executed = self._run(argv)
        out = Path(option(argv, "--callgrind-out-file").replace("%p", "77"))
        out.write_text(f"events: Ir\nob=(1) {argv[-1]}\nfn=(1) run\n0 {executed}\n")
        Path(option(argv, "--log-file")).write_text("==77== Callgrind")
        return said()

    def perf(self, argv: Sequence[str]) -> Finished:
        if argv[1] == "--version":
            return said("perf version 6.1")
        if argv[1] == "report":
            return said("# Samples: 900  of event 'cycles:u'\n 900 ;a ;[.] run\n")
        executed = self._run(argv)
        counted = executed if self.counts else "<not supported>"
        line = f'{{"counter-value": "{counted}", "event": "%s", "pcnt-running": 100}}'
        events = argv[argv.index("-e") + 1].split(",")
        Path(argv[argv.index("-o") + 1]).write_text("\n".join(line % e for e in events))
        return said()

    def _run(self, argv: Sequence[str]) -> int:
        start, loop = COSTS[Path(argv[-1]).name]
        turns = self.replay.environments[-1].get("WHYFAST_TURN")
        if turns is None:
            return start + loop
        grants, answers = map(int, turns.split(","))
        loops = [int(n) for n in os.read(grants, 65536).split()]
        os.write(answers, b"ready 1\n" + b"0.1 42\n" * len(loops))
        return start + loop * sum(loops)


def _count(
    folder: Path, tools: Tools, evidence: EvidenceSpec, runner: RunnerName = "turn"
) -> tuple[tuple[Counted, ...], list[str]]:
    """What is counted, and what was said."""
    for name in COSTS:
        (folder / name).write_text("no machine code")
    check = "42" if runner == "turn" else None
    study = replace(
        example(write_source(folder)),
        baselines=("a",),
        variants=(Variant("b"), Variant("a"), Variant("a control", control_of="a")),
        benchmarks=(Benchmark("fib", runner, ("{program}",), check=check),),
        evidence=evidence,
    )
    toolchain = {"toolchain": {"name": "path:cc", "digest": "t"}}
    builds = tuple(Build(n, n, folder / n[0], n, toolchain, True) for n in ("b", "a", "a control"))
    context: RunContext[Study] = RunContext(
        study,
        own(folder),
        Watcher(),
        World(launcher=tools.replay).services(),
        toolchains=(World().toolchain("t", own(folder), print, ()),),
        builds=builds,
    )
    with recording(context, "k") as run:
        run.add_calibration(Calibration("fib", loops=8, turns=3, value=0.05, start=0.0))
        context = count(context, run)
    assert isinstance(context.observer, Watcher)
    return context.counted, context.observer.heard


def _instructions(counted: Counted) -> dict[str, list[tuple[float | None, str]]]:
    return {
        c.variant: [(k.value, k.source) for k in c.counters if k.name == "instructions"]
        for c in counted.counts
    }


def test_a_study_that_wants_nothing_counted(tmp_path: Path) -> None:
    assert _count(tmp_path, Tools(), EvidenceSpec()) == ((), [])


def test_one_warm_turn_is_simulated_the_same_in_all_builds(tmp_path: Path, golden: Hear) -> None:
    tools = Tools()
    (counted,), heard = _count(tmp_path, tools, EvidenceSpec(counters="simulation"))
    golden(counted.work)
    # In the order of the study, without the control; the main baseline decides the loops.
    assert _instructions(counted) == {
        "b": [(6_000_000, "simulated")],
        "a": [(3_000_000, "simulated")],
    }
    assert not any("perf" in call[0] for call in tools.replay.calls)
    golden(*heard[:2])
    assert heard[2].startswith("hot functions of fib: ")


def test_no_benchmark_is_counted_once_the_time_for_it_is_used_up(tmp_path: Path) -> None:
    evidence = EvidenceSpec(counters="simulation", limit=0.0)
    counted, heard = _count(tmp_path, Tools(), evidence)
    assert counted == ()
    assert "fib" in heard[-1]


def test_what_the_hardware_counts_goes_first(tmp_path: Path, golden: Hear) -> None:
    wanted = EvidenceSpec(counters="hardware or simulation")
    (counted,), heard = _count(tmp_path, Tools(counts=True), wanted)
    golden(counted.work)
    assert _instructions(counted) == {
        "b": [(480_000_000, "measured")],
        "a": [(240_000_000, "measured")],
    }
    assert "counting fib in 2 builds" in heard
    assert not any(said.startswith("simulating") for said in heard)


def test_events_that_only_a_simulation_has_are_added(tmp_path: Path, golden: Hear) -> None:
    events = ("instructions", "L1i misses")
    wanted = EvidenceSpec(counters="hardware or simulation", events=events)
    (counted,), _ = _count(tmp_path, Tools(counts=True), wanted)
    golden(counted.work)
    assert _instructions(counted)["a"] == [(240_000_000, "measured"), (3_000_000, "simulated")]
    assert {k.name for c in counted.counts for k in c.counters} == {"instructions"}


def test_a_machine_without_counters_is_tried_once(tmp_path: Path) -> None:
    tools = Tools()
    wanted = EvidenceSpec(counters="hardware or simulation")
    (counted,), heard = _count(tmp_path, tools, wanted)
    assert _instructions(counted)["a"] == [(3_000_000, "simulated")]
    assert "no hardware counters: this machine does not count it; simulating instead" in heard
    assert sum("stat" in call for call in tools.replay.calls) == 2  # with start-up alone


def test_commands_are_counted_whole(tmp_path: Path) -> None:
    (counted,), _ = _count(tmp_path, Tools(), EvidenceSpec(counters="simulation"), "command")
    assert counted.work == WHOLE
    assert _instructions(counted)["a"] == [(3_100_000, "simulated")]


@pytest.mark.parametrize("runner", ["bpf"])
def test_work_inside_of_the_kernel_is_not_counted(tmp_path: Path, runner: RunnerName) -> None:
    assert _count(tmp_path, Tools(), EvidenceSpec(counters="simulation"), runner)[0] == ()


def test_without_tools_the_notes_say_why(tmp_path: Path) -> None:
    tools = Tools()
    tools.replay.answers = {}
    (counted,), _ = _count(tmp_path, tools, EvidenceSpec(counters="simulation"))
    assert [(c.variant, c.failed, c.notes) for c in counted.counts] == [
        (name, True, ("valgrind is not installed; and a newer one is not available: no network",))
        for name in ("b", "a")
    ]


ROOT = Path("/root-of-a-toolchain")


def _given(home: Home, files: list[Path], profiler: Profiler) -> list[tuple[object, ...]]:
    """What is run of each, and how."""
    named = [(f.name, f) for f in files]
    services = World().services(valgrind=_valgrind)
    request = CountRequest(named, ["x"], 9.0, profiler, None)
    with file_tasks(request, home, services, print) as (tasks, valgrind):
        assert valgrind is None
        return [(t.variant, t.run.command, t.run.enter, t.run.scratch) for t in tasks]


def _valgrind(home: Home, note: object) -> Path:
    wanted.append("valgrind")
    raise KeyError


wanted: list[str] = []


def test_a_program_may_stand_beside_itself(tmp_path: Path) -> None:
    file = tmp_path / "p"
    run = ("p", (str(file), "x"), (), None)
    assert _given(own(tmp_path), [file, file], "callgrind") == [run, run]


def test_those_of_a_root_get_words_and_a_folder_and_no_valgrind_that_is_not_wanted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    boxes: list[Box] = []

    def around(box: Box, scratch: Path) -> list[str]:
        boxes.append(box)
        return ["enter"]

    monkeypatch.setattr(context_module, "around_program", around)
    monkeypatch.setattr(context_module, "_root", lambda file, home: ROOT)
    ((_, command, enter, scratch),) = _given(own(tmp_path), [tmp_path / "p"], "perf")
    assert (command, enter) == ((str(tmp_path / "p"), "x"), ("enter",))
    assert isinstance(scratch, Path)
    assert scratch.parent == own(tmp_path).cache / "counting"
    assert scratch in boxes[-1].writable
    assert wanted == []
    with pytest.raises(KeyError):
        _given(own(tmp_path), [tmp_path / "p"], "callgrind")
    assert wanted == ["valgrind"]


COMMANDS = {"old": ("old",), "new": ("new",)}


def perf(counts: dict[str, dict[str, str]], run: list[int]) -> Replay:
    """A perf whose counts of a command vary by a millionth from run to run."""

    def answer(argv: Sequence[str]) -> Finished:
        run[0] += 1
        lines = [
            f'{{"counter-value" : "{value}", "unit" : "", "event" : "{event}:u", '
            f'"event-runtime" : 1000, "pcnt-running" : 100.00}}'
            for event, value in counts[argv[-1]].items()
        ]
        Path(argv[argv.index("-o") + 1]).write_text("\n".join(lines))
        return said()

    return Replay({"perf": answer})


def verdicts(launcher: Replay) -> dict[str, Verdict]:
    question = Commands(
        baselines=("old",),
        margin=0.01,
        budget=60.0,
        variants=(Variant("old"), Variant("new")),
        benchmarks=(Benchmark("whole run", "command", ()),),
    )
    runs = {name: ToolRun(argv, launcher, {}, 1.0) for name, argv in COMMANDS.items()}
    counted = count_in_rounds(runs, seed=1, rounds=ROUNDS)
    found = judge_metrics({"whole run": counted}, GROUPS[0], question)
    return {v.metric: v for v in found}


def test_each_event_has_a_verdict_of_its_own() -> None:
    run = [0]
    launcher = perf(
        {
            "old": {"instructions": "1000000", "cycles": "500000", "branch-misses": "10"},
            "new": {"instructions": "1000000", "cycles": "600000", "branch-misses": "10"},
        },
        run,
    )
    found = verdicts(launcher)
    assert found["cycles"].outcome == "slower"
    assert found["cycles"].ratio == pytest.approx(1.2)
    assert found["instructions"].outcome == "same"
    assert found["cycles"].blocks == ROUNDS
    assert run[0] == 2 * ROUNDS
    first = [call[-1] for call in launcher.calls]
    assert first.count("old") == first.count("new") == ROUNDS
    assert first != ["old", "new"] * ROUNDS


def test_without_counters_one_run_is_enough_to_know() -> None:
    run = [0]
    nothing = {"instructions": "<not supported>", "cycles": "<not supported>"}
    assert verdicts(perf({"old": nothing, "new": nothing}, run)) == {}
    assert run[0] == 1


def test_an_event_that_one_side_lacks_is_left_out() -> None:
    launcher = perf(
        {
            "old": {"instructions": "100", "cycles": "100"},
            "new": {"instructions": "100", "cycles": "<not counted>"},
        },
        [0],
    )
    assert list(verdicts(launcher)) == ["instructions"]


def test_without_perf_there_is_nothing() -> None:
    assert verdicts(Replay({})) == {}
