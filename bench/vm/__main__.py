"""``make bench-vm``: the interpreter in ``subjects/ebpf-vm`` beside others of the same bytecode.

    python -m bench.vm [--ubpf [NAME=]FOLDER]... [--blocks 15]

Of each program of both sets one execution is timed, in interleaved turns; loading and verifying
come before. FOLDER is an installed uBPF: libubpf.a and its headers. Without it there is none, and
rbpf is left out where there is no cargo. The first uBPF counts: give its strongest build first.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from bench.vm.contenders import FORMS, Contender, native, own, rbpf, ubpf
from bench.vm.measuring import Effort, measure, refusal
from bench.vm.programs import FOLDERS, Program, programs
from bench.vm.table import Row, row_table, summary
from whyfast.model.build import Toolchain
from whyfast.model.errors import CannotBuildHere, UserError
from whyfast.store.home import home
from whyfast.toolchain.registry import resolve

LIMITS = """\
While running, ours checks every access to memory against its region, counts instructions at taken
jumps, and allows 8 frames of 512 bytes. uBPF's interpreter checks every access to memory and allows
8 frames; its limit of instructions is off, as is its default. rbpf checks every access to memory,
has 512 bytes for all frames, and no limit. uBPF's JIT and native code check nothing."""


def arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m bench.vm",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--toolchain", default="zig:clang-20", help="default zig:clang-20")
    parser.add_argument("--form", choices=list(FORMS), default="pinned", help="default pinned")
    parser.add_argument(
        "--ubpf",
        metavar="[NAME=]FOLDER",
        action="append",
        default=[],
        help="an installed uBPF, NAME saying what built it; may be repeated",
    )
    parser.add_argument("--no-rbpf", action="store_true", help="leave out rbpf")
    parser.add_argument("--programs", nargs="+", metavar="NAME", help="only some of them")
    parser.add_argument("--blocks", type=int, default=15, help="of a program; default 15")
    parser.add_argument("--turns", type=int, default=15, help="of a block; default 15")
    parser.add_argument("--seed", type=int, default=1, help="of the orders; default 1")
    return parser.parse_args(argv)


def at_least(value: int, least: int, option: str) -> int:
    if value < least:
        raise UserError(f"{option} {value}: expected at least {least}")
    return value


def chosen(names: Sequence[str] | None) -> dict[str, list[Program]]:
    """The programs of each set, or those of the given names; UserError for an unknown one."""
    sets = {kind: programs(kind) for kind in FOLDERS}
    known = {program.name for each in sets.values() for program in each}
    unknown = sorted(set(names or ()) - known)
    if unknown:
        raise UserError(f"--programs {unknown[0]}: there are {', '.join(sorted(known))}")
    kept = {
        kind: [program for program in each if not names or program.name in names]
        for kind, each in sets.items()
    }
    return {kind: each for kind, each in kept.items() if each}


def ubpf_asked(text: str) -> tuple[str, Path]:
    """``NAME=FOLDER``, or a folder that is named by its last part."""
    name, equals, folder = text.rpartition("=")
    path = Path(folder)
    if not path.is_dir():
        raise UserError(f"--ubpf {text}: there is no folder {folder}")
    return (name if equals else path.resolve().name), path


def contenders(
    args: argparse.Namespace, toolchain: Toolchain, every: Sequence[Program], folder: Path
) -> Iterator[Contender]:
    """Ours first. Who is left out is named with the reason."""
    yield own(args.form, toolchain, folder)
    asked = [ubpf_asked(text) for text in args.ubpf]
    both = [ubpf(name, path, toolchain, folder) for name, path in asked]
    for interpreter, _ in both:
        yield interpreter
    if not both:
        print("uBPF: left out; give an installed one as --ubpf FOLDER")
    if not args.no_rbpf:
        try:
            yield rbpf(folder)
        except UserError as error:
            print(f"rbpf: left out; {error}")
    for _, jit in both[:1]:
        yield jit
    yield native(toolchain, every, folder)


def able(those: Sequence[Contender], program: Program) -> list[Contender]:
    """Those that return its result; the others are named. UserError if ours is one."""
    kept = []
    for contender in those:
        reason = refusal(contender, program)
        if not reason:
            kept.append(contender)
        elif contender is those[0]:
            raise UserError(f"{program.name}: {contender.name}: {reason}")
        else:
            print(f"{program.name}: without {contender.name}: {reason}")
    return kept


def compare(
    sets: Mapping[str, Sequence[Program]], those: Sequence[Contender], effort: Effort, seed: int
) -> dict[str, list[Row]]:
    """Set by set, each printed as it is done."""
    rng = random.Random(seed)
    rows: dict[str, list[Row]] = {}
    for kind, each in sets.items():
        rows[kind] = [measure(able(those, program), program, effort, rng) for program in each]
        print(f"\n{kind}: time over that of {those[0].name}\n")
        print(row_table(rows[kind], [each.name for each in those[1:]]), flush=True)
    return rows


def run(args: argparse.Namespace) -> None:
    effort = Effort(at_least(args.blocks, 2, "--blocks"), at_least(args.turns, 1, "--turns"))
    sets = chosen(args.programs)
    toolchain = resolve(args.toolchain, home(), print)
    with tempfile.TemporaryDirectory() as temporary:
        every = [program for each in sets.values() for program in each]
        those = list(contenders(args, toolchain, every, Path(temporary)))
        for contender in those:
            print(f"{contender.name}: {contender.about}")
        print(LIMITS, flush=True)
        rows = compare(sets, those, effort, args.seed)
    print(f"\nTime over that of {those[0].name}: above 1, ours is so many times as fast\n")
    print(summary(rows, [each.name for each in those[1:]]))


def main(argv: Sequence[str] | None = None) -> int:
    """0; 2 with one line on stderr for what cannot be built or was asked wrongly."""
    try:
        run(arguments(argv))
    except (UserError, CannotBuildHere) as error:
        print(f"bench.vm: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
