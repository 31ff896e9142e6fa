"""Counters of energy in a made-up /sys."""

from pathlib import Path

from whyfast.measure.commands import EnergyMeter, energy_meter


def zone(root: Path, name: str, title: str, energy: int) -> Path:
    folder = root / "sys/class/powercap" / name
    folder.mkdir(parents=True)
    (folder / "name").write_text(f"{title}\n")
    (folder / "energy_uj").write_text(f"{energy}\n")
    (folder / "max_energy_range_uj").write_text("999999999\n")
    return folder / "energy_uj"


def test_packages_are_added_up_and_their_parts_are_not(tmp_path: Path) -> None:
    first = zone(tmp_path, "intel-rapl:0", "package-0", 5_000_000)
    second = zone(tmp_path, "intel-rapl:1", "package-1", 999_000_000)
    zone(tmp_path, "intel-rapl:0:0", "core", 1)
    zone(tmp_path, "intel-rapl:2", "psys", 1)
    meter = energy_meter(tmp_path)
    assert isinstance(meter, EnergyMeter)
    before = meter.read()
    first.write_text("7500000\n")
    second.write_text("1000000\n")  # it began again at 0
    assert meter.joules(before, meter.read()) == 2.5 + 2.0


def test_without_counters_there_is_a_reason(tmp_path: Path) -> None:
    reason = energy_meter(tmp_path)
    assert isinstance(reason, str)
    assert "RAPL" in reason
