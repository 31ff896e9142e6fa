"""The commands around studies: builds, toolchain, doctor, studies and new."""

from __future__ import annotations

import argparse
import json
import os
import shlex
import sys
from contextlib import suppress
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path

import shtab

from whyfast.build.repeat import repeat_script
from whyfast.build.revisions import top_level
from whyfast.cli.main import say
from whyfast.cli.options import whole_parser
from whyfast.cli.output import FAILED, Action, check_outputs, duration, piped, show, show_actions
from whyfast.investigate.first_study import LIMIT, FirstStudy, first_that_builds
from whyfast.investigate.services import Services, build_checked
from whyfast.measure.doctor import System
from whyfast.measure.doctor.readings import examine
from whyfast.measure.doctor.tune import TuneOutcome, restore, tune
from whyfast.model.codec import dump
from whyfast.model.errors import CannotBuildHere, UserError
from whyfast.report import formatting as fmt
from whyfast.report.pages import admin_pages
from whyfast.report.progress import watching
from whyfast.store.builds import BuildStore, FailedBuild
from whyfast.store.git import keep_out_of_status
from whyfast.store.home import Home, own_home
from whyfast.study.load import ROOT_FILE, bundled_studies
from whyfast.study.project import within
from whyfast.study.skeleton import KINDS, check_file, projects_of, skeleton
from whyfast.toolchain import Progress
from whyfast.toolchain.debian import (
    VALGRIND,
    DebianProvider,
    newer_valgrind,
    remove_valgrind,
    valgrind_size,
)
from whyfast.toolchain.debian_root import RecordedRoot, recorded_root
from whyfast.toolchain.entrance import entrances_in_words
from whyfast.toolchain.registry import providers, resolve, split_name
from whyfast.toolchain.sandbox import tools

#: The folder with /proc and /sys.
ROOT = Path("/")


def run_builds(args: argparse.Namespace) -> int:
    """List builds, show one or its log, or remove unused ones."""
    check_outputs(args)
    store = BuildStore(own_home().builds)
    if args.action == "list":
        show(admin_pages.builds_page(list(store.all())), args)
    elif args.action == "show":
        build = store.tried(args.digest)
        if isinstance(build, FailedBuild):
            show(admin_pages.failed_build_page(build), args)
            return 0
        script = repeat_script(build.provenance, build.folder)
        if args.script:
            say(script)
        else:
            show(admin_pages.build_page(build, script), args)
    elif args.action == "log":
        file = store.tried(args.digest).folder / "log.txt"
        try:
            text = file.read_text(encoding="utf-8", errors="backslashreplace")
        except OSError as error:
            raise UserError(f"cannot be read: {error.strerror}", where=file) from None
        say(text)
    else:
        age = 0.0 if args.all else duration(args.older_than, "--older-than")
        removed = store.remove_unused(age)
        kept = f"{removed.kept} kept: in use by a running whyfast" if removed.kept else ""
        text = f"removed {len(removed.freed)} builds, {fmt.size(sum(removed.freed.values()))}"
        actions = [Action("removed", digest, bytes=size) for digest, size in removed.freed.items()]
        notes = [kept] if kept else []
        show_actions("builds gc", actions, args, f"{'; '.join([text, *notes])}\n", notes)
    return 0


def run_toolchain(args: argparse.Namespace) -> int:
    """List, install or remove compilers; 1 when one cannot be installed here."""
    home = own_home()
    check_outputs(args)
    if args.action == "list":
        return _list_toolchains(home, args)
    recorded = [_recorded_root(build) for build in args.recorded]
    if not args.names and not recorded:
        raise UserError("no toolchain given; expected e.g. zig:clang-19, or --from BUILD")
    for full in args.names:
        split_name(full)
    note = partial(print, file=sys.stderr if piped(args) else None)
    install = args.action == "install"
    act = _install if install else _remove
    works = [(full, partial(act, full, home, note)) for full in args.names]
    works += [
        (f"--from {build}", partial(_install_again, root, home, note))
        for build, root in zip(args.recorded, recorded, strict=True)
    ]
    actions = []
    for name, work in works:
        try:
            text = work()
            note(text)
            actions.append(Action("installed", name, text) if install else Action("removed", name))
        except CannotBuildHere as error:
            print(f"whyfast: {name}: {error}", file=sys.stderr)
            actions.append(Action("failed", name, str(error)))
    show_actions(f"toolchain {args.action}", actions, args)
    return FAILED if any(a.did == "failed" for a in actions) else 0


