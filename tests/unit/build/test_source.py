"""Sources that are fetched once and shared."""

from __future__ import annotations

import hashlib
import subprocess
import tarfile
from pathlib import Path

import pytest
from tests.golden_files import Hear
from tests.unit.build.example import study

from whyfast.build.source import obtain, present, with_source
from whyfast.model.errors import UserError
from whyfast.model.study import Source
from whyfast.store.home import Home


@pytest.fixture
def own(tmp_path: Path) -> Home:
    """An empty home."""
    return Home(tmp_path / "cache", tmp_path / "data")


@pytest.fixture
def tarball(tmp_path: Path) -> Source:
    """A tarball with one file in a folder."""
    (tmp_path / "thing-1.0").mkdir()
    (tmp_path / "thing-1.0" / "main.c").write_text("int main(void) { return 0; }\n")
    archive = tmp_path / "thing.tar.gz"
    with tarfile.open(archive, "w:gz") as tar:
        tar.add(tmp_path / "thing-1.0", "thing-1.0")
    sha256 = hashlib.sha256(archive.read_bytes()).hexdigest()
    return Source("tarball", "thing.tar.gz", archive, sha256=sha256)


def _git(folder: Path, *arguments: str) -> str:
    return subprocess.run(
        ["git", "-c", "user.name=n", "-c", "user.email=e", "-C", str(folder), *arguments],
        check=True,
        capture_output=True,
        text=True,
    ).stdout.strip()


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """Two commits, the first tagged; the checkout has been changed since."""
    folder = tmp_path / "repository"
    folder.mkdir()
    _git(folder, "init", "--quiet")
    (folder / ".gitattributes").write_text("left-out export-ignore\n")
    (folder / "left-out").write_text("kept\n")
    (folder / "run").write_text("#!/bin/sh\n")
    (folder / "run").chmod(0o755)
    _git(folder, "add", ".")
    _git(folder, "commit", "--quiet", "-m", "one")
    _git(folder, "tag", "v1")
    (folder / "run").write_text("second\n")
    _git(folder, "commit", "--quiet", "-a", "-m", "two")
    (folder / "run").write_text("changed and not committed\n")
    return folder


def test_a_tarball_is_unpacked_once(own: Home, tarball: Source, golden: Hear) -> None:
    said: list[str] = []
    assert present(tarball, own) is None
    first = obtain(tarball, own, said.append)
    assert (first.folder / "main.c").is_file()
    assert first.folder.parent == own.sources
    tarball.folder.unlink()
    assert obtain(tarball, own, said.append) == first
    assert obtain(first, own, said.append) == first
    assert present(tarball, own) == first
    golden(*said)


def test_a_tarball_of_another_sha256_is_refused(own: Home, tarball: Source) -> None:
    wrong = Source("tarball", "thing.tar.gz", tarball.folder, sha256="0" * 64)
    made = study(tarball.folder.parent)
    object.__setattr__(made, "source", wrong)
    with pytest.raises(UserError) as caught:
        with_source(made, own, lambda text: None)
    assert f"the source cannot be had: {tarball.folder}: has the sha256 " in str(caught.value)
    assert not [p for p in own.sources.iterdir() if not p.name.endswith(".lock")]


def test_remains_of_an_interrupted_unpacking_go(own: Home, tarball: Source) -> None:
    remains = own.sources / f"{tarball.sha256[:40]}-unfinished-x"
    remains.mkdir(parents=True)
    obtain(tarball, own, lambda text: None)
    assert not remains.exists()


def test_a_commit_is_taken_as_it_is_and_the_checkout_stays(
    own: Home, repository: Path, golden: Hear
) -> None:
    status = _git(repository, "status", "--porcelain")
    source = Source("git", "repository", repository, revision="v1")
    folder = obtain(source, own, lambda text: None).folder
    assert sorted(p.name for p in folder.iterdir()) == [".gitattributes", "left-out", "run"]
    assert (folder / "run").read_text() == "#!/bin/sh\n"
    assert (folder / "run").stat().st_mode & 0o100
    assert folder.name == _git(repository, "rev-parse", "v1")
    assert _git(repository, "status", "--porcelain") == status
    golden((repository / "run").read_text())
    assert _git(repository, "worktree", "list").count("\n") == 0


def test_a_branch_is_followed(own: Home, repository: Path) -> None:
    source = Source("git", "repository", repository, revision="HEAD")
    assert (obtain(source, own, lambda text: None).folder / "run").read_text() == "second\n"
    _git(repository, "commit", "--quiet", "-a", "-m", "three")
    assert present(source, own) is None
    assert "not committed" in (obtain(source, own, lambda text: None).folder / "run").read_text()


def test_an_address_is_cloned_once_and_fetched_when_it_lacks_the_revision(
    own: Home, repository: Path
) -> None:
    said: list[str] = []
    address = f"file://{repository}"
    source = Source("git", address, repository.parent, revision="v1")
    assert present(source, own) is None
    first = obtain(source, own, said.append)
    assert obtain(source, own, said.append) == first == present(source, own)
    _git(repository, "tag", "v2")
    obtain(Source("git", address, repository.parent, revision="v2"), own, said.append)
    assert [line.split()[0] for line in said] == ["cloning", "taking", "fetching", "taking"]


def test_a_clone_that_was_killed_is_made_anew(
    own: Home, repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "bin").mkdir()
    git = tmp_path / "bin" / "git"
    git.write_text(
        "#!/bin/sh\nfor last; do :; done\n"
        'case "$*" in *" clone "*) mkdir -p "$last"; echo x >"$last/HEAD"; kill -9 $$ ;; esac\n'
    )
    git.chmod(0o755)
    source = Source("git", f"file://{repository}", repository.parent, revision="v1")
    said: list[str] = []
    with monkeypatch.context() as patch:
        patch.setenv("PATH", f"{tmp_path}/bin:/usr/bin:/bin")
        with pytest.raises(UserError):
            obtain(source, own, said.append)
    assert present(source, own) is None
    assert (obtain(source, own, said.append).folder / "run").is_file()
    assert [line.split()[0] for line in said] == ["cloning", "cloning", "taking"]
    assert not list(own.sources.glob("*-unfinished*"))


@pytest.mark.parametrize(
    ("name", "revision", "message"),
    [
        ("repository", "v9", "has no commit 'v9'"),
        (".", "v1", "is no git repository to read: fatal: not a git repository"),
        ("file:///no/such", "v1", "git: "),
    ],
)
def test_what_git_cannot_give(
    own: Home, repository: Path, name: str, revision: str, message: str
) -> None:
    folder = repository.parent / name if "://" not in name else repository
    with pytest.raises(UserError, match=message):
        obtain(Source("git", name, folder, revision=revision), own, lambda text: None)


def test_a_folder_is_left_where_it_is(own: Home, tmp_path: Path) -> None:
    source = Source("path", ".", tmp_path)
    assert obtain(source, own, lambda text: None) is source
    assert present(source, own) is source
    assert not own.cache.exists()
