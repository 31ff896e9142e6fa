"""What builds a project of Meson: one of the programs that it adds."""

from __future__ import annotations

import re
from pathlib import Path

from whyfast.model.errors import UserError
from whyfast.study.project import WHOLE, Project, needed, others, tools, wanted_first


def meson(folder: Path) -> Project:
    """A program that meson.build adds: that which is called as the project is, or one that is
    installed."""
    text = needed(folder / "meson.build")
    # A name that goes on behind the quote is made when meson runs.
    added = re.findall(r"executable\s*\(\s*'([\w.-]+)'\s*(?![\s+/.])([^)]*)", text)
    own = re.search(r"project\s*\(\s*'([\w.-]+)'", text)
    installed = [name for name, rest in added if re.search(r"install\s*:\s*true", rest)]
    names = wanted_first(dict.fromkeys(dict(added), Path()), own.group(1) if own else "", installed)
    if not names:
        raise UserError("has no executable", where=folder / "meson.build")
    cxx = bool(re.search(r"project\s*\([^()]*'cpp'", text))
    compiler = "CXX" if cxx else "CC"
    flags = f"-Dc{'pp' if cxx else ''}_args"
    return Project(
        "path:c++" if cxx else "path:cc",
        (
            f"{compiler}={{cc}} meson setup --buildtype=release -Ddebug=true "
            f'--wrap-mode=nodownload {flags}="{{cflags}}" build {{source}}',
            f"meson compile -C build -j{{jobs}} {names[0]}:executable",
        ),
        f"build/{names[0]}",
        env=tools("meson", "ninja"),
        benchmarks=WHOLE,
        said=others(names),
    )
