"""What a compiler is called tells which language it compiles, and how to ask it about itself."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from whyfast.model.toolchain import Language

#: Runs a program and returns the first line that it prints; empty when it cannot be run.
Ask = Callable[[Sequence[str]], str]

#: The names under which compilers are found: with or without a version behind.
_NAMES: tuple[tuple[re.Pattern[str], Language], ...] = (
    (re.compile(r"(.*-)?(g\+\+|clang\+\+|c\+\+|icpx)(-\d[\d.]*)?"), "c++"),
    (re.compile(r"rustc"), "rust"),
    (re.compile(r"cargo"), "cargo"),
    (re.compile(r"go|go\d[\d.]*"), "go"),
    (re.compile(r"(python|pypy)\d*(\.\d+)?"), "python"),
    (re.compile(r"(.*-)?(gcc|clang|cc|tcc|icx)(-\d[\d.]*)?"), "c"),
)


@dataclass(frozen=True)
class Installed:
    """A compiler as installed. ``program`` is what runs: behind the proxies of rustup, the real
    one. ``files`` are those that do the work beside it, ``readable`` the folders that a build has
    to see, ``env`` what it has to be told."""

    program: str
    version: str
    target: str
    files: tuple[Path, ...] = ()
    readable: tuple[Path, ...] = ()
    env: tuple[tuple[str, str], ...] = ()


def language_of(name: str) -> Language:
    """The language of a compiler by its name or path; "" for one that is not known."""
    base = os.path.basename(name)
    return next((language for names, language in _NAMES if names.fullmatch(base)), "")


def ask(language: Language, program: str, first_line: Ask) -> Installed:
    """What ``program`` says of itself; its version is empty when it says nothing."""
    if language in ("rust", "cargo"):
        return _rust(language, program, first_line)
    if language == "go":
        return _go(program, first_line)
    if language == "python":
        return _python(program, first_line)
    version = first_line([program, "--version"])
    target = first_line([program, "-dumpmachine"])
    return Installed(program, version, target, _parts(program, first_line))


def _parts(program: str, first_line: Ask) -> tuple[Path, ...]:
    """The compilers proper, assembler and linker that a driver of C and C++ calls."""
    names = ("cc1", "cc1plus", "as", "ld") if language_of(program) == "c++" else ("cc1", "as", "ld")
    found = [first_line([program, f"-print-prog-name={tool}"]) for tool in names]
    return tuple(Path(path) for path in found if path)


def _rust(language: Language, program: str, first_line: Ask) -> Installed:
    """The compiler lives in a sysroot; what is on PATH is often rustup's proxy for it."""
    rustc = program if language == "rust" else str(Path(program).parent / "rustc")
    sysroot = first_line([rustc, "--print", "sysroot"])
    if not sysroot:
        return Installed(program, "", "")
    tools = Path(sysroot, "bin")
    real, compiler = tools / os.path.basename(program), tools / "rustc"
    version = first_line([str(real), "--version"])
    libraries = sorted(Path(sysroot, "lib").glob("*rustc_driver*"))
    target = first_line([str(compiler), "--print", "host-tuple"])
    env = (("RUSTC", str(compiler)),) if language == "cargo" else ()
    return Installed(str(real), version, target, (compiler, *libraries), (Path(sysroot),), env)


def _python(program: str, first_line: Ask) -> Installed:
    """What is on PATH is often pyenv's proxy; a virtual environment needs what it was made from."""
    asked = "import sys; print(sys.executable, sys.prefix, sys.base_prefix, sep='\\t')"
    said = first_line([program, "-c", asked]).split("\t")
    if len(said) != 3:
        return Installed(program, "", "")
    version = first_line([program, "--version"])
    real = Path(said[0]).resolve()
    folders = tuple(dict.fromkeys(Path(p) for p in said[1:]))
    return Installed(said[0], version, "", (real,), folders)


def _go(program: str, first_line: Ask) -> Installed:
    root = first_line([program, "env", "GOROOT"])
    if not root:
        return Installed(program, "", "")
    system, machine = (first_line([program, "env", key]) for key in ("GOOS", "GOARCH"))
    tools = Path(root, "pkg", "tool", f"{system}_{machine}")
    return Installed(
        str(Path(root, "bin", "go")),
        first_line([program, "version"]).removeprefix("go version "),
        f"{machine}-{system}",
        (tools / "compile", tools / "link", tools / "asm"),
        (Path(root),),
        # Or it would fetch the compiler that a module asks for.
        (("GOTOOLCHAIN", "local"), ("GOFLAGS", "-mod=mod")),
    )
