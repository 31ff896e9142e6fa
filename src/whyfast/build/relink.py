"""A finished build linked again in other layouts, kept beside it in the store.

A layout is the same objects with their code elsewhere in memory, drawn from a seed: the order of
all pieces (functions, or whole objects) and gaps between them, as a small script that augments the
linker's default one (INSERT: GNU ld and lld). Layout 0 is the study's own link step's."""

from __future__ import annotations

import contextlib
import hashlib
import json
import random
import shlex
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from elftools.common.exceptions import ELFError
from elftools.elf.elffile import ELFFile

from whyfast.build.pieces import Piece, find_pieces
from whyfast.build.recipe import Recipe
from whyfast.build.steps import because, expand_link, logged_steps, made_in
from whyfast.model.build import Build
from whyfast.model.errors import CannotBuildHere
from whyfast.store.builds import BuildStore
from whyfast.store.files import exclusive, sha256_of, write_whole

#: Gaps are multiples of this (bytes): functions keep the alignment that compilers give them.
STEP = 16
#: The first gap is up to a page, which moves everything over all sets of a first-level cache;
#: the gaps between pieces up to four cache lines.
FIRST_GAP = 4096
GAP = 256
#: About how many gaps a layout has, however many pieces it has: a gap behind each of ten thousand
#: functions would spread the code over half as many pages again, which no linker does.
GAPS = 256

#: The section of the program in which the drawn pieces stand.
SECTION = ".text.whyfast"


@dataclass(frozen=True)
class Layout:
    """A linker script, and the bytes that all of its gaps take together."""

    script: str
    gaps: int


def draw_layout(pieces: Sequence[Piece], seed: int, keep: Sequence[str] = ()) -> Layout:
    """One layout; equal arguments give equal text. Pieces whose section matches a pattern of
    ``keep`` stay side by side, in the order of the patterns, and are moved as a whole."""
    rng = random.Random(f"layout {seed}")
    kept = [p for p in pieces if any(fnmatchcase(p.section, k) for k in keep)]
    units = [p.statements for p in pieces if p not in kept]
    if kept:
        units.append(" ".join(f"*({pattern})" for pattern in keep))
    order = rng.sample(units, len(units))
    gaps = [rng.randrange(0, FIRST_GAP, STEP)] + [rng.randrange(0, GAP, STEP) for _ in order[1:]]
    if len(order) > GAPS:
        spare = set(rng.sample(range(1, len(order)), len(order) - GAPS))
        gaps = [0 if i in spare else gap for i, gap in enumerate(gaps)]
    lines = [f"    . = . + {gap}; {unit}" for gap, unit in zip(gaps, order, strict=True)]
    script = ["SECTIONS", "{", f"  {SECTION} : {{", *lines, "  }", "}", "INSERT BEFORE .text;", ""]
    return Layout("\n".join(script), sum(gaps))


def layout_seeds(variant: str, count: int) -> list[int]:
    """Seeds of a variant's layouts, drawn for each variant apart so that no two variants share
    their layouts; the same at every run, so that a layout is linked once."""
    return random.Random(f"layouts of {variant}").sample(range(1, 1_000_000), count)


#: Where the linker scripts of layouts are kept, beside the build folder: a step writes in that.
FOLDER = "layouts"


class CannotRelink(Exception):
    """Why a build has no other layouts."""


def relink(
    recipe: Recipe,
    build: Build,
    store: BuildStore,
    seeds: Sequence[int],
    seconds: float | None = None,
) -> list[Path]:
    """The programs of the layouts ``seeds`` of a build, made where they are missing. Raises
    :class:`CannotRelink`, also where they take longer than that many ``seconds``. What the linker
    prints is added to the build's log. Interrupted, it ends the linker."""
    folder = store.folder(build.digest)
    began = time.monotonic()
    try:
        with exclusive(store.lock(build.digest)):
            began = time.monotonic()  # another link may have held the lock
            with logged_steps(recipe, folder, store, seconds) as run_step:
                return make_layouts(recipe, folder, run_step, seeds)
    except (CannotRelink, CannotBuildHere, OSError) as error:
        late = seconds is not None and time.monotonic() - began >= seconds
        why = f"linking takes longer than {seconds:.0f} s" if late else because(error)
        raise CannotRelink(why) from error


