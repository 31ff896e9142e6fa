"""Every reader of files and messages from elsewhere: small valid inputs, and how it is called.

``mutated`` spoils an input; JSON stays JSON, so that what is wrong is what it says."""

import atexit
import io
import json
import random
import shutil
import subprocess
import tarfile
import tempfile
import zipfile
from argparse import Namespace
from collections.abc import Callable, Mapping, Sequence
from contextlib import redirect_stderr, redirect_stdout, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from tests.unit.formats import examples
from tests.unit.report.example import ab_result, sample_result
from whyfast.formats.profiles import DamagedProfile
from whyfast.model.codec import Malformed, pack
from whyfast.model.errors import UserError

#: What a reader may say of a bad input; anything else is a finding.
REFUSED = (UserError, Malformed, DamagedProfile)


@dataclass(frozen=True)
class Reader:
    """``seeds`` makes small valid inputs; ``read`` reads one, or raises one of :data:`REFUSED`."""

    seeds: Callable[[], Sequence[bytes]]
    read: Callable[[bytes], object]


def mutated(data: bytes, rng: random.Random) -> bytes:
    """Something like ``data``, spoiled in one to four places."""
    try:
        document = json.loads(data)
        if isinstance(document, dict | list):
            for _ in range(rng.randint(1, 3)):
                document = _spoiled(document, rng)
            return json.dumps(document).encode("utf-8", "surrogatepass")
    except (ValueError, RecursionError):
        pass
    content = bytearray(data)
    for _ in range(rng.randint(1, 4)):
        start = rng.randint(0, len(content))
        end = min(len(content), start + rng.choice((0, 1, 1, 2, 4, 8, 20)))
        content[start:end] = rng.choice(
            (
                b"",
                b"\0",
                b"\xff" * (end - start),
                rng.randbytes(end - start),
                content[start:end] * 2,
            )
        )
    return bytes(content)


_VALUES: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 1, 2**63, 10**400, 10**4000, 0.5, -0.5, 1e308, 1e-320),
    *("", "x", "second", "\ud800", "../../x", "\x1b[2J", "a\nb", "<b>", "9" * 30),
    *([], {}, [[]], {"": None}, ["x"], [0], [1e308], [None]),
)


def _spoiled(document: Any, rng: random.Random) -> Any:
    *above, last = rng.choice(_places(document) or [()]) or (None,)
    if last is None:
        return rng.choice(_VALUES)
    spot = document
    for key in above:
        spot = spot[key]
    others = _places(document)
    what = rng.randrange(5)
    if what == 0:
        del spot[last]
    elif what == 1:  # what stands elsewhere, often of the same kind
        other = document
        for key in rng.choice(others):
            other = other[key]
        spot[last] = json.loads(json.dumps(other))
    elif what == 2 and isinstance(spot, list):
        spot.insert(last, json.loads(json.dumps(rng.choice(spot))))
    elif what == 3 and isinstance(spot, dict):
        spot[rng.choice([str(k[-1]) for k in others])] = spot.pop(last)
    else:
        spot[last] = rng.choice(_VALUES)
    return document


def _places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    found = [path] if path else []
    if isinstance(value, dict | list):
        for key, child in value.items() if isinstance(value, dict) else enumerate(value):
            found += _places(child, (*path, key))
    return found


