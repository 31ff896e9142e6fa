"""The turn protocol as whyfast_turn.h speaks it, over real pipes."""

import os
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.compiled import compiled_once
from tests.golden_files import Hear
from tests.subjects.ebpf_assembly import EXIT, insn, load, mov

SOURCE = Path(__file__).with_name("turn_workload.c")
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Werror", "-O2"]


@pytest.fixture(scope="module")
def workload(gcc: list[str], turn_include: Path) -> Path:
    command = [*gcc, "-std=c99", *WARNINGS, f"-I{turn_include}", str(SOURCE)]
    return compiled_once(command, [SOURCE.parent, turn_include])


class Turns:
    """The parent's side: grants in, lines out, without a word about what they should be."""

    def __init__(self, command: list[str]) -> None:
        child_in, self.grants = os.pipe()
        answers, child_out = os.pipe()
        self.process = subprocess.Popen(
            command,
            env={**os.environ, "WHYFAST_TURN": f"{child_in},{child_out}"},
            pass_fds=(child_in, child_out),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        os.close(child_in)
        os.close(child_out)
        self.answers = os.fdopen(answers, encoding="ascii")

    def grant(self, text: str) -> None:
        os.write(self.grants, text.encode())

    def line(self) -> str:
        return self.answers.readline()

    def finish(self) -> int:
        """Closes the grants; the exit status."""
        if self.grants >= 0:
            os.close(self.grants)
            self.grants = -1
        return self.process.wait(timeout=120)

    def close(self) -> None:
        self.process.kill()
        self.finish()
        self.answers.close()
        for stream in (self.process.stdout, self.process.stderr):
            if stream:
                stream.close()


Start = Callable[..., Turns]


@pytest.fixture
def start() -> Iterator[Start]:
    started = []

    def begin(*command: object) -> Turns:
        started.append(Turns([str(word) for word in command]))
        return started[-1]

    yield begin
    for turns in started:
        turns.close()


def seconds(line: str) -> float:
    match = re.fullmatch(r"(\d+\.\d{9}) 0x[0-9a-f]+\n", line)
    assert match, line
    return float(match[1])


def test_a_turn(workload: Path, start: Start) -> None:
    turns = start(workload)
    assert turns.line() == "ready 1\n"
    turns.grant("1000\n")
    line = turns.line()
    assert line.endswith(" 0xfeed\n")
    assert 0 < seconds(line) < 1
    assert turns.finish() == 0
    assert turns.line() == ""


def test_more_loops_take_longer(workload: Path, start: Start) -> None:
    turns = start(workload)
    turns.line()
    turns.grant("1000\n")
    few = seconds(turns.line())
    turns.grant("3000000\n")
    assert seconds(turns.line()) > 10 * few


def test_waiting_grants_are_answered_in_order(workload: Path, start: Start) -> None:
    turns = start(workload)
    turns.grant("5000000\n1\n")
    assert turns.line() == "ready 1\n"
    assert seconds(turns.line()) > 100 * seconds(turns.line())
    assert turns.finish() == 0


def test_many_waiting_grants(workload: Path, start: Start) -> None:
    turns = start(workload)
    turns.grant("1\n" * 1000)
    assert turns.line() == "ready 1\n"
    for _ in range(1000):
        seconds(turns.line())
    assert turns.finish() == 0


def test_a_grant_in_pieces(workload: Path, start: Start) -> None:
    turns = start(workload)
    assert turns.line() == "ready 1\n"
    for piece in ("10", "00", "\n1", "0\n"):
        turns.grant(piece)
    seconds(turns.line())
    seconds(turns.line())
    assert turns.finish() == 0


@pytest.mark.parametrize(
    "grant",
    [
        "0\n",
        "\n",
        "-1\n",
        "+1\n",
        " 1\n",
        "1 \n",
        "1.5\n",
        "x\n",
        "1\r\n",
        "18446744073709551616\n",
    ],
)
def test_a_malformed_grant(workload: Path, start: Start, grant: str) -> None:
    turns = start(workload)
    turns.line()
    turns.grant(grant)
    assert turns.line() == "error malformed grant\n"
    assert turns.finish() == 2


def test_a_grant_cut_short_is_malformed(workload: Path, start: Start) -> None:
    turns = start(workload)
    turns.line()
    turns.grant("12")
    assert turns.finish() == 2
    assert turns.line() == "error malformed grant\n"


def test_a_grant_before_a_malformed_one_is_answered(workload: Path, start: Start) -> None:
    turns = start(workload)
    turns.line()
    turns.grant("1\nx\n")
    seconds(turns.line())
    assert turns.line() == "error malformed grant\n"


def test_a_failing_workload(workload: Path, start: Start) -> None:
    turns = start(workload, "fail")
    assert turns.line() == "ready 1\n"
    turns.grant("1\n")
    assert turns.line() == "error no number\n"
    assert turns.finish() == 1


@pytest.mark.parametrize("value", ["", "3", "3,", ",4", "3,x", "3,4,5", "-3,4", "3, 4"])
def test_a_malformed_variable(workload: Path, value: str) -> None:
    environment = {**os.environ, "WHYFAST_TURN": value}
    process = subprocess.run([workload], env=environment, capture_output=True, check=False)
    assert process.returncode == 2
    assert process.stdout == b""
    expected = b"WHYFAST_TURN is malformed: expected two file descriptors, IN,OUT\n"
    assert process.stderr == expected


def test_by_hand_it_measures_itself(workload: Path) -> None:
    environment = {name: text for name, text in os.environ.items() if name != "WHYFAST_TURN"}
    process = subprocess.run(
        [workload], env=environment, capture_output=True, text=True, check=True
    )
    pattern = r"\d+\.\d ns per loop \(fastest of 7 values of \d+ loops\), check 0xfeed\n"
    assert re.fullmatch(pattern, process.stdout)


@pytest.mark.parametrize("standard", ["c11", "gnu11", "c++11", "c++17"])
def test_the_header_is_c_and_cpp(
    gcc: list[str], turn_include: Path, tmp_path: Path, standard: str
) -> None:
    compiler = gcc
    if standard.startswith("c++"):
        found = shutil.which("g++") or shutil.which("c++")
        if found is None:
            pytest.skip("no C++ compiler on PATH")
        compiler = [found, "-x", "c++"]
    command = [*compiler, f"-std={standard}", *WARNINGS, f"-I{turn_include}", "-fsyntax-only"]
    subprocess.run([*command, str(SOURCE)], check=True)


def test_the_machine_takes_turns(vm: Path, start: Start, tmp_path: Path) -> None:
    program = tmp_path / "p.bin"
    program.write_bytes(load(1, 0, 1, 0) + insn(0x72, 1, imm=9) + EXIT)
    turns = start(vm, "turn", program, "--mem", "2a")
    assert turns.line() == "ready 1\n"
    turns.grant("1000\n2\n")
    assert turns.line().endswith(" 0x2a\n")  # each loop is a fresh run: memory is as given
    assert turns.line().endswith(" 0x2a\n")
    assert turns.finish() == 0


def test_a_fault_is_an_error_line(vm: Path, start: Start, tmp_path: Path, golden: Hear) -> None:
    program = tmp_path / "p.bin"
    program.write_bytes(mov(1, 0) + load(8, 0, 1, 16) + EXIT)
    turns = start(vm, "turn", program)
    assert turns.line() == "ready 1\n"
    turns.grant("1\n")
    golden(turns.line())
    assert turns.finish() == 1


def test_a_refused_program_never_gets_ready(vm: Path, start: Start, tmp_path: Path) -> None:
    program = tmp_path / "p.bin"
    program.write_bytes(mov(0, 0))
    turns = start(vm, "turn", program)
    assert turns.line() == ""
    assert turns.finish() == 2
