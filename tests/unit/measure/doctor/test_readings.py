"""What is found on made-up machines, and how it is judged."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.measure.doctor.conftest import CPU, Kernel

from whyfast.measure.doctor import System, cpu_list, number, selected
from whyfast.measure.doctor.environment import environment, environment_after
from whyfast.measure.doctor.readings import CHECKS, examine, machine_facts
from whyfast.model.build import MachineFinding


def find(kernel: Kernel, key: str) -> MachineFinding:
    (found,) = [f for f in examine(kernel) if f.key == key]
    return found


def test_an_untuned_machine(kernel: Kernel) -> None:
    found = {f.key: (f.value, f.state) for f in examine(kernel)}
    cpus = os.cpu_count() or 1
    assert found == {
        "virtualisation": ("none", "good"),
        "cpu_quota": ("none", "good"),
        "load": (f"0.10 on {cpus} CPU{'s' if cpus > 1 else ''}", "good"),
        "steal": ("unknown", "unknown"),  # no time has passed on this machine
        "governor": (
            "performance on 1 policies, powersave on 1 policies, schedutil on 1 policies",
            "warning",
        ),
        "turbo": ("on", "warning"),
        "throttling": ("never since boot", "good"),
        "smt": ("on", "warning"),
        "isolated": ("2-3", "good"),
        "nohz_full": ("none", "warning"),
        "irq_affinity": ("2 of 3 may fall on isolated CPUs", "warning"),
        "aslr": ("without the heap", "warning"),
        "hash_seeds": ("PYTHONHASHSEED=0", "warning"),
        "transparent_hugepages": ("always", "warning"),
        "swap": ("2048 MiB, unused", "good"),
        "mitigations": ("1 active of 2: spectre_v2", "good"),
        "clock_source": ("tsc", "good"),
        "perf_event_paranoid": ("4", "warning"),
        "nmi_watchdog": ("on", "warning"),
    }


def test_where_nothing_can_be_read_everything_is_unknown(tmp_path: Path) -> None:
    found = examine(System(tmp_path), seconds=0)
    assert {f.state for f in found} == {"unknown"}
    assert {f.value for f in found} == {"unknown"}


def test_every_check_has_sentences_on_its_effect_and_a_key_of_its_own() -> None:
    assert len({check.key for check in CHECKS}) == len(CHECKS)
    for check in CHECKS:
        for effect in (check.unknown, check.good, check.warning):
            assert effect.endswith("."), effect
            assert effect.split()[0].istitle(), effect


def test_steal_time_is_that_of_the_watched_second(kernel: Kernel) -> None:
    later = "cpu  150 0 75 855 10 0 5 20 0 0"
    kernel.while_asleep = lambda: kernel.put("proc/stat", later)
    steal = find(kernel, "steal")
    assert (steal.value, steal.state) == ("13.3 % over 1 s", "warning")
    assert kernel.slept == 1.0


def test_guest_time_is_not_counted_twice(kernel: Kernel) -> None:
    kernel.while_asleep = lambda: kernel.put("proc/stat", "cpu  199 0 50 800 10 0 5 1 99 0")
    assert find(kernel, "steal").value == "1.0 % over 1 s"


@pytest.mark.parametrize(
    ("file", "text", "key", "value", "state"),
    [
        (CPU + "intel_pstate/no_turbo", "1", "turbo", "off", "good"),
        (CPU + "cpu0/thermal_throttle/core_throttle_count", "7", "throttling",
         "7 events since boot", "warning"),
        (CPU + "smt/active", "0", "smt", "off", "good"),
        (CPU + "isolated", "", "isolated", "none", "warning"),
        (CPU + "isolated", "", "irq_affinity", "3 of 3 may fall on all CPUs", "warning"),
        (CPU + "nohz_full", "2-3", "nohz_full", "2-3", "good"),
        (CPU + "nohz_full", None, "nohz_full", "none", "warning"),
        ("proc/sys/kernel/randomize_va_space", "0", "aslr", "off", "warning"),
        ("proc/sys/kernel/randomize_va_space", "2", "aslr", "full", "good"),
        ("proc/self/environ", "PYTHONHASHSEED=random\0PERL_HASH_SEED=1f", "hash_seeds",
         "PERL_HASH_SEED=1f", "warning"),
        ("proc/self/environ", "HOME=/PYTHONHASHSEED=0", "hash_seeds", "drawn", "good"),
        ("proc/sys/kernel/perf_event_paranoid", "-1", "perf_event_paranoid", "-1", "good"),
        ("proc/sys/kernel/perf_event_paranoid", "2", "perf_event_paranoid", "2", "good"),
        ("proc/loadavg", "99.5 1 1 1/1 1", "load", None, "warning"),
        ("proc/cpuinfo", "flags : fpu hypervisor", "virtualisation", "virtual machine", "warning"),
        ("proc/cpuinfo", "Features : fp asimd", "virtualisation", "unknown", "unknown"),
        ("sys/hypervisor/type", "xen", "virtualisation", "virtual machine (xen)", "warning"),
        ("run/systemd/container", "podman", "virtualisation", "in a container (podman)", "good"),
        ("sys/fs/cgroup/user/cpu.max", "150000 100000", "cpu_quota", "1.50 CPUs", "warning"),
        ("proc/meminfo", "SwapTotal: 2048 kB\nSwapFree: 0 kB", "swap", "2 of 2 MiB in use",
         "warning"),
        ("proc/meminfo", "SwapTotal: 0 kB\nSwapFree: 0 kB", "swap", "none", "good"),
        ("sys/devices/system/clocksource/clocksource0/current_clocksource", "hpet",
         "clock_source", "hpet", "warning"),
        (CPU + "vulnerabilities/spectre_v2", "Mitigation: IBRS; STIBP: always-on", "mitigations",
         "1 active of 2: spectre_v2", "warning"),
        (CPU + "vulnerabilities/spectre_v2", "Mitigation: Enhanced / Automatic IBRS",
         "mitigations", "1 active of 2: spectre_v2", "good"),
    ],
)  # fmt: skip
def test_one_property_changed(
    kernel: Kernel, file: str, text: str | None, key: str, value: str | None, state: str
) -> None:
    kernel.put(file, text)
    found = find(kernel, key)
    assert found.state == state
    assert value is None or found.value == value


def test_interrupts_are_not_judged_where_the_cpus_are_not_known(kernel: Kernel) -> None:
    for name in ("isolated", "online"):
        kernel.put(CPU + name, None)
    found = find(kernel, "irq_affinity")
    assert (found.value, found.state) == ("unknown", "unknown")


def test_amd_and_others_call_turbo_boost(kernel: Kernel) -> None:
    kernel.put(CPU + "intel_pstate/no_turbo", None)
    kernel.put(CPU + "cpufreq/boost", "1")
    assert find(kernel, "turbo").value == "on"
    assert "echo 0" in find(kernel, "turbo").how
    kernel.put(CPU + "cpufreq/boost", "0")
    assert find(kernel, "turbo").value == "off"


def test_the_quota_of_the_first_version_of_control_groups(kernel: Kernel) -> None:
    kernel.put("proc/self/cgroup", "9:cpu,cpuacct:/docker/abc\n8:memory:/docker/abc\n0::/")
    folder = "sys/fs/cgroup/cpu,cpuacct/docker/"
    kernel.put(folder + "abc/cpu.cfs_quota_us", "-1")
    kernel.put(folder + "abc/cpu.cfs_period_us", "100000")
    assert find(kernel, "cpu_quota").value == "none"
    kernel.put(folder + "cpu.cfs_quota_us", "50000")
    kernel.put(folder + "cpu.cfs_period_us", "100000")
    assert find(kernel, "cpu_quota").value == "0.50 CPUs"


def test_metadata_takes_no_time(kernel: Kernel) -> None:
    facts = machine_facts(kernel)
    assert facts["turbo"] == {"value": "on", "state": "warning"}
    assert facts["steal"] == {"value": "0.0 % since boot", "state": "good"}
    assert kernel.slept == 0


@pytest.mark.parametrize(
    ("read", "text", "value"),
    [
        (cpu_list, "0-2,5", (0, 1, 2, 5)),
        (cpu_list, "3", (3,)),
        (cpu_list, "", ()),
        (cpu_list, None, ()),
        (cpu_list, "(null)", ()),
        (cpu_list, "1, 3-4\n", (1, 3, 4)),
        (selected, "always [madvise] never", "madvise"),
        (selected, "performance", "performance"),
        (selected, None, None),
        (number, "-1", -1),
        (number, "many", None),
        (number, None, None),
    ],
)
def test_what_a_file_holds(
    read: Callable[[str | None], object], text: str | None, value: object
) -> None:
    assert read(text) == value


@given(st.sets(st.integers(0, 500)))
def test_a_list_with_every_cpu_named_is_read_back(cpus: set[int]) -> None:
    assert cpu_list(",".join(map(str, cpus))) == tuple(sorted(cpus))


def test_a_file_that_the_kernel_lacks_is_neither_read_nor_created(tmp_path: Path) -> None:
    system = System(tmp_path)
    assert system.read("boost") is None
    with pytest.raises(FileNotFoundError):
        system.write("boost", "0")
    assert not (tmp_path / "boost").exists()


def test_files_are_listed_as_people_count(tmp_path: Path) -> None:
    for name in ("cpu10", "cpu2", "cpu1"):
        (tmp_path / name).touch()
    assert System(tmp_path).names("cpu*") == ["cpu1", "cpu2", "cpu10"]


def test_the_doctor_adds_to_the_metadata_of_a_run(tmp_path: Path) -> None:
    name = tmp_path / "proc/sys/kernel/randomize_va_space"
    name.parent.mkdir(parents=True)
    name.write_text("0\n")
    facts = environment(System(tmp_path))
    assert facts["aslr"] == "0"
    findings = facts["doctor"]
    assert isinstance(findings, dict)
    assert findings["aslr"] == {"value": "off", "state": "warning"}
    assert findings["governor"] == {"value": "unknown", "state": "unknown"}


def test_what_verdicts_use_is_there() -> None:
    assert {"cpus", "system", "architecture"} <= environment(System()).keys()


def test_counts_of_the_kernel_at_both_ends(tmp_path: Path) -> None:
    (tmp_path / "proc").mkdir()
    (tmp_path / "proc/stat").write_text("cpu  100 0 50 800 10 0 5 35 0 0\n")
    throttle = tmp_path / "sys/devices/system/cpu/cpu0/thermal_throttle"
    throttle.mkdir(parents=True)
    (throttle / "core_throttle_count").write_text("3\n")
    counts = {"stolen_ticks": 35, "ticks": 1000, "throttle_events": 3}
    assert environment(System(tmp_path))["at_start"] == counts
    after = environment_after(System(tmp_path))
    assert {name: after[name] for name in counts} == counts
    assert set(after) == {"doctor", *counts}