@cache
def _folder() -> Path:
    """One folder for the whole process: to make one for each input costs more than most readers."""
    folder = Path(tempfile.mkdtemp(prefix="whyfast-fuzz-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def _file(data: bytes, name: str = "input") -> Path:
    path = _folder() / name
    path.write_bytes(data)
    return path


def _results() -> list[bytes]:
    more = (
        json.dumps(pack("check", {"head": "abc", "benchmarks": {}})) + "\n",
        "benchmark,process,time_ms\nfib,1,2.5\nfib,2,2.25\n",
    )
    return [text.encode() for text in (*examples.texts().values(), *more)]


def _read_result(data: bytes) -> None:
    from whyfast.formats.load import load_recording
    from whyfast.formats.timeline import Wanted, load_timeline
    from whyfast.investigate.compare_run import compare_recordings

    path = str(_file(data))
    with suppress(UserError):
        load_timeline([path], Wanted())
    recording = load_recording(path)
    compare_recordings((recording, recording), margin=0.01, now=0.0)


_CALLGRIND = b"""# callgrind format
version: 1
positions: line
events: Ir
ob=(1) /bin/prog
fn=(1) main
3 10
calls=1 5
3 20
fn=(2) work'2
5 20
totals: 30
"""
_CACHEGRIND = (
    b"desc: I1 cache: 1\ncmd: ./p\nevents: Ir I1mr\nfl=a.c\nfn=main\n3 10 1\nsummary: 10 1\n"
)
_PERF_REPORT = (
    b"# Samples: 9 of event 'cycles:u'\n  7;prog;[.] main\n  2;libc.so.6;[k] memcpy@@GLIBC_2.14\n"
)
_PERF_SCRIPT = (
    b"prog 12 3.4: 1 cycles:u: 55d0 main+0x14 (/bin/prog)\n\n"
    b"prog 12 [000] 3.5:  1 cycles:u:\n\t55d0 main+0x14 (/bin/prog)\n\t55e0 start (/bin/prog)\n\n"
)
_PERF_STAT = (
    b'{"counter-value" : "12.0", "unit" : "", "event" : "cpu_core/cycles/u", "pcnt-running" : 9}\n'
    b'12;;cycles:u;3;100.00;;\n{"metric-value" : nan}\n'
)
_DIFF = b'diff --git a/x b/x\n--- a/x\n+++ "b/\\303\\244"\n@@ -1,2 +1 @@ f\n-a\n-b\n+c\n'
_SELF = (
    b"program 1 0x10 c3\nsymbol 0x10 f\ncompiled 1\nbucket 1 2 3\noverhead 2 clock\n"
    b"figure 1 a\nword x b\nmissing c: why\ndone\n"
)


def _read_profile(data: bytes) -> None:
    from whyfast.explain.hot import read_heat
    from whyfast.explain.source_lines import parse_diff
    from whyfast.formats import self_report
    from whyfast.formats.profiles import (
        parse_cachegrind,
        parse_callgrind,
        parse_perf_report,
        parse_perf_script,
        parse_perf_stat,
    )

    text = data.decode("utf-8", "replace")
    parsers: tuple[Callable[[str], object], ...] = (
        *(parse_callgrind, parse_cachegrind, parse_perf_report, parse_perf_script),
        *(parse_perf_stat, parse_diff, self_report.read_code, self_report.read_buckets),
        *(self_report.read_overheads, self_report.read_figures),
    )
    for parse in parsers:
        with suppress(*REFUSED):
            parse(text)
    read_heat(_file(data), [Path("/bin/prog")])


SOURCE = (
    "int g; int f(int a){switch(a){case 0:return 7;case 1:return g;case 2:g=3;return 9;case 3:"
    "return a*g;case 4:return 5;} return 0;} int main(void){return f(g);}\n"
)


def compiled(*flags: str, target: str = "") -> bytes:
    """An object of :data:`SOURCE`; nothing where the compiler is missing."""
    command = ["gcc"]
    if target:
        from tests.conftest import USERS_TOOLCHAINS

        found = sorted(USERS_TOOLCHAINS.glob("ziglang-*/zig"))
        command = [str(found[0]), "cc", "-target", target, "-fno-sanitize=all"] if found else []
    if not command or shutil.which(command[0]) is None:
        return b""
    source = _file(SOURCE.encode(), "source.c")
    out = _folder() / "object"
    subprocess.run([*command, "-O1", *flags, source, "-o", out], check=True, capture_output=True)
    return out.read_bytes()


def _elf() -> list[bytes]:
    return [b for b in (compiled("-c", "-g"), compiled("-c"), compiled("-Wl,--build-id")) if b]


def _pe() -> list[bytes]:
    target = "x86_64-windows-gnu"
    return [b for b in (compiled("-c", target=target), compiled(target=target)) if b]


def _macho() -> list[bytes]:
    targets = ("aarch64-macos", "x86_64-macos")
    return [b for t in targets for b in (compiled("-c", target=t), compiled(target=t)) if b]


def _explain(data: bytes) -> None:
    from whyfast.explain.objects.debug_info import with_lines
    from whyfast.explain.program import explain_program, stub_note
    from whyfast.explain.source_lines import read_lines

    path = _file(data)
    stub_note(path)
    with_lines(path)
    with suppress(UserError):
        read_lines(path)
    explain_program(path, variant="v", dispatch=["f"], functions=["*"])


def tar_of(members: Mapping[str, bytes], mode: str = "w") -> bytes:
    """A tar archive with these files."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode=mode, format=tarfile.PAX_FORMAT) as tar:  # type: ignore[call-overload]
        for name, content in members.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            tar.addfile(member, io.BytesIO(content))
    return out.getvalue()


def ar_of(members: Mapping[str, bytes]) -> bytes:
    """An ar archive with these files."""
    parts = [b"!<arch>\n"]
    for name, content in members.items():
        header = f"{name:<16}{0:<12}{0:<6}{0:<6}{644:<8}{len(content):<10}`\n"
        parts += [header.encode(), content, b"\n" * (len(content) % 2)]
    return b"".join(parts)


def _archives() -> list[bytes]:
    part = b"\x7fELF" + bytes(60)
    members = {"usr/bin/é" + "x" * 120: part, "doc": b"text"}
    zipped = io.BytesIO()
    with zipfile.ZipFile(zipped, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a/b.so", part)
    modes = {"tar": "w", "tar.gz": "w:gz", "tar.xz": "w:xz", "tar.bz2": "w:bz2"}
    packages = [
        ar_of({"debian-binary": b"2.0\n", f"data.{end}": tar_of(members, mode)})
        for end, mode in modes.items()
    ]
    static = ar_of(
        {"//": b"a_long_name.o/\n", "/0": part, "#1/8": b"name.o\0\0" + part, "b/": part}
    )
    return [zipped.getvalue(), static, *packages, *(tar_of(members, m) for m in modes.values())]


def _unpack(data: bytes) -> None:
    from whyfast.build.source import unpack
    from whyfast.explain.objects.containers import taken_out

    path = _file(data)
    out = _folder() / "out"
    shutil.rmtree(out, ignore_errors=True)
    with suppress(UserError):
        unpack(path, out)
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir()
    taken_out(path, out)


def _messages() -> list[bytes]:
    from tests.unit.fleet.test_messages import BLOCK, CALIBRATION, taken
    from whyfast.fleet.messages import AskFacts, Chunk, Lacking, Offer, Place, Take, write

    places = (Place("p", "build", "n"),)
    tasks = (AskFacts(), Chunk("p", 0, 1), Offer(places), Take("k", BLOCK))
    answers = (Lacking({"p": 1}), taken())
    return [write(message) for message in (*tasks, *answers, Take("k", CALIBRATION))]


def _read_message(data: bytes) -> None:
    from tests.unit.fleet.test_messages import BLOCK, CALIBRATION
    from whyfast.fleet.messages import Take, fits, read_answer, read_task, write
    from whyfast.measure.campaign import Outcome

    try:
        task = read_task(data)
    except Malformed:
        answer = read_answer(data)
        if isinstance(answer, Outcome):
            fits(answer, BLOCK)
            fits(answer, CALIBRATION)
        write(answer)
    else:
        if isinstance(task, Take):
            assert task.wanted.benchmark is not None
        write(task)


def _studies() -> list[bytes]:
    folder = Path(__file__).parents[2] / "studies"
    names = ("dispatch", "fastcall", "code-placement", "opcode-threshold", "bpf-tail-call")
    return [(folder / name / "study.toml").read_bytes() for name in names]


def _read_study(data: bytes) -> None:
    from whyfast.fleet.launching import read_hosts
    from whyfast.study.load import load_study

    path = _file(data, "study.toml")
    with suppress(UserError):
        read_hosts(path)
    load_study(str(path))


def _own_results() -> list[bytes]:
    from whyfast.report.result_json import dump_result

    return [dump_result(r).encode() for r in (sample_result(), ab_result())]


def _report(data: bytes) -> None:
    from whyfast.cli.reading import show_merged
    from whyfast.cli.results import show_result
    from whyfast.fleet.merging import merge_results
    from whyfast.report import result_json as merged_json
    from whyfast.report.result_json import from_json, read_json

    found = read_json(_file(data))
    out = _folder()
    args = Namespace(
        json=out / "out.json", html=out / "out.html", markdown=out / "out.md", verbose=True
    )
    with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
        if merged_json.is_merged(found):
            show_merged(merge_results(merged_json.results_in(found, where="input")), args)
        else:
            show_result(from_json(found, where="input"), args)


_PROJECTS = {
    "Makefile": b"CC ?= gcc\nall: prog\nprog: a.o\n\t$(CC) -o $@ $^\nt:\n\t$(MAKE) -C sub x; y\n",
    "CMakeLists.txt": b"project(x C)\nadd_executable(prog a.c)\ninstall(TARGETS prog)\n",
    "meson.build": b"project('x', 'c')\nexecutable('prog', 'a.c', install: true)\n",
    "Cargo.toml": b'[package]\nname = "x"\n[[bin]]\nname = "y"\n[profile.release]\nlto = true\n',
    "go.mod": b"module example.com/x\nrequire y v1\n",
    "pyproject.toml": b'[build-system]\nbuild-backend = "setuptools"\n[project]\nname = "x"\n',
    "configure.ac": b"AC_INIT\n",
    "Makefile.am": b"bin_PROGRAMS = prog\n",
}


def _new(data: bytes) -> None:
    from whyfast.study.skeleton import KINDS, check_file

    folder = _folder() / "project"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for name in _PROJECTS:
        (folder / name).write_bytes(data)
    (folder / "a.c").write_bytes(data)
    for _, project in KINDS.values():
        with suppress(UserError):
            check_file(project(folder))


READERS: Mapping[str, Reader] = {
    "results": Reader(_results, _read_result),
    "profiles": Reader(
        lambda: [_CALLGRIND, _CACHEGRIND, _PERF_REPORT, _PERF_SCRIPT, _PERF_STAT, _DIFF, _SELF],
        _read_profile,
    ),
    "elf": Reader(_elf, _explain),
    "pe": Reader(_pe, _explain),
    "macho": Reader(_macho, _explain),
    "archives": Reader(_archives, _unpack),
    "messages": Reader(_messages, _read_message),
    "studies": Reader(_studies, _read_study),
    "report": Reader(_own_results, _report),
    "projects": Reader(lambda: list(_PROJECTS.values()), _new),
}
