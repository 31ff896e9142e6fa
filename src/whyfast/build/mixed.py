"""Objects of two builds linked into one program."""

from __future__ import annotations

import hashlib
import io
import os
import shlex
import shutil
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from elftools.common.exceptions import ELFError
from elftools.elf.constants import SH_FLAGS
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

from whyfast.build.recipe import Recipe
from whyfast.build.relink import made_where, make_layouts
from whyfast.build.steps import because, expand_link, logged_steps, why
from whyfast.model.build import Build, is_layout
from whyfast.model.errors import CannotBuildHere
from whyfast.store.builds import BuildStore
from whyfast.store.files import exclusive


def mix_object(
    good: Path, bad: Path, from_bad: Iterable[str], symbols: Iterable[str], to: Path
) -> None:
    """Write to ``to`` both objects as one, with the global ``symbols`` of the good one but
    ``from_bad`` of the bad one: unwanted definitions are weakened. Both copies stay in place: what
    differs is who is called. CannotMix without a tool, or with what the linker says;
    OSError."""
    taken = set(from_bad)
    folder = to.with_name(to.name + ".parts")
    folder.mkdir(parents=True, exist_ok=True)
    try:
        parts = []
        for name, file, weak in (("good", good, taken), ("bad", bad, set(symbols) - taken)):
            part = folder / f"{name}.o"
            # LLVM's list of symbols would be of other numbers after the link.
            options = ["--strip-debug", "--remove-section=.llvm_addrsig"]
            if weak:  # objcopy fails for an empty list
                listed = folder / f"{name}.txt"
                listed.write_text("".join(f"{s}\n" for s in sorted(weak)))
                options.append(f"--weaken-symbols={listed}")
            _run("objcopy", *options, str(file), str(part))
            parts.append(str(part))
        _run("ld", "-r", "-o", str(to), *parts)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _run(tool: str, *arguments: str) -> None:
    if shutil.which(tool) is None:
        raise CannotMix(f"{tool} is not installed; install binutils")
    done = subprocess.run(
        [tool, *arguments], capture_output=True, text=True, errors="replace", check=False
    )
    if done.returncode != 0:
        lines = (done.stderr or done.stdout).strip().splitlines()
        raise CannotMix(f"{tool}: {lines[0] if lines else f'exit code {done.returncode}'}")


#: Where mixtures are kept, within the folder of the build that most of them is from.
MIXED = "mixed"


class CannotMix(Exception):
    """Why a mixture has no program."""


@dataclass(frozen=True)
class BuiltWith:
    """A build that can be linked again, and how it was made."""

    recipe: Recipe
    build: Build

    @property
    def work(self) -> Path:
        """The build folder."""
        program = self.build.program
        return program.parents[len(Path(self.recipe.program).parts) - 1]


def link_mixed(
    good: BuiltWith, bad: BuiltWith, objects: Sequence[str], link: BuiltWith, store: BuildStore
) -> Path:
    """The program of ``good`` with ``objects`` (relative names) from ``bad``, linked as ``link``
    is; made once. Raises :class:`CannotMix`."""
    identity = "\0".join((bad.build.digest, link.build.digest, *sorted(objects)))
    return link_with(good, {name: bad.work / name for name in objects}, link, identity, store)


def link_with(
    good: BuiltWith, objects: Mapping[str, Path], link: BuiltWith, identity: str, store: BuildStore
) -> Path:
    """The program of ``good`` with these files in the place of objects of its own, linked as
    ``link`` is; made once for each ``identity``. Raises :class:`CannotMix`."""
    name = hashlib.sha256(identity.encode()).hexdigest()[:16]
    folder = store.folder(good.build.digest) / MIXED / name
    program = folder / "work" / good.recipe.program
    with exclusive(store.lock(good.build.digest)):
        if (folder / "done").exists() and program.is_file():
            return program
        shutil.rmtree(folder, ignore_errors=True)
        try:
            _prepare(good, objects, folder / "work")
            step = expand_link(link.recipe, folder / "work", "", shlex.quote(link.recipe.program))
            made_in = made_where(good.build, store) or good.work
            with logged_steps(link.recipe, folder, store, made_in=made_in) as run_step:
                status = run_step(step)
            if status:
                log = (folder / "log.txt").read_text("utf-8", "replace")
                printed = log.rpartition(f"+ {step}\n")[2].splitlines()
                raise CannotMix(why(step, status, printed[-20:]))
        except (CannotBuildHere, OSError) as error:
            raise CannotMix(because(error)) from error
        if not program.is_file():
            raise CannotMix(f"the link step succeeded but did not create {good.recipe.program!r}")
        (folder / "done").touch()
    return program


def mixed_layouts(
    program: Path, link: Recipe, seeds: Sequence[int], store: BuildStore
) -> list[Path]:
    """The layouts ``seeds`` of a mixture, as :func:`whyfast.build.relink.relink` makes those of a
    build. Raises :class:`CannotRelink`, InterruptedError when it is interrupted."""
    folder = program.parents[len(Path(link.program).parts)]
    with logged_steps(link, folder, store) as run_step:
        return make_layouts(link, folder, run_step, seeds)


def same_link(good: Recipe, bad: Recipe) -> bool:
    """Whether both builds are linked by the same command of the same toolchain."""
    place = Path("/build")
    commands = {expand_link(r, place, "", shlex.quote(r.program)) for r in (good, bad)}
    return len(commands) == 1 and good.toolchain.digest == bad.toolchain.digest


def differing_objects(good: Path, bad: Path) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Of two build folders the objects whose code or data differ, and those of one folder alone."""
    names = [
        {str(path.relative_to(folder)) for path in folder.rglob("*.o") if path.is_file()}
        for folder in (good, bad)
    ]
    common = names[0] & names[1]
    differ = (n for n in common if code_digest(good / n) != code_digest(bad / n))
    return tuple(sorted(differ)), tuple(sorted(names[0] ^ names[1]))


def code_digest(file: Path) -> str:
    """Over all that a program or object loads into memory, relocations and names of symbols
    included: notes and debug information, which record flags, do not count. Over the bytes of a
    file that is no ELF. OSError."""
    content = file.read_bytes()
    digest = hashlib.sha256()
    try:
        elf = ELFFile(io.BytesIO(content))
        for section in elf.iter_sections():
            name, flags = section.name, section["sh_flags"]
            relocated = ""
            if section["sh_type"] in ("SHT_RELA", "SHT_REL"):
                relocated = elf.get_section(section["sh_info"]).name
            counted = flags & SH_FLAGS.SHF_ALLOC and not name.startswith(".note")
            if counted or (relocated and not relocated.startswith(".debug")):
                digest.update(f"{name}\0{section['sh_size']}\0".encode())
                digest.update(b"" if section["sh_type"] == "SHT_NOBITS" else section.data())
            if isinstance(section, SymbolTableSection):
                symbols = section.iter_symbols()
                named = (s.name for s in symbols if s["st_info"]["type"] != "STT_FILE")
                digest.update("\0".join(named).encode())
    except (ELFError, ValueError):
        return hashlib.sha256(content).hexdigest()
    return digest.hexdigest()


def _prepare(good: BuiltWith, objects: Mapping[str, Path], work: Path) -> None:
    """The build folder with other objects, which are the newest files in it, so that a makefile
    puts them into its libraries."""
    shutil.copytree(
        good.work, work, symlinks=True, ignore=lambda _, names: [*filter(is_layout, names)]
    )
    (work / good.recipe.program).unlink()
    for name, file in objects.items():
        (work / name).unlink()
        shutil.copyfile(file, work / name)
        os.utime(work / name)