def _install(full: str, home: Home, note: Progress) -> str:
    if full == VALGRIND:
        return f"{VALGRIND}: {newer_valgrind(home, note)}"
    return admin_pages.toolchain_text(resolve(full, home, note))


def _install_again(root: RecordedRoot, home: Home, note: Progress) -> str:
    return admin_pages.toolchain_text(DebianProvider().install_again(root, home, note))


def _remove(full: str, home: Home, note: Progress) -> str:
    if full == VALGRIND:
        remove_valgrind(home)
    else:
        provider, name = split_name(full)
        providers()[provider].remove(name, home)
    return f"removed {full}"


def _list_toolchains(home: Home, args: argparse.Namespace) -> int:
    rows = []
    for provider, p in providers().items():
        names = [*p.names(), *(DebianProvider().elsewhere(home) if provider == "debian" else ())]
        rows += [(f"{provider}:{n}", p.installed(n, home), p.size(n, home)) for n in names]
    size = valgrind_size(home)
    rows.append((VALGRIND, size > 0, size))
    show(admin_pages.toolchains_page(rows, entrances_in_words(tools())), args)
    return 0


def _recorded_root(build: str) -> RecordedRoot:
    """The root of a build in the store, or of one whose provenance is in a file."""
    where = f"--from {build}"
    file = Path(build)
    if not file.is_file():
        return recorded_root(BuildStore(own_home().builds).by_prefix(build).provenance, where)
    try:
        provenance = json.loads(file.read_text())
    except (OSError, ValueError) as error:
        raise UserError(f"not a provenance.json: {error}", where=where) from error
    if not isinstance(provenance, dict):
        raise UserError("not a provenance.json: no object", where=where)
    return recorded_root(provenance, where)


def run_doctor(args: argparse.Namespace) -> int:
    """Print the findings; 1 when a setting could not be restored."""
    check_outputs(args)
    system, folder = System(ROOT), own_home().doctor
    outcome = TuneOutcome(())
    sentences: list[str] = []
    if args.tune or args.restore:
        outcome = (tune if args.tune else restore)(system, folder)
        sentences += admin_pages.setting_sentences(
            outcome.changes, restored=args.restore, message=outcome.message
        )
        if args.restore and not outcome.changes:
            sentences.append(f"no old values are saved in {folder}")
            sentences.append("(each user has a folder; restore as the user who ran --tune)")
        if args.tune and any(not c.error for c in outcome.changes):
            sentences.append("whyfast doctor --restore restores the old values")
    findings = examine(system)
    data = {
        "findings": [asdict(f) for f in findings],
        "action": "tune" if args.tune else "restore" if args.restore else None,
        "changes": [asdict(c) for c in outcome.changes],
        "message": outcome.message,
    }
    show(admin_pages.doctor_page(findings, sentences), args, json=lambda: dump("doctor", data))
    return FAILED if args.restore and any(c.error for c in outcome.changes) else 0


def run_studies(args: argparse.Namespace) -> int:
    """List the name and title of each bundled study."""
    check_outputs(args)
    show(admin_pages.studies_page({study.name: study.title for study in bundled_studies()}), args)
    return 0


def run_new(args: argparse.Namespace) -> int:
    """Write FOLDER/study.toml or whyfast.toml; never overwrites one."""
    source: Path = args.source
    if args.folder is not None and args.kind:
        raise UserError("only without FOLDER: it is for whyfast.toml", where="--kind")
    if not source.is_dir():
        raise UserError("no such folder", where=source)
    check_outputs(args)
    if args.folder is None:
        return _new_check_file(source, args)
    file: Path = args.folder / "study.toml"
    try:
        text = skeleton(os.path.relpath(source.resolve(), args.folder.resolve()))
    except ValueError:
        message = "the path of the source is not valid UTF-8"
        raise UserError(message, where=str(source).encode("utf-8", "replace").decode()) from None
    _write_new(file, text)
    said = f"wrote {file}; edit it, then: whyfast plan {args.folder}\n"
    show_actions("new", [Action("wrote", str(file))], args, said)
    return 0


def _write_new(file: Path, text: str) -> None:
    """Write a file that is not there yet, and its folder."""
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("x", encoding="utf-8") as out:
            out.write(text)
    except FileExistsError as error:
        taken = file if Path(error.filename) == file else error.filename
        raise UserError("already exists; nothing was written", where=taken) from None
    except OSError as error:
        raise UserError(f"cannot be written: {error.strerror}", where=file) from None


