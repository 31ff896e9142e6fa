"""What builds a project of CMake: the first program that is added."""

from __future__ import annotations

import re
from pathlib import Path

from whyfast.model.errors import UserError
from whyfast.study import own_benchmarks
from whyfast.study.project import WHOLE, Project, needed, others, some, sources, text_of, tools


def cmake(folder: Path) -> Project:
    """The first program that CMakeLists.txt adds, or the one with Google Benchmark in it."""
    text = needed(folder / "CMakeLists.txt")
    variables = dict(re.findall(r"set\s*\(\s*(\w+)\s+\"?([\w.-]+)\"?\s*\)", text))
    added = re.findall(r"add_executable\s*\(\s*\"?(\$\{\w+\}|[\w.-]+)", text)
    names = [n for a in added if (n := variables.get(a[2:-1], "") if a.startswith("$") else a)]
    if not names:
        raise UserError("adds no executable", where=folder / "CMakeLists.txt")
    timed = re.findall(r"target_link_libraries\s*\(\s*([\w.-]+)[^)]*\bbenchmark(?:_main)?\b", text)
    names.sort(key=lambda name: name not in timed)
    files = ("*.cc", "*.cpp", "*.cxx", "*/*.cc", "*/*.cpp", "*/*.cxx")
    found = own_benchmarks.google("\n".join(map(text_of, sources(folder, files)))) if timed else {}
    cxx = bool(re.search(r"project\s*\([^)]*\bCXX\b", text)) or not re.search(
        r"project\s*\([^)]*\bC\b", text
    )
    language = "CXX" if cxx else "C"
    return Project(
        "path:c++" if cxx else "path:cc",
        (
            "cmake -S {source} -B build -DCMAKE_BUILD_TYPE=RelWithDebInfo "
            f'-DCMAKE_{language}_COMPILER={{cc}} -DCMAKE_{language}_FLAGS="{{cflags}}"',
            f"cmake --build build -j{{jobs}} --target {names[0]}",
        ),
        f"build/{names[0]}",
        env=tools("cmake"),
        benchmarks=some(found) or WHOLE,
        runner="google-benchmark" if found else "command",
        said=others(names),
    )
