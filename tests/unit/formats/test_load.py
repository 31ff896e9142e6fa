"""Files in, whatever tool wrote them, and logs of checks. Valid files, spoiled at random: they are
read or refused, and nothing else ever happens."""

import copy
import gzip
import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.golden_files import refusal
from tests.unit.formats import examples

from whyfast.formats import input as source
from whyfast.formats.load import load_recording, load_recordings
from whyfast.formats.timeline import Wanted, load_timeline
from whyfast.formats.whyfast_result import is_check_log, read_check_log
from whyfast.model.codec import pack
from whyfast.model.errors import UserError
from whyfast.model.sample import SECOND, Recording

Read = Callable[[object], Recording]
Refusal = Callable[[object], str]


@pytest.mark.parametrize("name", sorted(examples.texts()))
def test_content_decides_the_format_and_gzip_is_seen_through(read: Read, name: str) -> None:
    text = examples.texts()[name]
    plain, packed = read(text), read(gzip.compress(text.encode()))
    assert plain.series == packed.series
    assert plain.tool == {"perf 0.9": "pyperf"}.get(name, name)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "is empty"),
        (b"  \n", "is empty"),
        (b"\xff\xfe\x00", "is not text"),
        (b"hello\n", "unknown format"),
        (b"{}", "unknown format"),
        (b"[]", "unknown format"),
        (b'{"benchmarks": [', "result:1: is invalid JSON"),
        (b'{"version": NaN, "benchmarks": []}', "not a number: NaN"),
        (b'{"version": 1, "version": 2}', "duplicate key: version"),
        (b'{"a": ' + b"9" * 5000 + b"}", "is invalid JSON"),
        (b"[" * 200_000, "nested too deeply"),
        (b'{"schema": "whyfast-result/3", "data": {}}', "recorded is missing"),
        (gzip.compress(b"x" * 1000, mtime=0)[:-20], "cut short"),
        (gzip.compress(b"x" * 1000, mtime=0)[:20] + b"\0" * 9, "damaged"),
        (b"\x1f\x8b", "cut short"),
    ],
)
def test_what_is_no_result_is_refused(refusal: Refusal, content: bytes, said: str) -> None:
    assert said in refusal(content)


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9, 0.99])
def test_a_truncated_file_is_refused(refusal: Refusal, share: float) -> None:
    text = json.dumps(examples.pyperf())
    assert "JSON" in refusal(text[: int(share * len(text))])


def test_a_huge_file_is_refused_before_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "huge.json"
    with path.open("wb") as file:
        file.write(b"{")
        file.truncate(1_000_000_000)  # sparse: takes no room on disk
    started = time.monotonic()
    with pytest.raises(UserError, match="more than 32 MB"):
        load_recording(str(path))
    assert time.monotonic() - started < 5


def test_a_file_that_unpacks_to_a_huge_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source.read_text, "__defaults__", (100_000,))
    path = tmp_path / "bomb.json.gz"
    path.write_bytes(gzip.compress(b"[" + b" " * 10_000_000))
    with pytest.raises(UserError, match=r"more than 0\.1 MB"):
        load_recording(str(path))


def test_a_pipe_does_not_hold_everything_up(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    with pytest.raises(UserError, match="is not a file"):
        load_recording(str(path))


@pytest.mark.parametrize(
    ("name", "message"),
    [
        *((name, name) for name in ("missing.json", "no/such/folder", "a:b=c")),
        ("nul\0.json", "nul"),
        ("x" * 300, "cannot be read: File name too long"),
    ],
)
def test_a_missing_file_is_named(name: str, message: str) -> None:
    with pytest.raises(UserError, match=message):
        load_recording(name)


def test_names_are_made_distinct(tmp_path: Path) -> None:
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "clang18.json").write_text(json.dumps(examples.pyperf()))
    paths = [str(tmp_path / folder / "clang18.json") for folder in ("one", "two")]
    assert [r.name for r in load_recordings(paths)] == ["one/clang18", "two/clang18"]
    twice = [r.name for r in load_recordings([paths[0], paths[0]])]
    assert len(set(twice)) == 2
    assert load_recording(paths[0]).name == "clang18"


def test_a_name_that_no_file_can_hold_is_mended(read: Read) -> None:
    data = json.dumps(examples.pyperf()).replace('"nbody"', '"n\\ud800"')
    assert "n?" in read(data).series


def line(head: str, **seconds: Any) -> str:
    of = {name: {"seconds": {"head": value}} for name, value in seconds.items()}
    return json.dumps(pack("check", {"head": head, "benchmarks": of})) + "\n"


def test_a_line_is_a_point_and_what_measured_nothing_is_none(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    log.write_text(line("a" * 40, x=1.0) + line("b" * 40) + "\n" + line("c" * 40, x=2.0, y=3.0))
    found = load_timeline([str(log)], Wanted())
    assert found.points == ("a" * 10, "c" * 10)
    assert {s.name: s.values for s in found.series} == {"x": (1.0, 2.0), "y": (None, 3.0)}
    assert found.by == "check"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (line("a", x=1.0), "log: has fewer than two checks that measured something"),
        (line("a", x=1.0) + "{", "log:2: is invalid JSON: "),
        (line("a", x=1.0) + "[]", "log:2: not a whyfast check"),
        (line("a", x=1.0) + line("b", x=-1), "log:2: data.benchmarks.x.seconds.head: "),
        (line("a", x=1.0) + line("b", x=True), "log:2: data.benchmarks.x.seconds.head: "),
        (
            line("a").replace('"a"', "1"),
            "log:1: expected head (a commit) and benchmarks (an object)",
        ),
    ],
)
def test_bad_lines_are_named(text: str, said: str) -> None:
    assert refusal(UserError, lambda: read_check_log(text, "log")).startswith(said)


def test_other_files_are_not_taken_for_logs() -> None:
    assert not is_check_log('{"benchmarks": []}')
    assert not is_check_log("")


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
_JSON = [
    examples.pyperf,
    examples.perf_0_9,
    examples.hyperfine,
    examples.google_benchmark,
    examples.jmh,
    examples.benchmark_dotnet,
    examples.mitata,
    examples.tinybench,
]
_SETTINGS = settings(
    max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
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
            assert all(isinstance(v, float) and 0 <= v < 1e40 for v in process)
            assert series.unit != SECOND or 0 not in process


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
