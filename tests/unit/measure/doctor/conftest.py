"""A kernel's files in a folder, with the kernel's habits where they matter."""

import errno
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from whyfast.measure.doctor import System

CPU = "sys/devices/system/cpu/"
BOOT = "proc/sys/kernel/random/boot_id"

#: A machine of one's own that nobody has tuned.
UNTUNED = {
    BOOT: "b0",
    "proc/loadavg": "0.10 0.20 0.30 1/100 4242",
    "proc/stat": "cpu  100 0 50 800 10 0 5 0 0 0\ncpu0 100 0 50 800 10 0 5 0 0 0",
    "proc/cpuinfo": "processor\t: 0\nflags\t\t: fpu vme sse2",
    "proc/meminfo": "MemTotal: 100 kB\nSwapTotal: 2097152 kB\nSwapFree: 2097152 kB",
    "proc/self/cgroup": "0::/user/me",
    "sys/fs/cgroup/user/cpu.max": "max 100000",
    "proc/sys/kernel/randomize_va_space": "1",
    "proc/self/environ": "HOME=/root\0PYTHONHASHSEED=0\0PERL_HASH_SEED=\0",
    "proc/sys/kernel/perf_event_paranoid": "4",
    "proc/sys/kernel/nmi_watchdog": "1",
    "sys/kernel/mm/transparent_hugepage/enabled": "[always] madvise never",
    "sys/devices/system/clocksource/clocksource0/current_clocksource": "tsc",
    CPU + "online": "0-3",
    CPU + "isolated": "2-3",
    CPU + "nohz_full": "(null)",
    CPU + "smt/active": "1",
    CPU + "intel_pstate/no_turbo": "0",
    CPU + "cpufreq/policy0/scaling_governor": "powersave",
    CPU + "cpufreq/policy1/scaling_governor": "schedutil",
    CPU + "cpufreq/policy10/scaling_governor": "performance",
    CPU + "cpu0/thermal_throttle/core_throttle_count": "0",
    CPU + "vulnerabilities/meltdown": "Not affected",
    CPU + "vulnerabilities/spectre_v2": "Mitigation: Retpolines; STIBP: disabled",
    "proc/irq/8/smp_affinity_list": "0-3",
    "proc/irq/9/smp_affinity_list": "2",
    "proc/irq/10/smp_affinity_list": "0-1",
}


class Kernel(System):
    """System that behave like the kernel's: choices in brackets, refusals, time that passes.
    ``refused`` maps a file to the error number of a write, ``deaf`` are files that take a write and
    ignore it. ``before_write`` is called with the number of writes so far."""

    def __init__(self, root: Path) -> None:
        super().__init__(root)
        self.refused: dict[str, int] = {}
        self.deaf: set[str] = set()
        self.before_write: Callable[[int], None] = lambda count: None
        self.after_write: Callable[[int], None] = lambda count: None
        self.while_asleep: Callable[[], None] = lambda: None
        self.writes: list[tuple[str, str]] = []
        self.slept = 0.0

    def put(self, name: str, text: str | None) -> None:
        path = self.root / name
        if text is None:
            path.unlink(missing_ok=True)
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text + "\n")

    def write(self, name: str, text: str) -> None:
        if name in self.refused:
            raise OSError(self.refused[name], os.strerror(self.refused[name]))
        self.before_write(len(self.writes))
        self.writes.append((name, text))
        held = self.read(name)
        if name not in self.deaf:
            if held is not None and "[" in held:
                words = held.replace("[", "").replace("]", "").split()
                if text not in words:
                    raise OSError(errno.EINVAL, "Invalid argument")
                text = " ".join(f"[{w}]" if w == text else w for w in words)
            super().write(name, text + "\n")
        self.after_write(len(self.writes))

    def sleep(self, seconds: float) -> None:
        self.slept += seconds
        self.while_asleep()

    def snapshot(self) -> dict[str, str | None]:
        """What every file holds."""
        files = (p for p in self.root.rglob("*") if p.is_file())
        return {str(p.relative_to(self.root)): p.read_text().strip() for p in files}


@pytest.fixture
def kernel(tmp_path: Path) -> Kernel:
    """An untuned machine."""
    made = Kernel(tmp_path / "root")
    for name, text in UNTUNED.items():
        made.put(name, text)
    return made


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "data" / "doctor"