#: Characters of a file beside a study that nobody wants in a repository.
_LARGE = 100_000


def _new_check_file(source: Path, args: argparse.Namespace) -> int:
    """Write whyfast.toml, after one build of the project; 1 when that failed."""
    folder, file = source.resolve(), source / ROOT_FILE
    if file.exists():
        raise UserError("already exists; nothing was written", where=file)
    limit = duration(args.limit, "--limit") if args.limit else LIMIT
    given: str | None = args.kind
    kinds = [(given, KINDS[given][1](folder))] if given else list(projects_of(folder))
    kind, project = kinds[0]
    if not args.no_build:
        with watching(f"whyfast new: {kind} project", 0.01) as observer:
            home, services = own_home(), Services(build=build_checked)
            kind, first = first_that_builds(folder, kinds, home, observer, services, limit)
            root = folder
            if not (first.builds or first.lacks):
                with suppress(UserError):  # in no repository
                    root = top_level(folder).resolve()
            if root != folder:
                observer.note("it does not build by itself: from its whole repository now")
                inner = str(folder.relative_to(root))
                kinds = [(k, within(p, inner)) for k, p in kinds]
                kind, first = first_that_builds(root, kinds, home, observer, services, limit)
    elif project.benchmarks or project.candidates:
        project = replace(project, benchmarks=project.benchmarks or project.candidates)
        first = FirstStudy(check_file(project), beside=project.beside, notes=project.comments)
    else:
        message = "the names of its benchmarks are known only after a build"
        raise UserError(f"{message}; leave out --no-build", where=folder)
    notes = [fmt.escape_controls(note) for note in first.notes]
    if first.lacks:
        said = "".join(f"  {note}\n" for note in notes)
        said += f"nothing was written for this {kind} project: {first.failure}; then: whyfast new\n"
        failed = Action("failed", f"build of the {kind} project", first.failure)
        show_actions("new", [failed], args, said, notes)
        return FAILED
    beside = {file.parent / name: text for name, text in first.beside.items()}
    missing = {path: text for path, text in beside.items() if not path.exists()}
    for path, text in {**missing, file: first.text}.items():
        _write_new(path, text)
    notes += [
        f"{path.name} is kept out of git (.git/info/exclude); for other clones: git add -f it"
        for path, text in missing.items()
        if len(text) > _LARGE and keep_out_of_status(path)
    ]
    study = f" --study {shlex.quote(str(source))}" if folder != Path().resolve() else ""
    todo = (
        f", which has to be completed: {first.failure}"
        if first.failure
        else f"; edit it, then: whyfast check{study}"
    )
    lines = [
        *(f"wrote {path}" for path in missing),
        *(f"  {note}" for note in notes),
        f"wrote {file} for a {kind} project{todo}",
    ]
    actions = [Action("wrote", str(path)) for path in (file, *missing)]
    if first.failure:
        actions.append(Action("failed", f"build of the {kind} project", first.failure))
    show_actions("new", actions, args, "".join(f"{line}\n" for line in lines), notes)
    return FAILED if first.failure else 0


# The completion script of a shell, from the options of all commands.

#: Values that are folders.
_FOLDERS = ("DIR", "FOLDER")


def run_completion(args: argparse.Namespace) -> int:
    """Print the script."""
    say(completion_script(args.shell))
    return 0


def completion_script(shell: str) -> str:
    """The script for ``bash``, ``zsh`` or ``fish``. It completes files where these are expected."""
    parser = whole_parser()
    _complete_files(parser)
    script: str = shtab.complete(parser, shell)
    return script


def _complete_files(parser: argparse.ArgumentParser) -> None:
    for action in parser._actions:  # argparse has no other way to reach them
        if isinstance(action, argparse._SubParsersAction):
            for inner in action.choices.values():
                _complete_files(inner)
        elif action.metavar in _FOLDERS:
            action.complete = shtab.DIRECTORY  # type: ignore[attr-defined]
        elif action.type is Path or not (action.option_strings or action.choices):
            # Arguments most often begin with a file: ./old of ab too. In zsh, a command whose
            # argument completes as nothing lists its options instead of completing them.
            action.complete = shtab.FILE  # type: ignore[attr-defined]
