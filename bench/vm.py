"""The forms of subjects/ebpf-vm against each other, and against other interpreters of eBPF.

``python -m bench.vm`` builds each form with one compiler and compares them in interleaved turns.
With ``--ubpf PATH`` (ubpf_plugin of https://github.com/iovisor/ubpf) or ``--rbpf PATH``
(rbpf_plugin of https://github.com/qmonnet/rbpf) it also compares whole runs of the fastest form
with those. Both are driven by the protocol of bpf_conformance, as ebpf-vm is. Their runs repeat
the program until starting a process no longer counts.
"""

from __future__ import annotations

import argparse
import math
import shlex
import struct
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from whyfast.cli.arguments import duration
from whyfast.investigate.ab_run import Command, Options, run_ab
from whyfast.investigate.events import Silent
from whyfast.model.errors import CannotBuildHere, UserError
from whyfast.model.toolchain import Toolchain
from whyfast.model.verdict import Verdict
from whyfast.store.home import home
from whyfast.toolchain.registry import resolve

ROOT = Path(__file__).resolve().parents[1]
SUBJECT = ROOT / "subjects" / "ebpf-vm"
INCLUDE = ROOT / "src" / "whyfast" / "turns" / "include"

#: Features that a form needs of its compiler.
FORMS: Mapping[str, frozenset[str]] = {
    "switch": frozenset(),
    "goto": frozenset({"computed-goto"}),
    "tail": frozenset({"musttail"}),
    "pinned": frozenset({"musttail", "preserve_none"}),
}

#: Bytes of memory that each program is given.
PROGRAMS: Mapping[str, int] = {
    "collatz": 0,
    "scanner": 0,
    "sieve": 4096,
    "fnv1a": 4096,
    "murmur3": 2048,
    "shellsort": 2048,
    "xxh64": 16384,
    "lanes": 0,
}

#: Instructions of a whole run: enough that starting a process takes a small part of it.
INSTRUCTIONS_OF_A_RUN = 20_000_000

#: How much more of the budget whole runs get than turns.
BUDGET_OF_WHOLE_RUNS = 3


@dataclass(frozen=True)
class Other:
    """An interpreter by others: its command line takes the memory after the first word."""

    name: str
    path: Path
    options: tuple[str, ...] = ()

    def line(self, memory: str) -> str:
        return shlex.join([str(self.path), *([memory] if memory else []), *self.options])


def build(form: str, toolchain: Toolchain, folder: Path) -> Path:
    output = folder / f"ebpf-vm-{form}"
    command = [*toolchain.cc, "-O2", "-std=c11", f"-DVM_DISPATCH_{form.upper()}", f"-I{INCLUDE}"]
    command += ["-o", str(output), *map(str, sorted(SUBJECT.glob("*.c")))]
    subprocess.run(command, check=True, env=dict(toolchain.env) or None)
    return output


def bytecode(program: str) -> bytes:
    lines = (SUBJECT / "programs" / f"{program}.hex").read_text().splitlines()
    return bytes.fromhex(" ".join(line.partition("#")[0] for line in lines))


def insn(code: int, dst: int = 0, src: int = 0, off: int = 0, imm: int = 0) -> bytes:
    return struct.pack("<BBhi", code, dst | src << 4, off, imm)


def repeated(program: bytes, times: int, memory: int) -> bytes:
    """A program that calls ``program`` as a function, each time with the same arguments.

    Not every interpreter gives the length of the memory in r2.
    """
    return (
        insn(0xB7, 6, imm=times)
        + insn(0xBF, 7, 1)
        + insn(0xBF, 1, 7)
        + insn(0xB7, 2, imm=memory)
        + insn(0x85, src=1, imm=3)  # the program, behind the exit
        + insn(0x07, 6, imm=-1)
        + insn(0x55, 6, off=-5)
        + insn(0x95)
        + program
    )


def executed(vm: Path, program: str, memory: int) -> int:
    path = SUBJECT / "programs" / f"{program}.hex"
    command = [str(vm), "run", str(path), "--mem-size", str(memory), "--count"]
    process = subprocess.run(command, capture_output=True, text=True, check=True)
    return int(process.stderr.split()[0])


def answer(line: str, stdin: Path) -> int:
    """r0, as a plugin prints it."""
    with stdin.open() as file:
        process = subprocess.run(
            shlex.split(line), stdin=file, capture_output=True, text=True, check=False
        )
    if process.returncode != 0 or not process.stdout.strip():
        raise UserError(f"{line[:80]} failed: {process.stderr.strip() or 'it says nothing'}")
    return int(process.stdout, 16)


def compare(commands: Sequence[Command], options: Options) -> list[Verdict]:
    """Against the first command."""
    result = run_ab(commands, options, home(), Silent())
    return [
        v for v in result.judged.verdicts if v.metric == "time" and v.variant != commands[0].name
    ]


