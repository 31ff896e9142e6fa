"""What the program of a first study works on, for ``whyfast new``: commands that end well when they
are tried, and in which it has something to do."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from whyfast.investigate.beside_program import watched
from whyfast.investigate.first_commands import OWN, commands_of_tests
from whyfast.investigate.first_tries import ENOUGH, TRIED, Tries
from whyfast.study.documents import DOCUMENTS, RECORDS
from whyfast.study.project import (
    WHOLE,
    Commands,
    Project,
    benchmark_key,
    program_name,
    sources,
    text_of,
)
from whyfast.study.scripts import SCRIPTS, WRONG

#: Where a program's own files of work are likely to be, the best first, and what is none.
_WORK = (
    *("bench*/**/*", "perf*/**/*", "**/*bench*", "example*/*", "demo*/*", "sample*/*"),
    *("test*/*", "data/*"),
)
_CODE = (
    r"\.(c|h|cc|cpp|cxx|hh|hpp|inc|in|am|m4|mk|o|a|so|py|pl|sh|bat|ps1|cmake|txt|rst|toml|rs|go"
    r"|log)$"
)
_NO_WORK = re.compile(
    rf"{_CODE}|^[^.]*$|^\."
    r"|\.(md|ya?ml|html?|css|out|exp\w*|err|ref|json|xml|csv|svg|png|pdf|gz|xz|zip|in\d*)$"
)
#: Documents, which a parser or converter reads.
_DOCUMENT = re.compile(
    r"^(?!CMake|requirements|meson_|licen[cs]e|copying|notice).*"
    r"\.(md|json|ya?ml|xml|html?|svg|csv|txt|css|ini?)$",
    re.IGNORECASE,
)
#: Sources, which a compiler, a preprocessor or a formatter reads.
_SOURCE = re.compile(r".*\.(c|cc|cpp|cxx|h|hpp)$")
#: Candidates that are tried, and kept.
_TRIES, _KEPT = 10, 4
#: Kinds of documents and of sources that are tried, and how many times the CPU time of a run
#: without one is work.
_DOCUMENTS, _SOURCES, _MORE = 4, 2, 1.5
#: CPU seconds that the start of a shell may take, and that of an interpreter with its library:
#: CPython takes 0.01 to 0.02, with its assertions 0.06.
_START, _LONG_START = 0.002, 0.1
#: What is said of a program that was ended.
_RUNS = "still running"
#: A folder beside the one in which a program runs, in the reason why it fails.
_ABOVE = re.compile(r"(?<![\w./])\.\./(\w[\w-]*)/")
#: How many times the CPU time of another way to read documents makes one better.
_BETTER = 1.1
#: Records of a written document of 2 MB, for programs as fast as a compressor, and of one of 8 MB,
#: for which a checksum is fast; how often such a one gets it.
_MIDDLE, _LARGE, _OFTEN = 4 * RECORDS, 16 * RECORDS, 8


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
    if reason and _RUNS not in reason:  # programs of tests read files of the project
        # By names from its folder, or from that of a build in it.
        above = [name for name in _ABOVE.findall(reason) if (folder / name).is_dir()]
        for place in ("{source}", *(f"{{source}}/{name}" for name in above)):
            there, cpu = tries.fails(folder, WHOLE["whole"], Path(place.format(source=folder)))
            if not there and cpu >= ENOUGH:
                return replace(project, folder=place)
            reason = there if _RUNS in there else reason
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
    candidates = [f for f in sources(folder, _WORK) if not _NO_WORK.search(f.name)]
    candidates = [*_named_after(folder), *candidates]
    for file in list(dict.fromkeys(candidates))[:_TRIES]:
        name = str(file.relative_to(folder))
        words = ("{program}", "{source}/" + name)
        if tries.left < TRIED / 2:  # the rest is for what is written
            tries.untried.append(name)
        elif tries.work(folder, words) >= ENOUGH and len(good) < _KEPT:
            good[benchmark_key(name)] = words
    comments = (*project.comments, "These files of the project are what the program runs.")
    waits = _RUNS in reason  # for input, or for its end
    if not good and not waits and (scripts := _scripts(tries)):
        return _running(project, scripts, {})
    alone = 0.0 if reason else alone
    document = None if good or waits else _document(folder, alone, tries)
    written = None
    called, read = folder.resolve().name.lower(), document[0] if document else ""
    # Of another format than that in the project's name.
    strange = any(len(e) > 2 and e in called and not read.endswith(e) for e in DOCUMENTS)
    if not good and not waits and (document is None or document[2] < ENOUGH or strange):
        if tree := _tree(folder, project, alone, tries):
            return tree
        written = _own_document(folder, alone, tries)
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
        if cpu > _least(alone):
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
        if file.suffix == ".toml" or not re.search(_CODE, file.name)
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

#: Runs a program with a file as its input.
_INPUT = 'exec "$0" < "$1"'
#: Succeeds where less is left of the input than there was, or something else is printed without it.
_IS_READ = (
    '("$0" >/dev/null; test $(wc -c) -lt $(wc -c < "$1")) < "$1" || (s() ("$0" < "$1" | cksum);'
    'a=$(s "$1"); b=$(s /dev/null); test "$a" = "$(s "$1")" && test "$a" != "$b")'
)

#: Runs a program that wants a place for its output behind its document: one of its own for each
#: run, as others run it, too. No device: what a program removes before it writes must be its own.
WITH_OUTPUT = f'"$0" "$1" /tmp/{OWN}$$; status=$?; rm -f /tmp/{OWN}$$; exit $status'


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


def _document(
    folder: Path, alone: float, tries: Tries
) -> tuple[str, tuple[str, ...], float] | None:
    """The document of the project that gives the program most to do, as an argument or as its
    input, else its source; the command and its CPU seconds. None where it takes as long without
    one, or does little but complain of it."""
    documents = _largest(folder, _DOCUMENT)[:_DOCUMENTS]
    best: tuple[str, tuple[str, ...], float] | None = None
    for file in [*documents, *_largest(folder, _SOURCE)[:_SOURCES]]:
        if best and best[2] >= ENOUGH and file not in documents:
            break
        name = str(file.relative_to(folder))
        for words in _reading("{source}/" + name):
            least = max(_least(alone), _BETTER * best[2] if best else 0.0)
            # Again, as other work on this machine makes any run longer now and then.
            again = tries.work(folder, words) > least and (cpu := tries.work(folder, words)) > least
            reads = again and _opens(file, folder, words, tries)
            if reads and not _refused(file, folder, words, tries):
                best = (name, words, cpu)
    return best


def _refused(file: Path, folder: Path, words: Sequence[str], tries: Tries) -> bool:
    """Whether more of the lines that the program prints speak of errors than of those it reads."""

    def share(text: str) -> float:
        lines = text.splitlines()
        return sum(bool(_REFUSES.search(line)) for line in lines) / max(1, len(lines))

    return share(tries.says(folder, words)) > 2 * share(text_of(file))


def _opens(file: Path, folder: Path, words: Sequence[str], tries: Tries) -> bool:
    """Whether the program opens the file that it is given, or reads it as its input; also where it
    cannot be seen. One that pays no heed to its words takes longer by the shell in front of it."""
    if _INPUT in words:
        return not tries.fails(folder, ("sh", "-c", _IS_READ, *words[-2:]))[0]
    try:
        with watched({file: "document"}) as opened:
            tries.fails(folder, words)
            return bool(opened())
    except OSError:
        return True


def _largest(folder: Path, names: re.Pattern[str]) -> list[Path]:
    """The largest file of each kind, the largest first, but none that is hidden."""
    files = [
        file
        for file in sources(folder, ("**/*",))
        if names.match(file.name)
        and not any(part.startswith(".") for part in file.relative_to(folder).parts)
    ]
    kinds: dict[str, Path] = {}
    for file in sorted(files, key=lambda f: f.stat().st_size, reverse=True):
        kinds.setdefault(file.suffix, file)
    return [*kinds.values()]


def _reading(place: str, often: int = 1) -> tuple[tuple[str, ...], ...]:
    """Ways to give the program a document; as an argument after its input, since some programs
    delete the file of their argument, with another for what they write, behind a pattern, and at
    last ``often``."""
    once = (
        ("sh", "-c", _INPUT, "{program}", place),
        ("{program}", place),
        ("sh", "-c", WITH_OUTPUT, "{program}", place),
        ("{program}", _ANY, place),
    )
    return once if often == 1 else (*once, ("{program}", *[place] * often))


#: What every line matches, for a program that wants a pattern before its files; for others the
#: folder in which it runs. How often one that reads folders gets that of the project.
_ANY, _TREES = ".", (1, 8, 64)


def _tree(folder: Path, project: Project, alone: float, tries: Tries) -> Project | None:
    """The project whose program reads the project's own folder, as often as makes work."""
    for often in _TREES:
        words = ("{program}", _ANY, *["{source}"] * often)
        failed, cpu = tries.fails(folder, words, folder)
        if failed:
            break
        if cpu >= max(ENOUGH, 2 * alone):
            comments = (*project.comments, "The program reads the project's own folder.")
            runs = {"folder": words}
            return replace(project, folder="{source}", benchmarks=runs, comments=comments)
    return None


