"""Programs that take turns: right ones, and all the ways of being wrong.

Programs that take turns end, with all that they started, however they are ended. Turns that are
granted beforehand, to real programs."""

import os
import signal
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest
from tests.golden_files import Hear
from tests.unit.measure.conftest import STUCK, ends
from tests.unit.measure.turn_programs import GOOD, READY, command, enter, playing

import whyfast.turns
from whyfast.measure import turns
from whyfast.measure.invocation import InvocationFailed, Sample
from whyfast.measure.process import Child
from whyfast.measure.tools import CannotCount, Launcher
from whyfast.measure.turns import PregrantedLauncher

pytestmark = pytest.mark.usefixtures("nothing_left")


def _fails(code: str, *, timeout: float = STUCK, check: str | None = None) -> InvocationFailed:
    """The failure of a program in its second turn or before."""
    with (
        playing(code, timeout=timeout, check=check) as player,
        pytest.raises(InvocationFailed) as caught,
    ):
        [player.turn(loops) for loops in (1, 2)]
    return caught.value


#: Threads that go on while the turn itself works.
BESIDE = (
    READY
    + """
import hashlib, threading
def work():
    while True: hashlib.sha256(b"x" * 100000).digest()
for _ in range(2): threading.Thread(target=work, daemon=True).start()
for line in grants:
    end = time.monotonic() + 0.3
    while time.monotonic() < end: hashlib.sha256(b"x" * 100000).digest()
    say("0.3\\n")
"""
)


def test_threads_at_work_in_its_turns_are_counted() -> None:
    with playing(GOOD) as player:
        player.turn(1)
        assert player.threads == 1
    with playing(BESIDE) as player:
        player.turn(1)
        assert player.threads > 1


@pytest.mark.parametrize(
    ("code", "loops", "sample"),
    [
        (GOOD, 1, Sample(0.001, "0x1f")),
        (GOOD, 250, Sample(0.25, "0x1f")),
        (READY + 'for line in grants: say("1.5e-3\\n")', 1, Sample(0.0015)),
        (READY + 'for line in grants: say("1.019\\n")', 1, Sample(1.019)),  # clocks may differ
        (
            READY + 'for line in grants:\n  for c in "0.5 0x1\\n": say(c); time.sleep(0.002)',
            *(1, Sample(0.5, "0x1")),
        ),
    ],
)
def test_each_grant_has_a_value_and_maybe_a_result(code: str, loops: int, sample: Sample) -> None:
    with playing(code, check=sample.check) as player:
        assert player.turn(loops) == player.turn(loops) == sample


AT_ONCE = {
    "hello": ('say("hello\\n")', "expected 'ready 1' from the turn protocol, got 'hello'"),
    "version": ('say("ready 2\\n")', "expected 'ready 1' from the turn protocol, got 'ready 2'"),
    "error": ('say("error no such file: x.hex\\n")', "no such file: x.hex"),
    "exit": ("sys.exit(3)", "ended early (exit code 3)"),
    "good exit": ("sys.exit(0)", "ended early (exit code 0)"),
    "signal": ("os.kill(os.getpid(), signal.SIGSEGV)", "ended early (killed by SIGSEGV)"),
    "half a greeting": ('say("ready"); sys.exit(1)', "ended early (exit code 1)"),
}


@pytest.mark.parametrize(("code", "reason"), AT_ONCE.values(), ids=AT_ONCE)
def test_a_program_that_does_not_come_up(code: str, reason: str) -> None:
    with pytest.raises(InvocationFailed) as caught:
        enter(command(code))
    assert caught.value.reason == reason
    assert caught.value.command == command(code)


def test_a_program_that_has_no_such_benchmark() -> None:
    with pytest.raises(InvocationFailed) as caught:
        enter(command('say("lacks METH_FASTCALL came with 3.6\\n")'))
    assert (caught.value.reason, caught.value.lacks) == ("METH_FASTCALL came with 3.6", True)
    failure = caught.value.as_failure("calls", "old")
    assert (failure.benchmark, failure.variant, failure.lacks) == ("calls", "old", True)


