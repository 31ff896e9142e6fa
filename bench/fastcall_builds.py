"""Commands of the study fastcall outside of it: an interpreter, its extension, the driver."""

from __future__ import annotations

import sys
from contextlib import closing
from pathlib import Path

from whyfast.store.builds import BuildStore
from whyfast.store.home import home
from whyfast.store.samples import SampleStore
from whyfast.study.load import load_study
from whyfast.toolchain.sandbox import Box, around_program


def command_of(variant: str) -> list[str]:
    """The words before the name of a benchmark, from the newest result of the study."""
    with closing(SampleStore(home().database)) as samples:
        latest = samples.latest("fastcall")
    builds = latest[1].get("data", latest[1])["recorded"]["builds"] if latest else []
    digests = [b["digest"] for b in builds if b["variant"] == variant and "digest" in b]
    build = BuildStore(home().builds).find(digests[0]) if digests else None
    if build is None:
        sys.exit(f"no build of {variant}; whyfast run fastcall")
    source = Path(load_study("fastcall").source.folder)
    python = build.provenance["interpreter"]
    program = build.folder / "work" / build.provenance["program"]
    words = [python["program"], "-B", str(source / "driver.py"), "--extension", str(program)]
    if not python["root"]:
        return words
    seen = (build.folder, source, *map(Path, python["readable"]))
    box = Box(Path(python["root"]), readable=seen, network=True)
    return [*around_program(box, home().sandbox), *words]
