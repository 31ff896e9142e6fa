"""Programs inside of archives, packages and wheels; symbols in separate debug files. What zstd
packed, by each of the ways to unpack it; a package that has it inside."""

import contextlib
import importlib
import io
import lzma
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tracemalloc
import zipfile
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.compiled import compile_text
from tests.fuzz.readers import ar_of, tar_of
from tests.golden_files import Hear, refusal

from whyfast.explain.objects import containers
from whyfast.explain.objects.containers import (
    READERS,
    Damaged,
    NoReader,
    TooLarge,
    taken_out,
    unpack,
)
from whyfast.explain.objects.debug_info import build_id, debug_file
from whyfast.explain.objects.elf import open_elf
from whyfast.explain.program import load
from whyfast.model.errors import UserError

needs_binutils = pytest.mark.skipif(
    not all(map(shutil.which, ("gcc", "ar", "objcopy", "strip"))), reason="needs gcc and binutils"
)
SMALL = "int tiny(int a) { return a; }\n"
LARGE = "".join(f"int f{i}(int a) {{ return a * {i} + {i}; }}\n" for i in range(50))
#: From Python 3.14 on tarfile says less itself.
HUGE_HEADER = r"a header of it has 3,000,000,000 bytes|damaged package file"
LONG = "a_name_that_is_longer_than_sixteen.o"


@pytest.fixture
def objects(tmp_path: Path) -> dict[str, Path]:
    found = {}
    for name, text in (("tiny.o", SMALL), (LONG, LARGE)):
        found[name] = compile_text(text, tmp_path / name, "-O1", "-c")
    return found


@pytest.fixture
def out(tmp_path: Path) -> Path:
    (tmp_path / "out").mkdir()
    return tmp_path / "out"


def _wheel(path: Path, files: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return path


def _names(path: Path) -> set[str]:
    return {f.name for f in load(path).functions}


@needs_binutils
def test_the_largest_object_of_an_archive(
    objects: dict[str, Path], tmp_path: Path, out: Path, golden: Hear
) -> None:
    archive = tmp_path / "lib.a"
    subprocess.run(["ar", "rcs", archive, *objects.values()], check=True)
    found = taken_out(archive, out)
    assert found.name == f"lib.a:{LONG}"
    golden(found.note)
    assert "f49" in _names(found.path)


@needs_binutils
def test_a_part_that_is_asked_for(objects: dict[str, Path], tmp_path: Path, out: Path) -> None:
    archive = tmp_path / "lib.a"
    subprocess.run(["ar", "rcs", archive, *objects.values()], check=True)
    found = taken_out(tmp_path / "lib.a:tiny.o", out)
    assert (found.name, found.note) == ("lib.a:tiny.o", "lib.a: tiny.o")
    assert _names(found.path) == {"tiny"}
    with pytest.raises(UserError, match=f"none.o; available: {LONG}, tiny"):
        taken_out(tmp_path / "lib.a:none.o", out)


@needs_binutils
def test_a_debian_package(objects: dict[str, Path], tmp_path: Path, out: Path) -> None:
    names = {"./usr/lib/a/tiny.o": "tiny.o", "./usr/lib/big.o": LONG}
    data = tar_of({name: objects[file].read_bytes() for name, file in names.items()}, "w:xz")
    control = {"control.tar.xz": b"\x7fELF no control file"}
    package = tmp_path / "x.deb"
    package.write_bytes(ar_of({"debian-binary": b"2.0\n", **control, "data.tar.xz": data}))
    assert "f49" in _names(taken_out(package, out).path)
    assert _names(taken_out(tmp_path / "x.deb:a/tiny.o", out).path) == {"tiny"}


@needs_binutils
def test_a_wheel(objects: dict[str, Path], tmp_path: Path, out: Path) -> None:
    files = {"x/_tiny.so": objects["tiny.o"].read_bytes(), "x/__init__.py": b"pass\n" * 10_000}
    wheel = _wheel(tmp_path / "x-1-py3-none-any.whl", files)
    found = taken_out(wheel, out)
    assert (found.name, found.note) == (f"{wheel.name}:_tiny.so", f"{wheel.name}: x/_tiny.so")
    assert _names(found.path) == {"tiny"}


def test_what_is_no_container_stays(tmp_path: Path, out: Path) -> None:
    plain = tmp_path / "plain"
    plain.write_bytes(b"\x7fELF")
    assert taken_out(plain, out).path == plain
    assert taken_out(tmp_path / "missing", out).path == tmp_path / "missing"


def test_a_container_without_code_is_an_error(tmp_path: Path, out: Path) -> None:
    with pytest.raises(UserError, match="no file with machine code"):
        taken_out(_wheel(tmp_path / "x.whl", {"x.py": b"pass"}), out)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40)
