"""What a run of a study would build, install and need, without running it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from whyfast.build.recipe import SourceTree, make_recipe, packages_here, scan_source, steps_of
from whyfast.build.source import present
from whyfast.interpreter.providers import interpreter_installed, resolve_interpreter
from whyfast.model.build import Interpreter, Toolchain
from whyfast.model.errors import CannotBuildHere, UserError
from whyfast.model.study import Study
from whyfast.model.variant import Variant
from whyfast.store.builds import BuildStore
from whyfast.store.files import lacking
from whyfast.store.home import Home
from whyfast.toolchain import Cost, kernels
from whyfast.toolchain.registry import providers, resolve, split_name

#: See :func:`whyfast.toolchain.registry.resolve`.
Resolver = Callable[[str, Home, Callable[[str], None], Sequence[str]], Toolchain]

#: See :func:`whyfast.interpreter.providers.resolve_interpreter`.
InterpreterResolver = Callable[[str, Home, Callable[[str], None]], Interpreter]


@dataclass(frozen=True)
class Prospect:
    """One variant. ``state``: ``built`` (in the store), ``to build``, ``to build, after a
    download``, ``to link again`` (an A/A control), or ``not buildable here``; ``detail`` is the
    digest or the reason. ``foreseen``: the study states which feature such a compiler lacks."""

    variant: Variant
    state: str
    detail: str
    foreseen: bool = False


@dataclass(frozen=True)
class BuildCost:
    """Seconds and bytes of one build, as of the last one of the same source by the same steps, or
    ``stated`` by the study."""

    seconds: float
    size: int
    stated: bool = False


@dataclass(frozen=True)
class Forecast:
    """All variants of a study, and the study.

    ``each`` and ``each_read`` are for one build to measure and one for evidence only; None where
    unknown. ``installs`` and ``kernels``: the toolchains and kernels to download.
    """

    study: Study
    prospects: tuple[Prospect, ...]
    each: BuildCost | None = None
    each_read: BuildCost | None = None
    installs: Mapping[str, Cost] | None = None
    kernels: tuple[str, ...] = ()

    @property
    def unbuildable(self) -> tuple[Prospect, ...]:
        """The variants that cannot be built here."""
        return tuple(p for p in self.prospects if p.state == "not buildable here")

    @property
    def to_build(self) -> int:
        """The number of builds, one for each further profile among them, without those for evidence
        only."""
        return self._count(evidence_only=False) * (1 + self.study.measure.profiles)

    @property
    def to_read(self) -> int:
        """The number of variants to build for evidence only."""
        return self._count(evidence_only=True)

    @property
    def disk(self) -> int:
        """Bytes of the toolchains and builds, as far as known."""
        total = sum(cost.disk for cost in (self.installs or {}).values())
        for count, each in ((self.to_build, self.each), (self.to_read, self.each_read)):
            total += count * each.size if each else 0
        return total

    def _count(self, *, evidence_only: bool) -> int:
        return sum(
            p.state.startswith("to build") and p.variant.evidence_only == evidence_only
            for p in self.prospects
        )


def forecast(
    study: Study,
    home: Home,
    toolchain: Resolver | None = None,
    interpreter: InterpreterResolver | None = None,
) -> Forecast:
    """Look at the installed toolchains and the build store; downloads and writes nothing but the
    features of installed compilers. ``toolchain`` and ``interpreter``: doubles for tests."""
    sources = {
        revision: scan_source(there.folder)
        for revision in dict.fromkeys(("", *(v.revision for v in study.variants)))
        if (
            there := present(
                replace(study.source, revision=revision or study.source.revision), home
            )
        )
    }
    source = sources.get("")
    store = BuildStore(home.builds)
    known = providers()
    installs: dict[str, Cost] = {}
    prospects: list[Prospect] = []
    for variant in study.variants:
        if variant.control_of:
            detail = f"A/A control of {variant.control_of}"
            prospects.append(Prospect(variant, "to link again", detail))
            continue
        provider, name = split_name(variant.toolchain)
        packages = packages_here(study.build, variant, home)
        if variant.python and not interpreter_installed(variant.python, home):
            prospects.append(Prospect(variant, "to build, after a download", variant.python))
            continue
        if provider != "path" and not known[provider].installed(name, home, packages):
            prospects.append(Prospect(variant, "to build, after a download", variant.toolchain))
            # One name may need several roots, with other packages in each.
            installs[" ".join((variant.toolchain, *packages))] = known[provider].cost(
                name, packages
            )
            continue
        try:
            resolved = (toolchain or resolve)(variant.toolchain, home, lambda text: None, packages)
            tree = sources.get(variant.revision)
            python = variant.python and (interpreter or resolve_interpreter)(
                variant.python, home, lambda text: None
            )
            prospects.append(_prospect(study, variant, (resolved, python or None), tree, store))
        except CannotBuildHere as error:
            prospects.append(Prospect(variant, "not buildable here", str(error)))
    return Forecast(
        study,
        tuple(prospects),
        _estimate(study, source, store, evidence_only=False),
        _estimate(study, source, store, evidence_only=True),
        installs,
        tuple(
            name
            for name in dict.fromkeys(v.kernel for v in study.measured if v.kernel)
            if not kernels.installed(name, home)
        ),
    )


def _prospect(
    study: Study,
    variant: Variant,
    tools: tuple[Toolchain, Interpreter | None],
    source: SourceTree | None,
    store: BuildStore,
) -> Prospect:
    """Of a variant whose toolchain and interpreter are installed."""
    toolchain, python = tools
    if why_not := lacks(variant, toolchain):
        return Prospect(variant, "not buildable here", why_not, foreseen=True)
    if source is None:
        wanted = f"{study.source.kind} {study.source.name}"
        near = study.source.kind == "git" and (study.folder / study.source.name).is_dir()
        state = "to build" if near else "to build, after a download"
        return Prospect(variant, state, wanted)
    digest = make_recipe(study, variant, toolchain, source, python).digest
    return Prospect(variant, "built" if store.find(digest) else "to build", digest[:12])


def _estimate(
    study: Study, source: SourceTree | None, store: BuildStore, *, evidence_only: bool
) -> BuildCost | None:
    """Of one build of that kind; None where unknown."""
    alike = [v for v in study.variants if v.evidence_only == evidence_only]
    if not alike:
        return None
    last = source and store.last_like(source.digest, steps_of(study.build, alike[0])[0])
    if last:
        return BuildCost(float(last.provenance["seconds"]), last.size)
    stated = study.build.evidence if evidence_only and study.build.evidence else study.build
    if stated.takes is None or stated.room is None:
        return None
    return BuildCost(stated.takes, stated.room, stated=True)


def lacks(variant: Variant, toolchain: Toolchain) -> str:
    """The required features that the toolchain lacks, in words; empty for none."""
    missing = [f for f in variant.requires if f not in toolchain.features]
    return f"{toolchain.version} has no {' and no '.join(missing)}" if missing else ""


def check_room(
    study: Study,
    home: Home,
    toolchain: Resolver | None = None,
    interpreter: InterpreterResolver | None = None,
) -> None:
    """UserError when the disk lacks the room that the study is known to need."""
    need = forecast(study, home, toolchain, interpreter).disk
    if need and (short := lacking(home.cache, need)):
        raise UserError(
            f"no room for the toolchains and builds of this study: {short}; make room "
            "(whyfast builds gc, whyfast toolchain remove), or restrict it with --only",
            where=study.folder / "study.toml",
        )
