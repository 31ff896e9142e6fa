"""A first look at programs, stubs, and functions that are elsewhere. How programs compiled at run
time follow one another."""

import subprocess
from pathlib import Path

import pytest
from tests.golden_files import Hear

from whyfast.cli.main import main
from whyfast.explain.disassembly.x86 import X86Disassembler
from whyfast.explain.functions import Body, Program
from whyfast.explain.interpreter_loop import LoopSearch
from whyfast.explain.jit import explain_image
from whyfast.explain.objects import Function, Image, Region
from whyfast.explain.program import hint_for, stub_note, survey_program, where_instead
from whyfast.formats.self_report import Code, CodeReport


def _program(*names: tuple[str, str]) -> Program:
    """Functions of 16 bytes by name and source file, empty for a global one."""
    start = 0x10_0000
    pieces = tuple(
        Function((name,), start + 16 * i, start + 16 * i, 16, ".text", file)
        for i, (name, file) in enumerate(names)
    )
    region = Region(".text", start, bytearray(b"\x90" * 16 * len(names)), True, False)
    return Program(Path("x"), "x86-64", Image([region], {}, 0), pieces, X86Disassembler())


def _of(program: Program, function: Function) -> Body:
    return LoopSearch(program).whole(function)


def test_a_cold_part_belongs_to_the_function_of_its_source_file() -> None:
    program = _program(("vm", ""), ("vm", "b.c"), ("vm.cold", "b.c"))
    everyone, static, part = program.functions
    assert _of(program, everyone).pieces == (everyone,)
    assert _of(program, static).pieces == (static, part)
    assert _of(program, part).pieces == (part,)


def test_the_cold_part_of_a_global_function_is_local() -> None:
    program = _program(("vm", ""), ("vm.cold", "a.c"), ("vm.cold.1", "a.c"))
    assert _of(program, program.functions[0]).pieces == program.functions


MAIN = "int vm_run(int); int main(void) { return vm_run(0); }\n"
#: About 40 kB of code, 3,000 times more than the main function above.
LARGE = "".join(
    f"int f{i}(int n) {{ return n * {i + 3} ^ n / {i + 7}; }}\n" for i in range(600)
)  # fmt: skip


def program(folder: Path, library: str, name: str = "libvm.so.1", *flags: str) -> Path:
    """A program that calls ``vm_run`` of the library of that source beside it."""
    (folder / "lib.c").write_text("int vm_run(int n) { return n * 3; }\n" + library)
    (folder / "main.c").write_text(MAIN)
    build = ["gcc", "-shared", "-fPIC", f"-Wl,-soname,{name}", "-o", str(folder / name)]
    subprocess.run([*build, str(folder / "lib.c")], check=True)
    made = folder / "vm"
    link = ["gcc", *flags, "-o", str(made), str(folder / "main.c"), str(folder / name)]
    subprocess.run([*link, "-Wl,-rpath,$ORIGIN"], check=True)
    return made


