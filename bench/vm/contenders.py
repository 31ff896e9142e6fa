"""Who is compared, each a command that takes turns: a loop is one execution of one program.

All do the same work in a loop: put the memory back to zeros, set up what a run needs, run. Loading,
verifying and compiling the program come before, and are not timed.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from bench.vm.programs import ROOT, SUBJECT, Program
from whyfast.model.build import Toolchain
from whyfast.model.errors import UserError

DRIVERS = Path(__file__).with_name("drivers")
INCLUDE = ROOT / "src" / "whyfast" / "turns" / "include"
OPTIMISATION = "-O2"

#: Features that a form needs of its compiler.
FORMS: Mapping[str, frozenset[str]] = {
    "switch": frozenset(),
    "goto": frozenset({"computed-goto"}),
    "tail": frozenset({"musttail"}),
    "pinned": frozenset({"musttail", "preserve_none"}),
}


@dataclass(frozen=True)
class Contender:
    """``command`` makes the words that run a program in turns."""

    name: str
    about: str
    command: Callable[[Program], Sequence[str]]


def compile_c(toolchain: Toolchain, output: Path, *arguments: str) -> Path:
    """UserError with the compiler's last line when it fails."""
    words = [*toolchain.cc, OPTIMISATION, "-std=c11", f"-I{INCLUDE}", "-o", str(output)]
    process = subprocess.run(
        [*words, *arguments],
        env=dict(toolchain.env) or None,
        capture_output=True,
        text=True,
        check=False,
    )
    if process.returncode != 0:
        said = process.stderr.strip().splitlines() or ["it says nothing"]
        raise UserError(f"{output.name} cannot be built: {said[-1]}")
    return output


def own(form: str, toolchain: Toolchain, folder: Path) -> Contender:
    """``subjects/ebpf-vm`` in one form; UserError where the compiler lacks what it needs."""
    missing = FORMS[form] - toolchain.features
    if missing:
        raise UserError(f"{form}: {toolchain.version} has no {', '.join(sorted(missing))}")
    sources = map(str, sorted(SUBJECT.glob("*.c")))
    vm = compile_c(toolchain, folder / form, f"-DVM_DISPATCH_{form.upper()}", *sources)

    def command(program: Program) -> Sequence[str]:
        return [str(vm), "turn", str(program.bytecode), "--mem-size", str(program.memory)]

    return Contender(form, f"{toolchain.version} {OPTIMISATION}", command)


def native(toolchain: Toolchain, programs: Sequence[Program], folder: Path) -> Contender:
    """The same sources as machine code: nothing is checked."""

    driver = compile_c(toolchain, folder / "native.o", "-c", str(DRIVERS / "native.c"))

    def path(program: Program) -> Path:
        return folder / f"native-{program.name}"

    def build(program: Program) -> None:
        part = path(program).with_suffix(".o")
        words = ["-c", "-include", str(program.source), f"-DPROGRAM={program.name}"]
        compile_c(toolchain, part, *words, str(DRIVERS / "native_program.c"))
        compile_c(toolchain, path(program), str(part), str(driver))

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(build, programs))

    def command(program: Program) -> Sequence[str]:
        return [str(path(program)), "-", str(program.memory)]

    return Contender("native", f"{toolchain.version} {OPTIMISATION}", command)


def find_one(folder: Path, name: str, what: str) -> Path:
    """The only file of that name under ``folder``; UserError when there is none, or several."""
    found = sorted(folder.rglob(name))
    if len(found) != 1:
        raise UserError(
            f"--ubpf {folder}: expected one {name} below it, {what}, found {len(found)}"
        )
    return found[0]


def ubpf(name: str, place: Path, toolchain: Toolchain, folder: Path) -> list[Contender]:
    """An installed uBPF, ``libubpf.a`` and its headers below ``place``: its interpreter, its JIT.

    The library is taken as it is; what it was compiled with is for whoever built it to say, in
    ``name``.
    """
    library = find_one(place, "libubpf.a", "the library")
    includes = {
        find_one(place, header, "a header").parent for header in ("ubpf.h", "ubpf_config.h")
    }
    arguments = [f"-I{include}" for include in sorted(includes)]
    driver = compile_c(
        toolchain, folder / f"ubpf-{name}", *arguments, str(DRIVERS / "ubpf.c"), str(library), "-lm"
    )

    def command(*options: str) -> Callable[[Program], Sequence[str]]:
        return lambda program: [
            str(driver),
            str(program.bytecode),
            str(program.memory),
            *options,
        ]

    return [
        Contender(f"uBPF {name}", f"its interpreter, {library}", command()),
        Contender(
            f"uBPF {name} JIT", "code that it generates, which checks nothing", command("--jit")
        ),
    ]


def rbpf(folder: Path) -> Contender:
    """rbpf from crates.io; UserError where cargo is absent or cannot build it."""
    if shutil.which("cargo") is None:
        raise UserError("there is no cargo on PATH")
    manifest = DRIVERS / "rbpf" / "Cargo.toml"
    target = folder / "rbpf"
    words = ["cargo", "build", "--quiet", "--release", "--locked"]
    process = subprocess.run(
        [*words, "--manifest-path", str(manifest), "--target-dir", str(target)],
        capture_output=True,
        text=True,
        check=False,
    )
    if process.returncode != 0:
        raise UserError(f"cargo cannot build it: {process.stderr.strip().splitlines()[-1]}")
    driver = target / "release" / "rbpf-driver"

    def command(program: Program) -> Sequence[str]:
        return [str(driver), str(program.bytecode), str(program.memory)]

    return Contender("rbpf", "0.4.1, optimised for speed and as a whole", command)
