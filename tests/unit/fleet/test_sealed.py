"""A sealed process, which a test is not: each is a process of its own."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from pathlib import Path

import pytest

from whyfast.fleet.messages import PipeLine, receive, send
from whyfast.model.codec import Malformed

#: Ways to find a class for a pickle, and to change something.
TRIED = {
    "pickle.loads(HARMFUL)": "RefusedPickle",
    "pickle._loads(HARMFUL)": "RefusedPickle",
    "cloudpickle.loads(HARMFUL)": "RefusedPickle",
    "pickle.Unpickler(io.BytesIO(HARMFUL)).load()": "RefusedPickle",
    "distributed.client.loads(HARMFUL)": "RefusedPickle",
    "distributed.protocol.pickle.loads(HARMFUL)": "RefusedPickle",
    "distributed.protocol.deserialize({'serializer': 'pickle', 'writeable': ()}, [HARMFUL])": (
        "RefusedPickle"
    ),
    "open(FILE, 'w')": "PermissionError",
    "open(FILE, 'r+')": "PermissionError",
    "os.open(FILE, os.O_CREAT)": "PermissionError",
    "os.mkdir(FILE)": "PermissionError",
    "os.system('touch ' + FILE)": "PermissionError",
    "subprocess.run(['touch', FILE])": "PermissionError",
    "pickle.loads(pickle.dumps(bytes))": "",
    "pickle.loads(pickle.dumps({'a': [1, 'b', None, b'c']}))": "",
    "open('/dev/null')": "",
}

SCRIPT = """
import io, os, pickle, subprocess, sys
import cloudpickle, distributed, distributed.protocol
from whyfast.fleet.security import seal
_, FILE, *TRIED = sys.argv
HARMFUL = b"cos\\nmkdir\\n(V" + FILE.encode() + b"\\ntR."
seal()
for tried in TRIED:
    try:
        eval(tried)
    except Exception as error:
        print(type(error).__name__)
    else:
        print()
"""


def test_a_sealed_process_imports_nothing_for_a_pickle_and_changes_nothing(tmp_path: Path) -> None:
    pytest.importorskip("distributed")
    words = [sys.executable, "-c", SCRIPT, str(tmp_path / "file"), *TRIED]
    done = subprocess.run(words, capture_output=True, text=True, timeout=60)
    assert dict(zip(TRIED, done.stdout.split("\n"), strict=False)) == TRIED, done.stderr
    assert not os.listdir(tmp_path)


def test_what_passes_between_the_processes_comes_out_as_it_went_in() -> None:
    pipe = io.BytesIO()
    send(pipe, PipeLine("answered", "ash", number=3), b"{}\n", b"")
    send(pipe, PipeLine("gone", "elm", "its worker has gone"))
    pipe.seek(0)
    assert receive(pipe) == (PipeLine("answered", "ash", "", 3, (3, 0)), [b"{}\n", b""])
    assert receive(pipe) == (PipeLine("gone", "elm", "its worker has gone"), [])
    assert receive(pipe) is None


@pytest.mark.parametrize(
    "text",
    [
        b"{}\n",
        b"x" * 20_000,
        b"[" * 9_000 + b"\n",
        b'{"kind": "steer"}\n',
        b'{"kind": "joined", "host": "\\u001b]0;x"}\n',
        b'{"kind": "answered", "sizes": [10000000000]}\n',
        b'{"kind": "answered", "sizes": [-1]}\n',
        b'{"kind": "answered", "sizes": [1, 1, 1]}\n',
    ],
)
def test_anything_else_is_malformed(text: bytes) -> None:
    with pytest.raises(Malformed):
        receive(io.BytesIO(text))


def test_of_a_process_that_was_killed_half_a_message_is_none() -> None:
    assert receive(io.BytesIO(b'{"kind": "answered", "sizes": [10]}\nhalf')) is None
