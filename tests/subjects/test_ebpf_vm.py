"""The program ebpf-vm from outside: the shipped programs, the command line, tail calls. ebpf-vm
driven as bpf_conformance drives its plugins. The fuzzer's corpus, run once under the sanitizers of
gcc."""

import subprocess
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.compiled import compiled_once
from tests.golden_files import Hear
from tests.subjects.conftest import FORMS, SANITIZE, WARNINGS, run, sources
from tests.subjects.ebpf_assembly import EXIT, alu_k, insn, lddw, load, mov, store
from tests.subjects.ebpf_objects import elf, text
from tests.subjects.ebpf_results import RESULTS


def write(path: Path, content: bytes) -> Path:
    path.write_bytes(content)
    return path


# --- the shipped programs ---


@pytest.fixture(scope="module")
def expected(subject: Path) -> dict[str, dict[str, object]]:
    return tomllib.loads((subject / "programs" / "expected.toml").read_text())


def test_each_program_has_its_files(subject: Path, expected: dict[str, dict[str, object]]) -> None:
    sources = {path.stem for path in (subject / "programs").glob("*.c")} - {"native"}
    bytecode = {path.stem for path in (subject / "programs").glob("*.hex")}
    assert sources == bytecode == set(expected) >= set(RESULTS)


@pytest.mark.parametrize("name", sorted(RESULTS))
def test_the_expected_results_are_right(name: str, expected: dict[str, dict[str, object]]) -> None:
    assert expected[name]["result"] == hex(RESULTS[name]())


def test_native_code_returns_what_is_expected(
    gcc: list[str], subject: Path, expected: dict[str, dict[str, object]]
) -> None:
    for name in sorted(set(expected) - {"chain"}):
        arguments = expected[name]["args"]
        assert isinstance(arguments, list)
        source = subject / "programs" / f"{name}.c"
        command = [*gcc, "-O1", "-include", str(source), f"-DPROGRAM={name}"]
        program = compiled_once([*command, f"{source.parent}/native.c"], [source.parent])
        process = run(program, *arguments[2:])
        assert process.stdout == f"{expected[name]['result']}\n", name


@pytest.mark.parametrize("form", FORMS)
def test_the_programs_return_what_is_expected(
    form: str,
    build_vm: Callable[[str], Path],
    subject: Path,
    expected: dict[str, dict[str, object]],
) -> None:
    vm = build_vm(form)
    for name, entry in expected.items():
        arguments = entry["args"]
        assert isinstance(arguments, list)
        process = run(vm, "run", *arguments, cwd=subject)
        assert (process.stdout, process.stderr) == (f"{entry['result']}\n", ""), name


# --- the command line ---


def test_memory_from_the_command_line(vm: Path, tmp_path: Path) -> None:
    program = write(tmp_path / "sum.bin", load(1, 0, 1, 0) + insn(0x0F, 0, 2) + EXIT)
    assert run(vm, "run", program, "--mem", "2a").stdout == "0x2b\n"
    assert run(vm, "run", program, "--mem", "2a", "--mem-size", 256).stdout == "0x12a\n"
    assert run(vm, "run", program, "--mem-size", 2).stdout == "0x2\n"


def test_hexadecimal_text(vm: Path, tmp_path: Path) -> None:
    text = b"# a comment\nB7 00 0000 // r0 = 7\n\t07000000\r\n95 00 00 00 00 00 00 00"
    assert run(vm, "run", write(tmp_path / "p.hex", text)).stdout == "0x7\n"


def test_counting_instructions(vm: Path, tmp_path: Path) -> None:
    loop = mov(3, 10) + alu_k("sub", 64, 3, 1) + insn(0x55, 3, off=-2) + EXIT
    process = run(vm, "run", write(tmp_path / "p.bin", loop), "--count")
    assert (process.stdout, process.stderr) == ("0x0\n", "22 instructions\n")


def test_a_fault_is_one_line_and_status_1(vm: Path, tmp_path: Path) -> None:
    program = write(tmp_path / "p.bin", load(8, 0, 10, 0) + EXIT)
    process = run(vm, "run", program)
    message = "ebpf-vm: instruction 0: load of 8 bytes at 0x100000200 is out of bounds\n"
    assert (process.returncode, process.stdout, process.stderr) == (1, "", message)


