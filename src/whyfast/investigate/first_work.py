"""What the program of a first study works on, for ``whyfast new``: commands that end well when they
are tried, and in which it has something to do."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from whyfast.investigate.first_commands import OWN, commands_of_tests
from whyfast.investigate.first_documents import (
    ANY,
    CODE,
    NO_WORK,
    RUNS,
    found_document,
    least_work,
    written_document,
)
from whyfast.investigate.first_tries import ENOUGH, TRIED, Tries
from whyfast.study.documents import DOCUMENTS
from whyfast.study.project import (
    WHOLE,
    Commands,
    Project,
    benchmark_key,
    program_name,
    sources,
)
from whyfast.study.scripts import SCRIPTS, WRONG

#: Where a program's own files of work are likely to be, the best first.
_WORK = (
    *("bench*/**/*", "perf*/**/*", "**/*bench*", "example*/*", "demo*/*", "sample*/*"),
    *("test*/*", "data/*"),
)
#: Candidates that are tried, and kept.
_TRIES, _KEPT = 10, 4
#: CPU seconds that the start of an interpreter with its library may take: CPython takes 0.01 to
#: 0.02, with its assertions 0.06.
_LONG_START = 0.1
#: A folder beside the one in which a program runs, in the reason why it fails.
_ABOVE = re.compile(r"(?<![\w./])\.\./(\w[\w-]*)/")


def with_work(folder: Path, project: Project, tries: Tries) -> Project:
    """A program that does little without arguments, with files of the project that it reads as its
    work: an interpreter has scripts in its folders of tests and benchmarks, a parser documents."""
    found = _working(folder, project, tries)
    return replace(found, comments=(*found.comments, *tries.comment()))


def _working(folder: Path, project: Project, tries: Tries) -> Project:
    reason, alone = tries.fails(folder, WHOLE["whole"])
    timed = not reason and tries.by_a_clock(folder, WHOLE["whole"], alone)
    if not reason and alone >= ENOUGH and not timed:
        # It may be no more than the start of an interpreter.
        if alone >= _LONG_START:
            return project
        if scripts := _scripts(tries):
            return _running(project, scripts, project.benchmarks)
        return _tree(folder, project, alone, tries) or project
    if timed:
        todo = "add words that give it a number of rounds, or build another program in [build]"
        return replace(
            project,
            idle=True,
            incomplete=f"its program {BY_A_CLOCK}: {todo}",
            comments=(*project.comments, f"The program {BY_A_CLOCK}."),
        )
    if reason and RUNS not in reason:  # programs of tests read files of the project
        # By names from its folder, or from that of a build in it, or of themselves.
        named = dict.fromkeys((*_ABOVE.findall(reason), "test", "tests"))
        above = [name for name in named if (folder / name).is_dir()]
        for place in ("{source}", *(f"{{source}}/{name}" for name in above)):
            there, cpu = tries.fails(folder, WHOLE["whole"], Path(place.format(source=folder)))
            if not there and cpu >= ENOUGH:
                return replace(project, folder=place)
            reason = there if RUNS in there else reason
    good: Commands = {}
    words: tuple[str, ...]
    if found := _benchmark_option(folder, project, tries):
        if found.benchmarks != project.benchmarks:
            return found
        project = found
    if (found := _listed(folder, project, tries)).benchmarks:
        return found
    tested, little = _tested(folder, project, tries)
    if tested.benchmarks:
        return tested
    candidates = [f for f in sources(folder, _WORK) if not NO_WORK.search(f.name)]
    candidates = [*_named_after(folder), *candidates]
    for file in list(dict.fromkeys(candidates))[:_TRIES]:
        name = str(file.relative_to(folder))
        words = ("{program}", "{source}/" + name)
        if tries.left < TRIED / 2:  # the rest is for what is written
            tries.untried.append(name)
        elif tries.work(folder, words) >= ENOUGH and len(good) < _KEPT:
            good[benchmark_key(name)] = words
    comments = (*project.comments, "These files of the project are what the program runs.")
    waits = RUNS in reason  # for input, or for its end
    if not good and not waits and (scripts := _scripts(tries)):
        return _running(project, scripts, {})
    alone = 0.0 if reason else alone
    document = None if good or waits else found_document(folder, alone, tries)
    written = None
    called, read = folder.resolve().name.lower(), document[0] if document else ""
    # Of another format than that in the project's name.
    strange = any(len(e) > 2 and e in called and not read.endswith(e) for e in DOCUMENTS)
    if not good and not waits and (document is None or document[2] < ENOUGH or strange):
        if tree := _tree(folder, project, alone, tries):
            return tree
        written = written_document(folder, alone, tries)
    if document and (written is None or written[3] < 2 * document[2]):
        name, words, cpu = document
        good[benchmark_key(name)] = words
        comments = (
            *project.comments,
            f"The program reads a document of the project, in {1000 * cpu:.1f} ms: give it a "
            "larger one, or several.",
        )
    if good:
        return replace(project, benchmarks=good, comments=comments)
    if written:
        name, text, words, _ = written
        comment = (
            f"The project has no document that is work for the program: {name} is written, of "
            f"{len(text) / 1e6:.1f} MB; put a real one in its place."
        )
        comments = (*project.comments, comment)
        return replace(
            project, benchmarks={"document": words}, beside={name: text}, comments=comments
        )
    if little.benchmarks:
        return little
    if not reason:  # as of one that searches or counts files
        # Twice, as other work on this machine makes any run longer now and then.
        cpu = min(tries.work(folder, WHOLE["whole"], folder) for _ in range(2))
        if cpu > least_work(alone):
            comment = (
                f"The program runs in the project's folder, for {1000 * cpu:.1f} ms: give it a "
                "larger one."
            )
            return replace(project, folder="{source}", comments=(*project.comments, comment))
    what = f"fails without arguments ({reason})" if reason else "does little without arguments"
    todo = "add words to its command that give it work"
    if "Connection refused" in reason:
        what = f"asks for a server ({reason})"
        todo = "start that before each check, or build another program in [build]"
    if waits:
        what = f"is {reason} without arguments"
        todo = "add words that give it less to do, or build another program in [build]"
    return replace(
        project,
        idle=True,
        incomplete=f"its program {what}: {todo}" if reason else "",
        comments=(*project.comments, f"The program {what}: {todo}."),
    )


def _tested(folder: Path, project: Project, tries: Tries) -> tuple[Project, Project]:
    """The project with the command lines of its tests that give the program work, the most first;
    and with the one that is most where that is little."""
    listed, place = commands_of_tests(folder, tries.made.program, program_name(project))
    found: list[tuple[float, tuple[str, ...]]] = []
    for words in listed[:: max(1, len(listed) // _TRIES)][:_TRIES]:
        if tries.left < TRIED / 2:  # the rest is for what is written
            break
        failed, cpu = tries.fails(folder, words, folder if place else None)
        found += [] if failed else [(cpu, words)]
    found.sort(reverse=True)
    comment = "The project's tests run the program by these commands."
    as_tested = replace(project, folder=place, comments=(*project.comments, comment))
    work = [words for cpu, words in found if cpu >= ENOUGH][:_KEPT]
    most = [words for _, words in found[:1]]
    in_full, little = (
        replace(as_tested, benchmarks={benchmark_key(_called(w)): w for w in commands})
        for commands in (work, most)
    )
    return in_full, little


def _listed(folder: Path, project: Project, tries: Tries) -> Project:
    """The project with names that its program lists, as harnesses of tests do, and that give it
    work; without benchmarks where there are none."""
    said = tries.says(folder, ("{program}", "--list"))
    names = re.findall(r"(?m)^[ \t]*([\w/.-]*\w)[ \t]*$", said)
    good: Commands = {}
    for name in names[:: max(1, len(names) // _TRIES)][:_TRIES] if names[1:] else ():
        words = ("{program}", name)
        if len(good) == _KEPT or tries.left < TRIED / 2:
            break
        if (cpu := tries.work(folder, words)) >= ENOUGH:
            good |= {} if tries.by_a_clock(folder, words, cpu) else {benchmark_key(name): words}
    comment = "The program lists by --list what else it runs."
    return replace(project, benchmarks=good, comments=(*project.comments, comment))


def _called(words: Sequence[str]) -> str:
    """A command by the last file that it is given."""
    files = re.findall(r"\{study\}/([^\" ]+)", " ".join(words))
    return files[-1] if files else words[-1]


def _named_after(folder: Path) -> list[Path]:
    """The largest files of the format that the project is named after, as libpng and wasm3 are."""
    name = folder.resolve().name.lower().removeprefix("lib")
    files = [
        file
        for file in sources(folder, ("**/*.*",))
        if len(file.suffix) > 3 and file.suffix[1:].lower() in name
        if file.suffix == ".toml" or not re.search(CODE, file.name)
    ]
    return sorted(files, key=lambda f: f.stat().st_size, reverse=True)[: _TRIES // 2]


#: What is said of a program that ends by a clock.
BY_A_CLOCK = "runs for a fixed time, which no change of it makes longer or shorter"

#: How programs call an option, or their first word, by which they measure themselves.
_MEASURES = re.compile(r"^\s*(?:-\w, +)?(--?bench[\w-]*|-b(?=[ #\[<=,])|bench(?:mark)?\b)")


def _benchmark_option(folder: Path, project: Project, tries: Tries) -> Project | None:
    """The project with the option or word by which its program says to measure itself; with a
    comment alone where it ends by a clock. None where it says of none that gives it work."""
    asked = (("--help",), ("-h",), ())
    texts = (tries.says(folder, ("{program}", *words)) for words in asked)
    options = dict.fromkeys(
        found[1]
        for text in texts
        for line in text.splitlines()
        if "bench" in line.lower() and (found := _MEASURES.search(line))
    )
    for option in [*options][:_OPTIONS]:
        words = ("{program}", option)
        failed, cpu = tries.fails(folder, words)
        if failed or cpu < ENOUGH or tries.left < tries.took:
            continue
        if tries.by_a_clock(folder, words, cpu):
            comment = f"Its option {option} {BY_A_CLOCK}, so it is not used."
            return replace(project, comments=(*project.comments, comment))
        comment = f"Its option {option} is for measuring."
        benchmarks = {benchmark_key(option): words}
        return replace(project, benchmarks=benchmarks, comments=(*project.comments, comment))
    return None


#: Such options that are tried, at most.
_OPTIONS = 2


def _scripts(tries: Tries) -> dict[str, str]:
    """Scripts of a language that the program runs, by names of files; empty where it runs none."""
    for ending, texts in SCRIPTS.items():
        scripts = {f"{OWN}{name}.{ending}": text for name, text in texts.items()}
        with tempfile.TemporaryDirectory(prefix="whyfast-") as place:
            for name, text in {**scripts, f"wrong.{ending}": WRONG[ending]}.items():
                Path(place, name).write_text(text)

            def fails(name: str, place: str = place) -> bool:
                return bool(tries.fails(Path(place), ("{program}", "{source}/" + name))[0])

            if not fails(next(iter(scripts))) and fails(f"wrong.{ending}"):
                return {name: text for name, text in scripts.items() if not fails(name)}
    return {}


def _running(
    project: Project, scripts: Mapping[str, str], more: Mapping[str, tuple[str, ...]]
) -> Project:
    """The project whose program runs these scripts, which are written, and ``more``."""
    comment = "The project has no script that is work for the program: these are written."
    runs = {
        benchmark_key(name.rpartition(".")[0].removeprefix(OWN)): ("{program}", "{study}/" + name)
        for name in scripts
    }
    return replace(
        project,
        benchmarks={**runs, **more},
        beside=dict(scripts),
        comments=(*project.comments, comment),
    )


#: How often a program that reads folders gets that of the project.
_TREES = (1, 8, 64)


def _tree(folder: Path, project: Project, alone: float, tries: Tries) -> Project | None:
    """The project whose program reads the project's own folder, as often as makes work."""
    for often in _TREES:
        words = ("{program}", ANY, *["{source}"] * often)
        failed, cpu = tries.fails(folder, words, folder)
        if failed:
            break
        if cpu >= max(ENOUGH, 2 * alone):
            comments = (*project.comments, "The program reads the project's own folder.")
            runs = {"folder": words}
            return replace(project, folder="{source}", benchmarks=runs, comments=comments)
    return None
