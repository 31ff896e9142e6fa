"""How programs compiled at run time follow one another."""

from tests.golden_files import Hear

from whyfast.explain.jit import explain_image
from whyfast.formats.self_report import Code, CodeReport

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
