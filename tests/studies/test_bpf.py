"""Chains of tail calls from study file to report: in the kernel where it lets us, and in the VM."""

import fcntl
import json
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.conftest import TEST_CACHE
from tests.studies.test_run import whyfast

from whyfast.measure.registry import why_no_bpf
from whyfast.store.home import Home

STUDY = Path(__file__).resolve().parents[2] / "studies" / "bpf-tail-call"
HARDEN = Path("/proc/sys/net/core/bpf_jit_harden")
SMALL = ["--benchmark", "calls-0", "calls-2", "--budget", "1s"]


def _result(file: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(file.read_text())["data"]
    return found


@pytest.fixture
def alone() -> Iterator[None]:
    """Whatever other runs of the tests do: the setting of the kernel is everyone's."""
    TEST_CACHE.mkdir(parents=True, exist_ok=True)
    with (TEST_CACHE / "bpf_jit_harden.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


@pytest.mark.usefixtures("alone")
def test_in_the_kernel(own_home: Home, tmp_path: Path) -> None:
    reason = why_no_bpf()
    if reason:
        pytest.skip(reason)
    if not HARDEN.exists():
        pytest.skip("this kernel has no JIT for BPF")
    before = HARDEN.read_text()
    out = tmp_path / "result.json"
    variants = ["static", "dynamic", "static-hardened"]
    whyfast("run", STUDY, *SMALL, "--only", *variants, "--json", out)
    assert HARDEN.read_text() == before
    assert not list(own_home.doctor.glob("*.json"))
    result = _result(out)
    assert result["recorded"]["failures"] == []
    observed = result["found"]["observed"]
    assert observed["notes"] == []
    assert [image["variant"] for image in observed["images"]] == variants
    assert len(observed["run_times"]) == len(variants) * 2
    assert all(sum(r["counts"]) == 100000 for r in observed["run_times"])
    assert len(observed["overheads"]) == 2
    forms = {image["variant"]: image["form"] for image in observed["images"]}
    # Where the JIT makes direct jumps of constant indices, hardening undoes just that.
    if forms["static"] == "direct":
        assert forms["static-hardened"] == forms["dynamic"] != "direct"
    assert not any(c["kind"] == "identical-programs" for c in result["judged"]["confounds"])


def _unprivileged() -> list[str]:
    """Words before a command that may load no BPF programs; skips where there are none."""
    if why_no_bpf():
        return []
    setpriv = shutil.which("setpriv")
    if setpriv is None:
        pytest.skip("bpf() is permitted here, and there is no setpriv to give it up")
    words = [setpriv, "--bounding-set", "-all", "--inh-caps", "-all"]
    if subprocess.run([*words, "true"], check=False, capture_output=True).returncode:
        pytest.skip("bpf() is permitted here, and capabilities cannot be given up")
    return words


def test_without_the_permission_the_vm_stands_in(own_home: Home, tmp_path: Path) -> None:
    out = tmp_path / "result.json"
    done = whyfast("run", STUDY, *SMALL, "--json", out, before=_unprivileged())
    assert "bpf-tail-call cannot be run here: the kernel does not permit bpf()" in done.stderr
    result = _result(out)
    assert result["question"]["name"] == "bpf-tail-call-vm"
    assert [b["name"] for b in result["question"]["benchmarks"]] == ["calls-0", "calls-2"]
    assert "stand-in" in [c["kind"] for c in result["judged"]["confounds"]]
    assert result["recorded"]["failures"] == []
