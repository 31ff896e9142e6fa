"""Pages of commands that measure nothing: doctor, builds, toolchains, studies, plan."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence

from whyfast.investigate.forecast import BuildCost, Forecast
from whyfast.model.build import MachineFinding, SettingChange, Toolchain
from whyfast.report import document as doc
from whyfast.report import formatting as fmt
from whyfast.store.builds import FailedBuild, StoredBuild
from whyfast.store.files import readable

_STATES = ("warning", "unknown", "good")


def doctor_page(findings: Sequence[MachineFinding], changes: Sequence[str] = ()) -> doc.Document:
    """The changes, then each finding with its effect and how to mend it; warnings first."""
    items = [
        doc.Sentence(
            f"{f.title}: {f.value}",
            f.state,
            (f.effect, *([f"To change it: {f.how}"] if f.how and f.state != "good" else [])),
        )
        for f in sorted(findings, key=lambda f: _STATES.index(f.state))
    ]
    return doc.document(
        "doctor",
        doc.section("changes", "Changes", doc.sentences(changes)),
        doc.section("findings", "Findings", doc.Sentences(tuple(items))),
        heading="How this machine affects results",
    )


def setting_sentences(
    changes: Sequence[SettingChange], *, restored: bool, message: str = ""
) -> Iterator[str]:
    """One line for each setting: changed, restored, or why not."""
    if message:
        yield message
    if not changes:
        yield "nothing to restore" if restored else "nothing to set"
    for change in changes:
        done = f"{'restored' if restored else 'set'} ({change.old} → {change.new})"
        yield f"/{change.path}: {f'not {done}: {change.error}' if change.error else done}"


def builds_page(builds: Sequence[StoredBuild]) -> doc.Document:
    """A line for each build: digest, variant, compiler, source, size, last use."""
    now = time.time()
    rows = [
        (
            *(b.digest[:12], p["variant"], p["toolchain"]["version"], p["source"]["folder"]),
            doc.Cell(fmt.size(size := b.size), number=size),
            doc.Cell(f"{fmt.seconds(max(0.0, now - b.used))} ago", number=b.used),
        )
        for b in builds
        for p in [b.provenance]
    ]
    columns = ("digest", "variant", "compiler", "source", *doc.right("size"), "used")
    shown = doc.section("builds", "", doc.table("", columns, rows))
    return doc.document("builds", shown, headline="" if rows else "no builds yet", heading="Builds")


def build_page(build: StoredBuild, script: str) -> doc.Document:
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
        "built": f"{when} on {p['host']} ({p['system']}) in {fmt.seconds(p['seconds'])}",
        "log": str(build.folder / "log.txt"),
    }
    return doc.document(
        "builds",
        doc.section("provenance", p["variant"], doc.FactTree(facts)),
        doc.section(
            "script",
            "By hand",
            doc.sentences(["To repeat the build by hand in an empty directory:"]),
            doc.CodeBlock(tuple(script.splitlines()), "sh"),
        ),
        heading="A build",
    )


def failed_build_page(build: FailedBuild) -> doc.Document:
    """Why a build failed, and where its log is."""
    facts = {"compiler": build.compiler, "log": str(build.folder / "log.txt")}
    headline = f"{build.variant} failed: {build.reason}"
    return doc.document("builds", doc.section("facts", "", doc.FactTree(facts)), headline=headline)


def toolchains_page(
    toolchains: Iterable[tuple[str, bool, int]], entrances: Iterable[str]
) -> doc.Document:
    """Names, whether installed, and bytes on disk (0: of others); how roots are entered here."""
    rows = [
        (
            name,
            # With other packages beside it, one can be on disk and still not installed alone.
            "installed" if installed or size else "can be downloaded",
            doc.Cell(readable(size), number=size) if size else "",
        )
        for name, installed, size in toolchains
    ]
    return doc.document(
        "toolchain",
        doc.section(
            "toolchains", "", doc.table("", ("toolchain", "state", *doc.right("on disk")), rows)
        ),
        doc.section("entrances", "", doc.sentences(entrances)),
        heading="Compilers",
    )


def toolchain_text(toolchain: Toolchain) -> str:
    """One toolchain with what a probe found."""
    supports = ", ".join(sorted(toolchain.features)) or "none of the probed features"
    return (
        f"{toolchain.name}: {toolchain.version} for {toolchain.target}; supports {supports}; "
        f"digest {toolchain.digest[:12]}"
    )


def studies_page(titles: Mapping[str, str]) -> doc.Document:
    """The studies that come with whyfast, with their questions."""
    nothing = "" if titles else "This installation of whyfast comes without studies."
    shown = doc.section("studies", "", doc.table("", ("study", "question"), titles.items()))
    return doc.document("studies", shown, headline=nothing, heading="Studies")


def plan_page(forecast: Forecast, *, free: int | None = None) -> doc.Document:
    """The variants, what all of it takes, and with which flags and steps. ``free``: bytes that the
    disk has, where it is known."""
    study = forecast.study
    costs = [*_costs(forecast, free), *_measuring(forecast)]
    instead = f"{study.stands_for}; {study.name} would be run instead" if study.stands_for else ""
    steps = study.build.steps if study.measured else ()
    short = study.build.evidence
    read = short.steps if short and len(study.measured) < len(study.variants) else ()
    flags = ((v.name, " ".join([*v.cflags, *v.ldflags, *v.configure])) for v in study.variants)
    flag_table = doc.table("Flags", ("variant", "flags"), [row for row in flags if row[1]])
    return doc.document(
        "plan",
        doc.section("variants", "Variants", _variant_table(forecast), importance="answer"),
        doc.section("costs", "What it takes", doc.sentences(costs), importance="answer"),
        doc.detail("flags", "Flags", flag_table),
        doc.detail("steps", "Steps", doc.code_block(steps, "sh")),
        doc.detail("read", "Steps for evidence only", doc.code_block(read, "sh")),
        title=study.title,
        headline=instead,
    )


def _variant_table(forecast: Forecast) -> doc.Table | None:
    study, rows = forecast.study, []
    for p in forecast.prospects:
        v = p.variant
        mark = " (baseline)" if v.name in study.baselines else ""
        mark = " (evidence)" if v.evidence_only and study.measured else mark
        state = doc.Cell(p.state, "" if p.detail == v.toolchain else p.detail)
        rows.append((f"{v.name}{mark}", v.toolchain, state))
    return doc.table("", ("variant", "toolchain", "state"), rows)


def _measuring(forecast: Forecast) -> Iterator[str]:
    study = forecast.study
    if not study.measured:
        yield "evidence only: no measurement"
        return
    names = ", ".join(b.name for b in study.benchmarks)
    yield f"{fmt.pluralize(len(study.benchmarks), 'benchmark')}: {names}"
    budget = fmt.seconds(study.measure.budget)
    if study.in_vms:
        wanted = list(dict.fromkeys(v.kernel for v in study.measured))
        missing = f"; to download: {', '.join(forecast.kernels)}" if forecast.kernels else ""
        yield f"{fmt.pluralize(len(wanted), 'kernel')}: {', '.join(wanted)}{missing}"
        yield f"each boots once, then again until {budget} have passed"
        return
    early = " or until all is decided" if study.measure.stop == "decided" else ""
    yield f"measuring takes {budget}{early}"
    if more := {part: t for part, t in study.longest.items() if part != "measuring"}:
        parts = [f"{part} {fmt.seconds(seconds)} at most" for part, seconds in more.items()]
        yield fmt.join(parts)


def _costs(forecast: Forecast, free: int | None) -> Iterator[str]:
    """What toolchains and builds take, one line for each."""
    if installs := list((forecast.installs or {}).values()):
        seconds = fmt.seconds(sum(c.seconds for c in installs))
        yield (
            f"{fmt.pluralize(len(installs), 'toolchain')} to install: about "
            f"{readable(sum(c.download for c in installs))} to download, "
            f"{readable(sum(c.disk for c in installs))} on disk, {seconds} in all"
        )
    yield from _building(forecast.to_build, "", forecast.each)
    yield from _building(forecast.to_read, " for evidence only", forecast.each_read)
    if forecast.disk:
        have = "" if free is None else f"; {readable(free)} are free"
        yield f"disk needed: about {readable(forecast.disk)}{have}"


def _building(number: int, what: str, each: BuildCost | None) -> Iterator[str]:
    if number and each is None:
        yield f"building {number}{what}: the time is unknown until one of them is built"
    elif number and each is not None:
        takes = f"{fmt.seconds(number * each.seconds)} and {readable(number * each.size)}"
        last = "estimated from the last build of this source"
        why = "as the study states" if each.stated else last
        yield f"building {number}{what} takes about {takes}, {why}"
