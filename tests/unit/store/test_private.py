"""What is run and believed lies where nobody else can write."""

import os
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
from tests.golden_files import Hear, refusal

from whyfast.cli.main import main
from whyfast.model.errors import UserError
from whyfast.store.home import make_private, own_home


@pytest.fixture
def _open_umask() -> Iterator[None]:
    before = os.umask(0)
    yield
    os.umask(before)


def _users(
    monkeypatch: pytest.MonkeyPatch, members: tuple[str, ...] = (), *others: tuple[str, int, int]
) -> None:
    """The system's users are this one, with the group of its files as its first one, and
    ``others`` (name, user, group); ``members`` are in that group, too."""
    mine = ("me", os.geteuid(), os.getegid())
    known = [SimpleNamespace(pw_name=n, pw_uid=u, pw_gid=g) for n, u, g in (mine, *others)]
    group = SimpleNamespace(gr_mem=list(members))
    monkeypatch.setattr("whyfast.store.home.pwd.getpwall", lambda: known)
    monkeypatch.setattr("whyfast.store.home.grp.getgrgid", lambda gid: group)


@pytest.fixture
def _shared_group(monkeypatch: pytest.MonkeyPatch) -> None:
    _users(monkeypatch, ("me", "colleague"), ("colleague", 4321, 4321))


def _folder(parent: Path, mode: int) -> Path:
    folder = parent / "cache"
    folder.mkdir()
    folder.chmod(mode)
    return folder


def _mode(path: Path) -> int:
    return path.stat().st_mode & 0o7777


@pytest.mark.usefixtures("_open_umask")
def test_all_is_private_whatever_the_umask(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WHYFAST_HOME", str(tmp_path / "new" / "home"))
    own = own_home()
    assert [_mode(p) for p in (own.cache, own.data)] == [0o700, 0o700]
    assert [_mode(p) for p in (tmp_path / "new", tmp_path / "new" / "home")] == [0o700, 0o700]


def test_a_folder_that_others_may_read_is_closed(tmp_path: Path) -> None:
    folder = _folder(tmp_path, 0o755)
    make_private(folder)
    assert _mode(folder) == 0o700


@pytest.mark.usefixtures("_shared_group")
@pytest.mark.parametrize("mode", [0o770, 0o702, 0o1777])
def test_a_folder_others_may_write_is_refused(tmp_path: Path, mode: int, golden: Hear) -> None:
    folder = _folder(tmp_path, mode)
    golden(refusal(UserError, lambda: make_private(folder)))
    assert _mode(folder) == mode


@pytest.mark.parametrize(
    ("members", "others", "private"),
    [
        ((), [], True),
        (("me",), [], True),
        (("me", "root"), [("root", 0, 0)], True),
        (("me", "colleague"), [("colleague", 4321, 4321)], False),
        (("somebody-unknown",), [], False),
        ((), [("guest", 4321, os.getegid())], False),  # it is the first group of another, too
    ],
)
def test_a_group_with_the_user_alone_is_nobody_else(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    members: tuple[str, ...],
    others: list[tuple[str, int, int]],
    private: bool,
) -> None:
    """As of a user who has a private group, and so the umask 002."""
    _users(monkeypatch, members, *others)
    for above in (True, False):
        home = tmp_path / f"{above}"
        folder = home / "cache"
        folder.mkdir(parents=True)
        (home if above else folder).chmod(0o775)
        if private:
            make_private(folder)
            assert _mode(folder) == 0o700
        else:
            with pytest.raises(UserError, match=r"writable by|may write into"):
                make_private(folder)


def test_an_empty_group_and_one_without_a_name_are_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = _folder(tmp_path, 0o775)
    monkeypatch.setattr("whyfast.store.home.pwd.getpwall", list)
    with pytest.raises(UserError, match="writable by other users"):
        make_private(folder)

    def no_group(gid: int) -> None:
        raise KeyError(gid)

    monkeypatch.setattr("whyfast.store.home.grp.getgrgid", no_group)
    with pytest.raises(UserError, match="writable by other users"):
        make_private(folder)


@pytest.mark.usefixtures("_shared_group")
def test_a_folder_that_a_group_can_replace_is_refused(tmp_path: Path) -> None:
    tmp_path.chmod(0o770)
    said = rf"others \(group \d+\) may write into {tmp_path}, and so put another"
    with pytest.raises(UserError, match=said):
        make_private(tmp_path / "deep" / "cache")
    tmp_path.chmod(0o700)
    make_private(tmp_path / "deep" / "cache")


@pytest.mark.usefixtures("_shared_group")
def test_what_a_link_leads_through_is_looked_at(tmp_path: Path) -> None:
    """Also a folder that has no part in the real name."""
    for name in ("open", "own"):
        (tmp_path / name).mkdir(mode=0o700)
    (tmp_path / "open" / "back").symlink_to(tmp_path / "own")
    (tmp_path / "link").symlink_to("open/back")
    make_private(tmp_path / "link" / "cache")
    assert _mode(tmp_path / "own" / "cache") == 0o700
    (tmp_path / "open").chmod(0o777)
    with pytest.raises(UserError, match=f"anybody may write into {tmp_path / 'open'}"):
        make_private(tmp_path / "link" / "cache")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder away")
def test_what_another_user_owns_on_the_way_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SUDO_UID", raising=False)
    theirs = tmp_path / "theirs"
    (theirs / "cache").mkdir(parents=True)
    os.chown(theirs, 1234, 1234)
    with pytest.raises(UserError, match=f"user 1234 owns {theirs}, and could put another"):
        make_private(theirs / "cache")
    sticky = tmp_path / "tmp"
    sticky.mkdir()
    sticky.chmod(0o1777)
    (tmp_path / "own").mkdir()
    for name, target in (("link", tmp_path / "own"), ("dangling", tmp_path / "not-yet")):
        (sticky / name).symlink_to(target)
        make_private(sticky / name / "cache")  # ours
        os.chown(sticky / name, 1234, 1234, follow_symlinks=False)
        with pytest.raises(UserError, match=f"user 1234 owns {sticky / name}"):
            make_private(sticky / name / "cache")


def test_links_in_a_circle_are_left_to_who_uses_them(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    make_private(tmp_path / "a" / "cache")


def test_a_folder_that_anybody_can_replace_is_refused(tmp_path: Path) -> None:
    tmp_path.chmod(0o777)
    with pytest.raises(UserError, match=f"anybody may write into {tmp_path}, and so put another"):
        make_private(tmp_path / "cache")
    tmp_path.chmod(0o1777)  # as /tmp is: nobody can rename what is another's
    make_private(tmp_path / "cache")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder away")
def test_anothers_folder_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SUDO_UID", raising=False)
    folder = tmp_path / "cache"
    folder.mkdir(mode=0o700)
    os.chown(folder, 1234, 1234)
    with pytest.raises(UserError, match="belongs to user 1234, who may write into it"):
        make_private(folder)
    monkeypatch.setenv("SUDO_UID", "1234")
    make_private(folder)


def test_a_command_refuses_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    cache = _folder(tmp_path, 0o777)
    monkeypatch.setenv("WHYFAST_HOME", str(tmp_path))
    assert main(["builds"]) == 2
    assert capsys.readouterr().err.startswith(f"whyfast: {cache}: writable by other users")
