"""Archives, good and hostile."""

from __future__ import annotations

import io
import os
import random
import re
import tarfile
from pathlib import Path
from typing import Literal, get_args

import pytest
from tests.golden_files import Hear

from whyfast.build.source import unpack
from whyfast.model.errors import UserError


def _member(name: str, kind: bytes = tarfile.REGTYPE, link: str = "") -> tarfile.TarInfo:
    member = tarfile.TarInfo(name)
    member.type = kind
    member.linkname = link
    member.mode = 0o644
    return member


def _pax(name: str, key: str, value: str) -> tarfile.TarInfo:
    member = _member(name)
    member.pax_headers = {key: value}
    return member


def _dated(name: str, date: str) -> tarfile.TarInfo:
    return _pax(name, "mtime", date)


@pytest.fixture
def _python_3_11_2(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the filters that Python has from 3.11.4 on."""
    for name in ("data_filter", "tar_filter", "fully_trusted_filter"):
        monkeypatch.delattr(tarfile, name, raising=False)


Mode = Literal["w:", "w:gz", "w:bz2", "w:xz"]


def _archive(folder: Path, *members: tarfile.TarInfo, mode: Mode = "w:") -> Path:
    path = folder / "archive.tar"
    with tarfile.open(path, mode) as tar:
        for member in members:
            content = b"content of " + member.name.encode()
            member.size = len(content) if member.isreg() else 0
            tar.addfile(member, io.BytesIO(content) if member.isreg() else None)
    return path


@pytest.mark.parametrize("mode", get_args(Mode))
def test_the_only_folder_of_an_archive_is_the_source(
    tmp_path: Path, mode: Mode, golden: Hear
) -> None:
    script = _member("thing-1.0/configure")
    script.mode = 0o6775
    archive = _archive(
        tmp_path,
        _member("thing-1.0/src/a.c"),
        script,
        _member("thing-1.0/b.c", tarfile.SYMTYPE, "src/../src/a.c"),
        _member("thing-1.0/c.c", tarfile.LNKTYPE, "thing-1.0/src/a.c"),
        mode=mode,
    )
    folder = unpack(archive, tmp_path / "to")
    assert folder == tmp_path / "to" / "thing-1.0"
    golden((folder / "src/a.c").read_text())
    assert (folder / "b.c").read_text() == (folder / "c.c").read_text()
    assert (folder / "configure").stat().st_mode & 0o7777 == 0o755


def test_an_archive_without_a_folder_is_the_source_itself(tmp_path: Path) -> None:
    archive = _archive(tmp_path, _member("a.c"), _member("b.c"))
    assert unpack(archive, tmp_path / "to") == tmp_path / "to"


def test_a_later_file_replaces_an_earlier_one(tmp_path: Path) -> None:
    archive = _archive(tmp_path, _member("x/a"), _member("x/a"))
    assert (unpack(archive, tmp_path / "to") / "a").read_text() == "content of x/a"


@pytest.mark.parametrize(
    ("members", "what"),
    [
        ([_member("/etc/evil")], "'/etc/evil' in it is a name that leads outside"),
        ([_member("x/../../evil")], "a name that leads outside"),
        ([_member("x/link", tarfile.SYMTYPE, "/etc")], "a link that leads outside"),
        ([_member("x/link", tarfile.SYMTYPE, "../../y")], "a link that leads outside"),
        ([_member("x/hard", tarfile.LNKTYPE, "../evil")], "a link that leads outside"),
        ([_member("x/hard", tarfile.LNKTYPE, "/etc/passwd")], "a link that leads outside"),
        ([_member("x/hard", tarfile.LNKTYPE, "x/missing")], "a hard link to what is not a file"),
        ([_member("x/fifo", tarfile.FIFOTYPE)], "neither a file nor a folder nor a link"),
        ([_member("x/device", tarfile.CHRTYPE)], "neither a file nor a folder nor a link"),
        (
            # harmless when it is made, but not once there is what it leads through
            [
                _member("x/link", tarfile.SYMTYPE, "here/.."),
                _member("x/here", tarfile.SYMTYPE, ".."),
            ],
            "a link that leads outside",
        ),
        (
            [
                _member("a/b/deep/file"),
                _member("x", tarfile.SYMTYPE, "a/b"),
                _member("x/file", tarfile.SYMTYPE, "../../../evil"),
            ],
            "a link that leads outside",
        ),
        (
            [_member("x/a"), _member("x/l", tarfile.SYMTYPE, "a"), _member("x/l/b")],
            None,  # a is a file: cannot be a folder as well
        ),
        ([_member("x/" * 300 + "y")], "a name of over 200 folders"),
        ([_dated("x/y", "nan")], "cannot be unpacked"),
        ([_dated("x/y", "1e300")], "cannot be unpacked"),
        ([_pax("x/y", "path", "x/\0y")], None),  # up to the NUL, or refused, as Python has it
    ],
)
@pytest.mark.usefixtures("_python_3_11_2")
def test_a_hostile_archive_is_refused(
    tmp_path: Path, members: list[tarfile.TarInfo], what: str | None
) -> None:
    archive = _archive(tmp_path, *members)
    with pytest.raises((UserError, OSError), match=re.escape(what) if what else None):
        unpack(archive, tmp_path / "to" / "deep")
    assert sorted(os.listdir(tmp_path)) == ["archive.tar", "to"]
    assert os.listdir(tmp_path / "to") == ["deep"]


def test_a_file_is_not_written_through_a_link(tmp_path: Path) -> None:
    archive = _archive(tmp_path, _member("a"), _member("l", tarfile.SYMTYPE, "a"), _member("l"))
    with pytest.raises(UserError, match="a name that leads through a link"):
        unpack(archive, tmp_path / "to")


@pytest.mark.parametrize("content", [b"", b"no archive", b"\x1f\x8b broken", b"\xfd7zXZ\0 broken"])
def test_what_is_no_archive(tmp_path: Path, content: bytes) -> None:
    archive = tmp_path / "archive"
    archive.write_bytes(content)
    with pytest.raises(UserError, match=r"archive: cannot be unpacked: "):
        unpack(archive, tmp_path / "to")


def test_an_archive_that_ends_too_early(tmp_path: Path) -> None:
    (tmp_path / "noise").write_bytes(random.Random(1).randbytes(100_000))
    archive = tmp_path / "archive"
    with tarfile.open(archive, "w:xz") as tar:
        tar.add(tmp_path / "noise", "noise")
    archive.write_bytes(archive.read_bytes()[:50_000])
    with pytest.raises(UserError, match="cannot be unpacked"):
        unpack(archive, tmp_path / "to")


def _header(member: tarfile.TarInfo) -> bytes:
    return member.tobuf(tarfile.GNU_FORMAT)


def test_a_negative_size_is_no_endless_loop(tmp_path: Path) -> None:
    """Python before 3.11.14 goes back by that size, to the same header again."""
    member = _member("x/a")
    member.size = -512
    (tmp_path / "archive.tar").write_bytes(_header(member) + bytes(1024))
    with pytest.raises(UserError, match="a file of -512 bytes"):
        unpack(tmp_path / "archive.tar", tmp_path / "to")


def test_a_long_name_of_gigabytes_is_not_read(tmp_path: Path) -> None:
    member = _member("././@LongLink", tarfile.GNUTYPE_LONGNAME)
    member.size = 3_000_000_000
    (tmp_path / "archive.tar").write_bytes(_header(member) + bytes(1024))
    with pytest.raises(UserError, match="a header of it has 3,000,000,"):
        unpack(tmp_path / "archive.tar", tmp_path / "to")


def test_files_keep_their_dates(tmp_path: Path) -> None:
    member, hard = _member("x/a.py"), _member("x/b.py", tarfile.LNKTYPE, "x/a.py")
    member.mtime = hard.mtime = 1_000_000_000
    folder = unpack(_archive(tmp_path, member, hard), tmp_path / "to")
    assert [(folder / n).stat().st_mtime for n in ("a.py", "b.py")] == [1e9, 1e9]