def make_layouts(
    recipe: Recipe, folder: Path, run_step: Callable[[str], int], seeds: Sequence[int]
) -> list[Path]:
    """The programs of the layouts ``seeds``, linked where they are not there yet, in ``folder /
    "work"``, where ``run_step`` runs a shell line and returns its exit code. A layout stands beside
    the program, named by the digest of its linker script."""
    work, place = folder / "work", made_in(folder) / "work"
    program = work / recipe.program
    made = []
    for drawn in _draw(recipe, folder, seeds):
        target = program.with_name(f"{program.name}.layout-{drawn.name}")
        record = folder / FOLDER / f"{drawn.name}.sha256"
        linked = ""  # the digest that it had when it was linked, where it still has it
        with contextlib.suppress(OSError):
            linked = record.read_text() if sha256_of(target) == record.read_text() else ""
        if not linked:
            record.parent.mkdir(exist_ok=True)
            if drawn.layout is not None:
                drawn.script(folder).write_text(drawn.layout.script)
            partial = target.with_name(target.name + ".partial")
            # From the root: a makefile may link in another folder than that of the build.
            output = shlex.quote(str(partial.relative_to(work)))
            status = run_step(expand_link(recipe, place, drawn.option(folder), output))
            if status != 0 or not partial.exists():
                raise CannotRelink(f"linking layout {drawn.seed} ended with exit code {status}")
            if drawn.layout is None:
                moved = sha256_of(partial) != sha256_of(program)
            else:
                moved = placed(partial) > drawn.layout.gaps
            if not moved:
                raise CannotRelink(
                    "its linker placed none of the code as asked; the objects in the build folder "
                    "are not those that it links, or hold no machine code yet (-flto)"
                )
            record.write_text(sha256_of(partial))
            partial.replace(target)  # complete or absent
        made.append(target)
    return made


@dataclass(frozen=True)
class _Drawn:
    """A layout by the linker script, or None where the linker of Go draws it from the seed."""

    seed: int
    name: str
    layout: Layout | None

    def script(self, folder: Path) -> Path:
        return folder / FOLDER / f"{self.name}.ld"

    def option(self, folder: Path) -> str:
        """What stands for ``{layout}`` in the link step."""
        if self.layout is None:
            return f"-randlayout={self.seed}"
        return f"-Wl,-T,{shlex.quote(str(self.script(folder)))}"


def _draw(recipe: Recipe, folder: Path, seeds: Sequence[int]) -> Iterator[_Drawn]:
    if recipe.toolchain.language == "go":
        yield from (_Drawn(seed, f"seed-{seed}", None) for seed in seeds)
        return
    pieces = _pieces(folder / "work")
    if len(pieces) < 2:
        raise CannotRelink(
            "its objects have no function sections to place; compile with -ffunction-sections "
            "and keep the .o files"
        )
    for pattern in recipe.keep:
        if not any(fnmatchcase(p.section, pattern) for p in pieces):
            raise CannotRelink(f"keep: no section of its objects matches {pattern!r}")
    for seed in seeds:
        layout = draw_layout(pieces, seed, recipe.keep)
        yield _Drawn(seed, hashlib.sha256(layout.script.encode()).hexdigest()[:12], layout)


def _pieces(work: Path) -> list[Piece]:
    """The pieces of a build, found once: reading ten thousand sections takes seconds, and a
    finished build does not change."""
    kept = work.parent / FOLDER / "pieces.json"
    if kept.exists():
        return [Piece(section, tuple(files)) for section, files in json.loads(kept.read_text())]
    pieces = find_pieces(work)
    kept.parent.mkdir(exist_ok=True)
    write_whole(kept, json.dumps([[p.section, p.files] for p in pieces]))
    return pieces


def placed(program: Path) -> int:
    """Bytes of code and gaps that stand where a layout put them."""
    try:
        with program.open("rb") as file:
            section = ELFFile(file).get_section_by_name(SECTION)
            return 0 if section is None else int(section["sh_size"])
    except (ELFError, OSError):
        return 0