def _least(alone: float) -> float:
    """From how many CPU seconds on a document is work: a shell starts in front of it, too."""
    return max(_MORE * alone, alone + _START)


#: What a format is called whose files end otherwise.
_CALLED = {"md": "markdown"}


def _sized(kinds: Sequence[str], read: Sequence[str]) -> Iterator[tuple[str, int]]:
    """Kinds with a number of records: all with few, then with more those that were ``read``."""
    yield from ((kind, RECORDS) for kind in kinds)
    yield from ((kind, records) for records in (_MIDDLE, _LARGE) for kind in read)


#: What a program prints that cannot read what it is given, though it ends well.
_REFUSES = re.compile(r"error|invalid|unexpected|unknown|illegal|not found|NaN", re.IGNORECASE)


def _own_document(
    folder: Path, alone: float, tries: Tries
) -> tuple[str, str, tuple[str, ...], float] | None:
    """A document to be written that the program reads: its name, its text, the command and its CPU
    seconds. First of the kind that the project is named after, or its README names most often; a
    large one where that is little work."""
    readme = "".join(map(text_of, sources(folder, ("README*",)))).lower()
    told = {e: len(re.findall(rf"\b{_CALLED.get(e, e)}\b", readme)) for e in DOCUMENTS}
    least = _least(alone) + _START
    kinds = sorted(DOCUMENTS, key=lambda e: (e not in folder.name.lower(), -told[e]))
    read: list[str] = []
    little: tuple[str, str, tuple[str, ...], float] | None = None
    with tempfile.TemporaryDirectory(prefix="whyfast-") as place:
        for ending, records in _sized(kinds, read):
            few, last = records == RECORDS, records == _LARGE
            if little and few:
                continue
            name, text = f"{OWN}document.{ending}", DOCUMENTS[ending](records)
            Path(place, name).write_text(text)
            for words in _reading("{study}/" + name, _OFTEN if last else 1):
                failed, cpu = tries.fails(Path(place), words)
                if _RUNS in failed:
                    return None
                if not failed and few and not read:
                    read.append(ending)
                if failed or cpu <= least or (cpu := tries.work(Path(place), words)) <= least:
                    continue
                file = Path(place, name)
                if _refused(file, Path(place), words, tries):
                    continue
                if not _opens(file, Path(place), words, tries):
                    continue
                if last or cpu >= ENOUGH:
                    return name, text, words, cpu
                little, read[:] = (name, text, words, cpu), [ending]
                break
    return little
