"""Compilers that are installed here: ``path:gcc-12``, ``path:rustc``, ``path:/opt/bin/clang``."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from whyfast.model.build import Language, Toolchain
from whyfast.model.errors import CannotBuildHere, UserError
from whyfast.store.files import sha256_of
from whyfast.store.home import Home
from whyfast.toolchain import Cost, Progress, first_line, run

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
    one. ``files`` do the work beside it, ``readable`` are the folders that a build has to see,
    ``env`` the variables that it needs."""

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
    # The compilers proper, assembler and linker that a driver of C and C++ calls.
    tools = ("cc1", "cc1plus", "as", "ld") if language == "c++" else ("cc1", "as", "ld")
    paths = [first_line([program, f"-print-prog-name={tool}"]) for tool in tools]
    return Installed(program, version, target, tuple(Path(path) for path in paths if path))


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
    answer = first_line([program, "-c", asked]).split("\t")
    if len(answer) != 3:
        return Installed(program, "", "")
    version = first_line([program, "--version"])
    real = Path(answer[0]).resolve()
    folders = tuple(dict.fromkeys(Path(p) for p in answer[1:]))
    return Installed(answer[0], version, "", (real,), folders)


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


# What a compiler can do shows when it compiles small programs.

#: Seconds that one probe may take; a compiler's first run may fill caches of its own.
TIMEOUT = 120.0

# Unknown attributes are only warnings by default, hence -Werror.
_PROBES = {
    "computed-goto": """
        int probe(int n) { static void *table[] = {&&zero, &&one};
          goto *table[n & 1]; zero: return 0; one: return 1; }
    """,
    "musttail": """
        int other(int n);
        int probe(int n) { __attribute__((musttail)) return other(n); }
    """,
    "preserve_none": """
        __attribute__((preserve_none)) int other(int n);
        int probe(int n) { return other(n); }
    """,
}

_TRIVIAL = "int probe(void) { return 0; }"


#: The words before a command that may write in a folder, for compilers that live in a root.
Enter = Callable[[Path], Sequence[str]]


def _outside(folder: Path) -> Sequence[str]:
    return ()


def compiles(
    cc: Sequence[str], env: Mapping[str, str], code: str, enter: Enter = _outside
) -> tuple[bool, str]:
    """Whether ``cc`` makes an object of the C code without any warning, and what it said.
    CannotBuildHere when it could not say either: not started, not ended in time, or killed."""
    with tempfile.TemporaryDirectory(prefix="whyfast-probe-") as folder:
        source = Path(folder, "probe.c")
        source.write_text(code)
        try:
            words = [*cc, "-O2", "-Werror", "-c", str(source), "-o", str(source.with_suffix(".o"))]
            done = run([*enter(Path(folder)), *words], timeout=TIMEOUT, env=env)
        except (OSError, subprocess.TimeoutExpired) as error:
            raise CannotBuildHere(f"{cc[0]} cannot be tested: {error}") from error
    if done.returncode in (-signal.SIGKILL, 128 + signal.SIGKILL):  # for want of memory, say
        raise CannotBuildHere(f"{cc[0]} was killed while it was tested")
    return done.returncode == 0, done.stderr.strip()


def features(
    cc: Sequence[str], env: Mapping[str, str], digest: str, cache: Path, enter: Enter = _outside
) -> frozenset[str]:
    """The features that ``cc`` has; remembered in ``cache`` under the toolchain's digest. Raises
    :class:`CannotBuildHere` when it cannot even compile a trivial program."""
    # The probes themselves are part of the name: new probes, new answer.
    probes = hashlib.sha256(json.dumps(_PROBES).encode()).hexdigest()[:8]
    memory = cache / f"{digest[:32]}-{probes}.json"
    try:
        return frozenset(json.loads(memory.read_text()))
    except (OSError, ValueError):
        pass
    works, message = compiles(cc, env, _TRIVIAL, enter)
    if not works:
        raise CannotBuildHere(
            f"{' '.join(cc[:2])} cannot compile a trivial program: {message[-300:]}"
        )
    names = sorted(name for name, code in _PROBES.items() if compiles(cc, env, code, enter)[0])
    cache.mkdir(parents=True, exist_ok=True)
    memory.write_text(json.dumps(names))
    return frozenset(names)


