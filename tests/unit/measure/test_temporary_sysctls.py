"""Settings that hold while a process starts, and are put back whatever happens."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from pathlib import Path

import pytest
from tests.golden_files import Hear

from whyfast.measure.doctor import System
from whyfast.measure.doctor.tune import CannotHold, SysctlRunner, TemporarySysctls
from whyfast.measure.invocation import Invocation, InvocationFailed, Sample

HARDEN = "net.core.bpf_jit_harden"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """The files of a kernel."""
    for name, text in (("kernel/random/boot_id", "b0\n"), ("net/core/bpf_jit_harden", "0\n")):
        file = tmp_path / "proc/sys" / name
        file.parent.mkdir(parents=True)
        file.write_text(text)
    return tmp_path


@pytest.fixture
def holder(root: Path) -> TemporarySysctls:
    return TemporarySysctls(System(root), root / "doctor", root)


def _now(root: Path) -> str:
    return (root / "proc/sys/net/core/bpf_jit_harden").read_text().strip()


def _journals(root: Path) -> list[Path]:
    return list((root / "doctor").glob("*.json"))


@pytest.mark.parametrize("error", [None, KeyboardInterrupt])
def test_a_setting_holds_inside_and_is_put_back(
    root: Path, holder: TemporarySysctls, error: type[BaseException] | None
) -> None:
    with pytest.raises(error) if error else nullcontext(), holder({HARDEN: "2"}):
        assert _now(root) == "2"
        assert len(_journals(root)) == 1
        if error:
            raise error
    assert _now(root) == "0"
    assert _journals(root) == []


def test_what_is_as_it_should_be_is_not_touched(root: Path, holder: TemporarySysctls) -> None:
    with holder({HARDEN: "0"}), holder({}):
        assert _journals(root) == []
    assert not (root / "doctor").exists()


def test_a_setting_the_kernel_lacks(root: Path, holder: TemporarySysctls, golden: Hear) -> None:
    said = r"does not show a setting net\.core\.nothing"
    with pytest.raises(CannotHold, match=said), holder({"net.core.nothing": "1"}):
        pass
    golden(holder.why_not({"net.core.nothing": "1"}))


def test_a_setting_that_this_user_may_not_change(
    holder: TemporarySysctls, monkeypatch: pytest.MonkeyPatch, golden: Hear
) -> None:
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    assert holder.why_not({HARDEN: "0"}) == ""
    golden(holder.why_not({HARDEN: "2"}))


HOLD_FOREVER = """
import sys, time
from pathlib import Path
from whyfast.measure.doctor import System
from whyfast.measure.doctor.tune import TemporarySysctls
root = Path(sys.argv[1])
with TemporarySysctls(System(root), root / "doctor", root)({"net.core.bpf_jit_harden": "2"}):
    print("held", flush=True)
    time.sleep(600)
"""


def _killed_while_holding(root: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD_FOREVER, str(root)], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    process.send_signal(signal.SIGKILL)
    process.wait()
    process.stdout.close()
    deadline = time.monotonic() + 30
    while _now(root) != "0" and time.monotonic() < deadline:  # for the watcher
        time.sleep(0.01)
    assert _now(root) == "0"


def test_kill_9_while_it_holds_is_noticed_outside(root: Path, holder: TemporarySysctls) -> None:
    _killed_while_holding(root)
    assert len(_journals(root)) == 1
    # Nothing is left to do but to forget the old value.
    assert holder.recover([HARDEN]) == ()
    assert _journals(root) == []


def test_what_the_watcher_left(root: Path, holder: TemporarySysctls, golden: Hear) -> None:
    _killed_while_holding(root)
    (root / "proc/sys/net/core/bpf_jit_harden").write_text("2\n")  # as if it had been killed too
    assert holder.recover(["net.core.other"]) == ()
    golden(*holder.recover([HARDEN]))
    assert _now(root) == "0"
    assert holder.recover([HARDEN]) == ()


class _Player:
    threads = 1

    def __init__(self, close: Callable[[], None]) -> None:
        self.close = close

    peak_memory = None

    def turn(self, loops: int) -> Sample:
        return Sample(1.0)


class _Inner:
    loops_vary = True

    def __init__(self, root: Path) -> None:
        self.seen: list[tuple[str, str]] = []
        self.closed: list[str] = []
        self._root = root

    def enter(self, variant: str, *, cpu: int | None, pad: int, layout: int = 0) -> Invocation:
        self.seen.append((variant, _now(self._root)))
        return _Player(lambda: self.closed.append(variant))


def test_a_process_starts_under_its_settings(root: Path, holder: TemporarySysctls) -> None:
    inner = _Inner(root)
    runner = SysctlRunner(inner, {"hardened": {HARDEN: "2"}, "plain": {HARDEN: "0"}}, holder)
    for variant in ("hardened", "plain", "other"):
        runner.enter(variant, cpu=None, pad=0)
        assert _now(root) == "0"
    assert inner.seen == [("hardened", "2"), ("plain", "0"), ("other", "0")]
    lacking = SysctlRunner(inner, {"v": {"net.core.nothing": "1"}}, holder)
    with pytest.raises(InvocationFailed, match="does not show a setting"):
        lacking.enter("v", cpu=None, pad=0)


def test_an_interrupt_while_putting_back_ends_the_process(root: Path) -> None:
    inner = _Inner(root)

    @contextmanager
    def hold(settings: Mapping[str, str]) -> Iterator[None]:
        yield
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        SysctlRunner(inner, {}, hold).enter("v", cpu=None, pad=0)
    assert inner.closed == ["v"]
