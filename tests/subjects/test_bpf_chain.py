"""subjects/bpf-chain: its bytecode, its messages, and what the kernel makes of it where it may."""

import errno
import subprocess
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from tests.compiled import compiled_once
from tests.golden_files import Hear
from tests.subjects.conftest import INCLUDE, ROOT, WARNINGS, run

from whyfast.formats.self_report import read_buckets, read_code, read_overheads
from whyfast.measure.registry import why_no_bpf

CHAIN = ROOT / "subjects" / "bpf-chain"
VM_CHAINS = ROOT / "studies" / "bpf-tail-call-vm" / "chains"
OTHER_KERNEL = Path(__file__).with_name("bpf_other_kernel.c")

MAP_CREATE, MAP_UPDATE, PROG_LOAD, TEST_RUN = 0, 2, 5, 10

Run = Callable[..., subprocess.CompletedProcess[str]]


def _build(gcc: list[str], sources: list[Path]) -> Path:
    flags = [*WARNINGS, "-Werror", "-O1", "-I", str(INCLUDE), "-I", str(CHAIN)]
    return compiled_once([*gcc, *flags, *map(str, sources)], [CHAIN, INCLUDE, OTHER_KERNEL.parent])


@pytest.fixture(scope="session")
def chain(gcc: list[str]) -> Run:
    return partial(run, _build(gcc, sorted(CHAIN.glob("*.c"))))


@pytest.fixture(scope="session")
def elsewhere(gcc: list[str]) -> Run:
    """The program on another kernel."""
    own = [source for source in sorted(CHAIN.glob("*.c")) if source.name != "kernel.c"]
    return partial(run, _build(gcc, [*own, OTHER_KERNEL]))


@pytest.fixture
def in_kernel(chain: Run) -> Run:
    """The program where the kernel lets us."""
    reason = why_no_bpf()
    if reason:
        pytest.skip(reason)
    return chain


# r3 = ctx->mark; r3 = 1 (or += 1); r2 = map; call 12; r0 = 0; exit
STATIC = (
    "6113080000000000 b703000001000000 1802000000000000 0000000000000000 "
    "850000000c000000 b700000000000000 9500000000000000"
)
LAST = "b700000001000000 9500000000000000"


def test_the_bytecode_of_a_chain(chain: Run) -> None:
    static = chain("hex", "--calls", "1", "--index", "static").stdout.split("\n")
    assert static == [STATIC.replace(" ", ""), LAST.replace(" ", ""), ""]
    dynamic = chain("hex", "--calls", "1", "--index", "dynamic").stdout.split("\n")
    assert dynamic == [STATIC.replace(" ", "").replace("b703", "0703"), *static[1:]]


def test_programs_call_the_next_and_return_their_number(chain: Run) -> None:
    lines = chain("hex", "--calls", "33").stdout.split()
    assert len(lines) == 34
    for number, line in enumerate(lines[:-1]):
        third, result = bytes.fromhex(line)[12:16], bytes.fromhex(line)[44:48]
        assert int.from_bytes(third, "little") == number + 1
        assert int.from_bytes(result, "little") == number
    assert lines[-1] == "b700000021000000" + "9500000000000000"


def test_the_vm_runs_the_same_chains(chain: Run, vm: Path, tmp_path: Path) -> None:
    files = sorted(VM_CHAINS.glob("*.hex"))
    assert len(files) == 20
    for file in files:
        form, _, calls = file.stem.partition("-")
        assert file.read_text() == chain("hex", "--calls", calls, "--index", form).stdout
    for wanted, done in (("0", "0x0"), ("1", "0x1"), ("33", "0x21"), ("34", "0x21")):
        programs = tmp_path / f"{wanted}.hex"
        programs.write_text(chain("hex", "--calls", wanted, "--index", "dynamic").stdout)
        said = subprocess.check_output(
            [vm, "run", "--programs", programs, "--mem-size", "64"], text=True
        )
        assert said == f"{done}\n"
    several = tmp_path / "several.hex"
    several.write_text("\n".join([LAST] * 65))
    wrong = tmp_path / "wrong.hex"
    wrong.write_text(f"# comment\n\n{LAST}\n9x\n")
    for arguments, message in (
        ([], "no program given"),
        (["--programs", several], f"{several}: more than 64 programs"),
        (
            ["--programs", wrong],
            f"{wrong}: program in line 4: expected pairs of hexadecimal digits",
        ),
        (["--programs", "/dev/null"], "/dev/null: no program"),
        (["--programs", wrong, several], f"--programs: there is a program already, {several}"),
    ):
        refused = run(vm, "run", *arguments)
        assert (refused.returncode, refused.stderr) == (2, f"ebpf-vm: {message}\n")


REFUSALS = [
    (
        MAP_CREATE,
        errno.EPERM,
        3,
        "making the program array: not permitted: needs root or CAP_BPF with CAP_NET_ADMIN "
        "(and no seccomp filter that forbids bpf())",
    ),
    (
        MAP_CREATE,
        errno.ENOSYS,
        3,
        "making the program array: this kernel has no bpf() system call (CONFIG_BPF_SYSCALL)",
    ),
    (MAP_CREATE, errno.ENOMEM, 1, "making the program array: Cannot allocate memory"),
    (MAP_UPDATE, errno.EINVAL, 1, "filling the program array: Invalid argument"),
    (TEST_RUN, 524, 3, "BPF_PROG_TEST_RUN: this kernel does not support it"),
]


