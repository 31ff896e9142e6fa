"""A library alone: a benchmark to be filled in, which its study writes into each build."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

from whyfast.model.errors import UserError
from whyfast.study.project import SECTIONS, WHOLE, Project, shell_word, sources, text_of

#: What stands in such a benchmark until somebody has filled it in.
FILL_IN = "Fill in: call what should be fast, with data of a realistic size."

_C = """\
{includes}
int main()
{{{{
    /* {fill_in} */
    for (int i = 0; i < 1000; i++) {{{{
    }}}}
    return 0;
}}}}
"""

_RUST = """\
use {crate} as _;

fn main() {{{{
    // {fill_in}
    for _ in 0..1000 {{{{
        std::hint::black_box(());
    }}}}
}}}}
"""

_GO = """\
package {package}

import "testing"

func BenchmarkWork(b *testing.B) {{{{
\t// {fill_in}
\tfor i := 0; i < b.N; i++ {{{{
\t}}}}
}}}}
"""


#: How files in C++ end.
CXX = ("cc", "cpp", "cxx")
#: What a header has that only C++ reads: one of its own headers, where none is for C alone.
_CXX = re.compile(r"^\s*#\s*include\s*<[a-z_]+>", re.MULTILINE)


def with_file(name: str, text: str) -> str:
    """The step that writes the file into the build, whose copy of the source is its own."""
    return f"cat > {name} <<'END'\n{text}END"


def to_fill_in(what: str) -> str:
    """What keeps the study from being used."""
    return f"the project has no benchmark and no program; fill in {what} in [build] steps"


def c_library(folder: Path) -> Project:
    """C or C++ files without a main(), or headers alone, with a program to be filled in.

    UserError where there is no header.
    """
    folder = folder.resolve()
    ends = ("h", "hpp", "hh")
    places = ("", "src/", f"{folder.name}/")
    patterns = tuple(f"{p}*.{end}" for p in (*places, "include/**/") for end in ends)
    # A folder that is a link is not where builds have them.
    found = dict.fromkeys(h.resolve() for h in sources(folder, patterns))
    headers = [h for h in found if h.is_relative_to(folder)]
    name = re.sub(r"^lib", "", folder.name.lower()).replace("-", "_")
    headers = [
        h
        for h in headers
        if not re.search(r"(config|internal|private)", h.name) and "\0" not in text_of(h)
    ]
    headers.sort(key=lambda h: (h.stem.lower() not in (name, f"lib{name}"), len(h.parts)))
    if not headers:
        raise UserError("has no C file with a main() and no header", where=folder)
    header = headers[0]
    # A header that holds its own functions asks for a name that says so.
    wanted = re.search(r"#\s*if(?:def|\s+defined)\s*\(?\s*(\w+_IMPLEMENTATION)", text_of(header))
    cxx = bool(header.suffix != ".h" or _CXX.search(text_of(header)))
    written = CXX if cxx else ("c",)
    files = sources(folder, tuple(f"{p}*.{end}" for p in places for end in written))
    linked = [f for f in files if not re.search(r"\bmain\s*\(", text_of(f))]
    if wanted:
        linked = []
    includes = f"#define {wanted[1]}\n" if wanted else ""
    includes += f'#include "{header.name}"\n'
    bench = "bench.cpp" if cxx else "bench.c"
    folders = dict.fromkeys(
        shell_word(f.relative_to(folder))
        for f in (header.parent, *(f.parent for f in linked), folder / "include", folder)
        if f.is_dir()
    )
    names = " ".join("{source}/" + shell_word(f.relative_to(folder)) for f in linked)
    include = " ".join(f"-I{{source}}/{f}" for f in folders)
    text = _C.format(includes=includes, fill_in=FILL_IN)
    file = with_file(bench, text)
    plain = Project(
        "path:c++" if cxx else "path:cc",
        (file, f"{{cc}} {{cflags}} {include} -o {{program}} {bench} {names} {{ldflags}} -lm"),
        "program",
        cflags=("-O2", "-g"),
        benchmarks=WHOLE,
        comments=(f"The program is {bench} below, with {header.name}.",),
        incomplete=to_fill_in(f"main() of {bench}"),
    )
    return replace(
        plain,
        steps=(file, f"{{cc}} {{cflags}} {include} -c {bench} {names}"),
        cflags=("-O2", "-g", SECTIONS),
        link="{cc} {cflags} -o {program} *.o {layout} {ldflags} -lm",
        as_linked=plain,
    )


def rust_file(crate: str) -> str:
    """The step that writes an example of a crate."""
    text = _RUST.format(crate=crate.replace("-", "_"), fill_in=FILL_IN)
    return "mkdir -p {source}/examples\n" + with_file("{source}/examples/whyfast_bench.rs", text)


def go_file(place: Path, source: str) -> str:
    """The step that writes a benchmark into the package of the folder."""
    names = (re.search(r"(?m)^package (\w+)", text_of(f)) for f in sources(place, ("*.go",)))
    package = next((name[1] for name in names if name), "main")
    text = _GO.format(package=package, fill_in=FILL_IN)
    return with_file(f"{source}/whyfast_bench_test.go", text)
