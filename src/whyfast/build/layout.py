"""Layouts: the same objects linked again with their functions elsewhere in memory.

A layout is drawn from a seed: the order of all function sections, and random gaps between them. It
is handed to the linker as a small linker script that augments the default one (INSERT), which GNU
ld and lld both take, so that it needs no linker option of one of them. Layout 0 is the program as
the study's own link step makes it.
"""

from __future__ import annotations

import random
import re
import shlex
from collections.abc import Callable, Sequence
from pathlib import Path

from elftools.common.exceptions import ELFError
from elftools.elf.elffile import ELFFile

#: Gaps are multiples of this (bytes): functions keep the alignment that compilers give them.
STEP = 16
#: The first gap is up to a page, which moves everything over all sets of a first-level cache;
#: the gaps between functions up to four cache lines.
FIRST_GAP = 4096
GAP = 256

#: Where layouts are kept within the build folder.
FOLDER = "whyfast-layouts"

_PLAIN = re.compile(r"^[\w.$-]+$")


def function_sections(objects: Sequence[Path]) -> list[str]:
    """The names of all sections with a function of their own (``.text.NAME``), sorted.

    Empty when the objects were not compiled with -ffunction-sections. A name with characters that
    a linker script would take for a pattern is left out, and stays where the linker puts it.
    """
    names: set[str] = set()
    for path in objects:
        try:
            with path.open("rb") as file:
                for section in ELFFile(file).iter_sections():
                    if section.name.startswith(".text.") and section["sh_size"] > 0:
                        names.add(section.name)
        except (ELFError, OSError, ValueError):
            continue  # not an object of ours, e.g. bitcode
    return sorted(n for n in names if _PLAIN.match(n))


def layout_script(sections: Sequence[str], seed: int) -> str:
    """The linker script of one layout; equal arguments give equal text."""
    rng = random.Random(f"layout {seed}")
    order = rng.sample(list(sections), len(sections))
    gaps = [rng.randrange(0, FIRST_GAP, STEP)] + [rng.randrange(0, GAP, STEP) for _ in order[1:]]
    lines = [f"    . = . + {gap}; *({name})" for gap, name in zip(gaps, order, strict=True)]
    return "\n".join(
        ["SECTIONS", "{", "  .text.whyfast : {", *lines, "  }", "}", "INSERT BEFORE .text;", ""]
    )


def layout_seeds(variant: str, count: int) -> list[int]:
    """Seeds of a variant's layouts, drawn for each variant apart so that no two variants share
    their layouts; the same at every run, so that a layout is linked once."""
    return random.Random(f"layouts of {variant}").sample(range(1, 1_000_000), count)


class CannotRelink(Exception):
    """Why a build has no other layouts."""


def make_layouts(
    work: Path,
    link: Callable[[str, str], str],
    run_step: Callable[[str], int],
    program: str,
    seeds: Sequence[int],
) -> list[Path]:
    """The programs of the layouts ``seeds``, linked where they are not there yet.

    ``work`` is the build folder, ``link(layout, program)`` the link step with those placeholders
    replaced, ``run_step`` runs a shell line in the build folder and returns its exit code. Raises
    :class:`CannotRelink`.
    """
    objects = [p for p in sorted(work.rglob("*.o")) if FOLDER not in p.parts]
    sections = function_sections(objects)
    if len(sections) < 2:
        raise CannotRelink(
            "its objects have no function sections to place; compile with -ffunction-sections "
            "and keep the .o files"
        )
    made = []
    for seed in seeds:
        folder = work / FOLDER / str(seed)
        target = folder / Path(program).name
        if not target.exists():
            folder.mkdir(parents=True, exist_ok=True)
            script = folder / "layout.ld"
            script.write_text(layout_script(sections, seed))
            partial = target.with_name(target.name + ".partial")
            option = f"-Wl,-T,{shlex.quote(str(script.relative_to(work)))}"
            status = run_step(link(option, shlex.quote(str(partial.relative_to(work)))))
            if status != 0 or not partial.exists():
                raise CannotRelink(f"linking layout {seed} ended with exit code {status}")
            partial.replace(target)  # complete or absent
        made.append(target)
    return made
