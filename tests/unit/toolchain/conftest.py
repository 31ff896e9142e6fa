"""Compilers that are shell scripts, so that a test says what they can do."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from whyfast.store.home import Home


@dataclass(frozen=True)
class FakeCompiler:
    """A script on PATH; ``calls`` are the argument lists that it was started with."""

    path: Path
    log: Path

    @property
    def calls(self) -> list[str]:
        return self.log.read_text().splitlines() if self.log.exists() else []

    @property
    def compiled(self) -> int:
        """How often it was asked to compile something."""
        return sum(" -c " in call for call in self.calls)


def script(version: str, rejects: str, log: Path, *, prefix: str = "") -> str:
    """A compiler that refuses source in which one of the words of ``rejects`` stands. ``prefix``: a
    first argument to be skipped, as in ``zig cc``."""
    return f"""#!/bin/sh
echo "$@" >> '{log}'
{f'test "$1" = {prefix} && shift' if prefix else ""}
case "$*" in
    *--version) printf '%s\\n' '{version}' 'Copyright of someone' ;;
    *-dumpmachine) echo x86_64-fake-linux ;;
    *-print-prog-name=*) echo "fake-${{1#*=}}" ;;
    *" -c "*)
        for word in {rejects}; do
            for file; do
                case "$file" in *.c) if grep -q "$word" "$file"; then
                    echo "error: no $word here" >&2
                    exit 1
                fi ;; esac
            done
        done ;;
esac
"""


@pytest.fixture
def bin_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")
    return folder


@pytest.fixture
def fake_compiler(bin_folder: Path, tmp_path: Path) -> Callable[..., FakeCompiler]:
    """``fake_compiler(name, version=…, rejects=…)``: a compiler on PATH."""

    def make(
        name: str = "fakecc", *, version: str = "gcc (Fake 1) 99.1.2", rejects: str = ""
    ) -> FakeCompiler:
        made = FakeCompiler(bin_folder / name, tmp_path / f"{name}.log")
        made.path.write_text(script(version, rejects, made.log))
        made.path.chmod(0o755)
        return made

    return make


@pytest.fixture
def own(tmp_path: Path) -> Home:
    return Home(tmp_path / "cache", tmp_path / "data")
