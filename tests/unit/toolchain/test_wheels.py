"""Packages from PyPI, and the clang in ziglang's."""

from __future__ import annotations

import errno
import hashlib
import importlib.util
import os
import platform
import re
import threading
import zipfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from tests.golden_files import Hear, refusal
from tests.unit.toolchain.conftest import script

from whyfast.model.build import Toolchain
from whyfast.model.errors import CannotBuildHere, UserError
from whyfast.store.files import exclusive
from whyfast.store.home import Home
from whyfast.toolchain import wheels
from whyfast.toolchain.wheels import WHEELS, Wheel, ZigProvider, fetch

VERSION = "clang version 19.1.7 (https://example.org/zig 0123abc)"
FOLDER = "ziglang-0.14.1"


def _wheel(folder: Path, log: Path, *, release: str = "0.14.1") -> Path:
    """A wheel with a zig that is a script."""
    file = folder / f"ziglang-{release}-py3-none-any.whl"
    info = f"ziglang-{release}.dist-info"
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("ziglang/zig", script(VERSION, "preserve_none", log, prefix="cc"))
        archive.writestr("ziglang/lib/std.zig", "// the library\n")
        archive.writestr(
            f"{info}/METADATA", f"Metadata-Version: 2.1\nName: ziglang\nVersion: {release}\n"
        )
        archive.writestr(
            f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        archive.writestr(f"{info}/RECORD", "")
    return file


@pytest.fixture(autouse=True)
def _supported_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(platform, "machine", lambda: "x86_64")


@pytest.fixture
def downloads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Downloads succeed without a network; the releases that were downloaded."""
    done: list[str] = []

    def download(wheel: Wheel, work: Path) -> Path:
        done.append(wheel.release)
        return _wheel(work, tmp_path / "zig.log", release=wheel.release)

    monkeypatch.setattr(wheels, "_download", download)
    return done


def _resolve(home: Home, name: str = "clang-19", say: Callable[[str], None] = print) -> Toolchain:
    return ZigProvider().resolve(name, home, say)


def _there(home: Home) -> list[str]:
    """What was installed, without locks and compile caches."""
    names = (f.name for f in home.toolchains.iterdir())
    return sorted(n for n in names if not n.endswith((".lock", "-cache")))


def test_a_compiler_is_downloaded_unpacked_and_described(own: Home, downloads: list[str]) -> None:
    said: list[str] = []
    assert not ZigProvider().installed("clang-19", own)
    toolchain = _resolve(own, say=said.append)
    folder = own.toolchains / FOLDER
    assert toolchain == Toolchain(
        name="zig:clang-19",
        provider="zig",
        version="clang 19.1.7",
        target="x86_64-linux-gnu",
        digest=(folder / "digest").read_text().strip(),
        cc=(*(str(folder / "zig"), "cc", "-target", "x86_64-linux-gnu"), *wheels.FIXED_FLAGS),
        features=frozenset({"computed-goto", "musttail"}),
        env={
            "ZIG_GLOBAL_CACHE_DIR": str(own.toolchains / f"{FOLDER}-cache"),
            "ZIG_LOCAL_CACHE_DIR": str(own.toolchains / f"{FOLDER}-cache"),
        },
        readable=(folder,),
        writable=(own.toolchains / f"{FOLDER}-cache",),
    )
    assert said == ["downloading clang 19.1.7 (ziglang 0.14.1)"]
    assert (folder / "lib" / "std.zig").read_text() == "// the library\n"
    assert ZigProvider().installed("clang-19", own)
    assert not ZigProvider().installed("clang-18", own)
    assert _there(own) == [FOLDER]
    assert downloads == ["0.14.1"]


def test_a_compiler_is_downloaded_once(own: Home, downloads: list[str]) -> None:
    said: list[str] = []
    assert _resolve(own) == _resolve(own, say=said.append)
    assert said == []
    assert downloads == ["0.14.1"]


def test_all_compilers_get_folders_of_their_own(own: Home, downloads: list[str]) -> None:
    for name in ZigProvider().names():
        _resolve(own, name)
    assert downloads == ["0.13.0", "0.14.1", "0.15.2", "0.16.0", "0.17.0"]
    assert _there(own) == [f"ziglang-{release}" for release in downloads]


def test_several_that_need_it_at_once_download_it_once(
    own: Home, downloads: list[str], monkeypatch: pytest.MonkeyPatch, golden: Hear
) -> None:
    waiting, make = threading.Event(), wheels._download
    said: list[str] = []

    def download(wheel: Wheel, work: Path) -> Path:
        assert waiting.wait(60)
        return make(wheel, work)

    def say(text: str) -> None:
        said.append(text)
        if text.startswith("waiting"):
            waiting.set()

    monkeypatch.setattr(wheels, "_download", download)
    with ThreadPoolExecutor() as pool:
        both = [pool.submit(_resolve, own, "clang-19", say) for _ in range(2)]
    assert both[0].result() == both[1].result()
    assert downloads == ["0.14.1"]
    # Which of the two speaks first is the scheduler's choice.
    golden(*sorted(said))


def _no_space(self: object, path: object) -> None:
    raise OSError(errno.ENOSPC, "No space left on device")


@pytest.mark.parametrize(("owner", "name"), [(zipfile.ZipFile, "extractall"), (Path, "rename")])
def test_what_cannot_be_unpacked_is_not_there(
    own: Home,
    downloads: list[str],
    monkeypatch: pytest.MonkeyPatch,
    owner: type,
    name: str,
    golden: Hear,
) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(owner, name, _no_space)
        with pytest.raises(CannotBuildHere) as caught:
            _resolve(own)
    golden(str(caught.value))
    assert _there(own) == []
    assert not ZigProvider().installed("clang-19", own)
    assert _resolve(own).version == "clang 19.1.7"
    assert downloads == ["0.14.1", "0.14.1"]


def test_the_compiler_appears_in_one_step(
    own: Home, downloads: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    del downloads
    before: list[int] = []

    def last_work(file: Path) -> str:
        assert _there(own) == [file.parent.name]
        before.append((file.parent / "unpacked" / "ziglang").stat().st_ino)
        return "d" * 64

    monkeypatch.setattr(wheels, "sha256_of", last_work)
    assert _resolve(own).digest == "d" * 64
    assert before == [(own.toolchains / FOLDER).stat().st_ino]  # renamed, not copied


def test_remains_of_a_killed_download_are_cleared(own: Home, downloads: list[str]) -> None:
    del downloads
    for name in (f"{FOLDER}-unfinished-abc", "ziglang-0.13.0-unfinished-xyz"):
        (own.toolchains / name / "unpacked").mkdir(parents=True)
    _resolve(own)
    assert _there(own) == ["ziglang-0.13.0-unfinished-xyz", FOLDER]  # the other may be under way


def test_removing_deletes_the_compiler_and_its_cache(own: Home, downloads: list[str]) -> None:
    del downloads
    _resolve(own)
    _resolve(own, "clang-18")
    cache = own.toolchains / f"{FOLDER}-cache"
    cache.mkdir(exist_ok=True)
    ZigProvider().remove("clang-19", own)
    assert _there(own) == ["ziglang-0.13.0"]
    assert not cache.exists()
    assert not ZigProvider().installed("clang-19", own)


@pytest.mark.parametrize("name", ["clang-19", "clang-1"])
def test_removing_what_is_not_there(own: Home, name: str, golden: Hear) -> None:
    golden(refusal(UserError, lambda: ZigProvider().remove(name, own)))


def test_a_name_that_zig_does_not_have(own: Home, golden: Hear) -> None:
    golden(refusal(UserError, lambda: _resolve(own, "clang-17")))


def test_a_machine_without_wheels(own: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(platform, "machine", lambda: "riscv64")
    with pytest.raises(CannotBuildHere, match=r"no ziglang wheel for linux riscv64"):
        _resolve(own)


def test_every_known_wheel_has_a_hash_for_each_processor() -> None:
    for _, wheel in WHEELS.values():
        assert len(wheel.hashes) == 2
        assert all(re.fullmatch("[0-9a-f]{64}", h) for h in wheel.hashes)
    wheels_known = [wheel for _, wheel in WHEELS.values()]
    assert len({h for w in wheels_known for h in w.hashes}) == 2 * len(wheels_known)


needs_pip = pytest.mark.skipif(
    importlib.util.find_spec("pip") is None, reason="this Python has no pip"
)


@pytest.fixture
def local_index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that pip takes for its index; the settings of the user that would mislead it."""
    folder = tmp_path / "index"
    folder.mkdir()
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    monkeypatch.setenv("PIP_TARGET", str(tmp_path / "elsewhere"))
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    return folder


def test_pip_keeps_the_users_settings_but_for_where_to_install() -> None:
    user = {"PIP_INDEX_URL": "https://x", "PIP_TARGET": "/t", "PIP_PREFIX": "/p", "PIP_USER": "1"}
    assert wheels._pip_environment(user) == {"PIP_INDEX_URL": "https://x"}


@needs_pip
def test_pip_downloads_a_file_with_a_known_hash(
    own: Home, local_index: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = _wheel(local_index, tmp_path / "zig.log", release="9.9.9")
    sha256 = hashlib.sha256(file.read_bytes()).hexdigest()
    monkeypatch.setitem(
        WHEELS, "clang-19", ("19.1.7", Wheel("ziglang", "9.9.9", ("0" * 64, sha256)))
    )
    assert _resolve(own).digest == sha256
    assert _there(own) == ["ziglang-9.9.9"]


@needs_pip
def test_a_file_with_another_hash_is_refused(
    own: Home, local_index: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = _wheel(local_index, tmp_path / "zig.log", release="9.9.9")
    sha256 = hashlib.sha256(file.read_bytes()).hexdigest()
    monkeypatch.setitem(WHEELS, "clang-19", ("19.1.7", Wheel("ziglang", "9.9.9", ("0" * 64,))))
    with pytest.raises(CannotBuildHere) as caught:
        _resolve(own)
    assert str(caught.value).startswith("downloading ziglang 9.9.9 with pip failed: ")
    assert sha256 in str(caught.value)
    assert _there(own) == []


@needs_pip
def test_a_file_that_cannot_be_had_is_reported(own: Home, local_index: Path, golden: Hear) -> None:
    del local_index
    golden(refusal(CannotBuildHere, lambda: _resolve(own)))


def test_removing_waits_for_whoever_installs(own: Home, downloads: list[str]) -> None:
    del downloads
    _resolve(own)
    with ThreadPoolExecutor() as pool, exclusive(own.toolchains / f"{FOLDER}.lock"):
        removing = pool.submit(ZigProvider().remove, "clang-19", own)
        with pytest.raises(TimeoutError):
            removing.result(0.2)
        assert ZigProvider().installed("clang-19", own)
    assert not ZigProvider().installed("clang-19", own)


def test_a_pip_of_the_current_folder_is_not_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It may be an untrusted checkout."""
    checkout = tmp_path / "checkout"
    checkout.mkdir()
    (checkout / "pip.py").write_text("open('ran', 'w').close()")
    monkeypatch.chdir(checkout)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    with pytest.raises(CannotBuildHere, match="downloading nothing 1 with pip failed: ERROR: No"):
        fetch(Wheel("nothing", "1", ("0" * 64,)), tmp_path / "packages", lambda text: None)
    assert [p.name for p in checkout.iterdir()] == ["pip.py"]
