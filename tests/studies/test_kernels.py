"""A real kernel in QEMU: the same counts from two boots, and whole numbers a call."""

import shutil
import subprocess
from pathlib import Path

import pytest

from whyfast.investigate.services import Services, Silent
from whyfast.investigate.study_run import run_study
from whyfast.measure.vm.qemu import PROGRAM
from whyfast.store.home import Home, home
from whyfast.study.load import load_study
from whyfast.toolchain.kernels import get_kernel, installed

#: The smallest of the kernels that the bundled study boots.
KERNEL = "debian:linux-5.10"

STUDY = f"""\
[study]
title = "Kernels"
baseline = "static"

[source]
subject = "bpf-chain"

[build]
steps = ["{{cc}} {{cflags}} -std=c11 -static -I{{include}} -o {{program}} {{source}}/*.c"]
program = "bpf-chain"

[variant.static]
toolchain = "path:gcc"
cflags = ["-O2"]
kernel = "{KERNEL}"
boot = ["spectre_v2=on"]
run = ["--index", "static"]

[variant.dynamic]
extends = "static"
run = ["--index", "dynamic"]

[measure]
budget = "1h" # of which two boots take what they take

[benchmarks.calls]
runner = "turn"
command = ["{{program}}", "turn", "{{run}}", "--calls", "{{parameter}}"]
parameter = {{ name = "tail call", values = [0, 8, 33] }}
"""


def skip_reason(tmp_path: Path) -> str | None:
    if shutil.which(PROGRAM) is None:
        return "QEMU is not installed (apt-get install qemu-system-x86)"
    if shutil.which("gcc") is None:
        return "gcc is not installed"
    probe = tmp_path / "probe.c"
    probe.write_text("int main(void) { return 0; }\n")
    static = ["gcc", "-static", "-o", str(tmp_path / "probe"), str(probe)]
    if subprocess.run(static, capture_output=True, check=False).returncode != 0:
        return "gcc links nothing statically here (apt-get install libc6-dev)"
    if not installed(KERNEL, home()):
        return f"the kernel {KERNEL} is not in the cache (whyfast run bpf-tail-call-kernels)"
    return None


def test_two_boots_count_the_same(tmp_path: Path) -> None:
    if reason := skip_reason(tmp_path):
        pytest.skip(reason)
    folder = tmp_path / "kernels"
    folder.mkdir()
    (folder / "study.toml").write_text(STUDY)
    study = load_study(folder)
    here = Home(tmp_path / "cache", tmp_path / "data")
    # The unit is given: whether KVM works here is not what this is about.
    services = Services(
        kernel=lambda name, _, say: get_kernel(name, home(), say), boot_unit="instructions"
    )
    result = run_study(study, here, Silent(), services=services)
    assert [f"{f.variant}: {f.reason}" for f in result.recorded.failures] == []
    first, second = (
        {b.benchmark: dict(b.values) for b in result.recorded.blocks if b.index == index}
        for index in (0, 1)
    )
    assert first == second
    assert list(first) == ["calls-0", "calls-8", "calls-33"]
    slopes = {line.variant: line.slope.value for line in result.judged.slopes}
    assert all(slope == int(slope) for slope in slopes.values())
    assert slopes["dynamic"] > slopes["static"] > 5
    (boot, _) = result.recorded.boots
    assert boot.per_round == pytest.approx(2.0, abs=0.1)
    assert "Retpolines" in boot.facts["spectre_v2"]
    assert boot.kernel.release in boot.facts["version"]