def test_an_endless_loop_is_one_line_and_status_1(vm: Path, tmp_path: Path) -> None:
    program = write(tmp_path / "p.bin", insn(0x05, off=-1))
    process = run(vm, "run", program, "--max-insns", 1000)
    message = "ebpf-vm: instruction 0: the instruction budget is used up\n"
    assert (process.returncode, process.stdout, process.stderr) == (1, "", message)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "no command given; see ebpf-vm help"),
        (["fly"], "unknown command fly; see ebpf-vm help"),
        (["run"], "no program given"),
        (["run", "a", "b"], "more than one program; see --prog-array"),
        (["run", "a", "--mem"], "--mem: the value is missing"),
        (["run", "a", "--speed", "1"], "unknown option --speed"),
        (
            ["run", "a", "--mem-size", "-1"],
            '--mem-size: expected a number up to 67108864, not "-1"',
        ),
        (
            ["run", "a", "--max-insns", "99999999999999999999"],
            '--max-insns: expected a number up to 144115188075855872, not "99999999999999999999"',
        ),
        (["run", "a", "--prog-array", "x"], '--prog-array: expected INDEX=FILE, not "x"'),
        (
            ["run", "a", "--prog-array", "64=x"],
            '--prog-array: expected a number up to 63, not "64"',
        ),
        (["run", "no/such.hex"], "no/such.hex: No such file or directory"),
        (["run", "a", "--mem", "0"], "--mem: line 1: expected a pair of hexadecimal digits"),
    ],
)
def test_a_wrong_command_line_has_status_2(vm: Path, arguments: list[str], message: str) -> None:
    process = run(vm, *arguments)
    assert (process.returncode, process.stderr) == (2, f"ebpf-vm: {message}\n")


def test_a_refused_program_is_named(vm: Path, tmp_path: Path) -> None:
    write(tmp_path / "bad.hex", b"b7 00\n00 x0")
    process = run(vm, "run", "bad.hex", cwd=tmp_path)
    message = "ebpf-vm: bad.hex: line 2: expected a pair of hexadecimal digits\n"
    assert (process.returncode, process.stderr) == (2, message)


def test_help(vm: Path) -> None:
    process = run(vm, "help")
    assert process.returncode == 0
    assert process.stdout.startswith("usage: ebpf-vm run PROGRAM")


def test_the_prandom_helper_repeats_and_the_clock_advances(vm: Path, tmp_path: Path) -> None:
    prandom = write(tmp_path / "prandom.bin", insn(0x85, imm=7) + EXIT)
    assert run(vm, "run", prandom).stdout == run(vm, "run", prandom).stdout != "0x0\n"
    clock = insn(0x85, imm=5) + insn(0xBF, 6, 0) + insn(0x85, imm=5) + insn(0x3D, 0, 6, 1)
    program = write(tmp_path / "clock.bin", clock + EXIT + mov(0, 1) + EXIT)
    assert run(vm, "run", program).stdout == "0x1\n"


# --- tail calls ---

COUNT_AND_CALL = (
    load(8, 6, 1, 0) + alu_k("add", 64, 6, 1) + store(8, 1, 0, 6) + mov(3, 0) + insn(0x85, imm=12)
)


@pytest.mark.parametrize("form", FORMS)
def test_33_tail_calls_succeed(form: str, build_vm: Callable[[str], Path], tmp_path: Path) -> None:
    # Every entry adds one to the memory; what follows the call runs once, at the end.
    program = COUNT_AND_CALL + load(8, 0, 1, 0) + alu_k("add", 64, 0, 1000) + EXIT
    path = write(tmp_path / "p.bin", program)
    process = run(
        build_vm(form), "run", path, "--mem-size", 8, "--prog-array", f"0={path}", "--count"
    )
    assert process.stdout == f"{1000 + 34:#x}\n"
    assert process.stderr == f"{34 * 5 + 3} instructions\n"


def test_a_tail_call_keeps_registers_and_stack(vm: Path, tmp_path: Path) -> None:
    first = mov(6, 40) + store(8, 10, -8, 6) + mov(7, 2) + mov(3, 5) + insn(0x85, imm=12) + EXIT
    second = load(8, 0, 10, -8) + insn(0x0F, 0, 7) + EXIT
    a, b = write(tmp_path / "a.bin", first), write(tmp_path / "b.bin", second)
    assert run(vm, "run", a, "--prog-array", f"5={b}").stdout == "0x2a\n"


@pytest.mark.parametrize("index", [1, 63, 64, -1, 2**31 - 1])
def test_a_tail_call_to_nothing_goes_on(vm: Path, tmp_path: Path, index: int) -> None:
    program = mov(0, 7) + mov(3, index) + insn(0x85, imm=12) + EXIT
    path = write(tmp_path / "p.bin", program)
    assert run(vm, "run", path, "--prog-array", f"0={path}").stdout == "0x7\n"


def test_the_budget_counts_across_tail_calls(vm: Path, tmp_path: Path, golden: Hear) -> None:
    stuck = write(tmp_path / "stuck.bin", insn(0x05, off=-1))
    caller = write(tmp_path / "caller.bin", mov(3, 0) + insn(0x85, imm=12) + EXIT)
    process = run(vm, "run", caller, "--prog-array", f"0={stuck}", "--max-insns", 1000)
    golden(process.stderr)


# --- building ---


def compile_form(compiler: list[str], subject: Path, *defines: str) -> str:
    command = [*compiler, "-std=c11", *defines, "-fsyntax-only", str(subject / "interp.c")]
    return subprocess.run(command, capture_output=True, text=True, check=False).stderr


def errors(output: str) -> list[str]:
    return [line.split("#error ")[1] for line in output.splitlines() if "error: #error" in line]


@pytest.mark.parametrize("defines", [[], ["-DVM_DISPATCH_GOTO", "-DVM_DISPATCH_SWITCH"]])
def test_exactly_one_form(gcc: list[str], subject: Path, defines: list[str], golden: Hear) -> None:
    golden(*errors(compile_form(gcc, subject, *defines)))


