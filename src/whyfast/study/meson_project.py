"""What builds a project of Meson: the first program that is added."""

from __future__ import annotations

import re
from pathlib import Path

from whyfast.model.errors import UserError
from whyfast.study.project import WHOLE, Project, needed, others, tools


def meson(folder: Path) -> Project:
    """The first program that meson.build adds."""
    text = needed(folder / "meson.build")
    names = re.findall(r"executable\s*\(\s*'([\w.-]+)'", text)
    if not names:
        raise UserError("has no executable", where=folder / "meson.build")
    cxx = bool(re.search(r"project\s*\([^)]*'cpp'", text))
    compiler = "CXX" if cxx else "CC"
    flags = f"-Dc{'pp' if cxx else ''}_args"
    return Project(
        "path:c++" if cxx else "path:cc",
        (
            f"{compiler}={{cc}} meson setup --buildtype=release -Ddebug=true "
            f'--wrap-mode=nodownload {flags}="{{cflags}}" build {{source}}',
            f"meson compile -C build -j{{jobs}} {names[0]}",
        ),
        f"build/{names[0]}",
        env=tools("meson", "ninja"),
        benchmarks=WHOLE,
        said=others(names),
    )
