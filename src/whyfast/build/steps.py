"""The steps of a build: as shell lines, in the sandbox of their toolchain, and under way."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import threading
from collections.abc import Sequence
from pathlib import Path

from whyfast.build.recipe import Recipe
from whyfast.model.toolchain import Language
from whyfast.store.builds import BuildStore
from whyfast.study.placeholders import substitute
from whyfast.toolchain.sandbox import Box, around_steps, surroundings
from whyfast.toolchain.watcher import WATCHER


def expand_steps(recipe: Recipe, folder: Path, jobs: int) -> list[str]:
    """The shell lines as run in ``folder``, all placeholders replaced and quoted."""
    mapping = {**_mapping(recipe, folder, jobs), "layout": ""}
    return [substitute(step, mapping) for step in recipe.steps]


def expand_link(recipe: Recipe, folder: Path, layout: str, program: str) -> str:
    """The link step of another layout; ``layout`` and ``program`` are put in as they are."""
    assert recipe.link is not None
    mapping = {**_mapping(recipe, folder, 1), "layout": layout, "program": program}
    return substitute(recipe.link, mapping)


def _mapping(recipe: Recipe, folder: Path, jobs: int) -> dict[str, str]:
    """What stands for each placeholder.

    The folder's name is kept out of debug information, so that equal inputs make equal bytes."""
    python = recipe.interpreter
    return {
        "python": shlex.quote(str(python.program)) if python else "",
        "python_cflags": shlex.join(python.cflags) if python else "",
        "cc": shlex.join(recipe.toolchain.cc),
        "cflags": shlex.join(
            [*recipe.inputs["cflags"], *without_folder(folder, recipe.toolchain.language)]
        ),
        "ldflags": shlex.join(recipe.inputs["ldflags"]),
        "configure": shlex.join(recipe.inputs["configure"]),
        "source": "src",
        "include": "include",
        "jobs": str(jobs),
        "program": shlex.quote(recipe.program),
    }


def without_folder(folder: Path, language: Language = "c") -> list[str]:
    """The compiler's flag that keeps the name of ``folder`` out of the program; none where the
    language has no such."""
    flags = {
        "c": f"-ffile-prefix-map={folder}=/whyfast",
        "c++": f"-ffile-prefix-map={folder}=/whyfast",
        "rust": f"--remap-path-prefix={folder}=/whyfast",
        "cargo": f"--remap-path-prefix={folder}=/whyfast",
        "go": "-trimpath",
    }
    return [flags[language]] if language in flags else []


def environment(recipe: Recipe, folder: Path) -> dict[str, str]:
    """The whole environment of a step."""
    return {**recipe.env, "HOME": str(folder / "work"), "TMPDIR": str(folder / "tmp")}


def enclose(recipe: Recipe, folder: Path, store: BuildStore) -> tuple[list[str], str]:
    """The words before ``sh -euc STEP``, and the sandbox in words, for the provenance.

    The step may write in ``tmp`` and ``work`` of ``folder``, where it starts. It sees the rest,
    which we write: through a link of its making, that could be anywhere. Beside ``store`` are
    kept the tables of mounts that sandboxes are made from.
    CannotBuildHere when the toolchain has a root that cannot be entered here.
    """
    toolchain = recipe.toolchain
    readable = toolchain.readable
    if toolchain.root is None:
        readable += surroundings(toolchain.cc[0], recipe.env)
    if recipe.interpreter:
        # A step cannot run what lives in another root, nor needs what that sees.
        python = recipe.interpreter.readable if recipe.interpreter.root is None else ()
        readable += (*recipe.interpreter.headers, *python)
    own = (folder / "tmp", folder / "work")
    own[0].mkdir(parents=True, exist_ok=True)
    box = Box(toolchain.root, (*toolchain.writable, *own), (*readable, folder), start=own[1])
    return around_steps(box, store.root.parent / "sandbox")


class Steps:
    """The steps under way in all threads, so that they can be ended together."""

    def __init__(self) -> None:
        self.cancelled = threading.Event()
        self._lock = threading.Lock()
        self._running: set[int] = set()

    def run(
        self, step: str, work: Path, env: dict[str, str], out: int, within: Sequence[str] = ()
    ) -> int:
        """Run one shell line to its end; its exit status, negative for a signal. If whyfast is
        killed meanwhile, it is killed too.

        ``within`` are the words of a sandbox, from :func:`enclose`.
        InterruptedError after :meth:`cancel`.
        """
        with self._lock:
            if self.cancelled.is_set():
                raise InterruptedError("interrupted")
            WATCHER.start()
            process = subprocess.Popen(
                [*within, "/bin/sh", "-euc", step],
                cwd=work,
                env=env,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                umask=0o022,
            )
            self._running.add(process.pid)
        # Reaped only under the lock: until then its number can mean no other process.
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        with self._lock:
            self._running.discard(process.pid)
            return process.wait()

    def cancel(self, number: signal.Signals = signal.SIGKILL) -> None:
        """End the process groups of all steps by that signal; no further one starts."""
        with self._lock:
            self.cancelled.set()
            for pid in self._running:
                os.killpg(pid, number)
