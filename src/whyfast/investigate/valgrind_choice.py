"""Which Valgrind simulates a study's programs: one for all, so that they can be compared."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from whyfast.measure.launch import Launcher
from whyfast.measure.simulate import CannotCount, Valgrind, own_valgrind
from whyfast.model.errors import CannotBuildHere
from whyfast.store.home import Home
from whyfast.toolchain.valgrind import (
    VERSION,
    newer_valgrind,
    tool_words,
    valgrind_root,
    version_of,
)


def choose_valgrind(
    launcher: Launcher,
    env: Mapping[str, str],
    home: Home,
    *,
    rooted: bool,
    note: Callable[[str], None],
) -> Valgrind:
    """The machine's own; Debian's newer one where that is missing, or programs run in roots.

    ``rooted``: some programs run in the root of a toolchain, where the machine's own is not seen.
    The newer one is taken, too, where it is there already and the machine's is older. Raises
    CannotCount with what is wrong with both.
    """
    why = ""
    try:
        own = own_valgrind(launcher, env)
    except CannotCount as error:
        own, why = None, str(error)
    there = (valgrind_root(home).parent / "digest").exists()
    older = own is None or version_of(own.version) < VERSION
    if own and not rooted and not (there and older):
        return own
    try:
        return from_root(newer_valgrind(home, note), launcher, env)
    except CannotBuildHere as error:
        if own and not rooted:
            return own
        reason = why or f"{own.version if own else ''} of this machine is not seen in its root"
        raise CannotCount(f"{reason}; and no newer one could be had: {error}") from None


def from_root(root: Path, launcher: Launcher, env: Mapping[str, str]) -> Valgrind:
    """Debian's Valgrind, from the files of its root. CannotBuildHere when it does not start."""
    words, own = tool_words(root, "callgrind")
    try:
        said = launcher.run([*words, "--version"], env={**env, **own}, timeout=30).stdout.strip()
    except OSError as error:
        raise CannotBuildHere(f"Valgrind in {root} does not start: {error}") from None
    if version_of(said) == (0, 0):
        raise CannotBuildHere(f"Valgrind in {root} does not start")
    return Valgrind(said, {"callgrind": tuple(words)}, own)
