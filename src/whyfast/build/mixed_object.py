"""Two objects of one source linked into one, each symbol that of the one or of the other."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path

#: Tools of binutils; the objects are those of this machine's architecture.
TOOLS = ("objcopy", "ld")


class NoTools(Exception):
    """Which tool this machine lacks."""


def mix_object(
    good: Path, bad: Path, from_bad: Iterable[str], symbols: Iterable[str], to: Path
) -> None:
    """Write to ``to`` both objects as one, with the global ``symbols`` of the good one but for
    ``from_bad``, which are of the bad one.

    Each definition that is not wanted is weakened, and the linker takes the other for everybody.
    Both copies stay, in the same place in every mixture: what differs is who is called.
    NoTools, OSError, or ValueError with what the linker says.
    """
    taken = set(from_bad)
    folder = to.with_name(to.name + ".parts")
    folder.mkdir(parents=True, exist_ok=True)
    try:
        parts = []
        for name, file, weak in (
            ("good", good, taken),
            ("bad", bad, set(symbols) - taken),
        ):
            part = folder / f"{name}.o"
            # LLVM's list of symbols would be of other numbers after the link.
            options = ["--strip-debug", "--remove-section=.llvm_addrsig"]
            if weak:  # objcopy fails for an empty list
                listed = folder / f"{name}.txt"
                listed.write_text("".join(f"{s}\n" for s in sorted(weak)))
                options.append(f"--weaken-symbols={listed}")
            _run("objcopy", *options, str(file), str(part))
            parts.append(str(part))
        _run("ld", "-r", "-o", str(to), *parts)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _run(tool: str, *arguments: str) -> None:
    if shutil.which(tool) is None:
        raise NoTools(f"{tool} is not installed; install binutils")
    done = subprocess.run(
        [tool, *arguments], capture_output=True, text=True, errors="replace", check=False
    )
    if done.returncode != 0:
        lines = (done.stderr or done.stdout).strip().splitlines()
        raise ValueError(f"{tool}: {lines[0] if lines else f'exit code {done.returncode}'}")