def test_a_stub_offers_its_library(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    stub = program(tmp_path, LARGE)
    note = stub_note(stub)
    assert note.startswith("a stub: its own code is ")
    assert note.endswith(f", which it loads, {_text(tmp_path / 'libvm.so.1'):,}; whyfast explain "
                         f"{tmp_path / 'libvm.so.1'}")  # fmt: skip
    assert survey_program(stub, variant="vm").evidence.notes == (note,)
    assert main(["explain", str(stub)]) == 0
    # Lines are broken within long paths, too.
    assert f"vm: {note}".replace(" ", "") in "".join(capsys.readouterr().out.split())


def _text(path: Path) -> int:
    """Bytes of .init, .plt, .plt.got, .text and .fini, as binutils have them."""
    listed = subprocess.run(
        ["readelf", "--sections", "--wide", path], check=True, capture_output=True, text=True
    ).stdout
    rows = [line.partition("]")[2].split() for line in listed.splitlines()]
    return sum(int(row[4], 16) for row in rows if len(row) > 6 and row[6] == "AX")


def test_a_stripped_stub_offers_it_too(tmp_path: Path) -> None:
    stub = program(tmp_path, LARGE, "libvm.so.1", "-s")
    notes = survey_program(stub, variant="vm").evidence.notes
    assert any("stripped" in note for note in notes)
    assert any("a stub: " in note and "libvm" in note for note in notes)


def test_what_is_no_stub(tmp_path: Path) -> None:
    # A library of the size of the program, one of the language, none, and no program at all.
    assert stub_note(program(tmp_path, "")) == ""
    assert stub_note(program(tmp_path, LARGE, "libgcc_s.so.1")) == ""
    subprocess.run(["gcc", "-x", "c", "-", "-o", str(tmp_path / "plain")],
                   input=b"int main(void) { return 0; }", check=True)  # fmt: skip
    assert stub_note(tmp_path / "plain") == ""
    assert stub_note(tmp_path / "main.c") == ""
    assert stub_note(tmp_path / "no") == ""


def test_a_stub_offers_the_library_that_has_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    stub = program(tmp_path, "")
    hint = f"it is in {stub.parent / 'libvm.so.1'}, which vm loads"
    assert hint_for(stub, "vm_r*") == hint
    assert main(["explain", str(stub), "--function", "vm_r*"]) == 1
    printed = "".join(capsys.readouterr().out.split())  # lines are broken within long paths, too
    assert printed == f"Warning: vm_r*: no matching function in vm; {hint}".replace(" ", "")


def test_the_nearest_name(tmp_path: Path, golden: Hear) -> None:
    golden(hint_for(program(tmp_path, ""), "mian"))
    golden(where_instead(Path("/no/such/file"), "vm_rum*", ["vm_run.cold", "x"]))
    assert where_instead(Path("/no/such/file"), "zzz", ["vm_run"]) == ""


LAST = Code(1, 0x2000, bytes.fromhex("31c0c3"))
THUNK = {0x9000: "__x86_indirect_thunk_rcx", 0x9100: "__x86_return_thunk"}


def _jump(source: int, target: int) -> str:
    """jmp rel32 of five bytes, at ``source``."""
    return "e9" + (target - source - 5).to_bytes(4, "little", signed=True).hex()


def _image(code: str, address: int = 0x1000, last: Code = LAST):  # type: ignore[no-untyped-def]
    report = CodeReport(True, (Code(0, address, bytes.fromhex(code)), last), THUNK)
    return explain_image(report, "v", "x86-64")


def test_a_direct_jump_into_the_next_program(golden: Hear) -> None:
    image = _image("31c0" + _jump(0x1002, 0x2002) + "c3")
    assert (image.form, image.reason) == ("direct", "1 of 1 go on directly")
    first = image.programs[0]
    golden(*first.exits)
    assert (first.size, first.instructions) == (8, 3)
    assert first.listing == (
        "+0x0  xor eax, eax",
        "+0x2  jmp 0x2002    ; program 1 + 0x2",
        "+0x7  ret",
    )
    assert image.programs[1].exits == ()


def test_a_jump_through_a_thunk_and_a_return_through_another(golden: Hear) -> None:
    image = _image(_jump(0x1000, 0x9000) + _jump(0x1005, 0x9100))
    assert (image.form, image.reason) == ("thunk", "1 of 1 go on through a thunk (retpoline)")
    golden(*image.programs[0].exits)


def test_a_retpoline_written_out_in_place(golden: Hear) -> None:
    # call +7; pause; lfence; jmp back; mov [rsp], rcx; ret
    image = _image("e807000000" + "f390" + "0fae e8".replace(" ", "") + "ebf9" + "48890c24" + "c3")
    assert image.form == "thunk"
    golden(*image.programs[0].exits)


def test_a_jump_through_a_register() -> None:
    image = _image("ffe1")
    assert (image.form, image.reason) == ("indirect", "1 of 1 go on through a register or memory")
    aarch64 = CodeReport(True, (Code(0, 0x1000, bytes.fromhex("40011fd6")), LAST))
    assert explain_image(aarch64, "v", "aarch64").form == "indirect"


def test_where_the_kernel_hides_addresses_targets_are_not_guessed(golden: Hear) -> None:
    image = _image(_jump(0, 0x1000), address=0, last=Code(1, 0, b"\xc3"))
    assert image.form == "unknown"
    golden(image.reason)


def test_without_machine_code() -> None:
    nothing = explain_image(CodeReport(False, ()), "v", "x86-64")
    assert (nothing.form, nothing.programs) == ("interpreted", ())
    hidden = explain_image(CodeReport(True, ()), "v", "x86-64")
    assert (hidden.form, hidden.reason) == ("unknown", "the kernel does not show the machine code")


def test_numbers_are_not_named_after_programs_whose_address_is_hidden() -> None:
    image = _image("b814000000" + "c3", address=0, last=Code(1, 0, bytes(32)))
    assert image.programs[0].listing == ("+0x0  mov eax, 0x14", "+0x5  ret")


def test_targets_of_aarch64_are_named() -> None:
    # b +0x1000; a word that is no instruction; ret
    code = bytes.fromhex("00040014" + "00000000" + "c0035fd6")
    image = explain_image(CodeReport(True, (Code(0, 0x1000, code), LAST)), "v", "aarch64")
    jump, word, leave = image.programs[0].listing
    assert jump == "+0x0  b #0x2000    ; program 1 + 0x0"
    assert word.startswith("+0x4  ")
    assert leave == "+0x8  ret"
