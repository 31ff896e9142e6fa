"""PE: programs and libraries of Windows.

Names come from the symbol table (MinGW), from the PDB beside the file (MSVC, lld) and from the
exports; extents from ``.pdata``."""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import lief

from whyfast.explain.objects import (
    SUPPORTED,
    Architecture,
    Contents,
    Image,
    Label,
    Region,
    code_label,
    string_at,
)
from whyfast.explain.objects.coff import CODE, EXECUTE, architecture_of, windows_functions
from whyfast.explain.objects.lief_files import LiefFile, number, text
from whyfast.model.errors import UserError

# Names of functions from a PDB, which Microsoft's and LLVM's linkers write beside a program, after
# the description in LLVM's documentation, "The PDB File Format", and Microsoft's ``cvinfo.h``. It
# belongs to one build of a program, which has its GUID.

_MAGIC = b"Microsoft C/C++ MSF 7.00\r\n\x1aDS\0\0\0"
_INFO, _DBI = 1, 3
_NO_STREAM = 0xFFFF
_ABSENT = 0xFFFF_FFFF
_PUBLIC, _LOCALS, _GLOBALS = 0x110E, (0x110F, 0x1146), (0x1110, 0x1147)
_IS_FUNCTION = 0x2
_DBI_HEADER, _MODULE_HEADER = 64, 64


class PdbSymbol(NamedTuple):
    """A function at ``offset`` in a section, which counts from 1; ``size`` is 0 when unknown.
    ``module`` is the object that a local function comes from."""

    name: str
    section: int
    offset: int
    size: int
    local: bool
    module: str


@dataclass(frozen=True)
class Pdb:
    """The symbols of a PDB, or in one line why it is missing."""

    symbols: tuple[PdbSymbol, ...] = ()
    why_not: str = ""


class _Damaged(Exception):
    pass


def find_pdb(program: Path, binary: Any) -> Pdb:
    """The PDB beside a program, by the name in it or the program's own. Nothing is raised."""
    record = binary.codeview_pdb
    if record is None:
        return Pdb(why_not="it has no symbol table and was linked without a PDB (/DEBUG)")
    named = re.split(r"[\\/]", text(record.filename))[-1]
    # "." is no name of a file, and refused as one.
    beside = [program.with_name(named)] if named not in ("", ".") else []
    for path in dict.fromkeys((*beside, program.with_suffix(".pdb"))):
        if path.is_file():
            try:
                return _read(path, bytes(record.signature))
            except OSError as error:
                return Pdb(why_not=f"{path.name} cannot be read: {error.strerror}")
            except (_Damaged, struct.error, IndexError, ValueError, OverflowError) as error:
                return Pdb(why_not=f"{path.name} is damaged ({error or type(error).__name__})")
    return Pdb(why_not=f"its PDB, {named or 'of no name'}, is not beside it")


def _read(path: Path, signature: bytes) -> Pdb:
    streams = _Streams(path.read_bytes())
    info = streams.read(_INFO)
    dbi = streams.read(_DBI)
    if info[12:28] != signature:
        return Pdb(why_not=f"{path.name} belongs to another build")
    symbols = {
        (s.section, s.offset, s.name): s
        for s in (*_publics(streams, dbi), *_procedures(streams, dbi))  # the latter have sizes
    }
    why_not = "" if symbols else f"{path.name} names no function"
    return Pdb(tuple(symbols.values()), why_not)


