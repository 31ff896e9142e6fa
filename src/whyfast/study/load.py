"""The way from WHERE (a folder, a file, or the name of a bundled study) to a Study."""

from __future__ import annotations

import contextlib
import os
import re
import tomllib
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from whyfast.model.errors import StudyError, UserError
from whyfast.model.study import Source, Study
from whyfast.model.variant import Variant
from whyfast.store.git import without_user
from whyfast.study.axes import span, spread_interpreters, spread_revisions
from whyfast.study.notation import listed, quoted
from whyfast.study.question import check_question, control_key, read_benchmarks, read_question
from whyfast.study.sections import (
    hide,
    read_build,
    read_costs,
    read_evidence,
    read_measure,
    read_quick,
    read_ways,
)
from whyfast.study.toml_table import TomlDocument, TomlTable, nearest, read_document, suggestion
from whyfast.study.variants import (
    VariantRecipe,
    check_interpreters,
    check_running,
    check_vms,
    read_recipes,
    resolve,
)

Kind = Literal["studies", "subjects"]

_PACKAGE = Path(__file__).resolve().parents[1]


@dataclass(frozen=True)
class BundledStudy:
    """A study to be run by name. ``title`` is empty when its file cannot be read."""

    name: str
    title: str
    folder: Path


def bundled_folder(kind: Kind) -> Path:
    """The folder of all bundled studies or subjects; UserError when there is none."""
    folder = _find(kind)
    if folder is None:
        raise UserError(f"this installation of whyfast comes without its {kind}")
    return folder


def bundled_names(kind: Kind) -> tuple[str, ...]:
    """The bundled studies or subjects, sorted; none when this installation comes without."""
    folder = _find(kind)
    if folder is None:
        return ()
    return tuple(
        sorted(
            path.name
            for path in folder.iterdir()
            if path.name[0] not in "._"
            and path.is_dir()
            and (kind == "subjects" or (path / "study.toml").is_file())
        )
    )


def bundled_studies() -> tuple[BundledStudy, ...]:
    """Every bundled study with its title."""
    names = bundled_names("studies")
    return tuple(_study(bundled_folder("studies") / name) for name in names)


def _study(folder: Path) -> BundledStudy:
    # Only the title is wanted: a mistake elsewhere in one study must not hide the others.
    try:
        title = tomllib.loads((folder / "study.toml").read_text("utf-8"))["study"]["title"]
    except (OSError, ValueError, LookupError, TypeError):
        title = ""
    return BundledStudy(folder.name, " ".join(str(title).split()), folder)


def _find(kind: Kind) -> Path | None:
    candidates = [_PACKAGE / "bundled" / kind]
    if _PACKAGE.parent.name == "src":  # a checkout, or installed from one with -e
        candidates.append(_PACKAGE.parents[1] / kind)
    return next((folder for folder in candidates if folder.is_dir()), None)


FILE = "study.toml"
#: The study of a whole repository, at its root: its source is the folder that it lies in.
ROOT_FILE = "whyfast.toml"


def find_study(where: str | Path) -> Path:
    """The study file; in a folder ``study.toml``, or else ``whyfast.toml``. What exists as a folder
    or file goes before a bundled study of that name. UserError, with the nearest bundled study,
    when there is none."""
    path = Path(where)
    try:
        for name in (FILE, ROOT_FILE):
            if str(where).strip() and (path / name).is_file():
                return path / name
        if path.is_file():
            return path
        is_folder, exists = path.is_dir(), path.exists()
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise UserError(f"cannot be read: {reason}", where=str(where)) from None
    names = bundled_names("studies")
    if str(where) in names:
        return bundled_folder("studies") / str(where) / FILE
    if is_folder and str(where).strip():
        raise UserError(f"this folder has no {FILE}", where=where)
    if exists and str(where).strip():
        raise UserError("neither a folder nor a regular file", where=where)
    hint = suggestion(str(where), names)
    message = f"no study {quoted(str(where))}: no such file or folder, nor a bundled study"
    raise UserError(f"{message}; {hint}" if hint else message)


def read_otherwise(table: TomlTable, folder: Path) -> str:
    """``otherwise``, the study to run where this one cannot be: the path of its file, or "". A name
    is looked for beside this study's folder and then among the bundled ones, a path from this
    study's folder on."""
    if "otherwise" not in table:
        return ""
    name = table.string("otherwise")
    bundled = bundled_names("studies")
    places = [folder / name, folder.parent / name]
    if name in bundled:  # by its path: the name may also be that of something where we were started
        places.append(bundled_folder("studies") / name)
    for where in places:
        with contextlib.suppress(UserError):
            return str(find_study(where).resolve())
    message = f"no study {quoted(name)}: no such file or folder, nor a bundled study"
    near = nearest(name, bundled)
    hint = "name a study that runs anywhere, by its name or its path from here"
    raise table.error(("otherwise",), message, f"did you mean {quoted(near)}?" if near else hint)