@given(data=st.binary(max_size=300), magic=st.sampled_from([b"!<arch>\n", b"PK\x03\x04"]))
def test_damaged_ones_are_user_errors(tmp_path: Path, out: Path, data: bytes, magic: bytes) -> None:
    (tmp_path / "x").write_bytes(magic + data)
    with pytest.raises(UserError):
        taken_out(tmp_path / "x", out)


CODE = b"\x7fELF code"


def _package(path: Path, data: bytes, name: str = "data.tar.xz") -> Path:
    path.write_bytes(ar_of({"debian-binary": b"2.0\n", name: data}))
    return path


def test_a_bomb_is_not_unpacked(tmp_path: Path, out: Path) -> None:
    wheel = _wheel(tmp_path / "bomb.whl", {"x.so": CODE, "big": bytes(20_000_000)})
    tracemalloc.start()
    try:
        assert taken_out(wheel, out).path.read_bytes() == CODE
        assert tracemalloc.get_traced_memory()[1] < 5_000_000
    finally:
        tracemalloc.stop()


def test_a_part_that_claims_to_be_huge_is_refused(tmp_path: Path, out: Path, golden: Hear) -> None:
    wheel = _wheel(tmp_path / "x.whl", {"x.so": CODE})
    data = wheel.read_bytes()
    real, said = len(CODE).to_bytes(4, "little"), (4_200_000_000).to_bytes(4, "little")
    at = data.index(b"PK\x01\x02") + 24  # what the directory says
    assert data[at : at + 4] == real
    wheel.write_bytes(data[:at] + said + data[at + 4 :])
    golden(refusal(UserError, lambda: taken_out(wheel, out)))


def test_headers_of_a_package_that_are_huge_are_refused(tmp_path: Path, out: Path) -> None:
    """tarfile would read a long name of gigabytes into memory."""
    member = tarfile.TarInfo("././@LongLink")
    member.type, member.size = tarfile.GNUTYPE_LONGNAME, 3_000_000_000
    data = lzma.compress(member.tobuf(tarfile.GNU_FORMAT))
    with pytest.raises(UserError, match=HUGE_HEADER):
        taken_out(_package(tmp_path / "x.deb", data), out)
    member = tarfile.TarInfo("big")
    member.size = 5_000_000_000
    data = lzma.compress(member.tobuf(tarfile.GNU_FORMAT))
    with pytest.raises(UserError, match="at most 4 GB"):
        taken_out(_package(tmp_path / "y.deb", data), out)


@pytest.mark.parametrize(
    "name",
    ["../../../etc/cron.d/x", "/etc/x", "..", "a\nb\x1b[2J", "n" * 300 + ".so", "dir/\\..\\x"],
)
def test_names_lead_nowhere(tmp_path: Path, out: Path, name: str) -> None:
    wheel = _wheel(tmp_path / "x.whl", {name: CODE})
    before = set(tmp_path.rglob("*"))
    found = taken_out(wheel, out)
    assert found.path.parent == out
    assert set(tmp_path.rglob("*")) == {*before, found.path}
    assert re.fullmatch(r"0-[\w.+-]{0,80}", found.path.name)


