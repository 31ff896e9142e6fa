"""COFF objects and PE programs give the same table as ELF."""

from __future__ import annotations

import shutil
from pathlib import Path
from types import SimpleNamespace

import pytest
from tests.golden_files import Hear
from tests.unit.explain.cross import (
    MACOS,
    VM,
    WINDOWS,
    compile_object,
    dispatch_of,
    run,
    zig_binary,
)

from whyfast.explain.objects.pe import find_pdb
from whyfast.explain.program import explain_program, load
from whyfast.model.errors import UserError
from whyfast.model.evidence import Evidence

#: What Microsoft's compiler writes for a switch: the table's entries count from the image's base.
IMAGE_RELATIVE = """
    .text
    .def vm_run; .scl 2; .type 32; .endef
    .globl vm_run
vm_run:
    movzbl (%rcx), %eax
    leaq __ImageBase(%rip), %rdx
    movl .Ltable@IMGREL(%rdx,%rax,4), %ecx
    addq %rdx, %rcx
    jmp *%rcx
.La: movl $1, %eax
    ret
.Lb: movl $2, %eax
    ret
.Lc: movl $3, %eax
    ret
.Ld: call leaf
    ret
.Le: jmp leaf
    .section .rdata,"dr"
.Ltable:
    .long .La@IMGREL, .Lb@IMGREL, .Lc@IMGREL, .Ld@IMGREL, .Le@IMGREL
    .text
    .p2align 4
    .def leaf; .scl 2; .type 32; .endef
    .globl leaf
leaf:
    ret
"""

