"""``python -m bench.shipped``: interpreters with and without symbols, and programs without any.

Debian keeps symbols in static archives of ``-dev`` packages: these are linked with nothing else,
looked at, stripped, and looked at again; so are libraries and programs that are shipped with
symbols. Right is who finds the function of that name in both. Programs that hold no interpreter are
taken as they are shipped. Where no loop is certain, the answer is neither right nor wrong. Each
part of the tables is counted apart. One line of JSON each.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from fnmatch import fnmatchcase
from itertools import islice
from pathlib import Path

from bench.shipped.sets import PARTS
from whyfast.explain.functions import base_name
from whyfast.explain.interpreter_loop import LoopSearch, likeliest, seen_share
from whyfast.explain.program import load
from whyfast.model.errors import CannotBuildHere, UserError
from whyfast.store.home import home
from whyfast.toolchain.archive import PackageName, Packages

SUITES = ("trixie", "sid", "bookworm")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--suite", action="append", choices=SUITES, help="of the packages with symbols"
    )
    parser.add_argument("--part", action="append", choices=list(PARTS), help="of the tables")
    parser.add_argument(
        "--kept", type=Path, metavar="FOLDER", help="where to keep what is unpacked"
    )
    parser.add_argument(
        "--file", action="append", default=[], metavar="PATH:FUNCTION",
        help="another program with symbols",
    )  # fmt: skip
    args = parser.parse_args()
    sources = Sources(args.suite or SUITES)
    rows: list[dict[str, object]] = []
    with tempfile.TemporaryDirectory(prefix="whyfast-bench-") as name:
        sources.folder = args.kept or Path(name)
        for text in args.file:
            path, _, function = text.rpartition(":")
            rows += _shown(_both(text, Path(path), (function,), Path(name)), "given")
        for part in args.part or PARTS:
            rows += _shown(_part(sources, *PARTS[part], Path(name)), part)
    for kind in dict.fromkeys(row["kind"] for row in rows):
        told = [r["right"] for r in rows if r["kind"] == kind and r["right"] is not None]
        doubtful = sum(bool(r.get("doubt")) for r in rows if r["kind"] == kind)
        print(f"{kind}: {sum(map(bool, told))} of {len(told)} right, {doubtful} not certain")


def _shown(rows: Iterable[dict[str, object]], part: str) -> Iterator[dict[str, object]]:
    for row in rows:
        marked = {**row, "kind": f"{part}, {row['kind']}"}
        print(json.dumps(marked), flush=True)
        yield marked


def _part(
    sources: Sources, symbols: Sequence[tuple[str, ...]], without: Sequence[str], folder: Path
) -> Iterator[dict[str, object]]:
    sources.look_up([*(name.partition("@")[0] for name, *_ in symbols), *without])
    for name, file, *functions in symbols:
        for title, unpacked in sources.all_of(name):
            place = next(
                (p for p in unpacked.rglob(file) if p.is_file() and not p.is_symlink()), None
            )
            program = place and (place if place.suffix != ".a" else _linked(place, folder))
            if program is None:
                yield {"kind": "with symbols", "program": f"{title}: {file}", "right": None}
            elif functions[0].startswith("0x"):
                right = {int(address, 16) for address in functions}
                yield {"kind": "without symbols", "program": title, **_loop(program, right)}
            else:
                yield from _both(f"{title}: {file}", program, functions, folder)
    for name in without:
        for title, unpacked in islice(sources.all_of(name), 1):
            yield from _shipped(title, unpacked)


class Sources:
    """Packages of Debian's suites, and wheels, unpacked into ``folder``."""

    folder = Path()

    def __init__(self, suites: Sequence[str]) -> None:
        self._suites = suites
        self._packages = Packages(home(), lambda text: print(text, file=sys.stderr))

    def look_up(self, names: Iterable[str]) -> None:
        """Ask each suite for all packages at once, which takes as long as for one."""
        for suite in self._suites:
            self._packages.look_up({n for n in names if not n.startswith("pypi:")}, suite)

    def all_of(self, name: str) -> Iterator[tuple[str, Path]]:
        """A title and the unpacked files for each suite that has a package, or for a wheel."""
        if name.startswith("pypi:"):
            yield name, self._wheel(name.removeprefix("pypi:"))
            return
        name, _, pinned = name.partition("@")
        for suite in self._suites:
            if pinned and not pinned.startswith(f"{suite}="):
                continue
            with contextlib.suppress(CannotBuildHere):
                package = self._packages.fetch(PackageName(name, suite), debug=False)
                if pinned not in ("", f"{suite}={package.version}"):
                    continue
                to = self.folder / f"{name}-{suite}"
                if not to.exists():
                    subprocess.run(["dpkg-deb", "-x", str(package.path), str(to)], check=True)
                yield f"{name}@{suite} {package.version}", to

    def _wheel(self, requirement: str) -> Path:
        to = self.folder / requirement
        if not to.exists():
            words = ["download", "--quiet", "--no-deps", "--only-binary=:all:", "--dest", str(to)]
            # A wheel for one version of Python, so that the same is looked at everywhere.
            words += ["--python-version=3.11", requirement]
            subprocess.run([sys.executable, "-m", "pip", *words], check=True)
            for wheel in to.glob("*.whl"):
                zipfile.ZipFile(wheel).extractall(to)
        return to


