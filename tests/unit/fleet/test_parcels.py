"""Folders that are sent in pieces, and held against their digest when they are whole."""

from __future__ import annotations

import hashlib
import io
import os
import tarfile
from pathlib import Path
from typing import Literal

import pytest
from tests.unit.investigate.doubles import own

from whyfast.fleet.messages import Place
from whyfast.fleet.transfer import CHUNK, Archive, NotReceived, ReceivedArchives, missing, pack


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    folder = tmp_path / "tree"
    (folder / "bin").mkdir(parents=True)
    (folder / "bin" / "run").write_text("#!/bin/sh\n")
    (folder / "bin" / "run").chmod(0o755)
    (folder / "data").write_bytes(bytes(range(256)) * 100)
    (folder / "link").symlink_to("bin/run")
    (folder / "used").write_text("")
    return folder


@pytest.fixture
def received(tmp_path: Path) -> ReceivedArchives:
    return ReceivedArchives(own(tmp_path / "there"))


def send(archive: Archive, to: ReceivedArchives) -> Place:
    for offset, data in missing(archive, 0):
        to.add(archive.sha256, offset, archive.size, data)
    return Place(archive.sha256, "tree", "study")


def sent(folder: Path, to: ReceivedArchives) -> Path:
    """A folder, packed and unpacked."""
    return to.place(send(pack(folder, folder.parent / "out"), to))


def test_a_folder_arrives_as_it_was(tree: Path, tmp_path: Path, received: ReceivedArchives) -> None:
    archive = pack(tree, tmp_path / "out", frozenset({"used"}))
    place = Place(archive.sha256, "tree", "study")
    assert received.lacking([place]) == {archive.sha256: 0}
    send(archive, received)
    assert received.lacking([place]) == {}
    folder = received.place(place)
    assert received.place(place) == folder
    assert received.lacking([place]) == {}
    assert sorted(str(p.relative_to(folder)) for p in folder.rglob("*")) == [
        *("bin", "bin/run", "data", "link")
    ]
    assert os.access(folder / "bin" / "run", os.X_OK)
    assert os.readlink(folder / "link") == "bin/run"
    assert (folder / "data").read_bytes() == (tree / "data").read_bytes()


def test_equal_folders_make_equal_parcels(tree: Path, tmp_path: Path) -> None:
    first = pack(tree, tmp_path / "out")
    assert pack(tree, tmp_path / "out") == first
    (tree / "data").write_bytes(b"other")
    assert pack(tree, tmp_path / "out").sha256 != first.sha256


def test_what_was_begun_goes_on(tmp_path: Path, received: ReceivedArchives) -> None:
    (tmp_path / "big").mkdir()
    (tmp_path / "big" / "file").write_bytes(os.urandom(CHUNK + 1000))
    archive = pack(tmp_path / "big", tmp_path / "out")
    place = Place(archive.sha256, "tree", "study")
    (first, second) = missing(archive, 0)
    received.add(archive.sha256, first[0], archive.size, first[1])
    there = received.lacking([place])[archive.sha256]
    assert there == CHUNK
    assert list(missing(archive, there)) == [second]
    received.add(archive.sha256, second[0], archive.size, second[1])
    assert received.lacking([place]) == {}


def test_other_bytes_than_were_sent_are_thrown_away(
    tree: Path, tmp_path: Path, received: ReceivedArchives
) -> None:
    archive = pack(tree, tmp_path / "out")
    ((offset, data),) = missing(archive, 0)
    with pytest.raises(NotReceived, match="other bytes than were sent"):
        received.add(archive.sha256, offset, archive.size, data[:-1] + b"!")
    assert received.lacking([Place(archive.sha256, "tree", "")]) == {archive.sha256: 0}


def test_a_build_is_replaced_by_another_of_its_digest(
    tree: Path, tmp_path: Path, received: ReceivedArchives
) -> None:
    old = pack(tree, tmp_path / "out")
    send(old, received)
    before = Place(old.sha256, "build", "abc1")
    received.place(before)
    (tree / "data").write_bytes(b"new")
    new = pack(tree, tmp_path / "out")
    send(new, received)
    after = Place(new.sha256, "build", "abc1")
    folder = received.place(after)
    assert folder == received.home.builds / "abc1"
    assert (folder / "data").read_bytes() == b"new"
    assert not received.is_placed(before)
    assert received.is_placed(after)


@pytest.mark.parametrize("name", ["", "../../x", "/etc", "AB", "g"])
def test_a_digest_is_no_path(name: str, received: ReceivedArchives) -> None:
    with pytest.raises(NotReceived, match="not a digest"):
        received.add(name, 0, 1, b"x")
    with pytest.raises(NotReceived, match="not a digest"):
        received.place(Place("ab", "build", name))


def _member(name: str, kind: bytes = tarfile.REGTYPE, link: str = "") -> tarfile.TarInfo:
    member = tarfile.TarInfo(name)
    member.type, member.linkname = kind, link
    return member


