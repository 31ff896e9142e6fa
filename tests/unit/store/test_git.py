"""Git as whyfast runs it, on real repositories."""

import subprocess
from pathlib import Path

import pytest

from whyfast.build.revisions import commit_of, export
from whyfast.model.errors import UserError
from whyfast.search.axes.ranges import uncommitted
from whyfast.search.state import AxisCandidate
from whyfast.store.git import git, keep_out_of_status, must_git, without_repository, without_user


def _git(folder: Path, *arguments: str) -> str:
    settings = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
    command = ["git", "-C", str(folder), *settings, *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def make_repository(folder: Path, text: str = "one") -> Path:
    folder.mkdir(parents=True)
    _git(folder, "init", "-q", "-b", "main")
    (folder / "file").write_text(text)
    _git(folder, "add", "file")
    _git(folder, "commit", "-q", "-m", text)
    return folder


def test_variables_that_git_hands_to_hooks_are_left_out() -> None:
    listed = subprocess.run(
        ["git", "rev-parse", "--local-env-vars"], capture_output=True, text=True, check=True
    ).stdout.split()
    more = ("GIT_NAMESPACE", "GIT_EXTERNAL_DIFF", "GIT_CONFIG_KEY_0", "GIT_CONFIG_VALUE_0")
    kept = {"PATH": "/bin", "GIT_SSH_COMMAND": "ssh -v", "GIT_CONFIG_GLOBAL": "/dev/null"}
    assert without_repository({**dict.fromkeys((*listed, *more), "x"), **kept}) == kept


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("https://me:TOKEN@example.org/a.git", "https://example.org/a.git"),
        ("https://TOKEN@example.org/a@b", "https://example.org/a@b"),
        ("https://me:T@KEN@example.org/", "https://example.org/"),
        ("see https://a:b@one/x and ssh://c@two/y", "see https://one/x and ssh://two/y"),
        ("git@example.org:a/b", "git@example.org:a/b"),
        ("../near@home", "../near@home"),
    ],
)
def test_the_user_of_an_address_is_not_shown(address: str, shown: str) -> None:
    assert without_user(address) == shown


def test_the_repository_is_of_the_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one, two = (make_repository(tmp_path / name, name) for name in ("one", "two"))
    wanted = _git(two, "rev-parse", "HEAD")
    monkeypatch.setenv("GIT_DIR", str(one / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(one))
    assert commit_of(two, "HEAD") == wanted
    export(two, wanted, tmp_path / "out")
    assert (tmp_path / "out/file").read_text() == "two"


def test_carriage_returns_stay(tmp_path: Path) -> None:
    repository = make_repository(tmp_path / "one", "a\r\nb\rc\n")
    assert must_git(repository, "show", "HEAD:file") == "a\r\nb\rc\n"


def test_what_git_says_is_told_without_a_token(tmp_path: Path) -> None:
    with pytest.raises(UserError) as caught:
        must_git(tmp_path, "ls-remote", "https://me:TOKEN@localhost:1/x")
    assert "TOKEN" not in str(caught.value)
    assert "ext" in git(tmp_path, "ls-remote", "ext::touch ran").stderr
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize("scope", ["--local", "--global"])
def test_filters_run_where_the_user_configured_them_for_every_repository(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, scope: str
) -> None:
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "config"))
    repository = make_repository(tmp_path / "one")
    (repository / ".gitattributes").write_text("file filter=loud\n")
    _git(repository, "add", ".gitattributes")
    _git(repository, "commit", "-q", "-m", "attributes")
    ran = tmp_path / "ran"
    for way in ("smudge", "clean"):
        _git(repository, "config", scope, f"filter.loud.{way}", f"touch {ran}; tr a-z A-Z")
    _git(repository, "config", scope, "filter.loud.required", "true")
    head = commit_of(repository, "HEAD")
    (repository / "file").write_text("ONE")
    note = uncommitted(repository, AxisCandidate(head, ""))
    export(repository, head, tmp_path / "out")
    text = (tmp_path / "out/file").read_text()
    assert (ran.exists(), text) == ((True, "ONE") if scope == "--global" else (False, "one"))
    assert note.startswith(str(repository))


def test_no_command_of_the_repository_runs(tmp_path: Path) -> None:
    repository = make_repository(tmp_path / "one")
    ran = tmp_path / "ran"
    for key in ("core.fsmonitor", "diff.external", "core.sshCommand", "core.pager"):
        _git(repository, "config", key, f"touch {ran}-{key}; false")
    for hook in ("post-checkout", "post-index-change", "reference-transaction"):
        file = repository / ".git/hooks" / hook
        file.write_text(f"#!/bin/sh\ntouch {ran}-{hook}\n")
        file.chmod(0o755)
    head = commit_of(repository, "HEAD")
    (repository / "file").write_text("changed")
    assert uncommitted(repository, AxisCandidate(head, ""))
    export(repository, head, tmp_path / "out")
    assert sorted(p.name for p in tmp_path.glob("ran*")) == []


@pytest.mark.parametrize("how", [("--depth=1",), ("--filter=blob:none",), ()])
def test_a_commit_of_a_partial_clone_is_exported(tmp_path: Path, how: tuple[str, ...]) -> None:
    origin = make_repository(tmp_path / "origin")
    (origin / "file").write_text("two")
    _git(origin, "commit", "-q", "-a", "-m", "two")
    _git(origin, "config", "uploadpack.allowFilter", "true")
    _git(origin, "config", "uploadpack.allowAnySHA1InWant", "true")
    _git(tmp_path, "clone", "-q", "--no-checkout", *how, f"file://{origin}", "near")
    _git(tmp_path / "near", "worktree", "add", "-q", "--no-checkout", str(tmp_path / "linked"))
    commit = commit_of(tmp_path / "linked", "HEAD")
    export(tmp_path / "linked", commit, tmp_path / "out")
    assert (tmp_path / "out/file").read_text() == "two"


def test_a_damaged_clone_is_named_with_what_mends_it(tmp_path: Path) -> None:
    made = tmp_path / "made"
    made.mkdir()
    (made / "file.c").write_text("int x;\n")
    for words in (
        ("init", "-q"),
        ("add", "."),
        ("-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "one"),
    ):
        subprocess.run(["git", "-C", str(made), *words], check=True)
    blob = must_git(made, "rev-parse", "HEAD:file.c").strip()
    (made / ".git/objects" / blob[:2] / blob[2:]).unlink()
    with pytest.raises(UserError) as error:
        export(made, commit_of(made, "HEAD"), tmp_path / "to")
    assert "file.c" in error.value.message or blob in error.value.message
    assert "git fetch --refetch" in error.value.message
    assert error.value.where == str(made)


def test_a_file_is_kept_out_of_the_status_of_this_clone_alone(tmp_path: Path) -> None:
    for repository in ("one", "two"):
        subprocess.run(["git", "init", "-q", repository], cwd=tmp_path, check=True)
        inner = tmp_path / repository / "inner"
        inner.mkdir()
        (inner / "large.json").write_text("")
    file = tmp_path / "one/inner/large.json"
    assert keep_out_of_status(file)
    assert not keep_out_of_status(file)  # it is
    assert not keep_out_of_status(tmp_path / "in no repository")
    shown = [git(tmp_path / name, "status", "--short").stdout for name in ("one", "two")]
    assert shown == ["", "?? inner/\n"]
