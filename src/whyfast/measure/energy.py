"""The energy of the processor's packages, as their counters (RAPL) tell; where a machine has none,
or only root may read them, it is unavailable."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

_ZONES = "sys/class/powercap/*-rapl:*"


@dataclass(frozen=True)
class EnergyMeter:
    """Counters in microjoules that begin again at 0 above their ``range``, by file."""

    counters: tuple[tuple[Path, int], ...]

    def read(self) -> tuple[int, ...]:
        """All counters now. Raises OSError."""
        return tuple(int(path.read_bytes()) for path, _ in self.counters)

    def joules(self, before: tuple[int, ...], after: tuple[int, ...]) -> float:
        """Of all packages between two readings, that of whatever else runs among it."""
        limits = (limit for _, limit in self.counters)
        apart = zip(before, after, limits, strict=True)
        return sum((b - a) % (limit + 1) for a, b, limit in apart) / 1e6


def energy_meter(root: Path = Path("/")) -> EnergyMeter | str:
    """The meter of this machine, or why there is none."""
    zones = [z for z in sorted(root.glob(_ZONES)) if z.name.count(":") == 1]
    packages = [z for z in zones if _text(z / "name").startswith("package")]
    if not packages:
        return "this machine has no RAPL counters (virtual machines hide them)"
    counters = []
    for zone in packages:
        try:
            int((zone / "energy_uj").read_bytes())
            counters.append((zone / "energy_uj", int(_text(zone / "max_energy_range_uj"))))
        except PermissionError:
            file = f"{zone}/energy_uj"
            return f"only root may read {file}; allow it: sudo chmod a+r {file}"
        except (OSError, ValueError):
            return f"{zone} cannot be read"
    return EnergyMeter(tuple(counters))


def _text(path: Path) -> str:
    try:
        return path.read_text().strip()
    except OSError:
        return ""
