"""Writing a file to be read."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from whyfast.formats.load import load_recording
from whyfast.model.errors import UserError
from whyfast.model.sample import Recording

Read = Callable[[object], Recording]


@pytest.fixture
def read(tmp_path: Path) -> Read:
    """Writes JSON data, text or bytes to a file and loads it."""

    def write_and_load(content: object) -> Recording:
        path = tmp_path / "result"
        if isinstance(content, bytes):
            path.write_bytes(content)
        else:
            text = content if isinstance(content, str) else json.dumps(content)
            path.write_text(text, "utf-8")
        return load_recording(str(path))

    return write_and_load


@pytest.fixture
def refusal(read: Read) -> Callable[[object], str]:
    """The message with which content is refused; it always names the file."""

    def message(content: object) -> str:
        with pytest.raises(UserError) as caught:
            read(content)
        assert "result" in str(caught.value)
        assert "\n" not in str(caught.value)
        return str(caught.value)

    return message
