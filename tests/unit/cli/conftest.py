"""What tests of commands share."""

import json
from pathlib import Path

import pytest
from tests.unit.cli.compared_files import Write


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def to_file(name: str, content: object) -> str:
        path = tmp_path / name
        path.write_text(content if isinstance(content, str) else json.dumps(content))
        return str(path)

    return to_file
