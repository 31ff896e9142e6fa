"""Whatever a PE, COFF or Mach-O file holds: facts, or one clear error."""

import contextlib
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.unit.explain.cross import MACOS, WINDOWS, compile_object, run, zig_binary

from whyfast.explain.objects.pe import find_pdb
from whyfast.explain.program import explain_program
from whyfast.model.errors import UserError

SOURCE = """
void first(void), second(void), third(void), fourth(void);
int vm_run(const unsigned char *p) {
    for (;;) switch (*p++) {
        case 0: return 0;
        case 1: first(); break;
        case 2: second(); break;
        case 3: third(); break;
        case 4: fourth(); break;
        default: return 1;
    }
}
void first(void) {} void second(void) {} void third(void) {} void fourth(void) {}
int entry(void) { return vm_run((const unsigned char *)"abc"); }
#ifdef WITH_MAIN
int main(void) { return entry(); }
#endif
"""

PATCHES = [b"\0", b"\xff", b"\xff" * 8, b"\x80", b"\x7f" * 4, b"\1"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("hostile")


@pytest.fixture(scope="module")
def originals(folder: Path) -> list[bytes]:
    source = folder / "program.c"
    source.write_text(SOURCE)
    objects = [compile_object(folder, t, source, "-fno-inline") for t in (*WINDOWS, *MACOS)]
    words = ["/entry:entry", "/subsystem:console", "/nodefaultlib", "/debug"]
    run([zig_binary(), "lld-link", *words, f"/out:{folder / 'program.exe'}", str(objects[0])])
    linked = folder / "linked"
    words = ["-target", MACOS[0], "-O1", "-DWITH_MAIN", str(source), "-o", str(linked)]
    run([zig_binary(), "cc", *words])
    return [p.read_bytes() for p in (*objects, folder / "program.exe", linked)]


def spoiled(data: st.DataObject, blob: bytes) -> bytes:
    """``blob`` with other bytes, most at both ends: headers, symbols and relocations."""
    mutable, last = bytearray(blob), len(blob) - 1
    both_ends = (0, min(0x400, last)), (max(0, last - 0x1000), last)
    places = st.one_of(*(st.integers(*ends) for ends in ((0, last), *both_ends)))
    for place in data.draw(st.lists(places, max_size=8)):
        patch = data.draw(st.sampled_from(PATCHES))
        mutable[place : place + len(patch)] = patch
    if data.draw(st.booleans()):
        del mutable[data.draw(places) :]
    return bytes(mutable)


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(data=st.data())
def test_damaged_never_crash(tmp_path: Path, originals: list[bytes], data: st.DataObject) -> None:
    path = tmp_path / "hostile"
    path.write_bytes(spoiled(data, data.draw(st.sampled_from(originals))))
    with contextlib.suppress(UserError):
        explain_program(path, variant="v", dispatch=["vm_run"], functions=["*"])


class _Record:
    """What the program says of its PDB."""

    def __init__(self, blob: bytes) -> None:
        self.codeview_pdb = self
        self.filename = "hostile.pdb"
        at = blob.index(b"RSDS")
        self.signature = list(blob[at + 4 : at + 20])


@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(data=st.data())
def test_a_mutated_pdb_never_crashes(
    tmp_path: Path, folder: Path, originals: list[bytes], data: st.DataObject
) -> None:
    record = _Record(originals[-2])
    (tmp_path / "hostile.pdb").write_bytes(spoiled(data, (folder / "program.pdb").read_bytes()))
    pdb = find_pdb(tmp_path / "program.exe", record)
    assert pdb.symbols or pdb.why_not
