"""Object file formats: ELF, PE and COFF, Mach-O. Here is what their readers make of a file.

That is its bytes by address, patched by its relocations, the functions in them, and their names as
the source has them."""

from __future__ import annotations

import re
import shutil
import subprocess
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal, NamedTuple, NoReturn

from whyfast.model.errors import UserError

Architecture = Literal["x86-64", "aarch64"]

SUPPORTED = (
    "whyfast explains 64-bit little-endian ELF, PE, COFF and Mach-O files for x86-64 and AArch64: "
    "executables, shared objects and relocatable objects"
)

#: Bytes that a program may have, and all files of a Debian package: more than those of a browser
#: with its debug information.
MOST_BYTES = 4_000_000_000

#: Where relocatable objects are laid out, as they have no addresses of their own.
OBJECT_BASE = 0x10_0000


def damaged(path: Path, what: str, kind: str = "ELF") -> NoReturn:
    """Raise the UserError for a file whose structure contradicts itself."""
    raise UserError(f"truncated or damaged {kind} file: {what}", where=path)


def string_at(strings: bytes, at: int) -> str:
    """A string of a table of them, up to its NUL."""
    end = strings.find(b"\0", at)
    return strings[at : end if end >= 0 else None].decode("utf-8", "replace")


@dataclass(frozen=True)
class Region:
    """One section in memory. ``pointers`` says whether jump tables may lie in it."""

    name: str
    start: int
    data: bytearray = field(repr=False)
    executable: bool
    pointers: bool

    @property
    def end(self) -> int:
        """The first address behind it."""
        return self.start + len(self.data)


class Image:
    """The loaded sections of a program, patched by its relocations. ``bases`` maps section indices
    to addresses. ``slots`` names the symbol whose address the dynamic loader writes at an address
    (GOT), ``externals`` the stand-in addresses of symbols that a relocatable object does not
    define. ``base`` is what tables of image-relative addresses (PE) count from; None where there
    are none. ``data`` are the extents in code that the file says are data, by address. ``free`` is
    an address from which on nothing lies."""

    def __init__(
        self,
        regions: Iterable[Region],
        bases: Mapping[int, int],
        free: int,
        *,
        base: int | None = None,
        data: Iterable[tuple[int, int]] = (),
    ) -> None:
        self.bases = dict(bases)
        self.base = base
        self.data = tuple(sorted(data))
        self.slots: dict[int, str] = {}
        self.externals: dict[int, str] = {}
        self.regions = tuple(sorted(regions, key=lambda region: region.start))
        self._starts = [region.start for region in self.regions]
        self._ends = [region.end for region in self.regions]
        self._next_external = free + 0x1000
        self._stand_ins: dict[str, int] = {}

    def region(self, address: int) -> Region | None:
        """The region that contains an address, or None."""
        i = bisect_right(self._starts, address) - 1
        if i >= 0 and address < self._ends[i]:
            return self.regions[i]
        return None

    def read(self, address: int, size: int) -> bytes:
        """Up to ``size`` bytes from an address; fewer at the end of a section, none outside."""
        region = self.region(address)
        if region is None:
            return b""
        offset = address - region.start
        return bytes(region.data[offset : offset + size])

    def data_within(self, start: int, end: int) -> list[tuple[int, int]]:
        """The parts of ``data`` between two addresses, cut to them, by address."""
        cut = ((max(first, start), min(behind, end)) for first, behind in self.data)
        return [(first, behind) for first, behind in cut if first < behind]

    def is_data(self, address: int) -> bool:
        """Whether the file says that there is data at an address in code."""
        return any(first <= address < behind for first, behind in self.data)

    def put(self, address: int, width: int, value: int) -> None:
        """Overwrite ``width`` bytes by a number, of which only the lowest bits count. A place that
        is not wholly in the image is ignored."""
        region = self.region(address)
        if region is not None and address + width <= region.end:
            offset = address - region.start
            lowest = value & (1 << 8 * width) - 1
            region.data[offset : offset + width] = lowest.to_bytes(width, "little")

    def external(self, name: str) -> int:
        """The stand-in address of a symbol that is defined elsewhere."""
        if name not in self._stand_ins:
            self._stand_ins[name] = self._next_external
            self.externals[self._next_external] = name
            self._next_external += 16
        return self._stand_ins[name]


class Patch(NamedTuple):
    """What a relocation changes at its place, so that code and tables hold the addresses that they
    would hold when running. ``word`` is a number of ``size`` bytes: absolute, or relative to ``at``
    bytes behind the place. The others are immediates of AArch64 instructions: of a ``branch``,
    ``size`` bits, the lowest at ``at``; of ``adr``; of ``adrp``, in pages of 4096 bytes; and
    ``low``, of ``add``, a load or a store: the place in its page of what it adds or accesses."""

    form: Literal["word", "branch", "adr", "adrp", "low"]
    size: int = 0
    at: int | None = None


