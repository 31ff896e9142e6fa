"""Documents that a program reads as its work, for ``whyfast new``: of the project, or written."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from whyfast.investigate.beside_program import watched
from whyfast.investigate.first_commands import OWN
from whyfast.investigate.first_tries import CHANGES, ENOUGH, Tries
from whyfast.study.documents import DOCUMENTS, RECORDS
from whyfast.study.project import sources, text_of

#: Documents, which a parser or converter reads.
_DOCUMENT = re.compile(
    r"^(?!CMake|requirements|meson_|licen[cs]e|copying|notice).*"
    r"\.(md|json|ya?ml|xml|html?|svg|csv|txt|css|ini?)$",
    re.IGNORECASE,
)
#: Sources, which a compiler, a preprocessor or a formatter reads.
_SOURCE = re.compile(r".*\.(c|cc|cpp|cxx|h|hpp)$")
#: Names of what is no data that only this program may read: code, documents, packed files.
CODE = (
    r"\.(c|h|cc|cpp|cxx|hh|hpp|inc|in|am|m4|mk|o|a|so|py|pl|sh|bat|ps1|cmake|txt|rst|toml|rs|go"
    r"|log)$"
)
NO_WORK = re.compile(
    rf"{CODE}|^[^.]*$|^\."
    r"|\.(md|ya?ml|html?|css|out|exp\w*|err|ref|json|xml|csv|svg|png|pdf|gz|xz|zip|in\d*)$"
)
#: A folder with the data of tests.
_OF_TESTS = re.compile(r"test|example|sample|bench|perf|data", re.IGNORECASE)
#: Kinds of documents and of sources that are tried, and how many times the CPU time of a run
#: without one is work.
_DOCUMENTS, _SOURCES, _MORE = 4, 2, 1.5
#: CPU seconds that the start of a shell may take.
_START = 0.002
#: What is said of a program that was ended.
RUNS = "still running"
#: How many times the CPU time of another way to read documents makes one better.
_BETTER = 1.1
#: Records of a written document of 2 MB, for programs as fast as a compressor, and of one of 8 MB,
#: for which a checksum is fast; how often such a one gets it.
_MIDDLE, _LARGE, _OFTEN = 4 * RECORDS, 16 * RECORDS, 8
#: What every line matches, for a program that wants a pattern before its files; for others the
#: folder in which it runs.
ANY = "."
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
#: Runs a program that writes beside its document, or deletes it, on a copy in a folder of its own.
ON_A_COPY = (
    'd=$(mktemp -d) && cp "$1" "$d" && "$0" "$d/${{1##*/}}"; status=$?; rm -rf "$d"; exit $status'
)


def found_document(
    folder: Path, alone: float, tries: Tries
) -> tuple[str, tuple[str, ...], float] | None:
    """The document of the project that gives the program most to do, as an argument or as its
    input, else its source; the command and its CPU seconds. None where it takes as long without
    one, or does little but complain of it."""
    found = [
        file
        for file in sources(folder, ("**/*",))
        if not any(part.startswith(".") for part in file.relative_to(folder).parts)
    ]
    documents = _largest(f for f in found if _DOCUMENT.match(f.name))[:_DOCUMENTS]
    data = _largest(
        f
        for f in found
        if not NO_WORK.search(f.name) and _OF_TESTS.match(str(f.relative_to(folder)))
    )[:_DOCUMENTS]
    code = _largest(f for f in found if _SOURCE.match(f.name))[:_SOURCES]
    best: tuple[str, tuple[str, ...], float] | None = None
    for file in [*documents, *data, *code]:
        if best and best[2] >= ENOUGH and file not in documents:
            break
        name = str(file.relative_to(folder))
        for words in _reading("{source}/" + name):
            least = max(least_work(alone), _BETTER * best[2] if best else 0.0)
            # Again, as other work on this machine makes any run longer now and then.
            words, failed, cpu = _tried(folder, words, tries)
            again = not failed and cpu > least and (cpu := tries.work(folder, words)) > least
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
    if ON_A_COPY in words:
        return True  # as what it wrote beside it has shown
    if _INPUT in words:
        return not tries.fails(folder, ("sh", "-c", _IS_READ, *words[-2:]))[0]
    try:
        with watched({file: "document"}) as opened:
            tries.fails(folder, words)
            return bool(opened())
    except OSError:
        return True


def _largest(files: Iterable[Path]) -> list[Path]:
    """The largest file of each kind, the largest first."""
    kinds: dict[str, Path] = {}
    for file in sorted(files, key=lambda f: f.stat().st_size, reverse=True):
        kinds.setdefault(file.suffix, file)
    return [*kinds.values()]


def _tried(
    folder: Path, words: tuple[str, ...], tries: Tries
) -> tuple[tuple[str, ...], str, float]:
    """The command, for one that writes beside its document on a copy of that, why it does not end
    well, and its CPU seconds."""
    document = Path(words[-1].format(source=folder, study=folder))
    content = document.read_bytes()
    failed, cpu = tries.fails(folder, words)
    if failed == CHANGES:
        document.write_bytes(content)
    if failed == CHANGES and words[1:] == words[-1:]:
        words = ("sh", "-c", ON_A_COPY, *words)
        failed, cpu = tries.fails(folder, words)
    return words, failed, cpu


def _reading(place: str, often: int = 1) -> tuple[tuple[str, ...], ...]:
    """Ways to give the program a document; as an argument after its input, since some programs
    delete the file of their argument, with another for what they write, behind a pattern, and at
    last ``often``."""
    once = (
        ("sh", "-c", _INPUT, "{program}", place),
        ("{program}", place),
        ("sh", "-c", WITH_OUTPUT, "{program}", place),
        ("{program}", ANY, place),
    )
    return once if often == 1 else (*once, ("{program}", *[place] * often))


def least_work(alone: float) -> float:
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


def written_document(
    folder: Path, alone: float, tries: Tries
) -> tuple[str, str, tuple[str, ...], float] | None:
    """A document to be written that the program reads: its name, its text, the command and its CPU
    seconds. First of the kind that the project is named after, or its README names most often; a
    large one where that is little work."""
    readme = "".join(map(text_of, sources(folder, ("README*",)))).lower()
    told = {e: len(re.findall(rf"\b{_CALLED.get(e, e)}\b", readme)) for e in DOCUMENTS}
    least = least_work(alone) + _START
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
                words, failed, cpu = _tried(Path(place), words, tries)
                if RUNS in failed:
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