@pytest.mark.parametrize(("command", "number", "status", "message"), REFUSALS)
def test_a_refusal_is_one_clear_message(
    elsewhere: Run, command: int, number: int, status: int, message: str
) -> None:
    done = elsewhere("run", "--calls", "1", env={"FAKE_KERNEL": f"{command} {number}"})
    assert (done.returncode, done.stderr) == (status, f"bpf-chain: {message}\n")


def test_the_verifiers_own_words_stand_below_the_message(elsewhere: Run, golden: Hear) -> None:
    fake = {
        "FAKE_KERNEL": f"{PROG_LOAD} {errno.EACCES}",
        "FAKE_LOG": "0: (61) r3 = *(u32 *)(r1 +8)\n\ninvalid bpf_context access off=8 size=4\n",
    }
    done = elsewhere("image", "--calls", "1", env=fake)
    assert done.returncode == 1
    golden(done.stderr)


def test_in_turns_the_refusal_goes_to_whyfast(elsewhere: Run) -> None:
    fake = {"FAKE_KERNEL": f"{MAP_CREATE} {errno.EPERM}", "WHYFAST_TURN": "0,1"}
    done = elsewhere("turn", "--calls", "1", env=fake)
    assert done.stdout.startswith("error making the program array: not permitted: needs root")
    assert done.returncode == 1


def test_a_chain_with_another_number_of_calls_is_refused(elsewhere: Run, golden: Hear) -> None:
    done = elsewhere("run", "--calls", "5", env={"FAKE_RETURNED": "4"})
    assert done.returncode == 1
    golden(done.stderr)


def test_an_interpreting_kernel_is_told_from_a_compiling_one(elsewhere: Run, golden: Hear) -> None:
    done = elsewhere("turn", "--calls", "0", env={"FAKE_RETURNED": "0"})
    assert done.returncode == 3
    golden(done.stderr)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["rum"], "command: 'rum' is not run, turn, histogram, overhead, image, hex or probe"),
        (["run", "--calls", "35"], "--calls: '35' is not a list of different numbers from 0 to 34"),
        (["run", "--calls", ""], "--calls: '' is not a list of different numbers from 0 to 34"),
        (
            ["run", "--index", "both"],
            "--index: 'both' is not static, dynamic, or both with a comma",
        ),
        (["run", "--times", "0"], "--times: '0' is not a number from 1 to 1000000000"),
        (["run", "--times"], "--times: wants a value"),
        (["hex", "--calls", "1,2"], "hex takes one chain: one number and one form"),
        (
            ["run", "--fast"],
            "option: '--fast' is not one of --calls --index --repeat --times --runs "
            "--allow-interpreter",
        ),
        (
            ["histogram", "--calls", "34"],
            "histogram: only 33 calls succeed, so that the last program of a longer chain never "
            "runs",
        ),
    ],
)
def test_a_wrong_command_line(chain: Run, arguments: list[str], message: str) -> None:
    done = chain(*arguments)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", f"bpf-chain: {message}\n")


def test_in_the_kernel_33_calls_succeed_and_the_next_does_not(in_kernel: Run) -> None:
    done = in_kernel("run", "--calls", "0,1,33,34", "--repeat", "10", "--times", "2")
    assert done.returncode == 0, done.stderr
    fields = [dict(f.split("=") for f in x.split()[1:]) for x in done.stdout.splitlines()[1:-1]]
    values = [f for f in fields if "ns" in f]
    assert [(f["calls"], f["returned"]) for f in values] == [
        (n, made)
        for n, made in [("0", "0"), ("1", "1"), ("33", "33"), ("34", "33")] * 2
        for _ in range(2)
    ]
    assert all(int(f["ns"]) > 0 and f["repeat"] == "10" for f in values)
    assert [f["index"] for f in values] == ["static"] * 8 + ["dynamic"] * 8


def test_in_the_kernel_every_run_is_in_the_histogram(in_kernel: Run) -> None:
    for calls in ("0", "3"):
        done = in_kernel("histogram", "--calls", calls, "--runs", "5000")
        assert done.returncode == 0, done.stderr
        buckets = read_buckets(done.stdout)
        assert sum(count for _, _, count in buckets) == 5000
        starts = [start for start, _, _ in buckets]
        assert starts == sorted(starts)


def test_the_kernel_shows_an_image_of_each_program(in_kernel: Run) -> None:
    done = in_kernel("image", "--calls", "3")
    assert done.returncode == 0, done.stderr
    report = read_code(done.stdout)
    if not report.compiled or not report.programs:
        pytest.skip("this kernel interprets programs, or does not show their code")
    assert [one.number for one in report.programs] == [0, 1, 2, 3]
    assert all(one.code for one in report.programs)


def test_the_cost_of_timing_is_said(in_kernel: Run, golden: Hear) -> None:
    said = read_overheads(in_kernel("overhead").stdout)
    golden(*[what for what, _ in said])
    assert said[0][1] > 0