def relocate(image: Image, patch: Patch, place: int, target: int, *, inside: bool = False) -> None:
    """Let what lies at ``place`` lead to ``target``; ``inside``: plus what it holds already.
    Nothing happens where it would reach outside of the image."""
    width = patch.size if patch.form == "word" else 4
    old = image.read(place, width)
    if len(old) != width:
        return
    if patch.form == "word":
        target += int.from_bytes(old, "little", signed=True) if inside else 0
        image.put(place, width, target if patch.at is None else target - place - patch.at)
    else:
        word = int.from_bytes(old, "little")
        image.put(place, 4, _instruction(word, patch, place, target, inside))


def _instruction(word: int, patch: Patch, place: int, target: int, inside: bool) -> int:
    """The instruction ``word`` with another immediate, as linkers write it."""
    if patch.form == "low":
        scale = 0
        if word & 0x3B00_0000 == 0x3900_0000:  # loads and stores count in what they access
            scale = 4 if word & 0x0480_0000 == 0x0480_0000 else word >> 30
        target += (word >> 10 & 0xFFF) << scale if inside else 0
        return word & ~0x3FFC00 | (target & 0xFFF) >> scale << 10
    if patch.form == "branch":
        shift, mask = patch.at or 0, (1 << patch.size) - 1
        target += _signed(word >> shift & mask, patch.size) * 4 if inside else 0
        return word & ~(mask << shift) | (target - place >> 2 & mask) << shift
    target += _signed(word >> 29 & 3 | (word >> 5 & 0x7FFFF) << 2, 21) if inside else 0
    distance = (target >> 12) - (place >> 12) if patch.form == "adrp" else target - place
    return word & ~0x60FF_FFE0 | (distance & 3) << 29 | (distance >> 2 & 0x7FFFF) << 5


def _signed(value: int, bits: int) -> int:
    return value - (1 << bits) if value >> bits - 1 else value


@dataclass(frozen=True)
class Function:
    """A piece of code that symbols name. ``names`` are all symbols at its address, the plainest
    global first. ``address`` is where the code lies in the program's image (bytes), ``value`` what
    the symbol says: the same, but in a relocatable object an offset in its section. ``size`` in
    bytes. ``file`` is the source file of a local symbol, if known. ``part``: nothing calls it, it
    is a cold part of a function that lies elsewhere."""

    names: tuple[str, ...]
    address: int
    value: int
    size: int
    section: str
    file: str = ""
    part: bool = False

    @property
    def name(self) -> str:
        """The first of ``names``."""
        return self.names[0]

    @property
    def end(self) -> int:
        """The first address behind it."""
        return self.address + self.size

    @property
    def unnamed(self) -> bool:
        """Whether no symbol names it, so that it is called by its address."""
        return UNNAMED.fullmatch(self.names[0]) is not None


#: What functions without a symbol are called, in ELF files and in others.
UNNAMED = re.compile(r"(0x|sub_)[0-9a-f]+")


@dataclass(frozen=True)
class Label:
    """One symbol in code. ``size`` is 0 when the file does not say; ``end`` is that of the section
    that it lies in. ``rank`` is 0 for global symbols, 1 for weak ones, 2 for local ones, 3 for
    names that whyfast made up."""

    name: str
    address: int
    value: int
    section: str
    end: int
    size: int = 0
    rank: int = 0
    file: str = ""


def code_label(
    image: Image,
    name: str,
    address: int,
    *,
    value: int | None = None,
    size: int = 0,
    rank: int = 0,
    file: str = "",
) -> Iterator[Label]:
    """The label of a place in code; none outside of code, or without a name."""
    region = image.region(address)
    if region is not None and region.executable and name:
        value, size = address if value is None else value, min(size, region.end - address)
        yield Label(name, address, value, region.name, region.end, size, rank, file)


def functions_of(labels: Iterable[Label], stops: Iterable[int] = ()) -> Iterator[Function]:
    """Functions by address. Aliases are merged; a label without size reaches to the next one, the
    next of ``stops`` or its section's end, whichever comes first."""
    at: dict[tuple[int, str, int], list[Label]] = {}
    for label in labels:
        at.setdefault((label.address, label.section, label.end), []).append(label)
    starts = sorted({address for address, _, _ in at} | set(stops))
    for (address, section, end), aliases in sorted(at.items()):
        size = max(label.size for label in aliases)
        if size == 0:
            following = bisect_right(starts, address)
            size = (starts[following] if following < len(starts) else end) - address
        aliases.sort(key=_plainness)
        yield Function(
            names=tuple(dict.fromkeys(label.name for label in aliases)),
            address=address,
            value=aliases[0].value,
            size=min(size, end - address),
            section=section,
            file=aliases[0].file,
        )