@pytest.mark.parametrize(
    "members",
    [
        [_member("../../outside")],
        [_member("hard", tarfile.LNKTYPE, "../../../../victim"), _member("hard")],
        [_member("hard", tarfile.LNKTYPE, "VICTIM"), _member("hard")],
        [_member("soft", tarfile.SYMTYPE, "VICTIM"), _member("soft")],
        [_member("provenance.tmp", tarfile.SYMTYPE, "VICTIM")],
        [_member("up", tarfile.SYMTYPE, "../../../.."), _member("up/outside")],
        [_member("fifo", tarfile.FIFOTYPE)],
        [_member("device", tarfile.CHRTYPE)],
        [_member("disk", tarfile.BLKTYPE)],
    ],
    ids=lambda members: f"{members[0].name} {members[0].linkname}",
)
@pytest.mark.parametrize("filters", [True, False])
def test_nothing_is_unpacked_beside_its_folder(
    tmp_path: Path,
    members: list[tarfile.TarInfo],
    filters: bool,
    received: ReceivedArchives,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if not filters:  # as Python 3.11.2, which Debian 12 has
        for name in ("data_filter", "tar_filter", "fully_trusted_filter"):
            monkeypatch.delattr(tarfile, name, raising=False)
    victim = tmp_path / "victim"
    victim.write_text("mine")
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as tar:
        for member in members:
            content = b"x" if member.isreg() else b""
            link = member.linkname.replace("VICTIM", str(victim))
            info = _member(member.name, member.type, link)
            info.size = len(content)
            tar.addfile(info, io.BytesIO(content))
    data = buffer.getvalue()
    sha256 = hashlib.sha256(data).hexdigest()
    received.add(sha256, 0, len(data), data)
    with pytest.raises(NotReceived, match="refused to unpack it"):
        received.place(Place(sha256, "tree", ""))
    assert victim.read_text() == "mine"
    assert sorted(os.listdir(tmp_path)) == ["there", "victim"]
    assert not received.folder(Place(sha256, "tree", "")).exists()


def test_a_link_that_leads_outside_is_sent_as_the_file_it_leads_to(
    tree: Path, tmp_path: Path, received: ReceivedArchives
) -> None:
    (tmp_path / "config.guess").write_text("of automake")
    (tree / "config.guess").symlink_to(tmp_path / "config.guess")
    (tree / "headers").symlink_to("/usr/include")
    (tree / "gone").symlink_to(tmp_path / "nowhere")
    (tree / "own").symlink_to(tree / "bin" / "run")
    folder = sent(tree, received)
    assert (folder / "config.guess").read_text() == "of automake"
    assert not (folder / "config.guess").is_symlink()
    assert os.readlink(folder / "own") == "bin/run"
    assert sorted(os.listdir(folder)) == ["bin", "config.guess", "data", "link", "own", "used"]


def test_files_keep_their_dates(tree: Path, received: ReceivedArchives) -> None:
    """Python would compile again every module whose date is not the one it has noted."""
    os.utime(tree / "data", (1e9, 1e9))
    assert (sent(tree, received) / "data").stat().st_mtime == 1e9


def test_an_archive_that_never_came(received: ReceivedArchives) -> None:
    with pytest.raises(NotReceived, match="archive abababababab is not here"):
        received.place(Place("ab" * 32, "tree", ""))


def test_the_last_use_is_a_number_and_no_time(
    tree: Path, tmp_path: Path, received: ReceivedArchives
) -> None:
    """By the clock, which may be set back, what is in use would be the first to go."""
    place = send(pack(tree, tmp_path / "out"), received)
    folder = received.place(place)
    dates = []
    for _ in range(3):
        assert received.is_placed(place)
        dates.append(folder.with_name(f"{folder.name}.parcel").stat().st_mtime)
    assert [date - dates[0] for date in dates] == [0, 1, 2]


def test_what_was_used_the_longest_ago_goes_first_and_what_is_in_use_stays(
    tmp_path: Path, received: ReceivedArchives
) -> None:
    places = []
    for number in range(4):
        (tmp_path / f"{number}").mkdir()
        (tmp_path / f"{number}" / "file").write_bytes(os.urandom(100_000))
        archive = pack(tmp_path / f"{number}", tmp_path / "out")
        send(archive, received)
        role: Literal["build", "tree"] = "build" if number % 2 else "tree"
        places.append(Place(archive.sha256, role, f"abc{number}"))
        folder = received.place(places[-1])
        os.utime(folder.with_name(f"{folder.name}.parcel"), (number, number))
    received.add("ab", 0, 200_000, b"x" * 100_000)  # the rest never came
    os.utime(received.home.cache / "arriving" / "ab", (2.5, 2.5))
    assert received.is_placed(places[1])  # it is used now
    freed = received.trim(350_000, places[:1])
    assert freed > 200_000
    assert [p for p in places if received.folder(p).is_dir()] == [places[i] for i in (0, 1, 3)]
    assert received.lacking([places[2]]) == {places[2].archive: 0}
    assert not (received.home.cache / "arriving" / "ab").exists()
    assert received.trim(0, places[3:]) > 200_000
    assert [received.is_placed(p) for p in places] == [False, False, False, True]
    assert not list(received.home.builds.parent.rglob("abc1*"))
