"""How often are the reasons for larger functions what the compiler says that it did?

    python -m bench.costs.reasons FOLDER…

Each C file below the folders that compiles by itself (``-I`` its own folder and the parent) is
built by gcc with ``-O2`` and with ``-O3``. The reasons found in the machine code of functions that
grew are held against gcc's own record of inlined functions, vectorised and unrolled loops
(``-fopt-info-optimized``): of ``-O3``, in the function or in what it inlined.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from elftools.elf.elffile import ELFFile

from whyfast.explain.sizes import size_changes, sizes_of
from whyfast.model.cost import SizeChange

#: The reasons that the record can confirm, and what it says of them.
KINDS = {
    "inlined": re.compile(r"Inlin(?:ed|ing) ([\w.]+)/\d+ into ([\w.]+)/\d+"),
    "vectorised": re.compile(r"vectorized"),
    "unrolled": re.compile(r"unrolled|peeled"),
}
_PLACE = re.compile(r"^(.*?):(\d+):\d+: optimized: +(.*)$")


@dataclass
class Record:
    """What gcc did to each function of a file: the kinds, and what it inlined there."""

    kinds: defaultdict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    inlined: defaultdict[str, set[str]] = field(default_factory=lambda: defaultdict(set))

    def within(self, name: str) -> set[str]:
        """The function, all that it inlined, and what these did."""
        seen, left = {name}, [name]
        while left:
            new = self.inlined[left.pop()] - seen
            seen |= new
            left += new
        return seen

    def did(self, kind: str, name: str) -> bool:
        return any(kind in self.kinds[n] for n in self.within(name))


def build(source: Path, level: str, library: Path) -> Record | None:
    """The file as a shared library, and gcc's record; None where it does not compile alone."""
    log = library.with_suffix(".txt")
    words = ["gcc", "-shared", "-fPIC", "-w", "-g", level, f"-fopt-info-optimized={log}"]
    where = [f"-I{source.parent}", f"-I{source.parent.parent}"]
    try:
        subprocess.run(
            [*words, *where, "-o", str(library), str(source)],
            check=True,
            capture_output=True,
            timeout=120,
        )
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired):
        return None
    lines, names = zip(*sorted(_functions(library)), strict=True) if _any(library) else ((), ())
    record = Record()
    for text in log.read_text(errors="replace").splitlines() if log.exists() else ():
        place = _PLACE.match(text)
        if place is None:
            continue
        if match := KINDS["inlined"].search(place[3]):
            callee, caller = (plain(name) for name in match.groups())
            record.inlined[caller].add(callee)
            record.kinds[caller].add("inlined")
            continue
        at = bisect_right(lines, int(place[2])) - 1
        for kind in ("vectorised", "unrolled"):
            if at >= 0 and KINDS[kind].search(place[3]):
                record.kinds[names[at]].add(kind)
    return record


def _any(library: Path) -> bool:
    return any(True for _ in _functions(library))


def _functions(library: Path) -> Iterator[tuple[int, str]]:
    """Line and name of the functions that the file's debug information declares."""
    with library.open("rb") as file:
        elf = ELFFile(file)
        for unit in elf.get_dwarf_info().iter_CUs() if elf.has_dwarf_info() else ():
            for die in unit.iter_DIEs():
                has = die.attributes
                if die.tag == "DW_TAG_subprogram" and {"DW_AT_name", "DW_AT_decl_line"} <= set(has):
                    yield has["DW_AT_decl_line"].value, has["DW_AT_name"].value.decode()


def plain(name: str) -> str:
    """The function's name without what gcc appends to its pieces and clones."""
    return name.partition(".")[0]


def judge(change: SizeChange, old: Record, new: Record) -> str:
    """``right``, ``wrong``, ``missed`` or ``nothing`` for the reason of a function that grew."""
    name, why = plain(change.name), change.why
    if why is not None and why.kind in KINDS:
        named = all(plain(n) in new.within(name) for n in why.names)
        return "right" if new.did(why.kind, name) and named else "wrong"
    more = [k for k in KINDS if new.did(k, name) and not old.did(k, name)]
    if why is None and (more or new.inlined[name] - old.inlined[name]):
        return "missed"
    return "nothing"


def main(folders: Sequence[str]) -> int:
    """Print the table."""
    found: dict[str, Counter[str]] = defaultdict(Counter)
    files = sorted(p for folder in folders for p in Path(folder).rglob("*.c"))
    compiled = 0
    with tempfile.TemporaryDirectory() as scratch:
        libraries = {level: Path(scratch) / f"{level}.so" for level in ("-O2", "-O3")}
        for source in files:
            records = [build(source, level, library) for level, library in libraries.items()]
            old, new = records
            if old is None or new is None:
                continue
            compiled += 1
            sizes = {level: sizes_of({"a": library}) for level, library in libraries.items()}
            for change in size_changes(sizes, [("-O3", "-O2")]):
                if change.of == "function" and 0 < change.before < change.after:
                    verdict = judge(change, old, new)
                    found[change.why.kind if change.why else "no reason"][verdict] += 1
                    if verdict in ("wrong", "missed"):
                        print(source.name, change.name, change.before, change.after, change.why)
    print(f"{compiled} of {len(files)} files compile by themselves")
    for kind, counts in sorted(found.items()):
        print(f"{kind:12}", ", ".join(f"{n} {what}" for what, n in counts.most_common()))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