def _plainness(label: Label) -> tuple[int, int, int, str]:
    underscores = len(label.name) - len(label.name.lstrip("_"))
    return label.rank, underscores, len(label.name), label.name


@dataclass(frozen=True)
class Contents:
    """A program that was read. ``functions`` by address; ``notes`` name what is not visible.
    ``objects`` are the extents and names of data, by address; None where the file has none."""

    architecture: Architecture
    image: Image
    functions: tuple[Function, ...]
    notes: tuple[str, ...] = ()
    objects: tuple[tuple[int, int, str], ...] | None = None


#: Mach-O puts one more underscore in front.
_MANGLED = re.compile(r"_{1,2}(?:Z|R)\w")
_RUST = re.compile(r"_{1,2}R\w|.*17h[0-9a-f]{16}E")
#: What compilers append for pieces and copies of a function, which no demangler needs to see.
_APPENDED = re.compile(r"(\.[\w.]+)$")
#: A crate's hash, which every build of other sources changes: ``core[a0bbcc8293a5deec]::fmt``.
_CRATE_HASH = re.compile(r"\[[0-9a-f]{6,16}\]")
_LEGACY_HASH = re.compile(r"::h[0-9a-f]{16}$")


def with_readable_names(functions: Sequence[Function]) -> tuple[Function, ...]:
    """The functions with what their names say in front of the names themselves. Both stay: either
    can be asked for, and profiles have the linker's. Crate hashes of Rust are left out, so that one
    function of two builds has one name."""
    texts = readable(n for f in functions for n in f.names)
    return tuple(
        replace(f, names=tuple(dict.fromkeys((*(texts.get(n, n) for n in f.names), *f.names))))
        if any(n in texts for n in f.names)
        else f
        for f in functions
    )


def readable_of(name: str, names: Sequence[str]) -> str:
    """``name``, or what stands in front of it among ``names`` where it is mangled."""
    return names[0] if _MANGLED.match(name) and not _MANGLED.match(names[0]) else name


def readable(names: Iterable[str]) -> dict[str, str]:
    """Mangled names of C++ and Rust as their source has them, by ``c++filt`` of binutils; names
    that it does not know, and all where it is missing, are left out."""
    stems = {n: _APPENDED.sub("", n) for n in sorted(set(names)) if _MANGLED.match(n)}
    rust = {n: s for n, s in stems.items() if _RUST.match(s)}
    others = {n: s for n, s in stems.items() if n not in rust}
    texts = {**_filtered(rust, "rust"), **_filtered(others, "gnu-v3")}
    return {
        name: _LEGACY_HASH.sub("", _CRATE_HASH.sub("", text)) + name[len(stems[name]) :]
        for name, text in texts.items()
        if text != stems[name]
    }


def _filtered(stems: dict[str, str], style: str) -> dict[str, str]:
    program = shutil.which("c++filt")
    if not stems or program is None:
        return {}
    # One underscore too many is Mach-O's.
    lines = [s[1:] if s.startswith("__") else s for s in stems.values()]
    try:
        done = subprocess.run(
            [program, "-s", style],
            input="\n".join(lines) + "\n",
            capture_output=True,
            text=True,
            errors="replace",
            timeout=60,
        )
    except (OSError, subprocess.TimeoutExpired):
        return {}
    texts = done.stdout.splitlines()
    if done.returncode or len(texts) != len(lines):
        return {}
    return {
        name: text for name, text, line in zip(stems, texts, lines, strict=True) if text != line
    }


_TEMPLATES = re.compile(r"<[^<>]*>")
_OPERATOR = re.compile(r"operator\s*(<=>|<<=?|>>=?|<=?|>=?|->\*?|\(\)|\[\])")


def short_name(name: str) -> str:
    """A C++ or Rust name without what it returns, parameters and the arguments of templates."""
    kept = _OPERATOR.search(name)
    held = name.replace(kept[0], "operator@") if kept else name
    held = re.sub(r"^<(.+?)(?: as .+?)?>::", r"\1::", held) if held.startswith("<") else held
    while (shorter := _TEMPLATES.sub("", held)) != held:
        held = shorter
    held = re.sub(r"\)(?: const| volatile| &&?)+$", ")", held)
    if held.endswith(")"):
        held = held[: _opened(held)].strip() or held
    if "operator " not in held:  # what a template returns stands in front
        ends = [i for i, c in enumerate(held) if c == " " and _closed(held[i:])]
        held = held[ends[-1] + 1 :] if ends else held
    return held.replace("operator@", kept[0]) if kept else held


def _opened(name: str) -> int:
    """Where the parenthesis is opened that the name ends with."""
    return next((i for i in range(len(name) - 1, -1, -1) if _closed(name[i:])), 0)


def _closed(text: str) -> bool:
    """Whether as many parentheses and braces are closed as are opened."""
    return all(text.count(a) == text.count(b) for a, b in ("()", "{}"))