def test_a_program_that_never_says_it_is_ready(
    monkeypatch: pytest.MonkeyPatch, golden: Hear
) -> None:
    monkeypatch.setattr(turns, "READY_TIMEOUT", 0.3)
    with pytest.raises(InvocationFailed) as caught:
        enter(command("time.sleep(600)"))
    golden(caught.value.reason)


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        (("/does/not/exist", "turn"), "could not be started: No such file or directory"),
        (("/proc/version",), "could not be started: Permission denied"),
    ],
)
def test_a_program_that_cannot_be_started(command: tuple[str, ...], reason: str) -> None:
    with pytest.raises(InvocationFailed) as caught:
        enter(command)
    assert (caught.value.reason, caught.value.command) == (reason, command)


LATER = {
    "garbage": ('say("fast\\n")', "answered 'fast' instead of seconds"),
    "nothing": ('say("\\n")', "answered '' instead of seconds"),
    "result first": ('say("0x1f 0.5\\n")', "answered '0x1f 0.5' instead of seconds"),
    "not a number": ('say("nan 0x1f\\n")', "reported nan seconds; expected a time above 0"),
    "forever": ('say("inf\\n")', "reported inf seconds; expected a time above 0"),
    "no time": ('say("0.000000000\\n")', "reported 0.000000000 seconds; expected a time above 0"),
    "back in time": ('say("-0.5\\n")', "reported -0.5 seconds; expected a time above 0"),
    "grouped digits": ('say("1_0\\n")', "answered '1_0' instead of seconds"),
    "hexadecimal": ('say("0x1p-3\\n")', "answered '0x1p-3' instead of seconds"),
    "another script": ('say("\\u0661\\n")', "answered '\u0661' instead of seconds"),
    "a sign": ('say("+0.5\\n")', "answered '+0.5' instead of seconds"),
    "an age": (
        'say("1e300\\n")',
        "reported 1e+300 seconds, and answered 1 seconds after its grant",
    ),
    "beyond all": ('say("1e999\\n")', "reported 1e999 seconds; expected a time above 0"),
    "hardly any time": ('say("1e-300\\n")', "reported 1e-300 seconds; expected a time above 0"),
    "a bit too long": (
        'say("1.03\\n")',
        "reported 1.03 seconds, and answered 1 seconds after its grant",
    ),
    "error": ('say("error out of memory\\n")', "out of memory"),
    "exit": ("sys.exit(3)", "ended early (exit code 3)"),
    "abort": ("os.abort()", "ended early (killed by SIGABRT)"),
    "half an answer": ('say("0.5"); sys.exit(0)', "ended early (exit code 0)"),
    "a flood": ('say("x" * 70000); time.sleep(600)', "answered with more than 64 KiB and no line"),
    "two answers": ('say("0.5\\n0.25\\n")', "answered '0.25' out of turn"),
}


@pytest.mark.parametrize(("code", "reason"), LATER.values(), ids=LATER)
def test_a_program_that_fails_in_its_turn(code: str, reason: str) -> None:
    failed = _fails(READY + f"for line in grants: {code}")
    assert failed.reason == reason
    assert failed.command[-1].endswith(code)


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ("0.5 0x2", "wrong result: 0x2, expected 0x1"),
        ("0.5", "wrong result: None, expected 0x1"),
        ("0.5 0x1 0x1", "wrong result: 0x1 0x1, expected 0x1"),
    ],
)
def test_a_wrong_result(answer: str, reason: str) -> None:
    assert _fails(READY + f'for line in grants: say("{answer}\\n")', check="0x1").reason == reason


def test_a_program_that_hangs(golden: Hear) -> None:
    failed = _fails(READY + "time.sleep(600)", timeout=0.3)
    golden(failed.reason)


def _appears(file: Path) -> None:
    deadline = time.monotonic() + STUCK
    while not file.exists():
        assert time.monotonic() < deadline
        time.sleep(0.005)


OUT_OF_TURN = {
    "a value": ('say("0.25\\n")', "time.sleep(600)", "answered '0.25' out of turn"),
    "an error": ('say("error out of memory\\n")', "time.sleep(600)", "out of memory"),
    "an end": ("os.close(OUT)", "sys.exit(4)", "ended early (exit code 4)"),
    "deafness": ("grants.close()", "time.sleep(0.1); sys.exit(5)", "ended early (exit code 5)"),
    "half a value": (
        *('say("0.2")', "time.sleep(600)"),
        "did not end a line that it began out of turn within 1.5 s",
    ),
}