_COMPILER = re.compile(r"^((gcc|g\+\+|clang|clang\+\+)(-\d+(\.\d+)?)?|rustc|cargo|go|python3)$")


class PathProvider:
    """Whatever the user has on ``PATH``."""

    def names(self) -> list[str]:
        """Every compiler of C, C++, Rust and Go on PATH, by the name it is called."""
        compilers: set[str] = set()
        for folder in os.get_exec_path():
            try:
                compilers.update(n for n in os.listdir(folder) if _COMPILER.match(n))
            except OSError:
                continue
        return sorted(compilers)

    def installed(self, name: str, home: Home, packages: Sequence[str] = ()) -> bool:
        return shutil.which(name) is not None

    def cost(self, name: str, packages: Sequence[str] = ()) -> Cost:
        return Cost()

    def size(self, name: str, home: Home) -> int:
        return 0

    def remove(self, name: str, home: Home) -> None:
        raise UserError(f"path:{name} belongs to the system; whyfast did not install it")

    def resolve(
        self, name: str, home: Home, progress: Progress, packages: Sequence[str] = ()
    ) -> Toolchain:
        """The compiler as found; its digest is over the programs that do the work."""
        compiler = shutil.which(name)
        if compiler is None:
            here = ", ".join(self.names()) or "none"
            raise CannotBuildHere(f"{name} is not installed; on PATH: {here}")
        compiler = os.path.abspath(compiler)  # steps run in another folder
        language = language_of(name)
        details = ask(language, compiler, first_line)
        if not details.version:
            raise CannotBuildHere(f"{compiler} --version printed nothing; not a compiler?")
        digest = _digest(details)
        cc, probes = (details.program,), home.cache / "probes"
        usable: frozenset[str] = frozenset()
        if language in ("c", "c++", ""):
            try:
                usable = features(cc, dict(os.environ), digest, probes)
                language = language or "c"
            except CannotBuildHere:
                if language:
                    raise
                # Of a name that says nothing: a compiler of some other language.
        env = dict(details.env)
        writable: tuple[Path, ...] = ()
        if language == "go":
            # Its standard library is compiled once and not for every build; entries go by content.
            writable = (home.cache / "go" / digest[:12],)
            writable[0].mkdir(parents=True, exist_ok=True)
            env["GOCACHE"] = str(writable[0])
        return Toolchain(
            name=f"path:{name}",
            provider="path",
            version=short_version(details.version),
            target=details.target or "unknown",
            digest=digest,
            cc=cc,
            features=usable,
            env=env,
            readable=details.readable,
            writable=writable,
            language=language,
        )


def short_version(line: str) -> str:
    """``"clang version 19.1.7 (https://…)"`` → ``"clang 19.1.7"``; others' likewise."""
    match = re.search(r"\d+\.\d+(\.\d+)?", line.rpartition(")")[2] or line) or re.search(
        r"\d+\.\d+(\.\d+)?", line
    )
    if not match:
        return line
    known = re.search(r"clang|g\+\+|gcc|GCC|(?<!\w)cc (?=\()", line)
    name = known[0].lower().removesuffix(" ") if known else re.split(r"[\s\d]", line.strip())[0]
    return f"{'gcc' if name in ('cc', 'g++') else name} {match.group(0)}"


def _digest(compiler: Installed) -> str:
    """sha256 over the version, the program, and the files that do the work for it."""
    total = hashlib.sha256(compiler.version.encode())
    for path in (Path(compiler.program), *compiler.files):
        # The linker is often said by its name alone.
        place = shutil.which(path) or (str(path) if path.is_file() else None)
        if place is None:
            continue
        total.update(bytes.fromhex(sha256_of(Path(place))))
    return total.hexdigest()
