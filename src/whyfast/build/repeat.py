"""The commands that repeat a build by hand, from its provenance."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any


def repeat_script(provenance: Mapping[str, Any], folder: Path) -> str:
    """A shell script that makes the same program again in the present folder.

    ``folder`` is where the store keeps the build, source included.
    """
    # Where it was built is kept out of the program by the prefix map; so must this folder be.
    here = [
        c.replace(f"-ffile-prefix-map={folder / 'work'}=", '-ffile-prefix-map="$PWD"=')
        for c in provenance["commands"]
    ]
    include = provenance["inputs"].get("include")
    env = {k: v for k, v in provenance["env"].items() if k not in ("HOME", "TMPDIR")}
    lines = [
        "#!/bin/sh -eu",
        f"# {provenance['variant']}: {provenance['toolchain']['version']} "
        f"({provenance['toolchain']['name']}), program sha256 {provenance['program_sha256']}",
        f"cp -r {shlex.quote(str(folder / 'work' / 'src'))} src",
        *([f"cp -r {shlex.quote(str(folder / 'work' / 'include'))} include"] if include else []),
        *(f"export {k}={shlex.quote(v)}" for k, v in env.items()),
        *here,
    ]
    return "\n".join(lines) + "\n"
