"""A repository with a known history, and a study of its commits."""

import os
import subprocess
from pathlib import Path


class Repository:
    """A repository whose hashes are always the same, so that all that is drawn is too."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.count = 0
        folder.mkdir(parents=True)
        self.git("init", "-q", "-b", "main")

    def git(self, *arguments: str) -> None:
        """Run git there, as nobody in particular, a second later for each commit."""
        when = f"2026-01-01T00:{self.count // 60:02}:{self.count % 60:02}Z"
        own = {f"GIT_{who}_DATE": when for who in ("AUTHOR", "COMMITTER")}
        settings = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
        command = ["git", "-C", str(self.folder), *settings, *arguments]
        subprocess.run(command, check=True, env={**os.environ, **own}, capture_output=True)

    def commit(self, subject: str) -> None:
        """Commit all files as they are."""
        self.count += 1
        self.git("add", ".")
        self.git("commit", "-q", "-m", subject)


def write_commit_study(
    folder: Path, repository: Path, build: str, *, cflags: str = "", measure: str = ""
) -> Path:
    """``build`` is the table of that name; its program is the only benchmark, ``turn``."""
    folder.mkdir()
    (folder / "study.toml").write_text(
        f"""
[study]
title = "Since when?"
baseline = "base"
[source]
git = "{repository}"
revision = "main"
[build]
{build}
[variant.base]
toolchain = "path:gcc"
cflags = [{cflags}]
[benchmarks.turns]
runner = "turn"
command = ["{{program}}"]
[measure]
{measure}
"""
    )
    return folder
