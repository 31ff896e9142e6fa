"""Whether this machine's processor can run guests by itself."""

from __future__ import annotations

import contextlib
import hashlib
import os
from pathlib import Path

from whyfast.measure.launch import Launcher
from whyfast.measure.vm.initramfs import initramfs
from whyfast.measure.vm.qemu import BootFailed, boot, command_line
from whyfast.model.boot import Kernel
from whyfast.store.home import Home

#: Seconds that a guest gets to say something; with KVM a kernel boots in one or two.
PATIENCE = 15.0

#: The kernel complains of this when it is given no program to start with, having booted.
_BOOTED = "No working init found"

_DEVICE = "/dev/kvm"


def kvm_boots(kernel: Kernel, home: Home, qemu: str, launcher: Launcher) -> bool:
    """Whether a kernel boots under KVM. Some machines offer it and cannot; so it is tried, and
    what came of it is kept until the machine boots anew."""
    if not os.access(_DEVICE, os.R_OK | os.W_OK):
        return False
    with contextlib.suppress(OSError):
        boot_id = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        key = hashlib.sha256(f"{boot_id} {qemu} {kernel.sha256}".encode()).hexdigest()[:16]
        kept = home.cache / "kernels" / f"kvm-{key}"
        if not kept.exists():
            answer = _try(kernel, qemu, launcher)
            kept.parent.mkdir(parents=True, exist_ok=True)
            kept.write_text("boots\n" if answer else "does not boot\n")
            return answer
        return kept.read_text() == "boots\n"
    return _try(kernel, qemu, launcher)


def _try(kernel: Kernel, qemu: str, launcher: Launcher) -> bool:
    """An init that is no program makes a kernel that came so far panic."""
    try:
        boot(
            kernel,
            initramfs(b"", {}, b""),
            unit="time",
            parameters=command_line("time", ()),
            qemu=qemu,
            launcher=launcher,
            timeout=PATIENCE,
        )
    except BootFailed as failed:
        return _BOOTED in str(failed)
    return False
