"""A real Debian root, a real program built and measured in it.

The root is made once, in the user's cache: half a minute to two minutes, 0.3 GB.
"""

import json
import shutil
from pathlib import Path

import pytest
from tests.conftest import USERS_TOOLCHAINS
from tests.studies.known_study import SPIN
from tests.studies.test_run import whyfast

from whyfast.model.build import Toolchain
from whyfast.model.errors import CannotBuildHere
from whyfast.store.home import Home
from whyfast.toolchain.debian import DebianProvider


@pytest.fixture(scope="module")
def gcc14() -> Toolchain:
    """Debian's gcc 14 in the user's cache; skips where none can be made or entered."""
    cache = Home(USERS_TOOLCHAINS.parent, Path())
    if shutil.which("mmdebstrap") is None and not DebianProvider().installed("gcc-14", cache):
        pytest.skip("no Debian root: mmdebstrap is not installed")
    try:
        return DebianProvider().resolve("gcc-14", cache, lambda text: None)
    except CannotBuildHere as error:
        pytest.skip(f"no Debian root: {error}")


def _study(folder: Path) -> Path:
    folder.mkdir()
    (folder / "study.toml").write_text(
        f"""
[study]
title = "Is it slower in a Debian root?"
baseline = "base"
[source]
path = "{SPIN}"
[build]
steps = [
  "{{cc}} -O2 {{cflags}} -I{{include}} -o {{program}} {{source}}/spin.c {{ldflags}}",
  "cat /etc/debian_version >suite; ! touch /usr/left 2>/dev/null; cp {{program}} copy",
]
program = "spin"
[variant.base]
toolchain = "debian:gcc-14"
cflags = ["-DSTEPS=10000"]
[variant.slow]
extends = "base"
cflags = ["-DSTEPS=12000"]
[variant.crash]
extends = "base"
cflags = ['-DMODE="crash"']
[variant.broken]
extends = "base"
cflags = ["-DSTEPS=no_such_name"]
[variant.outside]
toolchain = "path:gcc"
cflags = ["-DSTEPS=10000"]
[benchmarks.spin]
runner = "turn"
command = ["{{program}}"]
timeout = "2s"
[measure]
budget = "10s"
"""
    )
    return folder


def test_a_program_is_measured_in_a_root(gcc14: Toolchain, own_home: Home, tmp_path: Path) -> None:
    assert gcc14.root is not None
    out = tmp_path / "result.json"
    whyfast("run", _study(tmp_path / "s"), "--json", out, code=1)
    result = json.loads(out.read_text())["data"]
    builds = {b["variant"]: b for b in result["recorded"]["builds"]}
    assert builds["base"]["kind"] == builds["slow"]["kind"] == "built"
    assert builds["broken"]["kind"] == "failed"
    assert any("no_such_name" in line for line in builds["broken"]["log_tail"])

    work = Path(builds["base"]["program"]).parent
    assert (work / "suite").read_text().startswith("13")
    assert (work / "copy").read_bytes() == (work / "spin").read_bytes()
    provenance = json.loads((work.parent / "provenance.json").read_text())
    assert provenance["toolchain"]["digest"] == gcc14.digest
    assert "gcc-14" in provenance["toolchain"]["packages"]
    # What holds the steps back depends on what is allowed here; it is said either way.
    assert "no network" in provenance["sandbox"] or "chroot alone" in provenance["sandbox"]

    verdicts = {v["variant"]: v["outcome"] for v in result["judged"]["verdicts"]}
    assert verdicts["slow"] == "slower"
    assert verdicts["outside"] in ("same", "undecided", "faster", "slower")
    # the process is the program itself, so that its end is told as it was
    assert [(f["variant"], f["reason"]) for f in result["recorded"]["failures"]] == [
        ("crash", "ended early (killed by SIGABRT)")
    ]
