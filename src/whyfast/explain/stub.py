"""Programs that only start a shared library, which has all of what they do."""

from __future__ import annotations

import re
from pathlib import Path

from elftools.common.exceptions import ELFError
from elftools.elf.constants import SH_FLAGS
from elftools.elf.elffile import ELFFile

from whyfast.explain.nearby import libraries
from whyfast.formats.source import opened
from whyfast.model.errors import UserError

#: The code of a stub, at most, in bytes; with its start-up code, one that gcc 12 makes has 500.
LARGEST = 16_384
#: So many times the code of the stub its library has at least.
TIMES = 20

#: What nearly every program loads, as part of its language.
_RUNTIME = re.compile(
    r"(libc|libm|libdl|librt|libutil|libpthread|libresolv|libgcc_s|libstdc\+\+|libc\+\+|libc\+\+abi"
    r"|libunwind|libatomic|ld-linux.*)\.so.*"
)


def stub_note(path: Path) -> str:
    """What to look at in place of an ELF program that has next to no code itself and loads a
    library, other than those of its language, with at least :data:`TIMES` as much; empty for all
    others. The library with the most code is named."""
    own = _code(path)
    if not 0 < own <= LARGEST:
        return ""
    loaded = [(_code(one), one) for one in libraries(path) if not _RUNTIME.fullmatch(one.name)]
    size, library = max(loaded, default=(0, path))
    if size < TIMES * own:
        return ""
    return (
        f"a stub: its own code is {own:,} bytes, that of {library.name}, which it loads, "
        f"{size:,}; whyfast explain {library}"
    )


def _code(path: Path) -> int:
    """Bytes of the executable sections; 0 for what is no ELF file."""
    try:
        with opened(path) as file:
            sections = ELFFile(file).iter_sections()
            return sum(s["sh_size"] for s in sections if s["sh_flags"] & SH_FLAGS.SHF_EXECINSTR)
    except (UserError, ELFError, ValueError, AssertionError):
        return 0