def interval(verdict: Verdict) -> str:
    if not math.isfinite(verdict.high):
        return "[too few runs]"
    return f"[{verdict.low:.3f}, {verdict.high:.3f}]"


def show(program: str, verdicts: Sequence[Verdict]) -> None:
    cells = [f"{v.variant} {v.ratio:.3f} {interval(v)}" for v in verdicts]
    print(f"  {program:<10} {'   '.join(cells)}", flush=True)


def summarise(rows: Sequence[Sequence[Verdict]]) -> None:
    names = [v.variant for v in rows[0]]
    means = {
        name: math.exp(
            sum(math.log(v.ratio) for row in rows for v in row if v.variant == name) / len(rows)
        )
        for name in names
    }
    cells = [
        f"{name} {mean:.3f} ({mean:.2f}x slower)"
        if mean > 1
        else f"{name} {mean:.3f} ({1 / mean:.2f}x faster)"
        for name, mean in means.items()
    ]
    print(f"  {'geo. mean':<10} {'   '.join(cells)}")


def compare_forms(vms: Mapping[str, Path], programs: Sequence[str], options: Options) -> None:
    first = next(iter(vms))
    print(f"time over that of {first}, in interleaved turns:")
    rows = []
    for program in programs:
        path = SUBJECT / "programs" / f"{program}.hex"
        commands = [
            Command(
                form,
                shlex.join([str(vm), "turn", str(path), "--mem-size", str(PROGRAMS[program])]),
            )
            for form, vm in vms.items()
        ]
        rows.append(compare(commands, options))
        show(program, rows[-1])
    if rows:
        summarise(rows)


def compare_others(
    form: str,
    vm: Path,
    others: Sequence[Other],
    programs: Sequence[str],
    folder: Path,
    options: Options,
) -> None:
    print(f"time over that of {form}, in whole runs:")
    ours = Other(form, vm.with_name("ebpf-vm-plugin"))
    ours.path.unlink(missing_ok=True)
    ours.path.symlink_to(vm)
    options = replace(options, budget=BUDGET_OF_WHOLE_RUNS * options.budget)
    rows = []
    for program in programs:
        size = PROGRAMS[program]
        times = max(1, INSTRUCTIONS_OF_A_RUN // executed(vm, program, size))
        stdin = folder / f"{program}.stdin"
        stdin.write_text(repeated(bytecode(program), times, size).hex(" ") + "\n")
        memory = bytes(size).hex(" ")
        commands = [Command(o.name, o.line(memory)) for o in (ours, *others)]
        answers = {c.name: answer(c.line, stdin) for c in commands}
        if len(set(answers.values())) > 1:
            raise UserError(f"{program}: the interpreters disagree: {answers}")
        rows.append(compare(commands, replace(options, stdin=str(stdin))))
        show(program, rows[-1])
    if rows:
        summarise(rows)


def arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.vm", description=__doc__)
    parser.add_argument("--toolchain", default="zig:clang-20", help="default zig:clang-20")
    parser.add_argument("--forms", nargs="+", choices=list(FORMS), default=list(FORMS))
    parser.add_argument("--programs", nargs="+", choices=list(PROGRAMS), default=list(PROGRAMS))
    parser.add_argument("--budget", default="10s", help="for each comparison; default 10s")
    parser.add_argument("--ubpf", metavar="PATH", type=Path, help="ubpf_plugin")
    parser.add_argument("--rbpf", metavar="PATH", type=Path, help="rbpf_plugin")
    parser.add_argument("--only-others", action="store_true", help="leave out turns of the forms")
    return parser.parse_args(argv)


def others_asked(args: argparse.Namespace) -> list[Other]:
    asked = {"ubpf": (args.ubpf, ("--interpret",)), "rbpf": (args.rbpf, ())}
    found = []
    for name, (path, options) in asked.items():
        if path is None:
            print(f"{name}: absent; give its plugin as --{name} PATH to compare with it")
        elif not path.is_file():
            raise UserError(f"--{name} {path}: there is no such file")
        else:
            found.append(Other(name, path.resolve(), options))
    return found


def run(args: argparse.Namespace) -> None:
    options = Options(budget=duration(args.budget, f"--budget {args.budget}"))
    others = others_asked(args)
    toolchain = resolve(args.toolchain, home(), print)
    print(f"compiler: {toolchain.version}")
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        vms = {}
        for form in args.forms:
            missing = FORMS[form] - toolchain.features
            if missing:
                print(f"{form}: left out, the compiler has no {', '.join(sorted(missing))}")
            else:
                vms[form] = build(form, toolchain, folder)
        if not vms:
            raise UserError("none of the forms can be built")
        if len(vms) > 1 and not args.only_others:
            compare_forms(vms, args.programs, options)
        if others:
            form = list(vms)[-1]
            compare_others(form, vms[form], others, args.programs, folder, options)


def main(argv: Sequence[str] | None = None) -> int:
    try:
        run(arguments(argv))
    except (UserError, CannotBuildHere) as error:
        print(f"bench.vm: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
