"""How an interpreter was built, from what sysconfig has kept of its build."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from elftools.common.exceptions import ELFError
from elftools.elf.dynamic import DynamicSection
from elftools.elf.elffile import ELFFile

#: Where flags of the compiler stand, the last of them on a command line first.
_FLAGS = ("PY_CORE_CFLAGS", "PY_CFLAGS_NODIST", "CONFIGURE_CFLAGS_NODIST", "PY_CFLAGS", "OPT")
#: Options that change what the compiler makes of the same source.
_TELLING = re.compile(r"-O\w*|-march=\S+|-mtune=\S+|-fno-semantic-interposition")
_HARDENING = re.compile(r"-fstack-protector\S*|-fcf-protection\S*|-D_FORTIFY_SOURCE=\d")


def facts_of(compiler: str, variables: Mapping[str, object]) -> dict[str, str]:
    """``compiler`` is ``platform.python_compiler()``, ``variables`` those of sysconfig.

    The keys are :data:`whyfast.model.interpreter.FACTS`. An option of configure and the flags that
    it leads to both count: distributions give the flags by hand.
    """
    arguments = str(variables.get("CONFIG_ARGS") or "")
    flags = " ".join(str(variables.get(name) or "") for name in _FLAGS)
    pgo = "--enable-optimizations" in arguments or "-fprofile-use" in flags
    lto = re.search(r"--with-lto(?!=no)", arguments) or "-flto" in flags
    debug = variables.get("Py_DEBUG") or "--with-pydebug" in arguments
    kinds = ["debug" if debug else "release"]
    if variables.get("Py_GIL_DISABLED"):
        kinds.append("without the GIL")
    return {
        "compiler": " ".join(re.sub(r"\[|\]", " ", compiler).split()),
        "flags": _flags_text(variables),
        "PGO": "with PGO" if pgo else "without PGO",
        "LTO": "with LTO" if lto else "without LTO",
        "libpython": "shared" if variables.get("Py_ENABLE_SHARED") else "in the program",
        "build": " ".join(kinds),
    }


def corrected(facts: Mapping[str, str], linked: bool | None) -> dict[str, str]:
    """The facts of a program of which it was seen whether it is ``linked`` with a libpython.

    Debian's program is not, and what its sysconfig tells is of its libpython, which was configured
    apart: of the program that leaves PGO and LTO open. None: it could not be seen.
    """
    told = facts["libpython"] == "shared"
    if linked is None or linked == told:
        return dict(facts)
    where = "shared" if linked else "in the program"
    return {**facts, "libpython": where, "PGO": "not known", "LTO": "not known"}


def needs_libpython(program: Path) -> bool | None:
    """Whether that program is linked with a shared libpython; None when it is no ELF file."""
    try:
        with program.open("rb") as file:
            dynamic = ELFFile(file).get_section_by_name(".dynamic")
            if not isinstance(dynamic, DynamicSection):
                return False
            needed = (str(getattr(tag, "needed", "")) for tag in dynamic.iter_tags("DT_NEEDED"))
            return any(name.startswith("libpython") for name in needed)
    except (OSError, ELFError):
        return None


def _flags_text(variables: Mapping[str, object]) -> str:
    """The level of optimisation, of which the last on the command line holds, and hardening."""
    words = " ".join(
        str(variables.get(name) or "") for name in ("OPT", "PY_CFLAGS", "CONFIGURE_CFLAGS")
    ).split()
    levels = [w for w in words if re.fullmatch(r"-O\w*", w)]
    others = [w for w in words if _TELLING.fullmatch(w) and w not in levels]
    hardening = [w for w in words if _HARDENING.fullmatch(w)]
    return " ".join(dict.fromkeys([*levels[-1:], *sorted(others), *sorted(hardening)]))
