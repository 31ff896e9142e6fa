"""What tests of whole investigations share."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.studies.fleet_processes import FleetProcesses


@pytest.fixture
def fleet(tmp_path: Path) -> Iterator[FleetProcesses]:
    processes = FleetProcesses(tmp_path)
    try:
        yield processes
    finally:
        processes.end()