def test_links_and_containers_in_a_container_stay_there(tmp_path: Path, out: Path) -> None:
    inner = _wheel(tmp_path / "inner.whl", {"x.so": CODE})
    wheel = _wheel(tmp_path / "x.whl", {"inner.whl": inner.read_bytes()})
    with zipfile.ZipFile(wheel, "a") as archive:
        link = zipfile.ZipInfo("link.so")
        link.external_attr = 0o120777 << 16
        archive.writestr(link, "/bin/true")
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as tar:
        for kind in (tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE, tarfile.CHRTYPE):
            member = tarfile.TarInfo(f"x{kind!r}.so")
            member.type, member.linkname = kind, "/bin/true"
            tar.addfile(member)
    package = _package(tmp_path / "x.deb", buffer.getvalue(), "data.tar.gz")
    for path in (wheel, package):
        with pytest.raises(UserError, match="no file with machine code"):
            taken_out(path, out)


def test_more_files_than_any_container_has_are_refused(
    tmp_path: Path, out: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(containers, "MOST_PARTS", 2)
    with pytest.raises(UserError, match="too many files"):
        taken_out(_wheel(tmp_path / "x.whl", dict.fromkeys("abc", CODE)), out)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=50)
@given(
    at=st.integers(0, 10_000), byte=st.integers(0, 255), kind=st.sampled_from(["zip", "deb", "a"])
)
def test_a_wrong_byte_is_handled(tmp_path: Path, out: Path, at: int, byte: int, kind: str) -> None:
    path = tmp_path / "x"
    if kind == "zip":
        _wheel(path, {"x.so": CODE + bytes(range(256))})
    elif kind == "deb":
        _package(path, tar_of({"x.so": CODE}, "w:xz"))
    else:
        path.write_bytes(ar_of({"x.o/": CODE, "/12": CODE}))
    data = bytearray(path.read_bytes())
    data[at % len(data)] = byte
    path.write_bytes(data)
    with contextlib.suppress(UserError):
        assert taken_out(path, out).path.exists()


@needs_binutils
def test_names_from_the_debug_file_of_this_build(tmp_path: Path) -> None:
    def program(text: str, folder: Path) -> Path:
        folder.mkdir()
        source = f"static int hidden(int a) {{ return a {text}; }}\n"
        source += "int (*volatile get)(int) = hidden;\nint main(void) { return get(2); }\n"
        compile_text(source, folder / "p", "-O1", "-Wl,--build-id")
        subprocess.run(
            ["objcopy", "--only-keep-debug", folder / "p", folder / "p.debug"], check=True
        )
        subprocess.run(["strip", folder / "p"], check=True)
        return folder / "p"

    own, other = program("* 3", tmp_path / "a"), program("* 5", tmp_path / "b")
    assert len(build_id(open_elf(own))) == 40
    assert "hidden" in _names(own)
    # One of another build is not used, whatever it is called.
    (tmp_path / "a" / "p.debug").write_bytes((tmp_path / "b" / "p.debug").read_bytes())
    assert debug_file(open_elf(own)) is None
    assert debug_file(open_elf(other)) is not None


@pytest.mark.parametrize("end", ["tar", "tar.gz", "tar.xz", "tar.zst"])
def test_a_large_package_part_is_not_in_memory(tmp_path: Path, out: Path, end: str) -> None:
    """Neither the package, nor what it unpacks to, nor the part."""
    large = CODE + bytes(40_000_000)
    mode = {"tar.gz": "w:gz", "tar.xz": "w:xz"}.get(end, "w")
    data = tar_of({"./usr/bin/large": large}, mode)
    if end == "tar.zst":
        if not shutil.which("zstd"):
            pytest.skip("needs zstd")
        data = subprocess.run(["zstd", "-c"], input=data, stdout=-1, check=True).stdout
    package = _package(tmp_path / "large.deb", data, f"data.{end}")
    del data
    tracemalloc.start()
    try:
        written = taken_out(package, out).path
        # The dictionary of xz has 8 MB.
        assert tracemalloc.get_traced_memory()[1] < 20_000_000
    finally:
        tracemalloc.stop()
    assert written.read_bytes() == large