@pytest.mark.parametrize(("code", "end", "reason"), OUT_OF_TURN.values(), ids=OUT_OF_TURN)
def test_what_happens_out_of_turn_never_passes_for_an_answer(
    tmp_path: Path, code: str, end: str, reason: str
) -> None:
    read, done = tmp_path / "read", tmp_path / "done"
    program = (
        f'{READY}grants.readline(); say("0.5\\n")\n'
        f"while not os.path.exists({str(read)!r}): time.sleep(0.005)\n"
        f"{code}; open({str(done)!r}, 'w').close(); {end}"
    )
    with playing(program, timeout=1.5) as player:
        assert player.turn(1) == Sample(0.5)
        read.touch()
        _appears(done)
        with pytest.raises(InvocationFailed) as caught:
            player.turn(1)
    assert caught.value.reason == reason


def test_an_answer_is_held_against_the_time_that_has_really_passed() -> None:
    player = enter(command(READY + 'for line in grants: say("86400\\n")'), wall=time.monotonic)
    with pytest.raises(InvocationFailed, match=r"^reported 8.64e\+04 seconds, and answered "):
        player.turn(1)


def test_a_failure_shows_the_end_of_what_was_printed() -> None:
    code = 'print("o" * 9000 + "out", flush=True); print("e" * 9000 + "err", file=sys.stderr)'
    failed = _fails(f"{READY}{code}\nsys.exit(1)")
    out, err = failed.output.split("\n")
    assert (out[-4:], err[-4:]) == ("oout", "eerr")
    assert (len(out), len(err)) == (3999, 3999)  # 4,000 bytes each, with the line's end


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="pinning is not possible here")
def test_a_program_runs_on_its_cpu_with_its_padding_and_this_one_where_it_did() -> None:
    before = os.sched_getaffinity(0)
    cpu = max(before)
    told = "f\"1 {sorted(os.sched_getaffinity(0))} {os.environ['WHYFAST_PAD']}\\n\""
    player = enter(command(f"{READY}grants.readline(); say({told})"), cpu=cpu, pad=7)
    assert player.turn(1).check == f"[{cpu}] xxxxxxx"
    player.close()
    assert os.sched_getaffinity(0) == before


def _pipes(pid: str) -> set[str]:
    """The pipes that a process has open."""
    links = set()
    for entry in Path(f"/proc/{pid}/fd").iterdir():
        with suppress(FileNotFoundError):
            links.add(os.readlink(entry))
    return {link for link in links if link.startswith("pipe:")}


def test_a_program_in_play_holds_no_descriptors_but_its_own() -> None:
    code = READY + 'grants.readline(); say(f"1 {os.getpid()}\\n"); grants.readline()'
    players = [enter(command(code)) for _ in range(3)]
    inherited = _pipes("self")  # ours to each player, and what we were started with
    held = [_pipes(p.turn(1).check or "") for p in players]
    everywhere = set.intersection(*held)
    assert [len(pipes - everywhere) for pipes in held] == [2, 2, 2]
    assert all(pipes - everywhere <= inherited for pipes in held)
    assert len(set.union(*held) - everywhere) == 6
    for player in players:
        player.close()


def test_what_a_program_prints_over_many_turns_is_discarded_past_a_limit() -> None:
    code = READY + "for line in grants:\n    os.write(1, bytes(2 * 10**7))\n    say('0.5\\n')"
    with playing(code) as player:
        assert isinstance(player, turns.TurnInvocation)
        assert isinstance(player._child, Child)
        assert player._child._stdout is not None
        held = []
        for _ in range(6):
            assert player.turn(1) == Sample(0.5)
            held.append(os.fstat(player._child._stdout.fd).st_blocks * 512)
    assert max(held) < 3 * 10**7  # of one turn


def test_closing_ends_a_good_program_by_itself(tmp_path: Path) -> None:
    left = tmp_path / "left"
    with playing(f"{GOOD}\ntime.sleep(0.05); open({str(left)!r}, 'w').close()") as player:
        player.turn(1)
        player.close()  # a second time changes nothing
    assert left.exists()


