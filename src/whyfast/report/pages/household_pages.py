"""What commands show that measure nothing: the machine, kept builds, compilers, studies."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence

from whyfast.model.machine import MachineFinding, SettingChange
from whyfast.model.toolchain import Toolchain
from whyfast.report.document import (
    Cell,
    CodeBlock,
    Document,
    FactTree,
    Sentence,
    Sentences,
    document,
    right,
    section,
    sentences,
    table,
)
from whyfast.report.numbers import format_bytes, format_seconds
from whyfast.store.builds import FailedBuild, StoredBuild
from whyfast.store.disk import readable

_STATES = ("warning", "unknown", "good")


def doctor_page(findings: Sequence[MachineFinding], changes: Sequence[str] = ()) -> Document:
    """What was set or put back, then what was found, what it does, and how to set what is not
    good; warnings first."""
    items = [
        Sentence(
            f"{f.title}: {f.value}",
            f.state,
            (f.effect, *([f"To change it: {f.how}"] if f.how and f.state != "good" else [])),
        )
        for f in sorted(findings, key=lambda f: _STATES.index(f.state))
    ]
    return document(
        "doctor",
        "",
        "",
        section("changes", "Changes", sentences(changes)),
        section("findings", "Findings", Sentences(tuple(items))),
        heading="What this machine does to results",
    )


def setting_sentences(
    changes: Sequence[SettingChange], *, restored: bool, message: str = ""
) -> Iterator[str]:
    """What was set or put back, and what could not be, one line a setting."""
    if message:
        yield message
    if not changes:
        yield "nothing to put back" if restored else "nothing to set"
    for change in changes:
        done = "put back" if restored else "set"
        values = f"({change.old} → {change.new})"
        error = f"not {done} {values}: {change.error}"
        yield f"/{change.path}: {error if change.error else f'{done} {values}'}"


def builds_page(builds: Sequence[StoredBuild]) -> Document:
    """A line a build: digest, variant, compiler, source, size, last use."""
    now = time.time()
    rows = [
        (
            *(b.digest[:12], p["variant"], p["toolchain"]["version"], p["source"]["folder"]),
            Cell(format_bytes(size := b.size), number=size),
            Cell(f"{format_seconds(max(0.0, now - b.used))} ago", number=b.used),
        )
        for b in builds
        for p in [b.provenance]
    ]
    columns = ("digest", "variant", "compiler", "source", *right("size"), "used")
    made = table("", columns, rows)
    nothing = "" if made else "no builds yet"
    return document("builds", "", nothing, section("builds", "", made), heading="Builds")


def build_page(build: StoredBuild, script: str) -> Document:
    """Everything that went into a build, and how to repeat it."""
    p = build.provenance
    toolchain, source, inputs = p["toolchain"], p["source"], p["inputs"]
    when = time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime(p["started"]))
    facts = {
        "variant": p["variant"],
        "digest": p["digest"],
        "program": str(build.folder / "work" / p["program"]),
        "program sha256": p["program_sha256"],
        "compiler": f"{toolchain['version']} for {toolchain['target']}",
        "toolchain": f"{toolchain['name']}, digest {toolchain['digest']}",
        "supports": ", ".join(toolchain["features"]) or "none of the probed features",
        "source": f"{source['folder']}, {len(source['files'])} files, digest {source['digest']}",
        **{key: " ".join(inputs[key]) or "–" for key in ("cflags", "ldflags", "configure")},
        "built": f"{when} on {p['host']} ({p['system']}) in {format_seconds(p['seconds'])}",
        "log": str(build.folder / "log.txt"),
    }
    return document(
        "builds",
        "",
        "",
        section("provenance", p["variant"], FactTree(facts)),
        section(
            "script",
            "By hand",
            sentences(["to repeat it by hand in an empty folder:"]),
            CodeBlock(tuple(script.splitlines()), "sh"),
        ),
        heading="A build",
    )


def failed_build_page(build: FailedBuild) -> Document:
    """Why a build failed, and where its log is."""
    facts = {"compiler": build.compiler, "log": str(build.folder / "log.txt")}
    headline = f"{build.variant} failed: {build.reason}"
    return document("builds", "", headline, section("facts", "", FactTree(facts)))


def toolchains_page(
    toolchains: Iterable[tuple[str, bool, int]], entrances: Iterable[str]
) -> Document:
    """Names with whether they are installed, and the bytes on disk (0: not whyfast's); and how
    roots are entered here."""
    rows = [
        (
            name,
            # With other packages beside it, one can be on disk and still not installed alone.
            "installed" if installed or size else "can be downloaded",
            Cell(readable(size), number=size) if size else "",
        )
        for name, installed, size in toolchains
    ]
    return document(
        "toolchain",
        "",
        "",
        section("toolchains", "", table("", ("toolchain", "state", *right("on disk")), rows)),
        section("entrances", "", sentences(entrances)),
        heading="Compilers",
    )


def toolchain_text(toolchain: Toolchain) -> str:
    """One toolchain with what a probe found."""
    supports = ", ".join(sorted(toolchain.features)) or "none of the probed features"
    return (
        f"{toolchain.name}: {toolchain.version} for {toolchain.target}; supports {supports}; "
        f"digest {toolchain.digest[:12]}"
    )


def studies_page(titles: Mapping[str, str]) -> Document:
    """The studies that come with whyfast, with their questions."""
    rows = [(name, title) for name, title in titles.items()]
    nothing = "" if rows else "This installation of whyfast comes without studies."
    found = section("studies", "", table("", ("study", "question"), rows))
    return document("studies", "", nothing, found, heading="Studies")
