"""A compiler that is limited for one source file."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from tests.unit.investigate.doubles import World

from whyfast.model.build import Toolchain
from whyfast.search.axes.passes import limiting_one
from whyfast.store.home import Home

LIMIT = "-mllvm -opt-bisect-limit=7"


@pytest.mark.parametrize(
    ("object_", "arguments", "limited"),
    [
        ("hot.o", "-O2 -c src/hot.c", True),
        ("src/hot.o", "-O2 -c -o src/hot.o ../src/hot.cpp", True),
        ("hot.c.o", "-c hot.c -o hot.c.o", True),
        ("hot.o", "-O2 -c src/shot.c", False),
        ("hot.o", "-o program hot.o cold.o", False),
        ("a b.o", "-c cold.c", False),
    ],
)
def test_only_the_source_of_the_object_is_limited(
    tmp_path: Path, object_: str, arguments: str, limited: bool
) -> None:
    plain = Toolchain("path:cc", "path", "1", "x86_64", "d", ("/bin/echo", "cc"), frozenset())
    services = World().services(toolchain=lambda *given: plain)
    found = limiting_one(services, object_, LIMIT.split()).toolchain(
        "path:cc", Home(tmp_path, tmp_path), lambda text: None, ()
    )
    done = subprocess.run(
        [*found.cc, *arguments.split()], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == f"cc {arguments}{' ' + LIMIT if limited else ''}"
    assert found.readable == (Path("/bin"),)
