"""A program of several functions, each in a section of its own, and how to link it again."""

from dataclasses import replace
from pathlib import Path

from tests.unit.build.example import gcc, named, study

from whyfast.build.recipe import Recipe, make_recipe, scan_source
from whyfast.model.study import BuildSpec

#: Prints what its functions answer, called from main and from each other.
PROGRAM = """\
#include <stdio.h>
#define APART __attribute__((noinline))
APART static int one(int x) { return x + 1; }
APART static int two(int x) { return one(x) * 2; }
APART static int three(int x) { return two(x) + one(x); }
int main(void) { printf("%d\\n", three(4)); return 0; }
"""
ANSWER = b"15\n"

STEP = "{cc} {cflags} -ffunction-sections -c {source}/main.c"
LINK = "{cc} -o {program} main.o {layout} {ldflags}"


def linked_recipe(folder: Path, *, step: str = STEP, link: str = LINK) -> Recipe:
    source = folder / "layouts"
    source.mkdir(exist_ok=True)
    (source / "main.c").write_text(PROGRAM)
    made = replace(study(source), build=BuildSpec((step,), "vm", link=link))
    return make_recipe(
        made, named("base", "-O1", "-falign-functions=16"), gcc(), scan_source(source)
    )