#: The most that a block of a frame holds.
_BLOCK = 128 * 1024


def frame(data: bytes) -> bytes:
    """One frame of blocks as they are: what any reader must read, made without one."""
    parts = [b"\x28\xb5\x2f\xfd", b"\xa0", len(data).to_bytes(4, "little")]
    starts = range(0, max(len(data), 1), _BLOCK)
    for at in starts:
        block, last = data[at : at + _BLOCK], at + _BLOCK >= len(data)
        parts += [(last | len(block) << 3).to_bytes(3, "little"), block]
    return b"".join(parts)


def unpacked(data: bytes, most: int) -> bytes:
    with tempfile.TemporaryFile() as packed, tempfile.TemporaryFile() as plain:
        packed.write(data)
        packed.seek(0)
        unpack(packed, plain, most)
        plain.seek(0)
        return plain.read()


def _have(name: str) -> bool:
    if name == READERS[-1]:
        return shutil.which(name) is not None
    try:
        importlib.import_module(name)
    except ImportError:
        return False
    return True


def _only(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """As if that were all there is."""
    real = importlib.import_module

    def importing(wanted: str, *more: Any) -> Any:
        if wanted in READERS and wanted != name:
            raise ImportError
        return real(wanted, *more)

    monkeypatch.setattr(importlib, "import_module", importing)
    if name != READERS[-1]:
        monkeypatch.setattr(shutil, "which", lambda _: None)


@pytest.mark.parametrize("name", READERS)
def test_every_reader_reads_all_frames(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if not _have(name):
        pytest.skip(f"{name} is not here")
    _only(name, monkeypatch)
    data = bytes(range(256)) * 1000
    packed = frame(data) + frame(b"more")
    assert unpacked(packed, len(data) + 4) == data + b"more"
    with pytest.raises(TooLarge):
        unpacked(packed, len(data) + 3)
    with pytest.raises(Damaged):  # a block of a kind that there is not
        unpacked(frame(b"")[:-3] + (1 | 3 << 1 | 8 << 3).to_bytes(3, "little") + b"8" * 8, 10**9)


def test_the_module_of_python_goes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    own = SimpleNamespace(ZstdFile=lambda packed: io.BytesIO(b"by python"))
    monkeypatch.setitem(sys.modules, "compression.zstd", own)
    monkeypatch.setitem(sys.modules, "compression", SimpleNamespace(zstd=own))
    assert unpacked(b"anything", 100) == b"by python"


def test_without_any_it_says_what_would_do(monkeypatch: pytest.MonkeyPatch) -> None:
    _only("none", monkeypatch)
    with pytest.raises(NoReader):
        unpacked(frame(b"data"), 100)


def test_a_package_with_zstd_inside(
    gcc: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, golden: Hear
) -> None:
    if not any(map(_have, READERS)):
        pytest.skip("nothing here reads zstd")
    program = gcc("int work(int a) { return a * 3; } int main(void) { return work(1); }", "-O1")
    data = frame(tar_of({"./usr/bin/p": program.read_bytes()}))
    package = _package(tmp_path / "p.deb", data, "data.tar.zst")
    (tmp_path / "out").mkdir()
    found = taken_out(package, tmp_path / "out")
    assert found.note == "p.deb: usr/bin/p"
    assert "work" in _names(found.path)
    _only("none", monkeypatch)
    golden(refusal(UserError, lambda: taken_out(package, tmp_path / "out")))
