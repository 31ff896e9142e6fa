"""The commands that repeat a build by hand, from its provenance."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from whyfast.build.steps import without_folder
from whyfast.model.study import HIDDEN
from whyfast.toolchain.sandbox import Box, bubblewrap_words


def repeat_script(provenance: Mapping[str, Any], folder: Path) -> str:
    """A shell script that makes the same program again in the present folder.

    ``folder`` is where the store keeps the build, source included.
    """
    steps = [_from_here(c, folder / "work") for c in provenance["commands"]]
    include = provenance["inputs"].get("include")
    env = {k: v for k, v in provenance["env"].items() if k not in ("HOME", "TMPDIR")}
    root = provenance["toolchain"].get("root")
    gone = root is not None and not Path(root).is_dir()
    lines = [
        "#!/bin/sh",
        f"# {provenance['variant']}: {provenance['toolchain']['version']} "
        f"({provenance['toolchain']['name']}), program sha256 {provenance['program_sha256']}",
        "set -eu",
        *([_no_root(root, provenance["digest"])] if gone else []),
        "export here=$PWD",
        f"cp -r {shlex.quote(str(folder / 'work' / 'src'))} src",
        *([f"cp -r {shlex.quote(str(folder / 'work' / 'include'))} include"] if include else []),
        *(_export(name, value) for name, value in env.items()),
        # Each step in a shell of its own, as when it was built: a cd ends with it.
        *([] if gone else [_in_root(s, root) if root else f"(\n{s}\n)" for s in steps]),
    ]
    return "\n".join(lines) + "\n"


def _export(name: str, value: str) -> str:
    if value.startswith(HIDDEN):
        return f'export {name}="${{{name}:?its value is hidden in the record of the build}}"'
    return f"export {name}={shlex.quote(value)}"


def _from_here(step: str, work: Path) -> str:
    """The step with this folder kept out of the program, as where it was built was."""
    languages: tuple[Literal["c", "rust"], ...] = ("c", "rust")
    for language in languages:
        for flag in without_folder(work, language):
            name, _, _ = flag.partition("=")
            step = step.replace(shlex.quote(flag), f'{name}="$here"=/whyfast')
    return step


def _no_root(root: str, digest: str) -> str:
    """The end of a script whose root was removed."""
    again = f"whyfast toolchain install --from {digest[:12]}"
    said = f"the root {root} is not there any more; {again} makes it again"
    return f"echo {shlex.quote(said)} >&2; exit 1"


def _in_root(step: str, root: str) -> str:
    """The step as run in the root of its toolchain, where a shell expands ``$here`` too."""
    words = bubblewrap_words("bwrap", Box(Path(root)), [])
    words = words[: words.index("--chdir")]
    return (
        f'{shlex.join(words)} --bind "$here" "$here" --chdir "$here" -- '
        f"/bin/sh -euc {shlex.quote(step)}"
    )