def test_closing_ends_a_stubborn_program_and_what_it_started(tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    code = (
        "signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        "child = os.fork() or os.getpid()\n"
        f"open({str(pids)!r}, 'a').write(f'{{os.getpid()}}\\n')\n"
        f"if child == os.getpid(): {READY}"
        "time.sleep(600)"
    )
    with playing(code):
        while not (pids.exists() and pids.read_text().count("\n") == 2):
            time.sleep(0.005)
    assert all(ends(int(pid)) for pid in pids.read_text().split())


def test_an_interrupt_before_the_program_is_ready_ends_it(tmp_path: Path) -> None:
    def interrupt(number: int, frame: object) -> None:
        raise KeyboardInterrupt

    pid = tmp_path / "pid"
    code = (
        f"open({str(pid)!r}, 'w').write(str(os.getpid()))\n"
        "os.kill(os.getppid(), signal.SIGUSR1)\ntime.sleep(600)"
    )
    before = signal.signal(signal.SIGUSR1, interrupt)
    try:
        with pytest.raises(KeyboardInterrupt):
            enter(command(code))
    finally:
        signal.signal(signal.SIGUSR1, before)
    assert ends(int(pid.read_text()))


def test_closing_ends_what_a_good_program_left_running(tmp_path: Path) -> None:
    pid = tmp_path / "pid"
    code = "import subprocess; left = subprocess.Popen(['sleep', '600'])\n"
    with playing(f"{code}open({str(pid)!r}, 'w').write(str(left.pid))\n{GOOD}") as player:
        player.turn(1)
    assert ends(int(pid.read_text()))


def test_an_interrupt_while_closing_ends_the_program(monkeypatch: pytest.MonkeyPatch) -> None:
    player = enter(command(GOOD))
    waited = Child.wait

    def interrupted(self: Child, timeout: float, **how: bool) -> object:
        if how:
            raise KeyboardInterrupt
        return waited(self, timeout)

    monkeypatch.setattr(Child, "wait", interrupted)
    with pytest.raises(KeyboardInterrupt):
        player.close()


TURNS = str(Path(whyfast.turns.__file__).parent / "include")
PROGRAM = """
import os, sys
sys.path.insert(0, sys.argv[1])
from whyfast_turn import take_turns
total = 0
def run(loops):
    global total
    total += loops
    print(loops, os.environ["WHYFAST_TURN"])
    return "done"
take_turns(run)
print("left after", total)
"""


def _command(program: str = PROGRAM) -> tuple[str, ...]:
    return (sys.executable, "-c", program, TURNS)


def _run(command: tuple[str, ...], **grants: object) -> tuple[int, str]:
    launcher = PregrantedLauncher(Launcher(), command, **grants)  # type: ignore[arg-type]
    done = launcher.run(("env", *command), env=os.environ, timeout=60.0)
    return done.status, done.stdout


def test_all_turns_are_taken_and_the_program_leaves() -> None:
    status, said = _run(_command(), loops=7, turns=3, check="done")
    assert status == 0
    lines = said.splitlines()
    assert lines[-1] == "left after 21"
    assert [line.split()[0] for line in lines[:-1]] == ["7", "7", "7"]


def test_descriptors_have_the_same_numbers_in_every_run() -> None:
    assert _run(_command(), loops=1, turns=1) == _run(_command(), loops=1, turns=1)


@pytest.mark.parametrize(
    ("program", "message"),
    [
        (PROGRAM, "wrong result: done, expected other"),
        ("print(1)", "expected 'ready 1' from the turn protocol, got ''"),
        (PROGRAM.replace("take_turns(run)", "sys.exit()"), "expected 'ready 1'"),
    ],
)
def test_answers_are_checked(program: str, message: str) -> None:
    with pytest.raises(CannotCount, match=message):
        _run(_command(program), loops=1, turns=1, check="other")


def test_a_program_that_fails_is_left_to_the_caller() -> None:
    failing = PROGRAM.replace("global total", "raise ValueError('broken')")
    assert _run(_command(failing), loops=1, turns=1)[0] == 1


def test_other_commands_are_passed_on() -> None:
    launcher = PregrantedLauncher(Launcher(), _command(), loops=1, turns=1)
    done = launcher.run((sys.executable, "-c", "print(2)"), env=os.environ, timeout=60.0)
    assert done.stdout == "2\n"
    assert launcher.find("no-such-tool") is None
