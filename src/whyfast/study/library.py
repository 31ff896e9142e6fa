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


#: The lines of conditions, and that of a main(); names under which a file of a library has one.
_GUARD = re.compile(
    r"[ \t]*#[ \t]*(?:(if)(?:def|[ \t]+defined)?[ \t(]*(\w*)|(else|elif)|(endif))"
    r"|(?:\w[\w \t]*\b)?main\s*\("
)
_ALONE = re.compile(r"TEST|MAIN|BENCH|DEMO|EXAMPLE|STANDALONE")


def main_of(file: Path) -> str | None:
    """The name to be defined for the file to have a main(), empty where it has one anyway; None
    where it has none."""
    text, around = text_of(file), list[str]()
    if not re.search(r"\bmain\s*\(", text):
        return None
    for line in filter(None, map(_GUARD.match, text.splitlines())):
        begins, name, other, ends = line.groups()
        if begins:
            around.append(name)
        elif other or ends:
            around[-1:] = [""] if other else []
        else:
            return next(filter(_ALONE.search, around), "")
    return ""


#: How a library is built by its own files, the first that are there.
_MAKE = "make -C {{source}} -j{{jobs}}{}"
_CONFIGURE = 'cd {source} && ./configure --quiet --disable-shared CC={cc} CFLAGS="{cflags}"'
_BUILDS = {
    "CMakeLists.txt": (
        "cmake -S {source} -B build -DCMAKE_BUILD_TYPE=RelWithDebInfo -DBUILD_SHARED_LIBS=OFF "
        '-DCMAKE_C_COMPILER={cc} -DCMAKE_C_FLAGS="{cflags}"',
        "cmake --build build -j{jobs}",
    ),
    "configure": (_CONFIGURE, _MAKE.format("")),
    "configure.ac": ("cd {source} && autoreconf -fi", _CONFIGURE, _MAKE.format("")),
    "Makefile": (f'CFLAGS="{{cflags}}" {_MAKE.format(" CC={cc}")}',),
}


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
    there = sources(folder, patterns) or sources(folder, ("*/*.h", "*/*/*.h", "*/*/*/*.h"))
    found = dict.fromkeys(h.resolve() for h in there)
    headers = [h for h in found if h.is_relative_to(folder)]
    name = re.sub(r"^lib", "", folder.name.lower()).replace("-", "_")
    headers = [
        h
        for h in headers
        if not re.search(r"(config|internal|private)", h.name) and "\0" not in text_of(h)
    ]
    stems = {h: h.stem.lower().removeprefix("lib") for h in headers}
    headers.sort(key=lambda h: (stems[h] != name, not stems[h].startswith(name), len(h.parts)))
    if not headers:
        raise UserError("has no C file with a main() and no header", where=folder)
    header = headers[0]
    # A header that holds its own functions asks for a name that says so.
    wanted = re.search(r"#\s*if(?:def|\s+defined)\s*\(?\s*(\w+_IMPLEMENTATION)", text_of(header))
    cxx = bool(header.suffix != ".h" or _CXX.search(text_of(header)))
    written = CXX if cxx else ("c",)
    files = sources(folder, tuple(f"{p}*.{end}" for p in places for end in written))
    linked = [f for f in files if main_of(f) != ""]
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
    whole = replace(
        plain,
        steps=(file, f"{{cc}} {{cflags}} {include} -c {bench} {names}"),
        cflags=("-O2", "-g", SECTIONS),
        link="{cc} {cflags} -o {program} *.o {layout} {ldflags} -lm",
        as_linked=plain,
    )
    below = sources(folder, ("*.c", "*/*.c", "*/*/*.c", "*/*/*/*.c"))
    # Where its files may be enough, tools that configure were tried before.
    marks = [m for m in _BUILDS if (folder / m).is_file() and (m == "Makefile" or not linked)]
    own = _BUILDS[marks[0]] if marks else ()
    if not own or cxx or wanted or not any(main_of(f) != "" for f in below):
        return whole
    made = 'made=$(find {source} $PWD -name "lib*.a"); test -n "$made" &&'
    made += f" {{cc}} {{cflags}} {include} -o {{program}} {bench} -Wl,--start-group $made"
    last = f"{made} -Wl,--end-group {{ldflags}} -lm -lpthread"
    comment = f"{plain.comments[0]} It is linked with the static libraries of the project."
    by_itself = replace(plain, steps=(file, *own, last), comments=(comment,))
    return replace(whole, otherwise=by_itself) if linked else by_itself


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
