"""What tests of whole investigations share."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.studies.fleet_processes import FleetProcesses


@pytest.fixture
def fleet(tmp_path: Path) -> Iterator[FleetProcesses]:
    if shutil.which("openssl") is None:
        pytest.skip("needs openssl: apt-get install openssl")
    processes = FleetProcesses(tmp_path)
    try:
        yield processes
    finally:
        processes.end()
