"""A build by hand: the script of its record makes the very bytes again, by plain sh."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from whyfast.build import cargo
from whyfast.build.steps import without_folder
from whyfast.model.study import HIDDEN
from whyfast.toolchain.sandbox import Box, bubblewrap_words


def repeat_script(provenance: Mapping[str, Any], folder: Path) -> str:
    """A shell script that makes the same program again in the present folder. ``folder`` is where
    the store keeps the build, source included."""
    steps = [_from_here(c, folder / "work") for c in provenance["commands"]]
    include = provenance["inputs"].get("include")
    by_cargo = cargo.repeat_lines(provenance["env"])
    here = ("HOME", "TMPDIR", *(("CARGO_HOME", "RUSTC_WRAPPER") if by_cargo else ()))
    env = {k: v for k, v in provenance["env"].items() if k not in here}
    root = provenance["toolchain"].get("root")
    gone = root is not None and not Path(root).is_dir()
    removed = ""
    if gone:
        again = f"whyfast toolchain install --from {provenance['digest'][:12]}"
        removed = shlex.quote(f"the root {root} was removed; run {again} to make it again")
    exports = (
        f'export {name}="${{{name}:?its value is hidden in the record of the build}}"'
        if value.startswith(HIDDEN)
        else f"export {name}={shlex.quote(value)}"
        for name, value in env.items()
    )
    lines = [
        "#!/bin/sh",
        f"# {provenance['variant']}: {provenance['toolchain']['version']} "
        f"({provenance['toolchain']['name']}), program sha256 {provenance['program_sha256']}",
        "set -eu",
        *([f"echo {removed} >&2; exit 1"] if gone else []),
        "export here=$PWD",
        f"cp -r {shlex.quote(str(folder / 'work' / 'src'))} src",
        *([f"cp -r {shlex.quote(str(folder / 'work' / 'include'))} include"] if include else []),
        *exports,
        *by_cargo,
        # Each step in a shell of its own, as when it was built: a cd ends with it.
        *([] if gone else [_in_root(s, root) if root else f"(\n{s}\n)" for s in steps]),
    ]
    return "\n".join(lines) + "\n"


def _from_here(step: str, work: Path) -> str:
    """The step with this folder kept out of the program, as where it was built was."""
    for flag in (*without_folder(work, "c"), *without_folder(work, "rust")):
        name, _, _ = flag.partition("=")
        step = step.replace(shlex.quote(flag), f'{name}="$here"=/whyfast')
    return step


def _in_root(step: str, root: str) -> str:
    """The step as run in the root of its toolchain, where a shell expands ``$here`` too."""
    words = bubblewrap_words("bwrap", Box(Path(root)), [])
    words = words[: words.index("--chdir")]
    return (
        f'{shlex.join(words)} --bind "$here" "$here" --chdir "$here" -- '
        f"/bin/sh -euc {shlex.quote(step)}"
    )