def _both(
    title: str, path: Path, functions: Sequence[str], folder: Path
) -> Iterator[dict[str, object]]:
    """With its symbols, and without."""
    program = load(path)
    right = {
        f.address
        for f in program.functions
        if any(_called(name, function) for name in f.names for function in functions)
    }
    stripped = folder / "stripped"
    subprocess.run(["strip", "-o", str(stripped), str(path)], check=True)
    for kind, place in (("with symbols", path), ("stripped", stripped)):
        yield {"kind": kind, "program": title, **_loop(place, right)}


def _called(name: str, function: str) -> bool:
    return any(fnmatchcase(n, function) for n in (name, base_name(name)))


def _loop(path: Path, right: set[int]) -> dict[str, object]:
    try:
        program = load(path)
    except UserError as error:
        return {"right": False, "found": None, "why": str(error)}
    search = LoopSearch(program)
    found = search.interpreter()
    facts = found.facts if found else None
    likely = None if found else likeliest(search.examined)
    doubt = likely[1].doubt if likely else ""
    return {
        "right": bool(found and found.address in right) if right and not doubt else None,
        "doubt": doubt,
        "likeliest": likely and likely[0].function.address in right,
        "found": found and found.name,
        "form": facts and facts.form,
        "jumps": facts and facts.indirect_jumps,
        "targets": facts and facts.targets,
        "seen": round(seen_share(program), 3),
    }


def _linked(archive: Path, folder: Path) -> Path | None:
    """The objects of a static archive as one library, calls of others left open."""
    out = folder / "linked"
    all_of_it = ["-Wl,--whole-archive", str(archive), "-Wl,--no-whole-archive"]
    words = ["gcc", "-fno-lto", "-nostdlib", "-o", str(out), *all_of_it]
    # Nothing is exported, so that no name is left when it is stripped.
    words += ["-Wl,--unresolved-symbols=ignore-all", "-Wl,--exclude-libs,ALL"]
    fixed = ["-no-pie", "-Wl,-e,0", "-Wl,--defsym=__dso_handle=0"]
    for more in (["-shared"], fixed):
        if subprocess.run([*words, *more], capture_output=True, check=False).returncode == 0:
            return out
    return None


def _shipped(title: str, unpacked: Path) -> Iterator[dict[str, object]]:
    """The largest program or library of a package; right where no loop is found."""
    files = [f for f in unpacked.rglob("*") if f.is_file() and not f.is_symlink()]
    code = [f for f in files if f.open("rb").read(4) == b"\x7fELF"]
    if code:
        row = _loop(max(code, key=lambda f: f.stat().st_size), {-1})
        right = None if row.get("doubt") else row["found"] is None
        yield {"kind": "none", "program": title, **row, "right": right}


if __name__ == "__main__":
    main()