NO_MUSTTAIL = '"this compiler has no musttail attribute; this form needs it (clang 13, gcc 15)"'
NO_PRESERVE_NONE = (
    '"this compiler has no preserve_none attribute; VM_DISPATCH_PINNED needs it (clang 19)"'
)


@pytest.mark.parametrize(
    ("form", "messages"), [("TAIL", [NO_MUSTTAIL]), ("PINNED", [NO_MUSTTAIL, NO_PRESERVE_NONE])]
)
def test_lacking_attributes(gcc: list[str], subject: Path, form: str, messages: list[str]) -> None:
    output = compile_form(gcc, subject, f"-DVM_DISPATCH_{form}")
    if "musttail" not in output:
        pytest.skip("this compiler has musttail")
    assert errors(output) == messages
    assert output.count(" error: ") == len(messages)


def test_each_file_alone(gcc: list[str], subject: Path, turn_include: Path, tmp_path: Path) -> None:
    objects = []
    for source in sorted(subject.glob("*.c")):
        command = [*gcc, "-O1", "-Wall", "-Wextra", "-Werror", "-ffunction-sections"]
        command += ["-DVM_DISPATCH_GOTO", f"-I{turn_include}", "-c", str(source)]
        objects.append(compiled_once(command, [subject, turn_include]))
    vm = tmp_path / "ebpf-vm"
    subprocess.run([*gcc, *objects, "-o", str(vm)], check=True)
    assert run(vm, "run", subject / "programs" / "collatz.hex").stdout == "0x1470000008f\n"


def plugin(
    command: list[Path | str], program: str, *arguments: str
) -> subprocess.CompletedProcess[str]:
    return run(Path(command[0]), *command[1:], *arguments, stdin=program)


@pytest.mark.parametrize("form", FORMS)
def test_by_its_name(build_vm: Callable[[str], Path], form: str, tmp_path: Path) -> None:
    link = tmp_path / "ebpf-vm-plugin"
    link.symlink_to(build_vm(form))
    wide = (lddw(0, 0xFEDCBA9876543210) + EXIT).hex(" ")
    assert plugin([link], wide + "\n").stdout == "fedcba9876543210\n"
    memory = load(4, 0, 1, 0) + insn(0x0F, 0, 2) + EXIT
    process = plugin([link], memory.hex(), "01 02 03 04 05")
    assert (process.returncode, process.stdout, process.stderr) == (0, "4030206\n", "")


def test_by_its_command(vm: Path) -> None:
    program = insn(0xBF, 0, 2) + EXIT
    assert plugin([vm, "plugin"], program.hex(), "aabb").stdout == "2\n"
    assert plugin([vm, "plugin"], program.hex()).stdout == "0\n"


def test_options_of_the_runner_are_no_memory(vm: Path) -> None:
    program = elf([text(".text", 7)]).hex()
    assert plugin([vm, "plugin"], program, "--elf").stdout == "7\n"


def test_the_budget_is_an_option(vm: Path) -> None:
    endless = insn(0x05, off=-1).hex()
    for words in (["--max-insns", "1000"], ["", "--max-insns", "1000"]):
        process = plugin([vm, "plugin"], endless, *words)
        message = "ebpf-vm: instruction 0: the instruction budget is used up\n"
        assert (process.returncode, process.stderr) == (1, message)
    assert plugin([vm, "plugin"], EXIT.hex(), "--max-insns", "9").stdout == "0\n"


@pytest.mark.parametrize(
    ("program", "arguments", "status"),
    [
        ("", [], 2),
        ("b7", [], 2),
        ("zz", [], 2),
        (EXIT.hex(), ["1"], 2),
        (EXIT.hex(), ["--max-insns"], 2),
        (EXIT.hex(), ["", "--max-insns", "0"], 2),
        (insn(0xFF).hex(), [], 2),
        ((load(1, 0, 1, 0) + EXIT).hex(), [], 1),
    ],
)
def test_refusals_and_faults(
    vm: Path, program: str, arguments: list[str], status: int, golden: Hear
) -> None:
    process = plugin([vm, "plugin"], program, *arguments)
    assert (process.returncode, process.stdout) == (status, "")
    golden(process.stderr)


def test_the_corpus_does_no_harm(interpreter: Callable[..., list[str]], subject: Path) -> None:
    fuzz = subject / "fuzz"
    command = [*interpreter("GOTO", "-O1", "-g", *SANITIZE), *WARNINGS, f"-I{subject}"]
    command += [str(fuzz / "target.c"), str(fuzz / "replay.c")]
    command += sources("main.c", "options.c", "plugin.c")
    try:
        program = compiled_once(command, [subject, fuzz])
    except subprocess.CalledProcessError as error:
        if "asan" not in error.stderr:
            pytest.fail(error.stderr)
        pytest.skip("gcc has no sanitizers here")
    corpus = sorted((fuzz / "corpus").glob("*.hex"))
    process = run(program, *corpus)
    assert (process.stdout, process.stderr) == (f"{len(corpus)} inputs\n", "")
    assert len(corpus) > 20