#: What the interpreter needs from the subject's other files and the system.
REST = """
int entry(void) { return 0; }
void vm_leave(void) {} void vm_enter(void) {} void vm_helper_call(void) {}
void vm_tail_target(void) {} void __chkstk(void) {}
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("windows")


@pytest.mark.parametrize(
    ("target", "style"),
    [
        *(
            (target, style)
            for target in (WINDOWS[0], MACOS[0])
            for style in ("SWITCH", "GOTO", "TAIL")
        ),
        *((WINDOWS[1], "SWITCH"), (MACOS[1], "SWITCH")),
    ],
)
def test_the_vm_as_an_object(
    folder: Path, target: str, style: str, zig_version: tuple[int, int]
) -> None:
    """By clang 19, which merges computed gotos."""
    if zig_version != (0, 14):
        pytest.skip("the answers are those of zig 0.14")
    path = compile_object(folder, target, VM, f"-DVM_DISPATCH_{style}")
    facts = dispatch_of(path, "op_*" if style == "TAIL" else "vm_run")
    if style == "TAIL":
        assert (facts.style, facts.form, facts.targets) == ("tail-call", "replicated", 159)
        assert facts.indirect_jumps == 158
    else:
        assert (facts.style, facts.form, facts.targets) == ("loop", "merged", 156)
        assert facts.indirect_jumps <= 2


@pytest.mark.parametrize("target", [WINDOWS[0], MACOS[0]])
def test_clang_18_replicates(folder: Path, target: str) -> None:
    facts = dispatch_of(compile_object(folder, target, VM, "-DVM_DISPATCH_GOTO", release="0.13.0"))
    assert (facts.style, facts.form) == ("loop", "replicated")
    assert facts.indirect_jumps > 150


def _link(folder: Path, *options: str) -> Path:
    """The VM as a program; ``folder`` is where it goes, with its PDB if it has one."""
    folder.mkdir()
    rest = folder / "rest.c"
    rest.write_text(REST)
    objects = [
        compile_object(folder.parent, WINDOWS[0], VM, "-DVM_DISPATCH_GOTO"),
        compile_object(folder, WINDOWS[0], rest, "-w"),
    ]
    out = folder / "vm.exe"
    common = ["/nodefaultlib", f"/out:{out}", *map(str, objects)]
    run([zig_binary(), "lld-link", *options, *common])
    return out


PROGRAM = ("/entry:entry", "/subsystem:console")


@pytest.mark.parametrize(
    "options",
    [(*PROGRAM, "/debug"), (*PROGRAM, "/debug:symtab"), ("/dll", "/noentry", "/export:vm_run")],
    ids=["PDB", "symbol table", "exports"],
)
def test_a_program_is_counted_as_its_object(
    folder: Path, options: tuple[str, ...], request: pytest.FixtureRequest
) -> None:
    program = _link(folder / request.node.callspec.id.replace(" ", "-"), *options)
    object_ = compile_object(folder, WINDOWS[0], VM, "-DVM_DISPATCH_GOTO")
    linked, whole = (
        explain_program(path, variant="v", dispatch=["vm_run"]) for path in (program, object_)
    )
    assert _counts(linked) == _counts(whole)
    exports_only = [n.startswith("only what it exports has a name") for n in linked.notes]
    assert exports_only == ([True] if "/dll" in options else [])


def _counts(evidence: Evidence) -> tuple[object, ...]:
    facts = evidence.dispatch
    assert facts is not None
    (function,) = evidence.functions
    calls = sum(n for _, n in (*function.callees, *function.tail_callees))
    return facts.form, facts.indirect_jumps, facts.targets, facts.instructions, facts.size, calls


def test_without_its_pdb_what_is_missing_is_said(folder: Path) -> None:
    program = _link(folder / "whole", *PROGRAM, "/debug")
    alone = folder / "alone" / "vm.exe"
    alone.parent.mkdir()
    shutil.copy(program, alone)
    loaded = load(alone)
    assert all(f.name.startswith("sub_") for f in loaded.functions)
    assert "no function has a name: its PDB, vm.pdb, is not beside it" in loaded.notes[0]
    assert ".pdata alone" in loaded.notes[0]

    other = _link(folder / "other", *PROGRAM, "/debug", "/base:0x180000000")
    shutil.copy(other.with_suffix(".pdb"), alone.parent)
    assert "vm.pdb belongs to another build" in load(alone).notes[0]
    blob = program.with_suffix(".pdb").read_bytes()
    (alone.parent / "vm.pdb").write_bytes(blob[: len(blob) // 4])
    assert "vm.pdb is damaged" in load(alone).notes[0]


def test_an_image_relative_table(folder: Path) -> None:
    source = folder / "table.s"
    source.write_text(IMAGE_RELATIVE)
    path = compile_object(folder, WINDOWS[0], source)
    facts = dispatch_of(path)
    assert (facts.form, facts.indirect_jumps, facts.targets) == ("merged", 1, 5)
    assert "image-relative" in facts.reason
    functions = {f.name: f for f in load(path).functions}
    # 8 padding bytes at most, before the next function, are none of its own
    assert functions["vm_run"].end < functions["leaf"].address
    (run_,) = explain_program(path, variant="v", functions=["vm_run"]).functions
    assert (run_.callees, run_.tail_callees) == ((("leaf", 1),), (("leaf", 1),))

    program = folder / "table.exe"
    words = ["/entry:vm_run", "/subsystem:console", "/nodefaultlib", "/debug:symtab"]
    run([zig_binary(), "lld-link", *words, f"/out:{program}", str(path)])
    linked = dispatch_of(program)
    assert (linked.form, linked.targets) == ("merged", 5)


def test_two_exports_at_one_address_are_no_symbol_table(folder: Path) -> None:
    exports = ("/export:vm_run", "/export:again=vm_run")
    program = _link(folder / "aliases", "/dll", "/noentry", *exports)
    loaded = load(program)
    assert ("again", "vm_run") in [tuple(sorted(f.names)) for f in loaded.functions]
    assert loaded.notes[0].startswith("only what it exports has a name")


@pytest.mark.parametrize("name", ["", ".", "C:\\build\\", "..", b"C:\\build\\\xff.pdb"])
def test_a_pdb_of_no_usable_name(tmp_path: Path, name: str | bytes, golden: Hear) -> None:
    record = SimpleNamespace(filename=name, signature=bytes(16))
    pdb = find_pdb(tmp_path / "vm.exe", SimpleNamespace(codeview_pdb=record))
    assert pdb.symbols == ()
    assert pdb.why_not.endswith("is not beside it")
    (tmp_path / "vm.pdb").write_bytes(b"")
    golden(find_pdb(tmp_path / "vm.exe", SimpleNamespace(codeview_pdb=record)).why_not)


@pytest.mark.parametrize(
    ("blob", "words"),
    [
        (b"MZ".ljust(0x3C) + b"\x40\0\0\0PE\0\0\x64\x86" + bytes(18), "section headers are not"),
        (b"MZ" + bytes(20), "truncated or damaged PE file"),
        (b"MZ" + bytes(200), "DOS program"),
        (b"\x64\x86\x01\0", "truncated or damaged COFF file"),
        (b"\x4c\x01" + bytes(40), "COFF file for the machine I386"),
        (b"\x64\x86\xff\xff" + bytes(40), "section headers end behind"),
        (b"\0\0\xff\xff\1\0\x64\x86" + bytes(60), "intermediate code"),
        (b"\0\0\xff\xff\0\0\x64\x86" + bytes(60), "stub of a library"),
    ],
)
def test_other_files_of_windows(tmp_path: Path, blob: bytes, words: str) -> None:
    path = tmp_path / "file"
    path.write_bytes(blob)
    with pytest.raises(UserError, match=words):
        load(path)