def is_study(where: str) -> bool:
    """Whether the word names a study: a folder with one, a TOML file, or a bundled study."""
    path = Path(where)
    with contextlib.suppress(OSError, ValueError):
        if (path / FILE).is_file() or (path.suffix == ".toml" and path.is_file()):
            return True
    return where in bundled_names("studies")


# The study itself.

_SECTIONS = (
    *("study", "source", "build", "variant", "axes"),
    *("benchmarks", "measure", "quick", "evidence", "ways", "costs"),
)


def load_study(where: str | Path) -> Study:
    """The study in a folder with study.toml, in that file, or bundled under that name. UserError
    when there is no such study; StudyError, with line, key and what would be right, for the first
    mistake in it. Nothing is written."""
    file = find_study(where)
    folder = Path(os.path.abspath(file)).parent
    document = read_included(read_document(file))
    document = spread_interpreters(spread_revisions(document, folder))
    top = TomlTable(document, (), document.data)
    top.check_keys(INCLUDE, *_SECTIONS)
    own_source = file.name == ROOT_FILE and "source" not in top
    for name in ("study", "build") if own_source else ("study", "source", "build"):
        top.require(name, f"the section [{name}]")
    check_question(top.table("study"))
    here = Source("path", ".", folder)
    source = here if own_source else read_source(top.table("source"), folder)
    variants, by_hand = _variants(top)
    build, variants, hidden = hide(read_build(top.table("build")), variants)
    question = read_question(top.table("study"), variants, by_hand)
    if question.evidence_only:
        variants = tuple(replace(v, evidence_only=True) for v in variants)
    if question.control and build.link is None:
        key = control_key(top.table("study"))
        hint = f"give [build] a link step, or remove {key}"
        raise top.error(("study", key), "the program cannot be linked again", hint)
    measure = read_measure(top.table("measure"))
    if measure.layouts and build.link is None:
        hint = "give [build] a link step, or remove layouts"
        raise top.error(("measure", "layouts"), "the program cannot be linked again", hint)
    measured = any(not v.evidence_only for v in variants)
    benchmarks = read_benchmarks(top.table("benchmarks"), needed=measured)
    evidence = read_evidence(top.table("evidence"), benchmarks, source)
    check_running(top, variants, benchmarks, evidence)
    check_vms(top, variants, benchmarks)
    check_interpreters(top, build, variants, benchmarks)
    return Study(
        name=folder.name if file.name in (FILE, ROOT_FILE) else file.stem,
        title=question.title,
        folder=folder,
        baselines=question.baselines,
        margin=question.margin,
        source=source,
        build=build,
        variants=variants,
        benchmarks=benchmarks,
        evidence=evidence,
        measure=measure,
        claim=question.claim,
        along=question.along,
        control=build.link is not None if question.control is None else question.control,
        quick=read_quick(top.table("quick"), variants, benchmarks),
        otherwise=read_otherwise(top.table("study"), folder),
        hidden=hidden,
        ways=read_ways(top.table("ways"), benchmarks),
        costs=read_costs(top.table("costs")),
    )


def _variants(top: TomlTable) -> tuple[tuple[Variant, ...], tuple[VariantRecipe, ...]]:
    product = span(top.table("axes")) if "axes" in top else ()
    by_hand = read_recipes(top.table("variant"))
    variants = resolve(top.document, product, by_hand)
    if not variants:
        what = "every variant is abstract" if by_hand else "a study needs variants"
        raise top.error(("variant",), what, 'write [variant.NAME] with toolchain = "path:gcc"')
    return variants, by_hand


#: ``include = "FILE"`` names a file with what several studies have in common.
INCLUDE = "include"


def read_included(document: TomlDocument) -> TomlDocument:
    """The document with the values of the file that it includes, its own over those. Tables are
    merged key by key, anything else is replaced. The included file may include another."""
    return _read(document, (document.file,))


def _read(document: TomlDocument, chain: tuple[Path, ...]) -> TomlDocument:
    if INCLUDE not in document.data:
        return document
    table = TomlTable(document, (), document.data)
    name = table.string(INCLUDE)
    file = Path(os.path.normpath(document.file.parent / os.path.expanduser(name)))
    if any(_same(file, other) for other in chain):
        raise table.error((INCLUDE,), f"{quoted(name)} includes itself")
    try:
        base = _read(read_document(file), (*chain, file))
    except StudyError as error:
        if error.file == file and error.line is None and error.key is None:  # no such file, say
            reason = f"{quoted(name)} {error.message}"
            raise table.error((INCLUDE,), reason, f"relative to {document.file.parent}") from None
        raise
    merged = _merged(base.data, document.data)
    return replace(document, data=merged, own_data=document.data, base=base)


def _same(a: Path, b: Path) -> bool:
    try:
        return a.samefile(b)
    except OSError:
        return a == b


def _merged(base: dict[str, Any], over: dict[str, Any]) -> dict[str, Any]:
    """Keys of the base first, in its order."""
    both = {**base, **over}
    for name in base.keys() & over.keys():
        if isinstance(base[name], dict) and isinstance(over[name], dict):
            both[name] = _merged(base[name], over[name])
    return both