class _Streams:
    """The streams of a multi-stream file: pages of it in some order."""

    def __init__(self, blob: bytes) -> None:
        if not blob.startswith(_MAGIC):
            raise _Damaged("it is not in the MSF 7.00 format")
        self._blob = blob
        self._page, _, _, size, _, at = struct.unpack_from("<6I", blob, 32)
        if self._page not in (512, 1024, 2048, 4096, 8192, 16384, 32768):
            raise _Damaged(f"its pages have {self._page} bytes")
        if size > len(blob):
            raise _Damaged("its directory is larger than the file")
        start = at * self._page
        pages = struct.unpack_from(f"<{-(-size // self._page)}I", blob, start)
        words = struct.unpack(f"<{size // 4}I", self._join(pages, size)[: size // 4 * 4])
        count = words[0]
        self._sizes = words[1 : 1 + count]
        self._pages: list[tuple[int, ...]] = []
        at = 1 + count
        for length in self._sizes:
            taken = 0 if length == _ABSENT else -(-length // self._page)
            self._pages.append(words[at : at + taken])
            at += taken

    def _join(self, pages: tuple[int, ...], size: int) -> bytes:
        data = b"".join(self._blob[p * self._page : (p + 1) * self._page] for p in pages)
        if len(data) < size:
            raise _Damaged("it ends before what its directory names")
        return data[:size]

    def read(self, number: int) -> bytes:
        if number >= len(self._sizes) or self._sizes[number] == _ABSENT:
            raise _Damaged(f"it has no stream {number}")
        return self._join(self._pages[number], self._sizes[number])


def _records(data: bytes) -> Iterator[tuple[int, bytes]]:
    """(kind, content) of the records of a symbol stream."""
    at = 0
    while at + 4 <= len(data):
        length, kind = struct.unpack_from("<HH", data, at)
        if length < 2:
            return
        yield kind, data[at + 4 : at + 2 + length]
        at += 2 + length


def _publics(streams: _Streams, dbi: bytes) -> Iterator[PdbSymbol]:
    (number,) = struct.unpack_from("<H", dbi, 20)
    if number == _NO_STREAM:
        return
    for kind, data in _records(streams.read(number)):
        if kind == _PUBLIC and len(data) > 10:
            flags, offset, section = struct.unpack_from("<IIH", data)
            if flags & _IS_FUNCTION:
                yield PdbSymbol(string_at(data, 10), section, offset, 0, False, "")


def _procedures(streams: _Streams, dbi: bytes) -> Iterator[PdbSymbol]:
    """Functions with sizes, local ones too, from the streams of the objects."""
    (size,) = struct.unpack_from("<I", dbi, 24)
    at, end = _DBI_HEADER, min(_DBI_HEADER + size, len(dbi))
    while at + _MODULE_HEADER <= end:
        number, length = struct.unpack_from("<HI", dbi, at + 34)
        name = dbi.index(b"\0", at + _MODULE_HEADER)
        module = re.split(r"[\\/]", string_at(dbi, at + _MODULE_HEADER))[-1]
        at = dbi.index(b"\0", name + 1) + 1
        at = -(-at // 4) * 4
        if number == _NO_STREAM:
            continue
        for kind, data in _records(streams.read(number)[4:length]):
            if kind in (*_LOCALS, *_GLOBALS) and len(data) > 35:
                code, offset, section = struct.unpack_from("<12xI12xIH", data)
                yield PdbSymbol(string_at(data, 35), section, offset, code, kind in _LOCALS, module)


_EXTERNAL, _STATIC, _FUNCTION = 2, 3, 2
_NOT_PLAIN = (".pdata", ".xdata", ".reloc", ".rsrc", ".idata", ".edata", ".eh_fram", ".buildid")


def read_pe(path: Path) -> Contents:
    """The program as it lies in memory at its preferred address. UserError when it cannot be
    read, or nothing in it tells where functions are."""
    file = LiefFile.read(path, "PE")
    architecture = _check(file)
    with file.reading():
        config = lief.PE.ParserConfig()
        config.parse_signature = config.parse_rsrc = config.parse_reloc = False
        config.parse_exceptions = config.parse_arm64x_binary = False
        binary = file.parse(lief.PE.parse, config)
        image = _image(file, binary)
        for library in binary.imports:
            for entry in library.entries:
                name = text(entry.name) if entry.name else f"{text(library.name)}#{entry.ordinal}"
                image.slots[binary.imagebase + entry.iat_address] = name
        exported = list(_exports(binary, image))
        pdb = find_pdb(path, binary)
        labels = [*exported, *_symbols(binary, image), *_pdb_labels(pdb, image)]
        functions, unnamed = windows_functions(image, architecture, labels)
    if not functions:
        raise UserError(
            "stripped: neither a symbol table nor exports nor .pdata tell where functions are; "
            f"{pdb.why_not}",
            where=path,
        )
    notes = []
    if not pdb.symbols and not len(binary.symbols):
        known = "only what it exports has a name" if exported else "no function has a name"
        notes.append(
            f"{known}: {pdb.why_not}; {unnamed} functions are known from .pdata alone and called "
            "sub_ADDRESS, and those that need no stack are not seen"
        )
    elif unnamed:
        notes.append(f"{unnamed} of {len(functions)} functions have no name: called sub_ADDRESS")
    return Contents(architecture, image, functions, tuple(notes))


def _check(file: LiefFile) -> Architecture:
    blob = file.blob
    at = int.from_bytes(blob[0x3C:0x40], "little")
    if len(blob) < 0x40 or at + 24 > len(blob):
        file.damaged("it ends inside the header")
    if blob[at : at + 4] != b"PE\0\0":
        raise UserError(f"this is a DOS program; {SUPPORTED}", where=file.path)
    machine, sections = struct.unpack_from("<HH", blob, at + 4)
    (optional,), magic = struct.unpack_from("<H", blob, at + 20), blob[at + 24 : at + 26]
    architecture = architecture_of(file, machine)
    if magic != b"\x0b\x02" or at + 24 + optional + 40 * sections > len(blob):
        file.damaged("its section headers are not where the PE header says")
    return architecture


def _image(file: LiefFile, binary: Any) -> Image:
    base = int(binary.imagebase)
    regions: list[Region] = []
    bases: dict[int, int] = {}
    for i, section in enumerate(binary.sections, 1):
        bases[i] = start = base + section.virtual_address
        file.check_space(section, start, section.virtual_size)
        flags, size = number(section.characteristics), section.size
        size = min(size, section.virtual_size or size)
        if section.offset and size:
            plain = not flags & CODE and not text(section.name).startswith(_NOT_PLAIN)
            regions += file.region(section, start, size, code=bool(flags & EXECUTE), plain=plain)
    free = max((r.end for r in regions), default=base)
    return Image(regions, bases, free, base=base)


def _exports(binary: Any, image: Image) -> Iterator[Label]:
    for entry in binary.get_export().entries if binary.has_exports else ():
        if not entry.is_forwarded:
            yield from code_label(image, text(entry.name), binary.imagebase + entry.address)


def _symbols(binary: Any, image: Image) -> Iterator[Label]:
    """MinGW's linkers keep the symbols of the objects."""
    file = ""
    for symbol in binary.symbols:
        kind = number(symbol.storage_class)
        if symbol.is_file_record:
            file = text(symbol.name)
        if kind not in (_EXTERNAL, _STATIC) or number(symbol.complex_type) != _FUNCTION:
            continue
        if (start := image.bases.get(symbol.section_idx)) is not None:
            rank, source = (2, file) if kind == _STATIC else (0, "")
            address = start + symbol.value
            yield from code_label(image, text(symbol.name), address, rank=rank, file=source)


def _pdb_labels(pdb: Pdb, image: Image) -> Iterator[Label]:
    for s in pdb.symbols:
        if (start := image.bases.get(s.section)) is not None:
            rank, file = (2, s.module) if s.local else (0, "")
            address = start + s.offset
            yield from code_label(image, s.name, address, size=s.size, rank=rank, file=file)
