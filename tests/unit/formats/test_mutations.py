"""Valid files, spoiled at random: they are read or refused, and nothing else ever happens."""

import copy
import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.unit.formats import examples

from whyfast.formats.load import load_recording
from whyfast.model.errors import UserError
from whyfast.model.series import Recording

_SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=5),
    st.sampled_from([10**400, -1, 0, "1.0", "second", "\ud800", "../../x", 1e-320, 1e308]),
)
_VALUES = st.recursive(
    _SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner),
    max_leaves=5,
)
_JSON = [examples.pyperf, examples.perf_0_9, examples.hyperfine, examples.google_benchmark]
_SETTINGS = settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Every place in JSON data."""
    found = [path] if path else []
    if isinstance(value, dict | list):
        for key, child in value.items() if isinstance(value, dict) else enumerate(value):
            found += places(child, (*path, key))
    return found


def check(path: Path) -> None:
    refused = None
    try:
        recording = load_recording(str(path))
    except UserError as error:
        refused = str(error)
    if refused is None:
        sound(recording)
    else:
        assert str(path) in refused
        assert len(refused) < 600 + len(str(path))


def sound(recording: Recording) -> None:
    """What is read is fit to be judged and written."""
    assert recording.series
    for name, series in recording.series.items():
        assert name == series.benchmark
        name.encode()
        assert series.processes
        for process in series.processes:
            assert process
            assert all(isinstance(v, float) and 0 < v < 1e40 for v in process)


@pytest.mark.parametrize("make", _JSON)
@given(data=st.data())
@_SETTINGS
def test_spoiled_json(tmp_path: Path, make: Any, data: st.DataObject) -> None:
    document = copy.deepcopy(make())
    for _ in range(data.draw(st.integers(1, 3))):
        spots = places(document)
        if not spots:
            break
        *above, last = data.draw(st.sampled_from(spots))
        spot = document
        for key in above:
            spot = spot[key]
        if data.draw(st.booleans()):
            spot[last] = data.draw(_VALUES)
        else:
            del spot[last]
    path = tmp_path / "spoiled"
    path.write_text(json.dumps(document), "utf-8", "surrogatepass")
    check(path)


@pytest.mark.parametrize("name", sorted(examples.texts()))
@given(data=st.data())
@_SETTINGS
def test_spoiled_bytes(tmp_path: Path, name: str, data: st.DataObject) -> None:
    raw = examples.texts()[name].encode()
    packed = data.draw(st.booleans())
    content = bytearray(gzip.compress(raw, mtime=0) if packed else raw)
    for _ in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(0, len(content)))
        end = min(len(content), start + data.draw(st.integers(0, 20)))
        content[start:end] = data.draw(st.binary(max_size=6))
    path = tmp_path / "spoiled"
    path.write_bytes(bytes(content))
    check(path)
