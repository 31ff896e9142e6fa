"""``python -m bench.shipped``: interpreters with and without symbols, and programs without any.

Debian keeps symbols in static archives of ``-dev`` packages: these are linked with nothing else,
looked at, stripped, and looked at again. Right is who finds the function of that name in both.
Programs that hold no interpreter are taken as they are shipped. Those held out are counted apart.
One line of JSON each.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from fnmatch import fnmatchcase
from pathlib import Path

from whyfast.explain.functions import base_name
from whyfast.explain.interpreter_loop import LoopSearch, seen_share
from whyfast.explain.program import load
from whyfast.model.errors import CannotBuildHere, UserError
from whyfast.store.home import home
from whyfast.toolchain.packages import PackageName, Packages

#: Packages with a static archive, the archive, and the functions that interpret: that of the
#: language, or beside it that of regular expressions.
WITH_SYMBOLS = (
    ("liblua5.1-0-dev", "liblua5.1.a", "luaV_execute"),
    ("liblua5.2-dev", "liblua5.2.a", "luaV_execute"),
    ("liblua5.3-dev", "liblua5.3.a", "luaV_execute"),
    ("liblua5.4-dev", "liblua5.4.a", "luaV_execute"),
    ("liblua5.5-dev", "liblua5.5.a", "luaV_execute"),
    ("liblua5.1-0-dev", "liblua5.1-c++.a", "_Z12luaV_execute*"),
    ("liblua5.2-dev", "liblua5.2-c++.a", "_Z12luaV_execute*"),
    ("liblua5.3-dev", "liblua5.3-c++.a", "_Z12luaV_execute*"),
    ("liblua5.4-dev", "liblua5.4-c++.a", "_Z12luaV_execute*"),
    ("libmruby-dev", "libmruby.a", "mrb_vm_exec"),
    ("libmujs-dev", "libmujs.a", "jsR_run"),
    ("libpython3.11-dev", "libpython3.11.a", "_PyEval_EvalFrameDefault"),
    ("libpython3.13-dev", "libpython3.13.a", "_PyEval_EvalFrameDefault"),
    ("libpython3.14-dev", "libpython3.14.a", "_PyEval_EvalFrameDefault"),
    ("libperl-dev", "libperl.a", "S_regmatch"),
    ("libpcre2-dev", "libpcre2-8.a", "match"),
    ("libpcre2-dev", "libpcre2-16.a", "match"),
    ("libpcre2-dev", "libpcre2-32.a", "match"),
    ("libonig-dev", "libonig.a", "match_at"),
    ("libslang2-dev", "libslang.a", "inner_interp*"),
    ("libsqlite3-dev", "libsqlite3.a", "sqlite3VdbeExec"),
    ("tcl8.6-dev", "libtcl8.6.a", "TEBCresume"),
    ("tcl9.0-dev", "libtcl9.0.a", "TEBCresume"),
    ("gauche-dev", "libgauche-static-0.98.a", "run_loop"),
    ("libmonosgen-2.0-dev", "libmonosgen-2.0.a", "*interp_exec_method*"),
    ("clisp", "lisp.a", "interpret_bytecode_"),
    ("libsquirrel-dev", "libsquirrel.a", "_ZN4SQVM7Execute*"),
)
#: Added on 26 November 2026, judged by their sources before the search saw them: languages,
#: signatures, fonts, filters of packets, regular expressions, DWARF. One rule was changed for
#: them afterwards (a loop over many opcodes may end), and librep's function was corrected.
HELD_OUT = (
    ("libpari-dev", "libpari.a", "closure_eval"),
    ("librep-dev", "librep.a", "vm"),
    ("libyara-dev", "libyara.a", "yr_execute_code"),
    ("libfreetype-dev", "libfreetype.a", "TT_RunIns", "cf2_interpT2CharString"),
    ("libpcap0.8-dev", "libpcap.a", "pcap*_filter_with_aux_data"),
    ("libiberty-dev", "libiberty.a", "byte_re_match_2_internal"),
    ("libicu-dev", "libicui18n.a", "_ZN6icu_*12RegexMatcher*Match*At*"),
    ("libhyperscan-dev", "libhs_runtime.a", "*_roseRunProgram", "*_roseRunProgram_l"),
    ("libunwind-dev", "libunwind.a", "*_dwarf_eval_expr", "run_cfi_program"),
    ("libdw-dev", "libdw.a", "expr_eval"),
)
SUITES = ("trixie", "sid", "bookworm")
#: Compressors, cryptography, images, sound, mathematics, files, and tools.
WITHOUT = (
    *("zlib1g", "liblzma5", "libzstd1", "liblz4-1", "libbz2-1.0", "libbrotli1", "liblzo2-2"),
    *("libssl3t64", "libgcrypt20", "libsodium23", "libnettle8t64", "libhogweed6t64", "libargon2-1"),
    *("libpng16-16t64", "libjpeg62-turbo", "libtiff6", "libwebp7", "libgif7", "libopenjp2-7"),
    *("libflac14", "libopus0", "libvorbis0a", "libogg0", "libmpg123-0t64", "libsndfile1"),
    *("libgmp10", "libmpfr6", "libblas3", "libfftw3-double3", "libpixman-1-0", "libcairo2"),
    *("libexpat1", "libyaml-0-2", "libjson-c5", "libuv1t64", "libdbus-1-3", "libgdbm6t64"),
    *("coreutils", "tar", "gzip", "xz-utils", "bzip2", "zstd", "findutils", "diffutils"),
    *("grep", "rsync", "openssh-client", "wget", "less", "nano", "procps", "e2fsprogs", "cpio"),
)
#: Held out, too: disassemblers, assemblers, a compiler, parsers, decoders, and a shell that walks a
#: tree.
HELD_OUT_WITHOUT = (
    *("libcapstone5", "libbinutils", "tcc", "nasm", "yasm", "libgumbo3", "libcmark0.30.2"),
    *("libdwarf1", "libbpf1", "libprotobuf32t64", "libtidy58", "libxml2", "libvpx9", "libtre5"),
    *("libjim0.83", "dash", "m4", "flex", "bison", "ninja-build", "libexiv2-28", "libisl23"),
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--suite", action="append", help="suite of the packages with symbols; none: only the rest"
    )
    parser.add_argument("--held-out", action="store_true", help="only the packages held out")
    parser.add_argument(
        "--file", action="append", default=[], metavar="PATH:FUNCTION",
        help="another program with symbols",
    )  # fmt: skip
    args = parser.parse_args()
    packages = Packages(home(), lambda text: print(text, file=sys.stderr))
    suites = args.suite or list(SUITES)
    rows: list[dict[str, object]] = []
    with tempfile.TemporaryDirectory(prefix="whyfast-bench-") as name:
        folder = Path(name)
        for text in args.file:
            path, _, function = text.rpartition(":")
            rows += _shown(_both(text, Path(path), (function,), folder), "")
        if not args.held_out:
            rows += _shown(_all(suites, WITH_SYMBOLS, WITHOUT, packages, folder), "")
        rows += _shown(_all(suites, HELD_OUT, HELD_OUT_WITHOUT, packages, folder), "held out, ")
    for kind in dict.fromkeys(row["kind"] for row in rows):
        told = [r["right"] for r in rows if r["kind"] == kind and r["right"] is not None]
        print(f"{kind}: {sum(map(bool, told))} of {len(told)} right")


def _shown(rows: Iterable[dict[str, object]], prefix: str) -> Iterator[dict[str, object]]:
    for row in rows:
        marked = {**row, "kind": f"{prefix}{row['kind']}"}
        print(json.dumps(marked), flush=True)
        yield marked


def _all(
    suites: list[str], symbols: Sequence[tuple[str, ...]], without: Sequence[str],
    packages: Packages, folder: Path,
) -> Iterator[dict[str, object]]:  # fmt: skip
    for suite in (s for s in suites if s != "none"):
        listed = packages.look_up({name for name, *_ in symbols}, suite)
        for name, archive, *functions in symbols:
            if name in listed:
                linked = _linked(packages, PackageName(name, suite), archive, folder)
                title = f"{name}@{suite} {listed[name].version}: {archive}"
                if linked is None:
                    yield {"kind": "with symbols", "program": title, "right": None}
                else:
                    yield from _both(title, linked, functions, folder)
    packages.look_up(set(without), SUITES[0])
    for name in without if suites in (["none"], list(SUITES)) else ():
        yield from _shipped(packages, PackageName(name, SUITES[0]), folder)


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
    return fnmatchcase(name, function) or base_name(name) == function


def _loop(path: Path, right: set[int]) -> dict[str, object]:
    try:
        program = load(path)
    except UserError as error:
        return {"right": False, "found": None, "why": str(error)}
    found = LoopSearch(program).interpreter()
    facts = found.facts if found else None
    return {
        "right": bool(found and found.address in right) if right else None,
        "found": found and found.name,
        "form": facts and facts.form,
        "jumps": facts and facts.indirect_jumps,
        "targets": facts and facts.targets,
        "seen": round(seen_share(program), 3),
    }


def _linked(packages: Packages, name: PackageName, archive: str, folder: Path) -> Path | None:
    """The objects of a static archive as one library, calls of others left open."""
    out = folder / "linked"
    try:
        unpacked = _unpacked(packages, name, folder)
    except CannotBuildHere:
        return None
    place = next(unpacked.rglob(archive), None)
    if place is None:
        return None
    all_of_it = ["-Wl,--whole-archive", str(place), "-Wl,--no-whole-archive"]
    words = ["gcc", "-fno-lto", "-nostdlib", "-o", str(out), *all_of_it]
    # Nothing is exported, so that no name is left when it is stripped.
    words += ["-Wl,--unresolved-symbols=ignore-all", "-Wl,--exclude-libs,ALL"]
    for more in (["-shared"], ["-no-pie", "-Wl,-e,0"]):
        if subprocess.run([*words, *more], capture_output=True, check=False).returncode == 0:
            return out
    return None


def _shipped(packages: Packages, name: PackageName, folder: Path) -> Iterator[dict[str, object]]:
    """The largest program or library of a package; right where no loop is found."""
    try:
        unpacked = _unpacked(packages, name, folder)
    except CannotBuildHere as error:
        yield {"kind": "none", "program": str(name), "right": None, "why": str(error)}
        return
    files = [f for f in unpacked.rglob("*") if f.is_file() and not f.is_symlink()]
    code = [f for f in files if f.open("rb").read(4) == b"\x7fELF"]
    if code:
        row = _loop(max(code, key=lambda f: f.stat().st_size), {-1})
        yield {"kind": "none", "program": str(name), **row, "right": row["found"] is None}


def _unpacked(packages: Packages, name: PackageName, folder: Path) -> Path:
    to = folder / f"{name.name}-{name.suite}"
    if not to.exists():
        package = packages.fetch(name, debug=False)
        subprocess.run(["dpkg-deb", "-x", str(package.path), str(to)], check=True)
    return to


if __name__ == "__main__":
    main()
