"""Compilers that are installed on this machine: ``path:gcc-12``, ``path:/opt/llvm/bin/clang``."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from whyfast.model.errors import CannotBuildHere, UserError
from whyfast.model.toolchain import Toolchain
from whyfast.store.home import Home
from whyfast.toolchain.probe import features
from whyfast.toolchain.provider import Cost, Progress

_COMPILER = re.compile(r"^(gcc|clang)(-\d+(\.\d+)?)?$")


class PathProvider:
    """Whatever the user has on ``PATH``."""

    def names(self) -> list[str]:
        """Every gcc and clang on PATH, by the name it is called."""
        found: set[str] = set()
        for folder in os.get_exec_path():
            try:
                found.update(n for n in os.listdir(folder) if _COMPILER.match(n))
            except OSError:
                continue
        return sorted(found)

    def installed(self, name: str, home: Home, packages: Sequence[str] = ()) -> bool:
        return shutil.which(name) is not None

    def cost(self, name: str, packages: Sequence[str] = ()) -> Cost:
        return Cost()

    def size(self, name: str, home: Home) -> int:
        return 0

    def remove(self, name: str, home: Home) -> None:
        raise UserError(f"path:{name} belongs to the system; whyfast has nothing to remove")

    def resolve(
        self, name: str, home: Home, progress: Progress, packages: Sequence[str] = ()
    ) -> Toolchain:
        """The compiler as found; its digest is over the programs that do the work."""
        compiler = shutil.which(name)
        if compiler is None:
            here = ", ".join(self.names()) or "none"
            raise CannotBuildHere(f"{name} is not installed (on PATH here: {here})")
        compiler = os.path.abspath(compiler)  # steps run in another folder
        version = first_line([compiler, "--version"])
        target = first_line([compiler, "-dumpmachine"])
        if not version:
            raise CannotBuildHere(f"{compiler} --version says nothing: is it a compiler?")
        digest = _digest(compiler, version)
        env = dict(os.environ)
        return Toolchain(
            name=f"path:{name}",
            provider="path",
            version=short_version(version),
            target=target or "unknown",
            digest=digest,
            cc=(compiler,),
            features=features((compiler,), env, digest, home.cache / "probes"),
        )


def first_line(argv: list[str], env: dict[str, str] | None = None) -> str:
    """The first line that a program prints; empty when it cannot be run."""
    try:
        done = subprocess.run(
            argv,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=120,
            env=env,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.split("\n", 1)[0].strip() if done.returncode == 0 else ""


def short_version(line: str) -> str:
    """``"clang version 19.1.7 (https://…)"`` → ``"clang 19.1.7"``; gcc's likewise."""
    found = re.search(r"\d+\.\d+(\.\d+)?", line.rpartition(")")[2] or line) or re.search(
        r"\d+\.\d+(\.\d+)?", line
    )
    name = "clang" if "clang" in line else "gcc" if re.search(r"gcc|GCC|cc ", line) else line
    return f"{name} {found.group(0)}" if found else line


def _digest(compiler: str, version: str) -> str:
    """sha256 over the version and the driver, compiler proper, assembler and linker it calls."""
    total = hashlib.sha256(version.encode())
    for tool in ("", "cc1", "as", "ld"):
        path = first_line([compiler, f"-print-prog-name={tool}"]) if tool else compiler
        found = shutil.which(path) if path else None
        if found is None:
            continue
        with Path(found).resolve().open("rb") as file:
            total.update(hashlib.file_digest(file, "sha256").digest())
    return total.hexdigest()