# ``[source]``: where the program's source comes from.

_SOURCE_PACKAGE = re.compile(r"[a-z0-9][a-z0-9+.-]+")
_VERSION = re.compile(r"[A-Za-z0-9][A-Za-z0-9.+~-]*")
_SUITE = re.compile(r"[a-z][a-z0-9.-]*")
_SHA256 = re.compile(r"[0-9a-f]{64}")

#: Where source packages are looked up when the study names no suite: the newest there are.
_NEWEST = "sid"


def read_source(table: TomlTable, folder: Path) -> Source:
    """The source; a relative path is taken from the study's folder. Nothing is fetched."""
    given = [kind for kind in _KINDS if kind in table]
    if not given:
        keys = [key for kind, (more, _) in _KINDS.items() for key in (kind, *more)]
        table.check_keys(*dict.fromkeys(keys))
        table.require("path", 'subject = "NAME" or path = "FOLDER"')
    more, read = _KINDS[given[0]]
    if len(given) > 1:
        hint = f"give one of {listed(_KINDS)}"
        raise table.error((given[1],), "a second source", hint)
    table.check_keys(given[0], *more)
    return read(table, folder)


def _path(table: TomlTable, folder: Path) -> Source:
    place = _existing(table, "path", folder, Path.is_dir, "a folder")
    return Source("path", table.string("path"), place)


def _existing(
    table: TomlTable, key: str, folder: Path, fits: Callable[[Path], bool], what: str
) -> Path:
    """The path under that key, from the study's ``folder`` on."""
    name = table.string(key)
    # normpath and not resolve: what the user called the folder is what reports should call it.
    path = Path(os.path.normpath(folder / os.path.expanduser(name)))
    try:
        is_there = fits(path)
    except OSError as error:
        raise table.error((key,), f"{quoted(name)}: {error.strerror}") from None
    if not is_there:
        wrong = f"is not {what}" if os.path.lexists(path) else "does not exist"
        hint = None if Path(name).is_absolute() else f"relative to {folder}"
        raise table.error((key,), f"{quoted(name)} {wrong}", hint)
    return path


def _subject(table: TomlTable, folder: Path) -> Source:
    name = table.string("subject")
    table.check_known(("subject",), "subject", name, bundled_names("subjects"))
    return Source("subject", name, bundled_folder("subjects") / name)


def _debian(table: TomlTable, folder: Path) -> Source:
    table.require("version", 'version = "3.14.6", the upstream version without a Debian revision')
    return Source(
        "debian",
        _form(table, "debian", _SOURCE_PACKAGE, "the name of a source package"),
        folder,
        version=_form(table, "version", _VERSION, "an upstream version"),
        sha256=_sha256(table),
        suite=_form(table, "suite", _SUITE, "the name of a suite") if "suite" in table else _NEWEST,
    )


def _tarball(table: TomlTable, folder: Path) -> Source:
    name = table.string("tarball")
    if "://" in name:
        message = f"{quoted(without_user(name))} is not the path of a file"
        raise table.error(("tarball",), message, "download it, or use git or debian")
    path = _existing(table, "tarball", folder, Path.is_file, "a file")
    return Source("tarball", name, path, sha256=_sha256(table))


def _git(table: TomlTable, folder: Path) -> Source:
    table.require("revision", 'revision = "v1.0", a tag, branch or commit')
    name, revision = table.string("git"), table.string("revision")
    for key, text in (("git", name), ("revision", revision)):
        if text.startswith("-"):
            raise table.error((key,), f"{quoted(text)} begins with a dash")
    # What git takes for an address, and not for a folder.
    remote = "://" in name or re.match(r"[\w.-]+@[\w.-]+:", name)
    return Source(
        "git",
        shown := without_user(name),
        folder if remote else _existing(table, "git", folder, Path.is_dir, "a folder"),
        revision=revision,
        address="" if shown == name else name,
    )


def _form(table: TomlTable, key: str, pattern: re.Pattern[str], what: str) -> str:
    text = table.string(key)
    if not pattern.fullmatch(text):
        raise table.error((key,), f"{quoted(text)} is not {what}")
    return text


def _sha256(table: TomlTable) -> str:
    table.require("sha256", 'sha256 = "…", 64 hexadecimal digits, as sha256sum prints them')
    text = table.string("sha256").lower()
    if not _SHA256.fullmatch(text):
        hint = "write 64 hexadecimal digits, as sha256sum prints them"
        raise table.error(("sha256",), f"{quoted(text)} is not a sha256", hint)
    return text


#: Each kind by its key, with the further keys that it takes.
_KINDS: dict[str, tuple[tuple[str, ...], Callable[[TomlTable, Path], Source]]] = {
    "subject": ((), _subject),
    "path": ((), _path),
    "debian": (("version", "sha256", "suite"), _debian),
    "tarball": (("sha256",), _tarball),
    "git": (("revision",), _git),
}
